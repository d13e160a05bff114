package prices

import (
	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/widget"
)

// Lines that are kept free for what is said only sometimes, so that nothing
// moves when it is.
const (
	reasonLines   = 2
	cheapestLines = 2
)

// content is all that is known of the selected model's prices, w cells wide.
func (s *Screen) content(w, h int) []string {
	if s.grid.Model.ID == "" || w == 0 {
		return nil
	}
	f := &widget.Facts{Width: w, Theme: s.k.Theme}
	s.writeGrid(f, h)
	f.Lines = append(f.Lines, "")
	s.writeChoice(f)
	s.writeCheapest(f)
	s.writeLegend(f)
	s.writeTrouble(f)
	s.writeEqualPrices(f)
	s.writeDifferences(f)
	s.writeDurations(f)
	s.writeParameters(f)
	return f.Lines
}

// gridTop is the number of lines above the grid.
func gridTop(h int) int {
	if h < 16 {
		return 1
	}
	return 2
}

// frame fits the grid into a pane; some lines below it are for the choice.
func (s *Screen) frame(rates *widget.RateGrid, w, h int) widget.RateFrame {
	return rates.Frame(w, h-gridTop(h)-2-reasonLines)
}

func (s *Screen) writeGrid(f *widget.Facts, h int) {
	k := s.k
	switch {
	case s.duration.editing:
		f.Painted(s.durationLine())
	case s.grid.Chosen:
		f.Painted(k.Theme.Muted.Paint(k.Say("Credits for %d s, and per second", s.seconds)))
	case s.grid.Timed:
		f.Painted(k.Theme.Muted.Paint(k.Say("Credits by duration in seconds, and per second")))
	default:
		f.Painted(k.Theme.Muted.Paint(k.Say("Credits for one image")))
	}
	if gridTop(h) > 1 {
		f.Lines = append(f.Lines, "")
	}
	rates := s.rates()
	f.Lines = append(f.Lines, rates.Lines(k.Theme, s.frame(rates, f.Width, h))...)
}

// names are the table's rows and columns, clean.
func (s *Screen) names() *widget.RateGrid {
	g := &s.grid
	out := &widget.RateGrid{Row: g.row, Col: g.col}
	for _, row := range g.Rows {
		out.Rows = append(out.Rows, clean(row))
	}
	for _, col := range g.Cols {
		out.Cols = append(out.Cols, clean(col))
	}
	return out
}

func (s *Screen) rates() *widget.RateGrid {
	out := s.names()
	out.Focus, out.Rated = s.pane == paneGrid, s.grid.Timed
	lowest := s.lowest()
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		cell := s.rate(c)
		if cell.Mark == widget.RatePlain && lowest[c.Key] {
			cell.Mark = widget.RateLowest
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// lowest are the keys of the cheapest choices of each resolution or size, where
// there are dearer ones.
func (s *Screen) lowest() map[string]bool {
	out := map[string]bool{}
	for _, c := range s.grid.CheapestOf(s.figures.credits) {
		if len(c.Choices) < c.Of {
			for _, choice := range c.Choices {
				out[choice.Key] = true
			}
		}
	}
	return out
}

// rate is one price as the grid shows it.
func (s *Screen) rate(c *pricing.Choice) widget.RateCell {
	f, ok := s.figures.of(c)
	switch {
	case c.Refused():
		return widget.RateCell{Text: "–", Mark: widget.RateRefused}
	case !ok && (s.models.listing.Err != nil || f.err != nil):
		return widget.RateCell{Text: "?", Mark: widget.RateMissing}
	case !ok:
		return widget.RateCell{Text: "…", Mark: widget.RateMissing}
	}
	cell := widget.RateCell{Text: env.Amount(f.estimate.Credits), Dim: s.stale(f) || s.grid.Refusal.Code != ""}
	if f.estimate.Source == api.SourceTable {
		cell.Text = "≈" + cell.Text
	}
	if seconds := s.grid.SecondsOf(c); seconds > 0 {
		cell.Rate = env.Amount(f.estimate.Credits/api.Credits(seconds)) + "/s"
	}
	if differs(c, f) {
		cell.Mark = widget.RateDiffers
	}
	return cell
}

// writeChoice says all about the selected price: one line, and below it, on
// lines of their own, why it cannot be had or what is to be noted.
func (s *Screen) writeChoice(f *widget.Facts) {
	k, t, g := s.k, s.k.Theme, &s.grid
	c := g.cell()
	name := choiceName(k, c.Request)
	if name == "" {
		name = clean(g.Model.ID)
	}
	fig, ok := s.figures.of(c)
	note := &widget.Facts{Width: f.Width, Theme: t}
	switch {
	case c.Refused():
		f.Painted(t.Faint.Paint("– "+name+"  ") + t.Muted.Paint(k.Say("unavailable")))
		note.Wrapped(t.Muted, k.Problem(c.Refusal))
	case !ok:
		f.Painted(t.Text.Paint(name))
		note.Wrapped(t.Muted, s.whyNoFigure(fig))
	default:
		f.Painted(t.Strong.Paint(name+"  ") + t.Accent.Paint(k.Say("%s credits", env.Amount(fig.estimate.Credits))) + "  " + s.from(fig))
		s.noteFigure(note, c, fig)
	}
	for len(note.Lines) < reasonLines {
		note.Lines = append(note.Lines, "")
	}
	f.Lines = append(f.Lines, note.Lines...)
}

func (s *Screen) noteFigure(note *widget.Facts, c *pricing.Choice, fig figure) {
	k, t := s.k, s.k.Theme
	if s.grid.Refusal.Code != "" {
		note.Wrapped(t.Warn, "✕ "+k.Problem(s.grid.Refusal))
	}
	if differs(c, fig) {
		note.Wrapped(t.Warn, k.Say("Quoted at %s credits, published at %s: the quote counts.",
			env.Amount(fig.estimate.Credits), env.Amount(c.Rate.Credits)))
	}
	if fig.estimate.Differs {
		note.Wrapped(t.Warn, k.Say("Quoted at %s credits, published at %s: the higher one counts.",
			env.Amount(fig.estimate.Service), env.Amount(fig.estimate.Table)))
	}
	if fig.estimate.Dearer() {
		note.Wrapped(t.Warn, k.Say("Dearer than when last sent: %s credits on %s.", env.Amount(fig.estimate.Sent), k.Stamp(fig.estimate.SentAt)))
	}
}

func (s *Screen) whyNoFigure(f figure) string {
	switch {
	case s.grid.Refusal.Code != "":
		return "✕ " + s.k.Problem(s.grid.Refusal)
	case f.err != nil:
		return env.Sentence(s.k, f.err)
	case s.models.listing.Err != nil:
		return s.k.Say("Not quoted yet.")
	}
	return s.k.Say("no price yet")
}

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
	known := k.Say("It has listed no models yet: only the published rates of seedance2 are known. Press %s to refresh.", k.Key("refresh", "r"))
	if !listing.At.IsZero() {
		known = k.Say("The models are those of %s. Press %s to refresh.", k.Stamp(listing.At), k.Key("refresh", "r"))
	}
	f.Wrapped(t.Warn, "✕ "+env.AsSentence(env.Shortly(k, listing.Err))+" "+known)
}

// clean makes a listing's word fit for the terminal.
func clean(s string) string { return api.Clean(s, 64).String() }
