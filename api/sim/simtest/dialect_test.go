package simtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim"
)

// In every dialect the client's reader finds what the service says.
func TestDialectsAreReadable(t *testing.T) {
	t.Parallel()
	if n := len(Dialects()); n < 13 {
		t.Errorf("%d dialects", n)
	}
	for _, name := range Dialects() {
		t.Run("dialect "+name, func(t *testing.T) {
			t.Parallel()
			s := Run(t, Options{Dialect: name, LongSide: 32})
			m := s.Ask(t, "GET", PathModels, "")
			models, _, err := read.Models(nil, m.Body)
			if err != nil || len(models) != 2 || models[0].ID+models[1].ID == "" {
				t.Errorf("models: %v %d in %s", err, len(models), m.Body)
			}
			for _, m := range models {
				if m.ID != sim.StillModel && m.ID != api.Seedance2 {
					t.Errorf("model %q", m.ID)
				}
			}
			e := s.Ask(t, "GET", estimateStill, "")
			if got, err := read.Estimate(e.Body); err != nil || got.Credits.String() != "12.5" {
				t.Errorf("estimate %v %v in %s", got.Credits, err, e.Body)
			}
			readJobs(t, s)
			bad := s.Ask(t, "POST", PathImages, `{"model":"lumen/still-1","prompt":" "}`)
			refused := read.Error(bad.StatusCode, bad.Header, bad.Body)
			if refused == nil || refused.Class != api.ClassInvalid {
				t.Errorf("refusal %+v of %d %s", refused, bad.StatusCode, bad.Body)
			}
		})
	}
}

// readJobs makes a job of each kind and one that fails, and reads their
// answers from the first to the last.
func readJobs(t *testing.T, s *Server) {
	for _, c := range []struct {
		kind    api.Kind
		path    string
		model   string
		prompt  string
		class   api.StatusClass
		results int
	}{
		{api.KindImage, PathImages, sim.StillModel, "x", api.StatusSucceeded, 1},
		{api.KindVideo, PathVideos, api.Seedance2, "x", api.StatusSucceeded, 1},
		{api.KindImage, PathImages, sim.StillModel, "[fail]", api.StatusFailed, 0},
	} {
		created := s.Ask(t, "POST", c.path, fmt.Sprintf(`{"model":%q,"prompt":%q,"async":true}`, c.model, c.prompt))
		first := read.Create(created.StatusCode, created.Header, created.Body, c.kind)
		l := s.Ledger()
		if want := l[len(l)-1].ID; first.ID != want {
			t.Fatalf("id %q, want %q in %s", first.ID, want, created.Body)
		}
		var last api.JobAnswer
		var raw []byte
		for !last.Ended() {
			r := s.Ask(t, "GET", PathJobs+first.ID, "")
			raw = r.Body
			if last = read.Job(r.StatusCode, r.Header, raw, c.kind); !last.NotReadable.IsZero() {
				t.Fatalf("%s in %s", last.NotReadable, raw)
			}
			if t.Context().Err() != nil {
				t.Fatalf("never ended: %s", raw)
			}
		}
		if last.Class != c.class || len(last.Results) != c.results {
			t.Errorf("%s %d results in %s", last.Class, len(last.Results), raw)
		}
		for _, r := range last.Results {
			if got := s.Ask(t, "GET", r.URL, ""); got.StatusCode != 200 {
				t.Errorf("result %s: %d", r.URL, got.StatusCode)
			}
		}
	}
}

// Every dialect differs from all others, and says why a job failed and why a
// request was refused.
func TestDialectsDiffer(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	silent := []string{"inline", "operation"} // tell a failure by the status word alone
	for name, d := range dialects() {
		say := func(means any) string {
			a := sim.Answer{Means: means}
			if d.say(&a, "req_1"); !json.Valid(a.Body) || a.Status != 0 && a.Status != 200 && a.Status != 422 {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
			return string(a.Body)
		}
		done := say(sim.Job{ID: "job_1", Kind: api.KindImage, Status: sim.Completed, URL: "https://example.com/a.png", Expires: time.Unix(9, 0)})
		if other, twice := said[done]; twice {
			t.Errorf("%s speaks as %s", name, other)
		}
		said[done] = name
		if failed := say(sim.Job{ID: "job_1", Status: sim.Failed, Reason: "the reason"}); !slices.Contains(silent, name) && !strings.Contains(failed, "the reason") {
			t.Errorf("%s: failed %s", name, failed)
		}
		refused := say(sim.Refusal{Status: 422, Code: "the_code", Message: "the message"})
		if !strings.Contains(refused, "the message") && !strings.Contains(refused, "the_code") {
			t.Errorf("%s: refusal %s", name, refused)
		}
	}
	if _, err := Start(t.Context(), Options{Dialect: "no such"}); err == nil {
		t.Error("an unknown name has a dialect")
	}
}
