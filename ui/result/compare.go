package result

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// mostCompared is how many results are shown side by side.
const mostCompared = 4

// compare is an overlay that shows two to four jobs side by side: their
// pictures, and below them a table of what their requests differ in. It is a
// place for the verbs, which are about the column that is chosen.
type compare struct {
	widget.Passive
	k       *env.Env
	backend Backend
	from    Place // where the jobs were chosen
	verbs   *Verbs
	columns []column
	at      int // the chosen column
	w, h    int // of the body
	table   widget.Scroll
	// pictureRows is how many lines the pictures have.
	pictureRows int
	actions     []action.Action
}

type column struct {
	job     state.Job
	preview Preview
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
	case len(ids) > mostCompared:
		return v.hint(v.k.Say("At most %d results can be compared: %d are marked.", mostCompared, len(ids)))
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
	c := &compare{k: v.k, backend: v.backend, from: v.place, w: v.w, h: v.h}
	for _, j := range jobs {
		c.columns = append(c.columns, column{job: j})
	}
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
	c.arrange()
	return msg.Sequence(msg.Open(c), c.paint())
}

// Row is the job of the chosen column.
func (c *compare) Row() (state.Row, bool) { return RowOf(&c.columns[c.at].job), true }

// Job is the same.
func (c *compare) Job() (state.Job, bool) { return c.columns[c.at].job, true }

// File is the first: it is the one that is compared.
func (c *compare) File() int { return 0 }

// Move chooses another column.
func (c *compare) Move(by int) tea.Cmd {
	c.at = max(min(c.at+by, len(c.columns)-1), 0)
	return nil
}

// Enter shows the chosen column's result full screen.
func (c *compare) Enter(zoom bool) tea.Cmd {
	return OpenFullScreen(c.k, c.backend, c, &Marks{}, zoom)
}

// SetRating shows a rating, here and where the jobs were chosen.
func (c *compare) SetRating(id string, r state.Rating) {
	for i := range c.columns {
		if c.columns[i].job.ID == id {
			c.columns[i].job.Rating = r
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

func (c *compare) back() tea.Cmd {
	var cmds []tea.Cmd
	for i := range c.columns {
		cmds = append(cmds, c.columns[i].preview.Close())
	}
	return tea.Batch(append(cmds, msg.CloseTop)...)
}

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
	for i := range c.columns {
		c.columns[i].preview.Update(message)
	}
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		c.w, c.h = bodySize(m)
		c.arrange()
		cmds = append(cmds, c.paint())
	case msg.ClickMsg:
		if at := (m.X - 2) / (c.share() + len(gap)); at >= 0 && at < len(c.columns) {
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
	n := len(c.columns)
	return max((c.w-4-(n-1)*len(gap))/n, 10)
}

// pictureRoom is how many lines the pictures have above a table of so many
// lines: what that leaves, and three fifths at least.
func (c *compare) pictureRoom(table int) int {
	files := 0
	for i := range c.columns {
		files += len(c.columns[i].job.Files)
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
	var cmds []tea.Cmd
	for i := range c.columns {
		if one := &c.columns[i]; len(one.job.Files) > 0 {
			cmds = append(cmds, one.preview.Want(c.k, Thumb{Path: one.job.Files[0].Path, Cols: c.share(), Rows: c.pictureRows}))
		}
	}
	return tea.Batch(cmds...)
}
