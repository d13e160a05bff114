package jobs

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Screen is the list of everything ever confirmed, and beside it, or instead of
// it where there is little room, the one that is selected.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int

	List   window
	filter widget.Line
	asking bool // the filter is being typed
	stale  bool // something changed while the screen was away
	shown  bool // the screen is in view
	full   bool // the selected job has the whole body

	detail detail
	table  []action.Action
	rows   rowCache

	body      string
	bodyValid bool
	leftLines []string
	lastAll   int
	repaint   bool // the room for the picture is another one: it has to be painted anew
}

func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b}
	s.detail.k, s.detail.backend = k, b
	s.rows.k = k
	s.List.fresh = true
	s.table = s.makeTable()
	return s
}

func (s *Screen) Actions() []action.Action { return s.table }
func (s *Screen) Typing() bool             { return s.asking }

func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	if s.stale || s.List.fresh {
		s.stale = false
		return s.reload(0)
	}
	return s.detail.want(s.Selected())
}

func (s *Screen) Blur() tea.Cmd {
	s.shown, s.asking = false, false
	s.dirty()
	return nil
}

// Ticking: a second is shown only while something in view is under way.
func (s *Screen) Ticking() bool {
	if !s.shown {
		return false
	}
	if s.full || s.List.rowsHigh == 0 {
		return s.detail.job.Phase.Active()
	}
	for _, r := range s.List.visible() {
		if r.Phase.Active() {
			return true
		}
	}
	return false
}

func (s *Screen) Resize(w, h int) {
	if w == s.w && h == s.h {
		return
	}
	s.w, s.h = w, h
	s.rows.drop()
	s.List.setHeight(max(h-2, 1))
	s.detail.resized()
	s.dirty()
	s.repaint = true
}

func (s *Screen) Restyle() {
	s.rows.drop()
	s.detail.drop()
	s.dirty()
}

func (s *Screen) dirty() { s.bodyValid = false }

// turn shows the detail alone, or beside the list.
func (s *Screen) turn(full bool) {
	s.full, s.repaint = full, true
	s.dirty()
}

// split is how the body is divided: left is the list, right the detail.
func (s *Screen) split() (left, right int) {
	left, right = widget.SplitPanes(s.w, 52, 46)
	if s.full {
		return 0, s.w
	}
	return left, right
}

func (s *Screen) Selected() string {
	if r, ok := s.List.current(); ok {
		return r.ID
	}
	return ""
}

// current is the row the actions are about.
func (s *Screen) current() (state.Row, bool) { return s.List.current() }

func (s *Screen) Update(message tea.Msg) tea.Cmd {
	cmd := s.answer(message)
	if s.repaint && s.shown {
		s.repaint = false
		return tea.Batch(cmd, s.detail.paint(s.detailSize()))
	}
	return cmd
}

func (s *Screen) answer(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case ListedMsg:
		return s.listed(m)
	case DetailedMsg:
		if s.detail.take(m) {
			s.dirty()
			return s.detail.paint(s.detailSize())
		}
	case detailDueMsg:
		return s.detail.due(m)
	case result.PaintedMsg:
		cmd, mine := s.detail.painted(m)
		if mine {
			s.dirty()
		}
		return cmd
	case msg.ArrivedMsg:
		if s.detail.arrived(m) {
			s.dirty()
		}
	case result.ComparedMsg:
		if m.Err == nil {
			o := result.NewCompare(s.k, m.Jobs, s.w, s.h)
			return msg.Sequence(msg.Open(o), o.Paint())
		}
	case msg.ChangedMsg:
		return s.changed(m)
	case msg.TickedMsg:
		if s.shown {
			s.rows.tick(m.At, s.List.visible())
			s.detail.tick(m.At)
			s.dirty()
		}
	case filterDueMsg:
		if m.seq == s.List.filterSeq {
			return s.reload(0)
		}
	case msg.PickedJobMsg:
		s.List.pick(m.ID)
		s.filter.Set("")
		s.turn(false)
		return s.reload(0)
	case msg.PreviewedMsg:
		s.List.pick(m.ID)
		s.turn(true)
		return s.reload(0)
	case tea.PasteMsg:
		if s.asking {
			s.filter.Insert(m.Content)
			return s.filterTyped()
		}
	case msg.ClickMsg:
		return s.clicked(m)
	case msg.WheelMsg:
		return s.wheeled(m)
	}
	return nil
}

// changed reads the window anew; jobs that came in front push it along.
func (s *Screen) changed(m msg.ChangedMsg) tea.Cmd {
	if m.Err != nil {
		return nil
	}
	grown := m.All - s.lastAll
	if s.lastAll == 0 || s.filter.Text() != "" {
		grown = 0
	}
	s.lastAll = m.All
	if !s.shown {
		s.stale = true
		return nil
	}
	var again tea.Cmd
	for _, id := range m.IDs {
		if id == s.detail.ID {
			again = s.detail.reload()
			break
		}
	}
	return tea.Batch(s.reload(max(grown, 0)), again)
}

// move selects another row and asks for what it needs.
func (s *Screen) move(to int) tea.Cmd {
	if !s.List.move(to) {
		return nil
	}
	s.dirty()
	var load tea.Cmd
	if s.List.short() {
		load = s.reload(0)
	}
	return tea.Batch(load, s.detail.want(s.Selected()))
}

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	left, _ := s.split()
	if m.X >= left || m.Y < 1 || m.Y > s.List.rowsHigh {
		return nil
	}
	to := s.List.top + m.Y - 1
	if to >= s.List.total {
		return nil
	}
	if to == s.List.at {
		return s.enter()
	}
	return s.move(to)
}

func (s *Screen) wheeled(m msg.WheelMsg) tea.Cmd {
	left, _ := s.split()
	if m.X < left {
		return s.move(s.List.at + 3*m.By)
	}
	s.detail.scroll(3 * m.By)
	s.dirty()
	return nil
}

func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch m.String() {
	case "enter", "down", "up":
		s.asking = false
		s.dirty()
		return nil, true
	case "esc":
		s.asking = false
		s.filter.Set("")
		return s.filterTyped(), true
	}
	before := s.filter.Text()
	if !s.filter.Edit(m) {
		return nil, false
	}
	if s.filter.Text() == before {
		s.dirty()
		return nil, true
	}
	return s.filterTyped(), true
}

// filterTyped asks for the filtered list when the typing pauses.
func (s *Screen) filterTyped() tea.Cmd {
	s.dirty()
	s.List.filterSeq++
	seq, ctx := s.List.filterSeq, s.k.Context
	return func() tea.Msg {
		env.Pause(ctx, 60*time.Millisecond)
		return filterDueMsg{seq}
	}
}

type filterDueMsg struct{ seq int }

func (s *Screen) Cursor() *tea.Cursor {
	if !s.asking {
		return nil
	}
	left, _ := s.split()
	x := 3 + len("/ ") + s.filter.Column() - s.filter.Offset(widget.FilterRoom(left))
	return tea.NewCursor(x, 0)
}

func (s *Screen) View() string {
	if s.bodyValid {
		return s.body
	}
	left, right := s.split()
	s.detail.title = ""
	if r, ok := s.current(); ok && r.ID == s.detail.ID {
		s.detail.title = r.Title
	}
	switch {
	case left == 0:
		s.body = strings.Join(s.detail.lines(right, s.h, true), "\n")
	case right == 0:
		s.body = strings.Join(s.listLines(left), "\n")
	default:
		s.body = widget.Beside(s.listLines(left), s.detail.lines(right, s.h, false))
	}
	s.bodyValid = true
	return s.body
}

// listLines draws the list's pane.
func (s *Screen) listLines(w int) []string {
	p := widget.Pane{Width: w, Height: s.h, Title: s.k.Say("Jobs"), Right: s.count(), Focus: true}
	if s.asking || s.filter.Text() != "" {
		p.Title = "/ " + s.filter.Window(widget.FilterRoom(w))
	}
	inner, high := p.Inner()
	lines := s.leftLines[:0]
	for i := range high {
		n := s.List.top + i
		if n >= s.List.total {
			break
		}
		r, ok := s.List.row(n)
		if !ok {
			lines = append(lines, s.k.Theme.Faint.Paint("  …"))
			continue
		}
		lines = append(lines, s.rows.draw(r, inner, n == s.List.at))
	}
	if s.List.total == 0 && !s.List.fresh {
		lines = append(lines, s.emptyLines(inner)...)
	}
	s.leftLines = lines
	return p.Lines(s.k.Theme, lines)
}

func (s *Screen) count() string {
	switch {
	case s.List.fresh, s.List.all == 0:
		return ""
	case s.filter.Text() != "":
		return s.k.Say("%s of %s", env.Thousands(s.List.total), env.Thousands(s.List.all))
	}
	return s.k.Say("all %s", env.Thousands(s.List.all))
}

func (s *Screen) emptyLines(w int) []string {
	t := s.k.Theme
	if s.filter.Text() != "" {
		return []string{"", t.Muted.Paint(cutTo(s.k.Say("No job matches. Press esc to see all of them."), w))}
	}
	return []string{"",
		t.Text.Paint(cutTo(s.k.Say("Nothing has been sent yet."), w)),
		t.Muted.Paint(cutTo(s.k.Say("Press 1 and write a prompt; every job you send stays here."), w)),
	}
}
