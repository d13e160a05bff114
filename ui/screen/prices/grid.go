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

// frame fits the table into a pane below the line where a duration is typed; some
// lines below it are for the choice.
func (s *Screen) frame(b *widget.RateGrid, w, h int) widget.RateFrame {
	return b.Frame(w, h-gridTop-2-reasonLines)
}

const gridTop = 1

// prices is the table of the model: each price beside the chosen one.
func (s *Screen) prices() *widget.RateGrid {
	g := &s.grid
	b := &widget.RateGrid{Unit: s.k.Say("credits"), Rows: cleaned(g.Rows), Cols: cleaned(g.Cols), Row: g.row, Col: g.col,
		Focus: s.pane == paneGrid, Tall: true}
	if s.perSecond && g.Timed {
		b.Unit = s.k.Say("credits / s")
	}
	for i := range g.Choices {
		b.Cells = append(b.Cells, s.priceCell(&g.Choices[i], s.perSecond))
	}
	for i := range b.Cells {
		if base, c := &b.Cells[g.row*len(g.Cols)+g.col], &b.Cells[i]; !base.Missing && !c.Missing {
			c.Change = difference(base.Price, c.Price)
		}
	}
	s.mark(b.Cells)
	return b
}

// measured is the price of a choice, or what a second of it costs.
func (s *Screen) measured(c *pricing.Choice, credits api.Credits, perSecond bool) api.Credits {
	if seconds := s.grid.SecondsOf(c); perSecond && seconds > 0 {
		return credits / api.Credits(seconds)
	}
	return credits
}

func cleaned(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = clean(name)
	}
	return out
}

// mark names the cheapest choice of each resolution or size with several, and those
// that cost the same as one above or before them.
func (s *Screen) mark(cells []widget.RateCell) {
	g, t := &s.grid, s.k.Theme
	lowest := map[string]bool{}
	for _, c := range g.CheapestOf(s.credits) {
		if c.Of > 1 && len(c.Choices) < c.Of {
			lowest[c.Choices[0].Key] = true
		}
	}
	type price struct {
		group   string
		credits api.Credits
	}
	first := map[price]string{}
	for i := range cells {
		c, at := &cells[i], &g.Choices[i]
		credits, _ := s.credits(at)
		is := price{cmp.Or(at.Request.Size, at.Request.Resolution), credits}
		switch {
		case c.Missing:
			continue
		case s.figure(at).Differs:
			c.Word, c.Style = widget.RateDiffersSign+" "+s.k.Say("not as published"), t.Warn
		case lowest[at.Key]:
			c.Word, c.Style = widget.RateLowestSign+" "+s.k.Say("cheapest"), t.Good
		case first[is] != "":
			c.Word, c.Style = "= "+first[is], t.Muted
		}
		first[is] = cmp.Or(first[is], clean(g.Other(at)))
	}
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
	out := widget.RateCell{Figure: env.Amount(f.Credits), Dim: s.stale(f) || s.grid.Refusal.Code != ""}
	out.Price = s.measured(c, f.Credits, perSecond)
	if seconds := s.grid.SecondsOf(c); seconds > 0 {
		out.Second = env.Amount(s.measured(c, f.Credits, true)) + "/s"
		if perSecond {
			out.Figure, out.Second = out.Second, out.Figure
		}
	}
	if f.Source == api.SourceTable {
		out.Figure = "≈ " + out.Figure
	}
	return out
}

// difference writes a difference in credits and per cent, if any: "+75 +18 %".
func difference(base, price api.Credits) string {
	if base == price {
		return ""
	}
	text := signed(env.Amount(price - base))
	percent := math.Round(100 * float64(price-base) / float64(base))
	if base == 0 || math.Abs(percent) > 9999 {
		return text
	}
	return text + " " + signed(env.Thousands(int(percent))) + " %"
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

// reasonLines stay free for notes, so that nothing moves when one comes.
const reasonLines = 2

// content is all that is known of the selected model's prices, w cells wide.
func (s *Screen) content(w, h int) []string {
	if s.grid.Model.ID == "" || w == 0 {
		return nil
	}
	f := &widget.Facts{Width: w, Theme: s.k.Theme}
	line := ""
	if s.duration.Editing() {
		line = s.durationLine()
	}
	f.Painted(line)
	prices := s.prices()
	f.Add(prices.Lines(s.k.Theme, s.frame(prices, w, h))...)
	f.Add("")
	s.writeChoice(f)
	s.writeLegend(f)
	s.writeDurations(f)
	s.writeParameters(f)
	return f.Lines
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
		f.Painted(t.Text.Paint(name+"  ") + s.from(fig))
		s.noteFigure(f, fig)
	}
	s.writeTrouble(f)
	for len(f.Lines) < below {
		f.Add("")
	}
}

func (s *Screen) noteFigure(f *widget.Facts, fig figure) {
	k, warn := s.k, s.k.Theme.Warn
	if s.grid.Refusal.Code != "" {
		f.Wrapped(warn, "✕ "+k.Problem(s.grid.Refusal))
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
		differing = differing || fig.Differs
		if s.stale(fig) && fig.At.Before(oldest.At) {
			oldest = fig.Estimate
		}
	}
	line := ""
	if published {
		line = t.Text.Paint("≈ ") + t.Muted.Paint(k.Say("published")+"   ")
	}
	if differing {
		line += t.Warn.Paint(widget.RateDiffersSign+" ") + t.Muted.Paint(k.Say("not as published")+"   ")
	}
	if span, _ := oldest.Age(s.now); span > 0 {
		line += t.Muted.Paint(k.Say("Quotes are up to %s old. Press %s to refresh.", k.Span(span), k.Key("refresh", "r")))
	}
	f.Painted(line)
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
