package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// ask wants one line of text.
type ask struct {
	k     *env.Env
	title string
	text  string
	line  Line
	done  func(string) tea.Cmd
	table []action.Action
	row   int // of the field, in the box
	drawn string
	w, h  int
}

func NewAsk(k *env.Env, title, text string, done func(string) tea.Cmd) *ask {
	a := &ask{k: k, title: title, text: text, done: done}
	a.table = []action.Action{
		{Keys: []string{"enter"}, Label: "take it", Handler: a.agree, Disabled: a.whyEmpty},
		{Keys: []string{"esc"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}
	return a
}

func (a *ask) agree() tea.Cmd {
	return msg.Sequence(msg.CloseTop, a.done(strings.TrimSpace(a.line.Text())))
}

func (a *ask) whyEmpty() string {
	if a.line.Empty() {
		return a.k.Say("Type it first.")
	}
	return ""
}

func (a *ask) Actions() []action.Action { return a.table }
func (a *ask) Typing() bool             { return true }
func (a *ask) Restyle()                 { a.drawn = "" }

func (a *ask) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	a.drawn = ""
	return nil, a.line.Edit(m)
}

func (a *ask) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.PasteMsg); ok {
		a.line.Insert(strings.TrimSpace(m.Content))
		a.drawn = ""
	}
	return nil
}

func (a *ask) Cursor() *tea.Cursor {
	room := min(64, a.w) - 6
	return tea.NewCursor(4+a.line.Column()-a.line.Offset(room), a.row)
}

func (a *ask) Box(w, h int) string {
	if a.drawn != "" && a.w == w && a.h == h {
		return a.drawn
	}
	a.w, a.h = w, h
	width := min(64, w)
	lines := append([]string{""}, Wrap(a.text, width-4)...)
	lines = append(lines, "")
	a.row = len(lines) + 1
	lines = append(lines, a.k.Theme.Accent.Paint("›")+" "+a.line.Window(width-6), "", KeyLine(a.k, a.table))
	a.drawn = Boxed(a.k, width, h, a.title, lines)
	return a.drawn
}
