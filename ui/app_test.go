package ui

import (
	"errors"
	"fmt"
	"image/color"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

func TestEveryLineHasTheTerminalsWidth(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		for _, size := range [][2]int{{60, 16}, {60, 40}, {80, 24}, {99, 29}, {100, 30}, {120, 40}, {138, 40}, {200, 60}} {
			flyIn(lang, size[0], size[1], func(d *fakeSession) { spentLately(d.fillDone(60)); d.painter = blockPainter{} })(t, func(p *pilot) {
				for _, key := range []string{"alt+1", "alt+2", "enter", "esc", "?", "esc", "ctrl+k", "esc", "alt+3", "tab", "esc", "$"} {
					p.keys(key, "~")
					lines := strings.Split(p.app.View().Content, "\n")
					p.expect(len(lines) == size[1], "%s %v after %s: %d lines", lang, size, key, len(lines))
					for i, l := range lines {
						w := ansi.StringWidth(l)
						p.expect(w <= size[0], "%s %v after %s: line %d takes %d cells: %q", lang, size, key, i, w, ansi.Strip(l))
					}
				}
			})
		}
	}
}

func TestTinyTerminalsGetOneSentence(t *testing.T) {
	flySizes(t, func(w, h int) start { return fly(w, h, nil) }, [][2]int{{59, 40}, {120, 15}, {10, 3}, {1, 1}}, func(p *pilot) {
		lines := strings.Split(p.app.View().Content, "\n")
		p.expect(len(lines) <= p.app.size.H && lines[0] != "", "%q", lines)
	})
}

func TestApp(t *testing.T) { flyEach(t, appFlights) }

// pasteBox is an overlay that counts what is pasted.
type pasteBox struct {
	widget.Passive
	bytes int
}

func (b *pasteBox) Box(int, int) string { return "box" }
func (b *pasteBox) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.PasteMsg); ok {
		b.bytes += len(m.Content)
	}
	return nil
}

var appFlights = []flight{
	{"a paste is bounded", fly(120, 40, nil), func(p *pilot) {
		var box pasteBox
		p.send(msg.OpenedMsg{Overlay: &box})
		p.paste(strings.Repeat("a boat ", 1<<20))
		p.expect(box.bytes != 0 && box.bytes <= 1<<20, "%d bytes are handed on", box.bytes)
	}},
	{"what is typed behind a key is for what the key opens", fly(120, 40, func(d *fakeSession) { d.fill(5) }), func(p *pilot) {
		p.keys("alt+1", ":a boat")
		for _, open := range []string{"ctrl+k", "f1", "ctrl+r", "alt+s", "ctrl+s"} {
			p.app.Update(keyOf(open)) // its command has not run yet
			p.expect(len(p.app.overlays) == 1, "%s has opened %d overlays", open, len(p.app.overlays))
			p.app.Update(keyOf("x"))
			p.app.Update(keyOf("esc"))
			p.expect(len(p.app.overlays) == 0, "esc has left an overlay of %s open", open)
		}
		p.lacks("boatx")
		p.keys("alt+2")
		p.app.Update(keyOf("$"))
		p.expect(len(p.app.overlays) == 1, "$ has opened %d overlays", len(p.app.overlays))
	}},
	{"overlays are drawn at every size", fly(120, 40, func(d *fakeSession) { d.fillDone(9) }), func(p *pilot) {
		for _, open := range []string{"$", "ctrl+k", "?", "enter", "c", "i"} {
			p.keys("alt+2", open, "~~")
			for _, size := range [][2]int{{20, 5}, {80, 8}, {1, 1}, {60, 16}, {120, 2}, {120, 40}} {
				p.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			}
			p.keys("esc", "esc")
		}
	}},
	{"printable keys belong to the field", fly(120, 40, func(d *fakeSession) { d.fill(5) }), func(p *pilot) {
		p.keys("alt+2", "/", ":q3?")
		p.expect(!p.quit && p.app.at == msg.PlaceJobs && len(p.app.overlays) == 0, "a typed key did something else")
		p.shows("/ q3?")
		p.keys("alt+3")
		p.isAt(msg.PlacePrices)
	}},
	{"one press of ctrl c does not quit", fly(120, 40, nil), func(p *pilot) {
		p.keys("ctrl+c")
		p.shows("Press ctrl+c again to quit.")
		p.keys("left", "ctrl+c")
		p.quits(false)
	}},
	{"a panic in a command becomes a notice", fly(120, 40, nil), func(p *pilot) {
		p.app.opts.StateDir = p.t.TempDir()
		p.do(p.app.guard(func() tea.Msg { panic("secret ak_1234") }))
		p.shows("Something inside darkroom broke.")
		p.lacks("ak_1234")
	}},
	{"errors reach the notice before any routing", fly(120, 40, nil), func(p *pilot) {
		p.send(msg.FailedMsg{Err: fmt.Errorf("the disk is full\x1b[31m: make room")})
		p.shows("The disk is full", "make room.")
		p.lacks("\x1b[31m")
	}},
	{"phases are told without colour", fly(120, 40, func(d *fakeSession) { d.fill(13) }), func(p *pilot) {
		p.send(tea.ColorProfileMsg{Profile: colorprofile.Ascii})
		p.keys("alt+2", "j")
		p.shows("running", "○ queued", "▸ ○ queued", "● done", "✕ failed", "? unknown", "⇣ fetching")
		p.expect(!strings.Contains(p.app.View().Content, "[38;"), "colours in a terminal without any")
	}},
	{"a refused key is asked for", fly(120, 40, func(d *fakeSession) { d.fill(2); d.settings.BaseURL = "https://api.example.com" }), func(p *pilot) {
		st := p.app.env.Health
		st.KeyRefused = true
		p.send(msg.ChangedMsg{Health: st, At: fakeNow, Page: state.Page{All: 2}})
		p.shows("The service refused the key ak_…9f3c.")
		p.send(tea.PasteMsg{Content: " ak_abcdefghij \n"})
		p.lacks("ak_abcdefghij")
		p.keys("enter")
		p.asked("check https://api.example.com", 1)
		p.asked("use https://api.example.com", 1)
		p.isAt(msg.PlaceCreate)
	}},
}

func TestAWaitingKeyringIsTold(t *testing.T) {
	t.Parallel()
	setUp := func(d *fakeSession) {
		d.settings.BaseURL = "https://api.example.com"
		d.health.KeyHint, d.health.KeyPending = "", true
	}
	answered := func(p *pilot) {
		st := p.app.env.Health
		st.KeyHint, st.KeyPending, st.KeyError = "ak_…9f3c", false, api.Reason{}
		p.send(msg.ChangedMsg{Health: st, At: fakeNow})
	}
	for name, typed := range map[string]string{"nothing typed": "", "half a key": "ak_abc"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fly(120, 40, setUp)(t, func(p *pilot) {
				p.lacks("Your keyring has not answered yet.") // it had no time yet
				st := p.app.env.Health
				st.KeyError = api.ReasonText.Reason("the keyring has not answered")
				p.send(msg.ChangedMsg{Health: st, At: fakeNow})
				p.shows("Your keyring has not answered yet.", "for this session only") // it could not be kept without waiting
				p.send(tea.PasteMsg{Content: typed})
				answered(p)
				left := p.app.at == msg.PlaceCreate
				p.expect(left == (typed == ""), "after the keyring's answer it is at screen %d", p.app.at)
			})
		})
	}
}

// The same keys cost the same, however long the list is.
func TestAKeyInJobsCostsNoMoreWithMoreJobs(t *testing.T) {
	allocs := func(n int) (got float64) {
		fly(200, 60, func(d *fakeSession) { d.fill(n) })(t, func(p *pilot) {
			p.keys("alt+2", "~")
			down, up := keyOf("down"), keyOf("up")
			got = testing.AllocsPerRun(50, func() {
				p.app.Update(down)
				p.app.View()
				p.app.Update(up)
				p.app.View()
			})
		})
		return got
	}
	few, many := allocs(100), allocs(2_000)
	expect.That(t, many <= 1.1*few, "two keys", few, "allocations with 100 jobs", many, "with 2,000")
}

func BenchmarkKeyInJobs(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := appAt(b, newFakeSession().fill(n), msg.PlaceJobs, 120, 40)
			b.ReportAllocs()
			keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
			for i := 0; b.Loop(); i++ {
				a.Update(keys[i%2])
				a.view()
			}
		})
	}
}

func TestKeyScreenFieldsByMouseAndKeys(t *testing.T) {
	t.Parallel()
	fly(120, 40, noKey)(t, func(p *pilot) {
		p.typed("ak")
		p.shows("▸ Key        ••", "2 characters, not a whole key yet")
		at := p.app.View().Cursor
		p.keys("left")
		c := p.app.View().Cursor
		p.expect(at != nil && c != nil && c.X == at.X-1 && c.Y == at.Y, "left moved the cursor from %v to %v", at, c)
		p.clickOn("Keep  ")
		p.shows("▸ Keep", "in your keyring")
		p.expect(p.app.View().Cursor == nil, "a cursor on a choice")
		p.keys("right")
		p.shows("for this session only", "You will be asked again the next time.")
		p.keys("tab") // the address is set from outside, so it is left out
		p.shows("▸ Key")
		p.keys("end", "|\n_1234567890 \n")
		p.shows("13 characters, shaped like a key")
		p.expect(!strings.Contains(p.app.View().Content, "1234567890"), "the key is shown")
		p.send(tea.WindowSizeMsg{Width: 60, Height: 16})
		p.shows("▸ Key", "shaped like a key", "Keep")
		p.isAt(msg.PlaceKey)
	})
}

func TestAnUnsavedJobIsAskedAboutTwiceBeforeQuitting(t *testing.T) {
	t.Parallel()
	unsaved := func(d *fakeSession) { d.fill(3); d.health.Unsaved = 1 }
	for _, quit := range map[string][]string{"ctrl+q": {"ctrl+q"}, "esc and ctrl+q": {"ctrl+alt+q"}, "q": {"alt+2", "q"}, "ctrl+c": {"ctrl+c", "ctrl+c"}} {
		fly(120, 40, unsaved)(t, func(p *pilot) {
			p.keys(quit...)
			p.shows("Quit now?", "tries again every second")
			p.keys(quit...)
			p.keys("enter", "l")
			p.quits(false)
			p.keys("y")
			p.shows("Quit anyway?", "write it down first")
			p.keys("y", "ctrl+q")
			p.quits(false)
			p.keys("l")
			p.quits(true)
		})
	}
	fly(120, 40, unsaved)(t, func(p *pilot) {
		p.keys("ctrl+q", "y", "esc")
		p.lacks("Quit")
		p.keys("alt+3")
		p.expect(!p.quit && p.app.at == msg.PlacePrices, "esc does not lead back to work")
		p.keys("ctrl+q")
		p.session.health.Unsaved = 0
		p.app.pressed(keyOf("esc")) // and the next key comes with it
		p.keys("ctrl+q")
		p.quits(true)
	})
}

func TestLeaving(t *testing.T) { flyEach(t, leavingFlights) }

var leavingFlights = []flight{
	{"the form begins with a request", fly(120, 40, func(d *fakeSession) {
		d.drafts = map[string]api.Request{"video": {Kind: api.KindVideo, Prompt: "an older draft"}}
		d.request = &api.Request{Kind: api.KindImage, Prompt: "a heron at dusk"}
	}), func(p *pilot) {
		p.pass(time.Second)
		p.shows("a heron at dusk", "Image")
		p.lacks("an older draft")
	}},
	{"the stores choice is offered and taken", fly(80, 24, func(d *fakeSession) {
		d.health.Choice, d.health.ReadOnly = true, api.Sentence("the store was written by a newer darkroom: use that version, or begin a new store with 'darkroom doctor --new-store' (the file is kept)").Reason()
	}), func(p *pilot) {
		p.shows("The store was written by a newer darkroom", "Continue with a new database   y")
		p.keys("esc", "alt+1", ":a boat")
		p.shows("✗ Nothing can be sent")
		p.keys("ctrl+s")
		p.lacks("Send this")
		p.shows("The store was written by a newer darkroom")
		p.keys("ctrl+k", ":new database", "enter", "y", "~")
		p.asked("choose", 1)
		p.shows("A new database is in use.", "Review and send   ctrl+s")
		p.lacks("Nothing can be sent")
	}},
	{"a store that cannot be written is said", fly(120, 40, func(d *fakeSession) {
		d.health.ReadOnly = api.ReasonText.Reason("the store cannot be written (no space): make room, then start again")
	}), func(p *pilot) {
		p.shows("The store cannot be written (no space)", "✕ nothing can be sent")
		p.lacks("continue with a new database")
	}},
	{"most of the budget spent is warned of", flyCreate("en", 120, 40, func(d *fakeSession) { d.today = state.Spent{Credits: 800 * api.Credit, Budget: 1000 * api.Credit} }), func(p *pilot) {
		p.shows("! today 800 of 1,000 cr")
		p.keys(":a boat", "~")
		p.shows("✗ 225 credits over today's budget of", "│    1,000  ")
		p.keys("ctrl+t", "~")
		p.shows("! 800 of today's budget of 1,000 ")
		label, _, _ := strings.Cut(p.app.env.Theme.Muted.Paint("Ratio"), "Ratio")
		p.expect(strings.Contains(p.app.View().Content, label), "nothing is drawn in the colour of labels")
		p.send(tea.BackgroundColorMsg{Color: color.White})
		p.expect(!strings.Contains(p.app.View().Content, label), "another theme is not drawn")
		p.session.today.Credits = 995 * api.Credit
		p.session.changes <- nil
		p.pass(time.Second)
		p.shows("✗ 7 credits over today's budget of")
		p.session.today.Credits = 0
		p.session.changes <- nil
		p.keys("~", "ctrl+s", "~")
		p.shows("0 → 12 of 1,000")
		p.session.today.Credits = 5 * api.Credit
		p.session.changes <- nil
		p.pass(time.Second)
		p.shows("5 → 17 of 1,000")
	}},
	{"a terminal too small for the price sends nothing", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+s", "~")
		p.send(tea.WindowSizeMsg{Width: 59, Height: 40})
		p.keys("~", "enter", "~", "enter", "~")
		p.sends(0)
		p.send(tea.WindowSizeMsg{Width: 60, Height: 40})
		p.keys("~", "enter", "~")
		p.sends(1)
		p.shows("‹ fast › standard", "‹ 5 s › 10 s") // no prices have room beside the rows
	}},
	{"a result becomes a reference", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("alt+1", "ctrl+t", "alt+2", "j", "j", "j", "j", "j", "~", "u") // an image that is done
		want := "https://cdn.example.com/job000005.png"
		p.shows("Added as Image.", "job000005.png · job job0")
		p.isAt(msg.PlaceCreate)
		got := p.kept("image")
		expect.That(p.t, got.Kind == api.KindImage && got.ImageURL == want, "the image draft has", got)
		p.keys("ctrl+t", "alt+2", "u")
		p.shows("Added as 图片1.")
		got = p.kept("video")
		expect.Equal(p.t, got.Kind, api.KindVideo, "the video draft")
		expect.List(p.t, got.ImageFiles, []string{want}, "the video draft")
		p.keys("alt+2", "u")
		p.shows("Already added as 图片1.")
	}},
	{"a video becomes a reference", inJobs(120, 40, 13), func(p *pilot) {
		j := madeUpJob(2, "harbour", api.PhaseDone)
		j.Files[0].MediaType, j.Files[0].URL, j.Version = "video/mp4", "https://cdn.example.com/v", 2
		p.session.replace(j)
		p.keys("j", "j", "~", "u")
		got := p.kept("video")
		expect.Equal(p.t, got.Kind, api.KindVideo, "a video became")
		expect.List(p.t, got.VideoFiles, []string{"https://cdn.example.com/v"}, "a video became")
		p.keys("alt+2", "k", "~", "u")
		p.shows("This job has no URL.")
	}},
	{"two jobs are compared by what differs", inJobs(120, 40, 0), func(p *pilot) {
		a, b := madeUpJob(0, "a", api.PhaseDone), madeUpJob(2, "b", api.PhaseDone)
		a.Request.Prompt, b.Request.Prompt = "纸船顺着水沟，macro lens", "纸船漂过水沟，macro lens"
		a.Request.Model, b.Request.Model, b.Request.VideoModel = strings.Repeat("longer-", 20), strings.Repeat("longer-", 20), "fast_vip"
		p.session.add(a)
		p.session.add(b)
		p.session.changes <- []string{a.ID}
		p.keys("~", "c")
		p.shows("Marked. Press c on another job", "✓● done")
		p.keys("c")
		p.shows("No longer marked.")
		p.lacks("✓")
		p.keys("c", "j", "c", "~")
		p.shows("纸船顺着水沟", "纸船漂过水沟", "│  Tier   fast_vip ", "The same  longer-longer-", "…", " 720p · 5 s · 16:9 · ")
		for _, differs := range []string{"顺着", "漂过"} {
			expect.Contains(p.t, p.app.View().Content, p.app.env.Theme.Token.Paint(differs), "marked")
		}
		p.keys("f", "left", "5", "left", "~")
		p.shows("♥ ★★★★★")
		p.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		p.keys("$", "~", "esc") // opens over it
		p.shows(" A  ", "纸船", "fast_vip")
		p.app.env.Settings.Motion = true
		p.keys("space", "x")
		p.shows(" A  B ", "Hold the one")
		p.lacks("fast_vip")
		p.app.env.Settings.Motion = false
		p.keys("b", "space")
		p.shows("纸船顺着水沟", "change them by key")
		p.keys("esc", "esc")
		p.lacks("纸船顺着水沟，macro lens   ", "✓")
	}},
	// A job that the store could not take is asked about from the moment that it is so, also when the store cannot even be read.
	{"quitting knows of an unsaved job at once", fly(120, 40, nil), func(p *pilot) {
		p.session.health.Unsaved = 1 // and no change was told yet
		p.keys("ctrl+q")
		p.shows("Quit now?")
		p.quits(false)
	}},
	{"an unsaved job is known though the store cannot be read", fly(120, 40, nil), func(p *pilot) {
		p.send(msg.ChangedMsg{FailedMsg: msg.FailedMsg{Err: errors.New("the disk is full")}, Health: state.Health{Unsaved: 1}})
		p.expect(p.app.env.Health.Unsaved == 1, "the health is lost with what could not be read")
	}},
	{"an absence is summed up at the start", fly(120, 40, func(d *fakeSession) { d.absence = state.Absence{Broken: 1, Expired: 2, Credits: 850 * api.Credit} }), func(p *pilot) {
		p.pass(lookBackPause)
		p.shows("While you were away: 0 done, 1 failed, 2 with expired links, about 850 cr.")
	}},
	{"no absence is not summed up", fly(120, 40, nil), func(p *pilot) { p.pass(lookBackPause); p.lacks("While you were away") }},
	{"a notification has the title and nothing else", inJobs(120, 40, 3), func(p *pilot) {
		p.app.opts.Env = func(name string) string { return map[string]string{"TERM": "foot"}[name] }
		p.send(tea.BlurMsg{})
		p.session.finish("a boat;\x07\x1b]52;c;aGk=\x1b\\ at sea", time.Second, 2)
		p.pass(time.Second)
		sent := p.written()
		at := strings.Index(sent, "\x1b]777;")
		p.expect(at >= 0, "nothing was sent: %q", sent)
		note, _, ended := strings.Cut(sent[at+1:], "\x07")
		p.expect(ended && strings.Count(note, ";") == 3 && strings.Contains(note, "Done: “"), "the note is %q", note)
		expect.Lacks(p.t, note, "\x1b", "the note")
	}},
}

// TestALetterDoesNotQuitByASlip presses q with the focus on everything that Create
// shows, and elsewhere while something runs.
func TestALetterDoesNotQuitByASlip(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"image", "video"} {
		flyCreate("en", 120, 40, func(d *fakeSession) { d.fill(8) })(t, func(p *pilot) {
			if kind == "video" {
				p.keys("ctrl+t")
			}
			for range 20 {
				p.keys("q")
				p.quits(false)
				p.lacks("Quit now?")
				p.keys("tab")
			}
			p.keys("alt+r", "q")
			p.quits(false)
		})
	}
	fly(120, 40, func(d *fakeSession) { d.fill(3) })(t, func(p *pilot) {
		for _, place := range []string{"alt+2", "alt+3", "alt+4"} {
			p.keys(place, "q")
			p.shows("Quit now?", "2 jobs are running.")
			p.keys("esc")
			p.quits(false)
		}
		p.keys("ctrl+q")
		p.quits(true)
	})
	fly(120, 40, nil)(t, func(p *pilot) {
		p.keys("alt+2", "q")
		p.quits(true)
	})
}

func TestWhatIsDeletedIsAskedAbout(t *testing.T) {
	t.Parallel()
	for made, asks := range map[int]bool{0: false, 3: true} {
		fly(120, 40, func(d *fakeSession) { d.fill(made) })(t, func(p *pilot) {
			p.app.opts.Passing = true
			p.keys("ctrl+q")
			p.expect(p.quit != asks, "with %d jobs made it quit: %v", made, p.quit)
			if asks {
				p.shows("Everything made in the demo is deleted with it.")
				p.keys("y")
				p.quits(true)
			}
		})
	}
}
