package recent

import (
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// LargeLines draws the chosen result large, above a line of what it is and one
// of its times.
func (r *Recent) LargeLines(key Key) []string {
	return r.largeMemo.Get(key, r.drawLarge)
}

func (r *Recent) drawLarge() []string {
	k, t := r.k, r.k.Theme
	p := widget.Pane{Width: r.large.W, Height: r.large.H, Title: k.Say("Result")}
	w, h := p.Inner()
	if len(r.cards) == 0 {
		return p.Lines(t, r.emptyLines(w, h))
	}
	n := r.at()
	j := &r.cards[n].job
	p.Title = j.Title
	if len(j.Files) > 1 {
		p.Right = k.Say("file %d of %d", r.file+1, len(j.Files))
	}
	body := r.bigPicture()
	phase, facts := r.facts(j)
	return p.Lines(t, append(body, "", theme.Cut(phase+"  "+t.Text.Paint(facts), w), theme.Cut(r.timeLine(j), w)))
}

// bigPicture is the chosen result's picture, or its phase in a frame of its
// ratio.
func (r *Recent) bigPicture() []string {
	cols, rows := r.bigRoom()
	t, j, th := r.k.Theme, &r.cards[r.at()].job, r.bigThumb()
	lines, state := r.thumbs.Lines(th)
	if th.Path != "" && state != result.ThumbLoading && r.k.Painter != nil {
		return lines
	}
	if j.Phase.Active() {
		return append(r.waiting(j).Lines(cols, rows), make([]string, rows)...)[:rows]
	}
	f := result.Frame{Theme: t, Edge: t.Border}
	f.Cols, f.Rows = result.FitRatio(r.cards[r.at()].ratio, max(cols-2, 1), max(rows-2, 1))
	f.Body, f.Foot = r.phaseLines(j, f.Cols, f.Rows)
	if th.Path != "" && state == result.ThumbLoading {
		f.Body = []string{t.Faint.Paint("…")}
	}
	return result.Centred(f.Lines(), cols, rows)
}

// facts are a job's phase, painted, and what it asked for and cost.
func (r *Recent) facts(j *state.Job) (phase, facts string) {
	k := r.k
	look := widget.PhaseLook(j.Phase)
	parts := widget.RequestFacts(k, j.Request)
	if j.Estimate.Known() {
		parts = append(parts, k.Say("%s cr", env.Amount(j.Estimate.Credits)))
	}
	return widget.PhaseStyle(&k.Theme.Styles, j.Phase).Paint(look.Mark + " " + k.Say(look.Word)), strings.Join(parts, " · ")
}

// timeLine is when a job was sent and how long it took.
func (r *Recent) timeLine(j *state.Job) string {
	k, t := r.k, r.k.Theme
	var parts []string
	if !j.SentAt.IsZero() {
		parts = append(parts, k.Say("sent %s", k.Stamp(j.SentAt)))
	}
	if !j.EndedAt.IsZero() && !j.SentAt.IsZero() {
		took := env.Short(j.EndedAt.Sub(j.SentAt))
		if usual := r.usual[result.ClassOfJob(j)]; usual.Median > 0 {
			parts = append(parts, k.Say("took %s (usual %s)", took, env.Short(usual.Median)))
		} else {
			parts = append(parts, k.Say("took %s", took))
		}
	}
	if why := k.Reason(j.Error); j.Phase.Ended() && j.Phase != api.PhaseDone {
		parts = append(parts, why)
	}
	return t.Muted.Paint(strings.Join(parts, " · "))
}
