package result

import (
	"cmp"
	"context"
	"slices"
	"strconv"
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
// pictures, and below them a table of what their requests differ in. It is a
// place for the verbs, which are about the column that is chosen.
type compare struct {
	widget.Passive
	k       *env.Env
	backend Backend
	from    Place // where the jobs were chosen
	verbs   *Verbs
	jobs    []state.Job // in columns
	thumbs  *Thumbs
	at      int // the chosen column
	w, h    int // of the body
	table   widget.Scroll
	across  int // pictures side by side
	share   int // the room of each from left to right, its mark included
	// pictureRows is how many lines the pictures have.
	pictureRows int
	heads       [][]string // the prompts above them
	whole       bool       // these are not left out
	listed      bool       // what is the same has a line for each
	blinks      bool       // the chosen one and the other are shown in one place, in turn
	other       int
	run         *int // of their changing by themselves; nil: they stand still
}

// compare shows the marked results side by side. Without marks it marks the
// chosen one, and shows the two at the next one.
func (v *Verbs) compare() tea.Cmd {
	id, ids := v.row().ID, v.marks.IDs()
	switch {
	case len(ids) == 0:
		v.marks.Toggle(id)
		return v.hint(v.k.Say("Marked. Press %s on another job to see the two side by side.", v.k.Key("compare", "c")))
	case len(ids) == 1 && ids[0] == id:
		v.marks.Clear()
		return v.hint(v.k.Say("No longer marked."))
	case len(ids) == 1:
		ids = append(ids, id)
		v.marks.Clear()
	case len(ids) > maxCompared:
		return v.hint(v.k.Say("At most %d results can be compared: %d are marked.", maxCompared, len(ids)))
	}
	backend := v.backend
	return ask(v, func(ctx context.Context) ([]state.Job, error) { return readJobs(ctx, backend, ids) }, v.openCompare)
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
	c := &compare{k: v.k, backend: v.backend, from: v.place, jobs: jobs, thumbs: NewThumbs(v.k), other: 1}
	c.verbs = NewVerbs(v.k, v.backend, c, &Marks{}, func() bool { return true })
	c.Table = []action.Action{
		{Name: "back", Keys: "esc q c", Display: "esc", Label: "back", Handler: c.back},
		{Name: "next_result", Keys: "right l tab", Display: "←/→", Label: "previous or next", Handler: action.By(c.Move, 1)},
		{Name: "previous_result", Keys: "left h shift+tab", Label: "previous result", Hidden: true, Handler: action.By(c.Move, -1)},
		{Name: "blink", Keys: "b", Label: "flip", Also: "blink, in one place", Handler: c.flip},
		{Name: "blink_on", Keys: "space", Label: "blink twice a second", Handler: c.blinkOn, Disabled: func() string {
			return c.k.SayIf(!c.k.Moves(), "Nothing moves by itself here: change them by key.")
		}},
	}
	c.Table = append(c.Table, c.table.Actions()...)
	action.Named(c.Table, "next_page").Keys = "pgdown"
	for _, verb := range c.verbs.table {
		switch verb.Name {
		case "compare", "mark", "settle", "send_again", "hide":
			continue // the marks are those of the place
		}
		why := verb.Disabled
		verb.Disabled = func() string { // whichever happens to be in view is not meant
			if c.run != nil || why == nil {
				return c.k.SayIf(c.run != nil, "Hold the one that you mean first.")
			}
			return why()
		}
		c.Table = append(c.Table, verb)
	}
	c.Table = action.First(c.Table, "back", "next_result", "favourite", "reject", "stars_1", "blink", "full_screen")
	return msg.Open(c)
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
	return OpenFullScreen(c.k, c.backend, c, &Marks{}, zoom)
}

// SetRating shows a rating, here and where the jobs were chosen.
func (c *compare) SetRating(id string, r state.Rating) {
	for i := range c.jobs {
		if c.jobs[i].ID == id {
			c.jobs[i].Rating = r
		}
	}
	c.from.SetRating(id, r)
}

// Whole is true: the keys that work everywhere work here.
func (c *compare) Whole() bool { return true }
func (c *compare) Restyle()    { c.arrange() }

func (c *compare) back() tea.Cmd {
	if c.blinks {
		return c.setBlink(false)
	}
	return msg.Sequence(c.thumbs.Want(nil), msg.CloseTop)
}

// Update takes sizes, pictures, the mouse and answers to the verbs.
func (c *compare) Update(message tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{c.verbs.Update(message)}
	c.thumbs.Update(message)
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		c.w, c.h = BodySize(m)
		c.arrange()
		cmds = append(cmds, c.paint())
	case msg.ClickMsg:
		if c.blinks {
			return c.flip()
		}
		at := max(m.X-2, 0) / c.share
		if c.across < len(c.jobs) {
			at += c.across * (max(m.Y-2, 0) / (c.lane() + 1))
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

// arrange writes the table for the size, styles and words of now, and divides the room
// between it and the pictures: side by side, or in two rows where that makes them larger.
func (c *compare) arrange() {
	c.divide(len(c.jobs))
	if c.blinks {
		c.share = max(c.w-4, 12)
		c.heads = c.writeHeads()
		c.pictureRows = max(c.h-4-len(c.heads[0]), 1)
		return
	}
	if rows := c.pictureRows; len(c.jobs) > 2 {
		if c.divide(2); c.pictureRows <= rows {
			c.divide(len(c.jobs))
		}
	}
}

// divide takes so many pictures side by side, all as wide as the widest one. The table stands
// below them, of three in two rows in the place of the fourth.
func (c *compare) divide(across int) {
	c.across, c.share, c.listed, c.pictureRows = across, max((c.w-4)/across, 12), false, 0
	c.heads = c.writeHeads()
	lanes, inner, wide := (len(c.jobs)+across-1)/across, c.h-3, 0
	room := max(inner-1-len(c.tableLines()), inner*3/5) // the lines of pictures, and of their heads
	if c.quarter() {
		room = inner
	}
	for i := range c.jobs {
		if len(c.jobs[i].Files) > 0 && c.k.Painter != nil {
			w, r := FitRatio(CellRatio(c.k, Ratio(c.jobs[i].Request)), c.share-markWidth, max((room+1)/lanes-1-len(c.heads[0]), 3))
			c.pictureRows, wide = max(c.pictureRows, r), max(wide, w)
		}
	}
	if was, lines := c.share, len(c.heads[0]); wide > 0 {
		if c.share = min(was, max(wide, minHead)+markWidth); len(c.writeHeads()[0]) != lines {
			c.share = was
		}
		c.heads = c.writeHeads()
	}
	high := max(inner-lanes*(c.lane()+1), 1)
	if c.quarter() {
		high = c.lane()
	}
	c.listed = true
	lines := c.tableLines()
	if c.listed = len(lines) <= high || c.quarter(); !c.listed {
		lines = c.tableLines()
	}
	if gap := "\n\n"; 2*len(lines) <= high { // one blank line between all
		lines = strings.Split(strings.ReplaceAll(strings.Join(lines, gap), gap+theme.Blank(markWidth)+gap, gap), "\n")
	}
	c.table.SetSize(c.tableWidth()+markWidth, high)
	c.table.SetLines(lines)
}

// tableWidth is that of the table without the room of marks.
func (c *compare) tableWidth() int {
	if c.quarter() {
		return c.w - 4 - (len(c.jobs)%c.across)*c.share - markWidth
	}
	return c.w - 4 - markWidth
}

// lane is how many lines a row of heads and pictures has.
func (c *compare) lane() int { return len(c.heads[0]) + c.pictureRows }

// quarter reports whether the table stands beside the last picture.
func (c *compare) quarter() bool { return c.across < len(c.jobs) && len(c.jobs)%c.across > 0 }

const (
	letters   = "ABCD" // of the pictures
	markWidth = 2      // left of each
	headEnd   = 11     // cells of a rating or phase at its right, behind the length of a video, and one between
	minHead   = 36     // cells of a head, also above a narrow picture
	maxHead   = 2      // lines of a prompt there
)

func (c *compare) paint() tea.Cmd {
	all := make([]Thumb, len(c.jobs))
	for i := range all {
		all[i] = c.thumb(i)
	}
	if c.blinks {
		all = []Thumb{all[c.at], all[c.other]}
	}
	return c.thumbs.Want(all)
}

func (c *compare) thumb(i int) Thumb {
	return Thumb{Path: RowOf(&c.jobs[i]).File, Cols: c.share - markWidth, Rows: c.pictureRows}
}

func (c *compare) Box(w, h int) string {
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true, Quiet: true, Foot: widget.More(c.k, 0, c.table.Below())}
	lines := make([]string, 1)
	if c.blinks {
		p.Foot = ""
		return strings.Join(p.Lines(c.k.Theme, append(lines, c.column(c.at)...)), "\n")
	}
	for from := 0; from < len(c.jobs); from += c.across {
		columns := make([][]string, 0, c.across)
		for i := from; i < min(from+c.across, len(c.jobs)); i++ {
			columns = append(columns, c.column(i))
		}
		for y := range c.lane() {
			line := ""
			for _, column := range columns {
				line += theme.Fit(column[y], c.share)
			}
			if table := c.table.Lines(); len(columns) < c.across && y < len(table) {
				line += table[y]
			}
			lines = append(lines, line)
		}
		lines = append(lines, "")
	}
	if !c.quarter() {
		lines = append(lines, c.table.Lines()...)
	}
	inner, _ := p.Inner()
	for i := range lines {
		lines[i] = theme.Cut(lines[i], inner) // the size may be newer than the message that tells it
	}
	return strings.Join(p.Lines(c.k.Theme, lines), "\n")
}

// column is a head above a picture, with a bar at the left of the chosen one. The head is
// a letter, the prompt, and the rating or phase.
func (c *compare) column(i int) (lines []string) {
	t, j, ground, side := c.k.Theme, &c.jobs[i], theme.Ground{}, theme.Blank(markWidth)
	letter, end := c.letter(i), t.Muted.Paint(Length(c.k, j.Kind, j.Request.Duration))+"  "+PaintRating(t, j.Rating)+" "
	if c.blinks {
		letter = c.letter(min(i, c.other)) + c.letter(max(i, c.other))
	} else if i == c.at {
		side = t.Accent.Paint("▎") + " "
	}
	if len(j.Files) == 0 {
		end = widget.PhaseText(c.k, j.Phase) + " "
	}
	if mean := c.thumbs.Mean(c.thumb(i)); mean.A > 0 && t.Grounds() {
		ground = t.Tint(mean)
	}
	for _, head := range c.heads[i] {
		lines = append(lines, side+ground.Lay(widget.Between(letter+" "+head, end, c.share-markWidth)))
		letter, end = theme.Blank(theme.Width(letter)), ""
	}
	picture, _ := c.thumbs.Lines(c.thumb(i))
	for _, line := range picture {
		lines = append(lines, side+ground.Lay(line))
	}
	return lines
}

func (c *compare) letter(i int) string {
	t, text := c.k.Theme, " "+letters[i:i+1]+" "
	if i == c.at {
		return t.Button.Paint(text)
	}
	return t.Element.Lay(t.Text.Paint(text))
}

// writeHeads writes the prompts, as equally many lines each; if one is too long for them,
// they stand in the table.
func (c *compare) writeHeads() [][]string {
	heads, most := make([][]string, len(c.jobs)), 1
	for i := range c.jobs {
		r := &c.jobs[i].Request
		words := unlessMost(Words(r.Prompt, c.jobs[max(1-i, 0)].Request.Prompt))
		room := max(c.share-markWidth-4-headEnd-theme.Width(Length(c.k, r.Kind, r.Duration)), 8)
		heads[i] = widget.Grid{Wrap: true, Columns: []widget.GridColumn{{Width: room}},
			Rows: [][]string{{markWords(c.k.Theme, words)}}}.Lines()
		most = max(most, len(heads[i]))
	}
	if c.whole = most <= maxHead; !c.whole {
		most = 1
	}
	for i := range heads {
		if !c.whole {
			heads[i] = nil
		}
		heads[i] = append(heads[i], make([]string, most-len(heads[i]))...)
	}
	return heads
}

// aspects are what jobs are compared by, in the order in which they are shown.
func (c *compare) aspects() []aspect {
	k := c.k
	of := func(label string, text func(j *state.Job) string) aspect {
		x := aspect{label: label}
		for i := range c.jobs {
			x.texts = append(x.texts, text(&c.jobs[i]))
		}
		x.said = api.Clean(api.OneLine(x.texts[0]), 200).String()
		return x
	}
	all := []aspect{
		of(k.Say("Prompt"), func(j *state.Job) string { return j.Request.Prompt }),
		of(k.Say("Model"), func(j *state.Job) string { return j.Request.Model }),
		of(k.Say("Mode"), func(j *state.Job) string {
			switch {
			case j.Request.Kind != api.KindVideo || j.Request.Model != api.Seedance2:
				return ""
			case j.Request.Mode() == api.ModeFirstLastFrame:
				return k.Say("first and last frame")
			}
			return k.Say("references")
		}),
	}
	fields := api.Settings("")
	for _, f := range api.Fields("") {
		if f.Shape == api.ShapeURL && f.Max == 0 {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		x := of(k.Say(f.Label), func(j *state.Job) string { return f.Said(k.Say, f.Text(&j.Request), false) })
		x.bare = f.Said(k.Say, f.Text(&c.jobs[0].Request), true)
		all = append(all, x)
	}
	materials := func(j *state.Job) string {
		return strings.Join(slices.Concat(j.Request.ImageFiles, j.Request.VideoFiles, j.Request.AudioFiles), "\n")
	}
	took := of(k.Say("Took"), func(j *state.Job) string { return Took(k, j, Typical{}) })
	took.quiet, took.bare = true, k.Say("took %s", took.said)
	timed := slices.ContainsFunc(c.jobs, func(j state.Job) bool { return j.Request.Duration != c.jobs[0].Request.Duration })
	credits := func(j *state.Job) string { // with the price of a second, and the change from the first one
		if !j.Estimate.Known() || j.Free() {
			return ""
		}
		text, first := k.Say("%s cr", env.Amount(j.Estimate.Credits)), c.jobs[0].Estimate.Credits
		if seconds, _ := strconv.Atoi(j.Request.Duration); timed && seconds > 0 {
			text += " · " + k.Say("%s/s", env.Amount(j.Estimate.Credits/api.Credits(seconds)))
		}
		if j.Estimate.Credits != first && first > 0 && j.Kind == c.jobs[0].Kind {
			text += "  " + env.Change(first, j.Estimate.Credits)
		}
		return text
	}
	all = append(all, of(k.Say("Materials"), materials), of(k.Say("Credits"), credits), took)
	return append(all[:1], slices.DeleteFunc(all[1:], func(x aspect) bool { return c.fixed(x.texts) })...)
}

// tableLines are what differs, each below its picture or in columns below their letters, and
// what is the same: in a line, or in a list where there is room.
func (c *compare) tableLines() []string {
	k, t := c.k, c.k.Theme
	f := widget.Facts{Width: c.tableWidth(), Theme: t}
	var different []aspect
	same, label, alike := []Fact{{Label: k.Say("The same")}}, theme.Width(k.Say("Different"))+2, true
	for n, x := range c.aspects() {
		label = max(label, theme.Width(x.label)+2)
		switch {
		case n == 0 && c.whole: // the prompt
		case x.differs():
			different, alike = append(different, x), alike && x.quiet
		case c.listed:
			same = append(same, Fact{x.label, []string{x.said}})
		default:
			same[0].Parts = append(same[0].Parts, cmp.Or(x.bare, x.said))
		}
	}
	switch {
	case !alike:
		f.Add(c.renderRows(different, label)...)
	case c.jobs[0].Request.Prompt == c.jobs[1].Request.Prompt: // it is left out only if it differs
		f.Painted(t.Muted.Paint(k.Say("The requests are identical.")))
	default:
		f.Painted(t.Muted.Paint(k.Say("Only the prompts differ.")))
	}
	if f.Gap(); c.listed {
		if len(same) > 1 {
			f.Painted(t.Strong.Paint(same[0].Label))
		}
		same = same[1:]
	}
	if len(same) > 0 {
		same[0].Label = theme.Fit(same[0].Label, label-2)
	}
	WriteFacts(&f, same)
	for i := range f.Lines {
		f.Lines[i] = theme.Blank(markWidth) + f.Lines[i]
	}
	return f.Lines
}

// renderRows sets the texts of aspects in columns behind their labels: below the pictures
// if these stand side by side and are wide, else below their letters.
func (c *compare) renderRows(all []aspect, label int) []string {
	t, g := c.k.Theme, widget.Grid{Wrap: true}
	below := c.across == len(c.jobs) && c.share >= 2*label
	column := func(width, gap int) { g.Columns = append(g.Columns, widget.GridColumn{Width: width, Gap: gap}) }
	head := []string{t.Strong.Paint(c.k.Say("Different"))}
	column(label, 2)
	for i := range c.jobs {
		if column((c.tableWidth()-label)/len(c.jobs), 2); below {
			g.Columns[i+1].Width = c.share
		}
		head = append(head, t.Muted.Paint(letters[i:i+1]))
	}
	if below {
		g.Columns[1].Width, head = c.share-label, nil
	}
	for _, x := range all {
		cells := []string{t.Muted.Paint(x.label)}
		for i, text := range x.texts {
			words := []Word{{Text: cmp.Or(text, "–")}}
			if x.label == c.k.Say("Prompt") {
				words = unlessMost(Words(text, x.texts[max(1-i, 0)]))
			}
			cells = append(cells, markWords(t, words))
		}
		g.Rows = append(g.Rows, cells)
	}
	if g.Head = head; below {
		g.Columns[len(g.Columns)-1].Width -= markWidth
	}
	return g.Lines()
}
