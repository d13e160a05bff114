package prices

import (
	"cmp"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
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
	head := k.Say("Credits for one image")
	switch {
	case s.grid.Chosen:
		head = k.Say("Credits for %d s, and per second", s.seconds)
	case s.grid.Timed:
		head = k.Say("Credits by duration in seconds, and per second")
	}
	head = k.Theme.Muted.Paint(head)
	if s.duration.editing {
		head = s.durationLine()
	}
	f.Painted(head)
	padTo(f, gridTop(h))
	lowest := s.lowest()
	rates := s.rates(func(c *pricing.Choice) widget.RateCell {
		cell := s.rate(c)
		if cell.Mark == widget.RatePlain && lowest[c.Key] {
			cell.Mark = widget.RateLowest
		}
		return cell
	})
	rates.Focus, rates.Rated = s.pane == paneGrid, s.grid.Timed
	f.Add(rates.Lines(k.Theme, s.frame(rates, f.Width, h))...)
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

// lowest are the keys of the cheapest choices of resolutions or sizes with several.
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

func (s *Screen) rate(c *pricing.Choice) widget.RateCell {
	f := s.figure(c)
	switch {
	case c.Refused():
		return widget.RateCell{Text: "–", Mark: widget.RateMissing}
	case !f.Known() && (s.models.listing.Err != nil || f.err != nil):
		return widget.RateCell{Text: "?", Mark: widget.RateMissing}
	case !f.Known():
		return widget.RateCell{Text: "…", Mark: widget.RateMissing}
	}
	cell := widget.RateCell{Text: env.Amount(f.Credits), Price: f.Credits, Dim: s.stale(f) || s.grid.Refusal.Code != ""}
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
			return widget.RateCell{Text: "–", Mark: widget.RateMissing}
		case !chosen.Refused() && (!ok || !known):
			return widget.RateCell{Text: "?", Mark: widget.RateMissing}
		case chosen.Refused() || c == chosen:
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

func (s *Screen) writeTable(f *widget.Facts, title string, rates *widget.RateGrid) {
	f.Gap()
	f.Add(widget.Divide(title))
	f.Add(rates.Lines(s.k.Theme, rates.Frame(f.Width, len(rates.Rows)+1))...)
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

func signed(number string) string {
	if less, ok := strings.CutPrefix(number, "-"); ok {
		return "−" + less
	}
	return "+" + number
}

func (s *Screen) copyGrid() tea.Cmd {
	return tea.Batch(tea.SetClipboard(s.grid.Markdown(s.credits, s.k.Say)), msg.Notify(msg.ToneGood, s.k.Say("Copied.")))
}

// Lines that stay free for notes, so that nothing moves when one comes.
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
	f.Add("")
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

func padTo(f *widget.Facts, n int) {
	for len(f.Lines) < n {
		f.Add("")
	}
}

// writeChoice says all about the selected price: one line, and below it, on
// lines of their own, why it is unavailable or a note about the price.
func (s *Screen) writeChoice(f *widget.Facts) {
	k, t, c := s.k, s.k.Theme, s.grid.cell()
	name, fig := cmp.Or(choiceName(k, c.Request), clean(s.grid.Model.ID)), s.figure(c)
	below := len(f.Lines) + 1 + reasonLines
	switch {
	case c.Refused():
		f.Painted(t.Faint.Paint("– "+name+"  ") + t.Muted.Paint(k.Say("unavailable")))
		f.Wrapped(t.Muted, k.Problem(c.Refusal))
	case !fig.Known():
		why := k.Say("no price yet")
		switch {
		case s.grid.Refusal.Code != "":
			why = "✕ " + k.Problem(s.grid.Refusal)
		case fig.err != nil:
			why = env.Sentence(k, fig.err)
		case s.models.listing.Err != nil:
			why = k.Say("Not quoted yet.")
		}
		f.Painted(t.Text.Paint(name))
		f.Wrapped(t.Muted, why)
	default:
		f.Painted(t.Strong.Paint(name+"  ") + t.Accent.Paint(k.Say("%s credits", env.Amount(fig.Credits))) + "  " + s.from(fig))
		s.noteFigure(f, c, fig)
	}
	padTo(f, below)
}

func (s *Screen) noteFigure(f *widget.Facts, c *pricing.Choice, fig figure) {
	k, warn := s.k, s.k.Theme.Warn
	if s.grid.Refusal.Code != "" {
		f.Wrapped(warn, "✕ "+k.Problem(s.grid.Refusal))
	}
	if differs(c, fig) {
		f.Wrapped(warn, k.Say("Quoted at %s credits, published at %s: the quote counts.",
			env.Amount(fig.Credits), env.Amount(c.Rate.Credits)))
	}
	if fig.Differs {
		f.Wrapped(warn, k.Say("Quoted at %s credits, published at %s: the higher one counts.",
			env.Amount(fig.Service), env.Amount(fig.Table)))
	}
	if fig.Dearer() {
		f.Wrapped(warn, k.Say("More expensive than when last sent: %s credits on %s.", env.Amount(fig.Sent), k.Stamp(fig.SentAt)))
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

// writeCheapest says which choice of each resolution or size is the cheapest, on
// as many lines whatever is known.
func (s *Screen) writeCheapest(f *widget.Facts) {
	below := len(f.Lines) + cheapestLines
	var parts []string
	for _, c := range s.grid.CheapestOf(s.credits) {
		var names []string
		for _, choice := range c.Choices {
			names = append(names, clean(s.grid.Other(choice)))
		}
		name := strings.Join(names, " = ")
		if s.grid.Timed && s.grid.Model.ID != api.Seedance2 || name == "" {
			continue
		}
		parts = append(parts, strings.TrimSpace(clean(c.Group)+" "+name+" "+env.Amount(c.Credits)))
	}
	if len(parts) > 0 {
		parts[0] = s.k.Say("Cheapest: %s", parts[0])
		f.Joined(s.k.Theme.Good, parts)
	}
	padTo(f, below)
}

// writeLegend explains the marks that are in view, and says how old the oldest
// quote is once that matters: one line, whatever there is to say.
func (s *Screen) writeLegend(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	published, differing, oldest := false, false, api.Estimate{At: s.now}
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		fig := s.figure(c)
		if !fig.Known() || c.Refused() {
			continue
		}
		published = published || fig.Source == api.SourceTable
		differing = differing || differs(c, fig)
		if s.stale(fig) && fig.At.Before(oldest.At) {
			oldest = fig.Estimate
		}
	}
	var parts []string
	mark := func(seen bool, style theme.Style, sign, text string) {
		if seen {
			parts = append(parts, style.Paint(sign)+t.Muted.Paint(text))
		}
	}
	mark(len(s.lowest()) > 0, t.Good, widget.RateLowestSign+" ", k.Say("cheapest"))
	mark(published, t.Text, "≈ ", k.Say("published"))
	mark(differing, t.Warn, widget.RateDiffersSign+" ", k.Say("not as published"))
	span, _ := oldest.Age(s.now)
	age := k.Span(span)
	old := k.Say("Quotes are up to %s old.", age)
	if s.models.listing.Err == nil {
		old = k.Say("Quotes are up to %s old. Press %s to refresh.", age, k.Key("refresh", "r"))
	}
	mark(span > 0, t.Muted, "", old)
	f.Painted(strings.Join(parts, "   "))
}

// writeTrouble says that the service does not answer, and how old the listing is.
func (s *Screen) writeTrouble(f *widget.Facts) {
	k, listing := s.k, &s.models.listing
	if listing.Err == nil || s.models.loading {
		return
	}
	known := k.Say("It has listed no models yet: only the published rates of seedance2 are known. Press %s to refresh.", k.Key("refresh", "r"))
	if !listing.At.IsZero() {
		known = k.Say("The models are those of %s. Press %s to refresh.", k.Stamp(listing.At), k.Key("refresh", "r"))
	}
	f.Wrapped(k.Theme.Warn, "✕ "+env.AsSentence(env.Shortly(k, listing.Err))+" "+known)
}

// writeEqualPrices names the better tiers that cost no more.
func (s *Screen) writeEqualPrices(f *widget.Facts) {
	g := &s.grid
	if g.Model.ID != api.Seedance2 {
		return
	}
	for i := 0; i+1 < len(g.Rows); i += 2 {
		for j := range g.Cols {
			less, more := g.At(i, j), g.At(i+1, j)
			a, known := s.credits(less)
			b, both := s.credits(more)
			if known && both && !less.Refused() && !more.Refused() && a == b {
				f.Wrapped(s.k.Theme.Text, s.k.Say("%s: %s costs the same as %s.", g.Cols[j], g.Rows[i+1], g.Rows[i]))
			}
		}
	}
}

func (s *Screen) writeParameters(f *widget.Facts) {
	k, t, list := s.k, s.k.Theme, s.grid.Model.Parameters
	if len(list) == 0 {
		return
	}
	f.Gap()
	f.Add(widget.Divide(k.Say("Parameters")))
	wide := 0
	for _, p := range list {
		wide = max(wide, theme.Width(clean(p.Name)))
	}
	wide = min(wide, f.Width/3) + 2
	table := widget.Grid{Columns: []widget.GridColumn{{Width: wide}, {Width: f.Width - wide}}, Wrap: true}
	for _, p := range list {
		words := cleaned(p.Values)
		if len(words) == 0 && p.Type != "" {
			words = append(words, clean(p.Type))
		}
		if p.Min != nil && p.Max != nil {
			words = append(words, k.Say("%g to %g", *p.Min, *p.Max))
		}
		for i := range words {
			words[i] = t.Muted.Paint(words[i])
		}
		if p.Default != "" {
			words = append(words, t.Faint.Paint(k.Say("default %s", clean(p.Default))))
		}
		table.Rows = append(table.Rows, []string{t.Text.Paint(theme.Cut(clean(p.Name), wide-2)), strings.Join(words, "  ")})
	}
	f.Add(table.Lines()...)
}

// choiceName is how a choice is called: "fast · 720p".
func choiceName(k *env.Env, r api.Request) string {
	return strings.Join(widget.RequestFacts(k, r)[1:], " · ")
}
