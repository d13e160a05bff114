package recent

import (
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
	if len(r.cards) == 0 && r.known {
		return p.Lines(t, result.Instead(t, r.next, w, h, r.toCome))
	} else if len(r.cards) == 0 {
		return p.Lines(t, nil)
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

// firstSteps are the keys that lead to a result, a line each.
func (r *Recent) firstSteps() []string {
	k, t := r.k, r.k.Theme
	steps := []step{
		{Key: k.Key("review", "ctrl+s"), Label: "review and send"},
		{Key: k.Key("switch_kind", "ctrl+t"), Label: "image or video"},
		{Key: "@", Label: "insert material"},
		{Key: "{a|b}", Label: "a request for each of them"},
		{Key: k.Key("saved_prompts", "alt+s"), Label: "saved prompts"},
		{Key: k.Key("history", "ctrl+r"), Label: "history"},
	}
	keys := 0
	for _, s := range steps {
		keys = max(keys, theme.Width(s.Key)+3)
	}
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = t.Key.Paint(theme.Fit(s.Key, keys)) + t.Muted.Paint(k.Say(s.Label))
	}
	return lines
}

// bigPicture is the chosen result's picture, or its phase in a frame of its
// ratio.
func (r *Recent) bigPicture() []string {
	cols, rows := r.bigRoom()
	t, j, th := r.k.Theme, &r.cards[r.at()].job, r.bigThumb()
	lines, state := r.thumbs.Lines(th)
	if state == result.ThumbReady {
		return lines
	}
	if j.Phase.Active() {
		return append(r.waiting(j).Lines(cols, rows), make([]string, rows)...)[:rows]
	}
	return result.Instead(t, r.cards[r.at()].ratio, cols, rows, func(w int) []string {
		if th.Path != "" && state == result.ThumbLoading {
			return []string{t.Faint.Paint("…")}
		}
		body, _ := r.phaseLines(j, w, rows)
		if why := r.thumbs.Why(th); why != "" {
			facts := widget.Facts{Width: w, Theme: t, Lines: append(body[:1:1], "")}
			facts.Wrapped(t.Muted, why)
			body = facts.Lines
		}
		return body
	})
}
