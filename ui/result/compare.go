package result

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// maxCompared is how many results are shown side by side.
const maxCompared = 4

// compare is an overlay that shows two to four jobs side by side: their
// pictures, and what their requests differ in, below each. It is
// a place for the verbs, which are about the column that is chosen.
type compare struct {
	widget.Passive
	k      *env.Env
	from   Place // where the jobs were chosen
	verbs  *Verbs
	jobs   []state.Job // in columns
	thumbs *Thumbs
	at     int           // the chosen column
	w, h   int           // of the body
	across int           // columns side by side,
	widths []int         // each of these
	high   int           // lines of each
	rows   int           // lines of the pictures
	stills int           // lines of some frames of videos, below them
	frames int           // how many they are
	facts  [][]string    // in what each differs from the others, below or beside them
	label  int           // cells of their labels
	aside  int           // cells of the pictures, if the facts are beside them
	table  widget.Scroll // of the facts, in all columns alike
	same   []string      // below all: whether little differs, and what is the same
	feet   [][]string    // of two: these in their panes
	names  []string      // what sets each apart
	blinks bool          // the chosen one and the other are shown in one place, in turn
	other  int
	run    *int // of their changing by themselves; nil: they stand still
}

// compare shows the marked results side by side. Without marks it marks the
// chosen one, and shows the two at the next one.
func (v *Verbs) compare() tea.Cmd {
	id, ids := v.row().ID, v.marks.IDs()
	switch {
	case len(ids) == 0:
		v.marks.Toggle(id)
		return msg.Notify(msg.ToneHint, v.k.Say("Marked. Press %s on another job to see the two side by side.", v.k.Key("compare", "c")))
	case len(ids) == 1 && ids[0] == id:
		v.marks.Clear()
		return msg.Notify(msg.ToneHint, v.k.Say("No longer marked."))
	case len(ids) == 1:
		ids = append(ids, id)
		v.marks.Clear()
	case len(ids) > maxCompared:
		return msg.Notify(msg.ToneHint, v.k.Say("At most %d results can be compared: %d are marked.", maxCompared, len(ids)))
	}
	return ask(v, func(ctx context.Context) ([]state.Job, error) { return readJobs(ctx, v.backend, ids) }, v.openCompare)
}

// readJobs reads whole jobs, all or none.
func readJobs(ctx context.Context, backend JobReader, ids []string) (jobs []state.Job, _ error) {
	for _, id := range ids {
		job, err := backend.Job(ctx, id)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

func (v *Verbs) openCompare(jobs []state.Job) tea.Cmd {
	c := &compare{k: v.k, from: v.place, jobs: jobs, thumbs: NewThumbs(v.k), other: 1}
	c.verbs = NewVerbs(v.k, v.backend, c, &Marks{}, func() bool { return true })
	c.Table = []action.Action{
		{Name: "back", Keys: "esc q c", Display: "esc", Label: "back", Handler: c.back},
		{Name: "next_result", Keys: "right l tab", Display: "←/→", Label: "choose", Handler: action.By(c.Move, 1)},
		{Name: "previous_result", Keys: "left h shift+tab", Label: "previous result", Hidden: true, Handler: action.By(c.Move, -1)},
		{Name: "blink", Keys: "b", Label: "flip", Also: "blink, in one place", Handler: c.flip},
		{Name: "blink_on", Keys: "space", Label: "blink twice a second", Handler: c.blinkOn, Disabled: func() string {
			return c.k.SayIf(!c.k.Moves(), "Nothing moves by itself here: change them by key.")
		}},
	}
	c.Table = append(c.Table, c.table.Actions()...)
	action.Named(c.Table, "next_page").Keys = "pgdown"
	for _, verb := range c.verbs.Table {
		switch verb.Name {
		case "compare", "mark", "settle", "send_again", "hide":
			continue // the marks are those of the place
		}
		still := verb
		verb.Disabled = func() string { // whichever happens to be in view is not meant
			return cmp.Or(c.k.SayIf(c.run != nil, "Hold the one that you mean first."), still.Why())
		}
		c.Table = append(c.Table, verb)
	}
	c.Table = action.First(c.Table, "back", "next_result", "favourite", "reject", "stars_1", "blink", "full_screen")
	return msg.Open(v.k, c)
}

func (c *compare) Row() (state.Row, bool) { return RowOf(&c.jobs[c.at]), true }
func (c *compare) Job() (state.Job, bool) { return c.jobs[c.at], true }
func (c *compare) File() int              { return 0 }
func (c *compare) At() (n, of int)        { return c.at, len(c.jobs) }

func (c *compare) Move(by int) tea.Cmd {
	was := c.at
	if c.at = max(min(c.at+by, len(c.jobs)-1), 0); c.at == c.other {
		c.other = was
	}
	return c.paint()
}

func (c *compare) Enter(zoom bool) tea.Cmd {
	return OpenFullScreen(c.k, c.verbs.backend, c, &Marks{}, zoom)
}

// SetRating shows a rating, here and where the jobs were chosen.
func (c *compare) SetRating(id string, r state.Rating) {
	c.jobs[c.at].Rating = r // the chosen one alone is rated
	c.from.SetRating(id, r)
}

// Whole is true: the keys that work everywhere work here.
func (c *compare) Whole() bool { return true }
func (c *compare) Restyle()    { c.arrange() }

func (c *compare) back() tea.Cmd {
	if c.blinks {
		return c.setBlink(false)
	}
	return c.thumbs.Close()
}

// Update takes sizes, pictures, the mouse and answers to the verbs.
func (c *compare) Update(message tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{c.verbs.Update(message)}
	c.thumbs.Update(message)
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		c.w, c.h = m.Width, m.Height
		c.arrange()
		cmds = append(cmds, c.paint())
	case msg.ClickMsg:
		if c.blinks {
			return c.flip()
		}
		at := c.across * (m.Y / c.high)
		for x := m.X - c.wide(at); x >= 0 && at%c.across < c.across-1; x -= c.wide(at) {
			at++
		}
		if at < len(c.jobs) {
			return c.Move(at - c.at)
		}
	case msg.WheelMsg:
		c.table.By(3 * m.By)
	case msg.WentMsg:
		c.run = nil
		cmds = append(cmds, c.thumbs.Want(nil))
	}
	return tea.Batch(cmds...)
}

// arrange divides the room for the size, styles and words of now: the columns stand side by side,
// or four in two rows where that makes the pictures larger, or hardly smaller and hides no facts.
func (c *compare) arrange() {
	if one := c.divide(len(c.jobs)); len(c.jobs) == 4 && !c.blinks {
		if two := c.divide(2); two <= one && (5*two < 4*one || c.table.Below() > 0) {
			c.divide(len(c.jobs))
		}
	}
}

// divide takes so many columns side by side, and returns the rows of the pictures, which are equally
// high. They take what the facts leave, three fifths of the room at least.
func (c *compare) divide(across int) (rows int) {
	lanes := (len(c.jobs) + across - 1) / across
	if c.blinks {
		across, lanes = 1, 1
	}
	c.across = across
	c.aside = 0
	c.share(lanes == 1 && c.k.Painter != nil)
	different, alike := c.split()
	c.names = c.writeNames(different)
	c.facts = c.writeFacts(different)
	apart, same := c.writeSame(different, alike) // with labels as wide as those of the facts
	c.feet, c.same = nil, append(apart, same...)
	// A blank line is below the letters, one below the pictures, and the pane's last.
	above, below := 4, len(c.facts[0])
	if lanes > 1 && c.k.Theme.Grounds() { // the lower ones begin in it
		above++
	}
	if high := max(len(same), len(apart)); c.pair() {
		c.feet, c.same = [][]string{same, apart}, nil
		above += high + min(high, 1)
	}
	room := max((c.h-len(c.same))/lanes-above, 1)
	for i := range len(c.jobs) * (lanes - 1) {
		wide, _ := c.fit(i, room+1) // no line is below it
		c.aside = max(c.aside, wide+2*min(wide, 1))
	}
	if c.aside > 0 && c.room(0) >= minAside {
		c.facts, below, above, room = c.writeFacts(different), 0, above-1, room+1
	} else {
		c.aside = 0
	}
	c.high, c.rows, c.stills = above+room, 0, 0
	for i := range c.jobs {
		if _, high := c.fit(i, max(room-below, room*3/5)); high > 0 {
			c.rows = min(cmp.Or(c.rows, high), high)
		}
	}
	if c.blinks {
		c.rows = room // one at a time, each as high as it can be
	}
	for n := 4; n > 2 && lanes == 1 && len(c.jobs) < 3 && !c.blinks; n-- { // fewer frames are larger
		high := 0
		for i := range c.jobs {
			if cols, _ := c.fit(i, c.rows); cols > 0 && c.jobs[i].Kind == api.KindVideo {
				high = max(high, StripRows(c.k, c.jobs[i].Request, cols, n))
			}
		}
		if high <= room-c.rows-below-2 {
			c.stills, c.frames = high, n
		}
	}
	free := room - c.rows
	if c.aside > 0 {
		free = c.rows
	}
	c.table.SetSize(slices.Min(c.widths), max(min(len(c.facts[0]), free), 0))
	c.table.SetLines(c.facts[0])
	return c.rows
}

// pair reports whether two stand side by side.
func (c *compare) pair() bool { return c.across == 2 && len(c.jobs) == 2 }

// fit is the box of a column's picture in so many rows: no higher than the picture, so that all begin
// on the same line. There is none without a result.
func (c *compare) fit(i, rows int) (wide, high int) {
	if len(c.jobs[i].Files) > 0 && c.k.Painter != nil {
		wide, high = FitRatio(c.ratio(i), c.inner(i), rows)
	}
	return wide, min(high, rows)
}

// share gives each column side by side its width: all together are as wide as the body, and as even
// as their pictures can be equally high, if all of these stand in one row.
func (c *compare) share(equal bool) {
	n := c.across
	c.widths = make([]int, n)
	least := min(max(c.w*2/3/n, 24), c.w/n) // a phase and facts need room
	for rows, spare := c.h, -1; spare < 0; rows-- {
		spare = c.w
		for i := range n {
			if c.widths[i] = least; equal {
				c.widths[i] = max(int(2*c.ratio(i)*float64(rows))+2*widget.Inset, least)
			}
			spare -= c.widths[i]
		}
		for i := 0; i < n && spare >= 0; i++ {
			c.widths[i] += (i+1)*spare/n - i*spare/n
		}
	}
}

// ratio is that of a job's picture, in cells.
func (c *compare) ratio(i int) float64 { return CellRatio(c.k, Ratio(c.jobs[i].Request)) }

func (c *compare) wide(i int) int { return c.widths[i%c.across] }

// inner is the width of a column's picture, and of facts below it.
func (c *compare) inner(i int) int { return max(c.wide(i)-2*widget.Inset, 8) }

// room is the width of a column's facts.
func (c *compare) room(i int) int { return c.inner(i) - c.aside }

const (
	letters  = "ABCD" // of the columns
	minBlock = 14     // cells of the grounds of values
	minName  = 8      // cells of a title, at least
	minAside = 24     // cells of facts beside a picture
)

// paint asks for the pictures in view.
func (c *compare) paint() tea.Cmd {
	all := make([]Thumb, len(c.jobs))
	for i := range all {
		all[i] = c.thumb(i)
	}
	for i := range c.jobs {
		if c.stills > 0 && c.jobs[i].Kind == api.KindVideo {
			all = append(all, c.strip(i))
		}
	}
	if c.blinks {
		all = []Thumb{all[c.at], all[c.other]}
	}
	return c.thumbs.Want(all)
}

// thumb is what is asked for as the picture of a column.
func (c *compare) thumb(i int) Thumb {
	cols, rows := c.fit(i, c.rows)
	return Thumb{Path: RowOf(&c.jobs[i]).File, Cols: cols, Rows: rows}
}

// strip is what is asked for below the picture of a video: some of its frames.
func (c *compare) strip(i int) Thumb {
	th := c.thumb(i)
	th.Rows, th.Stills = c.stills, image.Pt(c.frames, 1)
	return th
}

func (c *compare) Box(w, h int) string {
	var lines []string
	from, to := 0, len(c.jobs)
	if c.blinks {
		from, to = c.at, c.at+1
	}
	for ; from < to; from += c.across {
		if t := c.k.Theme; len(lines) > 0 && t.Grounds() { // the lower ones begin in the last line of the upper ones
			lines[len(lines)-1] = ""
			for i := range c.across {
				lines[len(lines)-1] += theme.Fit(" "+cmp.Or(c.ground(from+i), t.Panel).Edge(t.Page, c.wide(i)-2)+" ", c.wide(i))
			}
		}
		columns := make([][]string, 0, c.across)
		for i := from; i < min(from+c.across, to); i++ {
			columns = append(columns, c.column(i))
		}
		lines = append(lines, new(widget.Beside).Join(columns...)...)
	}
	lines = append(lines, api.Map(c.same, func(line string) string { return theme.Blank(widget.Inset) + line })...)
	lines = append(lines, make([]string, max(h-len(lines), 0))...)[:h]
	for i := range lines {
		lines[i] = theme.Cut(lines[i], w) // the size may be newer than the message that tells it
	}
	return strings.Join(lines, "\n")
}

// column is a pane of a letter and the rating or phase, above a picture and in what it differs.
func (c *compare) column(i int) []string {
	t, letter := c.k.Theme, c.letter(i)
	if c.blinks {
		prompt := api.Clean(api.OneLine(c.jobs[i].Request.Prompt), 200).String()
		letter = c.letter(min(i, c.other)) + c.letter(max(i, c.other)) + " " + t.Strong.Paint(prompt)
	}
	if room := c.nameRoom(i); c.names[i] != "" && room >= minName {
		letter += "  " + t.Strong.Paint(theme.Cut(c.names[i], room))
	}
	p := widget.Pane{Width: c.wide(i), Height: c.high, Title: letter, Right: c.end(i), Inset: true,
		Focus: i == c.at, Ground: c.ground(i)}
	lines, thumb := make([]string, 1), c.thumb(i)
	art, _ := c.thumbs.Lines(thumb)
	if j := &c.jobs[i]; len(j.Files) == 0 && c.rows > 0 {
		art = api.Map(widget.WrapTo(Failure(c.k, &j.Row), c.inner(i), c.rows), c.k.Theme.Muted.Paint)
	}
	if c.blinks {
		art = Centred(art, c.inner(i), len(art))
	}
	lines = append(append(lines, art...), make([]string, c.rows-len(art))...)
	if c.stills > 0 {
		frames := make([]string, c.stills+1)
		if c.jobs[i].Kind == api.KindVideo {
			frames = c.thumbs.Frames(c.strip(i), c.jobs[i].Request.Duration)
		}
		lines = append(append(lines, ""), frames...)
	}
	if above := c.table.Offset(); len(c.facts[i]) > 0 {
		facts := c.facts[i][above : len(c.facts[i])-c.table.Below()]
		if c.aside > 0 {
			lines = widget.Overlay(lines, facts, c.aside, 1)
		} else {
			lines = append(append(lines, ""), facts...)
		}
		p.Scrolled(c.k, above, c.table.Below())
	}
	if c.feet != nil {
		lines = append(append(lines, ""), c.feet[i]...)
	}
	return p.Lines(t, lines)
}

// end is what stands at the right of a letter: the rating, or the phase of what has no result.
func (c *compare) end(i int) string {
	j := &c.jobs[i]
	if len(j.Files) == 0 {
		return widget.PhaseLine(c.k, j.Phase) // there is no room for a filled one
	}
	length := c.k.Theme.Muted.Paint(Length(c.k, j.Kind, j.Request.Duration))
	return strings.TrimSpace(length + "  " + PaintRating(c.k.Theme, j.Rating))
}

// nameRoom is the room for a name between a letter and the end.
func (c *compare) nameRoom(i int) int { return c.inner(i) - theme.Width(c.letter(i)+c.end(i)) - 5 }

// ground is that of a column whose picture is drawn.
func (c *compare) ground(i int) (none theme.Ground) {
	if i < len(c.jobs) && c.k.Theme.Grounds() {
		if mean := c.thumbs.Mean(c.thumb(i)); mean.A > 0 {
			return c.k.Theme.Tint(mean)
		}
	}
	return none
}

// letter is the sign of a column, in its colour; without grounds, and while they blink, filled for the chosen one.
func (c *compare) letter(i int) string {
	t, text := c.k.Theme, " "+letters[i:i+1]+" "
	switch {
	case t.Grounds() && !c.blinks:
		return t.Shades[i].Fill.Lay(text)
	case i == c.at:
		return t.Button.Paint(text)
	}
	return t.Element.Lay(t.Text.Paint(text))
}

// maxSame is how many lines what is the same has at most.
const maxSame = 3

// split gives what the jobs differ in, and what is the same.
func (c *compare) split() (different, alike []aspect) {
	if c.blinks {
		return nil, nil
	}
	for _, x := range c.aspects() {
		if x.differs() {
			different = append(different, x)
		} else {
			alike = append(alike, x)
		}
	}
	return different, alike
}
