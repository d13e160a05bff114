package prices

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/msg"
)

func (s *Screen) table() []action.Action {
	const far = 1 << 20
	key := func(k ...string) []string { return k }
	return []action.Action{
		{Name: "use_price", Keys: key("enter"), Label: "create with this", Handler: s.use, Disabled: s.whyNoChoice},
		{Name: "switch_pane", Keys: key("tab", "shift+tab"), Label: "switch pane", Handler: s.switchPane, Disabled: s.whyNoModel},
		{Name: "longer", Keys: key("+", "="), Display: "+/-", Label: "duration", Handler: s.changeDuration(1), Disabled: s.whyNoDuration},
		{Name: "shorter", Keys: key("-", "_"), Label: "shorter", Hidden: true, Handler: s.changeDuration(-1), Disabled: s.whyNoDuration},
		{Name: "filter", Keys: key("/"), Label: "filter", Handler: s.startFilter},
		{Name: "refresh", Keys: key("r"), Label: "refresh", Handler: s.refresh},
		{Name: "next", Keys: key("down", "j"), Display: "j/k", Label: "next", Hidden: true, Handler: s.vertical(1)},
		{Name: "previous", Keys: key("up", "k"), Label: "previous", Hidden: true, Handler: s.vertical(-1)},
		{Name: "next_price", Keys: key("right", "l"), Label: "next price", Hidden: true, Handler: s.sideways(1)},
		{Name: "previous_price", Keys: key("left", "h"), Label: "previous price", Hidden: true, Handler: s.sideways(-1)},
		{Name: "first", Keys: key("g", "home"), Label: "first", Hidden: true, Handler: s.vertical(-far)},
		{Name: "last", Keys: key("G", "shift+g", "end"), Label: "last", Hidden: true, Handler: s.vertical(far)},
		{Name: "scroll_down", Keys: key("pgdown", "space"), Label: "scroll down", Hidden: true, Handler: s.scrollBy(8)},
		{Name: "scroll_up", Keys: key("pgup"), Label: "scroll up", Hidden: true, Handler: s.scrollBy(-8)},
		{Name: "back", Keys: key("esc"), Label: "back", Hidden: true, Handler: s.back},
	}
}

// showSelected shows the prices of the selected model.
func (s *Screen) showSelected() tea.Cmd {
	s.scroll.ToTop()
	s.setGrid(gridFor(s.models.selected(), s.seconds))
	return s.fill()
}

func (s *Screen) setGrid(g grid) {
	s.grid = g
	s.grids++
}

func (s *Screen) switchPane() tea.Cmd {
	s.onGrid = !s.onGrid
	return nil
}

func (s *Screen) scrollBy(lines int) func() tea.Cmd {
	return func() tea.Cmd {
		s.scroll.By(lines)
		return nil
	}
}

func (s *Screen) vertical(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.onGrid {
			s.grid.move(by, 0)
			s.scroll.ToTop()
			return nil
		}
		if !s.models.choose(s.models.at + by) {
			return nil
		}
		return s.showSelected()
	}
}

func (s *Screen) sideways(by int) func() tea.Cmd {
	return func() tea.Cmd {
		switch {
		case !s.onGrid && by > 0 && len(s.grid.cells) > 0:
			s.onGrid = true
		case s.onGrid && by < 0 && s.grid.col == 0:
			s.onGrid = false
		case s.onGrid:
			s.grid.move(0, by)
		}
		return nil
	}
}

// changeDuration prices a longer or a shorter video.
func (s *Screen) changeDuration(by int) func() tea.Cmd {
	return func() tea.Cmd {
		to := nextDuration(s.models.selected(), s.seconds, by)
		if to == s.seconds {
			return nil
		}
		s.seconds = to
		g := gridFor(s.models.selected(), s.seconds)
		g.row, g.col = s.grid.row, s.grid.col
		s.setGrid(g)
		return s.fill()
	}
}

// use opens Create with the model, or with the selected price.
func (s *Screen) use() tea.Cmd {
	m := s.models.selected()
	r := api.Request{Kind: m.Kind, Model: m.ID}
	if s.onGrid && len(s.grid.cells) > 0 {
		r = s.grid.cell().request
	}
	return msg.Load(r, true)
}

func (s *Screen) whyNoModel() string {
	if len(s.models.found) == 0 {
		return s.k.Say("There is no model to choose.")
	}
	return ""
}

func (s *Screen) whyNoChoice() string {
	if why := s.whyNoModel(); why != "" {
		return why
	}
	if s.onGrid && len(s.grid.cells) > 0 && s.grid.cell().refused() {
		return s.k.Problem(s.grid.cell().refusal)
	}
	return ""
}

func (s *Screen) whyNoDuration() string {
	if s.grid.timed {
		return ""
	}
	return s.k.Say("Only videos have a duration.")
}

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	models, figures := s.areas()
	if models.Holds(m.X, m.Y) {
		row := s.models.top + m.Y - 1
		if m.Y < 1 || row >= len(s.models.found) {
			return nil
		}
		s.onGrid = false
		if !s.models.choose(row) {
			return nil
		}
		return s.showSelected()
	}
	w, h := s.inner()
	rates := s.rates()
	row, col, ok := s.frame(rates, w, h).CellAt(m.X-figures.X-2, m.Y-figures.Y-1+s.scroll.Offset()-gridTop(h))
	if ok && row < len(s.grid.rows) && col < len(s.grid.cols) {
		s.grid.row, s.grid.col, s.onGrid = row, col, true
	}
	return nil
}
