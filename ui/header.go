package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// tab is a tab and the cells that it has in the header.
type tab struct {
	place        msg.Place
	digit, label string
	active       string // how many jobs are under way
	unseen       string // how many results were not seen yet
	from, to     int
}

// headerName stands in front of the tabs, where there is room.
func headerName(w int) string {
	if w < widget.WideFrom {
		return ""
	}
	return " darkroom  "
}

// headerGap is how many cells stay free between the tabs and what stands on the
// right.
const headerGap = 2

func (a *App) tabs() []tab {
	tabs := make([]tab, 0, msg.PlaceCount)
	x := len(headerName(a.plan.Header.W))
	for p := range msg.PlaceCount {
		t := tab{place: p, digit: " " + strconv.Itoa(int(p)+1), label: " " + a.env.Say(tabLabels[p]), from: x}
		if p == msg.PlaceJobs && a.env.Active > 0 {
			t.active = " ◐" + env.Thousands(a.env.Active)
		}
		if n := a.env.Unseen; p == msg.PlaceJobs && n > 0 {
			t.unseen = " ●" + env.Thousands(n)
		}
		x += theme.Width(t.digit) + theme.Width(t.label) + theme.Width(t.active) + theme.Width(t.unseen) + 1
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
	t, w := a.env.Theme, a.plan.Header.W
	var left strings.Builder
	t.Muted.Write(&left, headerName(w))
	x := len(headerName(w))
	for _, tab := range a.tabs() {
		style := t.Muted
		if tab.place == a.at {
			style = t.Tab
		}
		t.Key.Write(&left, tab.digit)
		style.Write(&left, tab.label)
		t.Run.Write(&left, tab.active)
		t.Good.Write(&left, tab.unseen)
		left.WriteString(" ")
		x = tab.to
	}
	right, width := a.headerRight(w - x - headerGap)
	return left.String() + theme.Blank(w-x-width-1) + right + " "
}

// headerRight takes parts off from the left until the rest fits.
func (a *App) headerRight(room int) (string, int) {
	t, health := a.env.Theme, &a.env.Health
	type part struct {
		text  string
		style theme.Style
		short string // in its place where there is little room
	}
	parts := []part{}
	switch {
	case health.Demo:
		parts = append(parts, part{a.env.Say("demo, nothing is spent"), t.Warn, a.env.Say("demo")})
	case health.KeyHint != "":
		parts = append(parts, part{text: health.KeyHint, style: t.Muted})
	}
	if health.Base != "" && !health.Demo {
		base := part{text: health.Base, style: t.Muted}
		if !health.Trouble.IsZero() || health.KeyRefused {
			base = part{text: "✕ " + health.Base, style: t.Bad}
		}
		parts = append(parts, base)
	}
	if !health.ReadOnly.IsZero() {
		parts = append(parts, part{text: "✕ " + a.env.Say("nothing can be sent"), style: t.Bad})
	}
	today, style := todayText(a.env, a.env.Today), t.Text
	if a.env.Today.Near() {
		today, style = "! "+today, t.Warn
	}
	parts = append(parts, part{text: today, style: style})
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
		if parts[0].short == "" {
			parts = parts[1:]
			continue
		}
		parts[0].text, parts[0].short = parts[0].short, ""
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
	switch {
	case s.Budget == api.BudgetUnreadable:
		return k.Say("today %s cr, budget unreadable", env.Amount(s.Credits+s.Possibly))
	case s.Budget > 0:
		return k.Say("today %s of %s cr", env.Amount(s.Credits+s.Possibly), env.Amount(s.Budget))
	}
	return k.Say("today %s cr", env.Amount(s.Credits+s.Possibly))
}
