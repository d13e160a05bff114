package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// headerKey is what the header's drawing depends on.
type headerKey struct {
	theme   *theme.Theme
	at      msg.Place
	w       int
	active  int
	hint    string
	base    string
	today   state.Spent
	trouble bool
	stuck   bool // nothing can be sent
	demo    bool
}

// tab is a tab and the cells that it has in the header.
type tab struct {
	place       msg.Place
	label, mark string
	from, to    int
}

const (
	headerName = " darkroom  "
	// headerGap is how many cells stay free between the tabs and what stands on
	// the right.
	headerGap = 2
)

// tabs lays the tabs out.
func (a *App) tabs() []tab {
	tabs := make([]tab, 0, msg.PlaceCount)
	x := len(headerName)
	for p := range msg.PlaceCount {
		if a.screens[p] == nil {
			continue
		}
		t := tab{place: p, label: " " + a.kit.Say(tabLabels[p]), from: x}
		if p == msg.PlaceJobs && a.kit.Active > 0 {
			t.mark = " ◐" + strconv.Itoa(a.kit.Active)
		}
		x += theme.Width(t.label) + theme.Width(t.mark) + 1
		t.to = x
		tabs = append(tabs, t)
	}
	return tabs
}

// clickedTab goes to the screen whose tab is at column x.
func (a *App) clickedTab(x int) tea.Cmd {
	for _, t := range a.tabs() {
		if x >= t.from && x < t.to {
			return a.show(t.place)
		}
	}
	return nil
}

// header is the line of tabs and, on the right, whose key it is, where the
// service is, and what today cost.
func (a *App) header() string {
	k := a.kit
	key := headerKey{
		theme: k.Theme, at: a.at, w: a.plan.Header.W, active: k.Active, hint: k.Standing.KeyHint, base: k.Standing.Base,
		today: k.Today, trouble: !k.Standing.Trouble.IsZero() || k.Standing.KeyRefused, demo: k.Standing.Demo,
		stuck: !k.Standing.ReadOnly.IsZero(),
	}
	return a.drawn.header.Get(key, func() string { return a.drawHeader(key) })
}

func (a *App) drawHeader(key headerKey) string {
	t := key.theme
	var left strings.Builder
	t.Muted.Write(&left, headerName)
	x := len(headerName)
	for _, tab := range a.tabs() {
		style := t.Muted
		if tab.place == key.at {
			style = t.Tab
		}
		style.Write(&left, tab.label)
		t.Run.Write(&left, tab.mark)
		left.WriteString(" ")
		x = tab.to
	}
	right, width := a.headerRight(key, key.w-x-headerGap)
	return left.String() + theme.Blank(key.w-x-width-1) + right + " "
}

// headerRight takes parts off from the left until the rest fits.
func (a *App) headerRight(key headerKey, room int) (string, int) {
	t := a.kit.Theme
	type part struct {
		text  string
		style theme.Style
	}
	parts := []part{}
	switch {
	case key.demo:
		parts = append(parts, part{a.kit.Say("demo, nothing is spent"), t.Warn})
	case key.hint != "":
		parts = append(parts, part{key.hint, t.Muted})
	}
	if key.base != "" && !key.demo {
		style := t.Muted
		if key.trouble {
			style = t.Bad
			key.base = "✕ " + key.base
		}
		parts = append(parts, part{key.base, style})
	}
	if key.stuck {
		parts = append(parts, part{"✕ " + a.kit.Say("nothing can be sent"), t.Bad})
	}
	today, style := todayText(a.kit, key.today), t.Text
	if key.today.Near() {
		today, style = "! "+today, t.Warn
	}
	parts = append(parts, part{today, style})
	width := func() int {
		n := 0
		for i, p := range parts {
			if i > 0 {
				n += 3
			}
			n += theme.Width(p.text)
		}
		return n
	}
	for len(parts) > 0 && width() > room {
		parts = parts[1:]
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			t.Faint.Write(&b, " · ")
		}
		p.style.Write(&b, p.text)
	}
	return b.String(), width()
}

// todayText is what today cost; the part that may have been charged is said.
func todayText(k *env.Env, s state.Spent) string {
	if s.Budget > 0 {
		return k.Say("today %s of %s cr", env.Amount(s.Credits+s.Possibly), env.Amount(s.Budget))
	}
	return k.Say("today %s cr", env.Amount(s.Credits+s.Possibly))
}
