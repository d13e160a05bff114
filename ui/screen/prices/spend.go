package prices

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

var spendDays = []int{7, 30, 90}

// spending is the page of what was spent.
type spending struct {
	days   int          // the period that is asked for
	read   spendReadMsg // the last answer; without days before there is one
	err    error        // why a newer one could not be read
	latest widget.Latest
	scroll widget.Scroll
}

// spendReadMsg is what was spent in a number of days.
type spendReadMsg struct {
	seq int
	state.Spend
	days []state.Line // the sum of each day of the period, oldest first
	err  error
}

func (s *Screen) showSpend() tea.Cmd {
	s.ledger = true
	s.endAsking()
	s.spend.scroll.ToTop()
	return s.readSpend()
}

func (s *Screen) leaveSpend() tea.Cmd {
	s.ledger = false
	return s.fill()
}

func (s *Screen) whyNoSpend() string { return s.k.SayIf(!s.ledger, "The prices are shown.") }

func (s *Screen) changeDays(by int) tea.Cmd {
	at := slices.Index(spendDays, s.spend.days) + by
	if at < 0 || at >= len(spendDays) {
		return nil
	}
	s.spend.days = spendDays[at]
	return s.readSpend()
}

// readSpend reads what was spent, up to today.
func (s *Screen) readSpend() tea.Cmd {
	seq, days, ctx, records, clock := s.spend.latest.Ask(), s.spend.days, s.k.Context, s.records, s.k.Clock
	return func() tea.Msg {
		y, m, d := clock().Date()
		since := time.Date(y, m, d-days+1, 0, 0, 0, 0, clock().Location())
		spend, err := records.Spend(ctx, since)
		return spendReadMsg{seq, spend, daySums(since, days, spend.Lines), err}
	}
}

func (s *Screen) spendRead(m spendReadMsg) tea.Cmd {
	last, again := s.spend.latest.Answered(m.seq, m.err)
	if !last {
		return nil
	}
	if s.spend.err = m.err; m.err == nil {
		s.spend.read = m
	}
	if again {
		return s.spend.latest.After(s.k.Context, s.readSpend())
	}
	return nil
}

// daySums adds the lines of each day of a period, days without any included.
// Where a day begins at one o'clock, since may be an hour before it: noon tells.
func daySums(since time.Time, days int, lines []state.Line) []state.Line {
	out := make([]state.Line, days)
	for i := range out {
		out[i].Day = since.Add(12*time.Hour).AddDate(0, 0, i).Format(time.DateOnly)
	}
	return summed(out, lines, func(a, b state.Line) bool { return a.Day == b.Day })[:days]
}

// summed adds lines that are the same to one.
func summed(sums, lines []state.Line, same func(a, b state.Line) bool) []state.Line {
	for _, l := range lines {
		i := slices.IndexFunc(sums, func(to state.Line) bool { return same(to, l) })
		if i < 0 {
			sums = append(sums, l)
			continue
		}
		to := &sums[i]
		to.Jobs += l.Jobs
		to.Credits = to.Credits.Plus(l.Credits)
		to.Possibly = to.Possibly.Plus(l.Possibly)
		to.Unpriced += l.Unpriced
	}
	return sums
}

// byModel adds the lines of each model, the dearest first.
func byModel(lines []state.Line) []state.Line {
	out := summed(nil, lines, func(a, b state.Line) bool { return a.Kind == b.Kind && a.Model == b.Model })
	for i := range out {
		out[i].Day = ""
	}
	slices.SortStableFunc(out, func(a, b state.Line) int {
		return cmp.Or(cmp.Compare(b.Credits, a.Credits), cmp.Compare(b.Possibly, a.Possibly))
	})
	return out
}

func (s *Screen) drawSpend(p *widget.Pane) []string {
	p.Title, p.Right = s.k.Say("Spending"), s.k.Say("− %d days +", s.spend.days)
	p.Foot = widget.More(s.k, 0, s.spend.scroll.Below())
	return s.spend.scroll.Lines()
}

const ledgerShown = 200

// spendContent is all of the page: the sum, the days as a chart, what it went to,
// and the ledger's lines by day, model and kind.
func (s *Screen) spendContent(w, h int) []string {
	k, t, read := s.k, s.k.Theme, &s.spend.read
	f := &widget.Facts{Width: w, Theme: t}
	total := read.Total()
	switch {
	case s.spend.err != nil:
		f.Wrapped(t.Bad, env.Sentence(k, s.spend.err))
	case read.days == nil:
		f.Wrapped(t.Muted, k.Say("Adding up."))
	case total.Jobs == 0:
		f.Wrapped(t.Muted, k.Say("Nothing was spent in these days."))
	}
	if len(f.Lines) > 0 {
		return f.Lines
	}
	s.writeTotal(f, total)
	f.Add("")
	f.Add(dayChart(t, read.days, w, min(max(h/3, 4), 12))...)
	s.writeSpent(f, k.Say("By model"), byModel(read.Lines), total.Credits)
	s.writeSpent(f, k.Say("By day"), read.Lines[:min(len(read.Lines), ledgerShown)], total.Credits)
	if more := len(read.Lines) - ledgerShown; more > 0 {
		f.Painted(t.Muted.Paint(k.Say("%d more lines: 'darkroom spend' has all of them", more)))
	}
	return f.Lines
}

// writeTotal says what is sure, what is possible, and what a kept result cost.
func (s *Screen) writeTotal(f *widget.Facts, total state.Sum) {
	k, t := s.k, s.k.Theme
	parts := []string{t.Accent.Paint(k.Say("%s credits", env.Amount(total.Credits))), t.Muted.Paint(k.Count(total.Jobs, "%s job", "%s jobs"))}
	if total.Possibly > 0 {
		parts = append(parts, t.Doubt.Paint(k.Say("possibly %s more", env.Amount(total.Possibly))))
	}
	if total.Unpriced > 0 {
		parts = append(parts, t.Warn.Paint(k.Words.Count(total.Unpriced, "%d without a price", "%d without a price")))
	}
	f.Painted(strings.Join(parts, "  "))
	per, ok := s.spend.read.PerKept()
	if !ok {
		f.Painted(t.Muted.Paint(k.Say("Star a result to see the cost per kept result.")))
		return
	}
	const hundredth = api.Credit / 100
	per = per.Plus(hundredth-1) / hundredth * hundredth // what a share comes to need not be exact
	f.Painted(t.Text.Paint(k.Say("%s kept, %s credits each", k.Words.Count(s.spend.read.Kept, "%d result", "%d results"), env.Amount(per))))
}

// writeSpent writes lines as a table: what, jobs, credits, possibly, share. Lines
// of the ledger have a day, which is written once.
func (s *Screen) writeSpent(f *widget.Facts, title string, lines []state.Line, total api.Credits) {
	k, t := s.k, s.k.Theme
	jobs, sum, bar := 7, 14, barWidth+6
	if f.Width < 80 {
		jobs, sum, bar = 6, 10, 6
	}
	wide := max(f.Width-jobs-2*sum-bar, 10)
	g := widget.Grid{
		Columns: []widget.GridColumn{{Width: wide}},
		Head: []string{t.Strong.Paint(title), t.Muted.Paint(k.Say("jobs")), t.Muted.Paint(k.Say("credits")),
			t.Muted.Paint(k.Say("possibly")), ""},
	}
	for _, width := range [...]int{jobs, sum, sum, bar} {
		g.Columns = append(g.Columns, widget.GridColumn{Width: width, Right: true})
	}
	last := ""
	for _, l := range lines {
		model, kind, day := t.Text.Paint(clean(l.Model)), t.Muted.Paint("  "+s.kindText(l.Kind)), l.Day
		what := model + kind
		if day != "" {
			if day == last {
				day = theme.Blank(len(day))
			}
			what = t.Text.Paint(day) + kind + "  " + model
		}
		last = l.Day
		spent, more := env.Amount(l.Credits), ""
		if l.Unpriced > 0 && l.Credits == 0 {
			spent = "?"
		}
		if l.Possibly > 0 {
			more = "+" + env.Amount(l.Possibly)
		}
		g.Rows = append(g.Rows, []string{theme.Cut(what, wide-1), t.Muted.Paint(env.Thousands(l.Jobs)), t.Text.Paint(spent),
			t.Doubt.Paint(more), share(t, l.Credits, total, bar)})
	}
	f.Gap()
	f.Add(g.Lines()...)
}

func (s *Screen) kindText(kind api.Kind) string {
	if kind == api.KindImage || kind == api.KindVideo {
		return s.k.Say(widget.KindWord(kind))
	}
	return s.k.Say("tool")
}

// Parts of a cell in eighths: from below, and from the left.
var (
	risingBlocks = []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	lyingBlocks  = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
)

// inEighths is a part of a sum in eighths of n cells, at least one if any.
func inEighths(part, all api.Credits, n int) int {
	if part <= 0 || all <= 0 {
		return 0
	}
	return max(int(min(float64(part)/float64(all), 1)*float64(n*8)+0.5), 1)
}

const barWidth = 12

// share draws a part of a sum as a bar with its per cent, w cells wide.
func share(t *theme.Theme, part, all api.Credits, w int) string {
	if all <= 0 {
		return ""
	}
	percent := t.Muted.Paint(widget.AlignRight(strconv.Itoa(int(float64(part)/float64(all)*100+0.5))+"%", 5))
	room := min(barWidth, w-6)
	if room < 4 {
		return percent
	}
	n := inEighths(part, all, room)
	bar := strings.Repeat("█", n/8) + lyingBlocks[n%8]
	return t.Run.Paint(bar) + theme.Blank(room-theme.Width(bar)) + percent
}

// dayChart draws a bar for each day, rows high: solid for what was spent, shaded
// above it for what may have been, with the dearest amount and first and last day.
func dayChart(t *theme.Theme, days []state.Line, w, rows int) []string {
	top := api.Credits(0)
	for _, d := range days {
		top = max(top, d.Credits.Plus(d.Possibly))
	}
	label := env.Amount(top) + " "
	side := theme.Width(label)
	bar := min(max((w-side-1)/len(days), 1), 6)
	days = days[max(len(days)-max((w-side-1)/bar, 1), 0):] // the newest, if not all fit
	gap := min(bar/3, 1)
	lines := make([]string, 0, rows+2)
	for row := rows - 1; row >= 0; row-- {
		line := t.Muted.Paint(label) + t.Border.Paint("│")
		for _, d := range days {
			style, text := chartCell(t, d, top, rows, row)
			line += style.Paint(strings.Repeat(text, bar-gap)) + theme.Blank(gap)
		}
		lines, label = append(lines, line), theme.Blank(side)
	}
	width, first, last := bar*len(days), days[0].Day[5:], days[len(days)-1].Day[5:]
	between := theme.Blank(max(width-len(first)-len(last), 1))
	return append(lines, label+t.Border.Paint("└"+strings.Repeat("─", width)), label+" "+t.Muted.Paint(first+between+last))
}

// chartCell is the part of a day's bar in one row, row 0 being the lowest.
func chartCell(t *theme.Theme, d state.Line, top api.Credits, rows, row int) (theme.Style, string) {
	sure := inEighths(d.Credits, top, rows)
	all := sure
	if d.Possibly > 0 {
		all = max(inEighths(d.Credits.Plus(d.Possibly), top, rows), sure+1)
	}
	switch {
	case sure > row*8:
		return t.Run, risingBlocks[min(sure-row*8, 8)]
	case all > row*8:
		return t.Doubt, "░"
	}
	return t.Faint, " "
}
