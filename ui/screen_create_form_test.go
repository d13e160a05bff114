package ui

import (
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// brushHas gives the image model of the fake more parameters.
func brushHas(more ...api.Parameter) func(*fakeSession) {
	return func(d *fakeSession) {
		m := &d.models[1]
		m.Parameters = append(m.Parameters, more...)
	}
}

// bodySent is the body of the request that was sent last.
func (p *pilot) bodySent() string {
	p.t.Helper()
	p.pass(time.Second)
	p.keys("ctrl+s")
	p.shows("Review and send")
	p.keys("enter")
	if len(p.session.confirmed) == 0 {
		p.t.Fatalf("nothing was sent:\n%s", p.screen())
	}
	r := p.session.confirmed[len(p.session.confirmed)-1].Request
	for _, m := range p.session.models {
		if m.ID == r.Model {
			return string(r.Body(m))
		}
	}
	return string(r.Body(api.Model{}))
}

func TestParametersThatOnlyTheListingNames(t *testing.T) {
	prepare := brushHas(api.Parameter{Name: "style", Type: "enum", Values: []string{"ink", "oil"}, Default: "ink"},
		api.Parameter{Name: "steps", Type: "integer"}, api.Parameter{Name: "tiled", Type: "boolean"}, api.Parameter{Name: "mood", Type: "string"})
	flyCreate(t, "en", 120, 40, prepare, func(p *pilot) {
		p.keys("ctrl+t")
		p.typed("boat")
		p.shows("More", "▾ Async, style, steps, tiled, mood")
		p.keys("shift+tab", "enter")
		p.shows("style", "not set", "default: ink", "true (recommended)")
		p.keys("down", "right", "down", "down")
		p.typed("many")
		p.shows("✗ steps has to be a whole number.")
		p.keys("ctrl+s")
		p.lacks("Review and send")
		p.keys("backspace", "backspace", "backspace", "backspace")
		p.typed("30")
		p.lacks("has to be a whole number")
		p.keys("down", "right", "down")
		p.typed("7")
		want := `{"model":"acme/brush","prompt":"boat","size":"1K","quality":"medium","aspect_ratio":"1:1","async":false,"steps":30,"tiled":true,"mood":"7"}`
		if got := p.bodySent(); got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
	})
}

func TestAsyncCanBeLeftOut(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.keys("ctrl+t")
		p.typed("boat")
		p.keys("shift+tab", "space", "down", "left")
		p.shows("leave it out")
		if got, want := p.bodySent(), `{"model":"acme/brush","prompt":"boat","size":"1K","quality":"medium","aspect_ratio":"1:1"}`; got != want {
			t.Errorf("sent %s\nwant %s", got, want)
		}
	})
}

// TestChoicesRiseAndTakeATypedValue: where the spec says that values depend on
// the model, its listing is a help and not a limit of what can be typed.
func TestChoicesRiseAndTakeATypedValue(t *testing.T) {
	prepare := func(d *fakeSession) {
		for i := range d.models[1].Parameters {
			if p := &d.models[1].Parameters[i]; p.Name == "size" {
				p.Values = []string{"4K", "auto_2K", "1K", "512", "2K"}
			} else if p.Name == "quality" {
				p.Values = []string{"medium", "low", "high"}
			}
		}
	}
	flyCreate(t, "en", 120, 50, prepare, func(p *pilot) {
		p.typed("boat")
		p.keys("tab", "tab", "tab", "tab", "tab", "tab")
		p.shows("┃ Duration")
		p.typed("10")
		p.shows("850 credits")
		if got := p.kept("video").Duration; got != "10" {
			t.Errorf("10 typed in duration gives %q", got)
		}
		p.keys("ctrl+t")
		p.typed("boat")
		p.keys("tab", "tab", "home", "enter")
		var order []int
		frame := p.screen()
		for _, v := range []string{"│▸ default", "│  512", "│  1K", "│  2K", "│  4K", "│  auto_2K"} {
			order = append(order, strings.Index(frame, v))
		}
		for i, at := range order {
			if at < 0 || i > 0 && at < order[i-1] {
				t.Fatalf("the sizes do not rise (%v):\n%s", order, frame)
			}
		}
		p.keys("esc")
		p.typed("3K")
		p.keys("ctrl+s")
		p.lacks("Review and send")
		p.shows("✗ This model lists other values for Size")
		p.keys("backspace", "backspace")
		p.typed("2K")
		p.lacks("✗")
		p.keys("tab", "home")
		p.shows("┃ Quality", "default")
		p.keys("right")
		p.shows("‹ low ›")
	})
}

func TestAProblemHasTheFocusAfterSendingIsTried(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("a boat 【@图片3】")
		p.keys("ctrl+e")
		p.paste("https://cdn.example.com/drops.mp3")
		p.keys("tab", "tab", "ctrl+s")
		p.lacks("Review and send", "image_files", "audio_files", "functionMode")
		p.shows("2 problems")
		p.typed("!")
		p.shows("【@图片3】!")
	})
}

// TestASentRequestIsNotKeptAsAnUnsentDraft: after sending the form keeps the
// request, and replacing it loses nothing until it is edited again.
func TestASentRequestIsNotKeptAsAnUnsentDraft(t *testing.T) {
	for _, c := range []struct {
		name  string
		edits []string
		kept  bool
	}{{"sent", nil, false}, {"edited again", []string{"end", "!"}, true}} {
		t.Run(c.name, func(t *testing.T) {
			flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
				fillBoat(p)
				p.session.add(madeUpJob(0, "glass city", api.PhaseFailed))
				p.keys("ctrl+s", "enter")
				if len(p.session.confirmed) != 1 {
					t.Fatalf("%d were submitted:\n%s", len(p.session.confirmed), p.screen())
				}
				p.pass(10 * time.Second)
				p.keys(c.edits...)
				p.keys("ctrl+r")
				p.pass(time.Second)
				p.typed("glass")
				p.pass(time.Second)
				p.keys("enter")
				p.lacks("╭─ History")
				p.shows("glass city")
				const said = "Your unsent draft is kept"
				if c.kept {
					p.shows(said)
				} else {
					p.lacks(said)
				}
			})
		})
	}
}

// TestTypingBeforeTheModelsAreKnown: who is quicker than the listing gets the
// same request, and is told what there is to wait for.
func TestTypingBeforeTheModelsAreKnown(t *testing.T) {
	t.Parallel()
	slow := func(d *fakeSession) {
		d.slow, d.newcomer = 4*time.Second, true
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}
	flyCreate(t, "en", 120, 40, slow, func(p *pilot) {
		p.typed("a boat")
		p.keys("ctrl+s")
		p.shows("┃ a boat", "The models are still being read.")
		p.lacks("Choose a model.", "✗")
		p.pass(9 * time.Second)
		p.typed("!")
		p.shows("┃ a boat!", "‹ 1K ›", "‹ medium ›", "‹ 1:1 ›")
		p.keys("ctrl+s")
		p.shows("Review and send", "Size 1K")
	})
}
