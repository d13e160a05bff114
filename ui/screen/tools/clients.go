package tools

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// clients shows ready configurations of other programs for the service's
// tools. They name the variable that holds the key.
type clients struct {
	widget.Passive
	k     *env.Env
	all   []state.ToolClient
	at    int
	table []action.Action
}

func newClients(k *env.Env, address string) *clients {
	c := &clients{k: k, all: state.ToolClients(address)}
	c.table = []action.Action{
		{Name: "copy", Keys: []string{"y"}, Label: "copy", Handler: c.copy},
		{Name: "next_client", Keys: []string{"right", "tab", "l", "down", "j"}, Display: "←/→", Label: "another program", Handler: c.step(1)},
		{Name: "previous_client", Keys: []string{"left", "shift+tab", "h", "up", "k"}, Label: "another program", Hidden: true,
			Handler: c.step(-1)},
		{Name: "back", Keys: []string{"esc", "q", "c"}, Display: "esc", Label: "back", Handler: msg.Back},
	}
	return c
}

func (c *clients) Actions() []action.Action { return c.table }

func (c *clients) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(msg.WheelMsg); ok {
		return c.step(m.By)()
	}
	return nil
}

func (c *clients) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		c.at = (c.at + by + len(c.all)) % len(c.all)
		return nil
	}
}

func (c *clients) copy() tea.Cmd {
	return tea.Batch(tea.SetClipboard(c.all[c.at].Text+"\n"), msg.Notify(msg.ToneGood, c.k.Say("Copied.")))
}

func (c *clients) Box(w, h int) string {
	k, t := c.k, c.k.Theme
	width, most := min(84, w), 0
	for _, one := range c.all {
		most = max(most, strings.Count(one.Text, "\n")+1)
	}
	var tabs strings.Builder
	for i, one := range c.all {
		style, mark := t.Muted, "  "
		if i == c.at {
			style, mark = t.Tab, "▸ "
		}
		style.Write(&tabs, mark+one.Name+"  ")
	}
	one := c.all[c.at]
	where := k.Say("in %s", one.File)
	if one.File == "" {
		where = k.Say("in a shell")
	}
	lines := []string{"", tabs.String(), "", t.Faint.Paint(where)}
	for l := range strings.SplitSeq(one.Text, "\n") {
		lines = append(lines, t.Text.Paint(theme.Cut(l, width-4)))
	}
	lines = append(lines, make([]string, most+4-len(lines))...) // the box keeps its size
	key := theme.Cut(k.Say("The key stays in the variable DARKROOM_API_KEY."), width-4)
	lines = append(lines, "", t.Muted.Paint(key), "", widget.KeyLine(k, c.table))
	return widget.Boxed(k, width, h, k.Say("Set up other programs"), lines, 0)
}
