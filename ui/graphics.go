package ui

import (
	"image/color"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// setPictures prepares how pictures are drawn before the terminal has answered.
func (a *App) setPictures() {
	a.detector = picture.NewDetector(a.env.Settings.Pictures, a.opts.Env)
	a.env.Mode, a.env.Tmux = a.detector.Mode(), a.detector.Tmux()
	if a.env.Painter == nil && a.env.Mode != picture.ModeOff {
		loader := picture.NewLoader(a.env.Tmux)
		loader.RunIn(state.OthersEnviron(os.Environ()))
		if dir := a.env.Settings.CacheDir; dir != "" {
			loader.CacheIn(filepath.Join(dir, "thumbnails"))
		}
		a.loader, a.env.Painter = loader, loader
	}
}

// holdPictures lets the frame of a key come before the pictures that are decoded.
func (a *App) holdPictures(message tea.Msg) {
	switch message.(type) {
	case tea.KeyPressMsg, tea.MouseWheelMsg, tea.PasteMsg:
		if a.loader != nil {
			a.loader.Pressed()
		}
	}
}

// askGraphics asks the terminal what it can draw, without waiting for it.
func (a *App) askGraphics() tea.Cmd {
	query := a.detector.Query()
	if query == "" {
		return nil
	}
	return tea.Batch(tea.Raw(query), readCellSize)
}

// askAgain asks a terminal that may not have been there at the start.
func (a *App) askAgain(message tea.Msg) tea.Cmd {
	switch message.(type) {
	case tea.KeyPressMsg, tea.WindowSizeMsg:
		var query string
		if a.detector, query = a.detector.Again(); query != "" {
			return tea.Raw(query)
		}
	}
	return nil
}

// cellSize reads how large a cell is, which another font changes.
func (a *App) cellSize() tea.Cmd {
	if a.env.Mode != picture.ModeSixel {
		return nil
	}
	return readCellSize
}

// graphics takes the terminal's answers, whenever they come. Pictures in view
// are drawn again when there is a better way to draw them.
func (a *App) graphics(message tea.Msg) tea.Cmd {
	var arrived tea.Cmd
	switch m := message.(type) {
	case tea.TerminalVersionMsg:
		a.detector = a.detector.Version(m.Name)
	case uv.PrimaryDeviceAttributesEvent:
		a.detector = a.detector.Attributes(m)
	case uv.CellSizeEvent:
		a.detector = a.detector.CellSize(m.Width, m.Height)
	case uv.KittyGraphicsEvent:
		a.detector = a.detector.Graphics(m.Options.ID, string(m.Payload))
		arrived = a.broadcast(msg.ArrivedMsg{ID: m.Options.ID, OK: string(m.Payload) == "OK"})
	}
	return tea.Batch(arrived, a.restylePictures(a.detector.Mode(), a.detector.Cell(), a.env.Back))
}

// restylePictures takes over what pictures are now to be drawn for.
func (a *App) restylePictures(mode picture.Mode, cell picture.Cell, back color.RGBA) tea.Cmd {
	if mode == a.env.Mode && cell == a.env.Cell && back == a.env.Back {
		return nil
	}
	a.env.Mode, a.env.Cell, a.env.Back = mode, cell, back
	return a.repaint()
}

// backgroundColor takes the colour that stands behind what is transparent.
func (a *App) backgroundColor(m tea.BackgroundColorMsg) tea.Cmd {
	if m.Color == nil { // the terminal's answer could not be read
		return nil
	}
	back := color.RGBAModel.Convert(m.Color).(color.RGBA)
	return a.restylePictures(a.env.Mode, a.env.Cell, back)
}

// repaint makes everybody who shows pictures ask for them again, as after a
// change of the size.
func (a *App) repaint() tea.Cmd {
	if a.size.W == 0 {
		return nil // there will be one
	}
	a.resize(a.size.W, a.size.H)
	return a.broadcast(a.sizeMsg())
}
