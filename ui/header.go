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
	place    msg.Place
	text     string // painted
	from, to int
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

// tabs are the tabs; that of Jobs says how many are under way, and how many
// results were not seen yet.
func (a *App) tabs() []tab {
	tabs, t, x := make([]tab, msg.PlaceCount), a.env.Theme, len(headerName(a.plan.Header.W))
	for p := range msg.PlaceCount {
		style := t.Muted
		if p == a.at {
			style = t.Tab
		}
		text := t.Key.Paint(" "+strconv.Itoa(int(p)+1)) + style.Paint(" "+a.env.Say(tabLabels[p]))
		if n := a.env.Active; p == msg.PlaceJobs && n > 0 {
			text += t.Run.Paint(" ◐" + env.Thousands(n))
		}
		if n := a.env.Unseen; p == msg.PlaceJobs && n > 0 {
			text += t.Good.Paint(" ●" + env.Thousands(n))
		}
		tabs[p] = tab{p, text + " ", x, x + theme.Width(text) + 1}
		x = tabs[p].to
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
	w := a.plan.Header.W
	left, x := a.env.Theme.Muted.Paint(headerName(w)), 0
	for _, tab := range a.tabs() {
		left += tab.text
		x = tab.to
	}
	right, width := a.headerRight(w - x - headerGap)
	return left + theme.Blank(w-x-width-1) + right + " "
}

// headerRight takes parts off from the left until the rest fits.
func (a *App) headerRight(room int) (string, int) {
	t, health := a.env.Theme, &a.env.Health
	demo, brief := t.Warn.Paint(a.env.Say("demo, nothing is spent")), t.Warn.Paint(a.env.Say("demo"))
	var parts []string
	switch {
	case health.Demo:
		parts = append(parts, demo)
	case health.KeyHint != "":
		parts = append(parts, t.Muted.Paint(health.KeyHint))
	}
	switch {
	case health.Base == "" || health.Demo:
	case !health.Trouble.IsZero() || health.KeyRefused:
		parts = append(parts, t.Bad.Paint("✕ "+health.Base))
	default:
		parts = append(parts, t.Muted.Paint(health.Base))
	}
	if !health.ReadOnly.IsZero() {
		parts = append(parts, t.Bad.Paint("✕ "+a.env.Say("nothing can be sent")))
	}
	today := t.Text.Paint(todayText(a.env, a.env.Today))
	if a.env.Today.Near() {
		today = t.Warn.Paint("! " + todayText(a.env, a.env.Today))
	}
	parts = append(parts, today)
	for {
		text := strings.Join(parts, t.Faint.Paint(" · "))
		width := theme.Width(text)
		switch {
		case width <= room || len(parts) == 0:
			return text, width
		case parts[0] == demo && brief != demo:
			parts[0] = brief
		default:
			parts = parts[1:]
		}
	}
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
