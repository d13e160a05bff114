package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
)

// jobs is the list of everything ever confirmed, and beside it, or instead of
// it where there is little room, the one that is selected.
type jobs struct {
	k       *kit
	backend jobsBackend
	w, h    int

	list   window
	filter line
	asking bool // the filter is being typed
	stale  bool // something changed while the screen was away
	shown  bool // the screen is in view
	full   bool // the selected job has the whole body

	detail detail
	table  []action
	rows   rowCache

	body      string
	bodyValid bool
	leftLines []string
	lastAll   int
	repaint   bool // the room for the picture is another one: it has to be painted anew
}

func newJobs(k *kit, b jobsBackend) *jobs {
	s := &jobs{k: k, backend: b}
	s.detail.k, s.detail.backend = k, b
	s.rows.k = k
	s.list.fresh = true
	s.table = s.makeTable()
	return s
}

func (s *jobs) actions() []action { return s.table }
func (s *jobs) typing() bool      { return s.asking }

func (s *jobs) focus() tea.Cmd {
	s.shown = true
	if s.stale || s.list.fresh {
		s.stale = false
		return s.reload(0)
	}
	return s.detail.want(s.selected())
}

func (s *jobs) blur() tea.Cmd {
	s.shown, s.asking = false, false
	s.dirty()
	return nil
}

// ticking: a second is shown only while something in view is under way.
func (s *jobs) ticking() bool {
	if !s.shown {
		return false
	}
	if s.full || s.list.rowsHigh == 0 {
		return s.detail.job.Phase.Active()
	}
	for _, r := range s.list.visible() {
		if r.Phase.Active() {
			return true
		}
	}
	return false
}

func (s *jobs) resize(w, h int) {
	if w == s.w && h == s.h {
		return
	}
	s.w, s.h = w, h
	s.rows.drop()
	s.list.setHeight(max(h-2, 1))
	s.detail.resized()
	s.dirty()
	s.repaint = true
}

func (s *jobs) restyle() {
	s.rows.drop()
	s.detail.drop()
	s.dirty()
}

func (s *jobs) dirty() { s.bodyValid = false }

// turn shows the detail alone, or beside the list.
func (s *jobs) turn(full bool) {
	s.full, s.repaint = full, true
	s.dirty()
}

// split is how the body is divided: left is the list, right the detail.
func (s *jobs) split() (left, right int) {
	left, right = splitPanes(s.w, 52, 46)
	if s.full {
		return 0, s.w
	}
	return left, right
}

func (s *jobs) selected() string {
	if r, ok := s.list.current(); ok {
		return r.ID
	}
	return ""
}

// current is the row the actions are about.
func (s *jobs) current() (state.Row, bool) { return s.list.current() }

func (s *jobs) update(message tea.Msg) tea.Cmd {
	cmd := s.answer(message)
	if s.repaint && s.shown {
		s.repaint = false
		return tea.Batch(cmd, s.detail.paint(s.detailSize()))
	}
	return cmd
}

func (s *jobs) answer(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case listedMsg:
		return s.listed(m)
	case detailedMsg:
		if s.detail.take(m) {
			s.dirty()
			return s.detail.paint(s.detailSize())
		}
	case detailDueMsg:
		return s.detail.due(m)
	case paintedMsg:
		cmd, mine := s.detail.painted(m)
		if mine {
			s.dirty()
		}
		return cmd
	case arrivedMsg:
		if s.detail.arrived(m) {
			s.dirty()
		}
	case comparedMsg:
		if m.err == nil {
			o := newCompare(s.k, m.jobs, s.w, s.h)
			return inOrder(open(o), o.paint())
		}
	case changedMsg:
		return s.changed(m)
	case tickedMsg:
		if s.shown {
			s.rows.tick(m.at, s.list.visible())
			s.detail.tick(m.at)
			s.dirty()
		}
	case filterDueMsg:
		if m.seq == s.list.filterSeq {
			return s.reload(0)
		}
	case pickedJobMsg:
		s.list.pick(m.id)
		s.filter.set("")
		s.turn(false)
		return s.reload(0)
	case previewedMsg:
		s.list.pick(m.id)
		s.turn(true)
		return s.reload(0)
	case tea.PasteMsg:
		if s.asking {
			s.filter.insert(m.Content)
			return s.filterTyped()
		}
	case clickMsg:
		return s.clicked(m)
	case wheelMsg:
		return s.wheeled(m)
	}
	return nil
}

// changed reads the window anew; jobs that came in front push it along.
func (s *jobs) changed(m changedMsg) tea.Cmd {
	if m.err != nil {
		return nil
	}
	grown := m.all - s.lastAll
	if s.lastAll == 0 || s.filter.text() != "" {
		grown = 0
	}
	s.lastAll = m.all
	if !s.shown {
		s.stale = true
		return nil
	}
	var again tea.Cmd
	for _, id := range m.ids {
		if id == s.detail.id {
			again = s.detail.reload()
			break
		}
	}
	return tea.Batch(s.reload(max(grown, 0)), again)
}

// move selects another row and asks for what it needs.
func (s *jobs) move(to int) tea.Cmd {
	if !s.list.move(to) {
		return nil
	}
	s.dirty()
	var load tea.Cmd
	if s.list.short() {
		load = s.reload(0)
	}
	return tea.Batch(load, s.detail.want(s.selected()))
}

func (s *jobs) clicked(m clickMsg) tea.Cmd {
	left, _ := s.split()
	if m.x >= left || m.y < 1 || m.y > s.list.rowsHigh {
		return nil
	}
	to := s.list.top + m.y - 1
	if to >= s.list.total {
		return nil
	}
	if to == s.list.at {
		return s.enter()
	}
	return s.move(to)
}

func (s *jobs) wheeled(m wheelMsg) tea.Cmd {
	left, _ := s.split()
	if m.x < left {
		return s.move(s.list.at + 3*m.by)
	}
	s.detail.scroll(3 * m.by)
	s.dirty()
	return nil
}

func (s *jobs) edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch m.String() {
	case "enter", "down", "up":
		s.asking = false
		s.dirty()
		return nil, true
	case "esc":
		s.asking = false
		s.filter.set("")
		return s.filterTyped(), true
	}
	before := s.filter.text()
	if !s.filter.edit(m) {
		return nil, false
	}
	if s.filter.text() == before {
		s.dirty()
		return nil, true
	}
	return s.filterTyped(), true
}

// filterTyped asks for the filtered list when the typing pauses.
func (s *jobs) filterTyped() tea.Cmd {
	s.dirty()
	s.list.filterSeq++
	seq, ctx := s.list.filterSeq, s.k.ctx
	return func() tea.Msg {
		pause(ctx, 60*time.Millisecond)
		return filterDueMsg{seq}
	}
}

type filterDueMsg struct{ seq int }

func (s *jobs) cursor() *tea.Cursor {
	if !s.asking {
		return nil
	}
	left, _ := s.split()
	x := 3 + len("/ ") + s.filter.column() - s.filter.offset(filterRoom(left))
	return tea.NewCursor(x, 0)
}

func (s *jobs) view() string {
	if s.bodyValid {
		return s.body
	}
	left, right := s.split()
	s.detail.title = ""
	if r, ok := s.current(); ok && r.ID == s.detail.id {
		s.detail.title = r.Title
	}
	switch {
	case left == 0:
		s.body = strings.Join(s.detail.lines(right, s.h, true), "\n")
	case right == 0:
		s.body = strings.Join(s.listLines(left), "\n")
	default:
		s.body = beside(s.listLines(left), s.detail.lines(right, s.h, false))
	}
	s.bodyValid = true
	return s.body
}

// listLines draws the list's pane.
func (s *jobs) listLines(w int) []string {
	p := pane{w: w, h: s.h, title: s.k.say("Jobs"), right: s.count(), focus: true}
	if s.asking || s.filter.text() != "" {
		p.title = "/ " + s.filter.window(filterRoom(w))
	}
	inner, high := p.inner()
	lines := s.leftLines[:0]
	for i := range high {
		n := s.list.top + i
		if n >= s.list.total {
			break
		}
		r, ok := s.list.row(n)
		if !ok {
			lines = append(lines, s.k.theme.Faint.Paint("  …"))
			continue
		}
		lines = append(lines, s.rows.draw(r, inner, n == s.list.at))
	}
	if s.list.total == 0 && !s.list.fresh {
		lines = append(lines, s.emptyLines(inner)...)
	}
	s.leftLines = lines
	return p.lines(s.k.theme, lines)
}

func (s *jobs) count() string {
	switch {
	case s.list.fresh, s.list.all == 0:
		return ""
	case s.filter.text() != "":
		return s.k.say("%s of %s", thousands(s.list.total), thousands(s.list.all))
	}
	return s.k.say("all %s", thousands(s.list.all))
}

func (s *jobs) emptyLines(w int) []string {
	t := s.k.theme
	if s.filter.text() != "" {
		return []string{"", t.Muted.Paint(cutTo(s.k.say("No job matches. Press esc to see all of them."), w))}
	}
	return []string{"",
		t.Text.Paint(cutTo(s.k.say("Nothing has been sent yet."), w)),
		t.Muted.Paint(cutTo(s.k.say("Press 1 and write a prompt; every job you send stays here."), w)),
	}
}
