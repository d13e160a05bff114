package saved

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	mostWidth    = 100
	mostLines    = 14 // of the list
	listAt       = 3  // the box's line that the list begins on
	previewLines = 5
	nameCells    = 24
)

func (o *savedPrompts) resize(w, h int) {
	o.w, o.h = w, h
	o.list.SetWindow(listAt, min(max(h-5-previewLines, 1), mostLines))
}

// inner is how wide the text in the box is.
func (o *savedPrompts) inner() int { return max(min(mostWidth, o.w)-4, 1) }

func (o *savedPrompts) Cursor() *tea.Cursor {
	return tea.NewCursor(4+o.line.Column()-o.line.Offset(o.inner()-2), 1)
}

// Box draws the overlay.
func (o *savedPrompts) Box(int, int) string {
	t, w := o.env.Theme, o.inner()
	line := o.line.Window(w - 2)
	if o.line.Empty() {
		line = t.Faint.Paint(theme.Cut(o.env.Say("find one, or type a name and press %s to save the prompt of the form", o.table[1].KeyText()), w-2))
	}
	lines := []string{t.Accent.Paint("› ") + line, widget.Divide("")}
	rows := o.list.Lines(func(n int, selected bool) string { return o.row(o.shown[n], selected, w) })
	if o.list.Rows() == 0 && o.known {
		for i, l := range widget.Wrap(o.whyEmpty(), w) {
			if i < len(rows) {
				rows[i] = t.Muted.Paint(l)
			}
		}
	}
	lines = append(append(append(lines, rows...), widget.Divide("")), o.preview(w)...)
	return widget.BoxedMore(o.env, w+4, o.h, o.env.Say("Saved prompts"), lines, o.list.Below())
}

func (o *savedPrompts) whyEmpty() string {
	if len(o.all) > 0 {
		return o.env.Say("No saved prompt matches.")
	}
	return o.env.Say("No prompt is saved yet. {{subject}} in one is a placeholder: once it is inserted, tab goes from one to the next.")
}

func (o *savedPrompts) row(p state.SavedPrompt, selected bool, w int) string {
	t := o.env.Theme
	mark, name, text := "  ", t.Text, t.Muted
	if selected {
		mark, name, text = "▸ ", t.Selected.Strong, t.Selected.Muted
	}
	return name.Paint(mark+theme.Fit(p.Name, nameCells)) + text.Paint(theme.Fit(" "+api.OneLine(p.Text), max(w-nameCells-2, 1)))
}

// preview is the beginning of the selected prompt.
func (o *savedPrompts) preview(w int) []string {
	out := make([]string, previewLines)
	p, ok := o.selected()
	if !ok {
		return out
	}
	lines := widget.Wrap(api.CleanLines(p.Text, len(p.Text)+1).String(), w-2)
	for i := range min(len(lines), previewLines) {
		if out[i] = o.env.Theme.Text.Paint(lines[i]); i == previewLines-1 && len(lines) > previewLines {
			out[i] = o.env.Theme.Text.Paint(strings.TrimRight(lines[i], " ") + " …")
		}
	}
	return out
}
