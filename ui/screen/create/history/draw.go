package history

import (
	"strings"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Box draws the overlay.
func (o *history) Box(int, int) string {
	key := boxKey{
		Look: o.env.Look(), w: o.w, h: o.h, filter: o.filter.Text(), column: o.filter.Column(),
		answer: o.answer, edits: o.edits, scope: o.scope, list: o.list,
	}
	return o.box.Get(key, func() string {
		w := o.inner()
		scope := o.env.Theme.Muted.Paint(o.scopeWord())
		room := w - theme.Width(scope) - 3
		filter := o.env.Theme.Accent.Paint("›") + " " + theme.Fit(o.filter.Window(room), room)
		lines := []string{filter + " " + scope, widget.Divide("")}
		rows := o.list.Lines(func(n int, selected bool) string { return o.request(&o.found[n], selected, w) })
		if o.list.Rows() == 0 {
			rows[0] = o.whyEmpty(w)
		}
		lines = append(append(append(lines, rows...), widget.Divide("")), o.preview(w)...)
		return widget.Boxed(o.env, w+4, o.h, o.env.Say("History"), lines)
	})
}

func (o *history) scopeWord() string {
	switch o.scope {
	case scopeSession:
		return o.env.Say("this session")
	case scopeStarred:
		return o.env.Say("starred")
	}
	return o.env.Say("all")
}

// whyEmpty says why there is no row; "" while the answer is awaited.
func (o *history) whyEmpty(w int) string {
	t := o.env.Theme
	switch {
	case o.err != "":
		return t.Bad.Paint(theme.Cut(o.err, w))
	case o.answer == 0:
		return ""
	case o.filter.Text() == "" && o.scope == scopeAll:
		return t.Muted.Paint(theme.Cut(o.env.Say("Nothing was sent yet: requests that you send are listed here."), w))
	}
	return t.Muted.Paint(theme.Cut(o.env.Say("No request matches."), w))
}

// Cells of a row's columns.
const (
	kindCells  = 7
	modelCells = 14
	endCells   = 30 // credits, time, star
)

// request draws one: its phase, kind, model and prompt, what it cost and when.
func (o *history) request(one *state.Sent, selected bool, w int) string {
	t := o.env.Theme
	in, mark := &t.Styles, "  "
	if selected {
		in, mark = &t.Selected, "▸ "
	}
	look := widget.PhaseLook(one.Phase)
	phase := widget.PhaseStyle(in, one.Phase)
	kind := o.env.Say("Video")
	if one.Kind == "image" {
		kind = o.env.Say("Image")
	}
	star := " "
	if one.Pick > 0 {
		star = "★"
	}
	figure := env.Amount(one.Credits)
	if one.Source == "none" {
		figure = "–"
	}
	end := widget.AlignRight(figure, 9) + " " + widget.AlignRight(o.env.Stamp(one.CreatedAt), 17) + " " + star
	model := theme.Fit(one.Model, modelCells)
	room := w - 4 - kindCells - modelCells - 1 - endCells
	if room < 20 { // narrow: the model goes first
		model, room = "", room+modelCells
	}
	line := in.Text.Paint(mark) + phase.Paint(look.Mark+" ") + in.Muted.Paint(theme.Fit(kind, kindCells)+model+" ")
	text := in.Text
	if selected {
		text = in.Strong
	}
	line += text.Paint(theme.Fit(widget.OneLine(one.Request.Prompt), max(room, 1))) + in.Muted.Paint(" "+end)
	return theme.Cut(line, w)
}

// preview is the beginning of the selected prompt, in full width. Words that
// the prompt in the form does not have there are marked.
func (o *history) preview(w int) []string {
	out := make([]string, previewLines)
	one, ok := o.selected()
	if !ok {
		return out
	}
	t := o.env.Theme
	words := diffWords(o.now, one.Request.Prompt)
	line, used, n := strings.Builder{}, 0, 0
	for _, d := range words {
		for i, part := range widget.Wrap(d.text, w-1) {
			if cells := theme.Width(part); i > 0 || used+cells > w-1 {
				out[n] = line.String()
				if n++; n == len(out) {
					out[n-1] += t.Muted.Paint(" …")
					return out
				}
				line.Reset()
				used, part = 0, strings.TrimLeft(part, " ")
			}
			ink := t.Muted
			if d.new {
				ink = t.Accent
			}
			ink.Write(&line, part)
			used += theme.Width(part)
		}
	}
	out[n] = line.String()
	return out
}
