package result

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// compare shows two jobs side by side: their pictures, and below them what
// their requests differ in.
type compare struct {
	k     *env.Env
	jobs  [2]state.Job
	shots [2]Preview
	w, h  int // of the body
	top   int // lines of the differences that are scrolled away
	most  int
	table []action.Action
	drawn string
}

// ComparedMsg brings the two jobs.
type ComparedMsg struct {
	Jobs [2]state.Job
	Err  error
}

func (m ComparedMsg) Failed() error { return m.Err }

// ReadTwo reads the jobs that are to be compared.
func ReadTwo(k *env.Env, d JobReader, first, second string) tea.Cmd {
	ctx := k.Context
	return func() tea.Msg {
		var m ComparedMsg
		for i, id := range [2]string{first, second} {
			if m.Jobs[i], m.Err = d.Job(ctx, id); m.Err != nil {
				break
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

func NewCompare(k *env.Env, jobs [2]state.Job, w, h int) *compare {
	c := &compare{k: k, jobs: jobs, w: w, h: h}
	c.table = []action.Action{
		{Keys: []string{"esc", "q", "c"}, Display: "esc", Label: "back", Handler: c.back},
		{Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Handler: c.scroll(1)},
		{Keys: []string{"up", "k"}, Label: "scroll up", Hidden: true, Handler: c.scroll(-1)},
		{Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: c.scroll(8)},
		{Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: c.scroll(-8)},
	}
	return c
}

func (c *compare) Actions() []action.Action             { return c.table }
func (c *compare) Typing() bool                         { return false }
func (c *compare) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (c *compare) Cursor() *tea.Cursor                  { return nil }
func (c *compare) Restyle()                             { c.drawn = "" }

func (c *compare) back() tea.Cmd {
	return tea.Batch(c.k.Erase(c.shots[0].ID()), c.k.Erase(c.shots[1].ID()), msg.CloseTop)
}

func (c *compare) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		c.top = max(min(c.top+by, c.most), 0)
		c.drawn = ""
		return nil
	}
}

func (c *compare) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		c.w, c.h, c.drawn = body.W, body.H, ""
		return c.Paint()
	case PaintedMsg:
		var cmds []tea.Cmd
		for i := range c.shots {
			cmd, mine := c.shots[i].Painted(m)
			if mine {
				c.drawn = ""
			}
			cmds = append(cmds, cmd)
		}
		return tea.Batch(cmds...)
	case msg.ArrivedMsg:
		for i := range c.shots {
			if c.shots[i].Arrived(m) {
				c.drawn = ""
			}
		}
	case msg.WheelMsg:
		return c.scroll(3 * m.By)()
	}
	return nil
}

// half is how many cells each job has; the rest is the line between them.
func (c *compare) half() int { return max((c.w-4-3)/2, 10) }

// pictureRows leaves the differences a good third of the height.
func (c *compare) pictureRows() int {
	if c.k.Painter == nil || len(c.jobs[0].Files)+len(c.jobs[1].Files) == 0 {
		return 0
	}
	return max((c.h-4)*3/5, 3)
}

// Paint asks for both pictures at the size there is for them.
func (c *compare) Paint() tea.Cmd {
	var cmds []tea.Cmd
	for i := range c.jobs {
		if len(c.jobs[i].Files) > 0 {
			cmds = append(cmds, c.shots[i].Want(c.k, c.jobs[i].Files[0].Path, c.half(), c.pictureRows()))
		}
	}
	return tea.Batch(cmds...)
}

func (c *compare) Box(w, h int) string {
	if c.drawn != "" && c.w == w && c.h == h {
		return c.drawn
	}
	c.w, c.h = w, h
	t := c.k.Theme
	head := c.heads()
	rows := c.pictureRows()
	for y := range rows {
		head = append(head, c.beside(c.pictureLine(0, y, rows), c.pictureLine(1, y, rows)))
	}
	low := c.differences()
	room := max(h-2-len(head), 1)
	c.most = max(len(low)-room, 0)
	c.top = min(c.top, c.most)
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true}
	if below := len(low) - c.top - room; below > 0 {
		p.Foot = c.k.Say("↓ %d more lines", below)
	}
	c.drawn = strings.Join(p.Lines(t, append(head, low[c.top:]...)), "\n")
	return c.drawn
}

// beside puts two painted parts next to each other.
func (c *compare) beside(a, b string) string {
	return theme.Fit(a, c.half()) + c.k.Theme.Border.Paint(" │ ") + b
}

// heads are the titles and how each ended.
func (c *compare) heads() []string {
	k, t := c.k, c.k.Theme
	var titles, ends [2]string
	for i := range c.jobs {
		j := &c.jobs[i]
		look := widget.PhaseLook(j.Phase)
		titles[i] = t.Strong.Paint(theme.Cut(j.Title, c.half()))
		ends[i] = widget.PhaseStyle(&t.Inks, j.Phase).Paint(look.Mark+" "+k.Say(look.Word)) + "  " + t.Muted.Paint(k.Stamp(j.CreatedAt))
	}
	return []string{c.beside(titles[0], titles[1]), c.beside(ends[0], ends[1])}
}

func (c *compare) pictureLine(i, y, rows int) string {
	p := &c.shots[i]
	text := p.Why
	if len(c.jobs[i].Files) == 0 {
		text = c.k.Say("no file")
	}
	if text != "" {
		if y == rows/2 {
			return c.k.Theme.Muted.Paint(theme.Cut(text, c.half()))
		}
		return ""
	}
	n := y - max(rows-len(p.Lines), 0)/2
	if n < 0 || n >= len(p.Lines) {
		return ""
	}
	return theme.Blank((c.half()-theme.Width(p.Lines[n]))/2) + p.Lines[n]
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
		return env.Short(j.EndedAt.Sub(j.SentAt))
	}
	cost := func(j *state.Job) string {
		if !j.Estimate.Known() {
			return ""
		}
		return k.Say("%s cr", env.Amount(j.Estimate.Credits))
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
		{k.Say("Prompt"), a.Prompt, b.Prompt},
		{k.Say("Model"), a.Model, b.Model},
		{k.Say("Mode"), modeWord(k, a), modeWord(k, b)},
		{k.Say("Tier"), a.VideoModel, b.VideoModel},
		{k.Say("Size"), a.Size, b.Size},
		{k.Say("Quality"), a.Quality, b.Quality},
		{k.Say("Resolution"), a.Resolution, b.Resolution},
		{k.Say("Ratio"), a.AspectRatio, b.AspectRatio},
		{k.Say("Duration"), a.Duration, b.Duration},
		{k.Say("Seed"), seed(a), seed(b)},
		{k.Say("Image"), a.ImageURL, b.ImageURL},
		{k.Say("Last frame"), a.EndImageURL, b.EndImageURL},
		{k.Say("Video"), a.VideoURL, b.VideoURL},
		{k.Say("Materials"), list(a), list(b)},
		{k.Say("Credits"), cost(&c.jobs[0]), cost(&c.jobs[1])},
		{k.Say("Took"), took(&c.jobs[0]), took(&c.jobs[1])},
	}
	return slices.DeleteFunc(all, func(x aspect) bool { return x.a == "" && x.b == "" })
}

func modeWord(k *env.Env, r api.Request) string {
	switch {
	case r.Kind != api.KindVideo || r.Model != api.Seedance2:
		return ""
	case r.Mode() == api.ModeFirstLastFrame:
		return k.Say("first and last frame")
	}
	return k.Say("references")
}

// differences are what differs, side by side, and then what is the same.
func (c *compare) differences() []string {
	k, t := c.k, c.k.Theme
	out := []string{widget.Divide(k.Say("Different"))}
	wide, half := 0, c.half()
	var same []string
	all := c.aspects()
	for _, x := range all {
		if x.a == x.b {
			same = append(same, x.label+" "+theme.Cut(api.Clean(widget.OneLine(x.a), 200).String(), 40))
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
		out = append(out, t.Muted.Paint(k.Say("Nothing: the two requests are equal.")))
	}
	if len(same) > 0 {
		f := widget.Facts{Width: c.w - 4, Theme: t, Lines: append(out, widget.Divide(k.Say("The same")))}
		f.Wrapped(t.Muted, strings.Join(same, " · "))
		out = f.Lines
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
	t := c.k.Theme
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
