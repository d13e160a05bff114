package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
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
	now := api.Estimate{Credits: 1000 * api.Credit, Source: api.SourceService}
	d.queue.offer = state.Offer{Held: make([]state.Held, 2), Price: now, Reason: priceRose, Dead: true}
}

func TestVariationsLook(t *testing.T) {
	varied := func(lang string, w, h int) start {
		return flyCreate(lang, w, h, nil).then(func(p *pilot) {
			p.keys("|a paper boat, {watercolour|woodcut|watercolour}, {dawn|dusk}", "alt+v", "space", "right", "right", "space", "enter", "~")
		})
	}
	form, review := func(p *pilot) { p.keys("~") }, func(p *pilot) { p.keys("ctrl+s", "~") }
	looks(t, []flight{
		{"form-120x40", varied("en", 120, 40), form},
		{"form-80x24", varied("en", 80, 24), form},
		{"editor-120x40", varied("en", 120, 40), func(p *pilot) { p.keys("alt+v", "down", "~") }},
		{"editor-zh-60x16", varied("zh", 60, 16), func(p *pilot) { p.keys("alt+v", "left", "~") }},
		{"review-120x40", varied("en", 120, 40), review},
		{"review-zh-80x24", varied("zh", 80, 24), review},
	})
}

func TestHeldLook(t *testing.T) {
	see := func(p *pilot) { p.keys("alt+2", "~", "j", "j", "~") }
	looks(t, []flight{{"120x40", fly(120, 40, heldJobs), see}, {"zh-80x24", flyIn("zh", 80, 24, heldJobs), see}})
}

func TestVariations(t *testing.T) { flyEach(t, variationsFlights) }

var variationsFlights = []flight{
	// What is typed and chosen is counted, listed and agreed to, with the pattern.
	{"variations from the form", flyCreate("en", 120, 40, func(d *fakeSession) { d.queue.lists = expand.Lists{"colour": {"red", "blue"}} }), func(p *pilot) {
		p.keys(":a __colour__ {boat|koi}", "~")
		p.shows("2 × 2 = 4 requests", "1,700 credits")
		p.keys("alt+v", "up", ":41-43")
		p.shows("2 × 2 × 3 = 12 requests")
		p.keys("enter", "~")
		p.shows("12 requests", "5,100 credits")
		p.keys("ctrl+s")
		p.shows("Send 12 requests?", "a __colour__ {boat|koi}", "1  red · boat · seed 41", "12  blue · koi · seed 43", "Send 5,100 credits")
		p.keys("+")
		p.shows("The variations are chosen in the form.")
		p.keys("enter")
		p.shows("Sending 12…")
		p.expect(len(p.session.queue.agreed) == 1, "%d agreements", len(p.session.queue.agreed))
		a := p.session.queue.agreed[0]
		p.expect(len(a.Requests) == 12, "agreed to %+v", a)
		last := a.Requests[11]
		p.expect(last.Request.Prompt == "a blue koi" && *last.Request.Seed == 43 && last.Request.Vary == nil, "the last is %+v", last)
		expect.Equal(p.t, last.Estimate.Credits, 425*api.Credit, "the last costs")
		p.keys("alt+1", "~")
		for _, r := range []api.Request{a.Pattern, p.session.drafts["video"]} {
			expect.Equal(p.t, r.Prompt, "a __colour__ {boat|koi}", "the pattern and the draft")
			expect.List(p.t, r.Vary["seed"], []string{"41", "42", "43"}, "the pattern and the draft")
		}
	}},
	// Lists come back with the draft, and go when the field's own value becomes another one.
	{"variations are drafted", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.drafts = map[string]api.Request{"video": {Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5",
			Vary: map[string][]string{"video_model": {"fast", "standard"}}}}
	}), func(p *pilot) {
		p.pass(time.Second)
		p.shows("2 requests", "850 credits")
		p.keys("tab", "tab", "tab", "tab", "right", "right", "~") // another tier: the list goes
		p.lacks("2 requests")
	}},
	// A prompt that was sent with braces is sent with them again.
	{"a loaded prompt is literal", flyCreate("en", 120, 40, func(d *fakeSession) {
		j := madeUpJob(1, "a {b|c}", api.PhaseDone) // an image
		j.Request.Prompt = "a {b|c}"
		d.add(j)
	}), func(p *pilot) {
		p.keys("ctrl+r", "~", "enter", "~")
		p.shows(`a \{b\|c\}`)
		p.keys("ctrl+s", "enter")
		n := len(p.session.confirmed)
		p.expect(n == 1 && p.session.confirmed[0].Request.Prompt == "a {b|c}", "%d sent: %+v", n, p.session.confirmed)
	}},
	// A queue is paused at once, sent after a question with its price, reordered and removed.
	{"held verbs", fly(120, 40, heldJobs), func(p *pilot) {
		p.keys("alt+2", "~")
		p.shows("□ held", "425 cr", "fast · seed 41")
		p.keys("P")
		p.shows("Held. Nothing more of this is sent.")
		p.keys("end", "m", "home", "delete") // which is for what is marked
		p.shows("1 marked result")
		p.keys("esc", "esc", "ctrl+down", "ctrl+up", "delete")
		p.shows("Removed. Nothing was spent.")
		p.keys("j", "j", "P")
		p.shows("Send the held requests?", "The price is now 500 credits, and 425 were agreed to.", "link has expired.", "requests are sent one by one.", "Send 1,000 credits   y")
		p.keys("y", "j", "j", "P")
		p.shows("Only for requests that are held.")
		p.queued("pause held3", "move held3 false", "move held3 true", "decline [held3]: ", "offer held1 true", "resume 2")
	}},
	{"the border counts on small screens", flyCreate("en", 60, 16, nil), func(p *pilot) {
		p.keys("|a {red|blue|red} boat at {dawn|dusk}", "alt+v", "space", "right", "right", "space", "enter", "~")
		p.shows("3 × 2 × 2 = 8 requests (4 duplicates left out) · ↓ 2")
	}},
	// Prices that the table does not have are asked for, so that the form can say the total.
	{"the total asks for what it lacks", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("ctrl+t", ":a {red|blue} boat", "~", "alt+v", "right", "space", "left", "space", "right", "space", "space", "enter", "~") // 1K and 2K again
		p.shows("2 × 2 = 4 requests", "72 credits")
	}},
	// The form says which fields stand for several values, in place of the value and beside it while it is edited.
	{"varied fields are marked", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":boat", "alt+v", "right", "space", "up", ":41-44", "enter") // tiers, then seeds
		p.shows("fast, standard ×2", "41–44 ×4")
		p.keys("tab", "tab", "tab", "tab") // the tier
		p.shows("‹ fast ›", "fast, standard ×2")
		p.keys("right", "right", "~") // another tier: the list goes
		p.lacks("fast, standard ×2")
		p.shows("41–44 ×4")
	}},
	// While requests are sent in their turn, quitting asks once; those that wait for the person keep nobody.
	{"quitting names the queue", fly(120, 40, heldJobs), func(p *pilot) {
		p.keys("ctrl+q")
		p.shows("Quit now?", "2 requests wait in the queue.")
		p.keys("esc")
		p.lacks("Quit now?")
		p.keys("ctrl+q", "y")
		p.quits(true)
	}},
	{"what waits for the person keeps nobody", fly(120, 40, func(d *fakeSession) {
		heldJobs(d)
		for i := range d.rows {
			d.rows[i].Paused = d.rows[i].Phase == api.PhaseHeld
		}
		d.add(madeUpJob(30, "a boat held at the pier", api.PhaseDone)) // a title that says held is not a request that waits
	}), func(p *pilot) {
		p.keys("ctrl+q")
		p.quits(true)
	}},
	// Two underscores offer the lists, more letters narrow them down, and what is chosen stands in place of what was typed.
	{"lists are completed", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.queue.lists = expand.Lists{"colour": {"red", "blue"}, "camera": {"macro", "wide"}, "light": {"dawn"}}
	}), func(p *pilot) {
		p.typed("a _")
		p.lacks("camera")
		p.typed("_")
		p.shows("camera", "colour", "light", "2 · red, blue")
		p.typed("c")
		p.shows("camera", "colour")
		p.lacks("1 · dawn")
		p.keys("down", "enter", ": boat")
		p.lacks("2 · macro, wide") // the list is closed
		p.keeps("video", "a __colour__ boat")
		p.keys(": __", "esc")
		p.lacks("2 · macro, wide")
		p.typed("init__")
		p.lacks("2 · macro, wide")
		p.keys("alt+z")
	}},
	// What needs a result says on a held row why it cannot be done, in Jobs and in Recent.
	{"held rows have no result", fly(120, 40, heldJobs), func(p *pilot) {
		for _, way := range [][]string{{"alt+2"}, {"alt+1", "alt+r"}} {
			p.keys(way...)
			p.pass(time.Second)
			for _, verb := range []string{"v", "u", "c", "f", "x", "o", "y", "z", "s", "F", "R", "t"} {
				p.keys(verb)
				p.shows("This request was not sent yet: there is no result.")
				p.pass(10 * time.Second)
			}
		}
		for _, r := range p.session.rows {
			p.expect(r.Phase != api.PhaseHeld || r.Rating == (state.Rating{}), "%s is rated", r.ID)
		}
	}},
}

// TestWhatMultipliesStandsNextToThePrice: lists, alternatives and seeds are seen with
// the total, and a key takes them out; a price that is chosen takes the place of lists.
func TestWhatMultipliesStandsNextToThePrice(t *testing.T) {
	seed := int64(7)
	boat := api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5"}
	swept, seeded, dear := boat, boat, boat
	swept.Vary = map[string][]string{"video_model": {"fast", "standard_vip"}}
	seeded.Seed = &seed
	dear.VideoModel, dear.Prompt = "standard_vip", ""
	for _, c := range []struct {
		name   string
		load   []msg.LoadedMsg
		shows  []string
		clears bool // with the key
	}{
		{"one request", []msg.LoadedMsg{{Request: boat}}, []string{"425 credits", "85 a second × 5 s"}, false},
		{"a sweep", []msg.LoadedMsg{{Request: swept}}, []string{"925 credits", "2 requests · alt+c clears"}, true},
		{"a price after a sweep", []msg.LoadedMsg{{Request: swept}, {Request: dear, Keep: true}}, []string{"500 credits", "100 a second × 5 s"}, false},
		{"a seed", []msg.LoadedMsg{{Request: seeded}}, []string{"425 credits", "seed 7 at every send · alt+c clears"}, true},
		{"a seed that was sent", []msg.LoadedMsg{{Request: seeded, Review: true}}, []string{"425 credits", "seed 7 at every send · alt+c clears"}, true},
		{"alternatives", []msg.LoadedMsg{{Request: boat}}, []string{"850 credits", "2 requests"}, false},
	} {
		for _, size := range [][2]int{{120, 40}, {160, 45}, {80, 24}} {
			t.Run(fmt.Sprint(c.name, size), func(t *testing.T) {
				flyCreate("en", size[0], size[1], nil)(t, func(p *pilot) {
					for _, m := range c.load {
						p.send(m)
						p.pass(time.Second)
						if m.Review {
							p.keys("enter")
						}
						p.pass(time.Second)
					}
					if c.name == "alternatives" {
						p.keys("| {red|blue}", "~")
					}
					if size[0] == 80 { // a line
						c.shows = c.shows[:1:1]
					}
					p.shows(c.shows...)
					if !c.clears {
						p.lacks("alt+c")
						return
					}
					p.shows("alt+c clears")
					p.keys("alt+c", "~")
					p.shows("425 credits")
					p.lacks("alt+c", "seed 7", "2 requests")
				})
			})
		}
	}
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
		flyCreate("en", 120, 40, lists)(t, func(p *pilot) {
			p.keys(":"+c.prompt, "ctrl+s")
			p.shows(c.says)
			p.lacks("Send this")
		})
	}
	flyCreate("en", 120, 40, nil)(t, func(p *pilot) {
		p.paste(`{"scene": "a|b"} {x} \{c|d\}`)
		p.keys("~", "ctrl+s", "enter")
		p.shows("Sending…")
		n := len(p.session.confirmed)
		p.expect(n == 1 && p.session.confirmed[0].Request.Prompt == `{"scene": "a|b"} {x} {c|d}`, "%d sent: %+v", n, p.session.confirmed)
	})
}

// TestAPatternIsFoundAgain: what was written stands in the history above what was made
// of it, a result of it offers it first, and it is kept when another request replaces it.
func TestAPatternIsFoundAgain(t *testing.T) {
	const written = "a {red|blue} kite"
	made := func(d *fakeSession) {
		for i, colour := range []string{"red", "blue"} {
			j := madeUpJob(2*i+1, "a "+colour+" kite", api.PhaseDone) // images
			j.Request.Prompt, j.Agreement = "a "+colour+" kite", "together"
			pattern := j.Request
			pattern.Prompt = written
			j.Pattern = &pattern
			d.add(j)
		}
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}
	for name, find := range map[string]func(*pilot){
		"history":           func(p *pilot) { p.keys("ctrl+r"); p.pass(time.Second); p.keys("enter") },
		"history, a search": func(p *pilot) { p.keys("ctrl+r"); p.typed("{red|"); p.pass(time.Second); p.keys("enter") },
		"history, prompt":   func(p *pilot) { p.keys("ctrl+r"); p.pass(time.Second); p.keys("alt+enter") },
		"edit": func(p *pilot) {
			p.keys("alt+r", "e", "~")
			p.shows(written, "esc load this one alone")
			p.keys("y")
		},
		"draft before": func(p *pilot) {
			p.keys("|"+written, "~", "ctrl+s", "enter")
			p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindImage, Model: "acme/brush", Prompt: "koi"}})
			p.pass(time.Second)
			p.shows("Your draft is kept: alt+p brings it back.")
			p.keys("alt+p")
		},
	} {
		t.Run(name, func(t *testing.T) {
			flyCreate("en", 120, 40, made)(t, func(p *pilot) {
				p.pass(time.Second)
				find(p)
				p.pass(time.Second)
				p.shows("┃ "+written, "2 requests")
			})
		})
	}
	flyCreate("en", 120, 40, made)(t, func(p *pilot) {
		p.keys("~", "alt+r", "e", "~", "esc", "~")
		p.shows("┃ a ")
		p.lacks("2 requests")
	})
}
