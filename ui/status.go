package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/theme"
)

// status is what the terminal shows of the jobs outside of its window: a
// progress bar on the tab or the taskbar (OSC 9;4), and the program's status
// (OSC 7501) where the terminal says that it knows one.
type status struct {
	known  bool // the terminal takes the program's status
	failed int  // jobs that failed since Jobs was in view
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
	return tea.RequestProgramStatusSupport
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

// programStatus says the same in words, and how many results were not looked at.
func (a *App) programStatus() *tea.ProgramStatus {
	if !a.status.known || !a.reports() {
		return nil
	}
	s := tea.ProgramStatus{State: tea.ProgramStateIdle, App: "darkroom", Title: "darkroom"}
	switch {
	case a.env.Active > 0:
		s.State, s.Message = tea.ProgramStateWorking, a.env.Say("%d developing", a.env.Active)
	case a.status.failed > 0:
		s.State, s.Message = tea.ProgramStateError, a.env.Say("%d failed", a.status.failed)
	case a.env.Unseen > 0:
		s.State, s.Message = tea.ProgramStateDone, a.env.Say("%d done", a.env.Unseen)
	}
	return &s
}

// title is the title of the window.
func (a *App) title() string {
	if a.env.Active == 0 {
		return "darkroom"
	}
	return "darkroom · " + a.env.Say("%d developing", a.env.Active)
}

// notification tells a person who looks elsewhere what has ended, in the way the
// terminal knows; the bell where it tells nothing of itself.
func (a *App) notification(ended []news) string {
	text := a.env.Words.Count(len(ended), "%d job has ended", "%d jobs have ended")
	if n := ended[0]; len(ended) == 1 && n.title != "" {
		text = a.env.Say("%s has failed", notified(n.title))
		if n.phase == api.PhaseDone {
			text = a.env.Say("%s is done", notified(n.title))
		}
	}
	program, term := a.opts.Env("TERM_PROGRAM"), a.opts.Env("TERM")
	switch {
	case slices.Contains([]string{"iTerm.app", "ghostty", "WezTerm"}, program), term == "xterm-kitty", term == "xterm-ghostty":
		return "\x1b]9;darkroom: " + text + "\x07"
	case term == "foot", term == "rxvt-unicode-256color":
		return "\x1b]777;notify;darkroom;" + text + "\x07"
	}
	return "\x07"
}

// notified is a title as a part of a control sequence: clean, short, and without
// the character that separates its fields.
func notified(title string) string {
	return theme.Cut(strings.ReplaceAll(api.Clean(title, 200).String(), ";", ","), 60)
}
