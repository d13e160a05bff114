package result

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// Preview is a painted file and the question it answers.
type Preview struct {
	path  string
	w, h  int
	Lines []string
	Why   string // why there is none
	// graphic is the same in pixels; its lines are shown when the terminal has
	// said that it holds the image.
	graphic *picture.Graphic
	there   bool
}

type PaintedMsg struct {
	path    string
	w, h    int
	picture picture.Picture
	why     string
}

// ID of the image in the terminal's memory, or 0.
func (p *Preview) ID() int {
	if p.graphic == nil {
		return 0
	}
	return p.graphic.ID
}

// Want asks for a file's picture at a size; the same question is asked once.
func (p *Preview) Want(k *env.Env, path string, w, h int) tea.Cmd {
	if path == "" || k.Painter == nil || w < 4 || h < 2 {
		return nil
	}
	if p.path == path && p.w == w && p.h == h {
		return nil
	}
	gone := k.Erase(p.ID())
	if p.path != path {
		p.Lines, p.Why = nil, ""
	} else if p.there {
		p.Lines = nil // they name an image that is being forgotten
	}
	p.path, p.w, p.h, p.graphic, p.there = path, w, h, nil, false
	ctx, painter, mode, profile := k.Context, k.Painter, k.Mode, k.Theme.Colours
	return tea.Batch(gone, func() tea.Msg {
		got, err := painter.Load(ctx, path, w, h, mode, profile)
		if ctx.Err() != nil {
			return nil
		}
		m := PaintedMsg{path: path, w: w, h: h, picture: got}
		if err != nil {
			m.why = env.Sentence(k, err)
		}
		return m
	})
}

// Painted keeps a picture that answers the last question, and gives the
// terminal the pixels if it takes any.
func (p *Preview) Painted(m PaintedMsg) (tea.Cmd, bool) {
	if m.path != p.path || m.w != p.w || m.h != p.h {
		return nil, false
	}
	p.Lines, p.Why, p.graphic = m.picture.Lines, m.why, m.picture.Graphic
	if p.graphic != nil {
		return tea.Raw(p.graphic.Transmit), true
	}
	return nil, true
}

// Arrived puts the pixels in the place of the half blocks.
func (p *Preview) Arrived(m msg.ArrivedMsg) bool {
	if !m.OK || p.there || p.ID() == 0 || m.ID != p.ID() {
		return false
	}
	p.there, p.Lines = true, p.graphic.Lines
	return true
}
