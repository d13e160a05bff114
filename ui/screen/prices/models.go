package prices

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/widget"
)

// modelList is the models that the service lists, and the selected one.
type modelList struct {
	listing   state.Listing
	known     bool // there is a listing, if only the stored one
	loading   bool // the service is being asked
	found     []int
	at, top   int // of found: the selected model, the first in view
	filter    widget.Line
	filtering bool  // the filter has the keys
	version   int64 // grows when the listing or what is found of it changes
}

// modelsReadMsg brings a listing, from the store or from the service.
type modelsReadMsg struct {
	listing state.Listing
	stored  bool
}

func (s *Screen) readKnown() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg { return modelsReadMsg{backend.KnownModels(ctx), true} }
}

func (s *Screen) readService() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	s.models.loading = true
	return func() tea.Msg { return modelsReadMsg{backend.Models(ctx), false} }
}

func (s *Screen) refresh() tea.Cmd {
	s.figures.clear()
	return s.readService()
}

func (s *Screen) listed(m modelsReadMsg) tea.Cmd {
	if !s.models.take(m) {
		return nil
	}
	return s.search()
}

// take takes a listing over and reports whether it is another one.
func (l *modelList) take(m modelsReadMsg) bool {
	if !m.stored {
		l.loading = false
	} else if l.known || len(m.listing.Models) == 0 {
		return false // the service was quicker, or nothing is stored
	}
	if len(m.listing.Models) == 0 && m.listing.Err != nil {
		m.listing.Models = []api.Model{{ID: api.Seedance2, Kind: api.KindVideo}} // its rates are published
	}
	l.listing, l.known = m.listing, true
	l.version++
	return true
}

// search finds the models that match the filter and keeps the selected one.
func (s *Screen) search() tea.Cmd {
	s.models.search()
	return s.showSelected()
}

func (l *modelList) search() {
	before := l.selected().ID
	words := strings.Fields(strings.ToLower(l.filter.Text()))
	l.found, l.at = nil, 0
	l.version++
	for i, m := range l.listing.Models {
		if !matches(m, words) {
			continue
		}
		if m.ID == before {
			l.at = len(l.found)
		}
		l.found = append(l.found, i)
	}
}

func matches(m api.Model, words []string) bool {
	text := strings.ToLower(m.ID + " " + m.Label + " " + string(m.Kind))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// selected is the selected model, or none.
func (l *modelList) selected() api.Model {
	if l.at >= len(l.found) {
		return api.Model{}
	}
	return l.listing.Models[l.found[l.at]]
}

// choose selects a model and reports whether it is another one.
func (l *modelList) choose(at int) bool {
	at = max(min(at, len(l.found)-1), 0)
	if at == l.at {
		return false
	}
	l.at = at
	return true
}

// reveal scrolls as little as needed to have the selected model in view.
func (l *modelList) reveal(rows int) { l.top = max(min(l.top, l.at), l.at-rows+1, 0) }

func (s *Screen) startFilter() tea.Cmd {
	s.models.filtering, s.onGrid = true, false
	return nil
}

// Edit gives a key to the filter.
func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	defer s.arrange()
	switch m.String() {
	case "enter", "down", "up":
		s.models.filtering = false
		return nil, true
	case "esc":
		s.models.filtering = false
		s.models.filter.Set("")
		return s.search(), true
	}
	if !s.models.filter.Edit(m) {
		return nil, false
	}
	return s.search(), true
}

// Cursor is where the filter is written.
func (s *Screen) Cursor() *tea.Cursor {
	if !s.models.filtering {
		return nil
	}
	models, _ := s.areas()
	filter := &s.models.filter
	return tea.NewCursor(5+filter.Column()-filter.Offset(widget.FilterRoom(models.W)), 0)
}

func (s *Screen) back() tea.Cmd {
	if s.onGrid {
		s.onGrid = false
		return nil
	}
	if s.models.filter.Empty() {
		return nil
	}
	s.models.filter.Set("")
	return s.search()
}
