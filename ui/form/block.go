package form

import (
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// block is what a field drew, with its label and problems.
type block struct {
	lines    []string
	problems []string
	vx, vy   int // where the field's own drawing begins
	width    int // of the field's own drawing
	d        drawing
}

// blockKey is what a field's block depends on.
type blockKey struct {
	look    *Look
	version int64
	width   int
	full    int // width of the form
	column  int
	focus   bool
	tried   bool
}

// block draws a field, or gives what was drawn when nothing has changed since.
func (f *Form) block(field Field, width, column int) *block {
	c := field.core()
	focus := field == f.focus && !f.idle
	key := blockKey{f.look, c.version, width, f.width, column, focus, f.tried}
	return c.drawn.Get(key, func() *block {
		var b *block
		if t, ok := field.(tall); ok {
			b = f.tallBlock(field, t, width, column, focus)
		} else {
			b = f.lineBlock(field, width, column, focus)
		}
		b.problems = f.sentences(c)
		return b
	})
}

// label writes a field's label with the mark of the focus before it.
func (f *Form) label(c *Core, column int, focus bool) string {
	t := f.look.Theme
	name := theme.Fit(c.Label, column)
	if focus {
		return t.Focus.Paint("┃ ") + t.Accent.Paint(name)
	}
	return "  " + t.Muted.Paint(name)
}

func (f *Form) lineBlock(field Field, width, column int, focus bool) *block {
	c := field.core()
	room := width - gutter - column
	b := &block{vx: gutter + column, width: room, d: field.draw(f.look, room, focus)}
	note, noteStyle := c.Note, f.look.Theme.Faint
	if c.Several != "" && focus {
		note, noteStyle = c.Several, f.look.Theme.Accent
	} else if c.Several != "" {
		b.d.lines[0] = f.look.Theme.Accent.Paint(theme.Cut(c.Several, room))
	}
	line := f.label(c, column, focus) + b.d.lines[0]
	if note != "" {
		used := theme.Width(b.d.lines[0])
		if b.d.cursor {
			used = max(used, b.d.x+1)
		}
		if used+6 < room {
			line = fill(line, gutter+column+used) + "  " + noteStyle.Paint(theme.Cut(note, room-used-2))
		}
	}
	b.lines = []string{line}
	return b
}

func (f *Form) tallBlock(field Field, t tall, width, column int, focus bool) *block {
	c := field.core()
	b := &block{vy: 1, width: width, d: field.draw(f.look, width, focus)}
	head := t.heading(f.look, width, focus)
	label := f.label(c, column, focus)
	if _, prompt := field.(*Prompt); prompt {
		label = fill(label, width-theme.Width(head)) + head
	} else {
		label += head
		if room := width - theme.Width(label) - 2; c.Note != "" && room > theme.Width(c.Note) {
			label += theme.Blank(room-theme.Width(c.Note)+2) + f.look.Theme.Faint.Paint(c.Note)
		}
	}
	b.lines = append([]string{theme.Cut(label, width)}, b.d.lines...)
	return b
}

// sentences are the problems to show now, wrapped.
func (f *Form) sentences(c *Core) []string {
	var out []string
	for _, p := range c.problems {
		if !p.Early && !c.left && !f.tried {
			continue
		}
		for i, line := range widget.Wrap(p.Text, f.width-gutter-2) {
			mark := "✗ "
			if i > 0 {
				mark = "  "
			}
			out = append(out, "  "+f.look.Theme.Bad.Paint(mark+line))
		}
	}
	return out
}
