package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
)

// TestTheTerminalIsToldOfJobs: a bar while jobs run, the program's status where
// the terminal takes one, both red after a failure until the jobs were looked at.
func TestTheTerminalIsToldOfJobs(t *testing.T) {
	t.Parallel()
	reported := func(p *pilot, s tea.ProgramState) bool {
		report := p.app.View().ProgramStatus
		return report != nil && report.State == s
	}
	flyCreate(t, "en", 120, 40, func(d *fakeSession) { d.settings.Progress = true }, func(p *pilot) {
		p.typed("a kettle on a windy pier")
		p.pass(time.Second)
		if v := p.app.View(); v.ProgressBar != nil || v.ProgramStatus != nil {
			t.Error("something is reported before there is anything")
		}
		p.send(tea.ProgramStatusSupportMsg{})
		p.pass(time.Second)
		if !reported(p, tea.ProgramStateIdle) {
			t.Errorf("at rest: %+v", p.app.View().ProgramStatus)
		}
		p.keys("ctrl+s", "enter")
		p.sent(api.PhaseRunning)
		p.pass(time.Second)
		if bar := p.app.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarIndeterminate || !reported(p, tea.ProgramStateWorking) {
			t.Errorf("while a job runs: %+v, %+v", bar, p.app.View().ProgramStatus)
		}
		p.sent(api.PhaseFailed)
		p.pass(time.Second)
		if bar := p.app.View().ProgressBar; bar == nil || bar.State != tea.ProgressBarError || !reported(p, tea.ProgramStateError) {
			t.Errorf("after a failure: %+v, %+v", bar, p.app.View().ProgramStatus)
		}
		p.keys("alt+2")
		p.pass(time.Second)
		if p.app.View().ProgressBar != nil || !reported(p, tea.ProgramStateIdle) {
			t.Errorf("in Jobs: %+v", p.app.View().ProgramStatus)
		}
	})
	flyCreate(t, "en", 120, 40, nil, func(p *pilot) { // switched off
		p.typed("a kettle on a windy pier")
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.send(tea.ProgramStatusSupportMsg{})
		p.sent(api.PhaseRunning)
		if v := p.app.View(); v.ProgressBar != nil || v.ProgramStatus != nil || p.app.askStatus() != nil {
			t.Errorf("reported though it is switched off: %+v", p.app.View().ProgramStatus)
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
