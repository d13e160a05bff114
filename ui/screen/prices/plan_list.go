package prices

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api/pricing"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// planList is the overlay of saved plans.
type planList struct {
	widget.Passive
	k      *env.Env
	plans  []pricing.Plan
	chosen func(plan pricing.Plan, remove bool) tea.Cmd
	picker widget.Picker
	table  []action.Action
}

func newPlanList(k *env.Env, plans []pricing.Plan, chosen func(plan pricing.Plan, remove bool) tea.Cmd) *planList {
	l := &planList{k: k, plans: plans, chosen: chosen}
	l.picker.SetRows(len(plans))
	l.table = append([]action.Action{
		{Name: "open_plan", Keys: []string{"enter"}, Label: "open", Handler: l.choose(false)},
		{Name: "remove_plan", Keys: []string{"delete", "x"}, Label: "remove", Handler: l.choose(true)},
		{Name: "back", Keys: []string{"esc", "q"}, Display: "esc", Label: "back", Handler: msg.Back},
	}, l.picker.Actions(false)...)
	return l
}

// choose closes the list and opens or removes the selected plan.
func (l *planList) choose(remove bool) func() tea.Cmd {
	return func() tea.Cmd {
		at, ok := l.picker.Selected()
		if !ok {
			return nil
		}
		return msg.Sequence(msg.CloseTop, l.chosen(l.plans[at], remove))
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

// Box draws the list.
func (l *planList) Box(w, h int) string {
	width := min(64, w)
	lines := l.picker.Lines(func(row int, selected bool) string {
		p := &l.plans[row]
		in, mark := l.k.Theme.Row(selected)
		count := 0
		for _, i := range p.Items {
			count += i.Count
		}
		what := l.k.Words.Count(count, "%d request", "%d requests")
		room := width - 6 - theme.Width(what)
		return in.Accent.Paint(mark) + in.Text.Paint(theme.Fit(clean(p.Name), room)) + in.Muted.Paint(what)
	})
	lines = append(lines, "", widget.KeyLine(l.k, l.table))
	return widget.BoxedMore(l.k, width, h, l.k.Say("Saved plans"), lines, l.picker.Below())
}
