package review

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Material is a row of the materials of a request.
type Material struct {
	Name    string // as the form calls it
	Address string
	Title   string // file and host
	Path    string // of the saved file, when it is a result of this program
}

// Size of a thumbnail in cells.
const (
	thumbCells = 8
	thumbLines = 4
)

// summaryLines are the request as a person reads it: its settings, its prompt
// and its materials.
func (r *Review) summaryLines(w int) []string {
	t := r.env.Theme
	f := widget.Facts{Width: w, Theme: t}
	f.Joined(t.Text, r.settings(&r.made[0].Request))
	f.Gap()
	prompt := r.made[0].Request.Prompt
	f.Wrapped(t.Text, api.CleanLines(prompt, len(prompt)+1).String())
	indent, names := r.columns()
	for i, m := range r.materials {
		if i == 0 || m.Path != "" {
			f.Gap()
		}
		name := t.Text.Paint(theme.Fit(m.Name, names)) + "  " + t.Muted.Paint(m.Title)
		if m.Path == "" {
			f.Painted(theme.Blank(indent) + name)
			continue
		}
		picture, _ := r.thumbs.Lines(m.thumb())
		for y, line := range picture {
			line = theme.Fit(line, thumbCells)
			if y == thumbLines/2-1 {
				line += theme.Blank(indent-thumbCells) + name
			}
			f.Painted(line)
		}
	}
	return f.Lines
}

// columns are how far in the names of the materials stand, behind the thumbnails
// when one of them has one, and how wide the names are.
func (r *Review) columns() (indent, names int) {
	for _, m := range r.materials {
		if m.Path != "" {
			indent = thumbCells + 2
		}
		names = max(names, theme.Width(m.Name))
	}
	return indent, names
}

// settings are the labelled values of a request.
func (r *Review) settings(q *api.Request) []string {
	say := r.env.Say
	var out []string
	add := func(label, value string) {
		if value != "" {
			out = append(out, label+" "+api.Clean(value, 200).String())
		}
	}
	add(say("Model"), q.Model)
	if q.FunctionMode == api.ModeFirstLastFrame {
		add(say("Mode"), say("first and last frame"))
	}
	for _, f := range api.Settings("") {
		add(say(f.Label), f.Said(say, f.Text(q), false))
	}
	switch {
	case q.Sync:
		add(say("Async"), "false")
	case q.NoAsync:
		add(say("Async"), say("not set"))
	}
	for _, e := range q.Extra {
		add(e.Name, string(e.Value))
	}
	return out
}

func (m Material) thumb() result.Thumb {
	return result.Thumb{Path: m.Path, Cols: thumbCells, Rows: thumbLines}
}

// wantThumbs asks for the thumbnails of the materials while they are in view.
func (r *Review) wantThumbs() tea.Cmd {
	var wanted []result.Thumb
	if r.shown == textSummary && !r.many() {
		for _, m := range r.materials {
			wanted = append(wanted, m.thumb())
		}
	}
	return r.thumbs.Want(wanted)
}

// closed takes the review out of view, and its pictures out of the terminal's
// memory.
func (r *Review) closed(then ...tea.Cmd) tea.Cmd {
	return tea.Batch(r.thumbs.Want(nil), msg.Sequence(append([]tea.Cmd{msg.CloseTop}, then...)...))
}

// patternLines is how much of the pattern's prompt stands above the list.
const patternLines = 4

// listLines are the prompt with its alternatives, and the requests, one a line:
// in what each differs, and its price.
func (r *Review) listLines(w int) []string {
	t := r.env.Theme
	prompt := r.pattern.Prompt
	out := widget.Wrap(api.CleanLines(prompt, len(prompt)+1).String(), w)
	if len(out) > patternLines {
		out = out[:patternLines]
		out[patternLines-1] = theme.Cut(out[patternLines-1]+" …", w)
	}
	for i := range out {
		out[i] = t.Text.Paint(out[i])
	}
	out = append(out, "")
	for i, v := range r.requests() {
		price := r.priceOf(&v.Request)
		number := widget.AlignRight(strconv.Itoa(i+1), 3) + "  "
		label := api.Clean(v.Label, 4*w).String()
		room := max(w-theme.Width(number)-theme.Width(price)-1, 1)
		out = append(out, t.Faint.Paint(number)+t.Text.Paint(theme.Fit(label, room))+" "+t.Muted.Paint(price))
	}
	return out
}
