package sim

import (
	"fmt"
	"testing"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim/dialect"
)

// In every dialect the client's reader finds what the service says.
func TestDialectsAreReadable(t *testing.T) {
	t.Parallel()
	if n := len(dialect.Names()); n < 13 {
		t.Errorf("%d dialects", n)
	}
	for _, name := range dialect.Names() {
		t.Run("dialect "+name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Options{Dialect: name, LongSide: 32})
			m := ask(t, s, "GET", pathModels, "")
			models, _, err := read.Models(m.body)
			if err != nil || len(models) != 2 || models[0].ID+models[1].ID == "" {
				t.Errorf("models: %v %d in %s", err, len(models), m.body)
			}
			for _, m := range models {
				if m.ID != StillModel && m.ID != api.Seedance2 {
					t.Errorf("model %q", m.ID)
				}
			}
			e := ask(t, s, "GET", pathEstimate+"?model="+StillModel, "")
			if got, _, err := read.Estimate(e.body); err != nil || got.Credits.String() != "12.5" {
				t.Errorf("estimate %v %v in %s", got.Credits, err, e.body)
			}
			readJobs(t, s)
			bad := ask(t, s, "POST", pathImages, `{"model":"lumen/still-1","prompt":" "}`)
			refused := read.Error(bad.StatusCode, bad.Header, bad.body)
			if refused == nil || refused.Class != api.ClassInvalid {
				t.Errorf("refusal %+v of %d %s", refused, bad.StatusCode, bad.body)
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
		{api.KindImage, pathImages, StillModel, "x", api.StatusSucceeded, 1},
		{api.KindVideo, pathVideos, api.Seedance2, "x", api.StatusSucceeded, 1},
		{api.KindImage, pathImages, StillModel, "[fail]", api.StatusFailed, 0},
	} {
		created := ask(t, s, "POST", c.path, fmt.Sprintf(`{"model":%q,"prompt":%q,"async":true}`, c.model, c.prompt))
		first := read.Create(created.StatusCode, created.Header, created.body, c.kind)
		l := s.Ledger()
		if want := l[len(l)-1].ID; first.ID != want {
			t.Fatalf("id %q, want %q in %s", first.ID, want, created.body)
		}
		var last api.JobAnswer
		var raw []byte
		for !last.Ended() {
			r := ask(t, s, "GET", pathJobs+first.ID, "")
			raw = r.body
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
			if got := ask(t, s, "GET", r.URL, ""); got.StatusCode != 200 {
				t.Errorf("result %s: %d", r.URL, got.StatusCode)
			}
		}
	}
}
