package prices

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// arrange draws the whole page: the chart, with the budget over it or beside it, and the table below.
func (o *Spending) arrange() {
	if o.w == 0 {
		return
	}
	rows, _ := o.rows(false, o.byKind)
	high := min(max(min(max((o.h*4+4)/7, o.h-12-2*len(rows)), o.h*3/4), 10), o.h) // the table needs little for few rows
	if o.nothing() {
		high = o.h
	}
	o.chart = widget.Rect{W: o.w, H: high}
	panes := [][]string{nil}
	if o.w >= sparkFrom {
		p := &widget.Pane{Width: min(o.w/3, 48), Height: high, Title: o.k.Say("Budget"), Inset: true}
		o.chart.W -= p.Width
		panes = append(panes, p.Keep(&o.frames[2], o.k.Theme, o.budget(p.Width-2*widget.Inset, true)))
	}
	panes[0] = o.drawChart(o.chart.W, high)
	lines := new(widget.Beside).Join(panes...)
	if high < o.h {
		lines = append(widget.Under(o.k.Theme, lines, o.w), o.drawTable(o.w, o.h-high)...)
	}
	o.box = strings.Join(lines, "\n")
}

// titles name the periods.
func (o *Spending) titles() (names []string) {
	for _, p := range spendPeriods {
		names = append(names, o.k.Say(p.title))
	}
	return names
}

// drawChart draws a bar for each part of the period, its videos and its pictures in two
// shades.
func (o *Spending) drawChart(w, h int) []string {
	k, t := o.k, o.k.Theme
	p := &widget.Pane{Width: w, Height: h, Title: k.Say("Spending") + t.Muted.Paint("  "), Focus: true, Quiet: true, Inset: true}
	p.Title += widget.Segments(t, o.period, o.titles()...)
	p.Right = swatch(t, 0, api.KindVideo, 2) + t.Muted.Paint(" "+k.Say("videos")+"  ") +
		swatch(t, 2, api.KindImage, 2) + t.Muted.Paint(" "+k.Say("pictures"))
	w, h = p.Inner()
	f := &widget.Facts{Width: w, Theme: t}
	gap := make([]string, min(h/15, 1))
	f.Add(make([]string, min(h/11, 1))...)
	if o.chart.W == o.w {
		f.Add(append(o.budget(w, false), gap...)...)
	}
	switch {
	case o.nothing():
		f.Wrapped(t.Muted, k.Say("Nothing was spent in these days."))
	case len(o.read.parts) > 0:
		f.Add(o.bars(w, h-len(f.Lines)-3-2*len(gap))...)
		f.Add(gap...)
		// What the chosen part came to, by kind.
		part := &o.read.parts[o.at]
		name := part.from
		if part.to != part.from {
			name += " – " + part.to
		}
		if o.period == 0 && o.at == len(o.read.parts)-1 {
			name = k.Say("Today")
		}
		rows, _ := o.rows(true, true)
		sums := api.Map(rows, func(r spentOn) string { return o.made(r.kind, r.Jobs) + " " + spent(&r.Sum) })
		name += " " + part.Credits.Plus(part.Possibly).String()
		f.Painted(t.Accent.Paint("▸ ") + t.Strong.Paint(name+"  ") + t.Text.Paint(strings.Join(sums, " · ")) + o.possibly(&part.Sum))
	}
	return p.Keep(&o.frames[0], t, f.Lines)
}

// roundStep is the least round amount that is not below c.
func roundStep(c api.Credits) api.Credits {
	for unit := api.Credit; ; unit *= 10 {
		for _, step := range [...]api.Credits{unit, 2 * unit, 5 * unit / 2, 5 * unit} {
			if step >= c || step > api.MaxCredits/100 {
				return step
			}
		}
	}
}

// bars draws the parts of the period as bars, on as many rows over lines of round amounts
// and below the line of the day's budget; and their names. A line lies at the bottom of its
// row, and so does that of nothing, on which the bars stand.
func (o *Spending) bars(w, rows int) []string {
	k, t, parts := o.k, o.k.Theme, o.read.parts
	sums := api.Map(parts, func(p spendPart) api.Credits { return p.Credits.Plus(p.Possibly) })
	rows, highest := max(rows, 1), slices.Index(sums, slices.Max(sums))
	top, budget := max(sums[highest], api.Credit), api.Credits(0)
	if b := k.Today.Budget; o.period == 0 && b > 0 && b/api.Credits(max(min(rows/4, 3), 1)) <= top { // else the bars would be low
		top, budget = max(top, b), b
	}
	unit, step, best := 1, top, 0.0 // many lines, and bars nearly as high as any allow
	for steps := 1; steps <= max(min(rows/2, 5), 2); steps++ {
		s := roundStep(top / api.Credits(steps))
		n := int(float64(rows) * float64(s) / float64(top)) // the figure of a bar stands above it
		if high := float64(n) / float64(s) * float64(top); n > 0 && n <= rows && high >= 0.8*best {
			unit, step, best = n, s, max(best, high)
		}
	}
	full := step * api.Credits(rows) / api.Credits(unit)
	side := theme.Width((step * api.Credits(rows/unit)).String()) + 1
	each := (w - side) / len(parts)
	between := max(each/4, 1) // or somewhat more, if less is left after the last bar
	left := func(n int) int { return (w - side + n) % len(parts) }
	for n := between + 1; n <= each/2; n++ {
		if left(n) < left(between) {
			between = n
		}
	}
	each = max((w-side+between)/len(parts), 1)
	wide := max(each-between, 1)
	o.barsAt = make([]int, len(parts))
	for i := range o.barsAt {
		o.barsAt[i] = side + i*each
	}
	budgetAt := int(math.Round(part(budget, full) * float64(2*rows))) // in half rows
	empty := func(i, m int) bool { return i < 0 || i == len(parts) || o.bar(i, 8*m, full, rows, wide) == "" }
	lines := make([]string, 0, rows+2)
	for m := rows; m >= 0; m-- {
		label, rule, style := "", " ", t.Border
		if m%unit == 0 && step*api.Credits(m/unit-1) < top { // none above the first that is not below the top
			label, rule = (step * api.Credits(m/unit)).String(), "_"
		}
		words := ""
		if budget > 0 && m == budgetAt/2 && m > 0 {
			label, rule, style, words = budget.String(), [...]string{"_", "─"}[budgetAt%2], t.Muted, k.Say("daily budget")+" "
		}
		line := t.Muted.Paint(widget.AlignRight(label, side-1) + " " + words)
		upTo := func(x int) { line += style.Paint(strings.Repeat(rule, max(x-theme.Width(line), 0))) }
		for i, x := range o.barsAt {
			bar, said := o.bar(i, 8*m, full, rows, wide), ""
			if (i == o.at || i == highest) && bar == "" && !empty(i, m-1) {
				said = sums[i].String()
				x = min(x+(wide-len(said))/2, w-len(said))
			}
			if len(said) > wide && !(len(said) < 2*each && empty(i-1, m) && empty(i+1, m)) {
				said, x = "", o.barsAt[i]
			}
			if x >= max(theme.Width(line), side) {
				upTo(x)
				line += bar + t.Accent.If(i == o.at, t.Text).Paint(said)
			}
		}
		upTo(w)
		lines = append(lines, line)
	}
	names := ""
	for i := range parts {
		name := strings.TrimLeft(parts[i].from[spendPeriods[o.read.period].named:][:2], "0")
		painted := t.Muted.Paint(name)
		if i == o.at {
			painted = t.Element.Lay(t.Accent.Paint("▸") + t.Strong.Paint(name))
		}
		names += theme.Blank(o.barsAt[i]+(wide-theme.Width(painted))/2-theme.Width(names)) + painted
	}
	return append(lines, names)
}

// bar is a part's bar in the cells from so many eighths of a row on, or "": the rest on the
// videos, and what may be charged above them, in steps: of an eighth within the lowest row,
// where a bar or its lowest part ends there, in the colour of what is highest, else of half a
// row, since in some terminals a lower block leaves a seam to what is below it.
func (o *Spending) bar(i, low int, full api.Credits, rows, wide int) string {
	t, p, steps := o.k.Theme, &o.read.parts[i], 2*rows
	if part(p.Credits.Plus(p.Possibly), full)*float64(rows) < 1 {
		steps = 8 * rows
	}
	step := 8 * rows / steps
	lower := stepsOf(p.videos, full, 8*rows)
	if lower > 8 { // above the lowest row
		lower = step * stepsOf(p.videos, full, steps)
	}
	sure := max(step*stepsOf(p.Credits, full, steps), lower)
	ends := [...]int{lower, sure, sure + step*stepsOf(p.Possibly, full, steps)}
	look := func(at int) (theme.Ground, theme.Style, string) {
		n := slices.IndexFunc(ends[:], func(end int) bool { return at < end })
		if n < 0 {
			return t.Panel, t.Border, " "
		}
		shade, sign := &t.Shades[[...]int{0, 4, 2}[n]], [...]string{"█", "▒", "░"}[n]
		if i == o.at { // the chosen bar has the whole colour
			return shade.Fill, shade.Style, sign
		}
		return shade.Quiet, shade.Style, sign
	}
	end := low + 8 // of what the cell shows, its highest part
	for _, at := range ends {
		if at > low && (at < low+8 || step == 1 && at == low+8) {
			end = at
		}
	}
	ground, style, sign := look(end - 1)
	above, _, _ := look(end)
	switch {
	case low >= ends[2]:
		return ""
	case t.Grounds() && end == low+8: // without a seam
		return ground.Lay(theme.Blank(wide))
	case t.Grounds() && step > 1 && end == low+4:
		return ground.Edge(above, wide)
	case t.Grounds():
		return above.Lay(ansi.Style{}.ForegroundColor(ground.Colour).Styled(eighths(end-low, wide)))
	case end == ends[2] && (sign == "█" || step == 1):
		return style.Paint(eighths(end-low, wide))
	}
	return style.Paint(strings.Repeat(sign, wide))
}

// eighths are w cells that are full from below, from 0 to 8.
func eighths(n, w int) string {
	return strings.Repeat(string([]rune(" ▁▂▃▄▅▆▇█")[n]), w)
}

// budget says what of the budgets is spent, runs or may be charged, and what the month comes to:
// each in a line if it has a pane.
func (o *Spending) budget(w int, pane bool) []string {
	k, t, today := o.k, o.k.Theme, o.k.Today
	f, also, notes, rate := &widget.Facts{Width: w, Theme: t}, "", [][2]string{}, ""
	running := api.Credits(0)
	if n := len(o.read.parts); n > 0 && o.period == 0 {
		running = min(o.read.parts[n-1].Running, today.Credits)
	}
	if running > 0 {
		notes = append(notes, [2]string{t.Run.Paint("◐ " + k.Say("running")), t.Text.Paint(running.String())})
	}
	if today.Possibly > 0 {
		notes = append(notes, [2]string{t.Doubt.Paint("? " + k.Say("unknown, may be charged")), t.Text.Paint(today.Possibly.String())})
	}
	left, limited := k.Today.Left()
	enough := ""
	if limited && pane {
		within := t.Good.Paint(k.SayIf(left > 0, "✓ within budget"))
		notes = append(notes, [2]string{within, t.Strong.Paint(k.Say("%s left", left.String()))})
		rows, _ := o.rows(false, true)
		enough = strings.Join(api.Pick(rows, func(r spentOn) (string, bool) { // at what one cost in this period
			n := int64(0)
			if cost := r.Credits.Plus(r.Possibly); cost > 0 { // that of all jobs
				n = int64(float64(left) * float64(r.Jobs-r.Unpriced) / float64(cost))
			}
			return strings.ReplaceAll(o.made(r.kind, int(n)), " ", "\u00a0"), n > 0
		}), k.Say(" or "))
	}
	if month := o.read.rate; month > 0 && k.At.AddDate(0, 0, 1).Day() > 4 { // three days say little; on its last day it is what was spent
		rate = k.Say("at this rate %s this month", month.String()) + k.Settings.Credit.Of(month)
	}
	if !pane {
		for _, n := range notes {
			also += n[0] + " " + n[1] + "   "
		}
		also, notes, rate = also+t.Muted.Paint(rate), nil, ""
	}
	for s := &today; s != nil; s = s.Month {
		if pane && (s != &today || o.chart.H > 12) { // as in the chart
			f.Add("")
		}
		used := s.Credits.Plus(s.Possibly)
		limit := s.Budget.String()
		said := t.Accent.Paint(used.String()) + t.Text.Paint(" "+k.Say("credits today"))
		switch {
		case s.Budget == api.BudgetUnreadable:
			said = t.Bad.Paint(k.Say("today %s cr, budget unreadable", used.String()))
		case s.Budget > 0:
			said = [...]string{k.Say("of %s credits today", limit), k.Say("of %s credits this month", limit)}[s.Period]
			said = t.Accent.Paint(used.String()) + t.Text.Paint(" "+said)
		}
		if room := w - theme.Width(said); theme.Width(also)+2 <= room {
			said, also = said+widget.AlignRight(also, room), ""
		}
		if f.Painted(said); s.Budget > 0 {
			f.Add(widget.Bar(t, w, widget.Share{Part: part(s.Credits-running, s.Budget), Style: t.Focus, Mark: "━"},
				widget.Share{Part: part(running, s.Budget), Style: t.Run, Mark: "╍"},
				widget.Share{Part: part(s.Possibly, s.Budget), Style: t.Doubt, Mark: "╍"}))
		}
		if day, end := k.At.Day(), api.Month.Begin(k.At).AddDate(0, 1, -1).Day(); pane && s.Period == api.Month {
			said, at := k.Say("day %d of %d", day, end), (w-1)*day/end
			if theme.Width(said) < at {
				said = widget.AlignRight(said+" ▴", at+1)
			} else {
				said = theme.Blank(at) + "▴ " + said
			}
			f.Painted(t.Muted.Paint(said))
		}
	}
	if also != "" {
		f.Painted(also)
	}
	if pane {
		f.Gap()
	}
	for _, n := range notes {
		f.Painted(n[0] + widget.AlignRight(n[1], w-theme.Width(n[0])))
	}
	f.Wrapped(t.Muted, k.SayIf(enough != "", "at your average cost, enough for %s", enough))
	f.Wrapped(t.Muted, k.SayIf(today.Budget == 0 && today.Month == nil,
		"No budget is set. A line such as budget = 2000 in the settings file sets one for a day."))
	if rate != "" {
		f.Gap()
		f.Wrapped(t.Muted, rate)
	}
	return f.Lines
}

// drawTable shows what the period or the chosen part went to.
func (o *Spending) drawTable(w, h int) []string {
	k, t := o.k, o.k.Theme
	p := &widget.Pane{Width: w, Height: h, Title: k.Say("By model"), Inset: true}
	if o.byKind {
		p.Title = k.Say("By kind")
	}
	w, h = p.Inner()
	f := &widget.Facts{Width: w, Theme: t}
	rows, total := o.rows(o.only, o.byKind)
	switch {
	case o.err != nil:
		f.Wrapped(t.Bad, env.Sentence(k, o.err))
	case o.read.parts == nil:
		f.Wrapped(t.Muted, k.Say("Adding up."))
	case total.Jobs == 0:
		f.Wrapped(t.Muted, k.Say("Nothing was spent in these days."))
	default:
		gap := make([]string, min(h/11, 1))
		f.Add(gap...)
		// What is sure, what is possible, and what a kept result cost.
		sum := total.Credits.Plus(total.Possibly)
		line := t.Accent.Paint(k.Say("%s credits", sum.String())) + t.Muted.Paint(k.Settings.Credit.Of(sum))
		if o.only {
			line += t.Text.Paint("  " + o.read.parts[o.at].from)
		}
		line += t.Muted.Paint("  "+k.Count(total.Jobs, "%s job", "%s jobs")) + o.possibly(&total)
		if total.Unpriced > 0 {
			line += t.Warn.Paint("  " + k.Words.Count(total.Unpriced, "%d without a price", "%d without a price"))
		}
		kept := k.SayIf(total.Kept > 0, "%s credits per kept result (♥ or ★)", each(&total))
		kept = cmp.Or(kept, k.Say("Mark a favourite to see what each one cost."))
		f.Painted(line + "  " + t.Muted.Paint(kept))
		f.Add(gap...)
		stack, names := "", "" // what each row has of all
		for i := range rows {
			share, rest := part(rows[i].Credits, total.Credits), w-theme.Width(stack)
			n := min(int(math.Round(share*float64(w))), rest) - 1
			gap := min(n, 1)
			if i == len(rows)-1 && share > 0 {
				n, gap = rest, 0
			}
			name, has := rows[i].name(k), " "+percent(share)
			short := name[strings.LastIndexByte(name, '/')+1:]
			said := []string{name + has, short + has, short, percent(share), ""}
			said = slices.DeleteFunc(said, func(s string) bool { return theme.Width(s) > max(n, 0) })
			stack += swatch(t, i, rows[i].kind, n) + theme.Blank(gap)
			names += theme.Fit(t.Text.Paint(said[0]), n) + theme.Blank(gap)
		}
		f.Add(names, stack)
		if h-len(f.Lines) > 1+len(rows) {
			f.Gap()
		}
		f.Add(o.spentTable(rows, &total, w, h-len(f.Lines)-1-len(rows))...)
	}
	o.table.SetSize(w, h)
	o.table.SetLines(f.Lines)
	p.Scrolled(k, o.table.Offset(), o.table.Below())
	return p.Keep(&o.frames[1], t, o.table.Lines())
}

// each is what a kept result cost, which need not be exact.
func each(sum *state.Sum) string {
	per, _ := sum.PerKept()
	if sum.Kept > 1 { // else it is what was spent, which stands beside it
		per = per.Round()
	}
	return spent(&state.Sum{Credits: per, Unpriced: sum.Unpriced})
}

// swatch is w cells in the colour of a row's kind, or without grounds a pattern.
func swatch(t *theme.Theme, row int, kind api.Kind, w int) string {
	if !t.Grounds() {
		return shadeOf(t, kind).Paint(strings.Repeat([]string{"█", "▓", "▒", "░"}[min(row, 3)], max(w, 0)))
	}
	return shadeOf(t, kind).Quiet.Lay(theme.Blank(w))
}

// shadeOf is the colour of videos, or of the rest.
func shadeOf(t *theme.Theme, kind api.Kind) *theme.Shade {
	if kind == api.KindVideo {
		return &t.Shades[0]
	}
	return &t.Shades[4]
}

func part(of, all api.Credits) float64 {
	if all <= 0 {
		return 0
	}
	return float64(of) / float64(all)
}

// stepsOf is how many of the steps of all an amount takes, at least one.
func stepsOf(c, all api.Credits, steps int) int {
	return max(int(math.Round(part(c, all)*float64(steps))), int(min(c, 1)))
}

func percent(share float64) string { return strconv.Itoa(int(share*100+0.5)) + " %" }

// sparkFrom is the width from which a row has its bars, and the budget its pane.
const sparkFrom = 112

// spentTable says of each row what it cost and brought; spare lines set it apart.
func (o *Spending) spentTable(rows []spentOn, total *state.Sum, w, spare int) []string {
	k, t := o.k, o.k.Theme
	heads := []string{cmp.Or(k.SayIf(o.byKind, "Kind"), k.Say("Model")), k.Say("credits"), k.Say("made"), k.Say("kept"), k.Say("per kept")}
	widths, name := []int{0, 10, 16, 8, 14}, w
	wide := w >= sparkFrom && slices.ContainsFunc(o.read.parts[:len(o.read.parts)-1], func(p spendPart) bool { return p.Credits > 0 })
	if wide {
		heads = slices.Insert(heads, 3, k.Say(spendPeriods[o.read.period].title), k.Say("share"))
		widths = []int{0, 12, 18, 20, 10, 10, 14}
	} else if w < 70 { // the name needs the room
		heads = heads[:4]
	}
	if total.Possibly > 0 {
		widths[1] += 6
	}
	g := widget.Grid{}
	for i, n := range widths[:len(heads)] {
		n = n * max(w, sparkFrom) / sparkFrom
		g.Columns, g.Head = append(g.Columns, widget.GridColumn{Width: n, Right: i > 0}), append(g.Head, t.Muted.Paint(heads[i]))
		name -= n
	}
	g.Columns[0].Width = name
	for i := range rows {
		r := &rows[i]
		credits, kept, one, bars := t.Text.Paint(spent(&r.Sum)), t.Faint.Paint("–"), t.Faint.Paint("–"), ""
		if r.Possibly > 0 {
			credits += t.Doubt.Paint(" +" + r.Possibly.String())
		}
		if r.Kept > 0 {
			kept, one = t.Text.Paint(env.Thousands(r.Kept)), t.Text.Paint(each(&r.Sum))
		}
		for _, c := range r.bars {
			bars += eighths(stepsOf(c, slices.Max(r.bars), 7), 1)
		}
		row := []string{theme.Cut(swatch(t, i, r.kind, 2)+" "+t.Text.Paint(r.name(k)), name-1), credits,
			t.Text.Paint(o.made(r.kind, r.Jobs)), kept, one}
		if wide {
			row = slices.Insert(row, 3, shadeOf(t, r.kind).Bar.Paint(bars), t.Text.Paint(percent(part(r.Credits, total.Credits))))
		}
		row = row[:len(heads)]
		if spare > len(rows) {
			g.Rows = append(g.Rows, make([]string, len(g.Columns)))
		}
		g.Rows = append(g.Rows, row)
	}
	return g.Lines()
}
