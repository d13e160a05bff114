package result

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
)

// Preview is one file as large as its room: a thumbnail of one. Until that is
// drawn, what it had of the same file stays. The zero Preview has asked nothing.
type Preview struct {
	thumbs *Thumbs
	asked  Thumb
	Lines  []string
	Why    string // why there is none
	// Width and Height are those of the source in pixels, once it is drawn.
	Width, Height int
	drawn         bool // what was asked for; until then Lines may be of another size
	edits         int
}

// Loading reports whether a picture is being drawn that shows nothing yet.
func (p *Preview) Loading() bool { return p.asked.Path != "" && p.Lines == nil && p.Why == "" }

// Drawn reports whether Lines are what was asked for last.
func (p *Preview) Drawn() bool { return p.drawn }

// Edits grows with every change of what the preview shows.
func (p *Preview) Edits() int { return p.edits }

// Close ends what is being drawn, makes the terminal forget the image and
// leaves an empty preview.
func (p *Preview) Close() tea.Cmd {
	var erase tea.Cmd
	if p.thumbs != nil {
		erase = p.thumbs.Want(nil)
	}
	*p = Preview{thumbs: p.thumbs, edits: p.edits + 1}
	return erase
}

// Want asks for a file's picture; the same question is asked once. What was asked
// for before is not drawn any more.
func (p *Preview) Want(k *env.Env, th Thumb) tea.Cmd {
	if th.Path == "" || k.Painter == nil || th.Cols < 4 || th.Rows < 2 {
		return nil
	}
	if p.thumbs == nil {
		p.thumbs = NewThumbs(k)
	}
	th.Bare = true
	before := p.thumbs.known[p.asked]
	pixels := before != nil && before.pixels
	cmd := p.thumbs.Want([]Thumb{th})
	switch {
	case th.Path != p.asked.Path:
		*p = Preview{thumbs: p.thumbs, edits: p.edits + 1}
	case pixels && !before.pixels: // Lines name an image that is being erased
		p.Lines, p.drawn, p.edits = nil, false, p.edits+1
	case th != p.asked:
		p.drawn, p.edits = false, p.edits+1
	}
	p.asked = th
	p.show()
	return cmd
}

// Update takes the answers to what was wanted, and reports whether something else
// is shown now.
func (p *Preview) Update(message tea.Msg) bool {
	if p.thumbs == nil || !p.thumbs.Update(message) {
		return false
	}
	p.edits++
	p.show()
	return true
}

// show takes over what is known of the file.
func (p *Preview) show() {
	one := p.thumbs.known[p.asked]
	if one == nil || one.lines == nil && one.err == nil {
		return
	}
	p.Lines, p.Why, p.drawn, p.Width, p.Height = one.lines, "", true, one.got.Width, one.got.Height
	if one.err != nil {
		p.Why = env.Sentence(p.thumbs.k, one.err)
	}
}
