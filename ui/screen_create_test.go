package ui

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/review"
)

// shown is a person who had the form of that kind in view last.
func shown(kind api.Kind) func(*fakeSession) {
	return func(d *fakeSession) { d.drafts = map[string]api.Request{"shown": {Kind: kind}} }
}

// flyCreate runs a test on the Create screen of a person who made videos last.
//
//go:noinline
func flyCreate(lang string, w, h int, prepare func(*fakeSession)) start {
	return flyIn(lang, w, h, func(d *fakeSession) {
		if prepare != nil {
			prepare(d)
		}
		if _, ok := d.drafts["shown"]; !ok {
			d.drafts["shown"] = api.Request{Kind: api.KindVideo}
		}
	}).then(func(p *pilot) { p.keys("alt+1") })
}

func (p *pilot) paste(s string) {
	p.t.Helper()
	p.send(tea.PasteMsg{Content: s})
}

// kept is the draft as it is saved when nothing is typed for a while.
func (p *pilot) kept(name string) api.Request {
	p.t.Helper()
	p.keys("~", "~", "~")
	return simtest.Read(&p.session.mu, func() api.Request { return p.session.drafts[name] })
}

// toldReview is what a review was told of the price of a new form's video.
func toldReview(price api.Credits) review.PricedMsg {
	r := api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "fast", Resolution: "720p", Duration: "5"}
	return review.PricedMsg{Prices: map[string]api.Estimate{
		r.EstimateKey(newFakeSession().models[0]): {Credits: price * api.Credit, Source: api.SourceService, At: fakeNow}}}
}

// wheel turns the wheel by so many notches, up or down.
func (p *pilot) wheel(x, y, by int) {
	p.t.Helper()
	button := tea.MouseWheelDown
	if by < 0 {
		button, by = tea.MouseWheelUp, -by
	}
	for range by {
		p.send(tea.MouseWheelMsg{X: x, Y: y, Button: button})
	}
}

const boat = "纸船顺着雨水沟漂流而下，微距镜头；A paper boat drifts down a rain gutter, macro lens. "

func fillBoat(p *pilot) {
	p.paste(boat)
	p.keys("ctrl+e")
	p.keys("|https://cdn.example.com/boat.png\r\nhttps://cdn.example.com/gutter.png\nhttps://cdn.example.com/drops.mp3")
	p.keys("shift+tab", "shift+tab", "@", "enter", "~")
}

// seeResults chooses the third result.
func seeResults(p *pilot) {
	fillBoat(p)
	p.keys("alt+r", "right", "right", "~")
}

func withResults(d *fakeSession) { d.fill(13).painter = blockPainter{} }

func TestCreateLooks(t *testing.T) {
	looks(t, []flight{
		{"80x24", flyCreate("en", 80, 24, nil), fillBoat},
		{"120x40", flyCreate("en", 120, 40, nil), fillBoat},
		{"160x48", flyCreate("en", 160, 48, nil), fillBoat},
		{"200x60", flyCreate("en", 200, 60, nil), fillBoat},
		{"results-80x24", flyCreate("en", 80, 24, withResults), seeResults},
		{"results-120x40", flyCreate("en", 120, 40, withResults), seeResults},
		{"results-160x48", flyCreate("en", 160, 48, withResults), seeResults},
		{"results-200x60", flyCreate("en", 200, 60, withResults), seeResults},
		{"zh-results-120x40", flyCreate("zh", 120, 40, withResults), seeResults},
		{"result-120x40", flyCreate("en", 120, 40, func(d *fakeSession) { d.fill(1) }), func(p *pilot) { p.pass(time.Second) }},
		{"zh-100x30", flyCreate("zh", 100, 30, nil), fillBoat},
		{"image-80x24", flyCreate("en", 80, 24, nil), func(p *pilot) { p.keys("ctrl+t"); p.pass(time.Second) }},
		{"frames-120x40", flyCreate("en", 120, 40, nil), func(p *pilot) {
			fillBoat(p)
			p.keys("tab", "right", "tab", "tab", "~")
		}},
		{"review-120x40", flyCreate("en", 120, 40, nil), func(p *pilot) { fillBoat(p); p.keys("ctrl+s") }},
		{"variants-80x24", flyCreate("en", 80, 24, nil), func(p *pilot) {
			fillBoat(p)
			p.keys("tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab", ":41", "ctrl+t", "ctrl+t", "ctrl+s", "+", "+", "+")
		}},
		{"curl-80x24", flyCreate("en", 80, 24, nil), func(p *pilot) { fillBoat(p); p.keys("ctrl+s", "c", "c") }},
	})
}

func TestCreateOpensOnTheKindUsedLast(t *testing.T) {
	t.Parallel()
	job := func(i int) func(*fakeSession) {
		return func(d *fakeSession) { d.add(madeUpJob(i, "a boat", api.PhaseDone)) }
	}
	for _, c := range []struct {
		name, want string
		prepare    func(*fakeSession)
	}{
		{"a newcomer", "[Image] Video", nil},
		{"an image in view last", "[Image] Video", shown(api.KindImage)},
		{"a video in view last", "Image [Video]", shown(api.KindVideo)},
		{"an image sent last", "[Image] Video", job(1)},
		{"a video sent last", "Image [Video]", job(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			fly(120, 40, c.prepare)(t, func(p *pilot) {
				p.keys("alt+1")
				p.shows(c.want)
				p.send(tea.MouseClickMsg{X: 4 + strings.Index(c.want, "["), Y: 2, Button: tea.MouseLeft}) // on the kind in view
				p.typed("x")
				p.shows("┃ x", c.want)
			})
		})
	}
}

// TestTheButtonSends: a press opens the review, or goes to what is missing; a second click on what sent does nothing.
func TestTheButtonSends(t *testing.T) {
	video := func(w, h int) start { return flyCreate("en", w, h, nil) }
	flySizes(t, video, [][2]int{{80, 24}, {120, 40}, {100, 22}, {160, 30}, {200, 60}}, func(p *pilot) {
		p.clickOn("Write a prompt first")
		p.lacks("Send this video?")
		p.shows("✗ Write a prompt.")
		p.keys(":boat", "~")
		p.clickOn("Review and send   ctrl+s")
		p.keys("~")
		p.shows("Send this video?")
		p.keys("enter")
		p.clickOn("Review and send again   ctrl+s")
		p.keys("~")
		p.lacks("Send this video?")
		p.pace.Add(int64(3 * time.Second))
		p.clickOn("Review and send again   ctrl+s")
		p.keys("~")
		p.shows("Send this video?")
	})
}

func TestCreate(t *testing.T) { flyEach(t, createFlights) }

var createFlights = []flight{
	{"a wide, low terminal hides no settings of a video", flyCreate("en", 160, 35, nil), func(p *pilot) { p.shows("‹ 5 s ›", "Ratio") }},
	{"a press on a price beside the form chooses it", flyCreate("en", 80, 24, nil), func(p *pilot) {
		p.keys("ctrl+t", "~")
		p.clickOn("120") // 4K high
		p.pass(time.Second)
		p.shows("‹ 4K ›", "‹ high ›", "120 credits")
	}},
	{"create does not complain of a glance elsewhere", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("alt+2", "alt+1", "ctrl+t", "ctrl+t")
		p.lacks("✗ Write a prompt.")
		p.keys("tab")
		p.lacks("✗ Write a prompt.")
		p.keys("ctrl+s")
		p.shows("✗ Write a prompt.")
	}},
	{"create sends once and stays", flyCreate("en", 120, 40, nil), func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+s")
		p.shows("Send this", "425 credits", "Tier  fast")
		p.keys("enter", "enter", "enter")
		p.sends(1)
		got := p.session.confirmed[0]
		p.expect(got.ConfirmID != "" && !got.Again && len(got.Request.ImageFiles) == 2, "submitted %+v", got)
		expect.Equal(p.t, got.Request.Prompt, boat+"【@图片1】", "submitted")
		p.isAt(msg.PlaceCreate)
		p.shows("纸船顺着雨水沟")
		p.keys("x")
		p.keeps("video", boat+"【@图片1】x")
		p.keys("alt+z")
		p.keeps("video", boat+"【@图片1】")
	}},
	{"create paste never sends", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":boat", "ctrl+s", "|\r\n\r\ny\r\n", "|\x13\r")
		p.sends(0)
		p.keys("esc", "|\r")
		p.lacks("Send this")
	}},
	{"create sends several with their own seeds", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.session.submitErr = func(state.Confirmed) error {
			p.session.submitErr = nil
			return errors.New("the disk is full")
		}
		p.keys(":boat", "~", "ctrl+s", "+", "+", "+", "-")
		p.shows("Send 3 requests?", "Send 1,275 credits   enter", "1  seed ", "  425 │")
		p.repeat(20, "+")
		p.shows("8 requests")
		p.repeat(5, "-")
		p.shows("3 requests")
		p.keys("enter")
		p.shows("The disk is full.")
		p.keys("enter")
		p.shows("Sending 3…")
		seeds, a := map[int64]bool{}, p.session.queue.agreed
		p.expect(len(a) == 2 && a[0].ConfirmID == a[1].ConfirmID && len(a[1].Requests) == 3, "agreements %+v", a)
		for i, r := range a[0].Requests {
			seeds[*r.Request.Seed] = true
			p.expect(!r.Again && *r.Request.Seed == *a[1].Requests[i].Request.Seed, "request %d is %+v, then %+v", i, r, a[1].Requests[i])
		}
		p.expect(len(seeds) == 3, "%d seeds", len(seeds))
	}},
	{"create sends once while it is sending", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error { time.Sleep(5 * time.Second); return nil }
	}), func(p *pilot) {
		p.keys(":boat", "ctrl+s")
		p.do(p.app.screens[msg.PlaceCreate].Update(review.TypedMsg{Text: " and a koi"})) // what is written meanwhile is not sent
		p.shows("│ boat   ")
		p.keys("enter", "enter", "enter")
		p.send(review.SubmittedMsg{Err: errors.New("another review was refused")})
		p.keys("enter")
		p.shows("Already sending.")
		p.lacks("was refused")
		p.pass(10 * time.Second)
		p.shows("Sending…")
		p.lacks("Send this")
		p.sends(1)
		p.expect(p.session.confirmed[0].Request.Prompt == "boat", "sent %+v", p.session.confirmed[0])
	}},
	// No seed is above what every JSON reader keeps exactly.
	{"seeds stay exact", flyCreate("en", 120, 40, nil), func(p *pilot) {
		for n, first := range []int64{41, 1<<53 - 1, 1<<53 - 3} {
			p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", Seed: &first, VideoModel: "fast",
				Resolution: "720p", Duration: "5"}})
			p.keys("ctrl+s", "+", "+", "+", "+", "+", "+", "+", "+")
			p.lacks("Seed  41") // each has its own
			p.keys("enter")
			seeds := map[int64]bool{}
			for _, r := range p.session.queue.agreed[n].Requests {
				seeds[*r.Request.Seed] = *r.Request.Seed >= 0 && *r.Request.Seed < 1<<53
			}
			p.expect(len(seeds) == 8 && seeds[first] && !slices.Contains(slices.Collect(maps.Values(seeds)), false), "from %d: %v", first, seeds)
		}
	}},
	// A refusal with the prices of now is shown with the question, and the next agreement is to them, also to none.
	{"a dearer price is agreed to again", flyCreate("en", 120, 40, func(d *fakeSession) {
		now := []api.Estimate{{Credits: 5000 * api.Credit, Source: api.SourceService, At: fakeNow}, {Source: api.SourceNone}}
		d.submitErr = func(state.Confirmed) error {
			if n := len(d.confirmed); n <= len(now) {
				return &state.Refusal{Code: "price", Fault: *api.ReasonText.Fault(nil, "dearer"), Prices: now[n-1 : n]}
			}
			return nil
		}
	}), func(p *pilot) {
		p.keys("ctrl+t", ":boat", "~", "ctrl+s", "enter")
		p.shows("Dearer.", "Send 5,000 credits")
		p.keys("enter")
		p.shows("Dearer.", "Send · an unknown price")
		p.keys("+")
		p.shows("Send all · an unknown price")
		p.keys("c", "-") // shows the summary again
		p.shows("c JSON, curl")
		p.keys("enter")
		c := p.session.confirmed
		p.expect(len(c) == 3 && c[1].Estimate.Credits == 5000*api.Credit && !c[2].Estimate.Known(), "agreed to %+v", c)
	}},
	{"what determines the price stays in view", flyCreate("en", 80, 24, nil), func(p *pilot) {
		p.paste(strings.Repeat("a long way ", 200))
		p.keys("~", "ctrl+s")
		p.shows("Tier  fast    Resolution  720p    Duration  5 s", "Send 425 credits", "more lines")
		p.repeat(8, "+")
		p.shows("Duration  5 s", "1  seed ", "8  seed ")
	}},
	// By keys and wheel; the position is that of what is in view, in JSON and in curl.
	{"a review scrolls its body", flyCreate("en", 80, 18, nil), func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+s")
		p.shows("Tier  fast    Resolution  720p    Duration  5 s", "纸船")
		p.keys("c")
		first := p.screen()
		p.shows(`"model": "seedance2"`, "more lines")
		p.keys("pgdown", "pgdown", "pgdown")
		p.shows(`"async": true`)
		p.wheel(40, 8, -10)
		p.expect(p.screen() == first, "the wheel does not lead back")
		p.keys("pgdown", "c")
		p.expect(p.lineOf("│ curl ") >= 0 && p.lineOf("--data-raw") <= 14, "curl begins too far down")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 60})
		p.shows("--data-raw")
		p.lacks("more lines", "lines 1 to")
	}},
	// What does not fit into it is reached with the wheel, and drawing does not move it.
	{"the side pane scrolls", flyCreate("en", 100, 22, func(d *fakeSession) {
		d.mayAsk, d.public = true, func(string) error { return &api.Fault{Reason: api.Sentence("is %v for the public").Reason(404)} }
	}), func(p *pilot) {
		p.keys("ctrl+e", "|"+addresses(9, ".png"), "ctrl+p")
		first := p.screen()
		p.shows("图片1 is 404", "more lines")
		p.lacks("图片9 is 404")
		p.expect(p.screen() == first, "drawing twice gives two pictures")
		p.wheel(90, 17, 20)
		p.shows("图片9 is 404")
		p.wheel(90, 17, -20)
		p.expect(p.screen() == first, "the wheel does not lead back")
	}},
	{"the form shows what a review was told", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.today = state.Spent{Budget: 5000 * api.Credit}
	}), func(p *pilot) {
		for _, row := range []struct {
			price api.Credits
			pane  []string
		}{{501, []string{"501 credits ", "85 a second × 5 s          leaves 4,499"}}, {1200, []string{"1,200 credits", "leaves 3,800"}},
			{5001, []string{"5,001 credits", "1 credits over today's budget of", "│    5,000  "}}} {
			p.send(toldReview(row.price))
			p.shows(row.pane...)
		}
	}},
	{"create says a refusal in words", flyCreate("en", 80, 24, func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error {
			return &state.Refusal{Code: "budget", Fault: *api.ReasonText.Fault(nil, "425 credits are above today's budget.")}
		}
	}), func(p *pilot) {
		p.keys(":boat", "ctrl+s", "enter")
		p.shows("425 credits are above today's budget.")
		p.keys("enter", "enter")
		p.sends(1)
	}},
	{"create keeps the table when the service is silent", flyCreate("en", 120, 40, pricedAfter(0, 0, errors.New("the service is asleep"))), func(p *pilot) {
		before := strings.Split(p.screen(), "\n")
		p.pass(time.Second)
		p.shows("425 credits", "≈ from the price list", "service is asleep")
		after := strings.Split(p.screen(), "\n")
		p.expect(len(after) == len(before) && (strings.Contains(after[8], "fast") || after[7] == before[7]), "the layout moved")
		p.session.estimate = func(api.Request) (api.Estimate, error) { return api.Estimate{}, nil }
		p.keys(":boat", "ctrl+s")
		p.shows("≈ from the price list ─")
	}},
	{"create renumbers tokens", flyCreate("en", 120, 40, nil), func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+e")
		for _, move := range []struct{ keys, want string }{
			{"up up alt+up", "【@图片2】"}, // gutter moved before boat
			{"alt+down", "【@图片1】"},     // and back
			{"up delete", "【@图片0】"},    // boat is gone: the token names nothing
			{"down down", "【@图片0】"},    // moving about changes nothing
		} {
			p.keys(strings.Fields(move.keys)...)
			got := strings.TrimPrefix(p.kept("video").Prompt, boat)
			p.expect(got == move.want, "after %s the token is %s, want %s", move.keys, got, move.want)
		}
		p.keys("ctrl+s")
		p.lacks("Send this")
		p.shows("✗ 【@图片0】 named a material that was removed:")
	}},
	{"create hides what does not apply and keeps it", flyCreate("en", 120, 40, nil), func(p *pilot) {
		fillBoat(p)
		p.keys("tab", "right")
		p.lacks("视频", "gutter.png")
		p.shows("First frame", "Last frame")
		p.keys("left")
		p.shows("gutter.png")
	}},
	{"create fixes the resolution and brings it back", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "standard_vip", Resolution: "1080p", Duration: "5"}})
		p.shows("▸ 1,000")
		p.keys("tab", "tab", "tab", "tab", "home")
		p.shows("fast is always 720p", "▸   425")
		p.keys("right")
		p.shows("standard is always 720p", "▸   425")
		p.keys("end")
		p.shows("▸ 1,000")
		p.keys("left")
		p.shows("✗ fast_vip comes in 480p, 720p only, not in 1080p: choose")
	}},
	{"create takes a request and a price", flyCreate("en", 120, 40, nil), func(p *pilot) {
		seed := int64(41)
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "koi", Seed: &seed, VideoModel: "fast_vip",
			Resolution: "480p", Duration: "10", VideoURL: "https://a.example/v.mp4", ImageFiles: []string{"https://a.example/1.png"}}})
		p.shows("koi", "41", "fast_vip", "480p", "v.mp4", "500 credits")
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "standard_vip", Resolution: "1080p"}, Keep: true})
		p.shows("koi", "standard_vip", "1080p", "2,000 credits")
	}},
	// In the form of its kind, and what it replaces comes back with alt+p.
	{"history restores the whole request", flyCreate("en", 120, 40, nil), func(p *pilot) {
		job := madeUpJob(1, "neon koi", api.PhaseDone)
		job.Request.ImageURL = "https://cdn.example.com/koi.png"
		p.session.add(job)
		failed := madeUpJob(0, "glass city", api.PhaseFailed)
		failed.Completed = true
		p.session.add(failed)
		p.keys(":an unsent video", "ctrl+t")
		p.keeps("image", "an unsent video")
		p.keys(":!", "ctrl+r", "~")
		p.shows("╭─ History", "glass city", "neon koi", "Video", "Image", "acme/brush", "425", "12.5")
		p.keys(":koi", "~")
		p.lacks("glass city")
		p.keys("tab")
		p.shows("this session")
		p.keys("tab", "tab", "alt+s")
		p.shows("♥")
		p.keys("enter")
		p.shows("Your draft is kept: alt+p brings it back.", "koi.png · cdn.example.com")
		got, want := p.kept("image"), job.Request
		for i, field := range []string{got.Prompt, got.Size, got.Quality, got.ImageURL} {
			expect.Equal(p.t, field, []string{want.Prompt, want.Size, want.Quality, want.ImageURL}[i], "restored")
		}
		p.keys("alt+p")
		p.shows("an unsent video!")
		p.lacks("koi.png")
		p.keys("alt+p")
		p.shows("koi.png")
	}},
	{"a draft that a recipe replaced at the start comes back", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.drafts = map[string]api.Request{"image": {Kind: api.KindImage, Prompt: "an unsent draft"}}
		d.request = &api.Request{Kind: api.KindImage, Prompt: "of a recipe"}
	}), func(p *pilot) {
		p.shows("of a recipe")
		p.keys("~", "alt+p")
		p.shows("an unsent draft")
	}},
	{"a material from long ago is known", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.results = map[string]string{"https://cdn.example.com/old.png": "7f3a0001"}
		d.drafts = map[string]api.Request{
			"video": {Kind: api.KindVideo, ImageFiles: []string{"https://cdn.example.com/old.png", "https://cdn.example.com/new.png"}},
		}
	}), func(p *pilot) {
		p.shows("old.png · job 7f3a", "new.png · cdn.example.com")
	}},
	{"create asks again for an equal request", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.submitErr = func(c state.Confirmed) error {
			if !c.UsedUp {
				return &state.Refusal{Code: "credits", Fault: *api.ReasonText.Fault(nil, "No credits are left.")}
			} else if !c.Again {
				return &state.Refusal{Code: "again", Fault: *api.ReasonText.Fault(nil, "An equal request is still under way.")}
			}
			return nil
		}
	}), func(p *pilot) {
		p.keys(":boat", "~", "ctrl+s", "enter")
		p.shows("No credits are left.")
		p.keys("enter")
		p.shows("An identical request is running. Send again for 425 credits?", "Send again · 425 credits   enter")
		p.keys("esc")
		p.sends(2)
		p.keys("ctrl+s", "enter", "enter", "enter")
		n := len(p.session.confirmed)
		p.expect(n == 5 && p.session.confirmed[4].Again, "%d submissions, the last %+v", n, p.session.confirmed[n-1])
	}},
	// What a budget cannot bear as a whole is not begun, and what was refused is confirmed again as the same agreement.
	{"create sends all or none", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error {
			return &state.Refusal{Code: "store", Fault: *api.ReasonText.Fault(nil, "The disk is full.")}
		}
	}), func(p *pilot) {
		p.keys("ctrl+t", ":boat", "~")
		const fits = 5
		month := state.Spent{Period: api.Month, Credits: api.Credit, Budget: api.Credit + fits*12*api.Credit} // 12 for each
		p.session.today = state.Spent{Budget: 1000 * api.Credit, Month: &month}
		p.keys("ctrl+s")
		p.repeat(fits, "+")
		p.keys("enter")
		p.shows("over this month's budget: it will not be sent.")
		p.lacks("enter send")
		p.expect(len(p.session.queue.agreed) == 0, "what cannot be sent was agreed to")
		p.repeat(fits-2, "-")
		p.keys("enter")
		p.shows("The disk is full.", "Send 3 requests?", "Send 36 credits")
		p.session.submitErr = nil
		p.keys("enter")
		p.shows("Sending 3…")
		a := p.session.queue.agreed
		p.expect(len(a) == 2 && a[0].ConfirmID == a[1].ConfirmID && !a[1].Requests[0].Again && a[1].Requests[2].Again, "agreements %+v", a)
	}},
	{"create says how old a price is that came after a long rest", flyCreate("en", 120, 40, nil), func(p *pilot) {
		began := time.Now().Add(-time.Hour)
		p.app.env.Clock = func() time.Time { return fakeNow.Add(time.Since(began)) }
		p.session.estimate = func(api.Request) (api.Estimate, error) {
			return api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: p.app.env.Clock()}, nil
		}
		p.keys("ctrl+g")
		for _, age := range []string{"just now", "5 s ago", "15 s ago"} {
			p.shows("✓ quoted " + age)
			for range 9 {
				p.pass(time.Second)
			}
		}
	}},
	{"create price follows and stale answers are dropped", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.shows("425 credits", "✓ quoted just now") // at the start nobody types: it is asked for at once
		quick := p.session.estimate
		p.session.estimate = func(r api.Request) (api.Estimate, error) {
			if r.VideoModel != "fast" {
				return quick(r)
			}
			time.Sleep(3 * time.Second)
			return api.Estimate{Credits: 7 * api.Credit, Source: api.SourceService, At: fakeNow}, nil
		}
		p.keys("ctrl+g", "tab", "tab", "tab", "tab", "right", "right")
		p.shows("500 credits", "≈ from the price list", "▸   500")
		p.pass(time.Second)
		p.shows("500 credits", "✓ quoted")
		p.pass(5 * time.Second)
		p.shows("500 credits", "✓ quoted")
		n := p.session.asked("estimate seedance2")
		p.keys("ctrl+t", "ctrl+t", ":typing does not change the price", "~")
		more := p.session.asked("estimate seedance2")
		p.expect(more == n, "typing a prompt asked for the price again: %d questions, %d before", more, n)
		p.keys("tab", "tab", "tab", "tab", "left", "left")
		p.shows("425 credits", "≈ from the price list")
		p.pass(time.Second)
		p.pass(5 * time.Second)
		p.shows("7 credits", "✓ quoted")
	}},
}

func TestCreateDraftsSaveThemselvesAndComeBack(t *testing.T) {
	kept := map[string]api.Request{}
	flyCreate("en", 120, 40, func(d *fakeSession) { d.drafts = kept })(t, func(p *pilot) {
		p.keys(":a boat", "~", "~")
		expect.Equal(t, kept["video"].Prompt, "a boat", "kept after a rest")
		p.keys(":s", "ctrl+q")
		expect.Equal(t, kept["video"].Prompt, "a boats", "kept on quitting")
		p.quits(true)
	})
	flyCreate("en", 120, 40, func(d *fakeSession) { d.drafts = kept })(t, func(p *pilot) {
		p.shows("a boats")
		p.keys("ctrl+t", ":an image", "alt+2")
	})
	flyCreate("en", 120, 40, func(d *fakeSession) { d.drafts = kept })(t, func(p *pilot) {
		p.shows("an image", "[Image] Video", "acme/brush")
	})
}
