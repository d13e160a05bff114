package prices

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	// affordHigh is the least height of what an amount pays for.
	affordHigh = 9
	// modelsNarrow is how many models a narrow screen shows.
	modelsNarrow = 3
	// maxPlan is the most lines of the plan below the prices.
	maxPlan = 14
)

// areas are where the panes stand; those without a height are not in view. It
// depends on the size and the pane that has the keys alone.
func (s *Screen) areas() (a [paneCount]widget.Rect) {
	left, right := widget.SplitPanes(s.w, 40, 68)
	switch {
	case s.ledger:
		a[paneSpend] = widget.Rect{W: s.w, H: s.h}
	case right == 0:
		high := min(modelsNarrow+2, max((s.h-2)/5, 1)+2, s.h)
		a[paneModels] = widget.Rect{W: s.w, H: high}
		rest := widget.Rect{Y: high, W: s.w, H: s.h - high}
		if s.pane != panePlan {
			a[paneGrid] = rest
			break
		}
		if rest.H > affordHigh+planHead+5 {
			rest.H -= affordHigh
			a[paneAfford] = widget.Rect{Y: rest.Y + rest.H, W: s.w, H: affordHigh}
		}
		a[panePlan] = rest
	default:
		a[paneModels] = widget.Rect{W: left, H: s.h}
		if s.h >= affordHigh+8 {
			high := min(max(s.h/2, affordHigh), affordHigh+7)
			a[paneModels].H -= high
			a[paneAfford] = widget.Rect{Y: s.h - high, W: left, H: high}
		}
		plan := min(max(s.h/3, 7), maxPlan)
		a[paneGrid] = widget.Rect{X: left, W: right, H: s.h - plan}
		a[panePlan] = widget.Rect{X: left, Y: s.h - plan, W: right, H: plan}
	}
	return a
}

func (s *Screen) inner(p pane) (w, h int) {
	r := s.areas()[p]
	return widget.Pane{Width: r.W, Height: r.H}.Inner()
}

// arrange fits lists and scrolled texts to the size and the data. Every way into
// the screen that changes something ends with it, so that drawing changes nothing.
// A screen that is not shown is arranged by Focus.
func (s *Screen) arrange() {
	if !s.shown {
		return
	}
	s.plan.rows.KeepRows(len(s.plan.Items))
	if s.ledger {
		w, h := s.inner(paneSpend)
		s.spend.scroll.SetSize(w, h)
		s.spend.scroll.SetLines(s.spendContent(w, h))
		return
	}
	a := s.areas()
	s.models.rows.SetWindow(1, a[paneModels].H-2)
	s.plan.rows.SetWindow(1+planHead, a[panePlan].H-2-planHead)
	w, h := s.inner(paneGrid)
	s.scroll.SetSize(w, h)
	s.scroll.SetLines(s.content(w, h))
}

// View joins the panes. Most lines are those of the frame before.
func (s *Screen) View() []string {
	var left, right []string
	areas := s.areas()
	for _, p := range [...]pane{paneModels, paneGrid, panePlan, paneAfford, paneSpend} {
		switch r := areas[p]; {
		case r.H == 0:
		case r.X == 0:
			left = append(left, s.drawPane(p, r)...)
		default:
			right = append(right, s.drawPane(p, r)...)
		}
	}
	if right == nil {
		return left
	}
	return s.beside.Join(left, right)
}

// drawPane draws one pane. What draws its content sets its titles too.
func (s *Screen) drawPane(at pane, r widget.Rect) (lines []string) {
	p := &widget.Pane{Width: r.W, Height: r.H, Focus: at == s.pane || at == paneSpend}
	w, h := p.Inner()
	switch at {
	case paneGrid:
		lines = s.drawPrices(p)
	case panePlan:
		lines = s.drawPlan(p, w)
	case paneModels:
		lines = s.drawModels(p, w)
	case paneAfford:
		lines = s.drawAfford(p, w, h)
	case paneSpend:
		lines = s.drawSpend(p)
	}
	return p.Keep(&s.frames[at], s.k.Theme, lines)
}

func (s *Screen) drawPrices(p *widget.Pane) []string {
	k := s.k
	if p.Title = clean(s.grid.Model.ID); p.Title == "" {
		p.Title = k.Say("Prices")
		return nil
	}
	if s.grid.Chosen {
		p.Right = k.Say("− %d s +", s.seconds)
		if s.grid.Refusal.Code != "" {
			p.Right = "✕ " + p.Right
			p.Inked = k.Theme.Warn.Paint(p.Right)
		}
	}
	p.Foot = widget.More(k, s.scroll.Offset(), s.scroll.Below())
	if s.asksNow() {
		p.Foot = k.Say("quoted %d of %d, esc stops", s.asking.done, s.asking.all)
	}
	return s.scroll.Lines()
}

// Cursor is where the filter or the duration is written.
func (s *Screen) Cursor() *tea.Cursor {
	a := s.areas()
	if s.duration.editing {
		before := theme.Width(s.k.Say("Duration in seconds")) + 5
		return tea.NewCursor(a[paneGrid].X+before+s.duration.line.Column(), a[paneGrid].Y+1)
	}
	return s.models.filter.Cursor(a[paneModels].W)
}

func (s *Screen) paneAt(x, y int) (at pane, inX, inY int) {
	for p, r := range s.areas() {
		if r.Holds(x, y) {
			return pane(p), x - r.X, y - r.Y
		}
	}
	return paneCount, 0, 0
}

func (s *Screen) clicked(x, y int) tea.Cmd {
	switch at, x, y := s.paneAt(x, y); at {
	case paneModels:
		if row, ok := s.models.rows.RowAt(y); ok {
			s.pane = paneModels
			return s.selectModel(row)
		}
	case paneAfford:
		return s.askAmount()
	case panePlan:
		s.pane = panePlan
		if row, ok := s.plan.rows.RowAt(y); ok {
			s.plan.rows.Select(row)
		}
	case paneGrid:
		w, h := s.inner(paneGrid)
		row, col, ok := s.frame(s.names(), w, h).CellAt(x-2, y-1+s.scroll.Offset()-gridTop(h))
		if ok && row < len(s.grid.Rows) && col < len(s.grid.Cols) {
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
	s.scrolled().By(3 * m.By)
	return nil
}

// scrolled is the text that the keys for pages scroll.
func (s *Screen) scrolled() *widget.Scroll {
	if s.ledger {
		return &s.spend.scroll
	}
	return &s.scroll
}

// clean makes a word of a listing fit for the terminal.
func clean(s string) string { return api.Clean(s, api.MaxIDText).String() }
