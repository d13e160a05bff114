package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// Confirm asks before something that cannot be taken back.
type Confirm struct {
	Passive
	k        *env.Env
	title    string
	text     string // what will happen, in a sentence
	do       func() tea.Cmd
	table    []action.Action
	memo     Memo[boxKey, string]
	agreed   bool
	Quitting bool // it asks before the program ends
	// Declined, when set, follows when the person does not agree.
	Declined func() tea.Cmd
}

// boxKey is what the drawing of a box with a fixed text depends on.
type boxKey struct {
	w, h  int
	theme *theme.Theme
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
	return c.memo.Get(boxKey{w, h, c.k.Theme}, func() string {
		width := min(64, w)
		lines := append([]string{""}, Wrap(c.text, width-4)...)
		lines = append(lines, "", KeyLine(c.k, c.table))
		return Boxed(c.k, width, h, c.title, lines)
	})
}

// KeyLine writes all keys of a small table on one line.
func KeyLine(k *env.Env, table []action.Action) string {
	var b strings.Builder
	for i := range table {
		if table[i].Hidden {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("   ")
		}
		k.Theme.Key.Write(&b, table[i].KeyText())
		b.WriteString(" ")
		k.Theme.Muted.Write(&b, k.Say(table[i].Label))
	}
	return b.String()
}

// Boxed frames the lines of an overlay, at most h high.
func Boxed(k *env.Env, w, h int, title string, lines []string) string {
	return BoxedMore(k, w, h, title, lines, 0)
}

// BoxedMore says that more lines lie below those that are shown.
func BoxedMore(k *env.Env, w, h int, title string, lines []string, more int) string {
	p := Pane{Width: w, Height: min(len(lines)+2, h), Title: title, Focus: true}
	p.Foot = More(k, 0, more)
	inner, _ := p.Inner()
	for i, l := range lines {
		if theme.Width(l) > inner {
			lines[i] = ansi.Truncate(l, inner, "…")
		}
	}
	return strings.Join(p.Lines(k.Theme, lines), "\n")
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
	memo  Memo[askKey, string]
}

type askKey struct {
	box  boxKey
	line LineState
}

// NewAsk makes an overlay that asks for one line of text. done gets it without
// blanks around it.
func NewAsk(k *env.Env, title, text string, done func(string) tea.Cmd) *ask {
	a := &ask{k: k, title: title, text: text, done: done}
	a.table = []action.Action{
		{Name: "agree", Keys: []string{"enter"}, Label: "take it", Handler: a.agree, Disabled: a.whyEmpty, Confirms: true},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
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
	return a.memo.Get(askKey{boxKey{w, h, a.k.Theme}, a.line.State()}, func() string {
		width := askWidth(w)
		lines := append([]string{""}, a.wrapped(width)...)
		lines = append(lines, "", a.k.Theme.Accent.Paint("›")+" "+a.line.Window(width-6), "", KeyLine(a.k, a.table))
		return Boxed(a.k, width, h, a.title, lines)
	})
}

// Passive is what an overlay has in which nothing is typed, and whose drawing
// states the look that it depends on.
type Passive struct{}

func (Passive) Typing() bool                         { return false }
func (Passive) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (Passive) Restyle()                             {}
func (Passive) Cursor() *tea.Cursor                  { return nil }
