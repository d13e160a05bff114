package ui

import (
	"strconv"
	"strings"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// drawHeader draws the line of tabs and, on the right, whose key it is, where
// the service is, and what today cost.
func (a *App) drawHeader() {
	k := a.kit
	key := headerKey{
		at: a.at, w: a.plan.Header.W, active: k.Active, hint: k.Standing.KeyHint, base: k.Standing.Base,
		today: todayText(k), trouble: k.Standing.Trouble != "" || k.Standing.KeyRefused, demo: k.Standing.Demo,
		near: k.Today.Near(), stuck: k.Standing.ReadOnly != "",
	}
	if key == a.drawn.headerKey && a.drawn.header != "" {
		return
	}
	a.drawn.headerKey = key
	t := k.Theme
	var left strings.Builder
	left.WriteString(" ")
	t.Muted.Write(&left, "darkroom")
	left.WriteString("  ")
	x := 1 + len("darkroom") + 2
	a.drawn.tabs = a.drawn.tabs[:0]
	for p := range msg.PlaceCount {
		if a.screens[p] == nil {
			continue
		}
		label := " " + k.Say(tabLabels[p])
		mark := ""
		if p == msg.PlaceJobs && k.Active > 0 {
			mark = " ◐" + strconv.Itoa(k.Active)
		}
		w := theme.Width(label) + theme.Width(mark) + 1
		a.drawn.tabs = append(a.drawn.tabs, tabSpan{x, x + w, p})
		x += w
		if p == a.at {
			t.Tab.Write(&left, label)
		} else {
			t.Muted.Write(&left, label)
		}
		t.Run.Write(&left, mark)
		left.WriteString(" ")
	}
	right, width := a.headerRight(key, a.plan.Header.W-x-2)
	a.drawn.header = left.String() + theme.Blank(a.plan.Header.W-x-width-1) + right + " "
}

// headerRight takes parts off from the left until the rest fits.
func (a *App) headerRight(key headerKey, room int) (string, int) {
	t := a.kit.Theme
	type part struct {
		text string
		ink  theme.Ink
	}
	parts := []part{}
	switch {
	case key.demo:
		parts = append(parts, part{a.kit.Say("demo, nothing is spent"), t.Warn})
	case key.hint != "":
		parts = append(parts, part{key.hint, t.Muted})
	}
	if key.base != "" && !key.demo {
		ink := t.Muted
		if key.trouble {
			ink = t.Bad
			key.base = "✕ " + key.base
		}
		parts = append(parts, part{key.base, ink})
	}
	if key.stuck {
		parts = append(parts, part{"✕ " + a.kit.Say("nothing can be sent"), t.Bad})
	}
	if key.today != "" {
		ink := t.Text
		if key.near {
			ink, key.today = t.Warn, "! "+key.today
		}
		parts = append(parts, part{key.today, ink})
	}
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
		p.ink.Write(&b, p.text)
	}
	return b.String(), width()
}

// todayText is what today cost; the part that may have been charged is said.
func todayText(k *env.Env) string {
	s := k.Today
	if s.Budget > 0 {
		return k.Say("today %s of %s cr", env.Amount(s.Credits+s.Possibly), env.Amount(s.Budget))
	}
	return k.Say("today %s cr", env.Amount(s.Credits+s.Possibly))
}
