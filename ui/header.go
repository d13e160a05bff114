package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type tab struct {
	text     string // painted
	from, to int
}

const (
	headerGap = 2
	barWidth  = 12 // of the day's budget
	barRoom   = 50 // for which there is one
)

func headerName(w int) string {
	if w < widget.WideFrom {
		return ""
	}
	return " darkroom  "
}

func (a *App) tabs() (tabs [msg.PlaceCount]tab) {
	t, x := a.env.Theme, len(headerName(a.plan.Header.W))
	for p := range msg.PlaceCount {
		number, name := " "+strconv.Itoa(int(p)+1), " "+a.env.Say(tabLabels[p])
		text := t.Key.Paint(number) + t.Muted.Paint(name)
		switch {
		case p == a.at && t.Grounds():
			text = t.Button.Paint(number+" ") + t.Element.Lay(t.Tab.Paint(name))
		case p == a.at:
			text = t.Key.Paint(number) + t.Tab.Paint(name)
		case t.Grounds():
			text = t.Faint.Paint(number) + " " + t.Muted.Paint(name)
		}
		if n := a.env.Active; p == msg.PlaceJobs && n > 0 {
			text += t.Run.Paint(" ◐" + env.Thousands(n))
		}
		if n := a.env.Unseen; p == msg.PlaceJobs && n > 0 {
			text += t.Good.Paint(" ●" + env.Thousands(n))
		}
		if p == a.at {
			text = t.Element.Lay(text + " ")
		} else {
			text += " "
		}
		tabs[p] = tab{text, x, x + theme.Width(text)}
		x = tabs[p].to
	}
	return tabs
}

func (a *App) clickedTab(x int) tea.Cmd {
	for p, t := range a.tabs() {
		if x >= t.from && x < t.to {
			return a.show(msg.Place(p))
		}
	}
	return nil
}

func (a *App) header() string {
	w := a.plan.Header.W
	left, x := a.env.Theme.Accent.Paint(headerName(w)), 0
	for _, tab := range a.tabs() {
		left += tab.text
		x = tab.to
	}
	return left + widget.AlignRight(a.headerRight(w-x-headerGap), w-x-1) + " "
}

// headerRight takes parts off from the left until the rest fits.
func (a *App) headerRight(room int) string {
	t, health := a.env.Theme, &a.env.Health
	demo, brief := t.Warn.Paint(a.env.Say("demo (not charged)")), t.Warn.Paint(a.env.Say("demo"))
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
	today, bar := todayText(a.env, a.env.Today), ""
	if s := a.env.Today; s.Budget > 0 && room > barRoom {
		bar = widget.Bar(t, barWidth, widget.Share{Part: float64(s.Credits) / float64(s.Budget), Style: t.Muted, Mark: "━"},
			widget.Share{Part: float64(s.Possibly) / float64(s.Budget), Style: t.Doubt, Mark: "╍"}) + "  "
	}
	if a.env.Today.Near() {
		today = t.Warn.Paint("! " + today)
	} else {
		today = t.Text.Paint(today)
	}
	parts = append(parts, bar+today)
	for {
		text := strings.Join(parts, t.Faint.Paint(" · "))
		switch {
		case theme.Width(text) <= room || len(parts) == 0:
			return text
		case parts[0] == demo:
			parts[0] = brief
		default:
			parts = parts[1:]
		}
	}
}

func todayText(k *env.Env, s state.Spent) string {
	spent := env.Amount(s.Credits + s.Possibly)
	switch {
	case s.Budget == api.BudgetUnreadable:
		return k.Say("today %s cr, budget unreadable", spent)
	case s.Budget > 0:
		return k.Say("today %s of %s cr", spent, env.Amount(s.Budget))
	}
	return k.Say("today %s cr", spent)
}

const (
	footerKeys = 5
	footerGap  = "   "
	// clickMargin is how far from the last click what confirms stays, to either side.
	clickMargin = 2
)

// footerEntry is an action in the footer, and the cells that it has there.
type footerEntry struct {
	act        *action.Action
	key, label string
	from, to   int
}

func (a *App) table() []action.Action {
	if top := a.top(); top != nil {
		return top.Actions()
	}
	return a.screens[a.at].Actions()
}

func (a *App) footer() string {
	t, said, start := a.env.Theme, "", 0
	w := a.plan.Footer.W
	if a.shared() {
		start = a.noticeWidth()
	}
	at := start
	for _, e := range a.footerEntries() {
		said += theme.Blank(e.from-at) + t.Key.Paint(e.key) + " " + t.Muted.Paint(e.label)
		at = e.to
	}
	return theme.Fit(said, w-start)
}

// footerEntries lays the footer out: what can be done now, then the ways to all else,
// for which there is always room. Next to a notice there are the ways alone, and help
// alone if the notice is long. What confirms keeps clear of the last click: it may
// have led to the question, and a second one would answer it.
func (a *App) footerEntries() (entries []footerEntry) {
	x, end, ways := 1, a.plan.Footer.W-1, a.ways()
	if a.shared() {
		if len(ways) > 1 && a.notice.width() >= end-span(ways) {
			ways = ways[1:]
		}
		x = end - span(ways)
	} else {
		if len(ways) > 0 {
			end -= span(ways) + len(footerGap)
		}
		entries = a.offered(end)
		if n := len(entries); n > 0 {
			x = entries[n-1].to + len(footerGap)
		}
	}
	for _, e := range ways {
		e.from, e.to = x, x+e.to
		x = e.to + len(footerGap)
		entries = append(entries, e)
	}
	return entries
}

// offered lays out what can be done now, as much as there is room for before end.
func (a *App) offered(end int) (entries []footerEntry) {
	table, x, click := a.table(), 1, a.intent.clicked
	for i := range table {
		act := &table[i]
		if len(entries) == footerKeys || act.KeyText() == "" || !act.Offered() {
			continue
		}
		e, from := a.footerEntry(act), x
		near := act.Confirms && click > 0 && click+clickMargin >= x && click-clickMargin < x+e.to
		if near {
			from = click + clickMargin + 1
		}
		if from+e.to <= end {
			e.from, e.to = from, from+e.to
			x = e.to + len(footerGap)
			entries = append(entries, e)
		} else if !near {
			break
		}
	}
	return entries
}

func (a *App) ways() []footerEntry {
	if a.whole() {
		return []footerEntry{a.footerEntry(action.Named(a.globals, allActions)), a.footerEntry(action.Named(a.globals, helpName))}
	}
	if out := action.Find(a.table(), "esc"); out != nil && a.shared() {
		return []footerEntry{a.footerEntry(out)}
	}
	return nil
}

// footerEntry is an entry at the first cell. While a field takes what is printable,
// a key that would write is not the one to show.
func (a *App) footerEntry(act *action.Action) footerEntry {
	key, label := act.KeyText(), a.env.Say(act.Label)
	if len(key) == 1 && act.Keys != "" && a.typing() {
		key = act.Keys.List()[0]
	}
	return footerEntry{act: act, key: key, label: label, to: theme.Width(key) + 1 + theme.Width(label)}
}

func span(entries []footerEntry) int {
	n := max(len(entries)-1, 0) * len(footerGap)
	for _, e := range entries {
		n += e.to
	}
	return n
}

func (a *App) shared() bool { return a.notice.Text != "" && a.plan.Notice == a.plan.Footer }

func (a *App) noticeWidth() int {
	if a.shared() {
		if entries := a.footerEntries(); len(entries) > 0 {
			return entries[0].from - 1
		}
	}
	return a.plan.Notice.W
}

func (a *App) footerAt(x int) *action.Action {
	for _, e := range a.footerEntries() {
		if x >= e.from && x < e.to {
			return e.act
		}
	}
	return nil
}
