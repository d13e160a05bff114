package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
)

// footer is the last line of the screen.
func (p *pilot) footer() string {
	p.t.Helper()
	lines := strings.Split(p.screen(), "\n")
	return lines[len(lines)-1]
}

// clickOn presses the left button on the first cell of text in the last line.
func (p *pilot) clickOn(text string) {
	p.t.Helper()
	before, _, ok := strings.Cut(p.footer(), text)
	if !ok {
		p.t.Fatalf("the footer lacks %q: %q", text, p.footer())
	}
	p.send(tea.MouseClickMsg{X: len([]rune(before)), Y: p.app.size.H - 1, Button: tea.MouseLeft})
}

func TestAClickOnTheFooterPerformsItsAction(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 120} {
		fly(t, w, 40, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
			p.keys("alt+2", "j", "j")
			p.pass(time.Second)
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
			if p.app.at != msg.PlaceCreate {
				t.Errorf("%d: nothing was done: %s", w, p.screen())
			}
		})
	}
}

func TestAClickBesideTheFootersEntriesDoesNothing(t *testing.T) {
	t.Parallel()
	fly(t, 80, 24, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
		p.keys("alt+2")
		p.pass(time.Second)
		for _, x := range []int{0, 79} {
			p.send(tea.MouseClickMsg{X: x, Y: 23, Button: tea.MouseLeft})
		}
		p.send(tea.MouseClickMsg{X: 3, Y: 23, Button: tea.MouseRight})
		if len(p.app.overlays) > 0 || p.app.at != msg.PlaceJobs {
			t.Error("a click beside the entries did something")
		}
		// On a low screen a notice hides the footer: the click is for the notice.
		p.send(msg.NotifiedMsg{Tone: msg.ToneBad, Text: "The disk is full."})
		p.send(tea.MouseClickMsg{X: 3, Y: 23, Button: tea.MouseLeft})
		if len(p.app.overlays) > 0 || p.app.notice.Text != "" {
			t.Error("a click on the notice went through it")
		}
	})
}

// However narrow it is, the ways to everything else are there.
func TestTheFooterHasRoomForAllActionsAndHelp(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "zh"} {
		for _, w := range []int{60, 61, 79, 80, 100, 131} {
			flyIn(t, lang, w, 24, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
				for _, at := range []string{"alt+1", "alt+2", "alt+3", "alt+4"} {
					p.keys(at)
					p.pass(10 * time.Second)
					key := "?"
					if p.app.typing() {
						key = "f1" // a field takes the other one
					}
					if !strings.Contains(p.footer(), "ctrl+k "+p.app.env.Say("all actions")+"   "+key+" "+p.app.env.Say("help")) {
						t.Errorf("%s %d, %s: %q", lang, w, at, p.footer())
					}
				}
			})
		}
	}
}

// What a field takes as text is not shown as the key of help.
func TestTheFooterShowsTheKeyOfHelpThatWorksNow(t *testing.T) {
	t.Parallel()
	fly(t, 80, 24, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
		p.keys("alt+1")
		p.pass(time.Second)
		p.keys("?")
		p.shows("┃ ?", "   f1 help")
		p.keys("f1")
		p.shows("On this screen")
		p.keys("esc", "alt+r")
		p.shows("   ? help")
		p.keys("?")
		p.shows("On this screen")
	})
}

// On a low screen a notice stands in the footer's line. What happened is in view
// at 80 columns, however long the job's title is.
func TestANoticeOnALowScreenSaysWhatHappened(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long title ", 10)
	fly(t, 80, 24, func(d *fakeSession) { d.fill(13) }, func(p *pilot) {
		p.keys("alt+1")
		p.pass(time.Second)
		p.send(msg.NotifiedMsg{Tone: msg.ToneGood, Text: "Copied."})
		p.shows("✓ Copied.", "ctrl+k all actions   f1 help")
		p.send(msg.NotifiedMsg{Tone: msg.ToneBad, Text: "The uploaded file cannot be reached: its host is not known"})
		p.shows("its host is not known ", "f1 help")
		p.keys("left") // it was read
		p.send(endedMsg{news: []news{{"one", long, api.PhaseNotSent, api.ClassNetwork}}})
		p.shows("a long title", "…: not sent, no connection · alt+2 ", "f1 help")
		p.send(endedMsg{news: []news{{"one", long, api.PhaseDone, ""}}})
		p.shows("… is done · alt+2 ")
	})
}

func TestHelpSaysWhichVersionRuns(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, nil, func(p *pilot) {
		p.app.opts.Version = "1.2.3"
		p.keys("?")
		p.shows("Keys · darkroom 1.2.3")
	})
}

func TestHelpScrollsToEveryKey(t *testing.T) {
	t.Parallel()
	fly(t, 60, 16, func(d *fakeSession) { d.fill(3) }, func(p *pilot) {
		p.keys("alt+2", "?")
		p.shows("more lines")
		p.lacks("suspend")
		p.keys("end")
		p.shows("suspend")
		p.lacks("On this screen")
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.shows("On this screen", "suspend")
		p.lacks("more lines")
		p.send(tea.BackgroundColorMsg{}) // another theme
		p.shows("On this screen", "suspend")
	})
}

// TestTheFooterOffersWhatTheFieldTakes: no choices where there are none, and no
// material to insert where none can be named; the results have keys of their own.
func TestTheFooterOffersWhatTheFieldTakes(t *testing.T) {
	t.Parallel()
	flyCreate(t, "en", 160, 40, func(d *fakeSession) { d.fill(3) }, func(p *pilot) {
		p.pass(time.Second)
		if line := p.footer(); !strings.Contains(line, "@ insert material") || !strings.Contains(line, "alt+r results") || strings.Contains(line, "←/→ change") {
			t.Errorf("in the prompt: %s", line)
		}
		p.clickOn("alt+r results")
		if line := p.footer(); !strings.Contains(line, "esc back to the prompt") {
			t.Errorf("in the results: %s", line)
		}
		p.keys("esc")
		p.keys("tab")
		if line := p.footer(); !strings.Contains(line, "←/→ change") || strings.Contains(line, "all choices") || strings.Contains(line, "editor") {
			t.Errorf("in the mode: %s", line)
		}
		p.keys("right", "shift+tab") // first and last frame
		if line := p.footer(); strings.Contains(line, "@ insert material") {
			t.Errorf("in the prompt of a video between frames: %s", line)
		}
		p.typed("@")
		p.lacks("add a material")
		p.keys("tab", "left", "tab", "tab", "tab")
		if line := p.footer(); !strings.Contains(line, "←/→ change") || !strings.Contains(line, "enter all choices") {
			t.Errorf("in the tier: %s", line)
		}
		p.keys("tab")
		if line := p.footer(); strings.Contains(line, "change") || strings.Contains(line, "choices") {
			t.Errorf("in a resolution that is fixed: %s", line)
		}
		for _, fields := range []int{14, 8} { // in both forms, the sign of choices and the keys go together
			for range fields {
				p.keys("tab")
				field := focusedField(p)
				if offers, has := strings.Contains(p.footer(), "enter all choices"), strings.Contains(field, "‹ "); offers != has {
					t.Errorf("in %q: %s", field, p.footer())
				}
			}
			p.keys("ctrl+t")
		}
	})
}

// focusedField is the line of the form behind the mark of the focus.
func focusedField(p *pilot) string {
	for line := range strings.Lines(p.screen()) {
		left, _, _ := strings.Cut(line, "││")
		if i := strings.LastIndex(left, "┃ "); i >= 0 {
			label := []rune(left[i:])
			return string(label[:min(len(label), 26)])
		}
	}
	return ""
}
