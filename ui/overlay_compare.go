package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
)

// compare shows two jobs side by side: their pictures, and below them what
// their requests differ in.
type compare struct {
	k     *kit
	jobs  [2]state.Job
	shots [2]preview
	w, h  int // of the body
	top   int // lines of the differences that are scrolled away
	most  int
	table []action
	drawn string
}

// comparedMsg brings the two jobs.
type comparedMsg struct {
	jobs [2]state.Job
	err  error
}

func (m comparedMsg) failed() error { return m.err }

// readTwo reads the jobs that are to be compared.
func readTwo(k *kit, d jobReader, first, second string) tea.Cmd {
	ctx := k.ctx
	return func() tea.Msg {
		var m comparedMsg
		for i, id := range [2]string{first, second} {
			if m.jobs[i], m.err = d.Job(ctx, id); m.err != nil {
				break
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

func newCompare(k *kit, jobs [2]state.Job, w, h int) *compare {
	c := &compare{k: k, jobs: jobs, w: w, h: h}
	c.table = []action{
		{keys: []string{"esc", "q", "c"}, show: "esc", label: "back", do: c.back},
		{keys: []string{"down", "j"}, show: "j/k", label: "scroll", do: c.scroll(1)},
		{keys: []string{"up", "k"}, label: "scroll up", quiet: true, do: c.scroll(-1)},
		{keys: []string{"pgdown", "space"}, label: "next page", quiet: true, do: c.scroll(8)},
		{keys: []string{"pgup"}, label: "previous page", quiet: true, do: c.scroll(-8)},
	}
	return c
}

func (c *compare) actions() []action                    { return c.table }
func (c *compare) typing() bool                         { return false }
func (c *compare) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (c *compare) cursor() *tea.Cursor                  { return nil }
func (c *compare) restyle()                             { c.drawn = "" }

func (c *compare) back() tea.Cmd {
	return tea.Batch(c.k.erase(c.shots[0].id()), c.k.erase(c.shots[1].id()), closeTop)
}

func (c *compare) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		c.top = max(min(c.top+by, c.most), 0)
		c.drawn = ""
		return nil
	}
}

func (c *compare) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := planFor(m.Width, m.Height).body
		c.w, c.h, c.drawn = body.w, body.h, ""
		return c.paint()
	case paintedMsg:
		var cmds []tea.Cmd
		for i := range c.shots {
			cmd, mine := c.shots[i].painted(m)
			if mine {
				c.drawn = ""
			}
			cmds = append(cmds, cmd)
		}
		return tea.Batch(cmds...)
	case arrivedMsg:
		for i := range c.shots {
			if c.shots[i].arrived(m) {
				c.drawn = ""
			}
		}
	case wheelMsg:
		return c.scroll(3 * m.by)()
	}
	return nil
}

// half is how many cells each job has; the rest is the line between them.
func (c *compare) half() int { return max((c.w-4-3)/2, 10) }

// pictureRows leaves the differences a good third of the height.
func (c *compare) pictureRows() int {
	if c.k.painter == nil || len(c.jobs[0].Files)+len(c.jobs[1].Files) == 0 {
		return 0
	}
	return max((c.h-4)*3/5, 3)
}

// paint asks for both pictures at the size there is for them.
func (c *compare) paint() tea.Cmd {
	var cmds []tea.Cmd
	for i := range c.jobs {
		if len(c.jobs[i].Files) > 0 {
			cmds = append(cmds, c.shots[i].want(c.k, c.jobs[i].Files[0].Path, c.half(), c.pictureRows()))
		}
	}
	return tea.Batch(cmds...)
}

func (c *compare) box(w, h int) string {
	if c.drawn != "" && c.w == w && c.h == h {
		return c.drawn
	}
	c.w, c.h = w, h
	t := c.k.theme
	head := c.heads()
	rows := c.pictureRows()
	for y := range rows {
		head = append(head, c.beside(c.pictureLine(0, y, rows), c.pictureLine(1, y, rows)))
	}
	low := c.differences()
	room := max(h-2-len(head), 1)
	c.most = max(len(low)-room, 0)
	c.top = min(c.top, c.most)
	p := pane{w: w, h: h, title: c.k.say("Compare"), focus: true}
	if below := len(low) - c.top - room; below > 0 {
		p.foot = c.k.say("↓ %d more lines", below)
	}
	c.drawn = strings.Join(p.lines(t, append(head, low[c.top:]...)), "\n")
	return c.drawn
}

// beside puts two painted parts next to each other.
func (c *compare) beside(a, b string) string {
	return theme.Fit(a, c.half()) + c.k.theme.Border.Paint(" │ ") + b
}

// heads are the titles and how each ended.
func (c *compare) heads() []string {
	k, t := c.k, c.k.theme
	var titles, ends [2]string
	for i := range c.jobs {
		j := &c.jobs[i]
		look := lookOf(j.Phase)
		titles[i] = t.Strong.Paint(theme.Cut(j.Title, c.half()))
		ends[i] = phaseInk(&t.Inks, j.Phase).Paint(look.mark+" "+k.say(look.word)) + "  " + t.Muted.Paint(k.stamp(j.CreatedAt))
	}
	return []string{c.beside(titles[0], titles[1]), c.beside(ends[0], ends[1])}
}

func (c *compare) pictureLine(i, y, rows int) string {
	p := &c.shots[i]
	text := p.why
	if len(c.jobs[i].Files) == 0 {
		text = c.k.say("no file")
	}
	if text != "" {
		if y == rows/2 {
			return c.k.theme.Muted.Paint(theme.Cut(text, c.half()))
		}
		return ""
	}
	n := y - max(rows-len(p.lines), 0)/2
	if n < 0 || n >= len(p.lines) {
		return ""
	}
	return theme.Blank((c.half()-theme.Width(p.lines[n]))/2) + p.lines[n]
}

// aspect is one thing that can be compared, in words.
type aspect struct{ label, a, b string }

// aspects are all there are, the prompt first.
func (c *compare) aspects() []aspect {
	k := c.k
	a, b := c.jobs[0].Request, c.jobs[1].Request
	took := func(j *state.Job) string {
		if j.EndedAt.IsZero() || j.SentAt.IsZero() {
			return ""
		}
		return short(j.EndedAt.Sub(j.SentAt))
	}
	cost := func(j *state.Job) string {
		if !j.Estimate.Known() {
			return ""
		}
		return k.say("%s cr", amount(j.Estimate.Credits))
	}
	seed := func(r api.Request) string {
		if r.Seed == nil {
			return ""
		}
		return strconv.FormatInt(*r.Seed, 10)
	}
	list := func(r api.Request) string {
		return strings.Join(slices.Concat(r.ImageFiles, r.VideoFiles, r.AudioFiles), "\n")
	}
	all := []aspect{
		{k.say("Prompt"), a.Prompt, b.Prompt},
		{k.say("Model"), a.Model, b.Model},
		{k.say("Mode"), modeWord(k, a), modeWord(k, b)},
		{k.say("Tier"), a.VideoModel, b.VideoModel},
		{k.say("Size"), a.Size, b.Size},
		{k.say("Quality"), a.Quality, b.Quality},
		{k.say("Resolution"), a.Resolution, b.Resolution},
		{k.say("Ratio"), a.AspectRatio, b.AspectRatio},
		{k.say("Duration"), a.Duration, b.Duration},
		{k.say("Seed"), seed(a), seed(b)},
		{k.say("Image"), a.ImageURL, b.ImageURL},
		{k.say("Last frame"), a.EndImageURL, b.EndImageURL},
		{k.say("Video"), a.VideoURL, b.VideoURL},
		{k.say("Materials"), list(a), list(b)},
		{k.say("Credits"), cost(&c.jobs[0]), cost(&c.jobs[1])},
		{k.say("Took"), took(&c.jobs[0]), took(&c.jobs[1])},
	}
	return slices.DeleteFunc(all, func(x aspect) bool { return x.a == "" && x.b == "" })
}

func modeWord(k *kit, r api.Request) string {
	switch {
	case r.Kind != api.KindVideo || r.Model != api.Seedance2:
		return ""
	case r.Mode() == api.ModeFirstLastFrame:
		return k.say("first and last frame")
	}
	return k.say("references")
}

// differences are what differs, side by side, and then what is the same.
func (c *compare) differences() []string {
	k, t := c.k, c.k.theme
	out := []string{divide(k.say("Different"))}
	wide, half := 0, c.half()
	var same []string
	all := c.aspects()
	for _, x := range all {
		if x.a == x.b {
			same = append(same, x.label+" "+theme.Cut(api.Clean(oneLine(x.a), 200).String(), 40))
			continue
		}
		wide = max(wide, theme.Width(x.label)+2)
	}
	for _, x := range all {
		if x.a == x.b {
			continue
		}
		a, b := c.marked(x.a, x.b, half-wide), c.marked(x.b, x.a, half-wide)
		for i := range max(len(a), len(b)) {
			lead := theme.Blank(wide)
			if i == 0 {
				lead = t.Muted.Paint(theme.Fit(x.label, wide))
			}
			out = append(out, c.beside(lead+lineAt(a, i), lead+lineAt(b, i)))
		}
	}
	if len(out) == 1 {
		out = append(out, t.Muted.Paint(k.say("Nothing: the two requests are equal.")))
	}
	if len(same) > 0 {
		f := facts{w: c.w - 4, t: t, lines: append(out, divide(k.say("The same")))}
		f.wrapped(t.Muted, strings.Join(same, " · "))
		out = f.lines
	}
	return out
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// marked wraps text to w cells; what differs from the other text, between a
// common beginning and a common end, is written in the accent.
func (c *compare) marked(text, other string, w int) []string {
	t := c.k.theme
	if text == "" {
		return []string{t.Faint.Paint("–")}
	}
	mine, its := clusters(text), clusters(other)
	from := 0
	for from < len(mine) && from < len(its) && mine[from] == its[from] {
		from++
	}
	to, end := len(mine), len(its)
	for to > from && end > from && mine[to-1] == its[end-1] {
		to, end = to-1, end-1
	}
	if other == "" || from == 0 && to == len(mine) {
		from, to = 0, 0 // nothing in common: marking all of it says nothing
	}
	return wrapMarked(t, mine, from, to, max(w, 8))
}

func clusters(text string) []string {
	var out []string
	for g := uniseg.NewGraphemes(api.CleanLines(text, len(text)).String()); g.Next(); {
		out = append(out, g.Str())
	}
	return out
}

// wrapMarked wraps clusters to w cells, those of from…to in the accent. A line
// breaks at its last blank, else anywhere.
func wrapMarked(t *theme.Theme, all []string, from, to, w int) []string {
	var out []string
	for at := 0; at < len(all); {
		end, used, blank := at, 0, -1
		for end < len(all) && all[end] != "\n" {
			n := theme.Width(all[end])
			if used+n > w {
				break
			}
			if all[end] == " " {
				blank = end
			}
			used += n
			end++
		}
		next := end
		switch {
		case end < len(all) && all[end] == "\n":
			next = end + 1
		case end < len(all) && blank > at:
			end, next = blank, blank+1
		case end == at: // a cluster wider than the line
			end, next = at+1, at+1
		}
		part := func(lo, hi int) string {
			lo, hi = max(lo, at), min(hi, end)
			if lo >= hi {
				return ""
			}
			return strings.Join(all[lo:hi], "")
		}
		out = append(out, t.Text.Paint(part(at, from))+t.Accent.Paint(part(from, to))+t.Text.Paint(part(max(to, from), end)))
		at = next
	}
	return out
}
