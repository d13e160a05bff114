package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/theme"
)

// clients shows ready configurations of other programs for the service's
// tools. They name the variable that holds the key.
type clients struct {
	k     *kit
	all   []state.ToolClient
	at    int
	table []action
	drawn string
	w, h  int
}

func newClients(k *kit, address string) *clients {
	c := &clients{k: k, all: state.ToolClients(address)}
	c.table = []action{
		{keys: []string{"y"}, label: "copy", do: c.copy},
		{keys: []string{"right", "tab", "l", "down", "j"}, show: "←/→", label: "another program", do: c.step(1)},
		{keys: []string{"left", "shift+tab", "h", "up", "k"}, label: "another program", quiet: true, do: c.step(-1)},
		{keys: []string{"esc", "q", "c"}, show: "esc", label: "back", do: func() tea.Cmd { return closeTop }},
	}
	return c
}

func (c *clients) actions() []action                    { return c.table }
func (c *clients) typing() bool                         { return false }
func (c *clients) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (c *clients) restyle()                             { c.drawn = "" }
func (c *clients) cursor() *tea.Cursor                  { return nil }

func (c *clients) update(message tea.Msg) tea.Cmd {
	if m, ok := message.(wheelMsg); ok {
		return c.step(m.by)()
	}
	return nil
}

func (c *clients) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		c.at = (c.at + by + len(c.all)) % len(c.all)
		c.drawn = ""
		return nil
	}
}

func (c *clients) copy() tea.Cmd {
	return tea.Batch(tea.SetClipboard(c.all[c.at].Text+"\n"), say(toneGood, c.k.say("Copied.")))
}

func (c *clients) box(w, h int) string {
	if c.drawn != "" && c.w == w && c.h == h {
		return c.drawn
	}
	c.w, c.h = w, h
	k, t := c.k, c.k.theme
	width, most := min(84, w), 0
	for _, one := range c.all {
		most = max(most, strings.Count(one.Text, "\n")+1)
	}
	var tabs strings.Builder
	for i, one := range c.all {
		ink, mark := t.Muted, "  "
		if i == c.at {
			ink, mark = t.Tab, "▸ "
		}
		ink.Write(&tabs, mark+one.Name+"  ")
	}
	one := c.all[c.at]
	where := k.say("in %s", one.File)
	if one.File == "" {
		where = k.say("in a shell")
	}
	lines := []string{"", tabs.String(), "", t.Faint.Paint(where)}
	text := strings.Split(one.Text, "\n")
	for _, l := range text {
		lines = append(lines, t.Text.Paint(theme.Cut(l, width-4)))
	}
	for range most - len(text) { // the box keeps its size
		lines = append(lines, "")
	}
	lines = append(lines, "", t.Muted.Paint(theme.Cut(k.say("The key stays in the variable DARKROOM_API_KEY."), width-4)), "", keyLine(k, c.table))
	c.drawn = boxed(k, width, h, k.say("Set up other programs"), lines)
	return c.drawn
}
