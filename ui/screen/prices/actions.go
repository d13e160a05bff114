package prices

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

func (s *Screen) table() []action.Action {
	const far = 1 << 20
	key := func(k ...string) []string { return k }
	spend := func() bool { return s.ledger }
	prices := func() bool { return !s.ledger }
	return []action.Action{
		{Name: "use_price", Keys: key("enter"), Label: "create with this", Handler: s.usePrice, Disabled: s.whyNoChoice, Offer: prices},
		{Name: "plan_one", Keys: key("space"), Label: "plan one", Handler: s.planOne, Disabled: s.whyNoPlanned, Offer: prices},
		{Name: "switch_kind", Keys: key("t"), Label: "images or videos", Handler: s.switchKind, Disabled: s.whyOneKind, Offer: prices},
		{Name: "type_duration", Keys: key("d"), Label: "duration", Handler: s.startDuration, Disabled: s.whyNoDuration, Offer: prices},
		{Name: "spend", Keys: key("$"), Label: "spending", Handler: s.showSpend, Offer: prices},
		{Name: "leave_spend", Keys: key("p"), Display: "esc", Label: "prices", Handler: s.leaveSpend, Disabled: s.whyNoSpend, Offer: spend},
		{Name: "switch_pane", Keys: key("tab"), Label: "switch pane", Handler: s.switchPane(1), Disabled: s.whyNoModel, Offer: prices},
		{Name: "previous_pane", Keys: key("shift+tab"), Label: "previous pane", Hidden: true, Handler: s.switchPane(-1), Disabled: s.whyNoModel},
		{Name: "take_one", Keys: key("backspace"), Label: "one less", Handler: s.takeOne, Disabled: s.whyNotTaken, Offer: prices},
		{Name: "amount", Keys: key("b"), Label: "what an amount pays for", Handler: s.askAmount, Offer: prices},
		{Name: "save_plan", Keys: key("w"), Label: "save the plan", Handler: s.askPlanName, Disabled: s.whyNoPlan, Offer: prices},
		{Name: "open_plan", Keys: key("o"), Label: "saved plans", Handler: s.openPlans, Disabled: s.whyNoPlans, Offer: prices},
		{Name: "clear_plan", Keys: key("x"), Label: "new plan", Handler: s.clearPlan, Disabled: s.whyNoPlan, Offer: prices},
		{Name: "copy_grid", Keys: key("y"), Label: "copy as Markdown", Handler: s.copyGrid, Disabled: s.whyNoModel, Offer: prices},
		{Name: "raw_record", Keys: key("i"), Label: "raw record", Handler: s.showRecord, Disabled: s.whyNoRecord, Offer: prices},
		{Name: "filter", Keys: key("/"), Label: "filter", Handler: s.startFilter, Offer: prices},
		{Name: "refresh", Keys: key("r"), Label: "refresh", Handler: s.refresh},
		{Name: "longer", Keys: key("+", "="), Display: "+/-", Label: "longer", Hidden: true, Handler: s.step(1), Disabled: s.whyNoStep},
		{Name: "shorter", Keys: key("-", "_"), Label: "shorter", Hidden: true, Handler: s.step(-1), Disabled: s.whyNoStep},
		{Name: "next", Keys: key("down", "j"), Display: "j/k", Label: "next", Hidden: true, Handler: s.vertical(1)},
		{Name: "previous", Keys: key("up", "k"), Label: "previous", Hidden: true, Handler: s.vertical(-1)},
		{Name: "next_price", Keys: key("right", "l"), Label: "next price", Hidden: true, Handler: s.sideways(1)},
		{Name: "previous_price", Keys: key("left", "h"), Label: "previous price", Hidden: true, Handler: s.sideways(-1)},
		{Name: "first", Keys: key("g", "home"), Label: "first", Hidden: true, Handler: s.vertical(-far)},
		{Name: "last", Keys: key("G", "shift+g", "end"), Label: "last", Hidden: true, Handler: s.vertical(far)},
		{Name: "scroll_down", Keys: key("pgdown"), Label: "scroll down", Hidden: true, Handler: s.scrollBy(8)},
		{Name: "scroll_up", Keys: key("pgup"), Label: "scroll up", Hidden: true, Handler: s.scrollBy(-8)},
		{Name: "back", Keys: key("esc"), Label: "back", Hidden: true, Handler: s.back},
	}
}

func (s *Screen) usePrice() tea.Cmd { return msg.Load(s.chosen(), true) }

func (s *Screen) switchPane(by pane) func() tea.Cmd {
	return func() tea.Cmd {
		s.pane = (s.pane + by + paneAfford) % paneAfford
		return nil
	}
}

func (s *Screen) scrollBy(lines int) func() tea.Cmd {
	return func() tea.Cmd {
		s.scrolled().By(lines)
		return nil
	}
}

func (s *Screen) vertical(by int) func() tea.Cmd {
	return func() tea.Cmd {
		switch {
		case s.ledger:
			s.spend.scroll.By(by)
		case s.pane == paneGrid:
			s.grid.move(by, 0)
			s.scroll.ToTop()
		case s.pane == panePlan:
			s.plan.rows.Move(by)
		case s.models.rows.Move(by):
			return s.layOut()
		}
		return nil
	}
}

func (s *Screen) sideways(by int) func() tea.Cmd {
	return func() tea.Cmd {
		switch {
		case s.ledger:
		case s.pane == paneModels && by > 0 && len(s.grid.Choices) > 0:
			s.pane = paneGrid
		case s.pane == paneGrid && by < 0 && s.grid.col == 0:
			s.pane = paneModels
		case s.pane == paneGrid:
			s.grid.move(0, by)
		}
		return nil
	}
}

// step prices a longer or a shorter video; on the page of spending it shows
// more or fewer days.
func (s *Screen) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if s.ledger {
			return s.changeDays(by)
		}
		return s.setDuration(nextDuration(s.grid.Model, s.seconds, by))
	}
}

func (s *Screen) whyNoStep() string {
	if s.ledger {
		return ""
	}
	return s.whyNoDuration()
}

// chosen is the request that the keys are about: the selected price or row of
// the plan, or the selected model.
func (s *Screen) chosen() api.Request {
	row, planned := s.plan.rows.Selected()
	switch {
	case s.pane == panePlan && planned:
		return s.plan.Items[row].Request
	case s.pane == paneGrid && len(s.grid.Choices) > 0:
		return s.grid.cell().Request
	}
	return api.Request{Kind: s.grid.Model.Kind, Model: s.grid.Model.ID}
}

func (s *Screen) whyNoChoice() string {
	switch {
	case s.ledger:
		return s.k.Say("The prices are on the other page.")
	case s.pane == panePlan:
		return s.whyNoPlan()
	case s.pane == paneGrid && len(s.grid.Choices) > 0 && s.grid.cell().Refused():
		return s.k.Problem(s.grid.cell().Refusal)
	}
	return s.whyNoModel()
}

func (s *Screen) whyNoRecord() string {
	return s.k.SayIf(len(s.grid.Model.Raw) == 0, "The service has sent no record of this model.")
}

// showRecord shows the model's record as the service sent it.
func (s *Screen) showRecord() tea.Cmd {
	return msg.Open(widget.NewReader(s.k, clean(s.grid.Model.ID), widget.Pretty(s.grid.Model.Raw)))
}

// back stops what is being asked, leaves the page of spending, or empties the
// filter.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.ledger:
		return s.leaveSpend()
	case s.asksNow():
		s.endAsking()
		return msg.Notify(msg.ToneHint, s.k.Say("Stopped asking for prices. Press %s to ask again.", s.k.Key("refresh", "r")))
	case s.models.filter.Text() != "":
		return s.models.filter.Clear(s.k.Context)
	}
	s.pane = paneGrid
	return nil
}
