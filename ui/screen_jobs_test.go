package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// inJobs is a flight that is on the Jobs screen and has read its list.
func inJobs(t *testing.T, w, h, n int, test func(*pilot)) {
	t.Helper()
	fly(t, w, h, func(d *fakeDoor) { d.fill(n) }, func(p *pilot) {
		p.keys("alt+2")
		p.pass(time.Second)
		test(p)
	})
}

func TestJobsAreListedWithPhaseAndWord(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 30, func(p *pilot) {
		p.shows("all 30", "running", "paper boat in a gutter", "may have cost 425 cr")
	})
}

func TestTheSelectionIsAJobNotARow(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 30, func(p *pilot) {
		p.keys("j", "j", "j")
		p.shows("▸ ✕ failed   image  neon koi")
		for i := range 5 {
			j := madeUpJob(100+i, "newcomer", api.PhaseQueued)
			p.door.add(j)
		}
		p.door.changes <- []string{"job000100"}
		p.pass(time.Second)
		p.shows("newcomer", "▸ ✕ failed   image  neon koi")
	})
}

func TestAPhaseChangesInPlaceAndIsToldToWhoeverIsAway(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 3, func(p *pilot) {
		p.send(tea.BlurMsg{})
		j := madeUpJob(0, "paper boat in a gutter", api.PhaseDone)
		j.EndedAt, j.Version = fakeNow.Add(time.Second), 2
		p.door.replace(j)
		p.pass(time.Second)
		p.shows("▸ ● done     video  paper boat in a gutter")
		p.send(tea.FocusMsg{})
		p.shows("While you were away: 1 done, 0 failed, about 425 cr.")
	})
}

func TestSendingAnUnknownJobAgainTakesTwoAgreements(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		p.keys("j", "j", "j", "j")
		p.pass(time.Second)
		p.keys("s")
		p.shows("may be charged twice")
		p.keys("y")
		p.shows("Charged twice?")
		p.keys("y", "enter")
		if log := strings.Join(p.door.log, "\n"); strings.Contains(log, "resend") {
			t.Fatal("the key that agreed first agreed twice")
		}
		p.keys("s")
		if log := strings.Join(p.door.log, "\n"); strings.Count(log, "resend job000004") != 1 {
			t.Fatalf("sent %d times: %s", strings.Count(log, "resend"), log)
		}
	})
}

func TestAnUnknownJobCanBeGivenItsIDOrDismissed(t *testing.T) {
	t.Parallel()
	inJobs(t, 80, 24, 13, func(p *pilot) {
		p.keys("j", "j", "j", "j", "a")
		p.typed("remote-7 q")
		p.keys("enter", "x", "y")
		log := strings.Join(p.door.log, "\n")
		if !strings.Contains(log, "attach job000004 remote-7 q") || !strings.Contains(log, "dismiss job000004") {
			t.Error(log)
		}
	})
}

// TestAnAnswerIsAboutTheJobThatWasAskedAbout selects another job while a
// question is open, as a change of another window may.
func TestAnAnswerIsAboutTheJobThatWasAskedAbout(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 13, func(p *pilot) {
		for _, question := range []string{"x", "s"} {
			p.keys("esc", "g", "j", "j", "j", "j")
			p.pass(time.Second)
			p.keys(question)
			p.do(p.app.broadcast(msg.PreviewedMsg{ID: "job000011"}))
			p.pass(time.Second)
			p.keys("y", "s")
		}
		log := strings.Join(p.door.log, "\n")
		if !strings.Contains(log, "dismiss job000004") || !strings.Contains(log, "resend job000004") || strings.Contains(log, "000011") {
			t.Error(log)
		}
	})
}

func TestAHeldKeyStartsNoPreview(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 2000, func(p *pilot) {
		before := p.door.calls.Load()
		for range 20 {
			p.keys("j")
		}
		if n := p.door.calls.Load() - before; n != 0 {
			t.Errorf("%d calls while the key was held", n)
		}
		p.keys("G")
		p.pass(time.Second)
		p.shows("all 2,000")
		p.lacks("  …\n")
	})
}

// paintedNote is a painter that writes where a picture would be.
type paintedNote struct{}

func (paintedNote) Load(_ context.Context, path string, cols, rows int, _ picture.Mode, _ colorprofile.Profile) (picture.Picture, error) {
	return picture.Picture{Lines: []string{fmt.Sprintf("picture %d×%d", cols, rows)}}, nil
}

func TestAPreviewIsPaintedWhereTheListHadNoRoomForOne(t *testing.T) {
	t.Parallel()
	inJobs(t, 80, 24, 13, func(p *pilot) {
		p.app.kit.Painter = paintedNote{}
		p.keys("j", "j")
		p.pass(time.Second) // the detail is read, without a place to show it
		p.send(msg.PreviewedMsg{ID: "job000002"})
		p.pass(time.Second)
		p.shows("● done", "picture 76×")
	})
}

func TestFilterNarrowsAndEscGivesAllBack(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 40, func(p *pilot) {
		p.keys("/")
		p.typed("koi")
		p.pass(time.Second)
		p.shows("/ koi", "5 of 40")
		p.lacks("harbour at dawn")
		p.keys("esc")
		p.pass(time.Second)
		p.shows("all 40", "harbour at dawn")
	})
}

func TestEditAndSendAgainLoadsTheWholeRequest(t *testing.T) {
	t.Parallel()
	inJobs(t, 120, 40, 3, func(p *pilot) {
		p.keys("e")
		p.pass(time.Second)
		if p.app.at != msg.PlaceCreate {
			t.Fatal("it did not go to Create")
		}
		p.shows("paper boat in a gutter, macro lens")
	})
}
