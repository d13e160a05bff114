package ui

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
	"darkroom/api/pricing"
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
		p.app.env.Painter = paintedNote{}
		p.keys("alt+2", "g", "~", "f", "4", "x", "m", "~")
	}},
	{"settle", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j"); p.pass(time.Second); p.keys("enter") }},
	{"jobs-filter", everyPhase, func(p *pilot) { p.keys("alt+2", "/"); p.typed("纸船"); p.pass(time.Second) }},
	{"jobs-empty", nil, func(p *pilot) { p.keys("alt+2"); p.pass(time.Second) }},
	{"prices", nil, func(p *pilot) { p.keys("alt+3"); p.settle() }},
	{"prices-figures", nil, func(p *pilot) { p.keys("alt+3"); p.settle(); p.keys("right", "down") }},
	{"prices-image", nil, func(p *pilot) { p.keys("alt+3", "t"); p.settle() }},
	{"prices-plan", pricedBefore, func(p *pilot) {
		p.keys("alt+3", "~~", "space", "down", "down", "space", "space", "t", "~~")
		p.keys("down", "space", "shift+tab", "shift+tab")
	}},
	{"prices-duration", nil, func(p *pilot) { p.keys("alt+3", "d"); p.typed("7"); p.settle() }},
	{"spending", spentLately, func(p *pilot) { p.keys("alt+3", "$"); p.settle() }},
	{"prices-offline", unreachable, func(p *pilot) { p.keys("alt+3"); p.settle() }},
	{"prices-offline-image", unreachable, func(p *pilot) { p.keys("alt+3", "t"); p.settle() }},
	{"prices-unheard", func(d *fakeSession) { unreachable(d); d.models = nil }, func(p *pilot) { p.keys("alt+3"); p.settle() }},
	{"compare", everyPhase, func(p *pilot) {
		p.keys("alt+2", "j", "j", "c", "j", "j", "j", "c", "~")
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
	s := &d.pricing.spend
	for i := range 30 {
		day := fakeNow.AddDate(0, 0, -i).Format(time.DateOnly)
		s.Lines = append(s.Lines, state.Line{Day: day, Model: "acme/brush", Kind: api.KindImage,
			Sum: state.Sum{Jobs: i%5 + 1, Credits: api.Credits(i%5+1) * 12 * api.Credit}})
		if i%3 == 0 {
			s.Lines = append(s.Lines, state.Line{Day: day, Model: api.Seedance2, Kind: api.KindVideo,
				Sum: state.Sum{Jobs: 2, Credits: api.Credits(i*40+100) * api.Credit, Possibly: api.Credits(i%2*85) * api.Credit}})
		}
	}
	s.Lines[0].Kept, s.Lines[0].Running, s.Lines[1].Kept = 1, 12*api.Credit, 2
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
				if p.app.env.Words.Lang() == "zh" && p.session.tool == nil { // tools speak for themselves
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

var latinWord = regexp.MustCompile(`[A-Za-z][A-Za-z_'-]{2,}`)

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
		if !known[w] && !startsOne(known, w) {
			t.Errorf("%q is in English on a Chinese screen", w)
		}
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
