package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// Confirm asks before something that cannot be taken back.
type Confirm struct {
	Passive
	k        *env.Env
	title    string
	text     string // what will happen, in a sentence
	do       func() tea.Cmd
	table    []action.Action
	agreed   bool
	Quitting bool // it asks before the program ends
	// Declined, when set, follows when the person does not agree.
	Declined func() tea.Cmd
}

// NewConfirm makes a confirm. key is the key that agrees, so that a second
// confirm can ask for another one than the first; yes is an English format that
// says what it does.
func NewConfirm(k *env.Env, title, text, key, yes string, do func() tea.Cmd) *Confirm {
	c := &Confirm{k: k, title: title, text: text, do: do}
	name := "agree"
	if key != "y" && key != "enter" {
		name = "agree_again" // the settings give the two no common key
	}
	c.table = []action.Action{
		{Name: name, Keys: []string{key}, Label: yes, Handler: c.agree, Confirms: true},
		{Name: "back", Keys: []string{"esc", "n"}, Display: "esc", Label: "back", Handler: c.decline},
	}
	return c
}

func (c *Confirm) agree() tea.Cmd {
	// Once agreed, the box goes first: a second press cannot agree again.
	if c.agreed {
		return nil
	}
	c.agreed = true
	do := c.do()
	return msg.Sequence(msg.CloseTop, do)
}

func (c *Confirm) decline() tea.Cmd {
	if c.Declined == nil {
		return msg.CloseTop
	}
	return msg.Sequence(msg.CloseTop, c.Declined())
}

func (c *Confirm) Actions() []action.Action { return c.table }
func (c *Confirm) Update(tea.Msg) tea.Cmd   { return nil }

func (c *Confirm) Box(w, h int) string {
	width := min(64, w)
	lines := append([]string{""}, Wrap(c.text, width-4)...)
	lines = append(lines, "", KeyLine(c.k, c.table))
	return Boxed(c.k, width, h, c.title, lines, 0)
}

// ask wants one line of text.
type ask struct {
	k     *env.Env
	title string
	text  string
	line  Line
	done  func(string) tea.Cmd
	table []action.Action
	width int // of the box
	row   int // of the line in the box
}

// NewAsk makes an overlay that asks for one line of text. done gets it without
// blanks around it.
func NewAsk(k *env.Env, title, text string, done func(string) tea.Cmd) *ask {
	a := &ask{k: k, title: title, text: text, done: done}
	a.table = []action.Action{
		{Name: "agree", Keys: []string{"enter"}, Label: "take it", Handler: a.agree, Disabled: a.whyEmpty, Confirms: true},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: msg.Back},
	}
	return a
}

func (a *ask) agree() tea.Cmd {
	return msg.Sequence(msg.CloseTop, a.done(strings.TrimSpace(a.line.Text())))
}

func (a *ask) whyEmpty() string { return a.k.SayIf(a.line.Empty(), "Type it first.") }

func (a *ask) Actions() []action.Action               { return a.table }
func (a *ask) Typing() bool                           { return true }
func (a *ask) Restyle()                               {}
func (a *ask) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) { return nil, a.line.Edit(m) }

func (a *ask) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		a.width = askWidth(LayoutFor(m.Width, m.Height).Body.W)
		a.row = len(a.wrapped(a.width)) + 3
	case tea.PasteMsg:
		a.line.Insert(strings.TrimSpace(m.Content))
	}
	return nil
}

func askWidth(w int) int { return min(64, w) }

// wrapped is the question above the line, in a box of the given width.
func (a *ask) wrapped(width int) []string {
	return Wrap(a.text, width-4)
}

func (a *ask) Cursor() *tea.Cursor {
	return tea.NewCursor(4+a.line.Column()-a.line.Offset(a.width-6), a.row)
}

func (a *ask) Box(w, h int) string {
	width := askWidth(w)
	lines := append([]string{""}, a.wrapped(width)...)
	lines = append(lines, "", a.k.Theme.Accent.Paint("›")+" "+a.line.Window(width-6), "", KeyLine(a.k, a.table))
	return Boxed(a.k, width, h, a.title, lines, 0)
}
