package prices

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// planned is the plan on the screen, and those that are saved.
type planned struct {
	pricing.Plan
	rows   widget.Picker // of its items
	saved  []pricing.Plan
	latest widget.Latest // question for saved
}

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

func (s *Screen) planOne() tea.Cmd {
	if !s.plan.Add(s.chosen()) {
		return msg.Notify(msg.ToneHint, s.k.Say("The plan is full."))
	}
	s.plan.rows.KeepRows(len(s.plan.Items))
	if s.pane != panePlan {
		s.plan.rows.Select(len(s.plan.Items) - 1)
	}
	return s.recallPlan()
}

func (s *Screen) takeOne() tea.Cmd {
	s.plan.Take(s.chosen())
	return nil
}

// recallPlan reads the stored prices of the plan and of other tiers.
func (s *Screen) recallPlan() tea.Cmd {
	var choices []pricing.Choice
	for _, i := range s.plan.Items {
		m := s.modelOf(i.Request.Model)
		choices = append(append(choices, pricing.ChoiceOf(m, i.Request)), pricing.Around(m, i.Request).Choices...)
	}
	return s.recall(choices)
}

func (s *Screen) clearPlan() tea.Cmd {
	s.plan.Plan = pricing.Plan{}
	return nil
}

func (s *Screen) askPlanName() tea.Cmd {
	return msg.Open(widget.NewAsk(s.k, s.k.Say("Save the plan"), s.k.Say("Enter a name. A plan with the same name is replaced."), s.planNamed))
}

func (s *Screen) planNamed(name string) tea.Cmd {
	defer s.arrange()
	if name = api.Clean(name, 40).String(); name == "" {
		return nil
	}
	s.plan.Name = name
	saved := msg.Notify(msg.ToneGood, s.k.Say("Plan saved as %s.", name))
	return s.savePlan(pricing.Plan{Name: name, Items: slices.Clone(s.plan.Items)}, saved)
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

func (s *Screen) planChosen(plan pricing.Plan, remove bool) tea.Cmd {
	defer s.arrange()
	if remove {
		return s.savePlan(pricing.Plan{Name: plan.Name}, nil)
	}
	s.plan.Plan = pricing.Plan{Name: plan.Name, Items: slices.Clone(plan.Items)}
	s.plan.rows = widget.Picker{}
	s.pane = panePlan
	return s.recallPlan()
}

func (s *Screen) whyNoPlanned() string {
	return cmp.Or(s.k.SayIf(!s.ledger && s.pane == paneModels, "Choose a price: tab goes to the table."), s.whyNoChoice())
}

func (s *Screen) whyNotTaken() string {
	return s.k.SayIf(s.ledger || s.pane == paneModels || !s.plan.Has(s.chosen()), "It is not in the plan.")
}

func (s *Screen) whyNoPlan() string  { return s.k.SayIf(len(s.plan.Items) == 0, "The plan is empty.") }
func (s *Screen) whyNoPlans() string { return s.k.SayIf(len(s.plan.saved) == 0, "No plan is saved.") }

// Lines above the plan's rows: the total, the budget, the other tiers.
const planHead = 3

func (s *Screen) drawPlan(p *widget.Pane, w int) []string {
	k, t, plan := s.k, s.k.Theme, &s.plan
	p.Title = k.Say("Plan")
	if plan.Name != "" {
		p.Title = k.Say("Plan %s", clean(plan.Name))
	}
	f := widget.Facts{Width: w, Theme: t}
	if len(plan.Items) == 0 {
		f.Wrapped(t.Muted, env.AsSentence(k.Say("%s adds the selected price to the plan, %s removes one.",
			k.Key("plan_one", "space"), k.Key("take_one", "backspace"))))
		if n := len(plan.saved); n > 0 {
			f.Wrapped(t.Muted, k.Say("%s: press %s.", k.Words.Count(n, "%d saved plan", "%d saved plans"), k.Key("open_plan", "o")))
		}
		return f.Lines
	}
	p.Foot = widget.More(k, 0, plan.rows.Below())
	total, unknown := plan.Total(s.priceOf)
	sum := t.Accent.Paint(k.Say("%s credits", env.Amount(total))) + t.Muted.Paint("  "+requests(k, &plan.Plan))
	if unknown > 0 {
		sum += t.Warn.Paint("  " + k.Words.Count(unknown, "%d without a price", "%d without a price"))
	}
	f.Painted(sum)
	f.Painted(s.planBudget(total))
	f.Painted(s.planTiers(total, unknown))
	f.Add(plan.rows.Lines(func(row int, selected bool) string {
		return s.planRow(&plan.Items[row], w, total, selected)
	})...)
	return f.Lines
}

func requests(k *env.Env, p *pricing.Plan) string {
	count := 0
	for _, i := range p.Items {
		count += i.Count
	}
	return k.Words.Count(count, "%d request", "%d requests")
}

func (s *Screen) planBudget(total api.Credits) string {
	k, t := s.k, s.k.Theme
	left, budget := leftToday(k)
	switch {
	case !budget:
		return t.Faint.Paint(k.Say("No budget is set."))
	case total > left:
		return t.Bad.Paint(k.Say("%s more than the %s left today", env.Amount(total-left), env.Amount(left)))
	}
	return t.Good.Paint(k.Say("leaves %s of the %s left today", env.Amount(left-total), env.Amount(left)))
}

// planTiers says what the same plan costs a tier cheaper and a tier dearer.
func (s *Screen) planTiers(total api.Credits, unknown int) string {
	var parts []string
	for _, dearer := range [...]bool{false, true} {
		other, moved := s.plan.Shift(dearer, s.modelOf, s.priceOfChoice)
		sum, _ := other.Total(s.priceOf)
		amount, by := env.Amount(sum), difference(total, sum)
		switch {
		case moved == 0 || unknown > 0:
		case dearer:
			parts = append(parts, s.k.Say("next tier: %s (%s)", amount, by))
		default:
			parts = append(parts, s.k.Say("cheaper tier: %s (%s)", amount, by))
		}
	}
	return s.k.Theme.Muted.Paint(strings.Join(parts, " · "))
}

// planRow draws an item of the plan: how many, what, the price of one and of
// all, and the share of the total.
func (s *Screen) planRow(item *pricing.Item, w int, total api.Credits, selected bool) string {
	const count, each, sum = 8, 8, 10
	bar := min(max(w-count-each-sum-30, 6), barWidth+6)
	what := max(w-count-each-sum-bar, 8)
	in, mark := s.k.Theme.Row(selected)
	if s.pane != panePlan {
		in = &s.k.Theme.Styles
	}
	name := strings.TrimPrefix(choiceName(s.k, item.Request)+" · "+clean(item.Request.Model), " · ")
	row := in.Accent.Paint(mark) + in.Strong.Paint(theme.Fit(widget.AlignRight(strconv.Itoa(item.Count), 3)+" ×", count-2)) +
		in.Text.Paint(theme.Fit(name, what))
	one, ok := s.priceOf(item.Request)
	if !ok {
		return row + in.Faint.Paint(widget.AlignRight("?", each)+widget.AlignRight("?", sum))
	}
	all := pricing.Times(one, item.Count)
	return row + in.Muted.Paint(widget.AlignRight(env.Amount(one), each)) + in.Text.Paint(widget.AlignRight(env.Amount(all), sum)) +
		widget.AlignRight(share(s.k.Theme, all, total, bar), bar)
}

// planList is the overlay of saved plans.
type planList struct {
	widget.Passive
	s      *Screen
	plans  []pricing.Plan
	picker widget.Picker
	table  []action.Action
}

func (s *Screen) openPlans() tea.Cmd {
	l := &planList{s: s, plans: s.plan.saved}
	l.picker.SetRows(len(l.plans))
	l.table = append([]action.Action{
		{Name: "open_plan", Keys: "enter", Label: "open", Handler: l.choose(false)},
		{Name: "remove_plan", Keys: "delete x", Label: "remove", Handler: l.choose(true)},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true},
	}, l.picker.Actions(false)...)
	return msg.Open(l)
}

func (l *planList) choose(remove bool) func() tea.Cmd {
	return func() tea.Cmd {
		at, _ := l.picker.Selected()
		return msg.Sequence(msg.CloseTop, l.s.planChosen(l.plans[at], remove))
	}
}

func (l *planList) Actions() []action.Action { return l.table }

func (l *planList) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.WindowSizeMsg); ok {
		l.picker.SetWindow(1, min(len(l.plans), widget.LayoutFor(m.Width, m.Height).Body.H-6))
	}
	if l.picker.Update(message) {
		return l.choose(false)()
	}
	return nil
}

func (l *planList) Box(w, h int) string {
	width := min(64, w)
	k := l.s.k
	lines := l.picker.Lines(func(row int, selected bool) string {
		in, mark := k.Theme.Row(selected)
		what := requests(k, &l.plans[row])
		name := theme.Fit(clean(l.plans[row].Name), width-6-theme.Width(what))
		return in.Accent.Paint(mark) + in.Text.Paint(name) + in.Muted.Paint(what)
	})
	lines = append(lines, "", widget.KeyLine(k, l.table))
	return widget.Boxed(k, width, h, k.Say("Saved plans"), lines, l.picker.Below())
}
