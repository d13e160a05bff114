package tools

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

func (s *Screen) table() []action.Action {
	const far = 1 << 20
	key := func(k ...string) []string { return k }
	return []action.Action{
		{Name: "stop_call", Keys: key("ctrl+x"), Label: "stop the call", Handler: s.stop, Disabled: s.whyNotStopped, Always: true},
		{Name: "call_tool", Keys: key("ctrl+s"), Label: "call the tool", Handler: s.review, Disabled: s.whyNotCalled,
			Always: true, Confirms: true},
		{Name: "fill_in", Keys: key("enter"), Label: "fill in", Handler: s.fillIn, Disabled: s.whyNotFilledIn},
		{Name: "next_field", Keys: key("tab"), Label: "next field or pane", Handler: s.step(1), Disabled: s.whyNoTool, Hidden: true},
		{Name: "previous_field", Keys: key("shift+tab"), Label: "previous field or pane", Handler: s.step(-1),
			Disabled: s.whyNoTool, Hidden: true},
		{Name: "copy_answer", Keys: key("y"), Label: "copy the answer", Handler: s.copyAnswer, Disabled: s.whyNoAnswer},
		{Name: "open_file", Keys: key("o"), Label: "open the file", Handler: s.openFile, Disabled: s.whyNoFile},
		{Name: "clients", Keys: key("c"), Label: "set up other programs", Handler: s.showClients, Disabled: s.whyNoEntry},
		{Name: "schema", Keys: key("v"), Label: "arguments and schema", Handler: s.showSchema, Disabled: s.whyNoTool, Hidden: true},
		{Name: "refresh", Keys: key("r"), Label: "refresh", Handler: s.refresh, Hidden: true},
		{Name: "next", Keys: key("down", "j"), Display: "j/k", Label: "next", Hidden: true, Handler: s.move(1)},
		{Name: "previous", Keys: key("up", "k"), Label: "previous", Hidden: true, Handler: s.move(-1)},
		{Name: "next_page", Keys: key("pgdown", "space"), Label: "next page", Hidden: true, Handler: s.move(10)},
		{Name: "previous_page", Keys: key("pgup"), Label: "previous page", Hidden: true, Handler: s.move(-10)},
		{Name: "first", Keys: key("g", "home"), Label: "first", Hidden: true, Handler: s.move(-far)},
		{Name: "last", Keys: key("G", "shift+g", "end"), Label: "last", Hidden: true, Handler: s.move(far)},
		{Name: "back", Keys: key("esc"), Label: "back", Hidden: true, Handler: s.back},
	}
}

// fillIn goes to the arguments of the selected tool.
func (s *Screen) fillIn() tea.Cmd {
	s.on = onForm
	return nil
}

// step goes over the list, the arguments and the answer.
func (s *Screen) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		panes := 2
		if s.answer() != nil || s.running() {
			panes = 3
		}
		s.on = pane((int(s.on) + by + panes) % panes)
		return nil
	}
}

func (s *Screen) back() tea.Cmd {
	if s.on == onAnswer && s.narrow() && !s.editor().takes.None {
		s.on = onForm
	} else {
		s.on = onList
	}
	return nil
}

// move goes over the tools, or scrolls the answer.
func (s *Screen) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.on == onList {
			s.list.rows.Move(by)
		} else {
			s.scroll(by)
		}
		return nil
	}
}

// scroll scrolls the answer in view.
func (s *Screen) scroll(by int) {
	if a := s.answer(); a != nil && s.place.answerHigh > 0 {
		a.scroll.By(by)
	}
}

// inList reports whether a cell of the screen is in the pane of tools.
func (s *Screen) inList(x int) bool {
	left, _ := s.toolPane()
	return x < left || s.narrow() && s.on == onList
}

// inForm reports whether a line of the screen is one of the arguments.
func (s *Screen) inForm(y int) bool {
	y -= 1 + s.place.formAt
	return y >= 0 && y < s.place.formHigh
}

func (s *Screen) clicked(m msg.ClickMsg) {
	left, _ := s.toolPane()
	switch l := s.place; {
	case s.inList(m.X):
		s.clickedList(m.Y)
	case s.inForm(m.Y):
		if s.editor().Click(m.X-left-2, m.Y-1-l.formAt) {
			s.on = onForm
		}
	case l.answerHigh > 0 && m.Y >= l.answerAt && s.answer() != nil:
		s.on = onAnswer
	}
}

// clickedList selects the tool under a click; a second one opens its arguments
// where they have a page of their own.
func (s *Screen) clickedList(y int) {
	row, ok := s.list.rows.RowAt(y)
	if !ok {
		return
	}
	same := !s.list.rows.Select(row) && s.on == onList
	s.on = onList
	if same && s.narrow() {
		s.on = onForm
	}
}

func (s *Screen) wheeled(m msg.WheelMsg) {
	switch {
	case s.inList(m.X):
		s.list.rows.Scroll(m.By)
	case s.inForm(m.Y):
		s.editor().Wheel(m.Y-1-s.place.formAt, m.By)
	default:
		s.scroll(3 * m.By)
	}
}

func (s *Screen) whyNoTool() string {
	return s.k.SayIf(len(s.list.box.Tools) == 0, "There is no tool to choose.")
}

func (s *Screen) whyNotFilledIn() string {
	return cmp.Or(s.k.SayIf(s.on != onList, "Press esc to go back to the tools."), s.whyNoTool())
}

// whyTyping: letters are for the field being written in.
func (s *Screen) whyTyping() string {
	return s.k.SayIf(s.Typing(), "Press esc to leave the form first.")
}

func (s *Screen) whyNoEntry() string {
	return cmp.Or(s.whyTyping(), s.k.SayIf(s.list.box.Address == "", "The tool entry was not found yet."))
}

func (s *Screen) showClients() tea.Cmd { return msg.Open(newClients(s.k, s.list.box.Address)) }

// showSchema shows the whole description, the arguments as they would be sent,
// and the tool's schema.
func (s *Screen) showSchema() tea.Cmd {
	k, t := s.k, s.list.selected()
	args := widget.Pretty([]byte(s.editor().text.Value()))
	parts := []string{t.Description.String(), k.Say("Current arguments"), args, k.Say("Schema"), widget.Pretty(t.Schema)}
	if t.Description.IsZero() {
		parts = parts[1:]
	}
	return msg.Open(widget.NewReader(k, t.Label(), strings.Join(parts, "\n\n")))
}
