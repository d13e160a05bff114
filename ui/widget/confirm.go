package widget

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
)

// Confirm asks before something that cannot be taken back.
type Confirm struct {
	Passive
	k           *env.Env
	title, text string
	Words       string // of the button, in place of the action's label
	Quitting    bool   // it asks before the program ends
}

const boxWidth = 64

// NewConfirm makes a confirm. key agrees, yes is an English format that says to what.
func NewConfirm(k *env.Env, title, text, key, yes string, do func() tea.Cmd) *Confirm {
	c := &Confirm{k: k, title: title, text: text}
	name := "agree"
	if key != "y" && key != "enter" {
		name = "agree_again" // the settings give the two no common key
	}
	c.Table = []action.Action{
		{Name: name, Keys: action.Keys(key), Label: yes, Closes: true, Handler: do, Confirms: true},
		{Name: "back", Keys: "esc n", Display: "esc", Label: "back", Closes: true},
	}
	return c
}

// Declined says what follows if the person does not agree, and what that is called.
func (c *Confirm) Declined(no string, do func() tea.Cmd) {
	c.Table[1].Label, c.Table[1].Handler = no, do
}

// Keys are the button, which says what is agreed to, and the way back.
func (c *Confirm) Keys() Keys {
	return Keys{K: c.k, Table: c.Table, Words: cmp.Or(c.Words, env.Capital(c.k.Say(c.Table[0].Label)))}
}

func (c *Confirm) Box(w, h int) string {
	width := min(boxWidth, w)
	lines := append([]string{"", ""}, Muted(c.k, c.text, width-4)...)
	return Boxed(c.k, width, h, c.title, append(append(lines, ""), c.Keys().Lines(width-4)...), 0)
}

type ask struct {
	Confirm
	line  Line
	width int // of the box
}

// NewAsk makes an overlay that asks for one line of text.
func NewAsk(k *env.Env, title, text string, done func(string) tea.Cmd) *ask {
	a := &ask{Confirm: Confirm{k: k, title: title, text: text}}
	a.Table = []action.Action{
		{Name: "agree", Keys: "enter", Label: "save", Confirms: true, Closes: true,
			Handler:  func() tea.Cmd { return done(strings.TrimSpace(a.line.Text())) },
			Disabled: func() string { return k.SayIf(a.line.Empty(), "Type it first.") }},
		{Name: "back", Keys: "esc", Label: "back", Closes: true},
	}
	return a
}

func (a *ask) Typing() bool                           { return true }
func (a *ask) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) { return nil, a.line.Edit(m) }

func (a *ask) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		a.width = min(boxWidth, LayoutFor(m.Width, m.Height).Body.W)
	case tea.PasteMsg:
		a.line.Insert(strings.TrimSpace(m.Content))
	}
	return nil
}

func (a *ask) head() []string {
	return append(append([]string{"", ""}, Muted(a.k, a.text, a.width-4)...), "")
}

func (a *ask) Cursor() *tea.Cursor { return a.line.Cursor(4, len(a.head())+1, a.width-7) }

func (a *ask) Keys() Keys { return Keys{K: a.k, Table: a.Table} }

func (a *ask) Box(_, h int) string {
	lines := append(a.head(), Well(a.k.Theme, a.line.Window(a.width-7), a.width-4), "")
	return Boxed(a.k, a.width, h, a.title, append(lines, a.Keys().Lines(a.width-4)...), 0)
}
