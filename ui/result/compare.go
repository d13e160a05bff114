package result

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// compare is an overlay that shows two jobs side by side: their pictures, and
// below them a table of what their requests differ in.
type compare struct {
	k        *env.Env
	jobs     [2]state.Job
	previews [2]Preview
	w, h     int // of the body
	table    widget.Scroll
	// pictureRows is how many lines the pictures have.
	pictureRows int
	actions     []action.Action
	box         widget.Memo[compareKey, string]
}

// compareKey is all that the drawing depends on.
type compareKey struct {
	w, h, offset int
	body         [2]int
	previews     [2]int
	theme        *theme.Theme
	lang         string
}

// comparedMsg brings the jobs that are to be compared.
type comparedMsg struct {
	asker *Verbs
	jobs  []state.Job
	err   error
}

// Failed is why they could not be read.
func (m comparedMsg) Failed() error { return m.err }

// compare shows the marked results side by side. Without marks it marks the
// chosen one, and shows the two at the next one.
func (v *Verbs) compare() tea.Cmd {
	id, ids := v.chosen(), v.marks.IDs()
	switch {
	case len(ids) == 0:
		v.marks.Toggle(id)
		return v.hint(v.k.Say("Marked. Press c on another job to see the two side by side."))
	case len(ids) == 1 && ids[0] == id:
		v.marks.Clear()
		return v.hint(v.k.Say("No longer marked."))
	case len(ids) == 1:
		ids = append(ids, id)
		v.marks.Clear()
	}
	asker := v
	ctx, backend := v.k.Context, v.backend
	return func() tea.Msg {
		m := comparedMsg{asker: asker}
		for _, id := range ids[:2] {
			job, err := backend.Job(ctx, id)
			if m.err = err; err != nil {
				break
			}
			m.jobs = append(m.jobs, job)
		}
		if ctx.Err() != nil {
			return nil
		}
		return m
	}
}

// openCompare opens the overlay over the body.
func openCompare(v *Verbs, jobs []state.Job) tea.Cmd {
	k := v.k
	c := &compare{k: k, jobs: [2]state.Job(jobs), w: v.w, h: v.h}
	c.actions = []action.Action{
		{Name: "back", Keys: []string{"esc", "q", "c"}, Display: "esc", Label: "back", Handler: c.back},
		{Name: "scroll_down", Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Handler: c.scroll(1)},
		{Name: "scroll_up", Keys: []string{"up", "k"}, Label: "scroll up", Hidden: true, Handler: c.scroll(-1)},
		{Name: "next_page", Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: c.page(1)},
		{Name: "previous_page", Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: c.page(-1)},
	}
	c.arrange()
	return msg.Sequence(msg.Open(c), c.paint())
}

// Actions are the overlay's keys.
func (c *compare) Actions() []action.Action { return c.actions }

// Typing is false: there is no field.
func (c *compare) Typing() bool { return false }

// Edit takes no key.
func (c *compare) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

// Cursor is nil: there is no field.
func (c *compare) Cursor() *tea.Cursor { return nil }

// Restyle writes the table with the styles and words of now.
func (c *compare) Restyle() { c.arrange() }

func (c *compare) back() tea.Cmd {
	return tea.Batch(c.k.Erase(c.previews[0].ID()), c.k.Erase(c.previews[1].ID()), msg.CloseTop)
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

// Update takes sizes, pictures and the wheel.
func (c *compare) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		c.w, c.h = body.W, body.H
		c.arrange()
		return c.paint()
	case PaintedMsg:
		var cmds []tea.Cmd
		for i := range c.previews {
			if cmd, mine := c.previews[i].Painted(m); mine {
				cmds = append(cmds, cmd)
			}
		}
		return tea.Batch(cmds...)
	case msg.ArrivedMsg:
		for i := range c.previews {
			c.previews[i].Arrived(m)
		}
	case msg.WheelMsg:
		c.table.By(3 * m.By)
	}
	return nil
}

// arrange writes the table for the size, styles and words of now, and divides
// the lines between it and the pictures.
func (c *compare) arrange() {
	lines := c.tableLines()
	c.pictureRows = c.pictureRoom(len(lines))
	c.table.SetSize(c.w-4, c.tableRows())
	c.table.SetLines(lines)
}

// gap are the blanks between the two jobs.
const gap = "  "

// half is how many cells each job has.
func (c *compare) half() int { return max((c.w-4-len(gap))/2, 10) }

// pictureRoom is how many lines the pictures have above a table of so many
// lines: what that leaves, and three fifths at least.
func (c *compare) pictureRoom(table int) int {
	if c.k.Painter == nil || len(c.jobs[0].Files)+len(c.jobs[1].Files) == 0 {
		return 0
	}
	return max((c.h-4)*3/5, c.h-5-table, 3)
}

// tableRows is how many lines of the table are in view, below two lines of
// titles, the pictures and a rule.
func (c *compare) tableRows() int { return max(c.h-5-c.pictureRows, 1) }

// paint asks for both pictures at the size there is for them.
func (c *compare) paint() tea.Cmd {
	var cmds []tea.Cmd
	for i := range c.jobs {
		if len(c.jobs[i].Files) > 0 {
			cmds = append(cmds, c.previews[i].Want(c.k, c.jobs[i].Files[0].Path, c.half(), c.pictureRows))
		}
	}
	return tea.Batch(cmds...)
}

// Box draws the overlay.
func (c *compare) Box(w, h int) string {
	key := compareKey{w, h, c.table.Offset(), [2]int{c.w, c.h}, [2]int{c.previews[0].Edits(), c.previews[1].Edits()}, c.k.Theme, c.k.Words.Lang()}
	return c.box.Get(key, func() string { return c.draw(w, h) })
}

func (c *compare) draw(w, h int) string {
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true}
	if below := c.table.Below(); below > 0 {
		p.Foot = c.k.Say("↓ %d more lines", below)
	}
	lines := c.titles()
	first, second := c.pictureLines(0), c.pictureLines(1)
	for y := range c.pictureRows {
		lines = append(lines, c.beside(centred(first, y, c.pictureRows), centred(second, y, c.pictureRows)))
	}
	lines = append(lines, widget.Divide(c.k.Say("Different")))
	lines = append(lines, c.table.Lines()...)
	inner, _ := p.Inner()
	for i := range lines {
		lines[i] = theme.Cut(lines[i], inner) // the size may be newer than the message that tells it
	}
	return strings.Join(p.Lines(c.k.Theme, lines), "\n")
}

// beside puts two painted parts next to each other.
func (c *compare) beside(a, b string) string { return theme.Fit(a, c.half()) + gap + b }

// titles are the titles of the jobs and how each ended.
func (c *compare) titles() []string {
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

// pictureLines are the picture of job i, or why there is none.
func (c *compare) pictureLines(i int) []string {
	p := &c.previews[i]
	text := p.Why
	if len(c.jobs[i].Files) == 0 {
		text = c.k.Say("no file")
	}
	if text != "" {
		f := widget.Facts{Width: c.half(), Theme: c.k.Theme}
		f.Wrapped(c.k.Theme.Muted, text)
		return f.Lines
	}
	lines := make([]string, len(p.Lines))
	for y, l := range p.Lines {
		lines[y] = theme.Blank((c.half()-theme.Width(l))/2) + l
	}
	return lines
}

// centred is line y of a block that stands in the middle of so many lines.
func centred(block []string, y, lines int) string {
	if y -= max(lines-len(block), 0) / 2; y >= 0 && y < len(block) {
		return block[y]
	}
	return ""
}
