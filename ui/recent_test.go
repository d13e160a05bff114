package ui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/display"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
)

// painter draws files as a test says.
type painter func(path string, cols, rows int) (picture.Picture, error)

func (painter) Frames() bool      { return true }
func (blockPainter) Frames() bool { return false }

func (p painter) Load(_ context.Context, path string, cols, rows int, _ picture.Terminal) (picture.Picture, error) {
	return p(path, cols, rows)
}

// blockPainter draws every file as a square of blocks, in colours that change
// with each cell or plain.
type blockPainter struct{ coloured bool }

func (b blockPainter) Load(_ context.Context, _ string, cols, rows int, _ picture.Terminal) (picture.Picture, error) {
	p := picture.Picture{Cols: min(cols, 2*rows)}
	for y := range min(rows, cols/2) {
		if !b.coloured {
			p.Lines = append(p.Lines, strings.Repeat("▀", p.Cols))
			continue
		}
		var line strings.Builder
		for x := range p.Cols {
			fmt.Fprintf(&line, "\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", 100+x, 100+y, 120, 100+y, 140+x%90, 130)
		}
		p.Lines = append(p.Lines, line.String()+"\x1b[m")
	}
	return p, nil
}

// sent is what comes of the last request that was submitted: a job in the given
// phase, of which App is told.
func (p *pilot) sent(phase api.Phase) {
	p.t.Helper()
	p.session.mu.Lock()
	c := p.session.confirmed[len(p.session.confirmed)-1]
	now := fakeNow.Add(time.Duration(p.pace.Load()))
	j, known := p.session.jobs["new"]
	if !known {
		j = state.Job{Row: state.Row{ID: "new", Kind: c.Request.Kind, Model: c.Request.Model, Title: c.Request.Prompt,
			Progress: -1, CreatedAt: now, SentAt: now}, Request: c.Request, Estimate: c.Estimate}
	}
	j.Phase, j.Version = phase, j.Version+1
	if phase.Ended() {
		j.EndedAt = now
	}
	if phase == api.PhaseDone {
		j.Files = []state.File{{Path: "/home/you/Pictures/new.png", MediaType: "image/png", URL: "https://cdn.example.com/new.png"}}
	}
	p.session.mu.Unlock()
	if !known {
		p.session.add(j)
	}
	p.session.replace(j)
	p.pass(100 * time.Millisecond)
}

// tick lets the screens show the time that the keys took.
func (p *pilot) tick() { p.send(msg.TickedMsg{At: fakeNow.Add(time.Duration(p.pace.Load()))}) }

// lineOf is the number of the first line that holds a text, or -1.
func (p *pilot) lineOf(text string) int {
	p.t.Helper()
	return slices.IndexFunc(strings.Split(p.screen(), "\n"), func(l string) bool { return strings.Contains(l, text) })
}

// flyResults runs a test on Create with a prompt written, and 13 jobs of before.
func flyResults(w, h int) start {
	return flyCreate("en", w, h, func(d *fakeSession) {
		d.fill(13).painter = blockPainter{}
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}).then(func(p *pilot) {
		p.keys(":a kettle on a windy pier", "~")
	})
}

func TestSendingStaysAndTheResultDevelops(t *testing.T) {
	flySizes(t, flyResults, [][2]int{{120, 40}, {160, 48}, {200, 60}}, func(p *pilot) {
		p.keys("ctrl+s", "enter")
		p.shows("Sending…", "[Image] Video", "acme/brush", "a kettle on a windy pier")
		p.lacks("Send this")
		p.sent(api.PhaseSending)
		p.shows("Sending…", "◌ sending", "0:00")
		p.sent(api.PhaseRunning)
		p.shows("Accepted. You can write the next one.", "2 Jobs ◐4", "running")
		p.lacks("Sending…")
		p.pass(42 * time.Second)
		p.tick()
		p.shows("0:42")
		before := strings.Count(p.screen(), "▀")
		p.sent(api.PhaseDone)
		p.shows("● Done: “a kettle on a windy pier”   alt+r shows it", "2 Jobs ◐3 •1", "•  ◐") // also on its card
		p.lacks("Accepted.")
		after := strings.Count(p.screen(), "▀")
		p.expect(after > before, "no picture appeared: %d cells of pictures before, %d after", before, after)
		p.keys("alt+2", "home", "~", "~") // it is looked at
		p.lacks("•1")
	})
}

func TestRecent(t *testing.T) { flyEach(t, recentFlights) }

var recentFlights = []flight{
	{"a low terminal has badges", flyResults(80, 24), func(p *pilot) {
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.pass(9 * time.Second)
		p.tick()
		p.shows("◐ 0:09")
		p.sent(api.PhaseDone)
		p.lacks("0:09")
		p.clickOn("▀▀▀▀") // beside the prompt
		p.tick()
		p.shows("▀▀▀▀", "a kettle on a windy pier")
		p.lacks("Review and send")
		p.keys("esc", "alt+r", "enter", "~")
		p.shows("▀▀▀▀", "a kettle on a windy pier")
		p.lacks("Review and send")
		p.keys("esc")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.shows("24 / 5,000  │") // the prompt has all of its width again
	}},
	{"a key after sending is the prompts", flyResults(120, 40), func(p *pilot) {
		p.keys("ctrl+s", "~")
		p.send(keyOf("enter"))
		p.send(keyOf("enter")) // one too many keeps the prompt
		p.shows("a kettle on a windy pier")
		p.typed("quiet ox")
		p.sent(api.PhaseRunning)
		p.shows("┃ a kettle on a windy pierquiet ox")
		p.expect(!p.quit && p.app.at == msg.PlaceCreate, "a typed key did something else")
	}},
	{"a key while sending is the prompts", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error { time.Sleep(2 * time.Second); return nil }
	}), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+s", "enter", ":cyan ox")
		p.shows("Send this")
		p.pass(5 * time.Second)
		p.shows("┃ a boatcyan ox")
		p.lacks("Send this")
	}},
	{"results are chosen and left", flyResults(120, 40), func(p *pilot) {
		p.keys("alt+r")
		p.shows("enter full screen", "esc back to the prompt", "▸")
		p.keys("w")
		p.shows("w does nothing here. esc goes back to the prompt.")
		p.keys("right", "right", "enter", "~")
		p.shows("harbour at dawn", "▀▀▀", "esc back")
		p.lacks("Prompt", "lighthouse")
		p.keys("right", "~")
		p.shows("neon koi")
		p.keys("esc", "esc", ":!")
		p.shows("pier!")
		p.keys("alt+r", "e", "~")
		p.shows("neon koi, on rough paper", "[Image] Video", "acme/brush")
		p.typed("?")
		p.shows("rough paper?")
	}},
	{"the mouse chooses a result", flyResults(120, 40), func(p *pilot) {
		p.clickOn("lighthouse")
		p.shows("▸lighthouse", "esc back to the prompt")
		p.pace.Add(int64(keyPause))
		p.clickOn("lighthouse")
		p.pass(time.Second)
		p.shows("esc back")
		p.lacks("Prompt")
	}},
	// Results of the prompt in the form stand before newer ones of others.
	{"the chain comes first", flyCreate("en", 80, 24, func(d *fakeSession) {
		d.fill(13)
		j := madeUpJob(40, "a tin robot waters a fern, morning light", api.PhaseDone)
		j.Request.Prompt = "a tin robot waters a fern, morning light"
		d.jobs[j.ID] = j
		d.rows = append(d.rows, rowOf(j))
	}), func(p *pilot) {
		p.keys(":a tin robot waters a small fern, morning light", "alt+2", "alt+1", "~")
		p.shows(" ● a tin robot")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.shows("Similar prompts first")
		p.keys("ctrl+a", "backspace", "~")
		p.shows("Recent")
	}},
	{"a final of a draft", flyCreate("en", 120, 40, func(d *fakeSession) {
		j := madeUpJob(0, "a tin robot", api.PhaseDone) // 425 credits
		seed := int64(41)
		j.Request.Seed, j.Request.ImageFiles = &seed, []string{"https://a.example/fern.png"}
		d.add(j)
		newer := madeUpJob(2, "a kite", api.PhaseDone)
		newer.Estimate.Credits = 900 * api.Credit
		d.add(newer)
	}), func(p *pilot) {
		p.keys("~", "alt+r", "right", "F", "~")
		p.shows("a tin robot, macro lens", "standard_vip", "1080p", "41", "fern.png", "1,000 credits")
		p.keys("alt+r", "esc", ":!")
		p.shows("lens!")
	}},
	{"a budget that cannot be read is no amount", flyCreate("en", 120, 40, func(d *fakeSession) { d.today = state.Spent{Budget: api.BudgetUnreadable} }), func(p *pilot) {
		p.keys(":a boat", "~")
		p.shows("A setting is wrong", "A setting or a variable is wrong, so", "nothing is sent. 'darkroom doctor'")
		p.keys("ctrl+s")
		p.lacks("0.000001")
	}},
	// It is cut, so that no cells stay blank. A press chooses it where it is, for a second one; keys show it whole.
	{"the last result in view takes the room that is left", flyCreate("en", 115, 39, func(d *fakeSession) {
		for i := range 6 {
			d.add(madeUpJob(i, fmt.Sprint("koi ", i), api.PhaseFailed))
		}
	}), func(p *pilot) {
		p.pass(time.Second)
		p.shows("koi 5", "koi 2", "koi 1", "6 jobs  alt+r", "koi 0")
		p.clickBeside("jobs  alt+r", len("jobs  "), 0) // without a card it leads there, as the key does
		p.shows("▸koi 5")
		p.clickOn("koi 1")
		p.shows("▸koi 1", "koi 5")
		p.keys("right")
		p.shows("koi 0")
		p.lacks("koi 5")
	}},
	// With the time of the next try, which is kept.
	{"a service that is down is said beside the price", flyCreate("en", 120, 40, pricedAfter(0, 0, noNetwork)), func(p *pilot) {
		p.pass(400 * time.Millisecond)
		p.shows("425 credits", "≈ from the price list", "✕ api.example.com does not answer.", "Retrying in 8 s, or now with ctrl+g.")
		p.pass(3 * time.Second)
		p.send(msg.TickedMsg{At: fakeNow.Add(3 * time.Second)})
		p.shows("Retrying in 5 s")
		pricedAfter(time.Second, 0, state.ErrRests)(p.session)
		p.pass(5500 * time.Millisecond)
		p.shows("asking the service …")
		p.pass(time.Second)
		p.lacks("does not answer", "✓ quoted")
		p.session.estimate = newFakeSession().estimate
		p.pass(8 * time.Second)
		p.shows("✓ quoted")
	}},
	// Each choice is asked for once for a model; a press on one takes it.
	{"an images prices stand in a table", flyCreate("en", 120, 40, shown(api.KindImage)), func(p *pilot) {
		p.pass(time.Second)
		p.shows("medium", "▸       12", "120")
		once := p.session.asked("estimate")
		p.clickOn("120 ")
		p.shows("‹ 4K ›", "‹ high ›")
		p.pass(time.Second)
		p.shows("▸      120", "120 credits")
		n := p.session.asked("estimate") - once
		p.expect(n == 1, "%d questions for one other choice", n)
	}},
	{"without a service the prices of before stand in it", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
		d.known = map[string]api.Estimate{"4K low": {Credits: 77 * api.Credit, Source: api.SourceService, At: fakeNow}}
		pricedAfter(0, 0, noNetwork)(d)
	}), func(p *pilot) {
		p.pass(time.Second)
		p.shows("does not answer", "medium", "77")
	}},
}

// TestANoticeIsNeverGoodBesideAFailure: what was said of a job gives way to how
// it ended.
func TestANoticeIsNeverGoodBesideAFailure(t *testing.T) {
	t.Parallel()
	for phase, want := range map[api.Phase]string{
		api.PhaseRejected: "✕ Rejected: “a kettle on a windy pier”   alt+2 shows it",
		api.PhaseFailed:   "✕ Failed: “a kettle on a windy pier”   alt+2 shows it",
		api.PhaseUnknown:  "! The outcome of a kettle on a windy pier is unknown",
	} {
		flyResults(120, 40)(t, func(p *pilot) {
			p.keys("ctrl+s", "enter")
			p.sent(api.PhaseQueued)
			p.shows("✓ Accepted.")
			p.sent(phase)
			p.shows(want)
			p.lacks("Accepted.", "Sending…", "Sent.")
		})
	}
}

// TestNewsReachEveryScreen: a job that ends elsewhere is told, and counted.
func TestNewsReachEveryScreen(t *testing.T) {
	t.Parallel()
	for at, key := range map[string]string{"alt+1": "alt+r", "alt+3": "alt+2", "alt+4": "alt+2"} {
		fly(120, 40, func(d *fakeSession) { d.fill(13) })(t, func(p *pilot) {
			p.keys(at)
			p.session.finish("paper boat in a gutter", time.Hour, 2)
			p.pass(100 * time.Millisecond)
			p.shows("● Done: “paper boat in a gutter”   "+key+" shows it", "•1")
		})
	}
}

func TestAPriceThatDiffersShowsBoth(t *testing.T) {
	differs := pricedAfter(0, 999, nil)
	flySizes(t, func(w, h int) start { return flyCreate("en", w, h, differs) }, [][2]int{{80, 24}, {120, 40}, {160, 48}}, func(p *pilot) {
		p.shows("999 credits", "service 999, price list 425")
	})
}

// The last picture in view is cut where the strip ends, not drawn smaller: it
// begins and ends on the lines of its neighbours.
func TestTheLastPictureInViewIsAsHighAsTheOthers(t *testing.T) {
	t.Parallel()
	_, lines := besideResults(t, 124, 37, 200, "a boat").view()
	pictures := 0
	for _, l := range lines[20:] {
		if l = ansi.Strip(l); strings.Contains(l, "▀") {
			pictures++
			expect.That(t, strings.HasSuffix(l, "▀  │") || strings.HasSuffix(l, "▀› │"), "the last picture is not on line", l)
		}
	}
	expect.That(t, pictures >= 8, pictures, "lines of pictures")
}

// TestKeysAreOfferedWhereTheyWork: while the prompt has the keys, a result next to it
// offers the way there alone, and each letter of a verb goes behind what was sent.
func TestKeysAreOfferedWhereTheyWork(t *testing.T) {
	pictures := func(w, h int) start { return flyCreate("en", w, h, shown(api.KindImage)) }
	flySizes(t, pictures, [][2]int{{80, 24}, {120, 40}, {160, 45}}, func(p *pilot) {
		p.keys(":a kettle on a windy pier", "~", "ctrl+s", "enter")
		p.sent(api.PhaseDone)
		p.keys("alt+r")
		keys := ""
		for _, a := range p.app.screens[msg.PlaceCreate].Actions() {
			if len(a.Keys) == 1 {
				keys += string(a.Keys)
			}
		}
		p.keys("esc")
		p.lacks("v video from this", "enter full screen", "favourite")
		p.shows("alt+r")
		p.typed(keys)
		p.expect(len(keys) >= 10, "only the keys %s", keys)
		p.keeps("image", "a kettle on a windy pier"+keys)
	})
}

// besideResults is an App with a prompt in Create beside that many results.
func besideResults(tb testing.TB, w, h, jobs int, prompt string) *App {
	d := newFakeSession()
	for i := range jobs {
		d.add(madeUpJob(i, "a boat", api.PhaseDone))
	}
	d.painter = blockPainter{coloured: true}
	app := appAt(tb, d, msg.PlaceCreate, w, h)
	app.Update(tea.PasteMsg{Content: prompt})
	expect.Equal(tb, strings.Contains(app.View().Content, "▀"), jobs > 0, "pictures are shown")
	return app
}

// A key gives the terminal few new lines; all others are the same strings as
// before, so that nothing reads the pictures in them.
func TestAKeyReadsNoPictures(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		app := besideResults(t, size[0], size[1], 200, "a boat")
		_, before := app.view()
		app.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		_, after := app.view()
		changed := 0
		for y := range after {
			if unsafe.StringData(before[y]) != unsafe.StringData(after[y]) {
				changed++
			}
		}
		expect.That(t, changed != 0 && changed <= 4, size, "a key makes", changed, "lines anew")
	}
}

// Before the first result there are examples, the first one large on a wide screen; one is
// taken as the prompt.
func TestNoPaneIsEmptyBeforeTheFirstResult(t *testing.T) {
	flySizes(t, func(w, h int) start { return fly(w, h, nil) }, [][2]int{{160, 48}, {200, 60}}, func(p *pilot) {
		p.app.env.Example = func(prompt string) string { return prompt }
		p.keys("alt+2", "alt+1", "~")
		p.lacks("☆")
		above, strip, _ := strings.Cut(p.screen(), "─ Try one ─")
		expect.Contains(p.t, above, "a paper boat in a rain gutter, macro", "the large pane")
		expect.Contains(p.t, strip, "two koi in black", "the strip")
		expect.Equal(p.t, strings.Count(strip, "╭"), 3, "examples in the strip")
		p.keys("down", "right", "enter")
		p.shows("┃ a harbour at dawn, gouache")
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseDone)
		p.app.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.pass(time.Second)
		p.shows("After alt+r:", "enter     full screen", "v         video from this", "n         again")
		p.lacks("Try one")
	})
}

// An image's card says that there is no preview: only a video is to be played. The
// large pane says why.
func TestACardWithoutAPreviewSaysSo(t *testing.T) {
	flySizes(t, flyResults, [][2]int{{120, 40}, {160, 48}}, func(p *pilot) {
		p.app.env.Painter = painter(func(string, int, int) (picture.Picture, error) { return picture.Picture{}, errors.New("not a picture") })
		lost := madeUpJob(20, "a lost koi", api.PhaseDone)
		lost.Files = nil
		p.session.add(lost)
		p.session.changes <- []string{lost.ID}
		p.pass(time.Second)
		p.shows("a lost koi", "no file")
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseDone)
		p.pass(time.Second)
		p.shows("● done", "no preview")
		p.lacks("▶ image")
		wide := p.app.size.W >= 160
		p.expect(wide == strings.Contains(p.screen(), "No preview: "), "the reason belongs into the large pane")
	})
}

// TestWhatWasNotChargedHasNoPrice: a job that was refused, not sent, settled as not
// charged, or failed at the service has a price in no card, list or view; one that was
// made has it, whatever became of its files.
func TestWhatWasNotChargedHasNoPrice(t *testing.T) {
	t.Parallel()
	settled, made := madeUpJob(1, "a lost letter", api.PhaseUnknown), madeUpJob(1, "a lost letter", api.PhaseFailed)
	settled.Dismissed, made.Completed = true, true
	for name, c := range map[string]struct {
		job     state.Job
		charged bool
	}{
		"rejected":  {madeUpJob(1, "a lost letter", api.PhaseRejected), false},
		"not sent":  {madeUpJob(1, "a lost letter", api.PhaseNotSent), false},
		"failed":    {madeUpJob(1, "a lost letter", api.PhaseFailed), false},
		"dismissed": {settled, false},
		"no files":  {made, true},
		"done":      {madeUpJob(1, "a lost letter", api.PhaseDone), true},
	} {
		t.Run(name, func(t *testing.T) {
			flyCreate("en", 160, 45, func(d *fakeSession) {
				c.job.Error = api.Sentence("the service refused it").Reason()
				d.add(c.job)
			})(t, func(p *pilot) {
				for _, keys := range [][]string{{"alt+r"}, {"esc", "ctrl+r"}, {"esc", "alt+2"}, {"i"}} {
					p.keys(keys...)
					p.pass(time.Second)
					priced := strings.Contains(p.screen(), "12.5")
					p.expect(priced == c.charged || c.charged && keys[0] != "i", "after %v a price stands there: %v", keys, priced)
				}
			})
		})
	}
}

// noise draws every file as a picture without two equal neighbours.
type noise struct {
	*picture.Loader
	path string
}

func (n noise) Load(ctx context.Context, _ string, cols, rows int, on picture.Terminal) (picture.Picture, error) {
	return n.Loader.Load(ctx, n.path, cols, rows, on)
}

// A result develops within 300 ms, for few bytes, and then nothing is written; without
// motion it is there at once.
func TestAResultDevelopsInFewBytes(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 150, 100))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*i*31>>3 | 0xff*(i%4/3))
	}
	path := filepath.Join(t.TempDir(), "noise.png")
	f := simtest.Must(os.Create(path))(t)
	simtest.NoError(t, errors.Join(png.Encode(f, img), f.Close()))
	written := map[bool]int64{}
	for _, motion := range []bool{true, false} {
		flyResults(120, 41)(t, func(p *pilot) {
			out := simtest.Must(os.Create(filepath.Join(t.TempDir(), "out")))(t)
			defer out.Close()
			size := func() int64 {
				info, _ := out.Stat()
				return info.Size()
			}
			p.app.env.Settings.Motion = motion
			p.app.env.Painter = noise{picture.NewLoader(false), path}
			p.keys("ctrl+s", "enter")
			p.sent(api.PhaseRunning)
			p.app.Restyle(theme.Dark, colorprofile.TrueColor)
			p.app.screen = display.New(out, colorprofile.TrueColor, true, func(draw func()) { draw() })
			p.app.screen.Ask = func() { p.waiting <- p.app.screen.Observe(p.app, display.DueMsg{}) }
			p.app.screen.Observe(p.app, tea.WindowSizeMsg{Width: 120, Height: 41})
			p.send(tea.FocusMsg{})
			p.pass(time.Second)
			before := size()
			p.sent(api.PhaseDone)
			for range 60 {
				p.pass(10 * time.Millisecond)
			}
			written[motion] = size() - before
			p.pass(5 * time.Second)
			late := size() - before - written[motion]
			expect.That(t, late <= 1<<10, late, "bytes are written after the picture came") // notices end
		})
	}
	expect.That(t, written[true] <= 40<<10 && written[true] >= written[false]+2<<10, written[true], "bytes are written with motion")
	expect.That(t, written[false] >= 5<<10, written[false], "bytes are written without motion")
}
