package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

const (
	// footerKeys is how many keys of a table the footer shows.
	footerKeys = 5
	// footerGap stands between two of them.
	footerGap = "   "
)

type footerEntry struct {
	act      *action.Action
	binding  key.Binding
	from, to int
}

func (a *App) table() []action.Action {
	if top := a.top(); top != nil {
		return top.Actions()
	}
	return a.screens[a.at].Actions()
}

// offered are the first actions of the table in force that can be done now, most
// important first.
func (a *App) offered() (acts []*action.Action) {
	table := a.table()
	for i := range table {
		if len(acts) < footerKeys && table[i].KeyText() != "" && table[i].Offered() {
			acts = append(acts, &table[i])
		}
	}
	return acts
}

// footer is the line of keys that matter now.
func (a *App) footer() string {
	var bindings []key.Binding
	var said strings.Builder
	for _, e := range a.footerEntries() {
		bindings = append(bindings, e.binding)
		said.WriteString(e.binding.Help().Key + "\x00" + e.binding.Help().Desc + "\x00")
	}
	w := a.plan.Footer.W
	if a.shared() {
		w -= a.noticeWidth()
	}
	return a.drawn.footer.Get(footerKey{a.env.Theme, w, said.String()}, func() string {
		h := help.Model{Styles: a.env.Theme.Help(), ShortSeparator: footerGap}
		return theme.Fit(" "+h.ShortHelpView(bindings), w)
	})
}

// footerKey is what the footer is drawn from.
type footerKey struct {
	theme *theme.Theme
	w     int
	said  string // its keys and labels
}

// footerEntries lays the footer out: as many of the actions as there is room
// for, then the ways to all others, for which there is always room. Next to a
// notice there are the ways alone, at the right end of the line. A notice that is
// too long for both has the room of the list of all actions, which help names.
func (a *App) footerEntries() []footerEntry {
	var entries []footerEntry
	x, end, ways := 1, a.plan.Footer.W-1, a.ways()
	if a.shared() {
		if len(ways) > 1 && a.notice.width() >= end-span(ways) {
			ways = ways[1:]
		}
		x = end - span(ways)
	} else {
		for _, act := range a.offered() {
			more := append(entries, a.footerEntry(act))
			if x+span(append(slices.Clone(more), ways...)) > end {
				break
			}
			entries = more
		}
	}
	entries = append(entries, ways...)
	for i := range entries {
		entries[i].from, entries[i].to = x, x+entries[i].to
		x = entries[i].to + len(footerGap)
	}
	return entries
}

// ways are the ways to everything else while no overlay has the keys, and else
// next to a notice that out of the overlay.
func (a *App) ways() (all []footerEntry) {
	table := a.table()
	if a.whole() {
		return []footerEntry{a.footerEntry(action.Named(a.globals, allActions)), a.footerEntry(action.Named(a.globals, helpName))}
	}
	if i := slices.IndexFunc(table, func(act action.Action) bool { return slices.Contains(act.Keys, "esc") }); i >= 0 && a.shared() {
		return []footerEntry{a.footerEntry(&table[i])}
	}
	return nil
}

// span is how wide entries at the first cell are next to each other.
func span(entries []footerEntry) int {
	n := max(len(entries)-1, 0) * len(footerGap)
	for _, e := range entries {
		n += e.to
	}
	return n
}

// shared reports whether the notice stands in the footer's line, as on low
// screens.
func (a *App) shared() bool { return a.notice.Text != "" && a.plan.Notice == a.plan.Footer }

func (a *App) noticeWidth() int {
	if !a.shared() {
		return a.plan.Notice.W
	}
	if entries := a.footerEntries(); len(entries) > 0 {
		return entries[0].from - 1
	}
	return a.plan.Notice.W
}

// footerEntry is an entry at the first cell. While a field takes what is printable,
// a key that would write is not the one to show.
func (a *App) footerEntry(act *action.Action) footerEntry {
	text := act.KeyText()
	if len(text) == 1 && len(act.Keys) > 0 && a.typing() {
		text = act.Keys[0]
	}
	b := shownBinding(a.env, act, text)
	return footerEntry{act: act, binding: b, to: theme.Width(b.Help().Key) + 1 + theme.Width(b.Help().Desc)}
}

// shownBinding is an action's binding for bubbles' help: the keys as they are to
// be read, and the label in the language of k. An action whose key is only
// shown, because a field takes it, gets it as a key: help leaves bindings
// without keys out.
func shownBinding(k *env.Env, act *action.Action, keys string) key.Binding {
	b := act.Binding()
	if len(b.Keys()) == 0 && keys != "" {
		b.SetKeys(keys)
	}
	b.SetHelp(keys, k.Say(act.Label))
	return b
}

// footerAt is the action whose entry is at column x, or nil.
func (a *App) footerAt(x int) *action.Action {
	for _, e := range a.footerEntries() {
		if x >= e.from && x < e.to {
			return e.act
		}
	}
	return nil
}
