package state

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim"
	"darkroom/state/settings"
)

func TestWhatAServiceShowsIsRemembered(t *testing.T) {
	t.Parallel()
	service := startSim(t, sim.Options{TimeScale: 0.01, LongSide: 64})
	dir := t.TempDir()
	o, _ := testOptions(t, dir, service.URL())
	s := openSession(t, o)
	if err := s.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	if p := must(s.Profile(t.Context()))(t); p.Seen != (settings.Seen{}) || p.Base != service.URL() {
		t.Errorf("known before anything was seen: %+v", p)
	}
	s.Models(limited(t))
	must(s.Estimate(limited(t), confirm("x").Request))(t)
	j := must(s.Submit(t.Context(), confirm("x")))(t)
	must(s.Sent(limited(t), j.ID))(t)
	p := must(s.Profile(t.Context()))(t)
	for len(p.Seen.JobID) == 0 && limited(t).Err() == nil { // written just after the outcome
		p = must(s.Profile(t.Context()))(t)
	}
	if p.Seen.Estimate != "GET" || p.Seen.Answers != settings.AnswersJob || p.Seen.JobID == "" || p.Seen.At.IsZero() {
		t.Errorf("%+v", p.Seen)
	}
	if len(p.Ratios[api.FieldRatio])+len(p.Ratios[api.FieldAspectRatio]) == 0 {
		t.Errorf("%+v", p.Ratios)
	}
}

func TestEstimateMethodIsKeptOverSessions(t *testing.T) {
	t.Parallel()
	o, _ := testOptions(t, t.TempDir(), "https://service.test")
	var post []bool
	o.Connect = func(c client.Options) Service {
		post = append(post, c.EstimatePost)
		c.Learnt("POST")
		return newFake()
	}
	for range 2 {
		s := openSession(t, o)
		if err := s.AwaitKey(limited(t)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(post) != 2 || post[0] || !post[1] {
		t.Errorf("%v", post)
	}
}

func TestRatioSetByHand(t *testing.T) {
	t.Parallel()
	o, _ := testOptions(t, t.TempDir(), "https://service.test")
	o.Connect = func(client.Options) Service { return newFake() }
	o.Settings.Ways.Ratio = api.FieldRatio
	s := openSession(t, o)
	r := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "x", AspectRatio: "16:9"}
	for _, m := range []api.Model{
		{ID: "acme/paint"},
		{ID: "acme/paint", Parameters: []api.Parameter{{Name: "aspect_ratio", Values: []string{"16:9"}}}},
		{ID: "acme/paint", Parameters: []api.Parameter{{Name: "aspect_ratio"}, {Name: "ratio"}, {Name: "size"}}},
	} {
		m := o.Settings.Ways.ListRatio([]api.Model{m})[0]
		if body := string(r.Body(m)); !strings.Contains(body, `"ratio":"16:9"`) || strings.Contains(body, "aspect_ratio") {
			t.Errorf("%s", body)
		}
	}
	if m := s.remote.Model(t.Context(), "https://service.test", "nobody/listed"); !strings.Contains(string(r.Body(m)), `"ratio":`) {
		t.Errorf("%s", r.Body(m))
	}
}

// TestAnswersAtOnce: a service that answers with the result gets the patience of
// a whole generation, once it showed that or a person said so.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var patient []bool
		f.create = func(n int, o client.CreateOptions) api.Outcome {
			patient = append(patient, o.Sync)
			if n == 2 {
				return queued("r2")
			}
			out := queued("")
			out.Phase, out.Answer.Results, out.Answer.Class = api.PhaseFetching, []api.Result{{URL: "https://cdn.test/a.png"}}, api.StatusSucceeded
			return out
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		send := func(prompt string) {
			t.Helper()
			j := must(s.Submit(t.Context(), confirm(prompt)))(t)
			must(s.Sent(t.Context(), j.ID))(t)
			synctest.Wait()
		}
		send("one")
		if seen := must(s.Profile(t.Context()))(t).Seen; seen.Answers != settings.AnswersResult {
			t.Errorf("%+v", seen)
		}
		send("two") // answered with a job again
		send("three")
		s.settings.Change(func(set *settings.Settings) { set.Ways.Answers = settings.AnswersJob })
		send("four")
		s.settings.Change(func(set *settings.Settings) { set.Ways.Answers = settings.AnswersResult })
		send("five")
		if want := []bool{false, true, false, false, true}; !slices.Equal(patient, want) {
			t.Errorf("%v, want %v", patient, want)
		}
	})
}
