package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
)

// priceRose is why requests of an agreement wait.
var priceRose = api.Sentence("the price is now %v, and %v were agreed to").Reason((500 * api.Credit).Amount(), 425*api.Credit)

// heldJobs are a queue that waits for the person and one that is sent in its
// turn, in front of others.
func heldJobs(d *fakeSession) {
	d.fill(8)
	for i := range 4 {
		j := madeUpJob(2*i, "paper boat in a gutter", api.PhaseHeld)
		j.ID, j.RemoteID, j.Label, j.Version = fmt.Sprint("held", i), "", fmt.Sprintf("fast · seed %d", 44-i), int64(i+1)
		j.Paused = i < 2
		if i < 2 {
			j.Error = priceRose
		}
		d.add(j)
	}
	d.queue.offer = state.Offer{Held: make([]state.Held, 2), Total: 1000 * api.Credit, Known: true, Reason: priceRose}
}

func TestVariationsLook(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		w, h       int
		see        func(*pilot)
	}{
		{"form-120x40", "en", 120, 40, func(p *pilot) {}},
		{"form-80x24", "en", 80, 24, func(p *pilot) {}},
		{"editor-120x40", "en", 120, 40, func(p *pilot) { p.keys("alt+v", "down") }},
		{"editor-zh-80x24", "zh", 80, 24, func(p *pilot) { p.keys("alt+v") }},
		{"review-120x40", "en", 120, 40, func(p *pilot) { p.keys("ctrl+s") }},
		{"review-zh-80x24", "zh", 80, 24, func(p *pilot) { p.keys("ctrl+s") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			flyCreate(t, c.lang, c.w, c.h, nil, func(p *pilot) {
				p.paste("a paper boat, {watercolour|woodcut|watercolour}, {dawn|dusk}")
				p.keys("alt+v", "space", "right", "right", "space", "enter")
				p.pass(time.Second)
				c.see(p)
				p.pass(time.Second)
				golden.RequireEqual(t, []byte(p.screen()))
			})
		})
	}
}

func TestHeldLook(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		w, h       int
	}{{"120x40", "en", 120, 40}, {"zh-80x24", "zh", 80, 24}} {
		t.Run(c.name, func(t *testing.T) {
			flyIn(t, c.lang, c.w, c.h, heldJobs, func(p *pilot) {
				p.keys("alt+2")
				p.pass(time.Second)
				p.keys("j", "j")
				p.pass(time.Second)
				golden.RequireEqual(t, []byte(p.screen()))
			})
		})
	}
}

// TestVariationsFromTheForm: what is typed and chosen is counted, listed and
// agreed to, with the pattern.
func TestVariationsFromTheForm(t *testing.T) {
	lists := func(d *fakeSession) { d.queue.lists = expand.Lists{"colour": {"red", "blue"}} }
	flyCreate(t, "en", 120, 40, lists, func(p *pilot) {
		p.typed("a __colour__ {boat|koi}")
		p.pass(time.Second)
		p.shows("2 × 2 = 4 requests · 1,700 credits")
		p.keys("alt+v", "up")
		p.typed("41-43")
		p.shows("2 × 2 × 3 = 12 requests")
		p.keys("enter")
		p.pass(time.Second)
		p.shows("2 × 2 × 3 = 12 requests · 5,100 credits")
		p.keys("ctrl+s")
		p.shows("12 requests · 5,100 credits", "a __colour__ {boat|koi}", "1  red · boat · seed 41", "12  blue · koi · seed 43", "send all")
		p.keys("+")
		p.shows("The variations are chosen in the form.")
		p.keys("enter")
		p.shows("Sending 12…")
		if len(p.session.queue.agreed) != 1 {
			t.Fatalf("%d agreements", len(p.session.queue.agreed))
		}
		a := p.session.queue.agreed[0]
		if a.Pattern.Prompt != "a __colour__ {boat|koi}" || !slices.Equal(a.Pattern.Vary["seed"], []string{"41", "42", "43"}) || len(a.Requests) != 12 {
			t.Errorf("agreed to %+v", a)
		}
		if last := a.Requests[11]; last.Request.Prompt != "a blue koi" || *last.Request.Seed != 43 || last.Request.Vary != nil || last.Estimate.Credits != 425*api.Credit {
			t.Errorf("the last is %+v", last)
		}
		p.keys("alt+1")
		p.pass(time.Second)
		if d := p.session.drafts["video"]; !slices.Equal(d.Vary["seed"], []string{"41", "42", "43"}) || d.Prompt != "a __colour__ {boat|koi}" {
			t.Errorf("the draft is saved as %+v", d)
		}
	})
}

// TestVariationsAreDrafted: lists come back with the draft, and go when the
// field's own value becomes another one.
func TestVariationsAreDrafted(t *testing.T) {
	saved := func(d *fakeSession) {
		d.drafts = map[string]api.Request{"video": {Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5",
			Vary: map[string][]string{"video_model": {"fast", "standard"}}}}
	}
	flyCreate(t, "en", 120, 40, saved, func(p *pilot) {
		p.pass(time.Second)
		p.shows("2 requests · 850 credits")
		p.keys("tab", "tab", "tab", "tab") // the tier
		p.keys("right", "right")
		p.pass(time.Second)
		if strings.Contains(p.screen(), "2 requests") {
			t.Errorf("the list stays although another tier was chosen:\n%s", p.screen())
		}
	})
}

// TestVariationsThatCannotBeSent: each reason stands in the form, and no review
// opens; a brace that is no alternative is literal.
func TestVariationsThatCannotBeSent(t *testing.T) {
	lists := func(d *fakeSession) { d.queue.lists = expand.Lists{"loop": {"__loop__"}} }
	for _, c := range []struct{ prompt, says string }{
		{"{1|2|3|4|5}{1|2|3|4|5}", "These are 25 requests, and at most 24 are sent at once."},
		{strings.Repeat("{a|b}", 60), "These are > 1,000,000,000 requests, and at most 24"},
		{"__loop__", "The list loop names itself: loop → loop."},
		{"{a|b 【@图片1】}", "图片1"},
	} {
		flyCreate(t, "en", 120, 40, lists, func(p *pilot) {
			p.typed(c.prompt)
			p.keys("ctrl+s")
			p.shows(c.says)
			if strings.Contains(p.screen(), "Review and send") {
				t.Errorf("%q: the review opened", c.prompt)
			}
		})
	}
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.paste(`{"scene": "a|b"} {x} \{c|d\}`)
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.shows("Sending…")
		if n := len(p.session.confirmed); n != 1 || p.session.confirmed[0].Request.Prompt != `{"scene": "a|b"} {x} {c|d}` {
			t.Errorf("%d sent: %+v", n, p.session.confirmed)
		}
	})
}

// TestALoadedPromptIsLiteral: a prompt that was sent with braces is sent with
// them again.
func TestALoadedPromptIsLiteral(t *testing.T) {
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		j := madeUpJob(1, "a {b|c}", api.PhaseDone) // an image
		j.Request.Prompt = "a {b|c}"
		d.add(j)
	}, func(p *pilot) {
		p.keys("ctrl+r")
		p.pass(time.Second)
		p.keys("enter")
		p.pass(time.Second)
		p.shows(`a \{b\|c\}`)
		p.keys("ctrl+s", "enter")
		if n := len(p.session.confirmed); n != 1 || p.session.confirmed[0].Request.Prompt != "a {b|c}" {
			t.Errorf("%d sent: %+v", n, p.session.confirmed)
		}
	})
}

// TestHeldVerbs: a queue is paused at once, sent after a question with its
// price, reordered and removed.
func TestHeldVerbs(t *testing.T) {
	fly(t, 120, 40, heldJobs, func(p *pilot) {
		p.keys("alt+2")
		p.pass(time.Second)
		p.shows("□ held", "425 cr", "fast · seed 41", "paused")
		p.keys("P")
		p.shows("Paused. Nothing more of this is sent.")
		p.keys("ctrl+down", "ctrl+up", "delete")
		p.shows("Removed. Nothing was spent.")
		p.keys("j", "j", "P")
		p.shows("Send what is held?", "The price is now 500 credits, and 425 were agreed to.", "requests are sent one by one: 1,000 credits.")
		p.keys("y")
		p.keys("j", "j", "P")
		p.shows("Only for requests that are held.")
		want := []string{"pause held3", "move held3 false", "move held3 true", "remove [held3]", "offer held1 true", "resume 2"}
		var got []string
		for _, l := range p.session.log {
			for _, verb := range []string{"pause", "move", "remove", "offer", "resume"} {
				if strings.HasPrefix(l, verb+" ") {
					got = append(got, l)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("calls %q, want %q", got, want)
		}
	})
}

// TestTheTotalAsksForWhatItLacks: prices that the table does not have are asked
// for, so that the form can say the total.
func TestTheTotalAsksForWhatItLacks(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.keys("ctrl+t")
		p.typed("a {red|blue} boat")
		p.pass(time.Second)
		p.keys("alt+v", "right", "space", "enter") // 1K and 2K, at 12 and 24 credits
		p.pass(time.Second)
		p.shows("2 × 2 = 4 requests · 72 credits")
	})
}

// TestListsAreCompleted: two underscores offer the lists, more letters narrow
// them down, and what is chosen stands in place of what was typed.
func TestListsAreCompleted(t *testing.T) {
	t.Parallel()
	lists := func(d *fakeSession) {
		d.queue.lists = expand.Lists{"colour": {"red", "blue"}, "camera": {"macro", "wide"}, "light": {"dawn"}}
	}
	for _, lang := range []string{"en", "zh"} {
		flyCreate(t, lang, 120, 40, lists, func(p *pilot) {
			p.typed("a _")
			p.lacks("camera")
			p.typed("_")
			p.shows("camera", "colour", "light", "2 · red, blue")
			p.typed("c")
			p.shows("camera", "colour")
			p.lacks("1 · dawn")
			p.keys("down", "enter")
			p.typed(" boat")
			p.lacks("2 · macro, wide") // the list is closed
			if got := p.kept("video").Prompt; got != "a __colour__ boat" {
				t.Errorf("the prompt is %q", got)
			}
			p.typed(" __")
			p.keys("esc")
			p.lacks("2 · macro, wide")
			p.typed("init__")
			p.lacks("2 · macro, wide")
			p.keys("alt+z")
		})
	}
}

// TestVariedFieldsAreMarked: the form says which fields stand for several
// values, in place of the value and beside it while it is edited.
func TestVariedFieldsAreMarked(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("boat")
		p.keys("alt+v", "right", "space", "up") // tiers, then seeds
		p.typed("41-44")
		p.keys("enter")
		p.shows("fast, standard ×2", "41–44 ×4")
		p.keys("tab", "tab", "tab", "tab") // the tier
		p.shows("‹ fast ›  fast, standard ×2")
		p.keys("right", "right") // another tier: the list goes
		p.pass(time.Second)
		p.lacks("fast, standard ×2")
		p.shows("41–44 ×4")
	})
}

// TestHeldRowsHaveNoResult: what needs a result says on a held row why it cannot
// be done, in Jobs and in Recent.
func TestHeldRowsHaveNoResult(t *testing.T) {
	t.Parallel()
	for lang, why := range map[string]string{"en": "This request was not sent yet: there is no result.", "zh": "这个请求尚未发送，还没有结果。"} {
		flyIn(t, lang, 120, 40, heldJobs, func(p *pilot) {
			for _, way := range [][]string{{"alt+2"}, {"alt+1", "alt+r"}} {
				p.keys(way...)
				p.pass(time.Second)
				for _, verb := range []string{"v", "u", "c", "f", "x", "o", "y", "z", "s", "F", "R", "t"} {
					p.keys(verb)
					if !strings.Contains(p.screen(), why) {
						t.Fatalf("%s: %s on a held row:\n%s", way, verb, p.screen())
					}
					p.pass(10 * time.Second)
				}
			}
			for _, r := range p.session.rows {
				if r.Phase == api.PhaseHeld && r.Rating != (state.Rating{}) {
					t.Errorf("%s is rated", r.ID)
				}
			}
		})
	}
}

// TestQuittingNamesTheQueue: while requests are sent in their turn, quitting asks
// once; those that wait for the person keep nobody.
func TestQuittingNamesTheQueue(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, heldJobs, func(p *pilot) {
		p.keys("ctrl+q")
		p.shows("Quit now?", "2 requests wait in the queue.")
		p.keys("esc")
		p.lacks("Quit now?")
		p.keys("ctrl+q", "y")
		if !p.quit {
			t.Error("it does not quit")
		}
	})
	paused := func(d *fakeSession) {
		heldJobs(d)
		for i := range d.rows {
			d.rows[i].Paused = d.rows[i].Phase == api.PhaseHeld
		}
	}
	fly(t, 120, 40, paused, func(p *pilot) {
		p.keys("ctrl+q")
		if !p.quit {
			t.Error("it asks although nothing would be sent")
		}
	})
	named := func(d *fakeSession) {
		j := madeUpJob(0, "a boat held at the pier", api.PhaseDone)
		d.jobs[j.ID], d.rows = j, append(d.rows, rowOf(j))
	}
	fly(t, 120, 40, named, func(p *pilot) {
		p.keys("ctrl+q")
		if !p.quit {
			t.Error("it takes a finished job for a request that waits, because of its title")
		}
	})
}
