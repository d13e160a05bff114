package prices

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Spending shows what was spent, over every screen: bars by day, week or month, the
// day's budget, and a table by model or kind.
type Spending struct {
	widget.Passive
	k       *env.Env
	backend Backend
	w, h    int
	period  int  // of spendPeriods
	at      int  // the chosen part of the period
	only    bool // the table is of that part alone
	byKind  bool
	read    spendReadMsg // the last answer; without parts before there is one
	err     error        // why a newer one could not be read
	latest  widget.Latest
	table   widget.Scroll
	barsAt  []int // where the bars begin
	chart   widget.Rect
	frames  [3]widget.Frame
	box     string
}

// spendPeriods are what is shown, with how many parts each has, of so many days or 0 for
// months, and where in its first day the number of a part is.
var spendPeriods = [...]struct {
	title              string
	parts, days, named int
}{{"14 days", 14, 1, len("2006-01-")}, {"12 weeks", 12, 7, len("2006-01-")}, {"12 months", 12, 0, len("2006-")}}

// begins is the first day of the part of a period so many before the last.
func begins(period int, today time.Time, back int) time.Time {
	y, m, d := today.Date()
	if days := spendPeriods[period].days; days > 0 {
		d -= days*(back+1) - 1
	} else {
		m, d = m-time.Month(back), 1
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

// spendPart is a bar: a day, week or month.
type spendPart struct {
	from, to string // its first day and the one before the next part
	state.Sum
	videos api.Credits
}

// spendReadMsg is what was spent in a period.
type spendReadMsg struct {
	seq, period int
	lines       []state.Line
	parts       []spendPart // oldest first
	rate        api.Credits // that this month comes to if it goes on like that
	err         error
}

// OpenSpending opens the overlay, which begins to read.
func OpenSpending(k *env.Env, b Backend) tea.Cmd {
	o := &Spending{k: k, backend: b}
	do, scroll, some := action.Do, o.table.Actions(), func() bool { return !o.nothing() }
	scroll[0].Display, scroll[1].Keys = "↑/↓", "up"
	o.Table = append(action.Then(append([]action.Action{
		{Name: "part", Keys: "left", Display: "←/→", Label: "choose a bar", Offer: some, Handler: do(o.choose, -1)},
		{Name: "next_part", Keys: "right", Label: "next bar", Hidden: true, Handler: do(o.choose, 1)},
		{Name: "only_part", Keys: "enter", Label: "only this bar", Offer: some, Handler: func() tea.Cmd { o.only = !o.only; return nil }},
		{Name: "period", Keys: "d", Label: "weeks, months", Handler: func() tea.Cmd { return o.show((o.period + 1) % len(spendPeriods)) }},
		{Name: "by_kind", Keys: "k", Label: "by model or kind", Offer: some, Handler: func() tea.Cmd { o.byKind = !o.byKind; return nil }},
		widget.Moving("refresh", "", "refresh", o.ask, "r"),
	}, scroll...), o.arrange), action.Action{Name: "back", Keys: "esc q $", Label: "back", Closes: true})
	return tea.Batch(msg.Open(k, o), o.ask())
}

func (o *Spending) show(period int) tea.Cmd {
	o.period, o.only = period, false
	return o.ask()
}

// Whole is true: help and the list of all actions can be opened from here.
func (o *Spending) Whole() bool         { return true }
func (o *Spending) Restyle()            { o.arrange() }
func (o *Spending) Box(_, _ int) string { return o.box }

func (o *Spending) Update(message tea.Msg) tea.Cmd {
	defer o.arrange()
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		o.w, o.h = m.Width, m.Height
	case spendReadMsg:
		if !o.latest.Answered(m.seq, m.err) {
			return nil
		}
		if o.err = m.err; m.err == nil {
			if o.read.parts == nil || o.read.period != m.period {
				o.at = len(m.parts) - 1
				for i := range m.parts {
					if m.parts[i].Jobs > 0 {
						o.at = i // the last one with something to see
					}
				}
			}
			o.read = m
		}
		return o.latest.Again(o.k.Context, o.ask)
	case msg.ChangedMsg:
		if m.Err == nil && o.latest.Changed() {
			return o.ask()
		}
	case msg.WheelMsg:
		o.table.By(3 * m.By)
	case msg.ClickMsg:
		if n := widget.SegmentAt(m.X-widget.Inset-theme.Width(o.k.Say("Spending"))-2, o.titles()...); n >= 0 && m.Y == 0 {
			return o.show(n)
		}
		if n, _ := slices.BinarySearch(o.barsAt, m.X-widget.Inset+1); n > 0 && o.chart.Holds(m.X, m.Y) {
			o.at = n - 1
		}
	}
	return nil
}

// ask reads what was spent, up to today.
func (o *Spending) ask() tea.Cmd {
	seq, period, ctx, backend, clock := o.latest.Ask(), o.period, o.k.Context, o.backend, o.k.Clock
	return func() tea.Msg {
		today := clock()
		parts := partsOf(period, today)
		y, m, d := begins(period, today, len(parts)-1).Date()
		begun := []time.Time{api.Midnight(y, m, d, today.Location()), api.Month.Begin(today)}
		spend, err := backend.Spend(ctx, slices.MinFunc(begun, time.Time.Compare))
		for _, l := range spend {
			if i := partAt(parts, l.Day); i >= 0 {
				if parts[i].Add(l); l.Kind == api.KindVideo {
					parts[i].videos = parts[i].videos.Plus(l.Credits)
				}
			}
		}
		return spendReadMsg{seq, period, spend, parts, spend.MonthAt(today), err}
	}
}

func (o *Spending) choose(by int) { o.at = max(min(o.at+by, len(o.read.parts)-1), 0) }

// nothing reports whether the period is known to have no job.
func (o *Spending) nothing() bool {
	some := func(p spendPart) bool { return p.Jobs > 0 }
	return o.err == nil && o.read.parts != nil && !slices.ContainsFunc(o.read.parts, some)
}

// partsOf are the parts of a period until today, without sums.
func partsOf(period int, today time.Time) []spendPart {
	parts, to := make([]spendPart, spendPeriods[period].parts), begins(0, today, 0)
	for i := len(parts) - 1; i >= 0; i-- {
		from := begins(period, today, len(parts)-1-i)
		parts[i].from, parts[i].to = from.Format(time.DateOnly), to.Format(time.DateOnly)
		to = from.AddDate(0, 0, -1)
	}
	return parts
}

// partAt is the part that a day lies in, or -1.
func partAt(parts []spendPart, day string) int {
	return slices.IndexFunc(parts, func(p spendPart) bool { return p.from <= day && day <= p.to })
}

// spentOn is a row of the table: a model, or a kind alone.
type spentOn struct {
	model string
	kind  api.Kind
	state.Sum
	bars []api.Credits // of each part
}

// rows are what the period or the chosen part alone went to, the dearest first, and their sum.
func (o *Spending) rows(alone, byKind bool) (rows []spentOn, total state.Sum) {
	for _, l := range o.read.lines {
		part := partAt(o.read.parts, l.Day)
		if part < 0 || alone && part != o.at {
			continue
		}
		if byKind {
			l.Model = ""
		}
		i := slices.IndexFunc(rows, func(r spentOn) bool { return r.kind == l.Kind && r.model == l.Model })
		if i < 0 {
			i = len(rows)
			rows = append(rows, spentOn{model: l.Model, kind: l.Kind, bars: make([]api.Credits, len(o.read.parts))})
		}
		rows[i].Add(l)
		total.Add(l)
		rows[i].bars[part] = rows[i].bars[part].Plus(l.Credits)
	}
	slices.SortStableFunc(rows, func(a, b spentOn) int {
		return cmp.Or(cmp.Compare(b.Credits, a.Credits), cmp.Compare(b.Possibly, a.Possibly))
	})
	return rows, total
}

func (r *spentOn) name(k *env.Env) string {
	return cmp.Or(clean(r.model), k.Say(cmp.Or(kindWords[r.kind], "tools")))
}

var kindWords = map[api.Kind]string{api.KindVideo: "videos", api.KindImage: "pictures"}

// possibly says how much of a sum may be charged.
func (o *Spending) possibly(sum *state.Sum) string {
	if sum.Possibly <= 0 {
		return ""
	}
	return o.k.Theme.Doubt.Paint("  " + o.k.Say("%s of it uncertain", sum.Possibly.String()))
}

func (o *Spending) made(kind api.Kind, n int) string {
	words := cmp.Or(madeWords[kind], [2]string{"%s call", "%s calls"})
	return o.k.Count(n, words[0], words[1])
}

var madeWords = map[api.Kind][2]string{api.KindVideo: {"%s video", "%s videos"}, api.KindImage: {"%s picture", "%s pictures"}}

// spent is an amount, or that its price is not known.
func spent(s *state.Sum) string {
	if s.Unpriced > 0 && s.Credits == 0 {
		return "?"
	}
	return s.Credits.String()
}
