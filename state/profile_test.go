package state

import (
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/state/settings"
)

func TestWhatAServiceShowsIsRemembered(t *testing.T) {
	t.Parallel()
	service := startSim(t, simtest.Options{TimeScale: 0.01, LongSide: 64})
	dir := t.TempDir()
	o, _ := testOptions(t, dir, service.URL())
	s := openSession(t, o)
	noError(t, s.Remote.AwaitKey(limited(t)))
	if p := must(s.Remote.Profile(t.Context()))(t); p.Seen != (settings.Seen{}) || p.Base != service.URL() {
		t.Errorf("known before anything was seen: %+v", p)
	}
	s.Models(limited(t))
	must(s.Estimate(limited(t), confirm("x").Request))(t)
	j := must(s.Submit(t.Context(), confirm("x")))(t)
	must(s.Sent(limited(t), j.ID))(t)
	p := must(s.Remote.Profile(t.Context()))(t)
	for len(p.Seen.JobID) == 0 && limited(t).Err() == nil { // written just after the outcome
		p = must(s.Remote.Profile(t.Context()))(t)
	}
	if p.Seen.Estimate != "GET" || p.Seen.Answers != settings.AnswersJob || p.Seen.JobID == "" || p.Seen.At.IsZero() {
		t.Errorf("%+v", p.Seen)
	}
	if len(p.Ratios[api.FieldRatio])+len(p.Ratios[api.FieldAspectRatio]) == 0 {
		t.Errorf("%+v", p.Ratios)
	}
}
