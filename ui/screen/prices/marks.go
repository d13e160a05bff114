package prices

import (
	"math"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// stale reports whether a quote is so old that its age is shown.
func (s *Screen) stale(f figure) bool {
	e := f.estimate
	return e.Source == api.SourceService && !e.At.IsZero() && s.now.Sub(e.At) >= env.FreshFor
}

// differs reports whether a quote is not the published price.
func differs(c *pricing.Choice, f figure) bool {
	return c.Rate.Known() && f.estimate.Source == api.SourceService && c.Rate.Credits != f.estimate.Credits
}

// writeCheapest says which choice of each resolution or size is the cheapest, on
// as many lines whatever is known.
func (s *Screen) writeCheapest(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	below := len(f.Lines) + cheapestLines
	var parts []string
	for _, c := range s.grid.CheapestOf(s.figures.credits) {
		names := make([]string, len(c.Choices))
		for i, choice := range c.Choices {
			names[i] = clean(s.grid.Other(choice))
		}
		name, amount := strings.Join(names, " = "), env.Amount(c.Credits)
		if s.grid.Timed && s.grid.Model.ID != api.Seedance2 || name == "" {
			continue
		}
		parts = append(parts, strings.TrimSpace(clean(c.Group)+" "+name+" "+amount))
	}
	if len(parts) > 0 {
		parts[0] = k.Say("Cheapest: %s", parts[0])
		f.Joined(t.Good, parts)
	}
	for len(f.Lines) < below {
		f.Lines = append(f.Lines, "")
	}
}

// writeLegend explains the marks that are in view, and says how old the oldest
// quote is once that matters: one line, whatever there is to say.
func (s *Screen) writeLegend(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	var parts []string
	if len(s.lowest()) > 0 {
		parts = append(parts, t.Good.Paint(widget.RateLowestSign+" ")+t.Muted.Paint(k.Say("cheapest")))
	}
	published, differing := false, false
	var oldest time.Time
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		fig, ok := s.figures.of(c)
		if !ok || c.Refused() {
			continue
		}
		published = published || fig.estimate.Source == api.SourceTable
		differing = differing || differs(c, fig)
		if at := fig.estimate.At; s.stale(fig) && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	if published {
		parts = append(parts, t.Text.Paint("≈ ")+t.Muted.Paint(k.Say("published")))
	}
	if differing {
		parts = append(parts, t.Warn.Paint(widget.RateDiffersSign+" ")+t.Muted.Paint(k.Say("not as published")))
	}
	switch age := k.Span(s.now.Sub(oldest)); {
	case oldest.IsZero():
	case s.models.listing.Err != nil:
		parts = append(parts, t.Muted.Paint(k.Say("Quotes are up to %s old.", age)))
	default:
		parts = append(parts, t.Muted.Paint(k.Say("Quotes are up to %s old. Press %s to refresh.", age, k.Key("refresh", "r"))))
	}
	f.Painted(strings.Join(parts, "   "))
}

// writeEqualPrices points out where the better tier costs no more.
func (s *Screen) writeEqualPrices(f *widget.Facts) {
	g := &s.grid
	if g.Model.ID != api.Seedance2 {
		return
	}
	for i := 0; i+1 < len(g.Rows); i += 2 {
		for j := range g.Cols {
			less, more := g.At(i, j), g.At(i+1, j)
			a, aok := s.figures.credits(less)
			b, bok := s.figures.credits(more)
			if aok && bok && !less.Refused() && !more.Refused() && a == b {
				f.Wrapped(s.k.Theme.Text, s.k.Say("%s: %s costs the same as %s.", g.Cols[j], g.Rows[i+1], g.Rows[i]))
			}
		}
	}
}

// writeParameters lists what else the model takes.
func (s *Screen) writeParameters(f *widget.Facts) {
	k, t, m, w := s.k, s.k.Theme, s.grid.Model, f.Width
	if len(m.Parameters) == 0 {
		return
	}
	f.Gap()
	f.Lines = append(f.Lines, widget.Divide(k.Say("Parameters")))
	wide := 0
	for _, p := range m.Parameters {
		wide = max(wide, theme.Width(clean(p.Name)))
	}
	wide = min(wide, w/3) + 2
	table := widget.Grid{Columns: []widget.GridColumn{{Width: wide}, {Width: w - wide}}, Wrap: true}
	for _, p := range m.Parameters {
		var words []string
		for _, v := range p.Values {
			words = append(words, t.Muted.Paint(clean(v)))
		}
		if len(words) == 0 && p.Type != "" {
			words = append(words, t.Muted.Paint(clean(p.Type)))
		}
		if p.Min != nil && p.Max != nil {
			words = append(words, t.Muted.Paint(k.Say("%g to %g", *p.Min, *p.Max)))
		}
		if p.Default != "" {
			words = append(words, t.Faint.Paint(k.Say("default %s", clean(p.Default))))
		}
		table.Rows = append(table.Rows, []string{t.Text.Paint(theme.Cut(clean(p.Name), wide-2)), strings.Join(words, "  ")})
	}
	f.Lines = append(f.Lines, table.Lines()...)
}

// writeDifferences shows how much dearer or cheaper each other price is.
func (s *Screen) writeDifferences(f *widget.Facts) {
	k, g := s.k, &s.grid
	base, ok := s.figures.credits(g.cell())
	if len(g.Choices) < 2 {
		return
	}
	f.Gap()
	if !ok || g.cell().Refused() {
		f.Lines = append(f.Lines, widget.Divide(k.Say("Differences")))
	} else {
		f.Lines = append(f.Lines, widget.Divide(k.Say("Compared with %s", choiceName(k, g.cell().Request))))
	}
	out := s.names()
	for i := range g.Choices {
		c := &g.Choices[i]
		price, known := s.figures.credits(c)
		cell := widget.RateCell{Text: "–", Mark: widget.RateRefused}
		switch {
		case c.Refused():
		case g.cell().Refused():
			cell.Text = "·"
		case !ok || !known:
			cell = widget.RateCell{Text: "?", Mark: widget.RateMissing}
		case c == g.cell():
			cell = widget.RateCell{Text: "·", Mark: widget.RateMissing}
		case price == base:
			cell = widget.RateCell{Text: k.Say("same")}
		default:
			cell = widget.RateCell{Text: difference(base, price), Dim: price > base}
			if price < base {
				cell.Mark = widget.RateLowest
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	out.Row = -1
	f.Lines = append(f.Lines, out.Lines(k.Theme, out.Frame(f.Width, len(out.Rows)+1))...)
}

// difference writes a difference in credits and per cent: "+75 +18%".
func difference(base, price api.Credits) string {
	text := env.Amount(price - base)
	if price > base {
		text = "+" + text
	} else {
		text = "−" + strings.TrimPrefix(text, "-")
	}
	if base == 0 {
		return text
	}
	percent := math.Round(100 * float64(price-base) / float64(base))
	if math.Abs(percent) > 9999 {
		return text
	}
	sign := "+"
	if percent < 0 {
		sign, percent = "−", -percent
	}
	return text + " " + sign + env.Thousands(int(percent)) + "%"
}
