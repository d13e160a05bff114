package result

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

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
	actions     []action.Action
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
	return v.ask(func(ctx context.Context) (func(*Verbs) tea.Cmd, error) {
		var jobs []state.Job
		for _, id := range ids {
			job, err := backend.Job(ctx, id)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, job)
		}
		return func(v *Verbs) tea.Cmd { return v.openCompare(jobs) }, nil
	})
}

// openCompare opens the overlay over the body.
func (v *Verbs) openCompare(jobs []state.Job) tea.Cmd {
	c := &compare{k: v.k, backend: v.backend, from: v.place, jobs: jobs, thumbs: NewThumbs(v.k)}
	c.verbs = NewVerbs(v.k, v.backend, c, &Marks{}, func() bool { return true })
	c.actions = []action.Action{
		{Name: "back", Keys: []string{"esc", "q", "c"}, Display: "esc", Label: "back", Handler: c.back},
		{Name: "next_result", Keys: []string{"right", "l", "tab"}, Display: "←/→", Label: "choose", Handler: c.choose(1)},
		{Name: "previous_result", Keys: []string{"left", "h", "shift+tab"}, Label: "previous result", Hidden: true, Handler: c.choose(-1)},
		{Name: "scroll_down", Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Handler: c.scroll(1)},
		{Name: "scroll_up", Keys: []string{"up", "k"}, Label: "scroll up", Hidden: true, Handler: c.scroll(-1)},
		{Name: "next_page", Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: c.page(1)},
		{Name: "previous_page", Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: c.page(-1)},
	}
	for _, verb := range v.table {
		switch verb.Name {
		case "compare", "mark", "settle", "hide":
			continue // the marks are those of the place
		}
		c.actions = append(c.actions, *action.Named(c.verbs.table, verb.Name))
	}
	c.actions = action.First(c.actions, "back", "next_result", "favourite", "reject", "full_screen")
	return msg.Open(c)
}

// Row is the job of the chosen column.
func (c *compare) Row() (state.Row, bool) { return RowOf(&c.jobs[c.at]), true }

// Job is the same.
func (c *compare) Job() (state.Job, bool) { return c.jobs[c.at], true }

// File is the first: it is the one that is compared.
func (c *compare) File() int { return 0 }

// Move chooses another column.
func (c *compare) Move(by int) tea.Cmd {
	c.at = max(min(c.at+by, len(c.jobs)-1), 0)
	return nil
}

// Enter shows the chosen column's result full screen.
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

// Actions are the overlay's keys.
func (c *compare) Actions() []action.Action { return c.actions }

// Whole is true: help and the list of all actions can be opened from here.
func (c *compare) Whole() bool { return true }

// Restyle writes the table with the styles and words of now.
func (c *compare) Restyle() { c.arrange() }

func (c *compare) back() tea.Cmd { return tea.Batch(c.thumbs.Want(nil), msg.CloseTop) }

func (c *compare) choose(by int) func() tea.Cmd {
	return func() tea.Cmd { return c.Move(by) }
}

func (c *compare) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		c.table.By(by)
		return nil
	}
}

func (c *compare) page(by int) func() tea.Cmd {
	return func() tea.Cmd {
		c.table.By(by * max(c.tableRows()-1, 1))
		return nil
	}
}

// Update takes sizes, pictures, the mouse and answers to the verbs.
func (c *compare) Update(message tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{c.verbs.Update(message)}
	c.thumbs.Update(message)
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		c.w, c.h = bodySize(m)
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
	lines := c.tableLines()
	c.pictureRows = c.pictureRoom(len(lines))
	c.table.SetSize(c.w-4, c.tableRows())
	c.table.SetLines(lines)
}

// gap are the blanks between two jobs.
const gap = "  "

// share is how many cells each job has.
func (c *compare) share() int {
	n := len(c.jobs)
	return max((c.w-4-(n-1)*len(gap))/n, 10)
}

// pictureRoom is how many lines the pictures have above a table of so many
// lines: what that leaves, and three fifths at least.
func (c *compare) pictureRoom(table int) int {
	files := 0
	for i := range c.jobs {
		files += len(c.jobs[i].Files)
	}
	if c.k.Painter == nil || files == 0 {
		return 0
	}
	return max((c.h-4)*3/5, c.h-5-table, 3)
}

// tableRows is how many lines of the table are in view, below two lines of
// titles, the pictures and a rule.
func (c *compare) tableRows() int { return max(c.h-5-c.pictureRows, 1) }

// paint asks for the pictures at the size there is for them.
func (c *compare) paint() tea.Cmd {
	var all []Thumb
	for i := range c.jobs {
		all = append(all, c.thumb(i))
	}
	return c.thumbs.Want(all)
}

// thumb is the picture of job i.
func (c *compare) thumb(i int) Thumb {
	return Thumb{Path: RowOf(&c.jobs[i]).File, Cols: c.share(), Rows: c.pictureRows}
}

// Box draws the overlay.
func (c *compare) Box(w, h int) string {
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true, Foot: widget.More(c.k, 0, c.table.Below())}
	lines := c.titles()
	pictures := make([][]string, len(c.jobs))
	for i := range c.jobs {
		pictures[i] = c.pictureLines(i)
	}
	for y := range c.pictureRows {
		lines = append(lines, c.beside(func(i int) string { return centred(pictures[i], y, c.pictureRows) }))
	}
	lines = append(lines, widget.Divide(c.k.Say("Different")))
	lines = append(lines, c.table.Lines()...)
	inner, _ := p.Inner()
	for i := range lines {
		lines[i] = theme.Cut(lines[i], inner) // the size may be newer than the message that tells it
	}
	return strings.Join(p.Lines(c.k.Theme, lines), "\n")
}

// beside puts a painted part of each job next to each other.
func (c *compare) beside(part func(i int) string) string {
	var b strings.Builder
	for i := range c.jobs {
		if i > 0 {
			b.WriteString(gap)
		}
		b.WriteString(theme.Fit(part(i), c.share()))
	}
	return b.String()
}

// titles are the titles of the jobs, and how each ended and is rated.
func (c *compare) titles() []string {
	k, t := c.k, c.k.Theme
	title := func(i int) string {
		if i == c.at {
			return t.Accent.Paint("▸ ") + t.Strong.Paint(theme.Cut(c.jobs[i].Title, c.share()-2))
		}
		return "  " + t.Text.Paint(theme.Cut(c.jobs[i].Title, c.share()-2))
	}
	end := func(i int) string {
		j := &c.jobs[i]
		look := widget.PhaseLook(j.Phase)
		return "  " + widget.PhaseStyle(&t.Styles, j.Phase).Paint(look.Mark+" "+k.Say(look.Word)) + "  " + t.Muted.Paint(k.Stamp(j.CreatedAt)) +
			"  " + t.Accent.Paint(RatingText(j.Rating))
	}
	return []string{c.beside(title), c.beside(end)}
}

// pictureLines are the picture of job i, or why there is none.
func (c *compare) pictureLines(i int) []string {
	text := c.thumbs.Why(c.thumb(i))
	if len(c.jobs[i].Files) == 0 {
		text = c.k.Say("no file")
	}
	if text != "" {
		f := widget.Facts{Width: c.share(), Theme: c.k.Theme}
		f.Wrapped(c.k.Theme.Muted, text)
		return f.Lines
	}
	lines, _ := c.thumbs.Lines(c.thumb(i))
	return lines
}

// aspect is one thing that can be compared, in words, for each of the jobs.
type aspect struct {
	label string
	texts []string
}

// aspects are all that at least one of the jobs has, the prompt first.
func (c *compare) aspects() []aspect {
	k := c.k
	of := func(label string, text func(j *state.Job) string) aspect {
		x := aspect{label: label}
		for i := range c.jobs {
			x.texts = append(x.texts, text(&c.jobs[i]))
		}
		return x
	}
	asked := func(label string, text func(r api.Request) string) aspect {
		return of(label, func(j *state.Job) string { return text(j.Request) })
	}
	all := []aspect{
		asked(k.Say("Prompt"), func(r api.Request) string { return r.Prompt }),
		asked(k.Say("Model"), func(r api.Request) string { return r.Model }),
		asked(k.Say("Mode"), func(r api.Request) string { return modeWord(k, r) }),
	}
	fields := api.Settings("")
	for _, f := range api.Fields("") {
		if f.Shape == api.ShapeURL && f.Max == 0 {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		all = append(all, asked(k.Say(f.Label), func(r api.Request) string { return f.Text(&r) }))
	}
	all = append(all, asked(k.Say("Materials"), materialsText), of(k.Say("Credits"), c.creditsText), of(k.Say("Took"), tookText))
	return slices.DeleteFunc(all, func(x aspect) bool {
		return !slices.ContainsFunc(x.texts, func(s string) bool { return s != "" })
	})
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

func materialsText(r api.Request) string {
	return strings.Join(slices.Concat(r.ImageFiles, r.VideoFiles, r.AudioFiles), "\n")
}

// creditsText is what a job cost, with the difference to the first one.
func (c *compare) creditsText(j *state.Job) string {
	if !j.Estimate.Known() {
		return ""
	}
	text := c.k.Say("%s cr", env.Amount(j.Estimate.Credits))
	first := &c.jobs[0]
	if j.ID == first.ID || !first.Estimate.Known() {
		return text
	}
	switch by := j.Estimate.Credits - first.Estimate.Credits; {
	case by > 0:
		text += " (+" + env.Amount(by) + ")"
	case by < 0:
		text += " (−" + env.Amount(-by) + ")"
	}
	return text
}

func tookText(j *state.Job) string {
	if j.EndedAt.IsZero() || j.SentAt.IsZero() {
		return ""
	}
	return env.Short(j.EndedAt.Sub(j.SentAt))
}

// tableLines are what differs, side by side, and below it what is the same.
func (c *compare) tableLines() []string {
	k, t := c.k, c.k.Theme
	f := widget.Facts{Width: c.w - 4, Theme: t}
	var same []string
	var different []aspect
	label := 0
	for _, x := range c.aspects() {
		if !slices.ContainsFunc(x.texts, func(s string) bool { return s != x.texts[0] }) {
			same = append(same, x.label+" "+theme.Cut(api.Clean(api.OneLine(x.texts[0]), 200).String(), 40))
			continue
		}
		different = append(different, x)
		label = max(label, theme.Width(x.label)+len(gap))
	}
	for _, x := range different {
		if len(c.jobs) > 2 {
			f.Painted(t.Muted.Paint(x.label))
			f.Lines = append(f.Lines, c.renderRow(x, 0)...)
		} else {
			f.Lines = append(f.Lines, c.renderRow(x, label)...)
		}
	}
	if len(f.Lines) == 0 {
		f.Painted(t.Muted.Paint(k.Say("The requests are identical.")))
	}
	if len(same) > 0 {
		f.Gap()
		f.Painted(t.Strong.Paint(k.Say("The same")))
		f.Joined(t.Muted, same)
	}
	return f.Lines
}

// renderRow sets the texts of an aspect in columns, each below its picture. Of
// two jobs the label stands in a column of its own, which takes the room from the
// first one's. What the first text does not have is marked in the others, and in
// the first what the second does not have.
func (c *compare) renderRow(x aspect, label int) []string {
	var cells []string
	widths := make([]int, 0, len(x.texts)+1)
	if label > 0 {
		cells, widths = append(cells, c.k.Theme.Muted.Paint(x.label)), append(widths, label)
	}
	for i, text := range x.texts {
		other := x.texts[0]
		if i == 0 {
			other = x.texts[1]
		}
		cells, widths = append(cells, markWords(c.k.Theme, text, other)), append(widths, c.share()+len(gap))
	}
	last := len(cells) - 1
	widths[last] = c.share()
	if label > 0 {
		widths[1] = max(widths[1]-label, 8)
	}
	return strings.Split(table.New().Row(cells...).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(_, column int) lipgloss.Style {
			style := lipgloss.NewStyle().Width(widths[column])
			if column == last {
				return style
			}
			return style.PaddingRight(len(gap))
		}).Render(), "\n")
}
