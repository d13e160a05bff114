package ui

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/screen/prices"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type drawn struct {
	view  tea.View                // the latest
	frame widget.Memo[int, frame] // by the number of handled messages
	cover widget.Cover
	lines widget.MemoLines[lineKey, picture.Line]
}

type lineKey struct {
	text     string
	clusters bool
	theme    *theme.Theme // of the line above the body, which is drawn from the body's first
}

// View hands the lines to the display; without one it is the whole view.
func (a *App) View() tea.View {
	if a.screen != nil && !a.screen.Due() {
		return a.drawn.view
	}
	v, lines := a.view()
	if a.screen != nil {
		a.drawn.view = a.screen.Show(v, lines, a.env.Theme.Page.Lay(" "))
		return a.drawn.view
	}
	v.SetContent(strings.Join(lines, "\n"))
	return v
}

func (a *App) view() (v tea.View, lines []string) {
	defer a.caught()
	if a.dead.Load() {
		return v, nil
	}
	state.CrashAt("view")
	lines = a.frame().lines
	v = tea.View{AltScreen: true, MouseMode: tea.MouseModeCellMotion, ReportFocus: true, Cursor: a.Cursor()}
	a.report(&v)
	return v, lines
}

type frame struct {
	lines  []string
	placed []picture.Placed
	front  widget.Rect // of the box on top, else of the screen
}

func (a *App) frame() frame {
	if a.size.W == 0 {
		return frame{}
	}
	if a.plan.TooSmall {
		text := a.env.Say("Terminal too small: needs %d × %d, has %d × %d.", widget.MinWidth, widget.MinHeight, a.size.W, a.size.H)
		lines := widget.Wrap(text, a.size.W)
		return frame{lines: lines[:min(len(lines), a.size.H)]}
	}
	return a.drawn.frame.Get(a.handled, a.drawFrame)
}

func (a *App) drawFrame() frame {
	body, front := a.body()
	above := make([]string, a.plan.Body.Y-1)
	copy(above, body)
	header := a.header()
	if !a.whole() { // it waits too
		header = widget.Dimmed(a.env.Theme, header)
	}
	texts := slices.Concat([]string{header}, above, body, a.lastLines())
	lines := a.drawn.lines.Get(len(texts), func(i int) lineKey {
		if i > 0 && i < a.plan.Body.Y {
			return lineKey{texts[i], a.clusters, a.env.Theme}
		}
		return lineKey{texts[i], a.clusters, nil}
	}, a.drawLine)
	for i := range lines {
		texts[i] = lines[i].Text
	}
	return frame{texts, picture.Place(lines), front}
}

func (a *App) lastLines() []string {
	keys, from := a.foot()
	w := a.plan.Footer.W - from + 1
	footer := theme.Fit(" "+strings.Join(keys.Lines(w), ""), w)
	if a.plan.Notice == a.plan.Footer {
		return []string{a.notice.line(a.env.Theme, from-1) + footer}
	}
	return []string{a.notice.line(a.env.Theme, a.plan.Notice.W), footer}
}

func (a *App) drawLine(key lineKey) picture.Line {
	if key.theme != nil {
		return picture.Line{Text: widget.Above(key.theme, key.text)}
	}
	if !key.clusters {
		key.text = theme.Steady(key.text)
	}
	if a.loader == nil {
		return picture.Line{Text: key.text}
	}
	return picture.ReadLine(key.text, a.loader.Sixel)
}

func (a *App) body() ([]string, widget.Rect) {
	r, body := a.plan.Body, a.screens[a.at].View()
	for i, o := range a.overlays {
		box := o.Box(r.W, r.H)
		at := widget.BoxAt(box, r.W, r.H)
		switch {
		case i == len(a.overlays)-1:
			body = a.drawn.cover.Lay(a.env.Theme, body, box, at)
			return body, widget.Rect{X: at.X + r.X, Y: at.Y + r.Y, W: at.W, H: at.H}
		case at.W == r.W && at.H == r.H:
			body = strings.Split(box, "\n")
		}
	}
	return body, r
}

// Cursor is where the terminal's cursor belongs, or nil.
func (a *App) Cursor() *tea.Cursor {
	at := a.surface().Cursor()
	if at == nil || a.plan.TooSmall {
		return nil
	}
	r := a.frame().front
	return tea.NewCursor(at.X+r.X, at.Y+r.Y)
}

type tab struct {
	text     string // painted
	from, to int
}

func headerName(w int) string {
	if w < widget.WideFrom {
		return ""
	}
	return " darkroom  "
}

func (a *App) tabs() (tabs []tab) {
	t, x, at := a.env.Theme, len(headerName(a.plan.Header.W)), a.at
	if _, spending := a.top().(*prices.Spending); spending {
		at = msg.PlacePrices // wherever it was opened
	}
	for p := range msg.PlaceCount {
		number, name := " "+strconv.Itoa(int(p)+1), " "+a.env.Say(tabLabels[p])
		text, end, rest := t.Key.Paint(number)+t.Muted.Paint(name), " ", ""
		switch {
		case p == at && t.Grounds():
			text, rest = t.Button.Paint(number+" ")+t.Element.Lay(t.Tab.Paint(name)), " "
		case p == at:
			text = t.Button.Paint(number + name + " ")
		case t.Grounds():
			text, end = t.Faint.Paint(number)+t.Muted.Paint(name), "  "
		}
		for i, n := range [...]int{a.env.Active, a.env.Asked, a.env.Unseen} {
			if p == msg.PlaceJobs && n > 0 {
				text += [...]theme.Style{t.Run, t.Warn, t.Accent}[i].Paint([...]string{" ◐", " ◆", " •"}[i] + env.Thousands(n))
			}
		}
		if text += end; p == at {
			text = t.Element.Lay(text) + rest
		}
		tabs = append(tabs, tab{text, x, x + theme.Width(text)})
		x = tabs[p].to
	}
	return tabs
}

func (a *App) header() string {
	w := a.plan.Header.W
	if a.at == msg.PlaceKey && a.env.All == 0 && a.env.Health.KeyHint == "" { // the tabs have nothing to show
		return theme.Fit(a.env.Theme.Accent.Paint(headerName(widget.WideFrom)), w)
	}
	left := a.env.Theme.Accent.Paint(headerName(w))
	for _, tab := range a.tabs() {
		left += tab.text
	}
	x := theme.Width(left)
	return left + widget.AlignRight(a.headerRight(w-x-2), w-x-1) + " "
}

// headerRight takes parts off from the right until the rest fits; that it is the demo
// stays to the last.
func (a *App) headerRight(room int) string {
	t, health := a.env.Theme, &a.env.Health
	demo, brief := t.Warn.Paint(a.env.Say("demo (not charged)")), t.Warn.Paint(a.env.Say("demo"))
	s, bar := a.env.Today.Tightest(), 0 // cells that are kept for the budget
	if s.Budget > api.BudgetUnreadable {
		bar = 6 + 2 // at least
	}
	parts := []string{t.Muted.Paint(todayText(a.env, s))}
	if s.Near() {
		parts[0] = t.Warn.Paint("! " + todayText(a.env, s))
	}
	if !health.ReadOnly.IsZero() {
		parts = append(parts, t.Bad.Paint("✕ "+a.env.Say("nothing can be sent")))
	}
	switch {
	case health.Demo:
		parts = append(parts, demo)
	case health.Base == "":
	case !health.Trouble.IsZero() || health.KeyRefused:
		parts = append(parts, t.Warn.Paint("✕ "+health.Base))
	default:
		parts = append(parts, t.Muted.Paint(health.Base))
	}
	if health.KeyHint != "" && !health.Demo {
		parts = append(parts, t.Muted.Paint(health.KeyHint))
	}
	for {
		text, last := strings.Join(parts, theme.Blank(min(a.plan.Header.W/40, 3))), len(parts)-1
		switch {
		case theme.Width(text)+bar <= room || last < 0:
			if w := min(room-theme.Width(text)-2, 9); bar > 0 { // as long beside signs of the tabs
				text = widget.Bar(t, w, widget.Share{Part: float64(s.Credits) / float64(s.Budget), Style: t.Muted, Mark: "━"},
					widget.Share{Part: float64(s.Possibly) / float64(s.Budget), Style: t.Doubt, Mark: "╍"}) + "  " + text
			}
			return text
		case last == 0 && bar > 0:
			bar = 0
		case parts[last] == demo:
			parts[last] = brief
		case parts[last] == brief && last > 0:
			parts = append(parts[:last-1], brief)
		default:
			parts = parts[:last]
		}
	}
}

func todayText(k *env.Env, s state.Spent) string {
	spent := (s.Credits + s.Possibly).String()
	switch {
	case s.Budget == api.BudgetUnreadable:
		return k.Say("today %s cr, budget unreadable", spent)
	case s.Period == api.Month:
		return k.Say("this month %s of %s cr", spent, s.Budget.String())
	case s.Budget > 0:
		return k.Say("today %s of %s cr", spent, s.Budget.String())
	}
	return k.Say("today %s cr", spent)
}

// keyed is implemented by overlays that show their keys themselves: the footer has none.
type keyed interface{ Keys() widget.Keys }

const footerKeys = 5

// foot is what can be done now, as much as there is room for, then the ways to all else,
// and the cell at which they begin. Next to a notice there are the ways alone, and help
// alone if the notice is long.
func (a *App) foot() (keys widget.Keys, from int) {
	if _, own := a.top().(keyed); own {
		return widget.Keys{K: a.env}, a.plan.Footer.W + 1
	}
	var ways []action.Action
	offered := make([]action.Action, 0, footerKeys+2)
	if a.whole() {
		ways = []action.Action{a.shown(*action.Named(a.globals, allActions)), a.shown(*action.Named(a.globals, helpName))}
	} else if out := action.Find(a.surface().Actions(), "esc"); out != nil && a.shared() {
		ways = []action.Action{*out}
	}
	for _, act := range a.surface().Actions() {
		if act = a.shown(act); !a.shared() && len(offered) < footerKeys && act.KeyText() != "" && act.Offered() {
			offered = append(offered, act)
		}
	}
	end := a.plan.Footer.W - 1
	for n := len(offered); ; n-- {
		keys = widget.Keys{K: a.env, Table: append(offered[:n], ways...)}
		w := theme.Width(strings.Join(keys.Lines(1<<20), ""))
		switch {
		case a.shared() && len(ways) > 1 && 4+theme.Width(a.notice.Text) >= end-w:
			ways, n = ways[1:], n+1
		case a.shared():
			return keys, end - w
		case n == 0 || 1+w <= end:
			return keys, 1
		}
	}
}

// shown is an action with the key to show: while a field takes what is printable, not
// one that would write, even if there is no other.
func (a *App) shown(act action.Action) action.Action {
	writes := func(key string) bool { return key == "space" || len([]rune(strings.TrimPrefix(key, "shift+"))) == 1 }
	if act.Keys != "" && writes(act.KeyText()) && a.surface().Typing() {
		key, _ := api.Find(act.Keys.List(), func(key string) bool { return !writes(key) })
		act.Keys, act.Display = action.Keys(key), ""
	}
	return act
}

func (a *App) shared() bool { return a.notice.Text != "" && a.plan.Notice == a.plan.Footer }

// notice is the one line that says what just happened, until a key or a click, by which it was read.
type notice struct {
	msg.NotifiedMsg
	seq int
}

func (a *App) note(m msg.NotifiedMsg) tea.Cmd {
	seq := a.notice.seq + 1
	a.notice = notice{m, seq}
	return env.Later(a.env.Context, 8*time.Second, thenMsg(func(app *App) tea.Cmd {
		if n := &app.notice; n.seq == seq && n.Tone != msg.ToneBad {
			n.NotifiedMsg = msg.NotifiedMsg{}
		}
		return nil
	}))
}

func (a *App) tell(t msg.Tone, text string) tea.Cmd {
	return a.note(msg.NotifiedMsg{Tone: t, Text: text})
}

func (n *notice) line(t *theme.Theme, w int) string {
	if n.Text == "" {
		return ""
	}
	text := cmp.Or(n.Mark, [...]string{"·", "✓", "!", "✕"}[n.Tone]) + " " + n.Text
	path, _ := api.Find(strings.Fields(text), filepath.IsAbs) // of a long one its end is enough
	room := theme.Width(path) - max(theme.Width(text)-(w-2), 0)
	text = strings.Replace(text, path, theme.CutLeft(path, max(room, 16)), 1)
	return " " + [...]theme.Style{t.Muted, t.Good, t.Warn, t.Bad}[n.Tone].Paint(theme.Fit(text, w-2)) + " "
}

func (a *App) underWay(j *state.Job) msg.NotifiedMsg {
	k := a.env
	m := msg.NotifiedMsg{Tone: msg.ToneGood, About: j.ID}
	switch j.Phase {
	case api.PhaseIntent, api.PhaseSending:
		m.Tone, m.Text = msg.ToneHint, k.Say("Sending…")
		if j.Phase == api.PhaseIntent && !j.Error.IsZero() { // what it waits for
			m.Text = env.AsSentence(k.Reason(j.Error))
		}
	case api.PhaseUnknown, api.PhaseUnread:
		const format = "The outcome of %s is unknown: it may have been charged. See Jobs."
		m.Tone, m.Text = msg.ToneWarn, k.Say(format, a.cutTitle(j, k.Say(format, "")))
	case api.PhaseFetching:
		m.Text = k.Say("Fetching the result.")
	default:
		m.Text = k.Say("Accepted. You can write the next one.")
	}
	return m
}

// endOf is the notice of jobs that have ended; one failure makes it bad news.
func (a *App) endOf(ended []state.Job) msg.NotifiedMsg {
	k, where := a.env, ""
	failed := len(slices.DeleteFunc(slices.Clone(ended), func(j state.Job) bool { return j.Phase == api.PhaseDone }))
	switch {
	case a.at == msg.PlaceJobs:
	case a.at == msg.PlaceCreate && a.top() == nil && failed == 0:
		where = "   " + k.Say("%s shows it", k.Key("results", "alt+r"))
	default:
		where = "   " + k.Say("%s shows it", action.Named(a.globals, "jobs").KeyText())
	}
	j, done := &ended[0], len(ended)-failed
	look := widget.PhaseLook(j.Phase)
	switch {
	case len(ended) > 1 && failed > 0:
		return msg.NotifiedMsg{Tone: msg.ToneWarn, Text: k.Say("%d done, %d failed", done, failed) + where}
	case len(ended) > 1:
		return msg.NotifiedMsg{Tone: msg.ToneGood, Mark: look.Mark, Text: k.Say("%d done", done) + where}
	}
	m := msg.NotifiedMsg{Tone: msg.ToneGood, About: j.ID, Mark: look.Mark}
	if done == 0 {
		m.Tone = msg.ToneBad
		why := widget.ClassWords(k, j.ErrClass)
		if why = cmp.Or(k.SayIf(why != "" && j.Phase == api.PhaseRejected, "%s: nothing was charged", why), why); why != "" {
			where = ", " + why + where
		}
	}
	m.Text = endText(k, j.Phase, a.cutTitle(j, endText(k, j.Phase, "")+where)) + where
	return m
}

// endText says of a title how its job ended.
func endText(k *env.Env, p api.Phase, title string) string {
	return k.Say("%s: “%s”", env.Capital(k.Say(widget.PhaseLook(p).Word)), title)
}

// cutTitle cuts a title so that what happened is in view.
func (a *App) cutTitle(j *state.Job, rest string) string {
	room := a.plan.Notice.W - 4 - theme.Width(rest)
	if a.plan.Notice == a.plan.Footer {
		room -= len("f1 ") + theme.Width(a.env.Say("help")) + 2
	}
	return theme.Cut(j.Title, min(max(room, 12), 40))
}
