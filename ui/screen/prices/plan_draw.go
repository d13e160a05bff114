package prices

import (
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Lines of the pane of the plan above its rows: the total, the budget, the other
// tiers.
const planHead = 3

// planLines draws the pane of the plan.
func (s *Screen) planLines(r widget.Rect) []string {
	k, plan := s.k, &s.plan.plan
	p := widget.Pane{Width: r.W, Height: r.H, Title: k.Say("Plan"), Focus: s.pane == panePlan}
	if plan.Name != "" {
		p.Title = k.Say("Plan %s", clean(plan.Name))
	}
	w, _ := p.Inner()
	if len(plan.Items) == 0 {
		f := widget.Facts{Width: w, Theme: k.Theme}
		f.Wrapped(k.Theme.Muted, k.Say("Press space on a price to plan one of it, backspace to take one away."))
		if n := len(s.plan.saved); n > 0 {
			f.Wrapped(k.Theme.Muted, k.Words.Count(n, "%d saved plan: press o.", "%d saved plans: press o."))
		}
		return p.Keep(&s.drawn.plan, k.Theme, f.Lines)
	}
	total, unknown := plan.Total(s.priceOf)
	lines := []string{theme.Cut(s.planTotal(total, unknown), w), theme.Cut(s.planBudget(total), w), theme.Cut(s.planTiers(total, unknown), w)}
	p.Foot = widget.More(k, 0, s.plan.rows.Below())
	rows := s.plan.rows.Lines(func(row int, selected bool) string { return s.planRow(&plan.Items[row], w, total, selected) })
	return p.Keep(&s.drawn.plan, k.Theme, append(lines, rows...))
}

func (s *Screen) planTotal(total api.Credits, unknown int) string {
	k, t, count := s.k, s.k.Theme, 0
	for _, i := range s.plan.plan.Items {
		count += i.Count
	}
	line := t.Accent.Paint(k.Say("%s credits", env.Amount(total))) + t.Muted.Paint("  "+k.Words.Count(count, "%d request", "%d requests"))
	if unknown > 0 {
		line += t.Warn.Paint("  " + k.Words.Count(unknown, "%d without a price", "%d without a price"))
	}
	return line
}

// planBudget says what the day's budget leaves.
func (s *Screen) planBudget(total api.Credits) string {
	k, t := s.k, s.k.Theme
	left, budget := leftToday(k)
	switch {
	case !budget:
		return t.Faint.Paint(k.Say("No budget is set."))
	case total > left:
		return t.Bad.Paint(k.Say("%s more than the %s left today", env.Amount(total-left), env.Amount(left)))
	}
	return t.Good.Paint(k.Say("leaves %s of the %s left today", env.Amount(left-total), env.Amount(left)))
}

// planTiers says what the same plan costs a tier cheaper and a tier dearer.
func (s *Screen) planTiers(total api.Credits, unknown int) string {
	k, t := s.k, s.k.Theme
	if unknown > 0 {
		return ""
	}
	var parts []string
	for _, up := range []bool{false, true} {
		other, moved := s.plan.plan.Shift(up, s.modelOf, s.priceOfChoice)
		if moved == 0 {
			continue
		}
		sum, _ := other.Total(s.priceOf)
		if up {
			parts = append(parts, k.Say("dearer tier %s (%s)", env.Amount(sum), difference(total, sum)))
		} else {
			parts = append(parts, k.Say("cheaper tier %s (%s)", env.Amount(sum), difference(total, sum)))
		}
	}
	return t.Muted.Paint(strings.Join(parts, " · "))
}

// barWidth is how many cells the largest share takes.
const barWidth = 12

// planRow draws an item of the plan: how many, what, the price of one and of
// all, and the share of the total.
func (s *Screen) planRow(item *pricing.Item, w int, total api.Credits, selected bool) string {
	t := s.k.Theme
	const count, each, sum = 8, 8, 10
	bar := min(max(w-count-each-sum-30, 6), barWidth+6)
	what := max(w-count-each-sum-bar, 8)
	in, mark := t.Row(selected)
	if s.pane != panePlan {
		in = &t.Styles
	}
	name := strings.TrimPrefix(choiceName(s.k, item.Request)+" · "+clean(item.Request.Model), " · ")
	row := in.Accent.Paint(mark) + in.Strong.Paint(theme.Fit(widget.AlignRight(strconv.Itoa(item.Count), 3)+" ×", count-2)) +
		in.Text.Paint(theme.Fit(name, what))
	one, ok := s.priceOf(item.Request)
	if !ok {
		return row + in.Faint.Paint(widget.AlignRight("?", each)+widget.AlignRight("?", sum))
	}
	all := pricing.Times(one, item.Count)
	return row + in.Muted.Paint(widget.AlignRight(env.Amount(one), each)) + in.Text.Paint(widget.AlignRight(env.Amount(all), sum)) +
		widget.AlignRight(s.share(all, total, bar), bar)
}

// share draws a part of a sum as a bar with its per cent, w cells wide.
func (s *Screen) share(part, all api.Credits, w int) string {
	if all <= 0 {
		return ""
	}
	t, ratio := s.k.Theme, float64(part)/float64(all)
	percent := t.Muted.Paint(widget.AlignRight(strconv.Itoa(int(ratio*100+0.5))+"%", 5))
	room := min(barWidth, w-6)
	if room < 4 {
		return percent
	}
	bar := eighths(ratio, room)
	return t.Run.Paint(bar) + theme.Blank(room-theme.Width(bar)) + percent
}

// eighths is a bar of at most w cells.
func eighths(ratio float64, w int) string {
	n := int(min(max(ratio, 0), 1)*float64(w*8) + 0.5)
	if ratio > 0 {
		n = max(n, 1)
	}
	bar := strings.Repeat("█", n/8)
	if n%8 > 0 {
		bar += []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"}[n%8-1]
	}
	return bar
}
