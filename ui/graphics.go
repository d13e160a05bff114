package ui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// graphicsDueMsg ends the wait for the terminal's answers about pictures.
type graphicsDueMsg struct{}

// askGraphics asks the terminal what it can draw, without waiting for it.
func (a *App) askGraphics() tea.Cmd {
	query := a.detector.Query()
	if query == "" {
		return nil
	}
	ctx := a.kit.Context
	return tea.Batch(tea.Raw(query), func() tea.Msg {
		env.Pause(ctx, picture.QueryWait)
		return graphicsDueMsg{}
	})
}

// graphics takes the terminal's answers. What is drawn already stays as it is.
func (a *App) graphics(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.TerminalVersionMsg:
		a.detector = a.detector.Version(m.Name)
	case uv.PrimaryDeviceAttributesEvent:
		a.detector = a.detector.Attributes()
	case graphicsDueMsg:
		a.detector = a.detector.Due()
	case uv.KittyGraphicsEvent:
		a.detector = a.detector.Graphics(m.Options.ID, string(m.Payload))
		a.kit.Mode = a.detector.Mode()
		return a.broadcast(msg.ArrivedMsg{ID: m.Options.ID, OK: string(m.Payload) == "OK"})
	}
	a.kit.Mode = a.detector.Mode()
	return nil
}
