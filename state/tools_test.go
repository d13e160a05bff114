package state

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
)

func TestToolCallsStandInTheLedger(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{TimeScale: 0.001, LongSide: 64})
	o, fetcher := testOptions(t, t.TempDir(), service.URL())
	s := openSession(t, o)
	noError(t, s.Remote.AwaitKey(limited(t)))
	since := time.Now().Add(-time.Hour)
	call := func(name, args string, agreed bool) (ToolAnswer, error) {
		return s.CallTool(limited(t), ToolCall{Name: name, Args: json.RawMessage(args), Agreed: agreed})
	}
	if a, err := call("estimate_price", `{"model":"seedance2"}`, false); err != nil || a.Failed || len(a.Structured) == 0 {
		t.Errorf("%+v %v", a, err)
	}
	a, err := call("sample_picture", `{"subject":"a kettle"}`, false)
	if err != nil || len(a.Files) != len(a.Parts) || fetcher.count() != 1 || a.Files[1].Path == "" {
		t.Errorf("%+v %v", a.Files, err)
	}
	if lines := must(s.Pricing.Spend(t.Context(), since))(t).Lines; len(lines) != 0 {
		t.Errorf("tools that only read stand in the ledger: %+v", lines)
	}
	if _, err := call("generate_image", `{"prompt":"x"}`, false); !errors.Is(err, mcp.ErrNotAgreed) || len(service.Ledger()) != 0 {
		t.Errorf("called without consent: %v, %d", err, len(service.Ledger()))
	}
	made, err := call("generate_image", `{"prompt":"a kettle"}`, true)
	if err != nil || made.Failed || made.Job == "" {
		t.Fatalf("%+v %v", made, err)
	}
	// The job that it began is a job like any other, to its file.
	if j := must(s.Ended(limited(t), made.Job))(t); j.Phase != api.PhaseDone || len(j.Files) != 1 || j.Title != "a kettle" || j.RemoteID == "" {
		t.Errorf("%+v", j)
	}
	if a, err := call("generate_image", `{"prompt":" "}`, true); err != nil || !a.Failed {
		t.Errorf("%+v %v", a, err)
	}
	lines := must(s.Pricing.Spend(t.Context(), since))(t).Lines
	if len(lines) != 1 || lines[0].Kind != api.KindImage || lines[0].Model != "generate_image" || lines[0].Jobs != 1 || lines[0].Unpriced != 1 {
		t.Errorf("%+v", lines)
	}
	if today := must(s.Today(t.Context()))(t); today.Unpriced != 1 || today.Credits != 0 {
		t.Errorf("%+v", today)
	}
	s.settings.Change(func(set *Settings) { set.Budget = 1000 * api.Credit })
	var refusal *Refusal
	if _, err := call("generate_image", `{"prompt":"x"}`, true); !errors.As(err, &refusal) || refusal.Code != "budget" || len(service.Ledger()) != 1 {
		t.Errorf("under a budget: %v, %d", err, len(service.Ledger()))
	}
	if _, err := call("list_models", `{}`, false); !errors.As(err, &refusal) || refusal.Code != CodeAskTool {
		t.Errorf("called under a budget without a question: %v", err)
	}
	if _, err := s.CallTool(limited(t), ToolCall{Name: "list_models", UnderBudget: true}); err != nil {
		t.Errorf("a budget stops a tool that only reads: %v", err)
	}
	if _, err := call("list_models", `{}`, false); err != nil {
		t.Errorf("asked twice: %v", err)
	}
	if _, err := call("estimate_price", `{"model":"seedance2"}`, false); !errors.As(err, &refusal) {
		t.Errorf("an agreement counts for one tool: %v", err)
	}
}
