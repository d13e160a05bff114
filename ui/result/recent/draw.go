package recent

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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
	return r.stripMemo.Get(r.key(), r.drawStrip)
}

func (r *Recent) drawStrip() []string {
	if r.badges() {
		return []string{r.drawBadges()}
	}
	k, t := r.k, r.k.Theme
	p := widget.Pane{Width: r.strip.W, Height: r.strip.H, Title: k.Say("Recent"), Focus: r.focused, Quiet: true}
	w, h := p.Inner()
	from, to := r.window()
	whole, left := r.fits(from)
	key, count := t.Key.Paint(r.badgeTail()), ""
	switch {
	case r.trial:
		p.Title, key = k.Say("Try one"), t.Key.Paint("↓")+t.Muted.Paint(" "+k.Say("and enter takes it"))
	case r.focused:
		count = k.Say("%s of %s", env.Thousands(r.at()+1), env.Thousands(r.total)) + "  "
	case r.total > 0:
		count = k.Count(r.total, "%s job", "%s jobs") + "  "
	}
	other := slices.IndexFunc(r.cards, func(c card) bool { return !c.chain })
	if other > 0 && r.cards[other].job.CreatedAt.After(r.cards[other-1].job.CreatedAt) {
		p.Title = k.Say("Similar prompts first")
	}
	p.Right = t.Muted.Paint(count) + key
	var cards []string
	for n := from; n < to; n++ {
		cards = append(cards, strings.Join(r.drawCard(n), "\n"))
	}
	lines := strings.Split(lipgloss.JoinHorizontal(lipgloss.Bottom, cards...), "\n") // captions stand on one line
	mid := len(lines)/2 - 1
	if from > 0 {
		lines[mid] = t.Muted.Paint("‹") + ansi.TruncateLeft(lines[mid], 1, "")
	}
	if whole == len(r.cards) && left >= besideFrom && !r.trial && r.large.W == 0 {
		facts := r.beside(left - 2)
		if r.alone() {
			lines = lines[:len(lines)-2]
		}
		for y := range min(len(facts), len(lines)) {
			lines[y] += "  " + facts[y]
		}
	}
	if whole < len(r.cards) {
		lines[mid] = theme.Fit(ansi.Truncate(lines[mid], w-1, ""), w-1) + t.Muted.Paint("›")
	}
	return p.Lines(t, append(make([]string, max(h-len(lines), 0)/2), lines...))
}

// alone reports whether what is known of the only result says what its captions would.
func (r *Recent) alone() bool {
	return len(r.cards) == 1 && r.large.W == 0 && !r.trial && r.strip.W > 2*besideFrom &&
		!r.marks.Has(r.chosen) && (r.k.Theme.Grounds() || !r.focused)
}

// besideFrom is the width from which what is known of a result stands beside a few cards.
const besideFrom = 40

// beside is what is known of the chosen result, w cells wide, below a blank line.
func (r *Recent) beside(w int) []string {
	t, j := r.k.Theme, &r.card().job
	f := widget.Facts{Width: w, Theme: t, Lines: make([]string, 1)}
	for _, l := range widget.WrapTo(j.Title, w, 3) {
		f.Painted(t.Strong.Paint(l))
	}
	f.Gap()
	parts, times := r.facts(j)
	phase := widget.PhaseText(r.k, j.Phase) + t.Warn.Paint("   "+result.Signs(&r.card().row))
	if j.Phase.Active() {
		phase = r.waiting(j).Said(w, t.Muted)
	}
	f.Painted(phase)
	f.Joined(t.Text, parts)
	f.Joined(t.Muted, times)
	if j.Phase == api.PhaseDone && len(r.cards) == 1 && !r.focused { // the first result
		f.Gap()
		f.Painted(t.Muted.Paint(r.k.Say("After %s:", r.badgeTail())))
		for _, next := range [][2]string{
			{r.k.Key("full_screen", "enter"), r.k.Say("full screen")},
			{r.k.Key("make_video", "v"), r.k.SayIf(j.Kind == api.KindImage, "video from this")},
			{r.k.Key("again", "n"), r.k.Say("again")},
		} {
			if next[1] != "" {
				f.Painted(t.Key.Paint(theme.Fit(next[0], 10)) + t.Muted.Paint(next[1]))
			}
		}
	}
	return f.Lines
}

// facts are what was asked for and cost, and when; and why it ended otherwise than well.
func (r *Recent) facts(j *state.Job) (parts, times []string) {
	parts = append(widget.RequestFacts(r.k, j.Request), env.Said(result.Charge(r.k, result.RowOf(j)))...)
	times = result.Times(r.k, j, r.waiting(j).Typical)
	if j.Phase.Ended() && j.Phase != api.PhaseDone {
		times = append(times, api.OneLine(result.Failure(r.k, &j.Row)))
	}
	return parts, times
}

// drawCard draws what is seen of a card: its picture or phase, and captions, on a ground
// of the picture's own colour if it is the chosen one.
func (r *Recent) drawCard(n int) []string {
	t, c := r.k.Theme, &r.cards[n]
	j, th, seen := &c.job, r.thumb(n), r.seen(n)
	chosen := r.focused && j.ID == r.chosen
	f := result.Frame{Theme: t, Chosen: chosen, Open: !chosen, Cols: seen, Rows: th.Rows, Filled: true}
	if f.Body = r.picture(c, th, seen); f.Body == nil {
		f.Open, f.Filled = false, false
		f.Body = api.Map(r.phaseLines(j, th, seen), func(l string) string { return theme.Fit(" "+l, seen) })
	}
	if j.Phase.Active() {
		f.Foot = theme.Fit(r.waiting(j).Bar(min(th.Cols, seen)), seen)
	}
	lines := append(f.Lines(), r.captionLines(n, seen+2, chosen, f.Filled)...)
	if seen < min(r.wide(n), 14) { // nobody could read the captions
		clear(lines[len(lines)-2:])
	}
	if chosen && t.Grounds() {
		lines = api.Map(lines, r.tint(c, th).Lay)
	}
	return lines
}

// tint is the ground of a picture's own colour.
func (r *Recent) tint(c *card, th result.Thumb) theme.Ground {
	return r.k.Theme.Tint(cmp.Or(r.thumbs.Mean(th), result.Gradient(r.k, c.job.Request.Prompt).Mean))
}

// picture is what is seen of a card's picture in the place of th, or of what stands in for
// it; nil if there is none.
func (r *Recent) picture(c *card, th result.Thumb, seen int) []string {
	lines, state := r.thumbs.Lines(th)
	switch other := r.developing(c, th, th.Cols, th.Rows); {
	case other != nil:
		lines = picture.Window(other, 0, 0, seen, th.Rows)
	case state != result.ThumbReady:
		return nil
	case seen < th.Cols:
		lines = picture.Window(lines, 0, 0, seen, th.Rows)
		faded := r.thumbs.Rough(th, picture.Rough{Side: 1, Share: 1, Seen: seen, Fade: 8, Ground: r.k.Theme.Panel.Colour})
		if faded != nil && r.k.Mode == picture.ModeBlocks && r.k.Theme.Grounds() && r.k.Theme.On != theme.Light { // there it would glare
			lines = faded
		}
	}
	if !c.job.Phase.Active() {
		lines = r.thumbs.Chipped(th, lines, result.Length(r.k, c.job.Kind, c.job.Request.Duration))
	}
	if th.Cols < seen { // a narrow picture, on a ground as wide as its caption
		around := r.k.Theme.Mixed(r.k.Theme.Panel, r.tint(c, th).Colour, 0.5)
		lines = api.Map(lines, func(l string) string { return around.Lay(theme.Fit(theme.Blank((seen-th.Cols)/2)+l, seen)) })
	}
	return lines
}

// phaseLines say where a job without a picture stands, in the place of th, cols wide.
func (r *Recent) phaseLines(j *state.Job, th result.Thumb, cols int) (body []string) {
	t := r.k.Theme
	switch _, state := r.thumbs.Lines(th); {
	case r.trial || j.Phase.Active():
		return nil
	case state == result.ThumbLoading:
		return []string{t.Muted.Paint("…")}
	}
	body = append(body, widget.PhaseStyle(&t.Styles, j.Phase).Paint(theme.Cut(r.waiting(j).Head(), cols)))
	if body = append(body, widget.Muted(r.k, r.why(j), max(cols-2, 1))...); len(body) >= th.Rows {
		body = append(body[:max(th.Rows-2, 1)], t.Muted.Paint("…"))
	}
	return body
}

func (r *Recent) waiting(j *state.Job) result.Waiting {
	return result.Waiting{Env: r.k, Job: j, Typical: r.typical[result.ClassOf(result.RowOf(j))]}
}

// why says in two words why there is no picture, or the error as it came.
func (r *Recent) why(j *state.Job) string {
	k := r.k
	switch j.Phase {
	case api.PhaseDone:
		return cmp.Or(k.SayIf(len(j.Files) == 0, "no file"), k.Say("no preview"))
	case api.PhaseUnknown, api.PhaseUnread:
		return cmp.Or(k.SayIf(j.Dismissed, "not charged"), k.Say("may have cost"))
	case api.PhaseExpired:
		return k.Say("links expired")
	case api.PhaseStale:
		return k.Say("no end in 7 d")
	}
	if words := widget.ClassWords(k, j.ErrClass); words != "" && j.ErrClass != api.ClassCredits { // that says the balance
		return env.AsSentence(env.Capital(words))
	}
	return result.Cause(k, &j.Row)
}

// captionLines tell a card from the others, and say its times or its price.
func (r *Recent) captionLines(n, w int, chosen, pictured bool) []string {
	k, t, c := r.k, r.k.Theme, &r.cards[n]
	j, mark, style, faint := &c.job, " ", t.Muted, t.Faint
	switch {
	case chosen:
		if mark, style, faint = t.Accent.Paint("▸"), t.Strong, t.Muted; t.Grounds() {
			mark = t.Accent.Paint("▎")
		}
	case r.large.W > 0 && n == r.at():
		style = t.Strong
	}
	second := strings.Replace(mark, "▸", " ", 1)
	if r.trial {
		text := append(widget.Wrap(j.Title, w-2), "") // no wider than the picture
		return []string{theme.Fit(mark+style.Paint(text[0]), w), theme.Fit(" "+style.Paint(text[1]), w)}
	}
	signs := ""
	if r.marks.Has(j.ID) {
		signs += "◆ "
	}
	if j.Kind == api.KindVideo && (k.Mode == picture.ModeSixel || !pictured) {
		signs += result.Length(k, j.Kind, j.Request.Duration) + "  "
	}
	name := style.Paint(theme.Fit(signs+r.name(c, w-2-theme.Width(signs)), w-2))
	if j.Phase.Active() {
		return []string{theme.Fit(mark+name, w), theme.Fit(second+r.waiting(j).Said(w-2, faint), w)}
	}
	settings := api.Pick(api.Settings(""), func(f *api.Field) (string, bool) { // those that change its price
		text := f.Text(&j.Request)
		return api.Clean(text, 20).String(), text != "" && !f.Short
	})
	parts, marks := []string{"–", strings.Join(settings, " "), k.When(j.CreatedAt)}, t.Warn.Paint(result.Signs(&c.row))
	if c.row.Unseen {
		marks = strings.TrimSpace(t.Accent.Paint("•") + " " + marks)
	}
	if j.Free() {
		parts[0], parts[1] = k.Say("not charged"), ""
	} else if j.Estimate.Known() {
		parts[0] = k.Say("%s cr", j.Estimate.Credits.String())
	}
	if parts[1] == j.Label { // the name ends with it
		parts[1] = ""
	}
	parts = env.Said(parts...)
	for n := len(parts); n > 1 && theme.Width(strings.Join(parts, " · ")+marks) >= w-2; n-- { // the settings, then the time
		parts = slices.Delete(parts, 1, 2)
	}
	facts := theme.Cut(strings.Join(parts, " · "), max(w-3, 1))
	return []string{theme.Fit(mark+name, w), theme.Fit(second+widget.Between(faint.Paint(facts), marks, w-2), w)}
}

// name is what a card is called in w cells: its title, and of a version or one of several of the same title its seed.
func (r *Recent) name(c *card, w int) string {
	row := c.job.Row
	twin := func(o card) bool { return o.job.ID != row.ID && o.job.Title == row.Title }
	if row.Label == "" && c.job.Request.Seed != nil && (c.chain || slices.ContainsFunc(r.cards, twin)) {
		row.Label = r.k.Say("seed %s", c.job.Request.SeedText())
	}
	return result.Name(&row, w)
}

const minBadge = 19 // cells of one, the gap to the next included

// badgeTail ends the line of badges: the key that leads there.
func (r *Recent) badgeTail() string {
	return strings.TrimPrefix(r.k.SayIf(r.trial, "Try one")+" "+r.k.Key("results", "alt+r"), " ")
}

func (r *Recent) badgeRoom() int  { return r.strip.W - theme.Width(r.badgeTail()) - 1 }
func (r *Recent) badgeCount() int { return max(r.badgeRoom()/minBadge, 1) }
func (r *Recent) badgeWidth() int {
	return max(r.badgeRoom()/max(min(r.badgeCount(), len(r.cards)), 1), minBadge)
}

func (r *Recent) drawBadges() string {
	t := r.k.Theme
	from, to := r.window()
	line := ""
	for n := from; n < to; n++ {
		// A card is its mark, with its times and what tells it apart.
		c := &r.cards[n]
		in, sign := t.Row(r.focused && c.job.ID == r.chosen)
		mark := widget.PhaseStyle(in, c.job.Phase).Paint(widget.PhaseLook(c.job.Phase).Mark)
		times, room := "", r.badgeWidth()-4
		if c.job.Phase.Active() {
			times = r.waiting(&c.job).Times() + "  "
		}
		text := times + r.name(c, max(room-theme.Width(times), 0))
		line += in.Accent.Paint(strings.TrimSuffix(sign, " ")) + mark + in.Muted.Paint(" "+theme.Fit(text, room)) + " "
	}
	return theme.Fit(line, r.strip.W-theme.Width(r.badgeTail())-1) + t.Key.Paint(r.badgeTail()) + " "
}

const leastCaption = 90 // cells of what stands below the large one, if there is room

// LargeLines draws the chosen result large, above its facts and times.
func (r *Recent) LargeLines() []string {
	return r.largeMemo.Get(r.key(), r.drawLarge)
}

func (r *Recent) drawLarge() []string {
	k, t := r.k, r.k.Theme
	p := widget.Pane{Width: r.large.W, Height: r.large.H, Inset: true}
	w, _ := p.Inner()
	if len(r.cards) == 0 {
		return p.Lines(t, nil)
	} else if lines, free := r.bigPicture(), r.large.W; r.badges() { // it ends where the rows below do
		for _, l := range lines {
			free = min(free, r.large.W-theme.Width(strings.TrimRight(l, " ")))
		}
		return api.Map(lines, func(l string) string { return theme.Blank(free) + ansi.Truncate(l, r.large.W-free, "") })
	}
	c, th := r.card(), r.bigThumb()
	_, state := r.thumbs.Lines(th)
	if t.Grounds() && (state == result.ThumbReady || r.developing(c, th, 1, 1) != nil) {
		p.Ground = r.tint(c, th)
	}
	j, right, facts := &c.job, "", ""
	if len(j.Files) > 0 && !r.trial {
		count := t.Muted.Paint(k.SayIf(len(j.Files) > 1, "file %d of %d", 1, len(j.Files)))
		right = strings.TrimSpace(count + "  " + result.PaintRating(t, c.row.Rating))
	}
	if !r.trial {
		parts, times := r.facts(j)
		facts = widget.PhaseText(k, j.Phase) + "  " + t.Text.Paint(strings.Join(parts, " · ")) + t.Muted.Paint(" · ") +
			t.Muted.Paint(strings.Join(times, " · "))
	}
	wide, _ := result.FitRatio(result.CellRatio(k, c.ratio), w, th.Rows)
	wide, left := max(wide, min(w, leastCaption)), theme.Blank(min((w-wide)/2, max(w-leastCaption, 0))) // it begins below the picture
	title := theme.Fit(t.Strong.Paint(j.Title), wide-theme.Width(right)) + right
	return p.Lines(t, append(r.bigPicture(), "", left+title, left+theme.Cut(facts, wide)))
}

// bigPicture is the chosen result's picture, or its phase in a frame.
func (r *Recent) bigPicture() []string {
	cols, rows := r.bigRoom()
	t, c, th := r.k.Theme, r.card(), r.bigThumb()
	w, h := result.FitRatio(c.ratio, cols, rows-1)
	if lines := r.developing(c, th, w, h); lines != nil {
		if c.job.Phase.Active() {
			wait := r.waiting(&c.job)
			said := t.Chip(wait.Said(w-2, t.Muted))
			lines = append(widget.Overlay(slices.Clone(lines), []string{said}, (w-theme.Width(said))/2, h/2), wait.Bar(w))
		}
		return result.Centred(lines, cols, rows)
	}
	if lines, state := r.thumbs.Lines(th); state == result.ThumbReady {
		return r.thumbs.Chipped(th, lines, result.Length(r.k, c.job.Kind, c.job.Request.Duration))
	}
	if c.job.Phase.Active() {
		return r.waiting(&c.job).Lines(cols, rows)
	}
	return result.Instead(t, c.ratio, cols, rows, func(w int) []string {
		body := r.phaseLines(&c.job, th, w)
		if why := r.thumbs.Why(th); why != "" && c.job.Kind != api.KindVideo && !r.trial {
			body = append([]string{body[0], ""}, widget.Muted(r.k, r.k.Say("No preview: %s", why), w)...)
		}
		return body
	})
}

// A picture that was awaited develops when it has come: its blocks are 8, 4 and 2 columns
// wide, and then it is sharp, as its pixels are then sent.
const (
	sharpAwaited = 16 // it has not come yet
	sharpStep    = 100 * time.Millisecond
	coarse       = 8
	sharpSteps   = 3
)

type sharpMsg string // the id of the job whose picture gets sharper

// sharpen lets the awaited pictures that have come develop.
func (r *Recent) sharpen() tea.Cmd {
	var cmds []tea.Cmd
	from, to := r.window()
	for n := from; n < to; n++ {
		id, th := r.cards[n].job.ID, r.thumb(n)
		if r.badges() {
			th = r.bigThumb()
		}
		_, state := r.thumbs.Lines(th)
		if state == result.ThumbReady && r.sharp[id] == sharpAwaited {
			r.sharp[id] = coarse
			cmds = append(cmds, r.sharpenLater(id))
		}
	}
	return tea.Batch(cmds...)
}

func (r *Recent) sharpenLater(id string) tea.Cmd {
	if r.sharp[id] == 1 {
		delete(r.sharp, id)
		r.thumbs.Late = 0
		return nil
	}
	return env.Later(r.k.Context, sharpStep, sharpMsg(id))
}

// developing is the picture of a card in cols×rows cells while th is awaited, and while it
// comes; nil if it is neither.
func (r *Recent) developing(c *card, th result.Thumb, cols, rows int) []string {
	t, side := r.k.Theme, r.sharp[c.job.ID]
	rough := picture.Rough{Cols: cols, Rows: rows, Side: coarse, Share: 0.8, Ground: t.Panel.Colour}
	_, state := r.thumbs.Lines(th)
	switch {
	case r.k.Mode == picture.ModeOff || !t.Grounds():
		return nil
	case c.job.Phase.Active():
		rough.Share = r.waiting(&c.job).Light()
	case state == result.ThumbReady && side > 0 && side < sharpAwaited:
		rough = picture.Rough{Side: side, Share: 1}
	case state == result.ThumbNone && r.trial:
		rough.Side = 1 // nothing better is known
	case state != result.ThumbLoading || side == 0:
		return nil
	}
	if state == result.ThumbLoading {
		th.Path, th.Poster = c.source, ""
	}
	lines := r.thumbs.Rough(th, rough)
	if lines == nil && rough.Cols > 0 {
		lines = result.Gradient(r.k, c.job.Request.Prompt).Rough(rough)
	}
	return lines
}

// findSources finds what stands in for the pictures that are not there: an image that the
// job was made from, else one of the same prompt.
func findSources(ctx context.Context, backend Backend, cards []card, held map[string]card) {
	frames := picture.Frames()
	for i := range cards {
		c := &cards[i]
		was, read := held[c.job.ID]
		c.source = was.source
		if !c.job.Phase.Active() && (frames || c.job.Kind != api.KindVideo) {
			continue
		}
		if c.job.Related && (!read || was.job.Version != c.job.Version) {
			list, _ := backend.Results().Lineage(ctx, c.job.ID) // without it, less is known
			at := slices.IndexFunc(list, func(r state.Relative) bool { return r.ID == c.job.ID })
			for i := range list {
				if at >= 0 && list[i].Kind == api.KindImage && slices.Contains(list[at].Sources, list[i].ID) {
					c.source = list[i].File
				}
			}
		}
		for n := len(cards) - 1; n >= 0 && c.source == ""; n-- {
			if other := &cards[n]; other.row.Kind == api.KindImage && other.job.Request.Prompt == c.job.Request.Prompt {
				c.source = result.RowOf(&other.job).File
			}
		}
	}
}

// Examples reports whether there are examples to choose from.
func (r *Recent) Examples() bool { return r.trial }

// examples are what is shown of what can be made, as long as there is nothing.
func (r *Recent) examples() []card {
	return api.Map(result.Examples(r.k), func(prompt string) card {
		row := state.Row{ID: prompt, Title: prompt, Kind: api.KindImage}
		return card{row: row, job: state.Job{Row: row, Request: api.Request{Prompt: prompt}}, ratio: 4.0 / 3}
	})
}
