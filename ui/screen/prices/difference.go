package prices

import (
	"math"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/widget"
)

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
