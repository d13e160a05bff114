package draft

import (
	"slices"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

var boat = api.Request{
	Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat 【@图片1】", VideoModel: api.TierFast, Resolution: "720p", Duration: "5",
	ImageFiles: []string{"https://a.example/1.png", "https://a.example/2.png"}, AudioFiles: []string{"https://a.example/3.mp3"},
}

func newEnv(t *testing.T) *env.Env {
	return &env.Env{
		Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor),
		At: time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC),
	}
}

func TestRequestHoldsOnlyWhatApplies(t *testing.T) {
	t.Parallel()
	d := New(newEnv(t), api.KindVideo, &Links{})
	d.Load(boat, true)
	d.loadMaterials(boat)
	d.Prompt.SetValue(boat.Prompt)
	d.Model.SetValue(api.Seedance2)
	d.Mode.SetValue(api.ModeFirstLastFrame)
	d.Form.Settle()
	if r := d.Request; len(r.ImageFiles)+len(r.AudioFiles) != 0 || r.FunctionMode != api.ModeFirstLastFrame {
		t.Errorf("fields that do not apply are sent: %+v", r)
	}
	d.Mode.SetValue(api.ModeOmini)
	d.Form.Settle()
	if r := d.Request; len(r.ImageFiles) != 2 || len(r.AudioFiles) != 1 || r.FunctionMode != "" {
		t.Errorf("values were not kept: %+v", r)
	}
	d.Model.SetValue("other/model")
	d.Form.Settle()
	if r := d.Request; len(r.ImageFiles) != 0 || r.VideoModel != "" || r.Seed != nil {
		t.Errorf("another model is sent fields of seedance2: %+v", r)
	}
}

func TestTheChosenResolutionReturns(t *testing.T) {
	t.Parallel()
	d := New(newEnv(t), api.KindVideo, &Links{})
	d.Load(api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: api.TierStandardVIP, Resolution: "1080p", Duration: "5"}, false)
	for _, step := range []struct{ tier, want string }{{api.TierFast, "720p"}, {api.TierStandard, "720p"}, {api.TierStandardVIP, "1080p"}} {
		d.Tier.SetValue(step.tier)
		d.Form.Settle()
		if got := d.Request.Resolution; got != step.want {
			t.Errorf("%s is sent with %s, want %s", step.tier, got, step.want)
		}
	}
}

// A row is typed to its end: what is wrong with it shows without leaving the list.
func TestTheProblemOfARowShowsAtOnce(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"hello", "ftp://a.example/1.png", "https://10.0.0.1/1.png", "/no/such/file.png"} {
		d := New(newEnv(t), api.KindImage, &Links{})
		d.Prompt.SetValue("boat")
		d.Materials.Add(address)
		d.Form.Settle()
		found := d.Form.Problems()
		if i := slices.IndexFunc(found, func(p form.Problem) bool { return p.Field == MaterialsField }); i < 0 || !found[i].Early {
			t.Errorf("%s: %+v", address, found)
		}
	}
}
