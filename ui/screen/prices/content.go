package prices

import (
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/widget"
)

// contentKey is what the lines of the pane of prices depend on.
type contentKey struct {
	look
	w, h             int
	models, grids    int64
	figures          int64
	row, col         int
	focus, loading   bool
	minute, duration int64
}

func (s *Screen) contentKey() contentKey {
	w, h := s.inner()
	return contentKey{
		s.look(), w, h, s.models.version, s.grids, s.figures.version, s.grid.row, s.grid.col,
		s.onGrid, s.models.loading, s.now.Unix() / 60, int64(s.seconds),
	}
}

// content is all that is known of the selected model's prices, w cells wide.
func (s *Screen) content(w, h int) []string {
	if s.grid.model.ID == "" || w == 0 {
		return nil
	}
	f := &widget.Facts{Width: w, Theme: s.k.Theme}
	s.writeGrid(f, h)
	s.writeChoice(f)
	f.Gap()
	s.writeTrouble(f)
	s.writeLegend(f)
	s.writeEqualPrices(f)
	s.writeParameters(f)
	return f.Lines
}

// gridTop is the number of lines above the grid.
func gridTop(h int) int {
	if h < 14 {
		return 1
	}
	return 2
}

// frame fits the grid into a pane; some lines below it are for the choice.
func (s *Screen) frame(rates *widget.RateGrid, w, h int) widget.RateFrame {
	return rates.Frame(w, h-gridTop(h)-3)
}

func (s *Screen) writeGrid(f *widget.Facts, h int) {
	k := s.k
	head := k.Say("Credits for one image")
	if s.grid.timed {
		head = k.Say("Credits for %d s, and per second", s.seconds)
	}
	f.Painted(k.Theme.Muted.Paint(head))
	if gridTop(h) > 1 {
		f.Lines = append(f.Lines, "")
	}
	rates := s.rates()
	f.Lines = append(f.Lines, rates.Lines(k.Theme, s.frame(rates, f.Width, h))...)
}

// rates are the prices as the grid shows them.
func (s *Screen) rates() *widget.RateGrid {
	g := &s.grid
	out := &widget.RateGrid{Row: g.row, Col: g.col, Focus: s.onGrid, Rated: g.timed}
	for _, row := range g.rows {
		out.Rows = append(out.Rows, clean(row))
	}
	for _, col := range g.cols {
		out.Cols = append(out.Cols, clean(col))
	}
	low, any := s.cheapest()
	for i := range g.cells {
		c := &g.cells[i]
		cell := s.rate(c)
		if f, ok := s.figures.of(c); ok && cell.Mark == widget.RatePlain && any && f.estimate.Credits == low {
			cell.Mark = widget.RateLowest
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// rate is one price as the grid shows it.
func (s *Screen) rate(c *choice) widget.RateCell {
	f, ok := s.figures.of(c)
	switch {
	case c.refused():
		return widget.RateCell{Text: "–", Mark: widget.RateRefused}
	case !ok && s.models.listing.Err != nil:
		return widget.RateCell{Text: "?", Mark: widget.RateMissing}
	case !ok:
		return widget.RateCell{Text: "…", Mark: widget.RateMissing}
	}
	cell := widget.RateCell{Text: env.Amount(f.estimate.Credits), Dim: s.stale(f)}
	if f.estimate.Source == api.SourceTable {
		cell.Text = "≈" + cell.Text
	}
	if s.grid.timed {
		cell.Rate = env.Amount(f.estimate.Credits/api.Credits(max(s.seconds, 1))) + "/s"
	}
	if differs(c, f) {
		cell.Mark = widget.RateDiffers
	}
	return cell
}

// writeChoice says all about the selected price.
func (s *Screen) writeChoice(f *widget.Facts) {
	k, t, g := s.k, s.k.Theme, &s.grid
	if len(g.cells) == 0 {
		return
	}
	f.Gap()
	c := g.cell()
	name := strings.Trim(clean(g.rows[g.row])+" · "+clean(g.cols[g.col]), " ·")
	if name == "" {
		name = clean(g.model.ID)
	}
	if c.refused() {
		f.Painted(t.Faint.Paint("– " + name))
		f.Wrapped(t.Muted, k.Problem(c.refusal))
		return
	}
	fig, ok := s.figures.of(c)
	if !ok {
		f.Painted(t.Text.Paint(name))
		f.Wrapped(t.Muted, s.whyNoFigure(fig))
		return
	}
	f.Painted(t.Strong.Paint(name+"  ") + t.Accent.Paint(k.Say("%s credits", env.Amount(fig.estimate.Credits))) + "  " + s.from(fig))
	if differs(c, fig) {
		f.Wrapped(t.Warn, k.Say("Quoted at %s credits, published at %s: the quote counts.",
			env.Amount(fig.estimate.Credits), env.Amount(c.table.Credits)))
	}
}

func (s *Screen) whyNoFigure(f figure) string {
	switch {
	case f.err != nil:
		return env.Sentence(s.k, f.err)
	case s.models.listing.Err != nil:
		return s.k.Say("Not quoted yet.")
	}
	return s.k.Say("no price yet")
}

// from says where a price is from and how old it is.
func (s *Screen) from(f figure) string {
	k, t := s.k, s.k.Theme
	switch e := f.estimate; {
	case e.Source == api.SourceService && e.At.IsZero():
		return t.Good.Paint("✓ " + k.Say("quoted"))
	case s.stale(f):
		return t.Muted.Paint(k.Say("quoted %s ago", k.Span(s.now.Sub(e.At))))
	case e.Source == api.SourceService:
		return t.Good.Paint("✓ " + k.Say("quoted %s", k.Say("at %s", k.Stamp(e.At))))
	}
	line := t.Warn.Paint("≈ " + k.Say("published"))
	if f.err != nil {
		line += t.Muted.Paint("  " + env.Sentence(k, f.err))
	}
	return line
}

// writeTrouble says that the service does not answer, and what is known all the
// same and since when.
func (s *Screen) writeTrouble(f *widget.Facts) {
	k, t, listing := s.k, s.k.Theme, &s.models.listing
	if listing.Err == nil || s.models.loading {
		return
	}
	f.Wrapped(t.Warn, "✕ "+env.AsSentence(env.Shortly(k, listing.Err)))
	if listing.At.IsZero() {
		f.Wrapped(t.Muted, k.Say("It has listed no models yet: only the published rates of seedance2 are known. Press r to refresh."))
	} else {
		f.Wrapped(t.Muted, k.Say("The models are those of %s. Press r to refresh.", k.Stamp(listing.At)))
	}
	f.Gap()
}

// clean makes a listing's word fit for the terminal.
func clean(s string) string { return api.Clean(s, 64).String() }
