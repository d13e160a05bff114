package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

// confirm asks before something that cannot be taken back. A deed that may cost
// twice asks several times: then is the confirm that follows a yes.
type confirm struct {
	k        *kit
	title    string
	text     string // what will happen, in a sentence
	yes      string // an English format: what the key does
	do       func() tea.Cmd
	table    []action
	drawn    string
	w, h     int
	touching bool
	leaving  bool // it asks before the program ends
}

// newConfirm makes a confirm. key is the key that agrees, so that a second
// confirm can ask for another one than the first.
func newConfirm(k *kit, title, text, key, yes string, do func() tea.Cmd) *confirm {
	c := &confirm{k: k, title: title, text: text, yes: yes, do: do}
	c.table = []action{
		{keys: []string{key}, label: yes, do: c.agree},
		{keys: []string{"esc", "n"}, show: "esc", label: "back", do: func() tea.Cmd { return closeTop }},
	}
	return c
}

func (c *confirm) agree() tea.Cmd {
	// Once agreed, the box goes first: a second press cannot agree again.
	if c.touching {
		return nil
	}
	c.touching = true
	do := c.do()
	return inOrder(closeTop, do)
}

func (c *confirm) actions() []action                    { return c.table }
func (c *confirm) typing() bool                         { return false }
func (c *confirm) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (c *confirm) update(tea.Msg) tea.Cmd               { return nil }
func (c *confirm) restyle()                             { c.drawn = "" }
func (c *confirm) cursor() *tea.Cursor                  { return nil }

func (c *confirm) box(w, h int) string {
	if c.drawn != "" && c.w == w && c.h == h {
		return c.drawn
	}
	c.w, c.h = w, h
	width := min(64, w)
	lines := append([]string{""}, strings.Split(ansi.Wrap(c.text, width-4, ""), "\n")...)
	lines = append(lines, "", keyLine(c.k, c.table))
	c.drawn = boxed(c.k, width, h, c.title, lines)
	return c.drawn
}

// keyLine writes all keys of a small table on one line.
func keyLine(k *kit, table []action) string {
	var b strings.Builder
	for i := range table {
		if table[i].quiet {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("   ")
		}
		k.theme.Key.Write(&b, table[i].shown())
		b.WriteString(" ")
		k.theme.Muted.Write(&b, k.say(table[i].label))
	}
	return b.String()
}

// boxed frames the lines of an overlay, at most h high.
func boxed(k *kit, w, h int, title string, lines []string) string {
	return boxedMore(k, w, h, title, lines, 0)
}

// boxedMore says that more lines lie below those that are shown.
func boxedMore(k *kit, w, h int, title string, lines []string, more int) string {
	p := pane{w: w, h: min(len(lines)+2, h), title: title, focus: true}
	if more > 0 {
		p.foot = k.say("↓ %d more lines", more)
	}
	inner, _ := p.inner()
	for i, l := range lines {
		if theme.Width(l) > inner {
			lines[i] = ansi.Truncate(l, inner, "…")
		}
	}
	return strings.Join(p.lines(k.theme, lines), "\n")
}
