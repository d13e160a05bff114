package history

import (
	"cmp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	maxWidth = 110
	maxLines = 24 // of the list
)

// plan is how the box is laid out, by its size alone.
type plan struct {
	inner   int // cells of a line
	row     int // lines of a row: the prompt, its facts, and a gap; the first two have a thumbnail
	rows    int // in view
	preview int // lines below the list
	picture int // cells of the picture next to the preview; 0: none
}

const (
	thumbCells   = 5 // of the thumbnail of a row
	pictureCells = 20
)

func (o *history) plan() plan {
	p := plan{inner: max(min(maxWidth, o.w)-4, 1), row: 1, preview: 4}
	if o.h >= 26 {
		p.row, p.preview = 3, 6
	}
	if p.inner >= 60 {
		p.picture = pictureCells
	}
	p.rows = max(min(o.h-2-widget.FinderTop-p.preview, maxLines)/p.row, 1)
	return p
}

// wanted asks for the pictures in view, that of the selected request first.
func (o *history) wanted() tea.Cmd {
	p, rows := o.plan(), o.rows()
	var all []result.Thumb
	if one, _, ok := o.selected(); ok && p.picture > 0 {
		all = append(all, p.big(one))
	}
	for y := range p.rows {
		if n, ok := o.List.RowAt(widget.FinderTop + y); ok && p.row > 1 {
			all = append(all, p.small(&o.found[rows[n].request]))
		}
	}
	return o.thumbs.Want(all)
}

// big is the picture next to the preview, small that of a row.
func (p plan) big(r *request) result.Thumb {
	return result.Thumb{Path: r.path, Cols: p.picture, Rows: p.preview}
}
func (p plan) small(r *request) result.Thumb {
	return result.Thumb{Path: r.path, Cols: thumbCells, Rows: min(p.row, 2)}
}

func (o *history) Box(int, int) string {
	p, rows, lines := o.plan(), o.rows(), o.Head(o.env.Theme, "")
	lines[2] += " " + o.env.Theme.Muted.Paint(o.scopeWord())
	shown := o.List.Lines(func(n int, selected bool) string { return strings.Join(o.row(rows[n], selected, p), "\n") })
	if o.List.Rows() == 0 {
		shown[0] = o.whyEmpty(p.inner)
	}
	for _, one := range shown {
		at := len(lines)
		lines = append(lines, strings.Split(one, "\n")...)
		for len(lines) < at+p.row {
			lines = append(lines, "")
		}
	}
	_, v, ok := o.selected() // the title says against what new words are marked
	title := cmp.Or(o.env.SayIf(ok && v.parent >= 0, "New words of this version"),
		o.env.SayIf(ok && o.now != "", "Differences from the current prompt"))
	lines = append(append(lines, widget.Divide(title)), o.preview(p)...)
	return widget.Boxed(o.env, p.inner+4, o.h, o.env.Say("History"), lines, 0)
}

func (o *history) scopeWord() string {
	word := [...]string{o.env.Say("all"), o.env.Say("this session"), o.env.Say("favourites")}[o.scope]
	return strings.Join(env.Said(word, o.env.SayIf(o.versions, "versions")), " · ")
}

// whyEmpty says why there is no row; "" while the answer is awaited.
func (o *history) whyEmpty(w int) string {
	t, none := o.env.Theme, o.Line.Text() == "" && o.scope == scopeAll
	if o.err != "" || !o.known {
		return t.Bad.Paint(theme.Cut(o.err, w))
	}
	return t.Muted.Paint(theme.Cut(cmp.Or(o.env.SayIf(none, "Nothing was sent yet: requests that you send are listed here."),
		o.env.Say("No request matches.")), w))
}

const (
	phaseCells = 11
	kindCells  = 7
	modelCells = 14
	endCells   = 31 // credits, time, favourite
)

// row draws a request on one line, or on two next to its thumbnail.
func (o *history) row(v version, selected bool, p plan) []string {
	one, t := &o.found[v.request], o.env.Theme
	in, mark := t.Row(selected)
	look := widget.PhaseLook(one.Phase)
	phase := widget.PhaseStyle(in, one.Phase)
	kind := env.Capital(o.env.Say(widget.KindWord(one.Kind)))
	figure, sign := o.cost(one), " "
	if v.times > 1 {
		figure += " ×" + strconv.Itoa(v.times)
	}
	if one.Pick > 0 {
		sign = "♥"
	}
	end := in.Muted.Paint(" " + widget.AlignRight(figure, 10) + " " + widget.AlignRight(o.env.When(one.CreatedAt), 17) + " " + sign)
	if p.row == 1 {
		model, room := theme.Fit(one.Model, modelCells), p.inner-4-kindCells-modelCells-1-endCells
		if room < 20 { // narrow: the model goes first
			model, room = "", room+modelCells
		}
		line := in.Text.Paint(mark) + phase.Paint(look.Mark+" ") + in.Muted.Paint(theme.Fit(kind, kindCells)+model+" ")
		return []string{theme.Cut(line+o.prompt(v, selected, max(room, 1))+end, p.inner)}
	}
	picture, _ := o.thumbs.Lines(p.small(one))
	lead := func(y int) string {
		cells := theme.Fit(picture[y], thumbCells)
		if strings.TrimSpace(cells) == "" {
			cells = in.Text.Paint(cells)
		}
		return in.Text.Paint([2]string{mark, "  "}[y]) + cells + in.Text.Paint("  ")
	}
	room := p.inner - 2 - thumbCells - 2
	facts := phase.Paint(theme.Fit(look.Mark+" "+o.env.Say(look.Word), phaseCells)) + in.Muted.Paint(theme.Fit(kind, kindCells)+
		theme.Fit(one.Model, max(room-phaseCells-kindCells-endCells, 0)))
	return []string{lead(0) + o.prompt(v, selected, room), lead(1) + facts + end}
}

func (o *history) cost(one *request) string {
	if one.Source == "none" || one.Free() {
		return "–"
	}
	return o.env.Say("%s cr", one.Credits.String())
}

// prompt is a row's prompt; in the tree from where it differs from its parent's.
func (o *history) prompt(v version, selected bool, w int) string {
	in := &o.env.Theme.Styles
	style := in.Text
	if selected {
		in = &o.env.Theme.Selected
		style = in.Strong
	}
	text := o.found[v.request].Request.Prompt
	branch := in.Muted.Paint(v.branch)
	w = max(w-theme.Width(v.branch), 1)
	if v.parent < 0 {
		return branch + style.Paint(theme.Fit(api.OneLine(text), w))
	}
	words := result.MarkWords(in.Muted, in.Accent, changesOf(o.found[v.parent].Request.Prompt, text))
	line := theme.Cut(strings.ReplaceAll(words, "\n", " "), w)
	return branch + line + in.Muted.Paint(theme.Blank(w-theme.Width(line)))
}

// preview is the picture of the selected request and the beginning of its prompt, with
// the words marked that the prompt before it, or the form's, does not have, above its facts.
func (o *history) preview(p plan) []string {
	out := make([]string, p.preview)
	one, v, ok := o.selected()
	if !ok {
		return out
	}
	before, w := o.now, p.inner
	if v.parent >= 0 {
		before = o.found[v.parent].Request.Prompt
	}
	var picture []string
	if one.path != "" && p.picture > 0 {
		picture, _ = o.thumbs.Lines(p.big(one))
		w -= p.picture + 2
	}
	t := o.env.Theme
	words := strings.ReplaceAll(result.MarkWords(t.Muted, t.Accent, result.Words(one.Request.Prompt, before)), "\n", " ")
	lines, last, ink := strings.Split(lipgloss.Wrap(words, w-2, ""), "\n"), p.preview-1, t.Muted
	if copy(out[:last], lines) < len(lines) {
		out[last-1] += ink.Paint(" …")
	}
	facts := append(widget.RequestFacts(o.env, one.Request), o.cost(one), o.env.When(one.CreatedAt))
	out[last] = ink.Paint(theme.Cut(strings.Join(facts, " · "), w))
	for y := range picture {
		out[y] = theme.Fit(picture[y], p.picture) + "  " + out[y]
	}
	return out
}
