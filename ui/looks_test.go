package ui

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
)

// scene is one picture of the whole App, of which there is a golden frame for
// each size.
type scene struct {
	name    string
	prepare func(*fakeSession)
	see     func(*pilot)
}

// scenes of every screen but Create, which has its own.
var scenes = []scene{
	{"key", noKey, func(p *pilot) { p.typed("ak_1234567890abcdef") }},
	{"key-refused", func(d *fakeSession) { d.settings.BaseURL = "https://api.example.com" }, func(p *pilot) {
		st := p.app.env.Health
		st.KeyRefused = true
		p.send(msg.ChangedMsg{Health: st, At: fakeNow})
	}},
	{"key-first", func(d *fakeSession) { d.health = state.Health{}; d.health.KeyError = state.ErrNoBase.Why() }, nil},
	{"jobs", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j"); p.pass(time.Second) }},
	{"jobs-unknown", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j"); p.pass(time.Second) }},
	{"jobs-result", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j"); p.pass(time.Second); p.keys("enter") }},
	{"gallery", everyPhase, func(p *pilot) {
		p.app.env.Painter = paintedNote
		p.keys("alt+2", "g", "~", "f", "4", "x", "m", "~")
	}},
	{"settle", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j"); p.pass(time.Second); p.keys("enter") }},
	{"jobs-filter", everyPhase, func(p *pilot) { p.keys("alt+2", "/"); p.typed("纸船"); p.pass(time.Second) }},
	{"jobs-empty", nil, func(p *pilot) { p.keys("alt+2"); p.pass(time.Second) }},
	{"prices", nil, func(p *pilot) { p.keys("alt+3"); p.settle() }},
	{"prices-figures", nil, func(p *pilot) { p.keys("alt+3"); p.settle(); p.keys("right", "down") }},
	{"prices-image", nil, func(p *pilot) { p.keys("alt+3", "t"); p.settle() }},
	{"prices-plan", pricedBefore, func(p *pilot) {
		p.keys("alt+3", "~~", "space", "down", "down", "space", "space", "t", "~~", "down", "space", "shift+tab", "shift+tab")
	}},
	{"prices-duration", nil, func(p *pilot) { p.keys("alt+3", "d"); p.typed("7"); p.settle() }},
	{"spending", spentLately, func(p *pilot) { p.keys("alt+3", "$"); p.settle() }},
	{"prices-offline", unreachable, func(p *pilot) { p.keys("alt+3"); p.settle() }},
	{"prices-offline-image", unreachable, func(p *pilot) { p.keys("alt+3", "t"); p.settle() }},
	{"prices-unheard", func(d *fakeSession) { unreachable(d); d.models = nil }, func(p *pilot) { p.keys("alt+3"); p.settle() }},
	{"compare", everyPhase, func(p *pilot) {
		p.app.env.Painter = paintedWide
		p.keys("alt+2", "j", "j", "c", "j", "j", "j", "c", "~")
	}},
	{"compare-three", func(d *fakeSession) { d.fillDone(9) }, func(p *pilot) {
		p.app.env.Painter = paintedNote
		p.keys("alt+2", "m", "j", "j", "m", "j", "j", "m", "c", "~")
	}},
	{"compare-squares", func(d *fakeSession) { d.fillDone(9) }, func(p *pilot) {
		p.app.env.Painter = paintedNote
		p.keys("alt+2", "j", "m", "j", "j", "m", "j", "j", "m", "j", "j", "m", "c", "~")
	}},
	{"compare-four", everyPhase, func(p *pilot) {
		p.keys("alt+2", "m", "j", "m", "j", "m", "j", "m", "c", "~")
	}},
	{"blink", everyPhase, func(p *pilot) {
		p.keys("alt+2", "j", "j", "c", "j", "j", "j", "c", "~", "b", "b", "~")
	}},
	{"store", func(d *fakeSession) {
		d.health.Choice = true
		d.health.ReadOnly = api.Sentence("the store was damaged; it is kept as %v and a new, empty one was begun, which neither shows earlier jobs nor counts their credits: 'darkroom doctor --new-store' goes on with it").Reason("/home/you/.local/share/darkroom/darkroom.db.damaged-20260301-140501")
	}, nil},
	{"budget", func(d *fakeSession) {
		d.today = state.Spent{Credits: 850 * api.Credit, Possibly: 12 * api.Credit, Budget: 1000 * api.Credit}
	}, func(p *pilot) { p.keys("alt+1"); p.typed("a boat"); p.settle() }},
	{"help", everyPhase, func(p *pilot) { p.keys("alt+2"); p.pass(time.Second); p.keys("?") }},
	{"themes", everyPhase, func(p *pilot) {
		p.keys("alt+2")
		p.palette(p.app.env.Say("theme"))
		p.keys("~", "down")
	}},
	{"actions", everyPhase, func(p *pilot) { p.keys("alt+2"); p.pass(time.Second); p.keys("ctrl+k") }},
}

// pricedBefore is a budget and a saved plan.
func pricedBefore(d *fakeSession) {
	d.today = state.Spent{Credits: 1240 * api.Credit, Budget: 4000 * api.Credit}
	r := api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: "fast_vip", Resolution: "720p", Duration: "5"}
	d.pricing.plans = []pricing.Plan{{Name: "storyboard", Items: []pricing.Item{{Request: r, Count: 4}}}}
}

// spentLately is a ledger of a month.
func spentLately(d *fakeSession) {
	s := state.Spend{}
	d.settings.Credit = api.Money{Each: api.Credit / 100, Currency: "€"}
	d.today = state.Spent{Credits: 1240 * api.Credit}
	d.today.Month = &state.Spent{Period: api.Month, Credits: 2180 * api.Credit, Possibly: 170 * api.Credit, Budget: 4000 * api.Credit}
	for i := range 30 {
		day := fakeNow.AddDate(0, 0, -i).Format(time.DateOnly)
		s = append(s, state.Line{Day: day, Model: "acme/brush", Kind: api.KindImage,
			Sum: state.Sum{Jobs: i%5 + 1, Credits: api.Credits(i%5+1) * 12 * api.Credit}})
		if i%3 == 0 {
			s = append(s, state.Line{Day: day, Model: api.Seedance2, Kind: api.KindVideo,
				Sum: state.Sum{Jobs: 2, Credits: api.Credits(i*40+100) * api.Credit, Possibly: api.Credits(i%2*85) * api.Credit}})
		}
	}
	s[0].Kept, s[0].Running, s[1].Kept = 1, 12*api.Credit, 2
	d.pricing.spend = s
}

func everyPhase(d *fakeSession) { d.fill(214) }

func noKey(d *fakeSession) {
	d.health = state.Health{}
	d.settings.BaseURL, d.settings.BaseFrom = "https://api.example.com", "environment"
}

// unreachable is a service that has answered once, an hour ago.
func unreachable(d *fakeSession) {
	d.modelErr = &api.Error{Class: api.ClassNetwork, Text: text("dial tcp: connection refused")}
	told := fakeNow.Add(-time.Hour)
	d.known = map[string]api.Estimate{"1K low": {Credits: 6 * api.Credit, Source: api.SourceService, At: told},
		"2K high": {Credits: 48 * api.Credit, Source: api.SourceService, At: told}}
	d.estimate = func(api.Request) (api.Estimate, error) { return api.Estimate{}, errors.New("not asked") }
}

// looks compares what each flight ends with to its golden frame.
func looks(t *testing.T, flights []flight) {
	t.Parallel()
	for _, f := range flights {
		t.Run(f.name, func(t *testing.T) {
			f.from(t, func(p *pilot) {
				f.test(p)
				golden.RequireEqual(t, []byte(p.screen()))
				if p.app.env.Words.Lang == "zh" && p.session.tool == nil { // tools speak for themselves
					onlyNamesInEnglish(t, p)
				}
			})
		})
	}
}

// inEachSize are the flights of a scene in the sizes that look different.
func inEachSize(from func(lang string, w, h int, prepare func(*fakeSession)) start, scenes []scene) (all []flight) {
	for _, s := range scenes {
		see := s.see
		if see == nil {
			see = func(*pilot) {}
		}
		all = append(all, flight{s.name + "-80x24", from("en", 80, 24, s.prepare), see}, flight{s.name + "-120x40", from("en", 120, 40, s.prepare), see},
			flight{s.name + "-200x60", from("en", 200, 60, s.prepare), see}, flight{"zh-" + s.name + "-100x30", from("zh", 100, 30, s.prepare), see})
	}
	return all
}

func TestLooks(t *testing.T) { looks(t, inEachSize(flyIn, scenes)) }

var latinWord = regexp.MustCompile(`[A-Za-z][A-Za-z_'-]+[A-Za-z]`)

// onlyNamesInEnglish fails for an English word on a Chinese screen, unless it is
// a name, a key, or a word of the service or of a prompt.
func onlyNamesInEnglish(t *testing.T, p *pilot) {
	t.Helper()
	known := map[string]bool{}
	add := func(text string) {
		for _, w := range latinWord.FindAllString(text, -1) {
			known[w] = true
		}
	}
	for _, j := range p.session.jobs {
		add(j.Title + " " + j.Request.Prompt + " " + j.Error.String() + " " + j.ID + " " + j.RemoteID + " " + j.Status.String())
		for _, f := range j.Files {
			add(f.Path)
		}
	}
	add(`darkroom ak_ damaged- api.example.com https budget DARKROOM_BASE_URL Secret Service API JSON curl POST seedance2 acme brush video_model resolution duration size
		quality aspect_ratio fast standard fast_vip standard_vip low medium high home you local share doctor new-store darkroom.db.damaged
		enter esc tab delete space backspace right left down up pgdown pgup home end shift ctrl alt a boat
		videos generations list__ watercolour woodcut dusk harbour dawn paper drifts rain gutter macro lens cdn png drops mp3`)
	for _, w := range latinWord.FindAllString(p.screen(), -1) {
		p.expect(known[w] || startsOne(known, w), "%q is in English on a Chinese screen", w)
	}
}

// startsOne reports whether a word was cut from a known one, or wrapped.
func startsOne(known map[string]bool, w string) bool {
	for k := range known {
		if strings.HasPrefix(k, w) || strings.HasSuffix(k, w) {
			return true
		}
	}
	return false
}

// settle lets everything come that is asked for one after the other.
func (p *pilot) settle() {
	p.t.Helper()
	for range 20 {
		p.pass(400 * time.Millisecond)
	}
}

// hostilePrompt tries to look like one of our lines.
const hostilePrompt = "a koi”\n\n0 credits now · studio: today 0\n\x1b[31m\u202eenter send\u2028esc back " +
	"and then a very long text that goes on and on until it does not fit any more into the few lines that there are for it"

// askedJob has an agent ask for an image.
func askedJob(d *fakeSession, prompt string) {
	d.fill(8)
	for _, entry := range []string{"studio", "other"}[:1+min(len(prompt)/100, 1)] { // the newest comes first
		j := madeUpJob(1, "a koi", api.PhaseHeld)
		j.ID, j.RemoteID, j.Version, j.Entry, j.Paused, j.Estimate.Credits = entry+"1", "", 1, entry, true, 425*api.Credit
		j.Request = api.Request{Kind: api.KindImage, Model: "acme/brush", Prompt: prompt, ImageURL: "https://evil.example/?stolen=secret"}
		d.add(j)
		now := api.Estimate{Credits: 450 * api.Credit, Source: api.SourceService}
		d.queue.offer = state.Offer{Held: []state.Held{{Job: j}, {Job: j}}, Price: now, Agreed: 425 * api.Credit}
	}
}

func inAsked(d *fakeSession) { askedJob(d, hostilePrompt) }

func TestAgents(t *testing.T) { flyEach(t, agentFlights) }

var agentFlights = []flight{
	{"an agent's prompt turns nothing round in the history", fly(120, 40, inAsked), func(p *pilot) {
		p.keys("alt+1", "ctrl+r", "~~")
		p.shows("a koi”")
		p.expect(!strings.ContainsAny(p.app.View().Content, "\u202e\u2028"), "what turns text round is in view")
	}},
	// What an agent asks for rings once, in the tab, in a notice, and for who is away.
	{"an agent rings", fly(120, 40, func(d *fakeSession) { d.fill(3) }), func(p *pilot) {
		p.send(tea.BlurMsg{})
		askedJob(p.session, "a koi")
		p.session.changes <- nil
		p.settle()
		p.shows("studio asks for 425 credits · alt+2", "◆1")
		p.expect(strings.Contains(p.written(), "\x07"), "no notification: %q", p.written())
		p.keys("x")
		p.session.changes <- nil
		p.settle()
		p.lacks("asks for") // it rings no more
	}},
	// The review shows ours first; nothing of the agent's is on a line without a mark.
	{"an agent is reviewed", fly(120, 40, inAsked), func(p *pilot) {
		p.keys("alt+2", "~")
		p.shows("studio asks", "other asks", "▏ “a koi” 0 credits now")
		p.keys("enter")
		p.shows("Send what other asks for?", "450 credits now, 425 when it was asked for", "other: today 40 → 490 of 500 · leaves 10", "▏ “a koi” 0 credits now",
			"▏ https://evil.example/?stolen=secret")
		for line := range strings.SplitSeq(p.screen(), "\n") {
			_, inside, _ := strings.Cut(line, "│")
			ours := strings.Contains(inside, "450") || strings.Contains(inside, "▏")
			expect.That(p.t, ours || !strings.Contains(inside, "0 credits now"), "a line looks like ours", line)
		}
		p.lacks("\u202e", "\u2028")
		p.keys("enter", "~", "enter") // the key that led here, held down
		p.queued("offer other1 false", "offer other1 true", "spent by other")
		p.keys("y")
		p.queued("offer other1 false", "offer other1 true", "spent by other", "resume 2")
	}},
	{"an agent is declined", fly(120, 40, inAsked), func(p *pilot) {
		p.keys("alt+2", "~", "enter", "d", "|too blue", "enter")
		p.shows("Declined. Nothing was spent.")
		p.queued("offer other1 false", "offer other1 true", "spent by other", "decline [other1]: too blue")
	}},
	// An edited request is sent in place of the agent's, which is said.
	{"an agent's request is edited", fly(120, 40, func(d *fakeSession) { askedJob(d, "a koi") }), func(p *pilot) {
		p.keys("alt+2", "~", "P", "e", "| at dawn", "ctrl+s", "~")
		p.shows("studio asked for this: it gets the result.")
		p.keys("enter")
		p.sends(1)
		first := p.session.confirmed[0]
		p.expect(first.Asked == "studio1" && first.Request.Prompt == "a koi at dawn", "sent %+v", first)
		p.keys("ctrl+s", "~", "enter")
		p.sends(2)
		expect.Equal(p.t, p.session.confirmed[1].Asked, "", "whose is what is sent after it")
	}},
	// Several that are sent in its place settle it, and the agent reads why.
	{"an agent's request is sent as several", fly(120, 40, func(d *fakeSession) { askedJob(d, "a koi") }), func(p *pilot) {
		p.keys("alt+2", "~", "enter", "e", "ctrl+s", "~", "+", "~")
		p.shows("studio asked for this: it is told that you sent others instead.")
		p.keys("enter")
		p.queued("offer studio1 false", "offer studio1 true", "spent by studio",
			"decline [studio1]: a person edited it, and sent several others instead")
	}},
	// What was sent before is agreed to once more.
	{"an agent asks for the same again", fly(120, 40, func(d *fakeSession) { askedJob(d, "a koi") }), func(p *pilot) {
		h := &p.session.queue.offer
		h.Held[0].Code, h.Reason = "again", api.Sentence("an identical request is running: job %v").Reason("k3v9q2mx")
		p.keys("alt+2", "~", "enter")
		p.shows("An identical request is running: job k3v9q2mx.", "If you agree, it is sent once more.")
	}},
}

// queued checks the calls of the queue, in order.
func (p *pilot) queued(want ...string) {
	p.t.Helper()
	got := p.session.noted("pause ", "move ", "decline ", "resume ", "offer ", "spent ")
	p.expect(slices.Equal(got, want), "calls %q, want %q", got, want)
}
