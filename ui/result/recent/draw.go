package recent

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Lines draws the strip.
func (r *Recent) Lines() []string {
	return r.stripMemo.Get(r.key(), func() []string {
		if r.badges() {
			return []string{r.drawBadges()}
		}
		return r.drawStrip()
	})
}

func (r *Recent) drawStrip() []string {
	k, t := r.k, r.k.Theme
	p := widget.Pane{Width: r.strip.W, Height: r.strip.H, Title: k.Say("Recent"), Right: k.Key("results", "alt+r"), Focus: r.focused}
	if shown := len(r.cards); r.total > shown {
		p.Right += " · " + k.Say("%s of %s", env.Thousands(shown), env.Thousands(r.total))
	} else if r.total > 0 {
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
		gap, card := theme.Blank(r.gap(n)), r.drawCard(n)
		above := slices.Repeat([]string{theme.Blank(r.seen(n) + 2)}, max(h-len(card), 0))
		card = append(above, card...) // captions stand on one line, each picture on its own
		for y := range lines {
			lines[y] += gap + card[y]
		}
	}
	if used := theme.Width(lines[0]) + 2; to == len(r.cards) && w-used >= minAside {
		for y, l := range r.aside(w-used, h) {
			lines[y] = theme.Fit(lines[y], used) + l
		}
	}
	return p.Lines(t, lines)
}

// toCome says what will stand in an empty frame.
func (r *Recent) toCome(w int) []string {
	return widget.Muted(r.k, r.k.Say("Results develop here, beside the prompt."), max(w, 1))
}

// emptyLines are a frame for the first result, in the ratio that the draft would
// make, and next to it the first steps.
func (r *Recent) emptyLines(w, h int) []string {
	lines := make([]string, h)
	if !r.known {
		return lines
	}
	t := r.k.Theme
	cols, rows := r.room(r.next)
	f := result.Frame{Theme: t, Edge: t.Border, Cols: cols, Rows: rows}
	if r.large.W == 0 {
		f.Body = r.toCome(cols - 2)
	}
	copy(lines[max(h-rows-3, 0):], f.Lines())
	if used := cols + 4; w-used >= minAside {
		for y, l := range r.firstSteps() {
			if y+1 < h {
				lines[y+1] = theme.Fit(lines[y+1], used) + l
			}
		}
	}
	return lines
}

// drawCard draws what is seen of a card: its picture or phase, and a caption.
func (r *Recent) drawCard(n int) []string {
	t, j := r.k.Theme, &r.cards[n].job
	_, rows := r.room(r.cards[n].ratio)
	cols := r.seen(n)
	chosen := r.focused && j.ID == r.chosen
	edge := t.Border
	if chosen {
		edge = t.Focus
	}
	f := result.Frame{Theme: t, Edge: edge, Cols: cols, Rows: rows}
	switch lines, state := r.thumbs.Lines(r.thumb(n)); {
	case state == result.ThumbReady:
		f.Body, f.Open, f.Filled = picture.Window(lines, 0, 0, cols, rows), !chosen, true
	case state == result.ThumbLoading && r.path(n) != "":
		f.Body = []string{t.Faint.Paint("…")}
	default:
		f.Body, f.Foot = r.phaseLines(j, cols, rows)
	}
	return append(f.Lines(), theme.Fit(r.caption(n, cols+1, chosen), cols+2))
}

// phaseLines say where a job without a picture stands, in cols×rows cells.
func (r *Recent) phaseLines(j *state.Job, cols, rows int) (body []string, foot string) {
	t, w := r.k.Theme, r.waiting(j)
	body = append(body, widget.PhaseStyle(&t.Styles, j.Phase).Paint(theme.Cut(w.Head(), cols)))
	if !j.Phase.Active() {
		for i, l := range widget.Wrap(r.why(j), max(cols-2, 1)) {
			if i == min(rows-1, maxWhy) {
				last := &body[len(body)-1]
				*last = theme.Cut(*last+"…", cols)
				break
			}
			body = append(body, t.Muted.Paint(l))
		}
		return body, ""
	}
	if rows >= 3 {
		body = append(body, "", w.Bar(max(cols-4, 4)))
	}
	return body, t.Muted.Paint(theme.Cut(w.Times(), max(cols-2, 1)))
}

const maxWhy = 4

func (r *Recent) waiting(j *state.Job) result.Waiting {
	return result.Waiting{Env: r.k, Job: j, Typical: r.typical[result.ClassOfJob(j)]}
}

// why says in two words why there is no picture, or the error as it came.
func (r *Recent) why(j *state.Job) string {
	k := r.k
	switch j.Phase {
	case api.PhaseDone:
		if len(j.Files) == 0 {
			return k.Say("no file")
		}
		if j.Kind == api.KindImage {
			return k.Say("no preview")
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
	return api.OneLine(k.Words.Reason(j.Error))
}

// caption is what tells a card from the others, and its price.
func (r *Recent) caption(n, w int, chosen bool) string {
	k, t, c := r.k, r.k.Theme, &r.cards[n]
	name, price := c.name(k), ""
	if c.job.Estimate.Known() && !c.job.Free() {
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
	if c.job.Label != "" && theme.Width(mark)+theme.Width(name)+theme.Width(price) > w {
		price = "" // what was varied tells more
	}
	return style.Paint(mark + result.CutCaption(name, w-theme.Width(price)-theme.Width(mark)) + price)
}

// name is what tells a card from the others: the label of a variation, and of a
// version of the draft in what the request differs from its like.
func (c *card) name(k *env.Env) string {
	r := &c.job.Request
	switch {
	case c.job.Label != "" || !c.chain:
		return result.Caption(&c.job.Row)
	case r.Seed != nil:
		return k.Say("seed %s", r.SeedText())
	}
	var parts []string
	for _, f := range api.Settings("") {
		if text := f.Text(r); text != "" && !f.Short {
			parts = append(parts, api.Clean(text, 20).String())
		}
	}
	return cmp.Or(strings.Join(parts, " "), api.Clean(r.Model, 40).String())
}

const (
	badgesAt = 1  // the first cell of the first badge
	minBadge = 19 // cells of one, the gap to the next included
)

// badgeTail ends the line of badges: the key that leads there.
func (r *Recent) badgeTail() string { return r.k.Key("results", "alt+r") }
func (r *Recent) badgeRoom() int    { return r.strip.W - badgesAt - theme.Width(r.badgeTail()) - 1 }
func (r *Recent) badgeCount() int   { return max(r.badgeRoom()/minBadge, 1) }
func (r *Recent) badgeWidth() int   { return max(r.badgeRoom()/r.badgeCount(), minBadge) }

func (r *Recent) drawBadges() string {
	t := r.k.Theme
	from, to := r.window()
	var b strings.Builder
	b.WriteString(theme.Blank(badgesAt))
	for n := from; n < to; n++ {
		r.writeBadge(&b, n)
	}
	if len(r.cards) == 0 && r.known {
		t.Muted.Write(&b, r.k.Say("Results appear here."))
	}
	return theme.Fit(b.String(), r.strip.W-theme.Width(r.badgeTail())-1) + t.Key.Paint(r.badgeTail()) + " "
}

// writeBadge writes a card as its mark, with its times or what tells it apart.
func (r *Recent) writeBadge(b *strings.Builder, n int) {
	t, c := r.k.Theme, &r.cards[n]
	in, sign := &t.Styles, " "
	if r.focused && c.job.ID == r.chosen {
		in, sign = &t.Selected, "▸"
	}
	text := c.name(r.k)
	if c.job.Phase.Active() {
		text = r.waiting(&c.job).Times()
	} else if why := r.why(&c.job); why != "" && len(c.job.Files) == 0 {
		text = why
	}
	in.Accent.Write(b, sign)
	widget.PhaseStyle(in, c.job.Phase).Write(b, widget.PhaseLook(c.job.Phase).Mark)
	in.Muted.Write(b, " "+theme.Fit(text, r.badgeWidth()-4))
	b.WriteString(" ")
}

// minAside is the room from which something stands behind the last card.
const minAside = 36

// aside is what stands behind the last of few cards, in w×h cells: what the
// chosen result is, unless it stands large, and what can be done with it.
func (r *Recent) aside(w, h int) []string {
	k, t := r.k, r.k.Theme
	j := &r.card().job
	lines := []string{""}
	if r.large.W == 0 {
		phase, facts := r.facts(j)
		lines = append(lines, phase)
		for _, l := range widget.Wrap(facts, w) {
			lines = append(lines, t.Text.Paint(l))
		}
		lines = append(lines, theme.Cut(r.timeLine(j), w), "")
	}
	key := func(key, label string) {
		if len(lines) < h-1 {
			lines = append(lines, theme.Cut(t.Key.Paint(theme.Fit(key, 8))+t.Muted.Paint(k.Say(label)), w))
		}
	}
	if !r.focused { // the verbs' keys are the form's
		key(k.Key("results", "alt+r"), "results")
		return lines
	}
	key(k.Key("back", "esc"), "back to the prompt")
	verbs := r.verbs.Actions()
	for i := range verbs {
		a := &verbs[i]
		if j.Phase.Active() && a.Name != "full_screen" {
			continue // the others come below it with the picture: no row moves
		}
		if a.Ready() && (a.Offer == nil || a.Offer()) && a.KeyText() != "" {
			key(k.Key(a.Name, a.KeyText()), a.Label)
		}
	}
	return lines
}

func (r *Recent) facts(j *state.Job) (phase, facts string) {
	k := r.k
	parts := append(widget.RequestFacts(k, j.Request), result.Charge(k, j)...)
	return widget.PhaseText(k, j.Phase), strings.Join(parts, " · ")
}

func (r *Recent) timeLine(j *state.Job) string {
	k, t := r.k, r.k.Theme
	parts := result.Times(k, j, r.waiting(j).Typical)
	if j.Phase.Ended() && j.Phase != api.PhaseDone {
		parts = append(parts, k.Reason(j.Error))
	}
	return t.Muted.Paint(strings.Join(parts, " · "))
}

// LargeLines draws the chosen result large, above its facts and times.
func (r *Recent) LargeLines() []string {
	return r.largeMemo.Get(r.key(), r.drawLarge)
}

func (r *Recent) drawLarge() []string {
	k, t := r.k, r.k.Theme
	p := widget.Pane{Width: r.large.W, Height: r.large.H, Title: k.Say("Result")}
	w, h := p.Inner()
	switch {
	case !r.known:
		return p.Lines(t, nil)
	case len(r.cards) == 0:
		return p.Lines(t, result.Instead(t, r.next, w, h, r.toCome))
	}
	j := &r.card().job
	p.Title = j.Title
	if len(j.Files) > 1 {
		p.Right = k.Say("file %d of %d", 1, len(j.Files))
	}
	phase, facts := r.facts(j)
	return p.Lines(t, append(r.bigPicture(), "", theme.Cut(phase+"  "+t.Text.Paint(facts), w), theme.Cut(r.timeLine(j), w)))
}

func (r *Recent) firstSteps() []string {
	k, t := r.k, r.k.Theme
	steps := []struct{ Key, Label string }{
		{Key: k.Key("review", "ctrl+s"), Label: "review and send"},
		{Key: k.Key("switch_kind", "ctrl+t"), Label: "image or video"},
		{Key: "@", Label: "insert material"},
		{Key: "{a|b}", Label: "one request per option"},
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

// bigPicture is the chosen result's picture, or its phase in a frame.
func (r *Recent) bigPicture() []string {
	cols, rows := r.bigRoom()
	t, c, th := r.k.Theme, r.card(), r.bigThumb()
	lines, state := r.thumbs.Lines(th)
	if state == result.ThumbReady {
		return lines
	}
	if c.job.Phase.Active() {
		return append(r.waiting(&c.job).Lines(cols, rows), make([]string, rows)...)[:rows]
	}
	return result.Instead(t, c.ratio, cols, rows, func(w int) []string {
		if th.Path != "" && state == result.ThumbLoading {
			return []string{t.Faint.Paint("…")}
		}
		body, _ := r.phaseLines(&c.job, w, rows)
		if why := r.thumbs.Why(th); why != "" {
			body = append([]string{body[0], ""}, widget.Muted(r.k, r.k.Say("No preview: %s", why), w)...)
		}
		return body
	})
}
