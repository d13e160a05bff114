package result

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

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
	if sign := f.view.sign(f); sign != "" {
		parts = append(parts, sign)
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

// follow shows the result that is chosen now, and reads one anew that changed.
func (f *fullScreen) follow() tea.Cmd {
	row, ok := f.place.Row()
	switch {
	case !ok:
		return nil
	case row.ID == f.id && (!f.loaded || f.job.Version >= row.Version):
		return nil
	case row.ID == f.id:
		f.job.Version = row.Version // it is asked for once
		return f.read()
	}
	f.player.Stop()
	f.sheet = false
	f.id, f.loaded, f.job, f.file = row.ID, false, state.Job{}, 0
	f.view.panX, f.view.panY = 0, 0
	f.version++
	f.seq++
	seq, of, ctx := f.seq, f, f.k.Context
	due := func() tea.Msg {
		env.Pause(ctx, readPause)
		return fullDueMsg{of, seq}
	}
	if row.File == "" {
		return tea.Batch(f.picture.Close(), due)
	}
	return tea.Batch(f.paint(), due)
}

// read reads the job, and notes that it was looked at.
func (f *fullScreen) read() tea.Cmd {
	of, id, ctx, backend := f, f.id, f.k.Context, f.backend
	row, _ := f.place.Row()
	return func() tea.Msg {
		if row.Unseen {
			_ = backend.Results().See(ctx, id) // the badge stays, no more
		}
		job, err := backend.Job(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return fullReadMsg{of, id, job, err}
	}
}

func (f *fullScreen) take(job state.Job) tea.Cmd {
	f.job, f.loaded = job, true
	f.file = max(min(f.file, len(job.Files)-1), 0)
	f.version++
	return f.paint()
}

// path is the file that is shown, or "".
func (f *fullScreen) path() string {
	if f.loaded && f.file < len(f.job.Files) {
		return f.job.Files[f.file].Path
	}
	if row, ok := f.place.Row(); ok && f.file == 0 {
		return row.File
	}
	return ""
}

// paint asks for the picture at the size of now.
func (f *fullScreen) paint() tea.Cmd {
	w, h := f.view.size(f)
	if f.sheet && f.showsVideo() {
		return f.picture.WantSheet(f.k, f.path(), w, h)
	}
	return f.picture.Want(f.k, f.path(), w, h)
}

// see tells the store in a command that results were looked at.
func see(ctx context.Context, b Backend, ids []string) tea.Cmd {
	if len(ids) == 0 {
		return nil
	}
	return func() tea.Msg {
		_ = b.Results().See(ctx, ids...) // the badge stays, no more
		return nil
	}
}
