package jobs

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// makeActions is the one table of the Jobs screen. What settles an unknown
// outcome comes first: it is in the footer exactly when the selected job needs
// it.
func (s *Screen) makeActions() []action.Action {
	keys := func(k ...string) []string { return k }
	return []action.Action{
		{Name: "result", Keys: keys("enter"), Label: "result", Handler: s.enter, Disabled: s.whyNoJob, Offer: func() bool { return !s.full }},
		{Name: "back", Keys: keys("esc"), Label: "back", Handler: s.back, Offer: func() bool { return s.full || s.filter.Text() != "" }},
		{Name: "attach", Keys: keys("a"), Label: "enter job id", Handler: s.attach, Disabled: s.whyNotUnknown},
		{Name: "dismiss", Keys: keys("x"), Label: "mark as not charged", Handler: s.dismiss, Disabled: s.whyNotUnknown},
		{Name: "resend", Keys: keys("s"), Label: "send again", Handler: s.resend, Disabled: s.whyNotResent},
		{Name: "pause_queue", Keys: keys("P", "shift+p"), Display: "P", Label: "pause or send", Handler: s.pauseOrSend, Disabled: s.whyNotHeld},
		{Name: "remove_held", Keys: keys("delete"), Display: "del", Label: "remove", Handler: s.removeHeld, Disabled: s.whyNotHeld},
		{Name: "fetch", Keys: keys("f"), Label: "fetch again", Handler: s.fetch, Disabled: s.whyNotFetched},
		{Name: "open", Keys: keys("o"), Label: "open", Handler: s.open, Disabled: s.whyNoFile},
		{Name: "copy_address", Keys: keys("y"), Label: "copy address", Handler: s.copyAddress, Disabled: s.whyNoAddress},
		{Name: "refresh", Keys: keys("r"), Label: "refresh now", Handler: s.refresh, Disabled: s.whyNotRefreshed},
		{Name: "edit", Keys: keys("e"), Label: "edit and send again", Handler: s.edit, Disabled: s.whyNoJob},
		{Name: "use", Keys: keys("u"), Label: "use as reference", Handler: s.use, Disabled: s.whyNoAddress},
		{Name: "filter", Keys: keys("/"), Label: "filter", Handler: s.startFilter},
		{Name: "compare", Keys: keys("c"), Label: "compare", Handler: s.compare, Disabled: s.whyNoJob},
		{Name: "raw_answer", Keys: keys("v"), Label: "raw answer", Handler: s.readRaw, Disabled: s.whyNoJob},
		{Name: "next_file", Keys: keys("right", "l"), Label: "next file", Hidden: true, Handler: s.stepBy(1), Disabled: s.whyOneFile},
		{Name: "previous_file", Keys: keys("left", "h"), Label: "previous file", Hidden: true, Handler: s.stepBy(-1), Disabled: s.whyOneFile},
		{Name: "next_job", Keys: keys("down", "j"), Display: "j/k", Label: "next job", Hidden: true, Handler: s.moveBy(1)},
		{Name: "previous_job", Keys: keys("up", "k"), Label: "previous job", Hidden: true, Handler: s.moveBy(-1)},
		{Name: "next_page", Keys: keys("pgdown", "ctrl+f", "space"), Label: "next page", Hidden: true, Handler: s.pageBy(1)},
		{Name: "previous_page", Keys: keys("pgup", "ctrl+b"), Label: "previous page", Hidden: true, Handler: s.pageBy(-1)},
		{Name: "first_job", Keys: keys("g", "home"), Display: "g/G", Label: "first job", Hidden: true, Handler: func() tea.Cmd { return s.move(0) }},
		{Name: "last_job", Keys: keys("G", "end", "shift+g"), Label: "last job", Hidden: true, Handler: func() tea.Cmd { return s.move(s.list.total - 1) }},
		{Name: "send_earlier", Keys: keys("ctrl+up"), Label: "send earlier", Hidden: true, Handler: s.moveHeld(true), Disabled: s.whyNotHeld},
		{Name: "send_later", Keys: keys("ctrl+down"), Label: "send later", Hidden: true, Handler: s.moveHeld(false), Disabled: s.whyNotHeld},
		{Name: "scroll_down", Keys: keys("J", "shift+down", "shift+j"), Display: "J/K", Label: "scroll the details", Hidden: true, Handler: s.scrollBy(1)},
		{Name: "scroll_up", Keys: keys("K", "shift+up", "shift+k"), Label: "scroll the details back", Hidden: true, Handler: s.scrollBy(-1)},
	}
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
		r, _ := s.current()
		return s.detail.step(by, r.Files)
	}
}

// enter shows the result alone, and there opens its file.
func (s *Screen) enter() tea.Cmd {
	if s.full {
		return s.open()
	}
	s.detail.facts.ToTop()
	return s.setFull(true)
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
