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

// Confirm asks before something that cannot be taken back. A deed that may cost
// twice asks several times: then is the confirm that follows a yes.
type Confirm struct {
	k        *env.Env
	title    string
	text     string // what will happen, in a sentence
	yes      string // an English format: what the key does
	do       func() tea.Cmd
	table    []action.Action
	drawn    string
	w, h     int
	touching bool
	Quitting bool // it asks before the program ends
}

// NewConfirm makes a confirm. key is the key that agrees, so that a second
// confirm can ask for another one than the first.
func NewConfirm(k *env.Env, title, text, key, yes string, do func() tea.Cmd) *Confirm {
	c := &Confirm{k: k, title: title, text: text, yes: yes, do: do}
	c.table = []action.Action{
		{Keys: []string{key}, Label: yes, Handler: c.agree},
		{Keys: []string{"esc", "n"}, Display: "esc", Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}
	return c
}

func (c *Confirm) agree() tea.Cmd {
	// Once agreed, the box goes first: a second press cannot agree again.
	if c.touching {
		return nil
	}
	c.touching = true
	do := c.do()
	return msg.Sequence(msg.CloseTop, do)
}

func (c *Confirm) Actions() []action.Action             { return c.table }
func (c *Confirm) Typing() bool                         { return false }
func (c *Confirm) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (c *Confirm) Update(tea.Msg) tea.Cmd               { return nil }
func (c *Confirm) Restyle()                             { c.drawn = "" }
func (c *Confirm) Cursor() *tea.Cursor                  { return nil }

func (c *Confirm) Box(w, h int) string {
	if c.drawn != "" && c.w == w && c.h == h {
		return c.drawn
	}
	c.w, c.h = w, h
	width := min(64, w)
	lines := append([]string{""}, Wrap(c.text, width-4)...)
	lines = append(lines, "", KeyLine(c.k, c.table))
	c.drawn = Boxed(c.k, width, h, c.title, lines)
	return c.drawn
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
	if more > 0 {
		p.Foot = k.Say("↓ %d more lines", more)
	}
	inner, _ := p.Inner()
	for i, l := range lines {
		if theme.Width(l) > inner {
			lines[i] = ansi.Truncate(l, inner, "…")
		}
	}
	return strings.Join(p.Lines(k.Theme, lines), "\n")
}
