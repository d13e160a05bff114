package ui

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// colours are what decides about the theme, besides the settings.
type colours struct {
	background theme.Background // Unknown until the terminal says it, if it does
	profile    colorprofile.Profile
	trying     string // a theme in place of that of the settings
}

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

// Restyle takes another background or colour profile of the terminal.
func (a *App) Restyle(on theme.Background, profile colorprofile.Profile) {
	if on == a.background && profile == a.profile {
		return
	}
	a.background, a.profile = on, profile
	a.dress()
}

// dress makes the theme anew and has everything drawn in it.
func (a *App) dress() {
	a.env.Theme = a.choice().Theme(a.shownBackground(), a.profile)
	for _, o := range a.overlays {
		o.Restyle()
	}
	for _, s := range a.screens {
		s.Restyle()
	}
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

// try shows everything in another theme, or in that of the settings again.
func (a *App) try(name string) {
	if name != a.trying {
		a.trying = name
		a.dress()
	}
}
