package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
)

// flyCreate runs a test on the Create screen of a person who made videos last.
func flyCreate(t *testing.T, lang string, w, h int, prepare func(*fakeSession), test func(*pilot)) {
	t.Helper()
	madeVideos := func(d *fakeSession) {
		if prepare != nil {
			prepare(d)
		}
		if d.drafts == nil {
			d.drafts = map[string]api.Request{}
		}
		if _, ok := d.drafts["shown"]; !ok {
			d.drafts["shown"] = api.Request{Kind: api.KindVideo}
		}
	}
	flyIn(t, lang, w, h, madeVideos, func(p *pilot) {
		p.keys("alt+1")
		test(p)
		if p.inside != 0 {
			t.Errorf("%d calls of the session during Update and View", p.inside)
		}
	})
}

func (p *pilot) paste(s string) {
	p.t.Helper()
	p.send(tea.PasteMsg{Content: s})
}

// kept is the draft as it is saved when nothing is typed for a while.
func (p *pilot) kept(name string) api.Request {
	p.t.Helper()
	for range 3 {
		p.pass(time.Second)
	}
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.session.drafts[name]
}

const boat = "纸船顺着雨水沟漂流而下，微距镜头；A paper boat drifts down a rain gutter, macro lens. "

func fillBoat(p *pilot) {
	p.paste(boat)
	p.keys("ctrl+e")
	p.paste("https://cdn.example.com/boat.png\r\nhttps://cdn.example.com/gutter.png\nhttps://cdn.example.com/drops.mp3")
	p.keys("shift+tab", "shift+tab", "@", "enter")
	p.pass(time.Second)
}

// seeResults chooses the third result.
func seeResults(p *pilot) {
	fillBoat(p)
	p.keys("alt+r", "right", "right")
	p.pass(time.Second)
}

func TestCreateLooks(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		w, h       int
		see        func(*pilot)
	}{
		{"80x24", "en", 80, 24, fillBoat},
		{"120x40", "en", 120, 40, fillBoat},
		{"160x48", "en", 160, 48, fillBoat},
		{"200x60", "en", 200, 60, fillBoat},
		{"results-80x24", "en", 80, 24, seeResults},
		{"results-120x40", "en", 120, 40, seeResults},
		{"results-160x48", "en", 160, 48, seeResults},
		{"results-200x60", "en", 200, 60, seeResults},
		{"zh-results-120x40", "zh", 120, 40, seeResults},
		{"zh-100x30", "zh", 100, 30, fillBoat},
		{"image-80x24", "en", 80, 24, func(p *pilot) { p.keys("ctrl+t"); p.pass(time.Second) }},
		{"frames-120x40", "en", 120, 40, func(p *pilot) {
			fillBoat(p)
			p.keys("tab", "right", "tab", "tab")
			p.pass(time.Second)
		}},
		{"review-120x40", "en", 120, 40, func(p *pilot) { fillBoat(p); p.keys("ctrl+s") }},
		{"variants-80x24", "en", 80, 24, func(p *pilot) {
			fillBoat(p)
			p.keys("tab", "tab", "tab", "tab", "tab", "tab", "tab", "tab")
			p.typed("41")
			p.keys("ctrl+t", "ctrl+t", "ctrl+s", "+", "+", "+")
		}},
		{"curl-80x24", "en", 80, 24, func(p *pilot) { fillBoat(p); p.keys("ctrl+s", "c", "c") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			prepare := func(d *fakeSession) {
				if strings.Contains(c.name, "results") {
					d.fill(13).painter = blockPainter{}
				}
			}
			flyCreate(t, c.lang, c.w, c.h, prepare, func(p *pilot) {
				c.see(p)
				golden.RequireEqual(t, []byte(p.screen()))
				if c.lang == "zh" {
					onlyNamesInEnglish(t, p)
				}
			})
		})
	}
}

func TestCreateOpensOnTheKindUsedLast(t *testing.T) {
	t.Parallel()
	shown := func(kind api.Kind) func(*fakeSession) {
		return func(d *fakeSession) { d.drafts = map[string]api.Request{"shown": {Kind: kind}} }
	}
	job := func(i int) func(*fakeSession) {
		return func(d *fakeSession) { d.add(madeUpJob(i, "a boat", api.PhaseDone)) }
	}
	for _, c := range []struct {
		name, want string
		prepare    func(*fakeSession)
	}{
		{"a newcomer", "Image · acme/brush", nil},
		{"an image in view last", "Image · acme/brush", shown(api.KindImage)},
		{"a video in view last", "Video · seedance2", shown(api.KindVideo)},
		{"an image sent last", "Image · acme/brush", job(1)},
		{"a video sent last", "Video · seedance2", job(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			fly(t, 120, 40, c.prepare, func(p *pilot) {
				p.keys("alt+1")
				p.shows(c.want)
				p.typed("x")
				p.shows("┃ x")
			})
		})
	}
}

func TestCreateDoesNotComplainOfAGlanceElsewhere(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.keys("alt+2", "alt+1", "ctrl+t", "ctrl+t")
		p.lacks("✗ Write a prompt.")
		p.keys("tab")
		p.shows("✗ Write a prompt.")
	})
}

func TestCreateSendsOnceAndStays(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+s")
		p.shows("Review and send", "425 credits", "Tier fast", "POST ")
		p.keys("enter", "enter", "enter")
		if n := len(p.session.confirmed); n != 1 {
			t.Fatalf("submitted %d times", n)
		}
		got := p.session.confirmed[0]
		if got.ConfirmID == "" || got.Again || got.Request.Prompt != boat+"【@图片1】" || len(got.Request.ImageFiles) != 2 {
			t.Errorf("submitted %+v", got)
		}
		if p.app.at != msg.PlaceCreate {
			t.Errorf("after sending the screen is %v", p.app.at)
		}
		p.shows("纸船顺着雨水沟")
		p.keys("x")
		if got := p.kept("video").Prompt; got != "x" {
			t.Errorf("typing after sending gives %q, want the next prompt", got)
		}
		p.keys("alt+z")
		if got := p.kept("video").Prompt; got != boat+"【@图片1】" {
			t.Errorf("undo brings back %q", got)
		}
	})
}

func TestCreatePasteNeverSends(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+s")
		p.paste("\r\n\r\ny\r\n")
		p.paste("\x13\r")
		if len(p.session.confirmed) != 0 {
			t.Error("a paste sent the request")
		}
		p.keys("esc")
		p.paste("\r")
		p.lacks("Review and send")
	})
}

func TestCreateAsksAgainForAnEqualRequest(t *testing.T) {
	again := func(d *fakeSession) {
		d.submitErr = func(c state.Confirmed) error {
			if !c.Again {
				return &state.Refusal{Code: "again", Reason: api.ReasonText.Reason("An equal request is still under way.")}
			}
			return nil
		}
	}
	flyCreate(t, "en", 120, 40, again, func(p *pilot) {
		p.typed("boat")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.shows("An identical request is running. Send again for 425 credits?", "enter send again")
		p.keys("esc")
		if len(p.session.confirmed) != 1 {
			t.Fatal("esc sent something")
		}
		p.keys("ctrl+s", "enter", "enter")
		if n := len(p.session.confirmed); n != 3 || !p.session.confirmed[2].Again {
			t.Errorf("%d submissions, the last %+v", n, p.session.confirmed[n-1])
		}
	})
}

func TestCreateSendsSeveralWithTheirOwnSeeds(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.typed("boat")
		p.pass(time.Second)
		p.keys("ctrl+s", "+", "+", "+", "-")
		p.shows("3 requests · 1,275 credits", "send all", "1  seed ", "425 credits")
		for range 20 {
			p.keys("+")
		}
		p.shows("8 requests")
		for range 5 {
			p.keys("-")
		}
		p.shows("3 requests")
		p.keys("enter")
		p.shows("Sending 3…")
		seeds := map[int64]bool{}
		for _, c := range p.session.confirmed {
			seeds[*c.Request.Seed] = true
			if c.Again {
				t.Error("it was sent as one that is known to be under way")
			}
		}
		if len(p.session.queue.agreed) != 1 || len(p.session.confirmed) != 3 || len(seeds) != 3 {
			t.Errorf("%d agreements, %d requests, %d seeds", len(p.session.queue.agreed), len(p.session.confirmed), len(seeds))
		}
	})
}

// TestCreateSendsAllOrNone: what a budget cannot bear as a whole is not begun,
// and what was refused is confirmed again as the same agreement.
func TestCreateSendsAllOrNone(t *testing.T) {
	full := true
	prepare := func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error {
			if full {
				return &state.Refusal{Code: "store", Reason: api.ReasonText.Reason("The disk is full.")}
			}
			return nil
		}
	}
	flyCreate(t, "en", 120, 40, prepare, func(p *pilot) {
		p.keys("ctrl+t")
		p.typed("boat")
		p.pass(time.Second)
		const fits = 5
		p.session.today = state.Spent{Credits: api.Credit, Budget: api.Credit + fits*12*api.Credit} // 12 for each
		p.keys("ctrl+s")
		for range fits {
			p.keys("+")
		}
		p.keys("enter")
		p.shows("over today's budget: it will not be sent.")
		if len(p.session.queue.agreed) != 0 {
			t.Fatal("what cannot be sent was agreed to")
		}
		for range fits - 2 {
			p.keys("-")
		}
		p.keys("enter")
		p.shows("The disk is full.", "3 requests · 36 credits")
		full = false
		p.keys("enter")
		p.shows("Sending 3…")
		a := p.session.queue.agreed
		if len(a) != 2 || a[0].ConfirmID != a[1].ConfirmID || a[1].Requests[0].Again || !a[1].Requests[2].Again {
			t.Errorf("agreements %+v", a)
		}
	})
}

// While a request is being sent, enter does not send it once more: the store
// would take it for the same by its confirm id, but is not even asked.
func TestCreateSendsOnceWhileItIsSending(t *testing.T) {
	slow := func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error { time.Sleep(5 * time.Second); return nil }
	}
	flyCreate(t, "en", 120, 40, slow, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+s", "enter", "enter", "enter")
		p.shows("Already sending.")
		p.pass(10 * time.Second)
		p.shows("Sending…")
		p.lacks("Review and send")
		if n := len(p.session.confirmed); n != 1 {
			t.Errorf("%d were submitted", n)
		}
	})
}

func TestCreateSaysARefusalInWords(t *testing.T) {
	refuse := func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error {
			return &state.Refusal{Code: "budget", Reason: api.ReasonText.Reason("425 credits are above today's budget.")}
		}
	}
	flyCreate(t, "en", 80, 24, refuse, func(p *pilot) {
		p.typed("boat")
		p.keys("ctrl+s", "enter")
		p.shows("425 credits are above today's budget.")
		p.keys("enter", "enter")
		if n := len(p.session.confirmed); n != 1 {
			t.Errorf("a stopped review submitted %d times", n)
		}
	})
}

func TestCreateComplainsAtOnceAboutTooManyCharacters(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.paste(strings.Repeat("纸", 5000))
		p.lacks("✗")
		p.typed("船")
		p.shows("✗ The prompt has 5,001 characters of at most 5,000: remove 1.", "5,001 / 5,000")
	})
}

func TestCreatePriceFollowsAndStaleAnswersAreDropped(t *testing.T) {
	slow := false
	prepare := func(d *fakeSession) {
		quick := d.estimate
		d.estimate = func(r api.Request) (api.Estimate, error) {
			if slow && r.VideoModel == "fast" {
				time.Sleep(3 * time.Second)
				return api.Estimate{Credits: 7 * api.Credit, Source: api.SourceService, At: fakeNow}, nil
			}
			return quick(r)
		}
	}
	flyCreate(t, "en", 120, 40, prepare, func(p *pilot) {
		p.shows("425 credits", "✓ quoted 2 s ago") // at the start nobody types: it is asked for at once
		slow = true
		p.keys("ctrl+g", "tab", "tab", "tab", "tab", "right", "right")
		p.shows("500 credits", "≈ table", "▸500")
		p.pass(time.Second)
		p.shows("500 credits", "✓ quoted")
		p.pass(5 * time.Second)
		p.shows("500 credits", "✓ quoted")
		n := p.session.asked("estimate seedance2")
		p.keys("ctrl+t", "ctrl+t")
		p.typed("typing does not change the price")
		p.pass(time.Second)
		if more := p.session.asked("estimate seedance2"); more != n {
			t.Errorf("typing a prompt asked for the price again: %d questions, %d before", more, n)
		}
		p.keys("tab", "tab", "tab", "tab", "left", "left")
		p.shows("425 credits", "≈ table")
		p.pass(time.Second)
		p.pass(5 * time.Second)
		p.shows("7 credits", "✓ quoted")
	})
}

func TestCreateKeepsTheTableWhenTheServiceIsSilent(t *testing.T) {
	silent := func(d *fakeSession) {
		d.estimate = func(r api.Request) (api.Estimate, error) {
			return api.TableEstimate(r), errors.New("the service is asleep")
		}
	}
	flyCreate(t, "en", 120, 40, silent, func(p *pilot) {
		before := strings.Split(p.screen(), "\n")
		p.pass(time.Second)
		p.shows("425 credits", "≈ table", "service is asleep")
		if after := strings.Split(p.screen(), "\n"); len(after) != len(before) || !strings.Contains(after[8], "fast") && after[7] != before[7] {
			t.Error("the layout moved when the answer came")
		}
	})
}

func TestCreateRenumbersTokens(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		fillBoat(p)
		p.keys("ctrl+e")
		for _, move := range []struct{ keys, want string }{
			{"up up alt+up", "【@图片2】"}, // gutter moved before boat
			{"alt+down", "【@图片1】"},     // and back
			{"up delete", "【@图片0】"},    // boat is gone: the token names nothing
			{"down down", "【@图片0】"},    // moving about changes nothing
		} {
			p.keys(strings.Fields(move.keys)...)
			if got := strings.TrimPrefix(p.kept("video").Prompt, boat); got != move.want {
				t.Errorf("after %s the token is %s, want %s", move.keys, got, move.want)
			}
		}
		p.keys("ctrl+s")
		p.lacks("Review and send")
		p.shows("✗ 【@图片0】 named a material that was removed:")
	})
}

func TestCreateHidesWhatDoesNotApplyAndKeepsIt(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		fillBoat(p)
		p.keys("tab", "right")
		p.lacks("视频", "gutter.png")
		p.shows("First frame", "Last frame")
		p.keys("left")
		p.shows("gutter.png")
	})
}

func TestCreateFixesTheResolutionAndBringsItBack(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "standard_vip", Resolution: "1080p", Duration: "5"}})
		p.shows("▸1,000")
		p.keys("tab", "tab", "tab", "tab", "home")
		p.shows("fixed for fast", "▸425")
		p.keys("end")
		p.shows("▸1,000")
		p.keys("left")
		p.shows("✗ fast_vip comes in 480p, 720p only, not in 1080p: choose")
	})
}

func TestCreateDraftsSaveThemselvesAndComeBack(t *testing.T) {
	kept := map[string]api.Request{}
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.drafts = kept }, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.pass(time.Second)
		if got := kept["video"].Prompt; got != "a boat" {
			t.Errorf("after a rest %q is kept", got)
		}
		p.typed("s")
		p.keys("ctrl+q")
		if got := kept["video"].Prompt; got != "a boats" || !p.quit {
			t.Errorf("on quitting %q is kept (quit %v)", got, p.quit)
		}
	})
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.drafts = kept }, func(p *pilot) {
		p.shows("a boats")
		p.keys("ctrl+t")
		p.typed("an image")
		p.keys("alt+2")
	})
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.drafts = kept }, func(p *pilot) {
		p.shows("an image", "Image · acme/brush")
	})
}

func TestCreateTakesARequestAndAPrice(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		seed := int64(41)
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "koi", Seed: &seed, VideoModel: "fast_vip",
			Resolution: "480p", Duration: "10", VideoURL: "https://a.example/v.mp4", ImageFiles: []string{"https://a.example/1.png"}}})
		p.shows("koi", "41", "fast_vip", "480p", "v.mp4", "500 credits")
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "standard_vip", Resolution: "1080p"}, Keep: true})
		p.shows("koi", "standard_vip", "1080p", "2,000 credits")
	})
}

// TestHistoryRestoresTheWholeRequest: in the form of its kind, and what it
// replaces comes back with alt+p.
func TestHistoryRestoresTheWholeRequest(t *testing.T) {
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) {
		job := madeUpJob(1, "neon koi", api.PhaseDone)
		job.Request.ImageURL = "https://cdn.example.com/koi.png"
		p.session.add(job)
		p.session.add(madeUpJob(0, "glass city", api.PhaseFailed))
		p.typed("an unsent video")
		p.keys("ctrl+t")
		if got := p.kept("image").Prompt; got != "an unsent video" {
			t.Errorf("the empty form of the other kind has %q", got)
		}
		p.typed("!")
		p.keys("ctrl+r")
		p.pass(time.Second)
		p.shows("╭─ History", "glass city", "neon koi", "Video", "Image", "acme/brush", "425", "12.5")
		p.typed("koi")
		p.pass(time.Second)
		p.lacks("glass city")
		p.keys("tab")
		p.shows("this session")
		p.keys("tab", "tab", "alt+s")
		p.shows("★")
		p.keys("enter")
		p.shows("Your unsent draft is kept: alt+p brings it back.", "koi.png · cdn.example.com")
		got := p.kept("image")
		if want := job.Request; got.Prompt != want.Prompt || got.Size != want.Size || got.Quality != want.Quality || got.ImageURL != want.ImageURL {
			t.Errorf("restored %+v, want %+v", got, want)
		}
		p.keys("alt+p")
		p.shows("an unsent video!")
		p.lacks("koi.png")
		p.keys("alt+p")
		p.shows("koi.png")
	})
}

func BenchmarkCreateKey(b *testing.B) {
	for _, text := range []struct{ name, s string }{
		{"ascii-5000", strings.Repeat("A paper boat drifts down a rain gutter, macro lens. ", 97)[:5000]},
		{"cjk-5000", strings.Repeat("纸船顺着雨水沟漂流而下，", 500)[:15000]},
	} {
		b.Run(text.name, func(b *testing.B) {
			app := New(b.Context(), Options{Session: newFakeSession(), Clock: func() time.Time { return fakeNow }})
			app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			app.show(msg.PlaceCreate)
			app.Update(tea.PasteMsg{Content: text.s})
			app.View()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					app.Update(tea.KeyPressMsg{Code: '字', Text: "字"})
				} else {
					app.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				}
				app.View()
			}
		})
	}
}

// TestAMaterialFromLongAgoIsKnown: a material is called a result of ours though it
// is not among the results in view.
func TestAMaterialFromLongAgoIsKnown(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		d.results = map[string]string{"https://cdn.example.com/old.png": "7f3a0001"}
		d.drafts = map[string]api.Request{
			"video": {Kind: api.KindVideo, ImageFiles: []string{"https://cdn.example.com/old.png", "https://cdn.example.com/new.png"}},
		}
	}, func(p *pilot) {
		p.shows("old.png · job 7f3a", "new.png · cdn.example.com")
	})
}
