package tools

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// clients shows configurations of other programs for the service's tools.
type clients struct {
	widget.Passive
	k   *env.Env
	all []state.ToolClient
	at  int
}

// openClients opens the overlay for an entry at an address.
func openClients(k *env.Env, address string) tea.Cmd {
	c := &clients{k: k, all: state.ToolClients(address)}
	c.Table = []action.Action{
		{Name: "copy", Keys: "y", Label: "copy", Handler: c.copy},
		{Name: "next_client", Keys: "right tab l down j", Display: "↑/↓", Label: "another program", Handler: action.By(c.step, 1)},
		{Name: "previous_client", Keys: "left shift+tab h up k", Label: "another program", Hidden: true,
			Handler: action.By(c.step, -1)},
		{Name: "back", Keys: "esc q c", Display: "esc", Label: "back", Closes: true},
	}
	return msg.Open(c)
}

func (c *clients) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(msg.WheelMsg); ok {
		return c.step(m.By)
	}
	return nil
}

func (c *clients) step(by int) tea.Cmd {
	c.at = (c.at + by + len(c.all)) % len(c.all)
	return nil
}

func (c *clients) copy() tea.Cmd {
	return tea.Batch(tea.SetClipboard(c.all[c.at].Text+"\n"), msg.Notify(msg.ToneGood, c.k.Say("Copied.")))
}

func (c *clients) Box(w, h int) string {
	k, t, most, one := c.k, c.k.Theme, 0, c.all[c.at]
	w = min(84, w)
	lines := []string{"", ""}
	for i, client := range c.all {
		most = max(most, strings.Count(client.Text, "\n"))
		in, mark := t.Row(i == c.at)
		way := k.Say("through darkroom: it asks, you send")
		if !client.Asks {
			way = cmp.Or(client.File, k.Say("in a shell")) + " · " + k.Say("with your key")
		}
		lines = append(lines, in.Accent.Paint(mark)+in.Text.Paint(theme.Fit(client.Name, 10))+in.Muted.Paint(theme.Fit(way, w-16)))
	}
	lines = append(lines, "")
	for l := range strings.SplitSeq(one.Text, "\n") {
		lines = append(lines, t.Text.Paint(l))
	}
	lines = append(lines, make([]string, most+5+len(c.all)-len(lines))...) // the box keeps its size
	key := k.Say("The key stays in the variable DARKROOM_API_KEY.")
	spends := k.Say("The other program spends with your key, past darkroom's budget.")
	if one.Asks {
		key, spends = k.Say("These print a configuration without a key."), k.Say("The other program can only ask, and you send.")
	}
	lines = append(lines, t.Muted.Paint(key), t.Muted.Paint(spends), "")
	return widget.Boxed(k, w, h, k.Say("Set up other programs"), append(lines, c.Keys().Lines(w-4)...), 0)
}

func (c *clients) Keys() widget.Keys { return widget.Keys{K: c.k, Table: c.Table} }
