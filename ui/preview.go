package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/picture"
)

// preview is a painted file and the question it answers.
type preview struct {
	path  string
	w, h  int
	lines []string
	why   string // why there is none
	// graphic is the same in pixels; its lines are shown when the terminal has
	// said that it holds the image.
	graphic *picture.Graphic
	there   bool
}

type paintedMsg struct {
	path    string
	w, h    int
	picture picture.Picture
	why     string
}

// id of the image in the terminal's memory, or 0.
func (p *preview) id() int {
	if p.graphic == nil {
		return 0
	}
	return p.graphic.ID
}

// want asks for a file's picture at a size; the same question is asked once.
func (p *preview) want(k *kit, path string, w, h int) tea.Cmd {
	if path == "" || k.painter == nil || w < 4 || h < 2 {
		return nil
	}
	if p.path == path && p.w == w && p.h == h {
		return nil
	}
	gone := k.erase(p.id())
	if p.path != path {
		p.lines, p.why = nil, ""
	} else if p.there {
		p.lines = nil // they name an image that is being forgotten
	}
	p.path, p.w, p.h, p.graphic, p.there = path, w, h, nil, false
	ctx, painter, mode, profile := k.ctx, k.painter, k.mode, k.theme.Colours
	return tea.Batch(gone, func() tea.Msg {
		got, err := painter.Load(ctx, path, w, h, mode, profile)
		if ctx.Err() != nil {
			return nil
		}
		m := paintedMsg{path: path, w: w, h: h, picture: got}
		if err != nil {
			m.why = sentence(k, err)
		}
		return m
	})
}

// painted keeps a picture that answers the last question, and gives the
// terminal the pixels if it takes any.
func (p *preview) painted(m paintedMsg) (tea.Cmd, bool) {
	if m.path != p.path || m.w != p.w || m.h != p.h {
		return nil, false
	}
	p.lines, p.why, p.graphic = m.picture.Lines, m.why, m.picture.Graphic
	if p.graphic != nil {
		return tea.Raw(p.graphic.Transmit), true
	}
	return nil, true
}

// arrived puts the pixels in the place of the half blocks.
func (p *preview) arrived(m arrivedMsg) bool {
	if !m.ok || p.there || p.id() == 0 || m.id != p.id() {
		return false
	}
	p.there, p.lines = true, p.graphic.Lines
	return true
}
