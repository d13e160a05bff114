package tools

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// table is what can be done on the screen, the most important first.
func (s *Screen) table() []action.Action {
	const far = 1 << 20
	by := func(do func(int), n int) func() tea.Cmd { return func() tea.Cmd { do(n); return nil } }
	return []action.Action{
		{Name: "stop_call", Keys: "ctrl+x", Label: "stop the call", Handler: s.stop, Always: true,
			Disabled: func() string { return s.k.SayIf(s.call == nil, "No tool is being called.") }},
		{Name: "call_tool", Keys: "ctrl+s", Label: "call the tool", Handler: s.review, Disabled: s.whyNotCalled, Always: true, Confirms: true},
		{Name: "fill_in", Keys: "enter", Label: "fill in",
			Handler: by(s.step, 1), Disabled: func() string {
				return cmp.Or(s.k.SayIf(s.on != onList, "Press esc to go back to the tools."), s.whyNoTool())
			}},
		{Name: "as_json", Keys: "ctrl+t", Label: "fields or JSON", Handler: s.asJSON, Always: true, Disabled: s.whyNoTool,
			Offer: func() bool { return s.on == onForm && len(s.editor().fields) > 0 }},
		{Name: "next_field", Keys: "tab", Label: "next field", Offer: func() bool { return s.on == onForm },
			Handler: by(s.step, 1), Disabled: s.whyNoTool, Always: true},
		{Name: "previous_field", Keys: "shift+tab", Label: "previous field or pane",
			Handler: by(s.step, -1), Disabled: s.whyNoTool, Hidden: true, Always: true},
		{Name: "back", Keys: "esc", Label: "back", Handler: s.back, Offer: func() bool { return s.on != onList }, Always: true},
		{Name: "copy_answer", Keys: "y", Label: "copy the response",
			Disabled: s.whyNoAnswer, Handler: func() tea.Cmd {
				return tea.Batch(tea.SetClipboard(s.answer().text), msg.Notify(msg.ToneGood, s.k.Say("Copied.")))
			}},
		{Name: "open_file", Keys: "o", Label: "open the file",
			Handler: s.openFile, Disabled: s.whyNoFile},
		{Name: "clients", Keys: "c", Label: "set up other programs",
			Handler: func() tea.Cmd { return openClients(s.k, s.list.box.Address) }, Disabled: func() string {
				return cmp.Or(s.whyTyping(), s.k.SayIf(s.list.box.Address == "", "The tool entry was not found yet."))
			}},
		{Name: "schema", Keys: "v", Label: "arguments and schema",
			Handler: s.showSchema, Disabled: s.whyNoTool, Hidden: true},
		{Name: "refresh", Keys: "r", Label: "refresh", Handler: s.refresh, Hidden: true},
		widget.Moving("next", "j/k", "choose", by(s.move, 1), "down j"),
		widget.Moving("previous", "", "previous", by(s.move, -1), "up k"),
		widget.Moving("next_page", "pgdown/pgup", "page", by(s.move, 10), "pgdown space"),
		widget.Moving("previous_page", "", "previous page", by(s.move, -10), "pgup"),
		widget.Moving("first", "home/end", "first or last", by(s.move, -far), "g home"),
		widget.Moving("last", "", "last", by(s.move, far), "G shift+g end"),
	}
}

// step goes over the list, the arguments and the answer.
func (s *Screen) step(by int) {
	if s.on == onForm && s.editor().Step(by, false) {
		return
	}
	panes := onAnswer
	if s.answer() != nil || s.running() {
		panes++
	}
	s.on = (s.on + pane(by) + panes) % panes
}

// back goes to the list; in a narrow window from the answer to the arguments first.
func (s *Screen) back() tea.Cmd {
	if esc := (tea.KeyPressMsg{Code: tea.KeyEscape}); s.on == onForm && s.editor().Key(esc) {
		return nil // it closed a list
	}
	inAnswer := s.on == onAnswer && s.narrow() && !s.editor().takes.None
	if s.on = onList; inAnswer {
		s.on = onForm
	}
	return nil
}

// asJSON shows the arguments as one JSON object, or as fields again.
func (s *Screen) asJSON() tea.Cmd {
	e := s.editor()
	if e.raw && !e.read() {
		return msg.Notify(msg.ToneWarn, env.AsSentence(s.k.Words.Problem(api.NewProblem(mcp.FieldArguments, "tool_not_an_object"))))
	}
	e.raw = !e.raw || len(e.fields) == 0
	e.Settle()
	return nil
}

// move goes over the tools, or scrolls the answer.
func (s *Screen) move(by int) {
	if s.on == onList {
		s.list.rows.Move(by)
	} else {
		s.scroll(by)
	}
}

func (s *Screen) scroll(by int) {
	if a := s.answer(); a != nil && s.page.answerHigh > 0 {
		a.scroll.By(by)
	}
}

func (s *Screen) inList(x int) bool {
	left, _ := s.toolPane()
	return x < left || s.narrow() && s.on == onList
}

func (s *Screen) clicked(m msg.ClickMsg) {
	switch p := s.page; {
	case s.inList(m.X):
		at, y := 0, m.Y-2
		for l := &s.list; at < len(l.whole) && y >= l.high(at); at++ {
			y -= l.high(at)
		}
		if row, ok := s.list.rows.RowAt(at); ok && y >= 0 {
			same := !s.list.rows.Select(row) && s.on == onList
			s.on = onList
			if same && s.narrow() { // a second click opens its page
				s.on = onForm
			}
		}
	case p.form.Holds(m.X, m.Y):
		if s.editor().Click(m.X-p.form.X, m.Y-p.form.Y) {
			s.on = onForm
		}
	case m.Y >= p.h-p.answerHigh && s.answer() != nil:
		s.on = onAnswer
	}
}

func (s *Screen) wheeled(m msg.WheelMsg) {
	switch form := s.page.form; {
	case s.inList(m.X):
		s.list.rows.Scroll(m.By)
	case form.Holds(m.X, m.Y):
		s.editor().Wheel(m.Y-form.Y, m.By)
	default:
		s.scroll(3 * m.By)
	}
}

func (s *Screen) whyNoTool() string {
	return s.k.SayIf(len(s.list.box.Tools) == 0, "There is no tool to choose.")
}

// Letters are for the field being written in.
func (s *Screen) whyTyping() string {
	return s.k.SayIf(s.Typing(), "Press esc to leave the form first.")
}

// showSchema shows the whole description, the arguments to send, and the schema.
func (s *Screen) showSchema() tea.Cmd {
	k, t := s.k, s.list.selected()
	args := widget.Pretty([]byte(s.editor().text.Value()))
	parts := []string{t.Description.String(), k.Say("Current arguments"), args, k.Say("Schema"), widget.Pretty(t.Schema)}
	text := strings.Join(parts, "\n\n")
	return msg.Open(k, widget.NewReader(k, t.Label(), strings.TrimLeft(text, "\n"))) // there may be no description
}
