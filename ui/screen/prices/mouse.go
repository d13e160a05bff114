package prices

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
)

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	if s.ledger {
		return nil
	}
	a := s.areas()
	switch {
	case a.models.Holds(m.X, m.Y):
		row, ok := s.models.rows.RowAt(m.Y)
		if !ok {
			return nil
		}
		s.pane = paneModels
		if !s.models.rows.Select(row) {
			return nil
		}
		return s.showSelected()
	case a.afford.Holds(m.X, m.Y):
		return s.askAmount()
	case a.plan.Holds(m.X, m.Y):
		s.pane = panePlan
		if row, ok := s.plan.rows.RowAt(m.Y - a.plan.Y); ok {
			s.plan.rows.Select(row)
		}
		return nil
	}
	w, h := s.inner()
	rates := s.rates()
	row, col, ok := s.frame(rates, w, h).CellAt(m.X-a.figures.X-2, m.Y-a.figures.Y-1+s.scroll.Offset()-gridTop(h))
	if ok && row < len(s.grid.Rows) && col < len(s.grid.Cols) {
		s.grid.row, s.grid.col, s.pane = row, col, paneGrid
	}
	return nil
}

func (s *Screen) wheeled(m msg.WheelMsg) tea.Cmd {
	if s.ledger {
		s.spend.scroll.By(3 * m.By)
		return nil
	}
	a := s.areas()
	switch {
	case a.models.Holds(m.X, m.Y):
		s.pane = paneModels
		return s.vertical(m.By)()
	case a.plan.Holds(m.X, m.Y):
		s.pane = panePlan
		return s.vertical(m.By)()
	}
	s.scroll.By(3 * m.By)
	return nil
}
