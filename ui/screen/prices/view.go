package prices

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	// affordHigh is the least height of what an amount pays for, on a narrow screen.
	affordHigh = 9
	airFrom    = 32
	// lowMost is the most height of the plan, and of what an amount pays for below a high table.
	lowMost = 16
)

// areas are where the panes stand; those without a height are not in view. It
// depends on the size, the pane that has the keys, how many models there are, whether
// something is planned, and how high the table is.
func (s *Screen) areas() (a [paneCount]widget.Rect) {
	if s.w < widget.WideFrom {
		high := min(max(s.h/10, 3), max((s.h-2)/5, 1), max(len(s.models.listing.Models), 2)) + 2
		rest := widget.Rect{Y: high, W: s.w, H: s.h - high}
		a[paneModels] = widget.Rect{W: s.w, H: high}
		if s.pane != panePlan {
			a[paneGrid] = rest
			return a
		}
		if rest.H > affordHigh+planFoot+4 {
			rest.H -= affordHigh
			a[paneAfford] = widget.Rect{Y: rest.Y + rest.H, W: s.w, H: affordHigh}
		}
		a[panePlan] = rest
		return a
	}
	low, left := min(max(s.h*2/5, 4), lowMost), max(min(s.w/4, 42), 36)
	if len(s.plan.Items) > 0 {
		left = 42 // for the name of what is planned
	}
	high := s.h - low
	if s.need+3 < high { // what is below has more
		high = max(s.need+3, s.h/3)
	}
	a[paneModels] = widget.Rect{W: left, H: high}
	a[panePlan] = widget.Rect{Y: high, W: left, H: s.h - high}
	a[paneGrid] = widget.Rect{X: left, W: s.w - left, H: high}
	a[paneAfford] = widget.Rect{X: left, Y: high, W: s.w - left, H: s.h - high}
	return a
}

// arrange fits lists and scrolled texts to the size and the data. Every way into
// the screen that changes something ends with it, so that drawing changes nothing.
// A screen that is not shown is arranged by Focus.
func (s *Screen) arrange() {
	if !s.shown {
		return
	}
	s.plan.rows.KeepRows(len(s.plan.Items))
	s.need = s.h
	w, h := widget.Pane{Width: s.areas()[paneGrid].W, Height: s.areas()[paneGrid].H, Inset: true}.Inner()
	lines, a := s.content(w, h), s.areas()
	s.models.rows.SetWindow(1+s.air(), a[paneModels].H-2-s.air())
	s.plan.rows.SetWindow(1+s.air(), a[panePlan].H-2-planFoot-s.air())
	s.scroll.SetSize(w, a[paneGrid].H-2)
	s.scroll.SetLines(lines)
}

// View joins the panes. Most lines are those of the frame before.
func (s *Screen) View() []string {
	var out []string
	areas := s.areas()
	for _, p := range [...]pane{paneModels, panePlan, paneGrid, paneAfford} {
		switch r := areas[p]; {
		case r.H == 0:
		case r.X > 0:
			lines := s.drawPane(p, r)
			if r.Y+r.H < s.h {
				lines = widget.Under(s.k.Theme, lines, r.W)
			}
			copy(out[r.Y:], s.beside[p].Join(out[r.Y:r.Y+r.H], lines))
		default:
			out = append(widget.Under(s.k.Theme, out, r.W), s.drawPane(p, r)...)
		}
	}
	return out
}

// drawPane draws one pane. What draws its content sets its titles too.
func (s *Screen) drawPane(at pane, r widget.Rect) (lines []string) {
	p := &widget.Pane{Width: r.W, Height: r.H, Focus: at == s.pane, Inset: at != paneModels}
	w, h := p.Inner()
	switch at {
	case paneGrid:
		lines = s.drawPrices(p)
	case panePlan:
		lines = append(make([]string, s.air()), s.drawPlan(p, w)...)
	case paneModels:
		lines = append(make([]string, s.air()), s.drawModels(p, w)...)
	case paneAfford:
		lines = s.drawAfford(p, w, h)
	}
	return p.Keep(&s.frames[at], s.k.Theme, lines)
}

// air is a blank line below titles, where there is room.
func (s *Screen) air() int {
	if s.w < widget.WideFrom || s.h < airFrom {
		return 0
	}
	return 1
}

// compared says what the prices are compared with, if that is one of several.
func (s *Screen) compared() string {
	g, c := &s.grid, s.grid.cell()
	return s.k.SayIf(!c.Refused() && len(g.Choices) > 1, "%% compared with %s", strings.TrimSpace(clean(g.Rows[c.Row]+" "+g.Cols[c.Col])))
}

// legend explains the signs of the table.
func (s *Screen) legend(prices *widget.RateGrid) string {
	missing := slices.ContainsFunc(s.grid.Choices, func(c pricing.Choice) bool { return c.Refused() })
	unquoted := s.grid.Chosen && s.figure(s.grid.cell()).Source == api.SourceService
	cheapest := slices.ContainsFunc(prices.Cells, func(c widget.RateCell) bool { return c.Sign == "↓" })
	compared := s.compared()
	if s.w < widget.WideFrom && len(s.plan.Items) == 0 { // the title says it
		compared = ""
	}
	return strings.Join(env.Said(s.k.SayIf(missing, "– not offered"), s.k.SayIf(cheapest, "↓ cheapest"), compared,
		s.k.SayIf(unquoted, "≈ not quoted")), "   ")
}

func (s *Screen) drawPrices(p *widget.Pane) []string {
	k := s.k
	if p.Title = k.Theme.Strong.Paint(clean(s.grid.Model.ID)); p.Title == "" {
		p.Title = k.Say("Prices")
		return nil
	}
	if s.grid.Chosen {
		seconds := k.Say("%d s", s.seconds)
		if s.grid.Refusal.Code != "" {
			seconds = "✕ " + seconds
		}
		p.Title += "  " + k.Theme.Chip(seconds)
	}
	if fig, c := s.figure(s.grid.cell()), s.grid.cell(); fig.Known() && !c.Refused() {
		p.Title += "  " + s.from(fig)
	}
	if s.w < widget.WideFrom && len(s.plan.Items) > 0 {
		total, _ := s.plan.Total(s.priceOf)
		p.Right = k.Say("Plan %s", requests(k, &s.plan.Plan)+" · "+total.String())
	} else if s.w < widget.WideFrom {
		p.Right = s.compared()
	}
	p.Scrolled(k, s.scroll.Offset(), s.scroll.Below())
	if s.asksNow() {
		p.Foot = k.Say("quoted %d of %d, esc stops", s.asking.done, s.asking.all)
	}
	return s.scroll.Lines()
}

// Cursor is where the filter or the duration is written.
func (s *Screen) Cursor() *tea.Cursor {
	a := s.areas()
	if s.duration.Editing {
		before := theme.Width(s.k.Say("Duration in seconds")) + 3 + widget.Inset
		return tea.NewCursor(a[paneGrid].X+before+s.duration.Line.Column(), a[paneGrid].Y+1)
	}
	return s.models.filter.Cursor(a[paneModels].W)
}

// paneAt is the pane at a point, and where in it the point lies.
func (s *Screen) paneAt(x, y int) (at pane, inX, inY int) {
	for p, r := range s.areas() {
		if r.Holds(x, y) {
			return pane(p), x - r.X, y - r.Y
		}
	}
	return paneCount, 0, 0
}

// clicked chooses what lies at a point, and gives its pane the keys.
func (s *Screen) clicked(x, y int) tea.Cmd {
	switch at, x, y := s.paneAt(x, y); at {
	case paneModels:
		if row, ok := s.models.rows.RowAt(y); ok {
			if s.pane = paneModels; s.models.rows.Select(row) {
				return s.layOut()
			}
		}
	case paneAfford:
		return s.askAmount()
	case panePlan:
		s.pane = panePlan
		if row, ok := s.plan.rows.RowAt(y); ok {
			s.plan.rows.Select(row)
		}
	case paneGrid:
		row, col, ok := s.rates.CellAt(x-widget.Inset, y-1+s.scroll.Offset()-gridTop)
		if ok && len(s.grid.Choices) > 0 {
			s.grid.row, s.grid.col, s.pane = row, col, paneGrid
		}
	}
	return nil
}

func (s *Screen) wheeled(m msg.WheelMsg) tea.Cmd {
	switch at, _, _ := s.paneAt(m.X, m.Y); at {
	case paneModels, panePlan:
		s.pane = at
		return s.vertical(m.By)
	}
	s.scroll.By(3 * m.By)
	return nil
}

// clean makes a word of a listing fit for the terminal.
func clean(s string) string { return api.Clean(s, api.MaxIDText).String() }

const (
	atOnce   = 4                      // prices that the service is asked for at a time
	maxCalls = 64                     // prices of one model that it is asked for
	quietFor = 300 * time.Millisecond // a choice rests before the service is asked for it
)

// figure is one answered price.
type figure struct {
	api.Estimate
	err    error // why the service's own is missing
	stored bool  // known from before: the service is still to be asked
}

// figure is the best price of a choice: the service's, else the published, if any.
func (s *Screen) figure(c *pricing.Choice) figure {
	f := s.figures[c.Key]
	if !f.Known() && c.Rate.Known() {
		f.Estimate = c.Rate
	}
	return f
}

// credits is a pricing.Figure of what was quoted or published.
func (s *Screen) credits(c *pricing.Choice) (api.Credits, bool) {
	f := s.figure(c)
	return f.Credits, f.Known()
}

// priceOf is what one request costs, as far as it is known; a listed price counts.
func (s *Screen) priceOf(r api.Request) (api.Credits, bool) {
	m := s.modelOf(r.Model)
	c := pricing.ChoiceOf(m, r)
	if credits, ok := s.credits(&c); ok {
		return credits, true
	}
	return pricing.Listed(m, r)
}

func (s *Screen) priceOfChoice(c *pricing.Choice) (api.Credits, bool) { return s.priceOf(c.Request) }

// stale reports whether a quote is so old that its age is shown.
func (s *Screen) stale(f figure) bool {
	age, _ := f.Age(s.now)
	return f.Source == api.SourceService && !f.At.IsZero() && age >= api.FreshFor
}

// asking is a series of questions for the prices in view. Answers to an earlier
// series are kept, and ask for no more.
type asking struct {
	ctx  context.Context
	stop context.CancelFunc
	done int
	all  int // 0 until the service is asked
}

func (s *Screen) asksNow() bool { return s.asking != nil && s.asking.all > 0 }

// endAsking cancels the questions under way and forgets the rest.
func (s *Screen) endAsking() {
	if s.asking != nil {
		s.asking.stop()
		s.asking = nil
	}
}

// fill asks for the prices in view: at once for those that are stored, and,
// once the choice has rested, for the service's own. A duration that the model
// does not take is not asked for.
func (s *Screen) fill() tea.Cmd {
	s.endAsking()
	if !s.shown || len(s.grid.Choices) == 0 {
		return nil
	}
	recall := s.recall(s.grid.Choices)
	if s.models.listing.Err != nil || s.grid.Refusal.Code != "" {
		return recall
	}
	a := &asking{}
	a.ctx, a.stop = context.WithCancel(s.k.Context)
	s.asking = a
	return tea.Batch(recall, env.Later(a.ctx, quietFor, thenMsg(func(screen *Screen) tea.Cmd { return screen.ask(a) })))
}

// ask asks the service for the prices that are missing. After an answer that says that
// it will not answer for others either, it is left alone.
func (s *Screen) ask(a *asking) tea.Cmd {
	if a != s.asking {
		return nil
	}
	var cmds []tea.Cmd
	turns, backend := make(chan struct{}, atOnce), s.backend
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		if f, ok := s.figures[c.Key]; c.Refused() || ok && !f.stored || len(cmds) == maxCalls {
			continue
		}
		cmds = append(cmds, func() tea.Msg {
			turns <- struct{}{}
			defer func() { <-turns }()
			if a.ctx.Err() != nil {
				return nil
			}
			e, err := backend.Quote(a.ctx, c.Request)
			switch {
			case a.ctx.Err() != nil:
				return nil
			case err != nil && !pricing.OneOnly(err):
				a.stop()
			}
			e.Raw = nil
			return thenMsg(func(screen *Screen) tea.Cmd {
				screen.figures[c.Key] = figure{Estimate: e, err: err}
				screen.learn(c.Request.Model)
				if a.done++; a == screen.asking && (a.done == a.all || a.ctx.Err() != nil) {
					screen.endAsking()
				}
				return nil
			})
		})
	}
	a.all = len(cmds)
	return tea.Batch(cmds...)
}

// recall reads stored prices; it makes no call.
func (s *Screen) recall(choices []pricing.Choice) tea.Cmd {
	missing := slices.DeleteFunc(slices.Clone(choices), func(c pricing.Choice) bool {
		_, known := s.figures[c.Key]
		return known || c.Refused() || c.Rate.Known()
	})
	if len(missing) == 0 {
		return nil
	}
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		known := map[string]figure{}
		for i := range missing {
			if e := backend.KnownEstimate(ctx, missing[i].Request); e.Known() {
				e.Raw = nil
				known[missing[i].Key] = figure{Estimate: e, stored: true}
			}
		}
		return thenMsg(func(screen *Screen) tea.Cmd {
			maps.Copy(known, screen.figures) // those are newer
			screen.figures = known
			screen.learn(api.Map(missing, func(c pricing.Choice) string { return c.Request.Model })...)
			return nil
		})
	}
}
