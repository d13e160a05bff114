package prices

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// exampleAmount is shown if there is neither an amount nor a budget.
const exampleAmount = 1000 * api.Credit

func (s *Screen) askAmount() tea.Cmd {
	text := s.k.Say("Enter an amount of credits to see what it buys.")
	if left, ok := leftToday(s.k); ok {
		text = s.k.Say("Enter an amount of credits; 0 is what the budget leaves today: %s.", env.Amount(left))
	}
	return msg.Open(widget.NewAsk(s.k, s.k.Say("What an amount buys"), text, s.amountTyped))
}

func (s *Screen) amountTyped(text string) tea.Cmd {
	defer s.arrange()
	credits, err := api.ParseLimit(text)
	if err != nil {
		return msg.Notify(msg.ToneHint, s.k.Say("Type a number, such as 2000."))
	}
	s.amount = credits
	return nil
}

// leftToday is what the day's budget leaves, and false without a budget.
func leftToday(k *env.Env) (api.Credits, bool) {
	t := k.Today
	if t.Budget <= api.BudgetUnreadable {
		return 0, false
	}
	return max(t.Budget-t.Credits.Plus(t.Possibly), 0), true
}

func (s *Screen) drawAfford(p *widget.Pane, w, h int) []string {
	k, t := s.k, s.k.Theme
	p.Title, p.Foot = k.Say("What your budget buys"), k.Say("b amount")
	f := &widget.Facts{Width: w, Theme: t}
	credits, budget := leftToday(k)
	head := k.Say("%s left today", env.Amount(credits))
	switch {
	case s.amount > 0:
		credits, head = s.amount, k.Say("%s credits", env.Amount(s.amount))
	case !budget:
		f.Wrapped(t.Muted, k.Say("No budget is set. Press %s and type an amount of credits.", k.Key("amount", "b")))
		f.Gap()
		credits, head = exampleAmount, k.Say("%s credits, for example", env.Amount(exampleAmount))
	}
	f.Painted(t.Strong.Paint(head))
	rows := s.affordRows(credits, max(h-len(f.Lines), 0))
	much, what := 0, 0
	for _, row := range rows {
		much, what = max(much, theme.Width(row[0])+2), max(what, theme.Width(row[1])+2)
	}
	for _, row := range rows {
		line := t.Accent.Paint(theme.Fit(row[0], much)) + t.Text.Paint(theme.Fit(row[1], min(what, w-much)))
		if theme.Width(row[2]) <= w-much-what {
			line += t.Muted.Paint(row[2])
		}
		f.Painted(line)
	}
	return f.Lines
}

// affordRows are how much of what an amount pays for, and in which pieces, at
// most so many rows: the prices of seedance2, or the cheapest of each resolution
// if there is little room, then images of the default size and quality.
func (s *Screen) affordRows(credits api.Credits, most int) [][3]string {
	k := s.k
	var rows [][3]string
	videos := pricing.For(s.modelOf(api.Seedance2), s.seconds, "")
	pays := videos.Affordable(credits, s.priceOfChoice)
	if most < len(pays)+3 { // there is no room for all of them and some images
		pays = videos.Summary(pays)
	}
	for _, a := range pays {
		row := [3]string{k.Say("any number"), clean(a.Choice.Request.VideoModel + " " + a.Choice.Request.Resolution)}
		if a.Count != pricing.Unlimited {
			row[0], row[2] = k.Say("%s s", env.Thousands(int(a.Seconds))), k.Say("%s × %d s", env.Thousands(int(a.Count)), s.seconds)
		}
		rows = append(rows, row)
	}
	for _, m := range s.models.listing.Models {
		if m.Kind != api.KindImage || m.Price == nil || len(rows) >= most {
			continue
		}
		size, _ := m.Parameter(api.FieldSize)
		quality, _ := m.Parameter(api.FieldQuality)
		r := api.Request{Kind: m.Kind, Model: m.ID, Size: size.Default, Quality: quality.Default}
		if one, _ := s.priceOf(r); one > 0 {
			rows = append(rows, [3]string{k.Say("%s images", env.Thousands(int(credits/one))), clean(m.ID), choiceName(k, r)})
		}
	}
	return rows[:min(len(rows), most)]
}
