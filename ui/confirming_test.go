package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// burst presses keys that follow each other as a terminal sends them when they
// were pasted: without a pause.
func (p *pilot) burst(names ...string) {
	p.t.Helper()
	for _, n := range names {
		p.send(keyOf(n))
	}
}

// after is burst once a time has gone by.
func (p *pilot) after(d time.Duration, names ...string) {
	p.t.Helper()
	p.pace.Add(int64(d))
	p.burst(names...)
}

func (p *pilot) sends(want int) {
	p.t.Helper()
	p.expect(len(p.session.confirmed) == want, "%d requests were sent, want %d", len(p.session.confirmed), want)
}

func TestConfirming(t *testing.T) { flyEach(t, confirmingFlights) }

var confirmingFlights = []flight{
	{"keys without a pause never confirm", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a boat", "~")
		p.burst("ctrl+s")
		for range 100 {
			p.after(50*time.Millisecond, "enter")
		}
		p.sends(0)
		p.after(300*time.Millisecond, "enter")
		p.sends(1)
	}},
	{"a key that is held down does not answer what it led to", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+k", ":review and send")
		p.burst("enter")
		p.shows("Send 425 credits")
		for _, rests := range []time.Duration{660, 30, 30, 30} {
			p.after(rests*time.Millisecond, "enter")
		}
		p.sends(0)
		p.after(confirmAfter, "enter")
		p.sends(1)
	}},
	{"a price that comes while a key is held down lets it answer no sooner", flyCreate("en", 120, 40, pricedAfter(100*time.Millisecond, 999, nil)), func(p *pilot) {
		p.keys(":a boat", "ctrl+k", ":review and send")
		p.burst("enter")
		p.pass(150 * time.Millisecond)
		p.shows("999 credits")
		for _, rests := range []time.Duration{360, 30, 30, 30} {
			p.pass(rests * time.Millisecond)
			p.burst("enter")
		}
		p.sends(0)
		p.pass(heldAfter)
		p.burst("enter")
		p.sends(1)
	}},
	{"what is typed while a review is out of sight does not answer it", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+s")
		p.after(time.Second, "ctrl+z")
		p.after(time.Minute, "enter")
		p.sends(0)
		p.pace.Add(int64(time.Second))
		p.send(tea.ResumeMsg{})
		p.burst("enter")
		p.sends(0)
		p.pace.Add(int64(time.Second))
		p.send(tea.WindowSizeMsg{Width: 20, Height: 5})
		p.pace.Add(int64(time.Second))
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.burst("enter")
		p.sends(0)
		p.after(confirmAfter, "enter")
		p.sends(1)
	}},
	{"keys of a field are never dropped", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.paste("a boat")
		p.burst(" ", "o", "n", "enter", "i", "c", "e")
		p.keeps("video", "a boat on\nice")
	}},
	{"keys of a question for an id are never dropped", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("j", "j", "j", "j", "enter", "a") // unknown: its id is asked for
		p.shows("Enter job id")
		p.burst("4", " ", "q", "enter")
		p.shows("Press enter again.", "4 q")
		p.after(confirmAfter, "enter")
		p.asked("attach job000004 4 q", 1)
	}},
	{"a price that has just come is not agreed to", flyCreate("en", 120, 40, pricedAfter(time.Second, 999, nil)), func(p *pilot) {
		p.keys(":a boat", "ctrl+s")
		p.send(toldReview(9))
		p.shows("Send 425 credits") // what another review was told changes nothing
		p.pass(2 * time.Second)
		p.burst("enter")
		p.sends(0)
		p.shows("999 credits", "Press enter again.")
		p.keys("enter")
		p.sends(1)
	}},
	{"clicks confirm nothing before the question could be read", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+s", "|y")
		p.clickOn("Send 425 credits")
		p.sends(0)
		p.pace.Add(int64(confirmAfter))
		p.clickBeside("Send 425 credits", 0, 2) // as if that had led to the question
		p.clickOn("Send 425 credits")
		p.shows("Move the pointer, and click again.")
		p.sends(0)
		p.clickOn("enter ]   +")
		p.sends(1)
	}},
	{"questions of every kind confirm", inJobs(120, 40, 13), func(p *pilot) {
		p.keys("j", "j", "j", "j", "enter")
		p.burst("s", "y", "y")
		p.shows("Send again?", "Press y again.")
		p.after(confirmAfter, "y", "s", "s")
		p.shows("Charged twice?", "Press s again.")
		p.keys("esc", "enter")
		p.burst("x", "y")
		p.shows("Not charged?")
		n := p.session.asked("resend job000004") + p.session.asked("dismiss job000004")
		p.expect(n == 0, "%d calls were made", n)
	}},
	{"writing on after sending acts on nothing", flyCreate("en", 120, 40, func(d *fakeSession) { d.fill(13).settings.AfterSend = "jobs" }), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+s", "enter")
		p.sends(1)
		p.isAt(msg.PlaceJobs)
		before := p.screen()
		for _, r := range "the next one is much longer than a second: q, e, s, y, and u" {
			p.pace.Add(int64(120 * time.Millisecond))
			p.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		got := p.screen()
		p.expect(got == before && !p.quit, "writing on changed the screen:\n%s", got)
		p.after(actAfter, "/")
		p.shows("─ / ")
		p.burst("esc", "j", "e")
		p.pass(time.Second)
		p.isAt(msg.PlaceCreate)
	}},
	{"keys after a preview act on nothing", fly(120, 40, func(d *fakeSession) { d.fill(13).settings.OnDone = "preview" }), func(p *pilot) {
		p.session.finish("a boat", time.Second, 2)
		p.pass(50 * time.Millisecond)
		p.asked("mark job000000", 1)
		p.after(900*time.Millisecond, "e")
		p.pass(20 * time.Millisecond)
		p.expect(!p.quit && p.app.at == msg.PlaceJobs, "a key acted on a picture that came by itself")
		p.keys("e")
		p.isAt(msg.PlaceCreate)
	}},
	{"nothing opens right after a key", fly(120, 40, func(d *fakeSession) { d.fill(13).settings.OnDone = "preview" }), func(p *pilot) {
		for version, wait := range []time.Duration{time.Second, 2 * time.Second} {
			p.keys("down", "up")
			p.pass(wait)
			clear(p.app.ended)
			p.session.finish("a boat", time.Second, int64(version+2))
			p.pass(200 * time.Millisecond)
			opened := p.app.top() != nil
			p.expect(opened == (wait > showAfter), "%v after a key: something was opened: %v", wait, opened)
		}
	}},
	// A review that was asked for twice before it came would ask for a second agreement behind the first.
	{"one review at a time", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys(":boat", "ctrl+s")
		p.shows("Send this")
		p.send(msg.OpenedMsg{Overlay: p.app.top()})
		n := len(p.app.overlays)
		p.expect(n == 1, "%d reviews are open", n)
	}},
	{"what follows a paste confirms nothing", flyCreate("en", 120, 40, nil), func(p *pilot) {
		p.keys("|a paper boat", "~", "|drifts") // its price is known
		p.send(tea.PasteEndMsg{})
		p.burst("ctrl+s", "enter", "enter", "enter")
		p.sends(0)
		p.shows("Press enter again.")
		p.after(299*time.Millisecond, "enter")
		p.sends(0)
		p.after(300*time.Millisecond, "enter")
		p.sends(1)
	}},
	{"a second question is not answered by the keys of the first", flyCreate("en", 120, 40, func(d *fakeSession) {
		d.submitErr = func(state.Confirmed) error {
			d.submitErr = nil
			return &state.Refusal{Code: "again", Fault: *api.ReasonText.Fault(nil, "The same request is running.")}
		}
	}), func(p *pilot) {
		p.keys(":a boat", "~", "ctrl+s", "enter")
		p.sends(1)
		p.shows("An identical request is running.")
		p.burst("enter", "enter")
		p.sends(1)
		p.shows("Press enter again.")
		p.keys("enter")
		p.sends(2)
	}},
}

// Two clicks on one cell never spend, however far apart they are: what confirms
// does not stand where the click was that led to it.
func TestASecondClickOnTheSameCellNeverConfirms(t *testing.T) {
	t.Parallel()
	for lang, review := range map[string]string{"en": "review and send", "zh": "核对并发送"} {
		for _, w := range []int{60, 80, 120} {
			flyCreate(lang, w, 40, nil)(t, func(p *pilot) {
				p.keys("|a paper boat", "~")
				before, _, found := strings.Cut(p.footer(), review)
				p.expect(found, "%s %d: no review in %q", lang, w, p.footer())
				for x := 1; x < ansi.StringWidth(before+review); x++ {
					for range 3 {
						p.send(tea.MouseClickMsg{X: x, Y: 39, Button: tea.MouseLeft})
						p.pass(500 * time.Millisecond)
					}
					p.sends(0)
					for p.app.top() != nil {
						p.keys("esc")
					}
				}
				p.send(tea.MouseClickMsg{X: 2, Y: 39, Button: tea.MouseLeft})
				p.pass(500 * time.Millisecond)
				p.clickOn("   enter ]")
				p.sends(1)
			})
		}
	}
}

// footer is the last line of the screen.
func (p *pilot) footer() string {
	p.t.Helper()
	lines := strings.Split(p.screen(), "\n")
	return lines[len(lines)-1]
}

// clickOn presses the left button on the first cell of text, the lowest there is.
func (p *pilot) clickOn(text string) { p.t.Helper(); p.clickBeside(text, 0, 0) }

// clickBeside presses it so many cells right of there and below.
func (p *pilot) clickBeside(text string, right, below int) {
	p.t.Helper()
	lines := strings.Split(p.screen(), "\n")
	for y, line := range slices.Backward(lines) {
		if before, _, ok := strings.Cut(line, text); ok {
			p.send(tea.MouseClickMsg{X: ansi.StringWidth(before) + right, Y: y + below, Button: tea.MouseLeft})
			return
		}
	}
	p.t.Fatalf("the screen lacks %q:\n%s", text, p.screen())
}

func TestAClickOnTheFooterPerformsItsAction(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 120} {
		fly(w, 42, func(d *fakeSession) { d.fill(13) })(t, func(p *pilot) {
			p.keys("alt+2", "j", "j", "~")
			p.clickOn("? help")
			p.shows("On this screen", "Everywhere")
			p.clickOn("esc back") // the overlay's own footer
			p.lacks("On this screen")
			p.clickOn("ctrl+k all")
			p.shows("All actions")
			p.clickOn("esc")
			p.lacks("All actions")
			p.clickOn("n again")
			p.pass(time.Second)
			p.isAt(msg.PlaceCreate)
		})
	}
}

func TestFooter(t *testing.T) { flyEach(t, footerFlights) }

var footerFlights = []flight{
	{"a click beside the footers entries does nothing", fly(80, 24, func(d *fakeSession) { d.fill(13) }), func(p *pilot) {
		p.keys("alt+2", "~")
		for _, x := range []int{0, 79} {
			p.send(tea.MouseClickMsg{X: x, Y: 23, Button: tea.MouseLeft})
		}
		p.send(tea.MouseClickMsg{X: 3, Y: 23, Button: tea.MouseRight})
		p.expect(len(p.app.overlays) == 0 && p.app.at == msg.PlaceJobs, "a click beside the entries did something")
		// On a low screen a notice hides the footer: the click is for the notice.
		p.send(msg.NotifiedMsg{Tone: msg.ToneBad, Text: "The disk is full."})
		p.send(tea.MouseClickMsg{X: 3, Y: 23, Button: tea.MouseLeft})
		p.expect(len(p.app.overlays) == 0 && p.app.notice.Text == "", "a click on the notice went through it")
	}},
	{"the footer shows the key of help that works now", fly(80, 24, func(d *fakeSession) { d.fill(13) }), func(p *pilot) {
		p.keys("alt+1", "~", "?")
		p.shows("┃ ?", "   f1 help")
		p.keys("f1")
		p.shows("Help ", "Signs")
		p.keys("esc", "alt+r")
		p.shows("   ? help")
		p.keys("?")
		p.shows("Help ", "Signs")
	}},
	{"no footer shows a key that writes where text is edited", fly(160, 40, func(d *fakeSession) { d.fill(3) }), func(p *pilot) {
		for _, keys := range []string{"alt+1", "alt+2 /", "alt+3 /", "alt+3 b", "alt+1 ctrl+r", "alt+1 ctrl+k"} {
			p.keys(append(strings.Fields(keys), "~")...)
			shown, _ := p.app.foot()
			for _, act := range shown.Table {
				key := act.KeyText()
				writes := act.Keys != "" && (len(key) == 1 || key == "space" || key == "delete")
				expect.That(p.t, !writes && p.app.surface().Typing(), "after", keys, "the footer shows", key)
			}
			p.keys("esc", "esc")
		}
	}},
	{"help scrolls to every key", fly(60, 16, func(d *fakeSession) { d.fill(3) }), func(p *pilot) {
		p.app.opts.Version = "1.2.3"
		p.keys("alt+2", "?")
		p.shows("Help ", "more lines")
		p.lacks("suspend")
		p.keys("end")
		p.shows("suspend", "darkroom 1.2.3")
		p.lacks("On this screen")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.shows("On this screen", "suspend")
		p.lacks("more lines")
		p.send(tea.BackgroundColorMsg{}) // another theme
		p.shows("On this screen", "suspend")
	}},
	// No choices where there are none, and no material to insert where none can be named; the results have keys of their own.
	{"the footer offers what the field takes", flyCreate("en", 160, 40, func(d *fakeSession) { d.fill(3) }), func(p *pilot) {
		p.pass(time.Second)
		offers := func(where string, wants ...string) {
			p.t.Helper()
			for _, want := range wants {
				if text, lacks := strings.CutPrefix(want, "no "); lacks {
					expect.Lacks(p.t, p.footer(), text, where)
				} else {
					expect.Contains(p.t, p.footer(), want, where)
				}
			}
		}
		offers("in the prompt", "@ insert material", "alt+r results", "no ←/→ change")
		p.clickOn("alt+r results")
		offers("in the results", "esc back to the prompt")
		p.keys("esc", "tab")
		offers("in the mode", "←/→ change", "enter all choices", "no editor")
		p.keys("right", "shift+tab") // first and last frame
		offers("in the prompt of a video between frames", "no @ insert material")
		p.typed("@")
		p.lacks("add a material")
		p.keys("tab", "left", "tab", "tab", "tab")
		offers("in the tier", "←/→ change", "enter all choices")
		p.keys("tab")
		offers("in a resolution that is fixed", "no change", "no choices")
		for _, fields := range []int{14, 8} { // in both forms, the sign of choices and the keys go together
			for range fields {
				p.keys("tab")
				field := focusedField(p)
				expect.Equal(p.t, strings.Contains(p.footer(), "enter all choices"), strings.Contains(field, "‹ "), "all choices in", field)
			}
			p.keys("ctrl+t")
		}
	}},
	// Help and the list of all actions have one row for keys that belong together, and none for what cannot be done now. The
	// list finds an action by other words too.
	{"lists of keys have one row a pair and only what can be done", fly(120, 60, everyPhase), func(p *pilot) {
		p.keys("alt+2", "j", "j", "~") // a job that is done
		for _, list := range []string{"?", "ctrl+k"} {
			p.keys(list)
			p.shows("ull screen", "dit and send again") // in the list they begin with capitals
			p.lacks("ettle", "revious", "2 stars", "fetch again", "No command is running", "smaller   ")
			p.keys("esc")
		}
		p.keys("g", "?")
		p.shows("1–5", "rating", "+/-", "larger or smaller")
		p.lacks("2 stars", "5 stars")
		p.keys("esc", "alt+1", "f1")
		p.lacks("move down", "previous field")
		p.keys("esc")
		for typed, first := range map[string]string{"language": "language", "frames": "go to the materials", "contact sheet": "results", "hlp": "help"} {
			p.keys("ctrl+k", ":"+typed)
			p.shows("▸ " + env.Capital(first))
			p.keys("esc")
		}
		p.keys("alt+2", "g", "home")
		version := int64(1)
		for phase, want := range map[api.Phase]string{api.PhaseUnknown: "resolve", api.PhaseUnread: "resolve", api.PhaseRejected: "send again",
			api.PhaseNotSent: "send again", api.PhaseIntent: "full screen", api.PhaseDone: "full screen"} {
			version++
			j := madeUpJob(0, "paper boat", phase)
			j.Version = version
			p.session.replace(j)
			p.keys("alt+1", "alt+2", "~")
			p.expect(strings.HasPrefix(p.footer(), " enter "+want) && strings.Count(p.footer(), "enter") <= 1, "%s: %s", phase, p.footer())
			p.keys("ctrl+k")
			p.shows("▸ " + env.Capital(want))
			p.expect(strings.Contains(p.screen(), "Resolve  ") == (want == "resolve"), "a job that is %s", phase)
			p.keys("esc")
		}
	}},
	{"a notice on a low screen says what happened", fly(80, 24, func(d *fakeSession) { d.fill(13) }), func(p *pilot) {
		ended := func(phase api.Phase) endedMsg {
			title := strings.Repeat("a long title ", 10)
			return endedMsg{jobs: []state.Job{{Row: state.Row{ID: "one", Title: title, Phase: phase}, ErrClass: api.ClassNetwork}}}
		}
		p.keys("alt+1", "~")
		p.send(msg.NotifiedMsg{Tone: msg.ToneGood, Text: "Copied."})
		p.shows("✓ Copied.", "ctrl+k all actions   f1 help")
		p.send(msg.NotifiedMsg{Tone: msg.ToneBad, Text: strings.Repeat("/a-folder", 9) + "/one.png is not opened: it is gone; fetch it again"})
		p.shows("r/one.png is not opened: it is gone; fetch it again", "f1 help")
		p.keys("left") // it was read
		p.send(ended(api.PhaseNotSent))
		p.shows("Not sent: “a long title", "…”, no connection   alt+2 shows it ", "f1 help")
		p.send(ended(api.PhaseDone))
		p.shows("Done: “a long", "…”   alt+r shows it ")
	}},
}

// However narrow it is, the ways to everything else are there.
func TestTheFooterHasRoomForAllActionsAndHelp(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		for _, w := range []int{60, 61, 79, 80, 100, 131} {
			flyIn(lang, w, 24, func(d *fakeSession) { d.fill(13) })(t, func(p *pilot) {
				for _, at := range []string{"alt+1", "alt+2", "alt+3", "alt+4"} {
					p.keys(at)
					p.pass(10 * time.Second)
					key := "?"
					if p.app.surface().Typing() {
						key = "f1" // a field takes the other one
					}
					expect.Contains(t, p.footer(), "ctrl+k "+p.app.env.Say("all actions")+"   "+key+" "+p.app.env.Say("help"), lang, w, at)
				}
			})
		}
	}
}

// focusedField is the line of the form behind the mark of the focus.
func focusedField(p *pilot) string {
	for line := range strings.Lines(p.screen()) {
		left, _, _ := strings.Cut(line, "││")
		if i := strings.LastIndex(left, "┃"); i >= 0 {
			label := []rune(left[i:])
			return string(label[:min(len(label), 26)])
		}
	}
	return ""
}
