package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// ask wants one line of text.
type ask struct {
	k     *kit
	title string
	text  string
	line  line
	done  func(string) tea.Cmd
	table []action
	row   int // of the field, in the box
	drawn string
	w, h  int
}

func newAsk(k *kit, title, text string, done func(string) tea.Cmd) *ask {
	a := &ask{k: k, title: title, text: text, done: done}
	a.table = []action{
		{keys: []string{"enter"}, label: "take it", do: a.agree, why: a.whyEmpty},
		{keys: []string{"esc"}, label: "back", do: func() tea.Cmd { return closeTop }},
	}
	return a
}

func (a *ask) agree() tea.Cmd {
	return inOrder(closeTop, a.done(strings.TrimSpace(a.line.text())))
}

func (a *ask) whyEmpty() string {
	if a.line.empty() {
		return a.k.say("Type it first.")
	}
	return ""
}

func (a *ask) actions() []action { return a.table }
func (a *ask) typing() bool      { return true }
func (a *ask) restyle()          { a.drawn = "" }

func (a *ask) edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	a.drawn = ""
	return nil, a.line.edit(m)
}

func (a *ask) update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.PasteMsg); ok {
		a.line.insert(strings.TrimSpace(m.Content))
		a.drawn = ""
	}
	return nil
}

func (a *ask) cursor() *tea.Cursor {
	room := min(64, a.w) - 6
	return tea.NewCursor(4+a.line.column()-a.line.offset(room), a.row)
}

func (a *ask) box(w, h int) string {
	if a.drawn != "" && a.w == w && a.h == h {
		return a.drawn
	}
	a.w, a.h = w, h
	width := min(64, w)
	lines := append([]string{""}, strings.Split(ansi.Wrap(a.text, width-4, ""), "\n")...)
	lines = append(lines, "")
	a.row = len(lines) + 1
	lines = append(lines, a.k.theme.Accent.Paint("›")+" "+a.line.window(width-6), "", keyLine(a.k, a.table))
	a.drawn = boxed(a.k, width, h, a.title, lines)
	return a.drawn
}
