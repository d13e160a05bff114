package ui

import (
	"strings"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// footerKeys is how many keys the footer shows.
const footerKeys = 5

// drawFooter shows the first keys of the table in force that can be used now.
func (a *App) drawFooter() {
	table := a.table()
	key := footerKey{at: a.at, depth: len(a.overlays), w: a.plan.Footer.W, ready: action.ReadyMask(table)}
	if top := a.top(); top != nil {
		key.top = top
	}
	if len(table) > 0 {
		key.first = table[0].Label
	}
	if key == a.drawn.footerKey && a.drawn.footer != "" {
		return
	}
	a.drawn.footerKey = key
	a.drawn.footer = footerLine(a.kit, table, a.top() == nil, a.plan.Footer.W)
}

// table is the table of actions in force.
func (a *App) table() []action.Action {
	if top := a.top(); top != nil {
		return top.Actions()
	}
	return a.screens[a.at].Actions()
}

// footerLine writes the keys that matter now, and last, when there is room, the
// one that leads to all others.
func footerLine(k *env.Env, table []action.Action, more bool, w int) string {
	var b strings.Builder
	b.WriteString(" ")
	used, shown, limit := 1, 0, w-1
	if more { // there is always room for the way to everything else
		limit -= theme.Width("ctrl+k "+k.Say("all actions")) + 3
	}
	write := func(key, label string) bool {
		n := theme.Width(key) + 1 + theme.Width(label)
		if shown > 0 {
			n += 3
		}
		if used+n > limit {
			return false
		}
		if shown > 0 {
			b.WriteString("   ")
		}
		k.Theme.Key.Write(&b, key)
		b.WriteString(" ")
		k.Theme.Muted.Write(&b, label)
		used += n
		shown++
		return true
	}
	for i := range table {
		act := &table[i]
		if shown == footerKeys {
			break
		}
		if !act.Offered() {
			continue
		}
		if !write(act.KeyText(), k.Say(act.Label)) {
			break
		}
	}
	limit = w - 1
	if more && write("ctrl+k", k.Say("all actions")) {
		write("?", k.Say("help"))
	}
	return b.String() + theme.Blank(w-used)
}
