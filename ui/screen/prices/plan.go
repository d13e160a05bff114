package prices

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

func (s *Screen) readPlans() tea.Cmd {
	seq, ctx, backend := s.plan.latest.Ask(), s.k.Context, s.backend
	return func() tea.Msg {
		plans, err := backend.Plans(ctx)
		return thenMsg(func(screen *Screen) tea.Cmd {
			if p := &screen.plan; p.latest.Answered(seq, err) && err == nil {
				p.saved = plans
			}
			return tea.Batch(func() tea.Msg { return msg.FailedMsg{Err: err} }, screen.plan.latest.Again(ctx, screen.readPlans))
		})
	}
}

// planOne adds the chosen request to the plan, and selects it there unless the plan has the keys.
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

// recallPlan reads the stored prices of the plan and of other tiers.
func (s *Screen) recallPlan() tea.Cmd {
	var choices []pricing.Choice
	for _, i := range s.plan.Items {
		m := s.modelOf(i.Request.Model)
		choices = append(append(choices, pricing.ChoiceOf(m, i.Request)), pricing.Around(m, i.Request).Choices...)
	}
	return s.recall(choices)
}

func (s *Screen) askPlanName() tea.Cmd {
	k, text := s.k, s.k.Say("Enter a name. A plan with the same name is replaced.")
	return msg.Open(s.k, widget.NewAsk(k, k.Say("Save the plan"), text, func(name string) tea.Cmd {
		defer s.arrange()
		if name = api.Clean(name, 40).String(); name == "" {
			return nil
		}
		s.plan.Name = name
		return s.savePlan(pricing.Plan{Name: name, Items: slices.Clone(s.plan.Items)}, msg.Notify(msg.ToneGood, k.Say("Plan saved as %s.", name)))
	}))
}

// savePlan saves a plan, or without rows removes it, and then reads all of them;
// then follows when it was saved.
func (s *Screen) savePlan(plan pricing.Plan, then tea.Cmd) tea.Cmd {
	ctx, backend, read := s.k.Context, s.backend, s.readPlans()
	return func() tea.Msg {
		if err := backend.SavePlan(ctx, plan); err != nil {
			then = func() tea.Msg { return msg.FailedMsg{Err: err} }
		}
		return tea.Batch(read, then)()
	}
}

func (s *Screen) whyNoPlan() string { return s.k.SayIf(len(s.plan.Items) == 0, "The plan is empty.") }

// planFoot are the lines below the plan's rows: a rule, the total, the budget, other tiers.
const planFoot = 5

// drawPlan lists what is planned, each with its price, above the sum.
func (s *Screen) drawPlan(p *widget.Pane, w int) []string {
	k, t, plan := s.k, s.k.Theme, &s.plan
	p.Title = cmp.Or(k.SayIf(plan.Name != "", "Plan %s", clean(plan.Name)), k.Say("Plan"))
	f := widget.Facts{Width: w, Theme: t}
	if len(plan.Items) == 0 {
		f.Wrapped(t.Muted, k.Say("%s adds, %s removes", k.Key("plan_one", "space"), k.Key("take_one", "backspace")))
		saved := k.Words.Count(len(plan.saved), "%d saved plan", "%d saved plans")
		f.Wrapped(t.Muted, k.SayIf(len(plan.saved) > 0, "%s: press %s.", saved, k.Key("open_plan", "o")))
		if one, known := s.priceOf(s.chosen()); known && s.air() > 0 {
			style := t.Muted
			f.Add("", t.Muted.Paint(k.Say("several at this price")))
			for _, n := range [...]int{2, 5, 10, 20} {
				sum := pricing.Times(one, n)
				if left, ok := k.Today.Left(); ok && sum > left && style == t.Muted {
					style = t.Warn
					f.Wrapped(style, "! "+overBudget(k))
				}
				name := theme.Cut(fmt.Sprintf("%2d × %s", n, what(k, s.chosen())), w-theme.Width(sum.String())-1)
				f.Painted(widget.Between(t.Muted.Paint(name), style.Paint(sum.String()), w))
			}
		}
		return f.Lines
	}
	p.Right, p.Foot = requests(k, &plan.Plan), widget.More(k, 0, plan.rows.Below())
	total, unknown := plan.Total(s.priceOf)
	f.Add(slices.DeleteFunc(plan.rows.Lines(func(row int, selected bool) string {
		// How many, what, and the price of all.
		item := &plan.Items[row]
		in, mark := t.Row(selected && s.pane == panePlan)
		price := "?"
		if one, ok := s.priceOf(item.Request); ok {
			price = pricing.Times(one, item.Count).String()
		}
		count := fmt.Sprintf("%2d × ", item.Count)
		name := theme.Fit(what(k, item.Request), w-3-theme.Width(count+price))
		return in.Accent.Paint(mark) + in.Strong.Paint(count) + in.Text.Paint(name+" "+price)
	}), func(line string) bool { return line == "" })...)
	sum := func(style theme.Style, what, amount string) {
		f.Add(t.Muted.Paint(theme.Fit(what, w-theme.Width(amount)-1)) + " " + style.Paint(amount))
	}
	f.Add(t.Border.Paint(strings.Repeat("─", w)))
	sum(t.Accent, k.Say("together"), total.String()+t.Muted.Paint(k.Settings.Credit.Of(total)))
	f.Wrapped(t.Warn, k.SayIf(unknown > 0, "%d without a price", unknown))
	left, budget := k.Today.Left()
	over := budget && total > left
	switch {
	case over:
		f.Painted(t.Bad.Paint(widget.Between("✕ "+overBudget(k), (total - left).String(), w)))
	case budget:
		sum(t.Text, k.Say("left after it"), (left - total).String())
	}
	for _, dearer := range [...]bool{false, true} {
		other, moved := plan.Shift(dearer, s.modelOf, s.priceOfChoice)
		var names []string
		for i := range other.Items {
			if name := tierOf(&other.Items[i].Request); name != tierOf(&plan.Items[i].Request) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if to, _ := other.Total(s.priceOf); moved > 0 && unknown == 0 && !(dearer && over) {
			sum(t.Text, k.Say("with %s", strings.Join(names, ", ")), env.Signed((to-total).String())+widget.AlignRight(to.String(), 9))
		}
	}
	return f.Lines
}

// what says what is planned.
func what(k *env.Env, r api.Request) string {
	facts := widget.RequestFacts(k, r)
	if r.Model == api.Seedance2 {
		facts = facts[1:] // its tiers name it
	}
	return strings.Join(facts, " ")
}

// tierOf names a request among those that differ in price alone: its tier, or its quality.
func tierOf(r *api.Request) string { return clean(cmp.Or(r.VideoModel, r.Quality)) }

// requests says how many requests a plan stands for.
func requests(k *env.Env, p *pricing.Plan) string {
	count := 0
	for _, i := range p.Items {
		count += i.Count
	}
	return k.Words.Count(count, "%d request", "%d requests")
}

// planList is the overlay of saved plans.
type planList struct {
	widget.Passive
	s      *Screen
	plans  []pricing.Plan
	picker widget.Picker
}

func (s *Screen) openPlans() tea.Cmd {
	l := &planList{s: s, plans: s.plan.saved}
	l.picker.SetRows(len(l.plans))
	l.Table = append([]action.Action{
		{Name: "open_plan", Keys: "enter", Label: "open", Handler: action.By(l.choose, false)},
		{Name: "remove_plan", Keys: "delete x", Label: "remove", Handler: action.By(l.choose, true)},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true},
	}, l.picker.Actions(false)...)
	return msg.Open(s.k, l)
}

func (l *planList) choose(remove bool) tea.Cmd {
	s, plan := l.s, widget.Chosen(&l.picker, l.plans)
	defer s.arrange()
	if remove {
		return tea.Batch(s.k.Do(msg.ClosedMsg{}), s.savePlan(pricing.Plan{Name: plan.Name}, nil))
	}
	s.plan.Plan = pricing.Plan{Name: plan.Name, Items: slices.Clone(plan.Items)}
	s.plan.rows = widget.Picker{}
	s.pane = panePlan
	return tea.Batch(s.k.Do(msg.ClosedMsg{}), s.recallPlan())
}

func (l *planList) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.WindowSizeMsg); ok {
		l.picker.SetWindow(1, min(len(l.plans), m.Height-6))
	}
	if l.picker.Update(message) {
		return l.choose(false)
	}
	return nil
}

func (l *planList) Box(w, h int) string {
	width, k := min(64, w), l.s.k
	lines := l.picker.Lines(func(row int, selected bool) string {
		in, mark := k.Theme.Row(selected)
		what := requests(k, &l.plans[row])
		return in.Accent.Paint(mark) + in.Text.Paint(theme.Fit(clean(l.plans[row].Name), width-6-theme.Width(what))) + in.Muted.Paint(what)
	})
	return l.Keys().Boxed(width, h, k.Say("Saved plans"), lines, l.picker.Below())
}

func (l *planList) Keys() widget.Keys { return widget.Keys{K: l.s.k, Table: l.Table} }

func (s *Screen) askAmount() tea.Cmd {
	left, ok := s.k.Today.Left()
	text := cmp.Or(s.k.SayIf(ok, "Enter an amount of credits; 0 is what the budget leaves: %s.", left.String()),
		s.k.Say("Enter an amount of credits to see what it buys."))
	ask := widget.NewAsk(s.k, s.k.Say("What an amount buys"), text, func(text string) tea.Cmd {
		defer s.arrange()
		credits, err := api.ParseLimit(text)
		if err != nil {
			return msg.Notify(msg.ToneHint, s.k.Say("Type a number, such as 2000."))
		}
		if s.amount = credits; s.areas()[paneAfford].H == 0 { // the table says it in a line
			s.pane = paneGrid
		}
		return nil
	})
	ask.Table[0].Label = "done" // nothing is saved
	return msg.Open(s.k, ask)
}

// overBudget says of which budget there is too little left.
func overBudget(k *env.Env) string {
	return [...]string{k.Say("over today's budget"), k.Say("over this month's budget")}[k.Today.Tightest().Period]
}

// purse is the amount that was typed, else what the budget leaves today, else an example; and the title of what it buys.
func (s *Screen) purse() (credits api.Credits, title string, example bool) {
	if s.amount > 0 {
		return s.amount, s.k.Say("%s credits buy", s.amount.String()), false
	}
	if left, budget := s.k.Today.Left(); budget {
		return left, s.k.Say("What the %s credits left buy", left.String()), false
	}
	credits = 1000 * api.Credit
	return credits, s.k.Say("%s credits buy, for example", credits.String()), true
}

// drawAfford says how much of each model the purse pays for.
func (s *Screen) drawAfford(p *widget.Pane, w, h int) []string {
	k, t := s.k, s.k.Theme
	f := &widget.Facts{Width: w, Theme: t}
	var credits api.Credits
	credits, p.Title, _ = s.purse()
	f.Add(make([]string, s.air())...)
	p.Right = t.Key.Paint(k.Key("amount", "b")) + t.Muted.Paint(" "+k.Say("another amount"))
	video := s.grid.Model.Kind == api.KindVideo
	own := cmp.Or(k.SayIf(s.grid.Chosen, "videos of %d s", s.seconds), k.SayIf(video, "videos"), k.Say("pictures"))
	groups := [][]bought{s.buys(credits), s.pricesOf(s.pictures(), credits), nil}
	if s.grid.Model.ID != api.Seedance2 {
		groups[2] = s.pricesOf([]api.Model{s.modelOf(api.Seedance2)}, credits)
	}
	below := 2 + (len(groups[1])+len(groups[2])+1)/2 // in two columns
	all := slices.Concat(groups...)
	apart := max(min((h-4)/max(len(all), 1), 2), 1)
	for i, title := range [...]string{own, k.Say("pictures"), k.Say("videos of %d s", s.seconds)} {
		if len(groups[i]) > 0 && (i == 0 || len(f.Lines)+1 < h) {
			f.Painted(t.Muted.Paint(title))
			f.Add(s.bars(groups[i], all, w, max(h-len(f.Lines)-below, 1), apart)...)
		}
		f.Gap()
		below = 0
	}
	return f.Lines
}

// bought is how many of one request an amount pays for.
type bought struct {
	name, figure, left string
	much               int64 // the length of its bar
	chosen             bool
	price              api.Credits // of one
	col                int         // of the table
}

const (
	joinedMost = 34  // cells of two names that are joined
	widest     = 140 // of a bar with its name and figures
	minBar     = 10  // of a bar, if there are several columns
)

// buys is what an amount pays for of each choice of the selected model, the most first; those of a
// column that cost the same are one.
func (s *Screen) buys(credits api.Credits) []bought {
	k, g := s.k, &s.grid
	var all []bought
	for _, a := range g.Affordable(credits, s.priceOfChoice) {
		row, col := clean(g.Rows[a.Choice.Row]), clean(g.Cols[a.Choice.Col])
		b := bought{name: strings.TrimSpace(row + " " + col), much: a.Count, chosen: a.Choice == g.cell(), price: a.Credits, col: a.Choice.Col}
		same := slices.IndexFunc(all, func(other bought) bool { return other.price == b.price && other.col == b.col })
		if same >= 0 && theme.Width(all[same].name+b.name) < joinedMost {
			all[same].name = strings.TrimSuffix(all[same].name, " "+col) + ", " + b.name
			all[same].chosen = all[same].chosen || b.chosen
			continue
		}
		if b.figure = k.Say("any number"); a.Count != pricing.Unlimited {
			if b.figure = env.Thousands(int(a.Count)); a.Count > 0 && credits%a.Credits > 0 {
				b.left = "   " + k.Say("%s left", (credits%a.Credits).String())
			}
		}
		all = append(all, b)
	}
	slices.SortStableFunc(all, func(a, b bought) int { return cmp.Or(cmp.Compare(b.much, a.much), cmp.Compare(a.price, b.price)) })
	return all
}

// bars draws what an amount buys, in as many columns as h lines need, each so many lines below the
// one before, and what it leaves where there is room. In one column they begin and end where those of others do.
func (s *Screen) bars(all, others []bought, w, h, apart int) (lines []string) {
	t := s.k.Theme
	name, left, figure, most := 0, 0, 0, int64(1)
	for _, b := range others {
		name, left, figure = max(name, theme.Width(b.name)+4), max(left, theme.Width(b.left)), max(figure, theme.Width(b.figure)+1)
	}
	for _, b := range all {
		if b.much != pricing.Unlimited {
			most = max(most, b.much)
		}
	}
	across := max(min((len(all)+h-1)/h, (w+2)/(name+figure+2)), 1)
	if across > 1 && len(others) > len(all) { // its bars need the room
		return s.bars(all, all, w, h, apart)
	}
	rows, wide := (len(all)+across-1)/across, min((w-2*(across-1))/across, widest)
	if wide < 60 {
		left = 0
	}
	for i, b := range all {
		mark, style, bar := "", t.Strong.If(b.chosen, t.Text), t.Shades[0].If(b.chosen, t.Shades[0].Bar)
		if !t.Grounds() {
			_, mark = t.Row(b.chosen)
		}
		room := max(wide-name-left-figure, 0)
		n := int(math.Round(min(float64(b.much)/float64(most), 1) * float64(room)))
		if len(all) == 1 || across > 1 && room < minBar { // a bar would say nothing
			n = 0
		}
		line := t.Accent.Paint(mark) + style.Paint(theme.Fit(b.name, name-theme.Width(mark))) + bar.Paint(strings.Repeat("▆", n)) +
			theme.Blank(room-n) + style.Paint(widget.AlignRight(b.figure, figure)) +
			t.Muted.Paint(widget.AlignRight(theme.Cut(b.left, left), left))
		if i < rows {
			lines = append(lines, []string{line, ""}[:apart]...)
		} else {
			lines[i%rows*apart] += "  " + line
		}
	}
	return lines
}

// pictures are the first models of pictures that are not selected.
func (s *Screen) pictures() []api.Model {
	all := api.Pick(s.models.listing.Models, func(m api.Model) (api.Model, bool) {
		return m, m.Kind == api.KindImage && m.ID != s.grid.Model.ID
	})
	return all[:min(len(all), shownPrices)]
}

// pricesOf is what an amount pays for at the lowest known prices of models, each shown once.
func (s *Screen) pricesOf(models []api.Model, credits api.Credits) (out []bought) {
	for _, m := range models {
		table := pricing.For(m, s.seconds, "")
		all := table.Affordable(credits, s.priceOfChoice)
		slices.SortStableFunc(all, func(a, b pricing.Afford) int { return cmp.Compare(a.Credits, b.Credits) })
		all = slices.CompactFunc(all, func(a, b pricing.Afford) bool { return a.Credits == b.Credits })
		for _, a := range all[:min(len(all), shownPrices/len(models))] {
			r := a.Choice.Request
			name := clean(strings.Join(env.Said(cmp.Or(r.VideoModel, m.ID), r.Resolution, r.Size, r.Quality), " "))
			if a.Count != pricing.Unlimited {
				out = append(out, bought{name: name, much: a.Count, figure: env.Thousands(int(a.Count))})
			}
		}
	}
	return out
}

const shownPrices = 4 // of models that are not selected
