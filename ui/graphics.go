package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"darkroom/ui/picture"
)

// painter turns a result file into lines of cells; *picture.Loader is one. It
// runs in commands.
type painter interface {
	Load(ctx context.Context, path string, cols, rows int, mode picture.Mode, profile colorprofile.Profile) (picture.Picture, error)
}

// graphicsDueMsg ends the wait for the terminal's answers about pictures.
type graphicsDueMsg struct{}

// askGraphics asks the terminal what it can draw, without waiting for it.
func (a *App) askGraphics() tea.Cmd {
	query := a.detector.Query()
	if query == "" {
		return nil
	}
	ctx := a.kit.ctx
	return tea.Batch(tea.Raw(query), func() tea.Msg {
		pause(ctx, picture.QueryWait)
		return graphicsDueMsg{}
	})
}

// graphics takes the terminal's answers. What is drawn already stays as it is.
func (a *App) graphics(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.TerminalVersionMsg:
		a.detector = a.detector.Version(m.Name)
	case uv.PrimaryDeviceAttributesEvent:
		a.detector = a.detector.Attributes()
	case graphicsDueMsg:
		a.detector = a.detector.Due()
	case uv.KittyGraphicsEvent:
		a.detector = a.detector.Graphics(m.Options.ID, string(m.Payload))
		a.kit.mode = a.detector.Mode()
		return a.broadcast(arrivedMsg{m.Options.ID, string(m.Payload) == "OK"})
	}
	a.kit.mode = a.detector.Mode()
	return nil
}

// arrivedMsg says that the terminal has an image, or could not take it.
type arrivedMsg struct {
	id int
	ok bool
}

// erase makes the terminal forget an image that is in view no more.
func (k *kit) erase(id int) tea.Cmd {
	if id == 0 {
		return nil
	}
	return tea.Raw(picture.Erase(id, k.tmux))
}
