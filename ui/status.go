package ui

import (
	"darkroom/ui/env"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// status is what the terminal shows of the jobs outside of its window: a
// progress bar on the tab or the taskbar (OSC 9;4), and the program's status
// (OSC 7501) where the terminal says that it knows one.
type status struct {
	known    bool   // the terminal takes the program's status
	reported string // the last report
	due      bool   // the next one is on its way
	failed   int    // jobs that failed since Jobs was in view
}

// reports is whether the terminal is told anything.
func (a *App) reports() bool {
	return a.env.Settings.Progress && a.opts.Env("NO_MOTION") == ""
}

// askStatus asks the terminal whether it takes the program's status.
func (a *App) askStatus() tea.Cmd {
	if !a.reports() {
		return nil
	}
	return tea.Raw(ansi.RequestProgramStatusSupport)
}

// statusKnown takes the terminal's answer.
func (a *App) statusKnown(m uv.UnknownOscEvent) {
	if a.reports() && strings.HasPrefix(string(m), "\x1b]7501;?") {
		a.status.known = true
	}
}

var (
	busyBar   = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	failedBar = tea.NewProgressBar(tea.ProgressBarError, 100)
)

// progressBar is busy while jobs run, and red after a failure until Jobs is in
// view.
func (a *App) progressBar() *tea.ProgressBar {
	switch {
	case !a.reports():
	case a.env.Active > 0:
		return busyBar
	case a.status.failed > 0:
		return failedBar
	}
	return nil
}

// statusPause is how long changes gather before they are reported: one message
// says that a job runs no more, the next one how it ended.
const statusPause = 100 * time.Millisecond

type statusDueMsg struct{}

// followStatus reports the program's status when it is another one.
func (a *App) followStatus() tea.Cmd {
	if !a.status.known || a.status.due || a.statusReport() == a.status.reported {
		return nil
	}
	a.status.due = true
	ctx := a.env.Context
	return func() tea.Msg {
		env.Pause(ctx, statusPause)
		return statusDueMsg{}
	}
}

func (a *App) reportStatus() tea.Cmd {
	a.status.due, a.status.reported = false, a.statusReport()
	return tea.Raw(a.status.reported)
}

func (a *App) statusReport() string {
	s := ansi.ProgramStatus{State: ansi.ProgramStateIdle, App: "darkroom", Title: "darkroom"}
	switch {
	case a.env.Active > 0:
		s.State, s.Message = ansi.ProgramStateWorking, a.env.Say("%d developing", a.env.Active)
	case a.status.failed > 0:
		s.State, s.Message = ansi.ProgramStateError, a.env.Say("%d failed", a.status.failed)
	case a.env.Unseen > 0:
		s.State, s.Message = ansi.ProgramStateDone, a.env.Say("%d done", a.env.Unseen)
	}
	return ansi.SetProgramStatus(s)
}

// clearStatus takes the report back, however the program ended.
func (a *App) clearStatus(terminal io.Writer) {
	if a.status.reported != "" {
		_, _ = io.WriteString(terminal, ansi.ClearProgramStatus) // the terminal may be gone
	}
}
