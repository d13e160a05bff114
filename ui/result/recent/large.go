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
		return p.Lines(t, r.firstSteps(w, h))
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

type step struct{ Key, Label string }

// firstSteps are the keys that lead to a result, in the middle of the pane, while
// there is none.
func (r *Recent) firstSteps(w, h int) []string {
	lines := make([]string, h)
	if !r.known {
		return lines
	}
	k, t := r.k, r.k.Theme
	steps := []step{
		{Key: k.Key("review", "ctrl+s"), Label: "review and send"},
		{Key: k.Key("switch_kind", "ctrl+t"), Label: "image or video"},
		{Key: "@", Label: "insert material"},
		{Key: "{a|b}", Label: "a request for each of them"},
		{Key: k.Key("saved_prompts", "alt+s"), Label: "saved prompts"},
		{Key: k.Key("history", "ctrl+r"), Label: "history"},
	}
	keys, labels := 0, 0
	for i := range steps {
		steps[i].Label = k.Say(steps[i].Label)
		keys, labels = max(keys, theme.Width(steps[i].Key)+3), max(labels, theme.Width(steps[i].Label))
	}
	left := theme.Blank(max((w-keys-labels)/2, 0))
	for i, s := range steps {
		if y := (h-len(steps))/2 + i; y >= 0 && y < h {
			lines[y] = theme.Cut(left+t.Key.Paint(theme.Fit(s.Key, keys))+t.Muted.Paint(s.Label), w)
		}
	}
	return lines
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
	parts := result.Times(k, j, r.usual[result.ClassOfJob(j)])
	if why := k.Reason(j.Error); j.Phase.Ended() && j.Phase != api.PhaseDone {
		parts = append(parts, why)
	}
	return t.Muted.Paint(strings.Join(parts, " · "))
}
