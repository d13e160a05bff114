package result

import (
	"strconv"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Elapsed is how long a job has been under way.
func Elapsed(j *state.Job, at time.Time) time.Duration {
	from := j.SentAt
	if from.IsZero() {
		from = j.CreatedAt
	}
	return at.Sub(from)
}

// Waiting draws an active job in w×h cells: a frame in the ratio of the result,
// in it the phase, how far it is against the usual time, and when the service is
// asked next.
func Waiting(k *env.Env, j *state.Job, usual Usual, w, h int) []string {
	t := k.Theme
	cols, rows := ratioBox(j.Request.AspectRatio, w, h)
	if cols < 16 || rows < 5 {
		return nil
	}
	look := widget.PhaseLook(j.Phase)
	took := Elapsed(j, k.At)
	text := []string{
		widget.PhaseStyle(&t.Styles, j.Phase).Paint(look.Mark + " " + k.Say(look.Word)),
		waitingBar(t, j, usual, took, min(cols-6, 32)),
	}
	times := env.Short(took)
	if usual.Median > 0 {
		times += " / ~" + env.Short(usual.Median)
	}
	text = append(text, t.Muted.Paint(times))
	if left := j.NextPoll.Sub(k.At); left > 0 && j.RemoteID != "" && rows > 6 {
		text = append(text, t.Faint.Paint(k.Say("next check in %s", k.Span(left))))
	}
	f := &t.Frame
	lines := []string{t.Border.Paint(f.TopLeft + strings.Repeat(f.Top, cols-2) + f.TopRight)}
	for y := range rows - 2 {
		inner := centred(text, y, rows-2)
		pad := max(cols-2-theme.Width(inner), 0) / 2
		lines = append(lines, t.Border.Paint(f.Left)+theme.Fit(theme.Blank(pad)+inner, cols-2)+t.Border.Paint(f.Right))
	}
	lines = append(lines, t.Border.Paint(f.BottomLeft+strings.Repeat(f.Bottom, cols-2)+f.BottomRight))
	out := make([]string, 0, h)
	for range (h - rows) / 2 {
		out = append(out, "")
	}
	for _, l := range lines {
		out = append(out, theme.Blank((w-cols)/2)+l)
	}
	return out
}

// waitingBar is how far a job is: by what the service says, or else against the
// usual time. Without either nothing is claimed.
func waitingBar(t *theme.Theme, j *state.Job, usual Usual, took time.Duration, w int) string {
	switch {
	case j.Progress >= 0:
		return widget.ProgressBar(t, j.Progress, w)
	case usual.Median > 0 && j.Phase != api.PhaseQueued:
		return widget.ProgressBar(t, min(float64(took)/float64(usual.Median), 0.95), w)
	}
	return widget.ProgressBar(t, 0, w)
}

// ratioBox is the largest box of a ratio such as "16:9" in w×h cells, which are
// twice as high as wide.
func ratioBox(ratio string, w, h int) (cols, rows int) {
	a, b := 1, 1
	if left, right, ok := strings.Cut(ratio, ":"); ok {
		x, errX := strconv.Atoi(left)
		y, errY := strconv.Atoi(right)
		if errX == nil && errY == nil && x > 0 && y > 0 && x < 100 && y < 100 {
			a, b = x, y
		}
	}
	cols, rows = w, w*b/(2*a)
	if rows > h {
		cols, rows = h*2*a/b, h
	}
	return min(cols, w), min(rows, h)
}
