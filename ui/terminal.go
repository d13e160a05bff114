package ui

import (
	"fmt"
	"image/color"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

func (a *App) resize(w, h int) {
	a.size = widget.Rect{W: max(w, 1), H: max(h, 1)}
	a.plan = widget.LayoutFor(w, h)
	a.screens[a.at].Resize(a.plan.Body.W, a.plan.Body.H) // the others when they are shown
}

func (a *App) sizeMsg() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.size.W, Height: a.size.H}
}

func followBackground() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark))
}

// unfollowBackground is for when the terminal is no longer the program's.
func unfollowBackground() {
	if term.IsTerminal(os.Stdout.Fd()) {
		fmt.Fprint(os.Stdout, ansi.ResetModeLightDark)
	}
}

// slowAnswer is how long a terminal that is far away takes for an answer: nothing moves then.
const slowAnswer = 200 * time.Millisecond

func (a *App) schemeChanged(on theme.Background) tea.Cmd {
	a.Restyle(on, a.profile)
	return tea.RequestBackgroundColor
}

func (a *App) tookBackground(m tea.BackgroundColorMsg) tea.Cmd {
	on := theme.Light
	if m.IsDark() {
		on = theme.Dark
	}
	a.Restyle(on, a.profile)
	a.env.Slow = a.env.Slow && a.opts.Clock().Sub(a.began) > slowAnswer
	if m.Color == nil { // the answer could not be read
		return nil
	}
	return a.restylePictures(a.env.Mode, a.env.Cell, color.RGBAModel.Convert(m.Color).(color.RGBA))
}

func suspend() tea.Cmd { return tea.Sequence(tea.Raw(ansi.ResetModeLightDark), tea.Suspend) }

// status is what the terminal shows outside its window (OSC 9;4, OSC 7501).
type status struct {
	known  bool // the terminal takes the program's status
	failed int  // jobs that failed since Jobs was in view
}

func (a *App) reports() bool {
	return a.env.Settings.Progress && a.opts.Env("NO_MOTION") == ""
}

func (a *App) askStatus() tea.Cmd {
	if !a.reports() {
		return nil
	}
	return tea.RequestProgramStatusSupport
}

func (a *App) progressBar() *tea.ProgressBar {
	switch {
	case !a.reports():
	case a.env.Active > 0:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	case a.status.failed > 0:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	}
	return nil
}

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

func (a *App) title() string {
	if a.env.Active == 0 {
		return "darkroom"
	}
	return "darkroom · " + a.env.Say("%d developing", a.env.Active)
}

// notification tells a person who looks elsewhere, in the way the terminal knows.
func (a *App) notification(ended []state.Job) string {
	text := a.env.Words.Count(len(ended), "%d job has ended", "%d jobs have ended")
	if j := &ended[0]; len(ended) == 1 && j.Title != "" {
		text = endText(a.env, j.Phase, notified(j.Title))
	}
	return a.alert(text)
}

// alert is a notification of a text of ours.
func (a *App) alert(text string) string {
	program, term := a.opts.Env("TERM_PROGRAM"), a.opts.Env("TERM")
	switch {
	case slices.Contains([]string{"iTerm.app", "ghostty", "WezTerm"}, program), term == "xterm-kitty", term == "xterm-ghostty":
		return "\x1b]9;darkroom: " + text + "\x07"
	case term == "foot", term == "rxvt-unicode-256color":
		return "\x1b]777;notify;darkroom;" + text + "\x07"
	}
	return "\x07"
}

// notified is a title as a part of a control sequence.
func notified(title string) string {
	return theme.Cut(strings.ReplaceAll(api.Clean(title, 200).String(), ";", ","), 60)
}
