package recent

import (
	"strconv"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Lines draws the strip.
func (r *Recent) Lines(key Key) []string {
	return r.stripMemo.Get(key, func() []string {
		if r.badges() {
			return []string{r.drawBadges()}
		}
		return r.drawStrip()
	})
}

func (r *Recent) drawStrip() []string {
	k, t := r.k, r.k.Theme
	p := widget.Pane{Width: r.strip.W, Height: r.strip.H, Title: k.Say("Recent"), Right: k.Key("results", "alt+r"), Focus: r.focused}
	if r.total > 0 {
		p.Right += " · " + env.Thousands(r.total)
	}
	w, h := p.Inner()
	from, to := r.window()
	if len(r.cards) == 0 {
		return p.Lines(t, r.emptyLines(w, h))
	}
	if rest := len(r.cards) - to; rest > 0 {
		p.Foot = k.Say("%d more", rest) + " →"
	}
	lines := make([]string, h)
	for n := from; n < to; n++ {
		for y, l := range r.drawCard(n) {
			lines[y] += l
		}
	}
	for y := range lines {
		lines[y] = theme.Cut(lines[y], w)
	}
	return p.Lines(t, lines)
}

// emptyLines say what will stand in the strip.
func (r *Recent) emptyLines(w, h int) []string {
	lines := make([]string, h)
	if r.known {
		text := theme.Cut(r.k.Say("Results develop here, beside the prompt. %s reviews and sends.", r.k.Key("review", "ctrl+s")), w)
		lines[(h-1)/2] = theme.Blank((w-theme.Width(text))/2) + r.k.Theme.Muted.Paint(text)
	}
	return lines
}

// drawCard draws a card: its picture or its phase in a frame, and a caption.
func (r *Recent) drawCard(n int) []string {
	t, j := r.k.Theme, &r.cards[n].job
	cols, rows := r.cardRoom(n)
	chosen := r.focused && j.ID == r.chosen
	edge := t.Border
	if chosen {
		edge = t.Focus
	}
	f := frame{theme: t, edge: edge, cols: cols, rows: rows}
	switch picture, state := r.thumbs.Lines(r.thumb(n)); {
	case state == result.ThumbReady:
		f.body, f.open, f.boxed = picture, !chosen, true
	case state == result.ThumbLoading && r.path(n, 0) != "":
		f.body = []string{t.Faint.Paint("…")}
	default:
		f.body, f.foot = r.phaseLines(j, cols, rows)
	}
	return append(f.lines(), theme.Fit(r.caption(n, cols+1, chosen), cols+2))
}

// frame is a box of cols×rows cells with something in its middle.
type frame struct {
	theme      *theme.Theme
	edge       theme.Style
	open       bool // blanks in place of the lines
	cols, rows int
	body       []string // painted
	boxed      bool     // the body has its place in the box already
	foot       string   // painted, in the lower edge
}

func (f frame) lines() []string {
	b := f.theme.Frame
	if f.open {
		b.TopLeft, b.TopRight, b.BottomLeft, b.BottomRight, b.Top, b.Bottom, b.Left, b.Right = " ", " ", " ", " ", " ", " ", " ", " "
	}
	out := make([]string, 0, f.rows+3)
	out = append(out, f.edge.Paint(b.TopLeft+strings.Repeat(b.Top, f.cols)+b.TopRight))
	body := f.body[:min(len(f.body), f.rows)]
	pad := (f.rows - len(body)) / 2
	for y := range f.rows {
		line, left := "", 0
		if i := y - pad; i >= 0 && i < len(body) {
			line = body[i]
		}
		if !f.boxed {
			left = (f.cols - theme.Width(line)) / 2
		}
		line = theme.Blank(left) + line
		out = append(out, f.edge.Paint(b.Left)+line+theme.Blank(f.cols-theme.Width(line))+f.edge.Paint(b.Right))
	}
	if f.foot == "" {
		return append(out, f.edge.Paint(b.BottomLeft+strings.Repeat(b.Bottom, f.cols)+b.BottomRight))
	}
	rest := f.cols - theme.Width(f.foot) - 2
	left := rest / 2
	return append(out, f.edge.Paint(b.BottomLeft+strings.Repeat(b.Bottom, max(left, 0)))+" "+f.foot+" "+
		f.edge.Paint(strings.Repeat(b.Bottom, max(rest-left, 0))+b.BottomRight))
}

// phaseLines say where a job without a picture stands, in cols×rows cells, and
// what its times are.
func (r *Recent) phaseLines(j *state.Job, cols, rows int) (body []string, foot string) {
	k, t := r.k, r.k.Theme
	look, style := widget.PhaseLook(j.Phase), widget.PhaseStyle(&t.Styles, j.Phase)
	if j.Phase == api.PhaseRunning && r.moves() {
		look.Mark = widget.Spin[int(k.At.Unix())%len(widget.Spin)]
	}
	head := style.Paint(theme.Cut(look.Mark+" "+k.Say(look.Word), cols))
	if !j.Phase.Active() {
		body = append(body, head)
		for i, l := range widget.Wrap(r.why(j), max(cols, 1)) {
			if i < min(rows-1, 2) {
				body = append(body, t.Muted.Paint(l))
			}
		}
		return body, ""
	}
	body = append(body, head)
	if rows >= 3 {
		body = append(body, "", r.bar(j, max(cols-4, 4)))
	}
	return body, t.Muted.Paint(theme.Cut(r.times(j), max(cols-2, 1)))
}

// times are how long a job takes and how long its class took lately.
func (r *Recent) times(j *state.Job) string {
	took := env.Short(r.elapsed(j))
	if usual, ok := r.usualOf(j); ok {
		return took + " / ~" + env.Short(usual.Median)
	}
	return took
}

func (r *Recent) elapsed(j *state.Job) time.Duration {
	from := j.SentAt
	if from.IsZero() {
		from = j.CreatedAt
	}
	return max(r.k.At.Sub(from), 0)
}

func (r *Recent) usualOf(j *state.Job) (result.Usual, bool) {
	u, ok := r.usual[result.ClassOfJob(j)]
	return u, ok && u.Median > 0
}

// moves reports whether things may move.
func (r *Recent) moves() bool { return r.k.Getenv == nil || r.k.Getenv("NO_MOTION") == "" }

// bar is how far a job is by its usual time, else by what the service says; one
// of which nothing is known pulses.
func (r *Recent) bar(j *state.Job, width int) string {
	t := r.k.Theme
	if usual, ok := r.usualOf(j); ok {
		return widget.ProgressBar(t, min(float64(r.elapsed(j))/float64(usual.Median), 0.97), width)
	}
	if j.Progress >= 0 {
		return widget.ProgressBar(t, j.Progress, width)
	}
	at := 0
	if r.moves() {
		at = int(r.elapsed(j)/time.Second) % max(width-2, 1)
	}
	return t.Faint.Paint(strings.Repeat("─", at)) + t.Run.Paint(strings.Repeat("━", min(3, width))) + t.Faint.Paint(strings.Repeat("─", max(width-at-3, 0)))
}

// why says in two words why there is no picture; an error of no known class is
// said as it came.
func (r *Recent) why(j *state.Job) string {
	k := r.k
	switch j.Phase {
	case api.PhaseDone:
		if len(j.Files) == 0 {
			return k.Say("no file")
		}
		return "▶ " + k.Say(widget.KindWord(j.Kind))
	case api.PhaseUnknown, api.PhaseUnread:
		if j.Dismissed {
			return k.Say("not charged")
		}
		return k.Say("may have cost")
	case api.PhaseExpired:
		return k.Say("links expired")
	case api.PhaseStale:
		return k.Say("no end in 7 d")
	}
	if words := widget.ClassWords(k, j.ErrClass); words != "" {
		return words
	}
	return widget.OneLine(k.Words.Reason(j.Error))
}

// caption is what tells a card from the others, and its price.
func (r *Recent) caption(n, w int, chosen bool) string {
	k, t, c := r.k, r.k.Theme, &r.cards[n]
	name := c.job.Title
	if c.chain {
		name = variety(k, c.job.Request)
	}
	if c.job.Label != "" { // what tells the variations of one sending apart
		name = widget.OneLine(c.job.Label)
	}
	price := ""
	if c.job.Estimate.Known() {
		price = " · " + env.Amount(c.job.Estimate.Credits)
	}
	mark, style := " ", t.Muted
	if chosen {
		mark, style = "▸", t.Accent
	}
	if r.marks.Has(c.job.ID) {
		mark += "◆"
	}
	if c.job.Kind == api.KindVideo {
		mark += "▶ "
	}
	if signs := result.RatingText(c.row.Rating); signs != "" {
		price = " " + signs + price
	}
	return style.Paint(mark + theme.Cut(name, w-theme.Width(price)-theme.Width(mark)) + price)
}

// variety is in what a request differs from its like.
func variety(k *env.Env, r api.Request) string {
	var parts []string
	if r.Seed != nil {
		return k.Say("seed %s", strconv.FormatInt(*r.Seed, 10))
	}
	for _, s := range []string{r.Size, r.Quality, r.VideoModel, r.Resolution} {
		if s != "" {
			parts = append(parts, api.Clean(s, 20).String())
		}
	}
	if len(parts) == 0 {
		parts = append(parts, api.Clean(r.Model, 40).String())
	}
	return strings.Join(parts, " ")
}
