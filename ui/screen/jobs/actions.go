package jobs

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// makeActions is the one table of the Jobs screen: the verbs, which are about the
// selected result, and what list and gallery themselves can do.
func (s *Screen) makeActions() []action.Action {
	keys := func(k ...string) []string { return k }
	verbs := s.verbs.Actions()
	table := s.heldActions()
	for _, verb := range verbs {
		if verb.Name == "hide" {
			verb = s.orRemoved(verb)
		}
		table = append(table, verb)
		if verb.Name == "full_screen" {
			table = append(table,
				action.Action{Name: "gallery", Keys: keys("g"), Label: "gallery", Handler: s.toggleGallery, Offer: func() bool { return !s.inGallery }},
				action.Action{Name: "list", Display: "g", Label: "list", Handler: s.toggleGallery, Offer: func() bool { return s.inGallery }})
		}
	}
	return append(table,
		action.Action{Name: "filter", Keys: keys("/"), Label: "filter", Handler: s.startFilter},
		action.Action{Name: "back", Keys: keys("esc"), Label: "back", Handler: s.back,
			Offer: func() bool { return s.inGallery || s.filter.Text() != "" || s.marks.Len() > 0 }},
		action.Action{Name: "sort", Keys: keys("S", "shift+s"), Label: "sort", Handler: s.nextSort},
		action.Action{Name: "larger", Keys: keys("+", "="), Label: "larger", Hidden: true, Handler: s.grow(1), Disabled: s.whyNoGallery},
		action.Action{Name: "smaller", Keys: keys("-"), Label: "smaller", Hidden: true, Handler: s.grow(-1), Disabled: s.whyNoGallery},
		action.Action{Name: "refresh", Keys: keys("r"), Label: "refresh now", Handler: s.refresh, Disabled: s.whyNotRefreshed},
		action.Action{Name: "right", Keys: keys("right", "l"), Label: "next file", Hidden: true, Handler: s.across(1)},
		action.Action{Name: "left", Keys: keys("left", "h"), Label: "previous file", Hidden: true, Handler: s.across(-1)},
		action.Action{Name: "next_job", Keys: keys("down", "j"), Display: "j/k", Label: "next job", Hidden: true, Handler: s.lineBy(1)},
		action.Action{Name: "previous_job", Keys: keys("up", "k"), Label: "previous job", Hidden: true, Handler: s.lineBy(-1)},
		action.Action{Name: "next_page", Keys: keys("pgdown", "ctrl+f"), Label: "next page", Hidden: true, Handler: s.pageBy(1)},
		action.Action{Name: "previous_page", Keys: keys("pgup", "ctrl+b"), Label: "previous page", Hidden: true, Handler: s.pageBy(-1)},
		action.Action{Name: "first_job", Keys: keys("home"), Label: "first job", Hidden: true, Handler: func() tea.Cmd { return s.move(0) }},
		action.Action{Name: "last_job", Keys: keys("end"), Label: "last job", Hidden: true,
			Handler: func() tea.Cmd { return s.move(s.list.total - 1) }},
		action.Action{Name: "send_earlier", Keys: keys("ctrl+up"), Label: "send earlier", Hidden: true, Handler: s.moveHeld(true),
			Disabled: s.whyNotHeld},
		action.Action{Name: "send_later", Keys: keys("ctrl+down"), Label: "send later", Hidden: true, Handler: s.moveHeld(false),
			Disabled: s.whyNotHeld},
		action.Action{Name: "scroll_down", Keys: keys("J", "shift+down", "shift+j"), Display: "J/K", Label: "scroll the details",
			Hidden: true, Handler: s.scrollBy(1)},
		action.Action{Name: "scroll_up", Keys: keys("K", "shift+up", "shift+k"), Label: "scroll the details back", Hidden: true,
			Handler: s.scrollBy(-1)},
	)
}

// lineBy moves to the line below or above: a row of the list, or a row of cells.
func (s *Screen) lineBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.inGallery && s.list.total > 0 {
			return s.move(s.list.beside(s.list.at, by))
		}
		return s.move(s.list.at + by)
	}
}

func (s *Screen) pageBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.inGallery {
			return s.lineBy(by * max(s.list.lines()-1, 1))()
		}
		return s.move(s.list.at + by*max(s.list.height-1, 1))
	}
}

func (s *Screen) scrollBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.detail.facts.By(by)
		return nil
	}
}

// across goes to the next cell, or in the list to the job's next file.
func (s *Screen) across(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.inGallery {
			return s.move(s.list.at + by)
		}
		r, _ := s.Row()
		return s.detail.step(by, r.Files)
	}
}

// back leaves the filter, then the marks, then the gallery.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.filter.Text() != "":
		return s.filter.Clear(s.k.Context)
	case s.marks.Len() > 0:
		s.marks.Clear()
	case s.inGallery:
		return s.toggleGallery()
	}
	return nil
}

func (s *Screen) startFilter() tea.Cmd {
	s.filter.Start()
	return nil
}

// orders are those of the list, in turns: the names that a query takes, and what
// the pane says of them. The first is the default one.
var orders = []struct{ name, Label string }{
	{},
	{name: "oldest", Label: "oldest first"},
	{name: "credits", Label: "by credits"},
	{name: "title", Label: "by title"},
	{name: "time", Label: "by duration"},
	{name: "stars", Label: "by rating"},
}

// nextSort puts the list into the next order.
func (s *Screen) nextSort() tea.Cmd {
	s.order = (s.order + 1) % len(orders)
	s.list.days = s.order < 2 // by time
	s.list.picked = s.list.selected()
	return s.reload()
}

// toggleGallery shows the results as a contact sheet, or as a list again, with
// the same one selected.
func (s *Screen) toggleGallery() tea.Cmd {
	s.inGallery = !s.inGallery
	s.list.picked = s.list.selected()
	s.arrange()
	if s.inGallery {
		return tea.Batch(s.detail.picture.Close(), s.reload())
	}
	return tea.Batch(s.gallery.Want(nil, ""), s.reload(), s.detail.paint())
}

func (s *Screen) grow(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.gallery.Grow(by)
		s.arrange()
		if s.list.short() {
			return tea.Batch(s.reload(), s.paint())
		}
		return s.paint()
	}
}

func (s *Screen) whyNoGallery() string {
	if !s.inGallery {
		return s.k.Say("Only in the gallery: press %s.", s.k.Key("gallery", "g"))
	}
	return ""
}
