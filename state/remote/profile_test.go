package remote

import (
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/settings"
)

func TestEstimateMethodIsKeptOverSessions(t *testing.T) {
	t.Parallel()
	o := testOptions(t, "https://service.test")
	var post []bool
	o.Connect = func(c client.Options) Service {
		post = append(post, c.EstimatePost)
		c.MethodFound("POST")
		return &fakeService{}
	}
	for range 2 {
		openRemote(t, o)
	}
	if len(post) != 2 || post[0] || !post[1] {
		t.Errorf("%v", post)
	}
}

func TestRatioSetByHand(t *testing.T) {
	t.Parallel()
	o := testOptions(t, "https://service.test")
	o.Connect = func(client.Options) Service { return &fakeService{} }
	o.Settings.Change(func(set *settings.Settings) { set.Ways.Ratio = api.FieldRatio })
	s := openRemote(t, o)
	r := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "x", AspectRatio: "16:9"}
	for _, m := range []api.Model{
		{ID: "acme/paint"},
		{ID: "acme/paint", Parameters: []api.Parameter{{Name: "aspect_ratio", Values: []string{"16:9"}}}},
		{ID: "acme/paint", Parameters: []api.Parameter{{Name: "aspect_ratio"}, {Name: "ratio"}, {Name: "size"}}},
	} {
		m := o.Settings.Get().Ways.ListRatio([]api.Model{m})[0]
		if body := string(r.Body(m)); !strings.Contains(body, `"ratio":"16:9"`) || strings.Contains(body, "aspect_ratio") {
			t.Errorf("%s", body)
		}
	}
	if m := s.Model(t.Context(), "https://service.test", "nobody/listed"); !strings.Contains(string(r.Body(m)), `"ratio":`) {
		t.Errorf("%s", r.Body(m))
	}
}
