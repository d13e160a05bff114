package prices

import (
	"cmp"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// grid is the table of one model and the selected cell.
type grid struct {
	pricing.Table
	row, col int
}

func (g *grid) cell() *pricing.Choice { return g.At(g.row, g.col) }

func (g *grid) move(down, right int) {
	g.row = max(min(g.row+down, len(g.Rows)-1), 0)
	g.col = max(min(g.col+right, len(g.Cols)-1), 0)
}

// layOut lays out the choices of the selected model for the duration, and asks
// for their prices. The selected cell stays if rows and columns do; otherwise it
// is the first that is available.
func (s *Screen) layOut() tea.Cmd {
	before, g := s.grid, grid{Table: pricing.For(widget.Chosen(&s.models.rows, s.models.found), s.seconds, "")}
	other := g.Model.ID != before.Model.ID
	if other {
		s.scroll.ToTop()
	}
	if !other && slices.Equal(g.Rows, before.Rows) && slices.Equal(g.Cols, before.Cols) {
		g.row, g.col = before.row, before.col
	} else if i := slices.IndexFunc(g.Choices, func(c pricing.Choice) bool { return !c.Refused() }); i >= 0 {
		g.row, g.col = g.Choices[i].Row, g.Choices[i].Col
	}
	s.grid = g
	return s.fill()
}

const gridTop = 1 // below the line where a duration is typed

// prices is the table of the model: each price beside the chosen one, with the cheapest and
// those that differ from the published ones named.
func (s *Screen) prices() *widget.RateGrid {
	g := &s.grid
	b := &widget.RateGrid{Unit: s.k.Say("credits"), Rows: api.Map(g.Rows, clean), Cols: api.Map(g.Cols, clean), Row: g.row, Col: g.col,
		Focus: s.pane == paneGrid, Wide: true}
	if s.perSecond && g.Timed {
		b.Unit = s.k.Say("credits / s")
	}
	for i := range g.Choices {
		b.Cells = append(b.Cells, s.priceCell(&g.Choices[i], s.perSecond))
	}
	for i := range b.Cells {
		switch base, c := &b.Cells[g.row*len(g.Cols)+g.col], &b.Cells[i]; {
		case base.Missing || c.Missing || base == c:
		case base.Price != c.Price:
			c.Change, c.Amount = env.Change(base.Price, c.Price), env.Signed((c.Price - base.Price).String())
		case s.k.Theme.Grounds():
			c.Word, c.Style = "= "+clean(g.Rows[g.row]), s.k.Theme.Muted
			if i%len(g.Cols) != g.col {
				c.Word += " " + clean(g.Cols[g.col])
			}
		}
	}
	low, high := b.Range()
	for i := range b.Cells {
		switch c := &b.Cells[i]; {
		case c.Missing:
		case s.figure(&g.Choices[i]).Differs:
			c.Sign, c.Word, c.Style = "!", s.k.Say("not as published"), s.k.Theme.Warn
		case high > low && c.Price == low:
			high = low // it is named once
			c.Sign, c.Word, c.Style = "↓", s.k.Say("cheapest"), s.k.Theme.Good
		}
	}
	return b
}

func (s *Screen) priceCell(c *pricing.Choice, perSecond bool) widget.RateCell {
	f := s.figure(c)
	switch {
	case c.Refused():
		return widget.RateCell{Figure: "–", Missing: true}
	case !f.Known() && (s.models.listing.Err != nil || f.err != nil):
		return widget.RateCell{Figure: "?", Missing: true}
	case !f.Known():
		return widget.RateCell{Figure: "…", Missing: true}
	}
	out := widget.RateCell{Figure: f.Credits.String(), Price: f.Credits, Dim: s.stale(f) || s.grid.Refusal.Code != ""}
	if seconds := s.grid.SecondsOf(c); seconds > 0 {
		each := f.Credits / api.Credits(seconds)
		out.Second = s.k.Say("%s/s", each.String())
		if perSecond {
			out.Figure, out.Second = out.Second, out.Figure
			out.Price = each
		}
	}
	if f.Source == api.SourceTable {
		out.Figure = "≈ " + out.Figure
	}
	return out
}

// reasonLines of h stay free for a note at the end, so that nothing moves when it comes.
func reasonLines(h int) int { return min(1+h/22*2, 3) }

// content is all that is known of the selected model's prices, w cells wide.
func (s *Screen) content(w, h int) []string {
	if s.grid.Model.ID == "" || w == 0 {
		return nil
	}
	k, t := s.k, s.k.Theme
	f, line := &widget.Facts{Width: w, Theme: t}, ""
	if s.duration.Editing {
		line = t.Accent.Paint(k.Say("Duration in seconds")+" › ") + t.Strong.Paint(theme.Fit(s.duration.Text(), 5)) +
			t.Muted.Paint(k.Say("enter applies it, esc cancels"))
	}
	f.Painted(line)
	prices := s.prices()
	s.rates = prices.Frame(w, h-gridTop-1-reasonLines(h))
	f.Add(prices.Lines(t, s.rates)...)
	above, note := len(f.Lines), &widget.Facts{Width: w, Theme: t}
	s.writeDurations(f, h-above-reasonLines(h))
	if len(f.Lines)+1 < h {
		f.Gap()
	}
	s.need = len(f.Lines) + reasonLines(h)
	if credits, title, example := s.purse(); !example && s.w < widget.WideFrom { // it has no pane
		buys, _ := api.Find(s.buys(credits), func(b bought) bool { return b.chosen })
		many := cmp.Or(k.SayIf(s.grid.Chosen, "%s × %d s", buys.figure, s.seconds), buys.figure)
		f.Painted(t.Muted.Paint(title) + "  " + t.Strong.Paint(many) + t.Muted.Paint(buys.left))
	}
	if s.writeChoice(note); len(note.Lines) > 0 { // to which durations give way
		return append(f.Lines[:min(max(h-len(note.Lines), above), len(f.Lines))], note.Lines...)
	}
	if len(f.Lines) < h {
		f.Painted(t.Faint.Paint(s.legend(prices)))
	}
	return f.Lines
}

// writeChoice says why the selected price is unavailable, or a note about it, and how old
// the oldest quote is once that matters.
func (s *Screen) writeChoice(f *widget.Facts) {
	k, t, c := s.k, s.k.Theme, s.grid.cell()
	fig := s.figure(c)
	style := t.Warn.If(fig.Known(), t.Muted)
	switch {
	case c.Refused():
		f.Wrapped(t.Muted, "– "+k.Words.Problem(c.Refusal))
	case s.grid.Refusal.Code != "":
		f.Wrapped(style, "✕ "+k.Words.Problem(s.grid.Refusal))
	case !fig.Known():
		f.Wrapped(style, cmp.Or(env.Sentence(k, fig.err), k.Say("no price yet")))
	}
	f.Wrapped(style, k.SayIf(fig.Differs && !c.Refused(), "Quoted at %s credits, published at %s: the higher one counts.",
		fig.Service.String(), fig.Table.String()))
	f.Wrapped(style, k.SayIf(fig.Dearer() && !c.Refused(), "More expensive than when last sent: %s credits at %s.",
		fig.Sent.String(), k.Stamp(fig.SentAt)))
	oldest := api.Estimate{At: s.now}
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		if fig := s.figure(c); fig.Known() && !c.Refused() && s.stale(fig) && fig.At.Before(oldest.At) {
			oldest = fig.Estimate
		}
	}
	if span, _ := oldest.Age(s.now); span > 0 {
		f.Painted(t.Muted.Paint(k.Say("Quotes are up to %s old. Press %s to refresh.", k.Span(span), k.Key("refresh", "r"))))
	}
}

// from says where a figure comes from and how old it is.
func (s *Screen) from(f figure) string {
	k, t := s.k, s.k.Theme
	switch {
	case f.Source == api.SourceService && f.At.IsZero():
		return t.Good.Paint("✓ " + k.Say("quoted"))
	case s.stale(f):
		age, _ := f.Age(s.now)
		return t.Muted.Paint(k.Say("quoted %s ago", k.Span(age)))
	case f.Source == api.SourceService:
		return t.Good.Paint("✓ " + k.Say("quoted %s", k.Say("at %s", k.Stamp(f.At))))
	}
	line := t.Warn.Paint("≈ " + k.Say("published"))
	if f.err != nil {
		line += t.Muted.Paint("  " + env.Sentence(k, f.err))
	}
	return line
}

// startDuration begins with nothing typed, which stands for the duration until now.
func (s *Screen) startDuration() tea.Cmd {
	s.pane, s.before = paneGrid, s.seconds
	s.duration.Reset()
	s.duration.Editing = true
	s.scroll.ToTop()
	return nil
}

// setDuration prices videos of another duration.
func (s *Screen) setDuration(to int) tea.Cmd {
	if to == s.seconds {
		return nil
	}
	s.seconds = to
	return s.layOut()
}

func (s *Screen) whyNoDuration() string {
	return cmp.Or(s.k.SayIf(s.grid.Timed && !s.grid.Chosen, "The table shows every duration that this model takes."),
		s.k.SayIf(!s.grid.Chosen, "Only videos have a duration."))
}

const maxDurations = 15

// writeDurations shows what each duration costs at every resolution, or at the selected one
// alone if h lines are not enough.
func (s *Screen) writeDurations(f *widget.Facts, h int) {
	g := &s.grid
	low, high := bounds(g.Model, s.seconds)
	low = max(low, min(s.seconds-maxDurations/2, high-maxDurations+1))
	if high = min(high, low+maxDurations-1); !g.Chosen || low >= high {
		return
	}
	b := &widget.RateGrid{Unit: s.k.Say("by duration"), Row: -1, Col: s.seconds - low, Focus: s.pane == paneGrid && s.k.Theme.Grounds()}
	for n := low; n <= high; n++ {
		b.Cols = append(b.Cols, s.k.Say("%d s", n))
	}
	one, rates, names := *b, []string{}, 0
	for col := range g.Cols {
		rates = append(rates, s.addDurations(b, col, low, high, f.Width/3)...)
	}
	if len(b.Rows)+2 >= h {
		b = &one
		rates = s.addDurations(b, g.col, low, high, f.Width/3)
	}
	for i, name := range b.Rows {
		names = max(names, theme.Width(name+rates[i])+2)
	}
	for i, name := range b.Rows {
		b.Rows[i] = widget.Between(name, rates[i], names)
	}
	b.Unit = theme.Fit(b.Unit, names)
	f.Gap()
	f.Add(b.Lines(s.k.Theme, b.Frame(f.Width, len(b.Rows)+1))...)
}

// addDurations adds what each duration costs at a resolution, and gives what a second of each row
// does. Rows of the same prices are joined, if their names have room in so many cells.
func (s *Screen) addDurations(b *widget.RateGrid, col, low, high, join int) (rates []string) {
	g, first := &s.grid, len(b.Rows)
	for row := range g.Rows {
		chosen, is, cells, rate := g.At(row, col), row == g.row && col == g.col, []widget.RateCell{}, ""
		if chosen.Refused() {
			continue
		}
		for n := low; n <= high; n++ {
			r := chosen.Request
			r.Duration = strconv.Itoa(n)
			c := pricing.ChoiceOf(g.Model, r)
			cell := s.priceCell(&c, false)
			rate, cell.Second = cell.Second, "" // it is the same for all
			cells = append(cells, cell)
		}
		name, above := clean(g.Rows[row]), len(b.Rows)-1
		if above >= first && slices.Equal(cells, b.Cells[above*len(cells):]) && theme.Width(b.Rows[above]+name)+4 <= join {
			b.Rows[above] += ", " + name
		} else {
			b.Rows, b.Cells, rates = append(b.Rows, name), append(b.Cells, cells...), append(rates, rate)
		}
		if is {
			b.Row = len(b.Rows) - 1
		}
	}
	for i := range rates {
		b.Rows[first+i] += " " + clean(g.Cols[col])
	}
	return rates
}

// Durations that can be typed, in seconds.
const (
	shortest = 1
	longest  = 3600
	// stepTop is as far as single steps go for a model that lists no durations.
	stepTop = 60
)

// step prices a longer or shorter video: it steps through a model's durations, or by
// seconds within its bounds.
func (s *Screen) step(by int) tea.Cmd {
	p, _ := s.grid.Model.Parameter(api.FieldDuration)
	now, next, listed := s.seconds, s.seconds, false
	for _, v := range p.Values {
		n, err := strconv.Atoi(v)
		if err != nil || n <= 0 {
			continue
		}
		if listed = true; (n-now)*by > 0 && (next == now || (next-n)*by > 0) {
			next = n
		}
	}
	if low, high := bounds(s.grid.Model, now); !listed {
		next = max(min(now+by, high), low)
	}
	return s.setDuration(next)
}

// bounds are the shortest and longest duration, in seconds, if a model lists both.
func bounds(m api.Model, now int) (low, high int) {
	p, _ := m.Parameter(api.FieldDuration)
	low, high = shortest, max(stepTop, now)
	if p.Min != nil && int(*p.Min) >= shortest && *p.Min <= longest {
		low = int(*p.Min)
	}
	if p.Max != nil && *p.Max >= float64(low) && *p.Max <= longest {
		high = int(*p.Max)
	}
	return low, high
}
