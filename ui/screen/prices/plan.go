package prices

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// planned is the plan on the screen, and those that are saved.
type planned struct {
	plan    pricing.Plan
	at, top int // the selected row, the first in view
	saved   []pricing.Plan
	version int64 // grows when the plan or the saved ones change
}

func (p *planned) move(by int) {
	p.at = max(min(p.at+by, len(p.plan.Items)-1), 0)
}

// reveal scrolls as little as needed to have the selected row in view.
func (p *planned) reveal(rows int) {
	p.top = max(min(p.top, p.at, len(p.plan.Items)-rows), p.at-rows+1, 0)
}

// click selects the row on a line of the list.
func (p *planned) click(line int) {
	if row := p.top + line; line >= 0 && row < len(p.plan.Items) {
		p.at = row
	}
}

// changed follows every change of the plan.
func (p *planned) changed() {
	p.version++
	p.move(0)
}

// plansReadMsg are the saved plans; open names the one to show.
type plansReadMsg struct {
	plans []pricing.Plan
	err   error
}

// Failed is why they could not be read or saved.
func (m plansReadMsg) Failed() error { return m.err }

func (s *Screen) readPlans() tea.Cmd {
	ctx, records := s.k.Context, s.records
	return func() tea.Msg {
		plans, err := records.Plans(ctx)
		return plansReadMsg{plans, err}
	}
}

func (s *Screen) plansRead(m plansReadMsg) tea.Cmd {
	if m.err == nil {
		s.plan.saved = m.plans
		s.plan.version++
	}
	return nil
}

// planOne adds one of the selected price or row.
func (s *Screen) planOne() tea.Cmd {
	r := s.chosen()
	if !s.plan.plan.Add(r) {
		return msg.Notify(msg.ToneHint, s.k.Say("The plan is full."))
	}
	if s.pane != panePlan {
		s.plan.at = len(s.plan.plan.Items) - 1
	}
	s.plan.changed()
	return s.recallPlan()
}

// takeOne takes one of the selected price or row away.
func (s *Screen) takeOne() tea.Cmd {
	s.plan.plan.Take(s.chosen())
	s.plan.changed()
	return nil
}

// recallPlan reads what is known of the prices of the plan, and of the tiers
// beside them.
func (s *Screen) recallPlan() tea.Cmd {
	requests := map[string]api.Request{}
	for i := range s.plan.plan.Items {
		r := s.plan.plan.Items[i].Request
		m := s.modelOf(r.Model)
		requests[r.EstimateKey(m)] = r
		if r.Model == api.Seedance2 {
			continue
		}
		t := pricing.For(m, 0, "")
		for j := range t.Choices {
			requests[t.Choices[j].Key] = t.Choices[j].Request
		}
	}
	return s.recall(requests)
}

func (s *Screen) clearPlan() tea.Cmd {
	s.plan.plan = pricing.Plan{}
	s.plan.changed()
	return nil
}

// planNamedMsg is the name under which the plan is to be saved.
type planNamedMsg struct{ name string }

func (s *Screen) askPlanName() tea.Cmd {
	return msg.Open(widget.NewAsk(s.k, s.k.Say("Save the plan"), s.k.Say("Its name. A plan of the same name is replaced."),
		func(name string) tea.Cmd { return func() tea.Msg { return planNamedMsg{name} } }))
}

func (s *Screen) planNamed(m planNamedMsg) tea.Cmd {
	name := api.Clean(m.name, 40).String()
	if name == "" {
		return nil
	}
	s.plan.plan.Name = name
	s.plan.changed()
	saved := msg.Notify(msg.ToneGood, s.k.Say("Plan saved as %s.", name))
	return s.savePlan(pricing.Plan{Name: name, Items: slices.Clone(s.plan.plan.Items)}, saved)
}

// savePlan saves a plan, or without rows removes it, and then reads all of them;
// then follows when that succeeded.
func (s *Screen) savePlan(plan pricing.Plan, then tea.Cmd) tea.Cmd {
	ctx, records := s.k.Context, s.records
	return func() tea.Msg {
		err := records.SavePlan(ctx, plan)
		if err != nil {
			return plansReadMsg{err: err}
		}
		plans, err := records.Plans(ctx)
		read := plansReadMsg{plans, err}
		if err != nil || then == nil {
			return read
		}
		return tea.BatchMsg{func() tea.Msg { return read }, then}
	}
}

// planChosenMsg opens a saved plan, or removes it.
type planChosenMsg struct {
	name   string
	remove bool
}

func (s *Screen) planChosen(m planChosenMsg) tea.Cmd {
	i := slices.IndexFunc(s.plan.saved, func(p pricing.Plan) bool { return p.Name == m.name })
	if i < 0 {
		return nil
	}
	if m.remove {
		return s.savePlan(pricing.Plan{Name: m.name}, nil)
	}
	s.plan.plan = pricing.Plan{Name: m.name, Items: slices.Clone(s.plan.saved[i].Items)}
	s.plan.at, s.pane = 0, panePlan
	s.plan.changed()
	return s.recallPlan()
}

func (s *Screen) whyNoPlanned() string {
	return cmp.Or(s.k.SayIf(s.page == pagePrices && s.pane == paneModels, "Choose a price: tab goes to the table."), s.whyNoChoice())
}

func (s *Screen) whyNotTaken() string {
	return s.k.SayIf(s.page == pageSpend || s.pane == paneModels || s.plan.plan.CountOf(s.chosen()) == 0, "There is none of it in the plan.")
}

func (s *Screen) whyNoPlan() string {
	return s.k.SayIf(len(s.plan.plan.Items) == 0, "The plan is empty.")
}

func (s *Screen) whyNoPlans() string { return s.k.SayIf(len(s.plan.saved) == 0, "No plan is saved.") }

// modelOf is the listed model of an id, or one of that id alone.
func (s *Screen) modelOf(id string) api.Model {
	list := s.models.listing.Models
	if i := slices.IndexFunc(list, func(m api.Model) bool { return m.ID == id }); i >= 0 {
		return list[i]
	}
	if id == api.Seedance2 {
		return seedance2
	}
	return api.Model{ID: id}
}

// priceOf is what one request costs, as far as it is known.
func (s *Screen) priceOf(r api.Request) (api.Credits, bool) {
	return s.priceFor(s.modelOf(r.Model), r)
}

// priceFor is priceOf for a model that was found before.
func (s *Screen) priceFor(m api.Model, r api.Request) (api.Credits, bool) {
	c := pricing.Choice{Key: r.EstimateKey(m), Rate: api.TableEstimate(r)}
	if credits, ok := s.figures.credits(&c); ok {
		return credits, true
	}
	return pricing.Listed(m, r)
}

func (s *Screen) priceOfChoice(c *pricing.Choice) (api.Credits, bool) { return s.priceOf(c.Request) }

// leftToday is what the day's budget leaves, and false without a budget.
func leftToday(k *env.Env) (api.Credits, bool) {
	t := k.Today
	if t.Budget <= api.BudgetUnreadable {
		return 0, false
	}
	return max(t.Budget-t.Credits.Plus(t.Possibly), 0), true
}
