package ui

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// resize takes the terminal's size.
func (a *App) resize(w, h int) {
	a.size = widget.Rect{W: max(w, 1), H: max(h, 1)}
	a.plan = widget.LayoutFor(w, h)
	for _, s := range a.screens {
		s.Resize(a.plan.Body.W, a.plan.Body.H)
	}
}

// sizeMsg is the terminal's size, of which every overlay learns when it opens
// and when it changes; widget.LayoutFor makes the body's of it.
func (a *App) sizeMsg() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.size.W, Height: a.size.H}
}

// followBackground asks the terminal for its background, and to say whenever it
// turns from dark to light or back.
func followBackground() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark))
}

// unfollowBackground takes that back once the terminal is no longer the
// program's, however it ended: else the shell would get the reports.
func unfollowBackground() {
	if term.IsTerminal(os.Stdout.Fd()) {
		fmt.Fprint(os.Stdout, ansi.ResetModeLightDark)
	}
}

// schemeChanged follows a terminal that says that it is dark or light now, and
// asks for the background itself.
func (a *App) schemeChanged(on theme.Background) tea.Cmd {
	a.Restyle(on, a.profile)
	return tea.RequestBackgroundColor
}

// tookBackground takes the terminal's answer.
func (a *App) tookBackground(m tea.BackgroundColorMsg) tea.Cmd {
	on := theme.Light
	if m.IsDark() {
		on = theme.Dark
	}
	a.Restyle(on, a.profile)
	return a.backgroundColor(m)
}

// suspend gives the terminal back to the shell for a while.
func suspend() tea.Cmd { return tea.Sequence(tea.Raw(ansi.ResetModeLightDark), tea.Suspend) }
