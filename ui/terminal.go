package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// resize takes the terminal's size.
func (a *App) resize(w, h int) {
	a.size = widget.Rect{W: max(w, 1), H: max(h, 1)}
	a.plan = widget.LayoutFor(w, h)
	for _, s := range a.screens {
		if s != nil {
			s.Resize(a.plan.Body.W, a.plan.Body.H)
		}
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
	a.kit.Theme = theme.New(on, profile)
	for _, o := range a.overlays {
		o.Restyle()
	}
	for _, s := range a.screens {
		if s != nil {
			s.Restyle()
		}
	}
}
