package prices

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/widget"
)

// seedance2 is the model whose rates are published.
var seedance2 = api.Model{ID: api.Seedance2, Kind: api.KindVideo}

// modelList is the models that the service lists, and the selected one.
type modelList struct {
	listing state.Listing
	known   bool // there is a listing, if only the stored one
	loading bool // the service is being asked
	found   []int
	rows    widget.Picker // of found
	filter  widget.Filter
}

// modelsReadMsg brings a listing, from the store or from the service.
type modelsReadMsg struct {
	listing state.Listing
	stored  bool
}

func (s *Screen) readKnown() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg { return modelsReadMsg{listing: backend.KnownModels(ctx), stored: true} }
}

func (s *Screen) readService() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	s.models.loading = true
	return func() tea.Msg { return modelsReadMsg{listing: backend.Models(ctx)} }
}

func (s *Screen) refresh() tea.Cmd {
	if s.ledger {
		return s.readSpend()
	}
	clear(s.figures.known)
	return s.readService()
}

func (s *Screen) listed(m modelsReadMsg) tea.Cmd {
	if !s.models.take(m) {
		return nil
	}
	return s.search()
}

// assumeRates shows seedance2, whose rates are published, until a listing is
// there.
func (s *Screen) assumeRates() {
	if s.models.known || len(s.models.listing.Models) > 0 {
		return
	}
	s.models.listing.Models = []api.Model{seedance2}
	s.models.found = []int{0}
	s.models.rows.KeepRows(1)
	s.grid = gridFor(s.models.selected(), s.seconds)
}

// take takes a listing over and reports whether it is another one.
func (l *modelList) take(m modelsReadMsg) bool {
	if !m.stored {
		l.loading = false
	} else if l.known || len(m.listing.Models) == 0 {
		return false // the service was quicker, or nothing is stored
	}
	if len(m.listing.Models) == 0 && m.listing.Err != nil {
		m.listing.Models = []api.Model{seedance2}
	}
	l.listing, l.known = m.listing, true
	return true
}

// search finds the models that match the filter and keeps the selected one.
func (s *Screen) search() tea.Cmd {
	before := s.grid.Model.ID
	s.models.search(before)
	if m := s.models.selected(); m.ID == before && before != "" {
		s.keepCell(m)
		return s.fill()
	}
	return s.showSelected()
}

// keepCell shows the same model as it is listed now, with the same cell.
func (s *Screen) keepCell(m api.Model) {
	g := gridFor(m, s.seconds)
	if g.same(&s.grid) {
		g.row, g.col = s.grid.row, s.grid.col
	}
	s.grid = g
}

// search finds the models that match the filter, and selects the one with the id of
// before or the first.
func (l *modelList) search(before string) {
	words := strings.Fields(strings.ToLower(l.filter.Text()))
	selected := 0
	l.found = nil
	for i, m := range l.listing.Models {
		if !matches(m, words) {
			continue
		}
		if m.ID == before {
			selected = len(l.found)
		}
		l.found = append(l.found, i)
	}
	l.rows.KeepRows(len(l.found))
	l.rows.Select(selected)
}

func matches(m api.Model, words []string) bool {
	text := strings.ToLower(m.ID + " " + m.Label + " " + string(m.Kind))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// selected is the selected model, or none.
func (l *modelList) selected() api.Model {
	row, ok := l.rows.Selected()
	if !ok {
		return api.Model{}
	}
	return l.listing.Models[l.found[row]]
}

func (s *Screen) startFilter() tea.Cmd {
	s.models.filter.Start()
	s.ledger, s.pane = false, paneModels
	return nil
}

// Edit gives a key to the filter or to the duration.
func (s *Screen) Edit(m tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	defer s.arrange()
	if s.duration.editing {
		return s.editDuration(m)
	}
	return s.models.filter.Edit(s.k.Context, m)
}

// Cursor is where the filter or the duration is written.
func (s *Screen) Cursor() *tea.Cursor {
	a := s.areas()
	if s.duration.editing {
		return tea.NewCursor(a.figures.X+2+s.durationCursor(), a.figures.Y+1)
	}
	return s.models.filter.Cursor(a.models.W)
}
