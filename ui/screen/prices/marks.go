package prices

import (
	"strings"
	"time"

	"darkroom/api"
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
func differs(c *choice, f figure) bool {
	return c.table.Known() && f.estimate.Source == api.SourceService && c.table.Credits != f.estimate.Credits
}

// cheapest is the lowest price of the model, once all of them are known and not
// all the same.
func (s *Screen) cheapest() (low api.Credits, ok bool) {
	n, differ := 0, false
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		if c.refused() {
			continue
		}
		f, ok := s.figures.of(c)
		if !ok {
			return 0, false
		}
		price := f.estimate.Credits
		differ = differ || n > 0 && price != low
		if n == 0 || price < low {
			low = price
		}
		n++
	}
	return low, differ
}

// writeLegend explains the marks that are in view, and says how old the oldest
// quote is once that matters.
func (s *Screen) writeLegend(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	var parts []string
	if _, any := s.cheapest(); any {
		parts = append(parts, t.Good.Paint(widget.RateLowestSign+" ")+t.Muted.Paint(k.Say("cheapest")))
	}
	published, differing := false, false
	var oldest time.Time
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		fig, ok := s.figures.of(c)
		if !ok || c.refused() {
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
	if len(parts) > 0 {
		f.Painted(strings.Join(parts, "   "))
	}
	switch age := k.Span(s.now.Sub(oldest)); {
	case oldest.IsZero():
	case s.models.listing.Err != nil:
		f.Wrapped(t.Muted, k.Say("Quotes are up to %s old.", age))
	default:
		f.Wrapped(t.Muted, k.Say("Quotes are up to %s old. Press r to refresh.", age))
	}
}

// writeEqualPrices points out where the better tier costs no more.
func (s *Screen) writeEqualPrices(f *widget.Facts) {
	g := &s.grid
	if g.model.ID != api.Seedance2 {
		return
	}
	for i := 0; i+1 < len(g.rows); i += 2 {
		for j := range g.cols {
			less, more := g.at(i, j), g.at(i+1, j)
			a, aok := s.figures.of(less)
			b, bok := s.figures.of(more)
			if aok && bok && !less.refused() && !more.refused() && a.estimate.Credits == b.estimate.Credits {
				f.Wrapped(s.k.Theme.Text, s.k.Say("%s: %s costs the same as %s.", g.cols[j], g.rows[i+1], g.rows[i]))
			}
		}
	}
}

// parametersKey is what the list of parameters depends on.
type parametersKey struct {
	look
	grids int64
	w     int
}

// writeParameters lists what else the model takes. The list is remembered: it
// stays while one moves over the prices.
func (s *Screen) writeParameters(f *widget.Facts) {
	if len(s.grid.model.Parameters) == 0 {
		return
	}
	f.Gap()
	f.Lines = append(f.Lines, widget.Divide(s.k.Say("Parameters")))
	f.Lines = append(f.Lines, s.parameters.Get(parametersKey{s.look(), s.grids, f.Width}, func() []string {
		return s.parameterLines(f.Width)
	})...)
}

func (s *Screen) parameterLines(w int) []string {
	k, t, m := s.k, s.k.Theme, s.grid.model
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
		if p.Default != "" {
			words = append(words, t.Faint.Paint(k.Say("default %s", clean(p.Default))))
		}
		table.Rows = append(table.Rows, []string{t.Text.Paint(theme.Cut(clean(p.Name), wide-2)), strings.Join(words, "  ")})
	}
	return table.Lines()
}
