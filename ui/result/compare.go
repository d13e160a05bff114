package result

import (
	"cmp"
	"context"
	"math"
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
	// pictureRows is how many lines the pictures have.
	pictureRows int
	heads       [][]string // the prompts above them
	whole       bool       // these are not cut
}

// compare shows the marked results side by side. Without marks it marks the
// chosen one, and shows the two at the next one.
func (v *Verbs) compare() tea.Cmd {
	id, ids := v.chosen(), v.marks.IDs()
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
	c := &compare{k: v.k, backend: v.backend, from: v.place, jobs: jobs, thumbs: NewThumbs(v.k)}
	c.verbs = NewVerbs(v.k, v.backend, c, &Marks{}, func() bool { return true })
	c.Table = []action.Action{
		{Name: "back", Keys: "esc q c", Display: "esc", Label: "back", Closes: true, Handler: c.back},
		{Name: "next_result", Keys: "right l tab", Display: "←/→", Label: "choose", Handler: action.By(c.Move, 1)},
		{Name: "previous_result", Keys: "left h shift+tab", Label: "previous result", Hidden: true, Handler: action.By(c.Move, -1)},
	}
	c.Table = append(c.Table, c.table.Actions()...)
	for _, verb := range c.verbs.table {
		switch verb.Name {
		case "compare", "mark", "settle", "send_again", "hide":
			continue // the marks are those of the place
		}
		c.Table = append(c.Table, verb)
	}
	c.Table = action.First(c.Table, "back", "next_result", "favourite", "reject", "full_screen")
	return msg.Open(c)
}

func (c *compare) Row() (state.Row, bool) { return RowOf(&c.jobs[c.at]), true }
func (c *compare) Job() (state.Job, bool) { return c.jobs[c.at], true }
func (c *compare) File() int              { return 0 }

func (c *compare) Move(by int) tea.Cmd {
	c.at = max(min(c.at+by, len(c.jobs)-1), 0)
	return nil
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

// RowOf is a job as a list shows it.
func RowOf(j *state.Job) state.Row {
	r := j.Row
	r.Credits, r.Source, r.Files = j.Estimate.Credits, j.Estimate.Source, len(j.Files)
	if len(j.Files) > 0 {
		r.File = j.Files[0].Path
	}
	if r.Source == "" {
		r.Source = api.SourceNone
	}
	return r
}

// Whole is true: help and the list of all actions can be opened from here.
func (c *compare) Whole() bool   { return true }
func (c *compare) Restyle()      { c.arrange() }
func (c *compare) back() tea.Cmd { return c.thumbs.Want(nil) }

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
		if at := (m.X - 2) / (c.share() + len(gap)); at >= 0 && at < len(c.jobs) {
			c.at = at
		}
	case msg.WheelMsg:
		c.table.By(3 * m.By)
	}
	return tea.Batch(cmds...)
}

// arrange writes the table for the size, styles and words of now, and divides
// the lines between it and the pictures.
func (c *compare) arrange() {
	c.heads = c.writeHeads()
	lines := c.tableLines()
	c.pictureRows = c.pictureRoom(len(lines))
	c.table.SetSize(c.w-4, c.tableRows())
	c.table.SetLines(lines)
}

const (
	gap     = "  "
	letters = "ABCD" // of the columns
)

func (c *compare) share() int {
	n := len(c.jobs)
	return max((c.w-4-(n-1)*len(gap))/n, 10)
}

// pictureRoom is how many lines the pictures have above a table of so many lines: no
// more than fill their columns, and what that leaves, or three fifths.
func (c *compare) pictureRoom(table int) (rows int) {
	for i := range c.jobs {
		if len(c.jobs[i].Files) > 0 && c.k.Painter != nil {
			_, r := FitRatio(Ratio(c.jobs[i].Request), c.share(), max((c.h-4)*3/5, c.h-5-len(c.heads[0])-table, 3))
			rows = max(rows, r)
		}
	}
	return rows
}

// tableRows is how many lines of the table are in view, below the heads, the pictures
// and a title.
func (c *compare) tableRows() int { return max(c.h-5-len(c.heads[0])-c.pictureRows, 1) }

func (c *compare) paint() tea.Cmd {
	all := make([]Thumb, len(c.jobs))
	for i := range all {
		all[i] = c.thumb(i)
	}
	return c.thumbs.Want(all)
}

func (c *compare) thumb(i int) Thumb {
	return Thumb{Path: RowOf(&c.jobs[i]).File, Cols: c.share(), Rows: c.pictureRows, Lean: -1}
}

func (c *compare) Box(w, h int) string {
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true, Quiet: true, Foot: widget.More(c.k, 0, c.table.Below())}
	lines := append([]string{""}, c.titles()...)
	for y := range c.pictureRows {
		lines = append(lines, c.beside(func(i int) string {
			picture, _ := c.thumbs.Lines(c.thumb(i))
			return picture[y]
		}))
	}
	lines = append(lines, "", widget.Divide(c.k.Say("Different")))
	lines = append(lines, c.table.Lines()...)
	inner, _ := p.Inner()
	for i := range lines {
		lines[i] = theme.Cut(lines[i], inner) // the size may be newer than the message that tells it
	}
	return strings.Join(p.Lines(c.k.Theme, lines), "\n")
}

// beside puts a painted part of each job next to each other.
func (c *compare) beside(part func(i int) string) string {
	parts := make([]string, len(c.jobs))
	for i := range parts {
		parts[i] = theme.Fit(part(i), c.share())
	}
	return strings.Join(parts, gap)
}

// titles are the heads: a letter, the prompt, and the rating or phase.
func (c *compare) titles() (lines []string) {
	t := c.k.Theme
	for y := range c.heads[0] {
		lines = append(lines, c.beside(func(i int) string {
			head, end := theme.Blank(headIndent), ""
			if y == 0 {
				mark, letter := " ", t.Text.Paint(" "+letters[i:i+1]+" ")
				if i == c.at {
					mark, letter = t.Accent.Paint("▸"), t.Strong.Paint(" "+letters[i:i+1]+" ")
				}
				if end = PaintRating(t, c.jobs[i].Rating) + " "; len(c.jobs[i].Files) == 0 {
					end = widget.PhaseText(c.k, c.jobs[i].Phase) + " "
				}
				head = mark + c.colour(i).Lay(letter) + " "
			}
			line := widget.Between(head+c.heads[i][y], end, c.share())
			if mean := c.thumbs.Mean(c.thumb(i)); mean.A > 0 && t.Grounds() {
				return t.Tint(mean).Lay(line)
			}
			return line
		}))
	}
	return lines
}

const (
	headIndent = 5
	headEnd    = 12
	maxHead    = 3 // lines of a prompt above a picture
)

// colour is the ground of what is marked in a column.
func (c *compare) colour(i int) theme.Ground {
	t := c.k.Theme
	return t.Mixed(t.Panel, [...]theme.Style{t.Accent, t.Run, t.Good, t.Doubt}[i].Ink, 0.3)
}

// writeHeads writes the prompts, as equally many lines each. If one is too long for
// them, each is cut to one line.
func (c *compare) writeHeads() [][]string {
	heads, most := make([][]string, len(c.jobs)), 1
	for i := range c.jobs {
		words := unlessMost(Words(c.jobs[i].Request.Prompt, c.jobs[max(1-i, 0)].Request.Prompt))
		room := max(c.share()-headIndent-headEnd, 8)
		heads[i] = widget.Grid{Wrap: true, Columns: []widget.GridColumn{{Width: room}},
			Rows: [][]string{{markWords(c.k.Theme, c.colour(i), words)}}}.Lines()
		most = max(most, len(heads[i]))
	}
	if c.whole = most <= maxHead; !c.whole {
		most = 1
	}
	for i := range heads {
		if !c.whole {
			heads[i] = []string{c.jobs[i].Title}
		}
		heads[i] = append(heads[i], make([]string, most-len(heads[i]))...)
	}
	return heads
}

type aspect struct {
	label string
	texts []string
}

func (c *compare) aspects() []aspect {
	k := c.k
	of := func(label string, text func(j *state.Job) string) aspect {
		x := aspect{label: label}
		for i := range c.jobs {
			x.texts = append(x.texts, text(&c.jobs[i]))
		}
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
		all = append(all, of(k.Say(f.Label), func(j *state.Job) string { return f.Text(&j.Request) }))
	}
	materials := func(j *state.Job) string {
		return strings.Join(slices.Concat(j.Request.ImageFiles, j.Request.VideoFiles, j.Request.AudioFiles), "\n")
	}
	all = append(all, of(k.Say("Materials"), materials), of(k.Say("Credits"), c.creditsText),
		of(k.Say("Took"), func(j *state.Job) string { return Took(k, j, Typical{}) }))
	return slices.DeleteFunc(all, func(x aspect) bool {
		return x.label != all[0].label && !slices.ContainsFunc(x.texts, func(s string) bool { return s != "" })
	})
}

func (c *compare) creditsText(j *state.Job) string {
	if !j.Estimate.Known() || j.Free() {
		return ""
	}
	text, first := c.k.Say("%s cr", env.Amount(j.Estimate.Credits)), c.jobs[0].Estimate
	by, sign := j.Estimate.Credits-first.Credits, "  +"
	if by < 0 {
		by, sign = -by, "  −"
	}
	if by == 0 || first.Credits <= 0 {
		return text
	}
	return text + sign + env.Amount(by) + sign + strconv.Itoa(int(math.Round(100*float64(by)/float64(first.Credits)))) + " %"
}

// tableLines are what differs, side by side, and below it what is the same.
func (c *compare) tableLines() []string {
	k, t := c.k, c.k.Theme
	f := widget.Facts{Width: c.w - 4, Theme: t}
	var same, different []aspect
	label := 0
	for n, x := range c.aspects() {
		if n == 0 && c.whole { // the prompt
			continue
		}
		if !slices.ContainsFunc(x.texts, func(s string) bool { return s != x.texts[0] }) {
			same = append(same, x)
		} else {
			different = append(different, x)
		}
		label = max(label, theme.Width(x.label)+len(gap))
	}
	for _, x := range different {
		f.Add(c.renderRow(x, label)...)
	}
	if len(f.Lines) == 0 {
		text := k.Say("The requests are identical.")
		if c.jobs[0].Request.Prompt != c.jobs[1].Request.Prompt { // it is left out only then
			text = k.Say("Only the prompts differ.")
		}
		f.Painted(t.Muted.Paint(text))
	}
	if len(same) > 0 {
		f.Gap()
		f.Painted(t.Strong.Paint(k.Say("The same")))
	}
	for _, x := range same {
		f.Painted(t.Muted.Paint(theme.Fit(x.label, label)) + t.Text.Paint(api.Clean(api.OneLine(x.texts[0]), 200).String()))
	}
	return f.Lines
}

// renderRow sets the texts of an aspect in columns, each below its picture. The label
// takes its room from the first one's. What differs from the first text is marked, in the first what differs
// from the second.
func (c *compare) renderRow(x aspect, label int) []string {
	var cells []string
	g := widget.Grid{Wrap: true}
	column := func(text string, width int) {
		cells, g.Columns = append(cells, text), append(g.Columns, widget.GridColumn{Width: width, Gap: len(gap)})
	}
	width := c.share() + len(gap)
	label = min(label, width/2)
	column(c.k.Theme.Muted.Paint(x.label), label)
	for i, text := range x.texts {
		other, room := x.texts[max(1-i, 0)], width
		if i == 0 {
			room = width - label
		}
		words := []Word{{cmp.Or(text, "–"), text != other && text != ""}}
		if x.label == c.k.Say("Prompt") {
			words = unlessMost(Words(text, other))
		}
		column(markWords(c.k.Theme, c.colour(i), words), room)
	}
	g.Columns[len(cells)-1] = widget.GridColumn{Width: c.share()}
	g.Rows = [][]string{cells}
	return g.Lines()
}
