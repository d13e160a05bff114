package prices

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// spendLines draws the page of spending.
func (s *Screen) spendLines() []string {
	k := s.k
	p := widget.Pane{Width: s.w, Height: s.h, Title: k.Say("Spending"), Right: k.Say("− %d days +", s.spend.days), Focus: true,
		Foot: widget.More(k, 0, s.spend.scroll.Below())}
	return p.Lines(k.Theme, s.spend.scroll.Lines())
}

// spendContent is all of the page: the sum, the days as a chart, what it went to,
// and the ledger's lines.
func (s *Screen) spendContent(w, h int) []string {
	k, t, sp := s.k, s.k.Theme, &s.spend
	f := &widget.Facts{Width: w, Theme: t}
	switch {
	case sp.err != nil:
		f.Wrapped(t.Bad, env.Sentence(k, sp.err))
		return f.Lines
	case !sp.known:
		f.Wrapped(t.Muted, k.Say("Adding up."))
		return f.Lines
	}
	total := sp.read.Total()
	if total.Jobs == 0 {
		f.Wrapped(t.Muted, k.Say("Nothing was spent in these days."))
		return f.Lines
	}
	s.writeTotal(f, total)
	f.Lines = append(f.Lines, "")
	f.Lines = append(f.Lines, dayChart(t, sp.byDay, w, min(max(h/3, 4), 12))...)
	f.Lines = append(f.Lines, "")
	s.writeModels(f, total)
	s.writeLedger(f, total)
	return f.Lines
}

// writeTotal says what all of it comes to: what is sure, what is possible, and
// what a kept result cost.
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
	sp := &s.spend.read
	switch per, ok := sp.PerKept(); {
	case ok:
		f.Painted(t.Text.Paint(k.Say("%s kept, %s credits each", k.Words.Count(sp.Kept, "%d result", "%d results"), env.Amount(hundredths(per)))))
	default:
		f.Painted(t.Muted.Paint(k.Say("No result is picked or starred: none has a cost of its own.")))
	}
}

// hundredths rounds an amount up to a hundredth: what a share comes to need not be
// exact.
func hundredths(c api.Credits) api.Credits {
	const hundredth = api.Credit / 100
	if c > api.MaxCredits-hundredth {
		return c
	}
	return (c + hundredth - 1) / hundredth * hundredth
}

// blocks are parts of a cell from below, in eighths.
var blocks = []string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// dayChart draws a bar for each day, rows high: solid for what was spent, shaded
// above it for what may have been. The dearest day's amount and the first and
// last day stand beside it.
func dayChart(t *theme.Theme, days []daySum, w, rows int) []string {
	top := api.Credits(0)
	for _, d := range days {
		top = max(top, d.credits.Plus(d.possibly))
	}
	label := env.Amount(top)
	side := theme.Width(label) + 1
	bar := min(max((w-side-1)/max(len(days), 1), 1), 6)
	shown := days[max(len(days)-(w-side-1)/bar, 0):] // the newest, where not all fit
	gap := 0
	if bar > 2 {
		gap = 1
	}
	lines := make([]string, 0, rows+2)
	for row := range rows {
		var b strings.Builder
		axis := theme.Blank(side)
		if row == 0 {
			axis = label + " "
		}
		t.Muted.Write(&b, axis)
		t.Border.Write(&b, "│")
		for _, d := range shown {
			style, text := chartCell(t, d, top, rows, rows-1-row)
			style.Write(&b, strings.Repeat(text, bar-gap))
			b.WriteString(theme.Blank(gap))
		}
		lines = append(lines, b.String())
	}
	if len(shown) == 0 {
		return lines
	}
	width := bar * len(shown)
	first, last := shown[0].day[5:], shown[len(shown)-1].day[5:]
	lines = append(lines, theme.Blank(side)+t.Border.Paint("└"+strings.Repeat("─", width)))
	return append(lines, theme.Blank(side+1)+t.Muted.Paint(first+theme.Blank(max(width-len(first)-len(last), 1))+last))
}

// chartCell is the part of a day's bar in one row, row 0 being the lowest.
func chartCell(t *theme.Theme, d daySum, top api.Credits, rows, row int) (theme.Style, string) {
	height := func(c api.Credits) int { // in eighths of a row
		if c <= 0 || top <= 0 {
			return 0
		}
		return max(int(float64(c)/float64(top)*float64(rows*8)+0.5), 1)
	}
	sure := height(d.credits)
	all := sure
	if d.possibly > 0 {
		all = max(height(d.credits.Plus(d.possibly)), sure+1)
	}
	switch {
	case sure >= row*8+1:
		return t.Run, blocks[min(sure-row*8, 8)]
	case all >= row*8+1:
		return t.Doubt, "░"
	}
	return t.Faint, " "
}

type modelSum struct {
	kind  api.Kind
	model string
	state.Sum
}

// byModel adds the lines of each model, the dearest first.
func byModel(lines []state.Line) []modelSum {
	var out []modelSum
	at := map[string]int{}
	for _, l := range lines {
		name := string(l.Kind) + " " + l.Model
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, modelSum{kind: l.Kind, model: l.Model})
		}
		out[i].Add(l)
	}
	slices.SortStableFunc(out, func(a, b modelSum) int {
		return cmp.Or(cmp.Compare(b.Credits, a.Credits), cmp.Compare(b.Possibly, a.Possibly))
	})
	return out
}

// spendColumns are the columns of the tables: what, jobs, credits, possibly,
// share.
func spendColumns(w int) []widget.GridColumn {
	jobs, credits, possibly, bar := 7, 14, 14, barWidth+6
	if w < 80 {
		jobs, credits, possibly, bar = 6, 10, 10, 6
	}
	return []widget.GridColumn{{Width: max(w-jobs-credits-possibly-bar, 10)}, {Width: jobs, Right: true},
		{Width: credits, Right: true}, {Width: possibly, Right: true}, {Width: bar, Right: true}}
}

func (s *Screen) spendHead(what string) []string {
	t, k := s.k.Theme, s.k
	return []string{t.Strong.Paint(what), t.Muted.Paint(k.Say("jobs")), t.Muted.Paint(k.Say("credits")), t.Muted.Paint(k.Say("possibly")), ""}
}

// spendRow is a row of those tables.
func (s *Screen) spendRow(columns []widget.GridColumn, what string, sum state.Sum, total api.Credits) []string {
	t := s.k.Theme
	credits, possibly := env.Amount(sum.Credits), ""
	if sum.Unpriced > 0 && sum.Credits == 0 {
		credits = "?"
	}
	if sum.Possibly > 0 {
		possibly = "+" + env.Amount(sum.Possibly)
	}
	return []string{theme.Cut(what, columns[0].Width-1), t.Muted.Paint(env.Thousands(sum.Jobs)), t.Text.Paint(credits),
		t.Doubt.Paint(possibly), s.share(sum.Credits, total, columns[4].Width)}
}

// kindText is a ledger's kind in words.
func (s *Screen) kindText(kind api.Kind) string {
	switch kind {
	case api.KindImage, api.KindVideo:
		return s.k.Say(widget.KindWord(kind))
	}
	return s.k.Say("tool")
}

func (s *Screen) writeModels(f *widget.Facts, total state.Sum) {
	columns := spendColumns(f.Width)
	g := widget.Grid{Columns: columns, Head: s.spendHead(s.k.Say("By model"))}
	for _, m := range byModel(s.spend.read.Lines) {
		what := s.k.Theme.Text.Paint(clean(m.model)) + s.k.Theme.Muted.Paint("  "+s.kindText(m.kind))
		g.Rows = append(g.Rows, s.spendRow(columns, what, m.Sum, total.Credits))
	}
	f.Lines = append(f.Lines, g.Lines()...)
}

// ledgerShown is how many lines of the ledger are shown.
const ledgerShown = 200

// writeLedger shows the ledger's lines by day, model and kind.
func (s *Screen) writeLedger(f *widget.Facts, total state.Sum) {
	t, lines := s.k.Theme, s.spend.read.Lines
	columns := spendColumns(f.Width)
	g := widget.Grid{Columns: columns, Head: s.spendHead(s.k.Say("By day"))}
	last := ""
	for _, l := range lines[:min(len(lines), ledgerShown)] {
		day := l.Day
		if day == last {
			day = theme.Blank(len(day))
		}
		last = l.Day
		var sum state.Sum
		sum.Add(l)
		what := t.Text.Paint(day) + t.Muted.Paint("  "+s.kindText(l.Kind)+"  ") + t.Text.Paint(clean(l.Model))
		g.Rows = append(g.Rows, s.spendRow(columns, what, sum, total.Credits))
	}
	f.Gap()
	f.Lines = append(f.Lines, g.Lines()...)
	if more := len(lines) - ledgerShown; more > 0 {
		f.Painted(t.Muted.Paint(s.k.Say("%d more lines: 'darkroom spend' has all of them", more)))
	}
}
