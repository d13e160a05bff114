package prices

import (
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
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
// for their prices. The selected cell stays where rows and columns do, else it is
// the first that is available.
func (s *Screen) layOut() tea.Cmd {
	before, g := s.grid, grid{Table: pricing.For(s.models.selected(), s.seconds, "")}
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

// writeGrid writes every price of the model below what they are for.
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
	lowest := s.lowest()
	rates := s.rates(func(c *pricing.Choice) widget.RateCell {
		cell := s.rate(c)
		if cell.Mark == widget.RatePlain && lowest[c.Key] {
			cell.Mark = widget.RateLowest
		}
		return cell
	})
	rates.Focus, rates.Rated = s.pane == paneGrid, s.grid.Timed
	f.Lines = append(f.Lines, rates.Lines(k.Theme, s.frame(rates, f.Width, h))...)
}

// names are the table's rows and columns, clean, without cells.
func (s *Screen) names() *widget.RateGrid {
	g := &s.grid
	return &widget.RateGrid{Rows: cleaned(g.Rows), Cols: cleaned(g.Cols), Row: g.row, Col: g.col}
}

func cleaned(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = clean(name)
	}
	return out
}

// rates is the table with a cell for each choice.
func (s *Screen) rates(cell func(c *pricing.Choice) widget.RateCell) *widget.RateGrid {
	out := s.names()
	for i := range s.grid.Choices {
		out.Cells = append(out.Cells, cell(&s.grid.Choices[i]))
	}
	return out
}

// lowest are the keys of the cheapest choices of each resolution or size, where
// there are dearer ones.
func (s *Screen) lowest() map[string]bool {
	out := map[string]bool{}
	for _, c := range s.grid.CheapestOf(s.credits) {
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
	f := s.figure(c)
	switch {
	case c.Refused():
		return widget.RateCell{Text: "–", Mark: widget.RateRefused}
	case !f.Known() && (s.models.listing.Err != nil || f.err != nil):
		return widget.RateCell{Text: "?", Mark: widget.RateMissing}
	case !f.Known():
		return widget.RateCell{Text: "…", Mark: widget.RateMissing}
	}
	cell := widget.RateCell{Text: env.Amount(f.Credits), Dim: s.stale(f) || s.grid.Refusal.Code != ""}
	if f.Source == api.SourceTable {
		cell.Text = "≈" + cell.Text
	}
	if seconds := s.grid.SecondsOf(c); seconds > 0 {
		cell.Rate = env.Amount(f.Credits/api.Credits(seconds)) + "/s"
	}
	if differs(c, f) {
		cell.Mark = widget.RateDiffers
	}
	return cell
}

// writeDifferences shows how much dearer or cheaper each other price is.
func (s *Screen) writeDifferences(f *widget.Facts) {
	k, g := s.k, &s.grid
	if len(g.Choices) < 2 {
		return
	}
	title, chosen := k.Say("Differences"), g.cell()
	base, ok := s.credits(chosen)
	if ok && !chosen.Refused() {
		title = k.Say("Compared with %s", choiceName(k, chosen.Request))
	}
	out := s.rates(func(c *pricing.Choice) widget.RateCell {
		price, known := s.credits(c)
		switch {
		case c.Refused():
			return widget.RateCell{Text: "–", Mark: widget.RateRefused}
		case chosen.Refused():
			return widget.RateCell{Text: "·", Mark: widget.RateRefused}
		case !ok || !known:
			return widget.RateCell{Text: "?", Mark: widget.RateMissing}
		case c == chosen:
			return widget.RateCell{Text: "·", Mark: widget.RateMissing}
		case price == base:
			return widget.RateCell{Text: k.Say("same")}
		case price < base:
			return widget.RateCell{Text: difference(base, price), Mark: widget.RateLowest}
		}
		return widget.RateCell{Text: difference(base, price), Dim: true}
	})
	out.Row = -1
	s.writeTable(f, title, out)
}

// writeTable writes a table of its own below a title.
func (s *Screen) writeTable(f *widget.Facts, title string, rates *widget.RateGrid) {
	f.Gap()
	f.Lines = append(f.Lines, widget.Divide(title))
	f.Lines = append(f.Lines, rates.Lines(s.k.Theme, rates.Frame(f.Width, len(rates.Rows)+1))...)
}

// difference writes a difference in credits and per cent: "+75 +18%".
func difference(base, price api.Credits) string {
	text := signed(env.Amount(price - base))
	percent := math.Round(100 * float64(price-base) / float64(base))
	if base == 0 || math.Abs(percent) > 9999 {
		return text
	}
	return text + " " + signed(env.Thousands(int(percent))) + "%"
}

// signed is a number with its sign.
func signed(number string) string {
	if less, ok := strings.CutPrefix(number, "-"); ok {
		return "−" + less
	}
	return "+" + number
}

// copyGrid puts the table on the clipboard as Markdown.
func (s *Screen) copyGrid() tea.Cmd {
	return tea.Batch(tea.SetClipboard(s.grid.Markdown(s.credits, s.k.Say)), msg.Notify(msg.ToneGood, s.k.Say("Copied.")))
}
