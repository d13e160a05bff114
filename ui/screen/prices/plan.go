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
	plan   pricing.Plan
	rows   widget.Picker // of its items
	saved  []pricing.Plan
	latest widget.Latest // question for saved
}

// plansReadMsg are the saved plans.
type plansReadMsg struct {
	seq           int
	plans         []pricing.Plan
	msg.FailedMsg // why they could not be read or saved
}

func (s *Screen) readPlans() tea.Cmd {
	seq, ctx, records := s.plan.latest.Ask(), s.k.Context, s.records
	return func() tea.Msg {
		plans, err := records.Plans(ctx)
		return plansReadMsg{seq, plans, msg.FailedMsg{Err: err}}
	}
}

func (s *Screen) plansRead(m plansReadMsg) tea.Cmd {
	last, again := s.plan.latest.Answered(m.seq, m.Err)
	if last && m.Err == nil {
		s.plan.saved = m.plans
	}
	if again {
		return s.plan.latest.After(s.k.Context, s.readPlans())
	}
	return nil
}

// planOne adds one of the selected price or row.
func (s *Screen) planOne() tea.Cmd {
	r := s.chosen()
	if !s.plan.plan.Add(r) {
		return msg.Notify(msg.ToneHint, s.k.Say("The plan is full."))
	}
	s.plan.rows.KeepRows(len(s.plan.plan.Items))
	if s.pane != panePlan {
		s.plan.rows.Select(len(s.plan.plan.Items) - 1)
	}
	return s.recallPlan()
}

// takeOne takes one of the selected price or row away.
func (s *Screen) takeOne() tea.Cmd {
	s.plan.plan.Take(s.chosen())
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
	return nil
}

func (s *Screen) askPlanName() tea.Cmd {
	return msg.Open(widget.NewAsk(s.k, s.k.Say("Save the plan"), s.k.Say("Its name. A plan of the same name is replaced."),
		s.planNamed))
}

func (s *Screen) planNamed(name string) tea.Cmd {
	defer s.arrange()
	if name = api.Clean(name, 40).String(); name == "" {
		return nil
	}
	s.plan.plan.Name = name
	saved := msg.Notify(msg.ToneGood, s.k.Say("Plan saved as %s.", name))
	return s.savePlan(pricing.Plan{Name: name, Items: slices.Clone(s.plan.plan.Items)}, saved)
}

// savePlan saves a plan, or without rows removes it, and then reads all of them;
// then follows when it was saved.
func (s *Screen) savePlan(plan pricing.Plan, then tea.Cmd) tea.Cmd {
	ctx, records, read := s.k.Context, s.records, s.readPlans()
	return func() tea.Msg {
		if err := records.SavePlan(ctx, plan); err != nil {
			then = func() tea.Msg { return msg.FailedMsg{Err: err} }
		}
		return tea.Batch(read, then)()
	}
}

// planChosen opens a saved plan, or removes it.
func (s *Screen) planChosen(plan pricing.Plan, remove bool) tea.Cmd {
	defer s.arrange()
	if remove {
		return s.savePlan(pricing.Plan{Name: plan.Name}, nil)
	}
	s.plan.plan = pricing.Plan{Name: plan.Name, Items: slices.Clone(plan.Items)}
	s.plan.rows = widget.Picker{}
	s.pane = panePlan
	return s.recallPlan()
}

func (s *Screen) whyNoPlanned() string {
	return cmp.Or(s.k.SayIf(!s.ledger && s.pane == paneModels, "Choose a price: tab goes to the table."), s.whyNoChoice())
}

func (s *Screen) whyNotTaken() string {
	return s.k.SayIf(s.ledger || s.pane == paneModels || s.plan.plan.CountOf(s.chosen()) == 0, "There is none of it in the plan.")
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
