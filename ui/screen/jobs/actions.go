package jobs

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// makeActions is the one table of the Jobs screen: the verbs, which are about the
// selected result, and what the list itself can do.
func (s *Screen) makeActions() []action.Action {
	keys := func(k ...string) []string { return k }
	table := []action.Action{
		{Name: "back", Keys: keys("esc"), Label: "back", Handler: s.back, Offer: func() bool { return s.full || s.filter.Text() != "" }},
	}
	table = append(table, s.verbs.Actions()...)
	return append(table,
		action.Action{Name: "refresh", Keys: keys("r"), Label: "refresh now", Handler: s.refresh, Disabled: s.whyNotRefreshed},
		action.Action{Name: "filter", Keys: keys("/"), Label: "filter", Handler: s.startFilter},
		action.Action{Name: "next_file", Keys: keys("right", "l"), Label: "next file", Hidden: true, Handler: s.stepBy(1), Disabled: s.whyOneFile},
		action.Action{Name: "previous_file", Keys: keys("left", "h"), Label: "previous file", Hidden: true, Handler: s.stepBy(-1), Disabled: s.whyOneFile},
		action.Action{Name: "next_job", Keys: keys("down", "j"), Display: "j/k", Label: "next job", Hidden: true, Handler: s.moveBy(1)},
		action.Action{Name: "previous_job", Keys: keys("up", "k"), Label: "previous job", Hidden: true, Handler: s.moveBy(-1)},
		action.Action{Name: "next_page", Keys: keys("pgdown", "ctrl+f"), Label: "next page", Hidden: true, Handler: s.pageBy(1)},
		action.Action{Name: "previous_page", Keys: keys("pgup", "ctrl+b"), Label: "previous page", Hidden: true, Handler: s.pageBy(-1)},
		action.Action{Name: "first_job", Keys: keys("home"), Label: "first job", Hidden: true, Handler: func() tea.Cmd { return s.move(0) }},
		action.Action{Name: "last_job", Keys: keys("end"), Label: "last job", Hidden: true, Handler: func() tea.Cmd { return s.move(s.list.total - 1) }},
		action.Action{Name: "scroll_down", Keys: keys("J", "shift+down", "shift+j"), Display: "J/K", Label: "scroll the details", Hidden: true, Handler: s.scrollBy(1)},
		action.Action{Name: "scroll_up", Keys: keys("K", "shift+up", "shift+k"), Label: "scroll the details back", Hidden: true, Handler: s.scrollBy(-1)},
	)
}

func (s *Screen) moveBy(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.move(s.list.at + by) }
}

func (s *Screen) pageBy(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.move(s.list.at + by*max(s.list.height-1, 1)) }
}

func (s *Screen) scrollBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.detail.facts.By(by)
		return nil
	}
}

func (s *Screen) stepBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r, _ := s.Row()
		return s.detail.step(by, r.Files)
	}
}

// back leaves the result, then the filter.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.full:
		return s.setFull(false)
	case s.filter.Text() != "":
		return s.filter.Clear(s.k.Context)
	}
	return nil
}

func (s *Screen) startFilter() tea.Cmd {
	s.filter.Start()
	return s.setFull(false)
}
