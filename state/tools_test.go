package state

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/api/sim"
)

func callsOf(s *sim.Server, path string) int {
	n := 0
	for _, c := range s.Calls() {
		if strings.HasPrefix(c.Path, path) {
			n++
		}
	}
	return n
}

func TestToolsAreFoundOnceAndRemembered(t *testing.T) {
	t.Parallel()
	service := startSim(t, sim.Options{TimeScale: 0.01, LongSide: 64})
	o, _ := testOptions(t, t.TempDir(), service.URL())
	s := openSession(t, o)
	if err := s.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	if box := s.KnownTools(t.Context()); len(box.Tools) != 0 {
		t.Errorf("tools were known before they were asked for: %+v", box)
	}
	box := must(s.Tools(limited(t)))(t)
	if box.Path != "/api/v1/mcp" || box.Address != service.URL()+"/api/v1/mcp" || len(box.Tools) != 7 || box.At.IsZero() || box.Cached {
		t.Errorf("%+v", box)
	}
	p := must(s.Profile(t.Context()))(t)
	if p.Seen.ToolsPath != "/api/v1/mcp" || p.Seen.At.IsZero() {
		t.Errorf("%+v", p)
	}
	if known := s.KnownTools(t.Context()); !known.Cached || len(known.Tools) != 7 || known.Tools[0].Label() != box.Tools[0].Label() {
		t.Errorf("%+v", known)
	}
}

// TestToolsThatMoved: the place that answered before is asked first, and once
// it is gone the known places are tried again.
func TestToolsThatMoved(t *testing.T) {
	t.Parallel()
	service := startSim(t, sim.Options{})
	to, err := url.Parse(service.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	var at atomic.Value
	at.Store("/mcp")
	var missed atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "mcp") {
			if r.URL.Path != at.Load() {
				missed.Add(1)
				http.NotFound(w, r)
				return
			}
			r.URL.Path = "/api/v1/mcp"
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	o, _ := testOptions(t, t.TempDir(), front.URL)
	s := openSession(t, o)
	if err := s.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	if box := must(s.Tools(limited(t)))(t); box.Path != "/mcp" || missed.Load() == 0 {
		t.Errorf("%s after %d misses", box.Path, missed.Load())
	}
	missed.Store(0)
	if box := must(s.Tools(limited(t)))(t); box.Path != "/mcp" || missed.Load() != 0 {
		t.Errorf("%s after %d misses: the place was not remembered", box.Path, missed.Load())
	}
	at.Store("/api/mcp")
	if box := must(s.Tools(limited(t)))(t); box.Path != "/api/mcp" {
		t.Errorf("moved to %s", box.Path)
	}
	if p := must(s.Profile(t.Context()))(t); p.Seen.ToolsPath != "/api/mcp" {
		t.Errorf("remembered %s", p.Seen.ToolsPath)
	}
	at.Store("/nowhere/mcp")
	_, err = s.Tools(limited(t))
	if err == nil || s.Standing().KeyRefused || s.Standing().Trouble != "" {
		t.Errorf("without an entry: %v, %+v", err, s.Standing())
	}
	s.settings.Change(func(set *Settings) { set.Ways.ToolsPath = "/nowhere/mcp" })
	if box := must(s.Tools(limited(t)))(t); box.Path != "/nowhere/mcp" {
		t.Errorf("set by hand, but %s", box.Path)
	}
}

func TestToolCallsStandInTheLedger(t *testing.T) {
	t.Parallel()
	service := startSim(t, sim.Options{TimeScale: 0.001, LongSide: 64})
	o, fetcher := testOptions(t, t.TempDir(), service.URL())
	s := openSession(t, o)
	if err := s.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
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
	if lines := must(s.Ledger(t.Context(), since))(t); len(lines) != 0 {
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
	lines := must(s.Ledger(t.Context(), since))(t)
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
	if _, err := call("list_models", `{}`, false); err != nil {
		t.Errorf("a budget stops a tool that only reads: %v", err)
	}
}

// TestToolEntryWithAnotherLogin: a 401 of the entry alone must not stop jobs.
func TestToolEntryWithAnotherLogin(t *testing.T) {
	t.Parallel()
	service := startSim(t, sim.Options{})
	to, _ := url.Parse(service.URL())
	proxy := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "mcp") {
			http.Error(w, `{"error":"invalid_token"}`, http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	o, _ := testOptions(t, t.TempDir(), front.URL)
	s := openSession(t, o)
	if err := s.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tools(limited(t)); err == nil || !strings.Contains(err.Error(), "although the service takes it") || s.Standing().KeyRefused {
		t.Errorf("%v, %+v", err, s.Standing())
	}

	strict := startSim(t, sim.Options{Key: "ak_another_key_0000000000"})
	o, _ = testOptions(t, t.TempDir(), strict.URL())
	s = openSession(t, o)
	if err := s.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tools(limited(t)); !errors.Is(err, ErrKeyRefused) || !s.Standing().KeyRefused {
		t.Errorf("%v, %+v", err, s.Standing())
	}
	if n := callsOf(strict, "/"); n > 2 {
		t.Errorf("%d calls with a key that is refused", n)
	}
}
