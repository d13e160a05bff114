package result

import (
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Box draws the overlay over the whole body.
func (f *fullScreen) Box(w, h int) string {
	key := fullScreenKey{w: w, h: h, version: f.version, picture: f.picture.Edits(), played: f.player.Edits(), view: f.view, theme: f.k.Theme, lang: f.k.Words.Lang()}
	if row, ok := f.place.Row(); ok {
		key.row = rowState{row.ID, row.Version, row.Rating, f.verbs.marks.Has(row.ID)}
		if row.Phase.Active() {
			key.second = f.k.At.Unix()
		}
	}
	return f.box.Get(key, func() string { return f.draw(w, h) })
}

func (f *fullScreen) draw(w, h int) string {
	k, t := f.k, f.k.Theme
	row, ok := f.place.Row()
	p := widget.Pane{Width: w, Height: h, Title: row.Title, Focus: true}
	if !ok {
		p.Title = k.Say("Nothing selected")
		return strings.Join(p.Lines(t, nil), "\n")
	}
	p.Right = f.signs(&row)
	inner, high := p.Inner()
	room := max(high-1, 0)
	lines := make([]string, 0, high)
	switch shown := f.view.window(f.shownLines(), inner, room); {
	case f.picture.Why != "" && !f.player.Playing() || row.File == "" && len(f.picture.Lines) == 0:
		lines = append(lines, f.instead(&row, inner, room)...)
	default:
		for y := range room {
			line := centred(shown, y, room)
			lines = append(lines, theme.Blank((inner-theme.Width(line))/2)+line)
		}
	}
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines[:room], theme.Cut(f.factLine(&row), inner))
	return strings.Join(p.Lines(t, lines), "\n")
}

// signs are what stands in the upper border: mark, rating, file and zoom.
func (f *fullScreen) signs(row *state.Row) string {
	var parts []string
	if f.verbs.marks.Has(row.ID) {
		parts = append(parts, "◆ "+f.k.Say("marked"))
	}
	if s := RatingText(row.Rating); s != "" {
		parts = append(parts, s)
	}
	if f.loaded && len(f.job.Files) > 1 {
		parts = append(parts, f.k.Say("file %d of %d", f.file+1, len(f.job.Files)))
	}
	if why := f.player.Why(); why != "" {
		parts = append(parts, why)
	}
	switch f.view.zoom {
	case zoomActual:
		parts = append(parts, "1:1")
	case zoomTwice:
		parts = append(parts, "2×")
	case zoomMost:
		parts = append(parts, "4×")
	}
	return strings.Join(parts, " · ")
}

// instead stands where no picture is: why, the phase, the error and the prompt.
func (f *fullScreen) instead(row *state.Row, w, h int) []string {
	k, t := f.k, f.k.Theme
	facts := widget.Facts{Width: min(w, 100), Theme: t}
	look := widget.PhaseLook(row.Phase)
	facts.Painted("")
	facts.Painted(widget.PhaseStyle(&t.Styles, row.Phase).Paint(look.Mark + " " + k.Say(look.Word)))
	if f.picture.Why != "" {
		facts.Wrapped(t.Muted, k.Say("No preview: %s", f.picture.Why))
	}
	if !row.Error.IsZero() {
		facts.Wrapped(t.Text, k.Reason(row.Error))
	}
	if f.loaded {
		facts.Gap()
		facts.Wrapped(t.Muted, api.CleanLines(f.job.Request.Prompt, 5000).String())
	}
	return facts.Lines[:min(len(facts.Lines), h)]
}

// factLine is the one line of facts.
func (f *fullScreen) factLine(row *state.Row) string {
	k, t := f.k, f.k.Theme
	if !f.loaded {
		return t.Muted.Paint(strings.Join(RowFacts(k, row), " · "))
	}
	return t.Muted.Paint(strings.Join(JobFacts(k, &f.job), " · "))
}

// RowFacts are the facts of a job as far as its row knows them.
func RowFacts(k *env.Env, r *state.Row) []string {
	parts := []string{api.Clean(r.Model, api.MaxIDText).String()}
	if r.Source != api.SourceNone && r.Source != "" {
		parts = append(parts, k.Say("%s cr", env.Amount(r.Credits)))
	}
	return append(parts, k.Stamp(r.CreatedAt))
}

// JobFacts are the one line of facts of a job: what was asked for, what it
// cost, when and how long.
func JobFacts(k *env.Env, j *state.Job) []string {
	parts := widget.RequestFacts(k, j.Request)
	if j.Estimate.Known() {
		parts = append(parts, k.Say("%s cr", env.Amount(j.Estimate.Credits)))
	}
	if !j.SentAt.IsZero() {
		parts = append(parts, k.Stamp(j.SentAt))
		if j.EndedAt.After(j.SentAt) {
			parts = append(parts, env.Short(j.EndedAt.Sub(j.SentAt)))
		}
	}
	if len(j.Files) == 0 && j.ExpiresAt.After(k.At) {
		parts = append(parts, k.Say("links expire in %s", k.Span(j.ExpiresAt.Sub(k.At))))
	}
	if j.Note != "" {
		parts = append(parts, "✎ "+j.Note)
	}
	return parts
}

// Signs are what a row shows at its end: rating, number of files, a note.
func Signs(r *state.Row) string {
	s := ""
	switch {
	case r.Pick > 0:
		s = "★"
	case r.Pick < 0:
		s = "✗"
	}
	if r.Stars > 0 {
		s += strconv.Itoa(r.Stars) + "⋆"
	}
	if r.Note != "" {
		s += "✎"
	}
	if r.Files > 1 {
		s += "×" + strconv.Itoa(r.Files)
	}
	return s
}
