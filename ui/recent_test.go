package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// blockPainter draws every file as a square of blocks, in colours that change
// with each cell or plain.
type blockPainter struct{ coloured bool }

func (b blockPainter) Load(_ context.Context, _ string, cols, rows int, _ picture.Terminal) (picture.Picture, error) {
	p := picture.Picture{Cols: min(cols, 2*rows), Rows: min(rows, cols/2)}
	for y := range p.Rows {
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
func flyResults(t *testing.T, w, h int, test func(*pilot)) {
	t.Helper()
	flyCreate(t, "en", w, h, func(d *fakeSession) {
		d.fill(13).painter = blockPainter{}
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}, func(p *pilot) {
		p.typed("a kettle on a windy pier")
		p.pass(time.Second)
		test(p)
	})
}

func TestSendingStaysAndTheResultDevelops(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {160, 48}, {200, 60}} {
		flyResults(t, size[0], size[1], func(p *pilot) {
			p.keys("ctrl+s", "enter")
			p.shows("Sending…", "Image · acme/brush", "a kettle on a windy pier")
			p.lacks("Review and send")
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
			p.shows("● a kettle on a windy pier is done · alt+2", "2 Jobs ◐3 ●1")
			p.lacks("Accepted.")
			if after := strings.Count(p.screen(), "▀"); after <= before {
				t.Errorf("%v: no picture appeared: %d cells of pictures before, %d after\n%s", size, before, after, p.screen())
			}
			p.keys("alt+2")
			p.keys("home")
			p.pass(time.Second) // it is looked at
			p.pass(time.Second)
			p.lacks("●1")
		})
	}
}

// TestALowTerminalHasBadges: the job is a mark with its time, then a full mark.
func TestALowTerminalHasBadges(t *testing.T) {
	t.Parallel()
	flyResults(t, 80, 24, func(p *pilot) {
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.pass(9 * time.Second)
		p.tick()
		p.shows("◐ 0:09")
		p.sent(api.PhaseDone)
		p.lacks("0:09")
		p.keys("alt+r", "enter")
		p.pass(time.Second)
		p.shows("▀▀▀▀", "a kettle on a windy pier")
	})
}

// TestAKeyAfterSendingIsThePrompts: whatever is typed while the job is accepted.
func TestAKeyAfterSendingIsThePrompts(t *testing.T) {
	t.Parallel()
	flyResults(t, 120, 40, func(p *pilot) {
		p.keys("ctrl+s")
		p.pass(time.Second)
		p.send(keyOf("enter"))
		p.send(keyOf("enter")) // one too many keeps the prompt
		p.shows("a kettle on a windy pier")
		p.typed("quiet ox")
		p.sent(api.PhaseRunning)
		p.shows("┃ quiet ox")
		if p.quit || p.app.at != msg.PlaceCreate {
			t.Errorf("a typed key did something else:\n%s", p.screen())
		}
	})
}

// TestAKeyWhileSendingIsThePrompts: the answer of the store may take a moment.
func TestAKeyWhileSendingIsThePrompts(t *testing.T) {
	t.Parallel()
	slow := func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error { time.Sleep(2 * time.Second); return nil }
	}
	flyCreate(t, "en", 120, 40, slow, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.typed("cyan ox")
		p.shows("Review and send")
		p.pass(5 * time.Second)
		p.shows("┃ cyan ox")
		p.lacks("Review and send")
	})
}

func TestResultsAreChosenAndLeft(t *testing.T) {
	t.Parallel()
	flyResults(t, 120, 40, func(p *pilot) {
		p.keys("alt+r")
		p.shows("enter full screen", "esc back to the prompt", "▸")
		p.keys("w")
		p.shows("w does nothing here. esc goes back to the prompt.")
		p.keys("right", "right", "enter")
		p.pass(time.Second)
		p.shows("harbour at dawn", "▀▀▀", "esc back")
		p.lacks("Prompt", "lighthouse")
		p.keys("right")
		p.pass(time.Second)
		p.shows("neon koi")
		p.keys("esc", "esc")
		p.typed("!")
		p.shows("pier!")
		p.keys("alt+r", "e")
		p.pass(time.Second)
		p.shows("neon koi, on rough paper", "Image · acme/brush")
		p.typed("?")
		p.shows("rough paper?")
	})
}

// TestTheMouseChoosesAResult: a click goes in, a second one shows it alone.
func TestTheMouseChoosesAResult(t *testing.T) {
	t.Parallel()
	flyResults(t, 120, 40, func(p *pilot) {
		p.pressAt("lighthouse")
		p.shows("▸lighthouse", "esc back to the prompt")
		p.pace.Add(int64(keyPause))
		p.pressAt("lighthouse")
		p.pass(time.Second)
		p.shows("esc back")
		p.lacks("Prompt")
	})
}

// TestTheChainComesFirst: results of the prompt in the form stand before newer
// ones of others.
func TestTheChainComesFirst(t *testing.T) {
	t.Parallel()
	old := func(d *fakeSession) {
		d.fill(13)
		j := madeUpJob(40, "a tin robot waters a fern, morning light", api.PhaseDone)
		j.Request.Prompt = "a tin robot waters a fern, morning light"
		d.jobs[j.ID] = j
		d.rows = append(d.rows, rowOf(j))
	}
	flyCreate(t, "en", 80, 24, old, func(p *pilot) {
		p.lacks("● fast 720p")
		p.typed("a tin robot waters a small fern, morning light")
		p.keys("alt+2", "alt+1")
		p.pass(time.Second)
		p.shows(" ● fast 720p")
	})
}

// TestANoticeIsNeverGoodBesideAFailure: what was said of a job gives way to how
// it ended.
func TestANoticeIsNeverGoodBesideAFailure(t *testing.T) {
	t.Parallel()
	for phase, want := range map[api.Phase]string{
		api.PhaseRejected: "✕ a kettle on a windy pier: rejected · alt+2",
		api.PhaseFailed:   "✕ a kettle on a windy pier: failed · alt+2",
		api.PhaseUnknown:  "! The outcome of a kettle on a windy pier is unknown",
	} {
		flyResults(t, 120, 40, func(p *pilot) {
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
	for _, at := range []string{"alt+1", "alt+3", "alt+4"} {
		fly(t, 120, 40, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
			p.keys(at)
			j := madeUpJob(0, "paper boat in a gutter", api.PhaseDone)
			j.EndedAt, j.Version = fakeNow.Add(time.Hour), 2
			p.session.replace(j)
			p.pass(100 * time.Millisecond)
			p.shows("● paper boat in a gutter is done · alt+2", "●1")
		})
	}
}

// TestAFinalOfADraft: F on a fast result loads it at the best tier.
func TestAFinalOfADraft(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		j := madeUpJob(0, "a tin robot", api.PhaseDone) // 425 credits
		seed := int64(41)
		j.Request.Seed, j.Request.ImageFiles = &seed, []string{"https://a.example/fern.png"}
		d.add(j)
		newer := madeUpJob(2, "a kite", api.PhaseDone)
		newer.Estimate.Credits = 900 * api.Credit
		d.add(newer)
	}, func(p *pilot) {
		p.pass(time.Second)
		p.keys("alt+r", "right", "F")
		p.pass(time.Second)
		p.shows("a tin robot, macro lens", "standard_vip", "1080p", "41", "fern.png", "1,000 credits")
		p.keys("alt+r", "esc")
		p.typed("!")
		p.shows("lens!")
	})
}

func TestAPriceThatDiffersShowsBoth(t *testing.T) {
	t.Parallel()
	differs := func(d *fakeSession) {
		d.estimate = func(r api.Request) (api.Estimate, error) {
			return api.Estimate{Credits: 999 * api.Credit, Source: api.SourceService, At: fakeNow}.WithTable(r), nil
		}
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {160, 48}} {
		flyCreate(t, "en", size[0], size[1], differs, func(p *pilot) {
			p.shows("999 credits", "service 999, table 425")
		})
	}
}

// TestAServiceThatIsDownIsSaidBesideThePrice: with the time of the next try,
// which is kept.
func TestAServiceThatIsDownIsSaidBesideThePrice(t *testing.T) {
	t.Parallel()
	down := true
	prepare := func(d *fakeSession) {
		quick := d.estimate
		d.estimate = func(r api.Request) (api.Estimate, error) {
			if down {
				return api.TableEstimate(r), &api.Error{Class: api.ClassNetwork, Text: text("dial tcp: connection refused")}
			}
			return quick(r)
		}
	}
	flyCreate(t, "en", 120, 40, prepare, func(p *pilot) {
		p.pass(400 * time.Millisecond)
		p.shows("425 credits", "≈ table", "✕ api.example.com does not answer.", "Retrying in 8 s · ctrl+g now")
		p.pass(3 * time.Second)
		p.send(msg.TickedMsg{At: fakeNow.Add(3 * time.Second)})
		p.shows("Retrying in 5 s")
		down = false
		p.pass(6 * time.Second)
		p.shows("✓ quoted")
		p.lacks("does not answer")
	})
}

func TestABudgetThatCannotBeReadIsNoAmount(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.today = state.Spent{Budget: api.BudgetUnreadable} }, func(p *pilot) {
		p.typed("a boat")
		p.pass(time.Second)
		p.shows("budget unreadable", "The budget or another setting cannot", "read: nothing is sent")
		p.keys("ctrl+s")
		p.lacks("0.000001")
	})
}

// pressAt presses the left button on the first text of this kind.
func (p *pilot) pressAt(text string) {
	p.t.Helper()
	y := p.lineOf(text)
	if y < 0 {
		p.t.Fatalf("the screen lacks %q:\n%s", text, p.screen())
	}
	before, _, _ := strings.Cut(strings.Split(p.screen(), "\n")[y], text)
	p.send(tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft})
}

// TestTheLastResultInViewTakesTheRoomThatIsLeft: it is cut, so that no cells stay
// blank. A press chooses it where it is, for a second one; keys show it whole.
func TestTheLastResultInViewTakesTheRoomThatIsLeft(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		for i := range 5 {
			d.add(madeUpJob(i, fmt.Sprint("koi ", i), api.PhaseFailed))
		}
	}, func(p *pilot) {
		p.pass(time.Second)
		p.shows("koi 4", "koi 2", "koi 1", "1 more")
		p.lacks("koi 0")
		p.pressAt("koi 1")
		p.shows("▸koi 1", "koi 4")
		p.keys("right")
		p.shows("koi 0")
		p.lacks("koi 4")
	})
}

// The last picture in view is cut where the strip ends, not drawn smaller: it
// begins and ends on the lines of its neighbours.
func TestTheLastPictureInViewIsAsHighAsTheOthers(t *testing.T) {
	t.Parallel()
	_, lines := besideResults(t, 120, 40, 200).view()
	pictures := 0
	for _, l := range lines[20:] {
		if l = ansi.Strip(l); strings.Contains(l, "▀") {
			pictures++
			if !strings.HasSuffix(l, "▀  │") {
				t.Errorf("the last picture is not on line %q", l)
			}
		}
	}
	if pictures < 8 {
		t.Errorf("%d lines of pictures", pictures)
	}
}

// TestFewResultsLeaveRoomForWhatCanBeDone: the facts of the chosen one and the
// keys that it has, which are gone when there are results enough.
func TestFewResultsLeaveRoomForWhatCanBeDone(t *testing.T) {
	t.Parallel()
	for jobs, told := range map[int]bool{1: true, 13: false} {
		flyCreate(t, "en", 120, 40, func(d *fakeSession) {
			for i := range jobs {
				d.add(madeUpJob(i, "koi", api.PhaseDone))
			}
			d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
		}, func(p *pilot) {
			p.pass(time.Second)
			p.keys("alt+r")
			for _, text := range []string{"use as reference", "edit and send again"} {
				if got := strings.Contains(p.screen(), text); got != told {
					t.Errorf("with %d results the screen has %q: %v\n%s", jobs, text, got, p.screen())
				}
			}
		})
	}
}

// The verbs that a picture brings stand below the keys that were there before it.
func TestVerbsKeepTheirPlacesWhenThePictureComes(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		d.drafts = map[string]api.Request{"shown": {Kind: api.KindImage}}
	}, func(p *pilot) {
		p.typed("a kettle on a windy pier")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		y := p.lineOf("full screen")
		p.shows("running", "results")
		p.lacks("favourite", "video from this")
		p.sent(api.PhaseDone)
		p.shows("favourite", "video from this")
		if got := p.lineOf("full screen"); y < 0 || got != y {
			t.Errorf("full screen stands on line %d, before the picture on %d:\n%s", got, y, p.screen())
		}
		p.keys("alt+r")
		if got := p.lineOf("full screen"); got != y {
			t.Errorf("full screen stands on line %d, before alt+r on %d:\n%s", got, y, p.screen())
		}
	})
}

// TestAnImagesPricesStandInATable: each choice is asked for once for a model;
// a press on one takes it, and without a service those of before are shown.
func TestAnImagesPricesStandInATable(t *testing.T) {
	t.Parallel()
	asked, images := 0, map[string]api.Request{"shown": {Kind: api.KindImage}}
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		d.drafts = images
		quick := d.estimate
		d.estimate = func(r api.Request) (api.Estimate, error) {
			asked++
			return quick(r)
		}
	}, func(p *pilot) {
		p.pass(time.Second)
		p.shows("medium", "▸12", "120")
		once := asked
		p.pressAt("120 ")
		p.shows("‹ 4K ›", "‹ high ›")
		p.pass(time.Second)
		p.shows("▸120", "120 credits")
		if asked != once+1 {
			t.Errorf("%d questions for one other choice", asked-once)
		}
	})
	flyCreate(t, "en", 120, 40, func(d *fakeSession) {
		d.drafts = images
		d.known = map[string]api.Estimate{"4K low": {Credits: 77 * api.Credit, Source: api.SourceService, At: fakeNow}}
		d.estimate = func(r api.Request) (api.Estimate, error) {
			return api.TableEstimate(r), &api.Error{Class: api.ClassNetwork, Text: text("dial tcp: connection refused")}
		}
	}, func(p *pilot) {
		p.pass(time.Second)
		p.shows("does not answer", "medium", "77")
	})
}

// besideResults is an App with a prompt in Create beside that many results.
func besideResults(tb testing.TB, w, h, jobs int) *App {
	d := newFakeSession()
	for i := range jobs {
		d.add(madeUpJob(i, "a boat", api.PhaseDone))
	}
	d.painter = blockPainter{coloured: true}
	app := New(tb.Context(), Options{Session: d, Clock: func() time.Time { return fakeNow }, Painter: d.painter})
	app.Update(tea.WindowSizeMsg{Width: w, Height: h})
	drain(app, app.show(msg.PlaceCreate))
	app.Update(tea.PasteMsg{Content: "A paper boat drifts down a rain gutter"})
	if pictures := strings.Contains(app.View().Content, "▀"); pictures != (jobs > 0) {
		tb.Fatalf("pictures are shown: %v", pictures)
	}
	return app
}

// A key gives the terminal few new lines; all others are the same strings as
// before, so that nothing reads the pictures in them.
func TestAKeyReadsNoPictures(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		app := besideResults(t, size[0], size[1], 200)
		_, before := app.view()
		app.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		_, after := app.view()
		changed := 0
		for y := range after {
			if unsafe.StringData(before[y]) != unsafe.StringData(after[y]) {
				changed++
			}
		}
		if changed == 0 || changed > 4 {
			t.Errorf("%v: a key makes %d lines anew", size, changed)
		}
	}
}

// BenchmarkCreateKeyBesideResults is a key in the prompt and the frame that it
// leads to, with and without pictures in Recent.
func BenchmarkCreateKeyBesideResults(b *testing.B) {
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		for _, jobs := range []int{0, 200} {
			b.Run(fmt.Sprintf("%dx%d-%d", size[0], size[1], jobs), func(b *testing.B) {
				app := besideResults(b, size[0], size[1], jobs)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if i%2 == 0 {
						app.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
					} else {
						app.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
					}
					app.view()
				}
			})
		}
	}
}

// On a wide screen the large frame says what will come, and the strip how.
func TestNoPaneIsEmptyBeforeTheFirstResult(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{160, 48}, {200, 60}} {
		fly(t, size[0], size[1], nil, func(p *pilot) {
			p.keys("alt+1")
			p.pass(time.Second)
			above, strip, ok := strings.Cut(p.screen(), "─ Recent ─")
			if !ok || !strings.Contains(above, "Results develop here, beside the prompt.") || strings.Count(above, "╭") != 5 {
				t.Errorf("%v: the large pane does not say what will come:\n%s", size, above)
			}
			if strings.Contains(strip, "Results develop here") || !strings.Contains(strip, "{a|b}") {
				t.Errorf("%v: the strip does not say how:\n%s", size, strip)
			}
		})
	}
}

// noPainter cannot draw any file.
type noPainter struct{}

func (noPainter) Load(context.Context, string, int, int, picture.Terminal) (picture.Picture, error) {
	return picture.Picture{}, errors.New("not a picture")
}

// An image's card says that there is no preview: only a video is to be played. The
// large pane says why.
func TestACardWithoutAPreviewSaysSo(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {160, 48}} {
		flyResults(t, size[0], size[1], func(p *pilot) {
			p.app.env.Painter = noPainter{}
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
			if wide := size[0] >= 160; wide != strings.Contains(p.screen(), "No preview: ") {
				t.Errorf("%v: the reason belongs into the large pane:\n%s", size, p.screen())
			}
		})
	}
}
