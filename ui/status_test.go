package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
)

// TestTheTerminalIsToldOfJobs: a bar while jobs run, the program's status where
// the terminal takes one, both red after a failure until the jobs were looked at.
func TestTheTerminalIsToldOfJobs(t *testing.T) {
	t.Parallel()
	reported := func(p *pilot, s ansi.ProgramState) bool {
		all := strings.Split(p.written(), "\x1b]7501;")
		return strings.HasPrefix(all[len(all)-1], "state="+string(s))
	}
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.settings.Progress = true }, func(p *pilot) {
		p.typed("a kettle on a windy pier")
		p.pass(time.Second)
		if p.app.View().ProgressBar != nil || strings.Contains(p.written(), "state=") {
			t.Error("something is reported before there is anything")
		}
		p.send(uv.UnknownOscEvent("\x1b]7501;?\x1b\\"))
		p.pass(time.Second)
		if !reported(p, ansi.ProgramStateIdle) {
			t.Errorf("at rest: %q", p.written())
		}
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.pass(time.Second)
		if bar := p.app.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarIndeterminate || !reported(p, ansi.ProgramStateWorking) {
			t.Errorf("while a job runs: %+v, %q", bar, p.written())
		}
		p.sent(api.PhaseFailed)
		p.pass(time.Second)
		if bar := p.app.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarError || !reported(p, ansi.ProgramStateError) {
			t.Errorf("after a failure: %+v, %q", bar, p.written())
		}
		p.keys("alt+2")
		p.pass(time.Second)
		if p.app.View().ProgressBar != nil || !reported(p, ansi.ProgramStateIdle) {
			t.Errorf("in Jobs: %q", p.written())
		}
		var terminal strings.Builder
		if p.app.clearStatus(&terminal); terminal.String() != ansi.ClearProgramStatus {
			t.Errorf("at the end: %q", terminal.String())
		}
	})
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) { // switched off
		p.typed("a kettle on a windy pier")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.send(uv.UnknownOscEvent("\x1b]7501;?\x1b\\"))
		p.sent(api.PhaseRunning)
		if p.app.View().ProgressBar != nil || strings.Contains(p.written(), "7501") {
			t.Errorf("reported though it is switched off: %q", p.written())
		}
	})
}

// TestTheBadgeIsThatOfTheStore: another window's results count, and a result
// that was looked at there does not.
func TestTheBadgeIsThatOfTheStore(t *testing.T) {
	t.Parallel()
	flyResults(t, 120, 40, func(p *pilot) {
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.sent(api.PhaseDone)
		p.shows("●1")
		_ = fakeResults{p.session}.See(t.Context(), "new")
		p.pass(time.Second)
		p.lacks("●1")
	})
}
