package cli

import (
	"fmt"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
)

// printPrices prints each model's table in aligned columns.
func (p *program) printPrices(b *priceBook) error {
	for i := range b.tables {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		if err := p.printModelTable(b, &b.tables[i]); err != nil {
			return err
		}
		p.sayChanges(b, &b.tables[i])
	}
	fmt.Fprintln(p.out, "\n"+p.say("credits; - is unavailable, ? is not known, ≈ is by the rate table, ~ is the listed price"))
	return nil
}

// printModelTable prints one model: per second first, then for the duration.
func (p *program) printModelTable(b *priceBook, t *pricing.Table) error {
	title := shownID(t.Model.ID)
	if t.Chosen {
		title = p.say("%s, %d s", title, t.Seconds)
	}
	out := table{right: true}
	out.add(p.tableHead(t, title)...)
	for row, name := range t.Rows {
		line := []string{shownID(name)}
		for col := range t.Cols {
			second, whole := b.cell(t, t.At(row, col))
			if t.Timed {
				line = append(line, second)
			}
			line = append(line, whole)
		}
		out.add(line...)
	}
	if err := out.write(p.out); err != nil {
		return err
	}
	if t.Refusal.Code != "" {
		fmt.Fprintln(p.out, p.words.Problem(t.Refusal))
	}
	for _, c := range t.CheapestOf(b.figure) {
		if c.Of > 1 && len(t.Choices) > 1 {
			fmt.Fprintln(p.out, p.say("%s: cheapest with %s, %s", shownID(c.Group), p.sentence(joinOr(shownNames(t, c.Choices))), p.sentence(creditsText(c.Credits))))
		}
	}
	return nil
}

func (p *program) tableHead(t *pricing.Table, title string) []string {
	head := []string{title}
	for _, col := range t.Cols {
		name, whole := shownID(col), p.say("credits")
		if t.Chosen {
			whole = p.say("%d s", t.Seconds)
		}
		switch {
		case t.Timed:
			head = append(head, name+"/s", whole)
		case name != "":
			head = append(head, name)
		default:
			head = append(head, whole)
		}
	}
	return head
}

// cell is a price a second and in all.
func (b *priceBook) cell(t *pricing.Table, c *pricing.Choice) (second, whole string) {
	credits, ok := b.figure(c)
	switch {
	case c.Refused():
		return "-", "-"
	case !ok:
		return "?", "?"
	}
	second, whole = "?", sourceSign(b.figures[c.Key].source)+credits.String()
	if seconds := t.SecondsOf(c); seconds > 0 {
		second = (credits / api.Credits(seconds)).String()
	}
	return second, whole
}

// shownNames are the tiers or qualities of choices.
func shownNames(t *pricing.Table, choices []*pricing.Choice) []string {
	out := make([]string, len(choices))
	for i, c := range choices {
		out[i] = shownID(t.Other(c))
	}
	return out
}

// sourceSign marks figures that the service did not quote.
func sourceSign(source string) string {
	switch source {
	case string(api.SourceTable):
		return "≈"
	case sourceListed:
		return "~"
	}
	return ""
}

// sayChanges prints which prices of a table are other ones than before.
func (p *program) sayChanges(b *priceBook, t *pricing.Table) {
	for i := range t.Choices {
		c := &t.Choices[i]
		f := b.figures[c.Key]
		if f == nil || !f.change.Changed {
			continue
		}
		sign, before := "↑", f.change.Before
		if f.change.Now.Credits < before.Credits {
			sign = "↓"
		}
		fmt.Fprintln(p.out, p.say("%s %s: %s before %s", sign, choiceName(t, c), p.sentence(creditsText(before.Credits)), day(f.change.Now.At)))
	}
}

// printAffordable prints what the budget pays for of each choice.
func (p *program) printAffordable(b *priceBook, f *priceFlags) error {
	fmt.Fprintln(p.out, p.say("%s pay for:", p.sentence(creditsText(f.amount))))
	var out table
	for i := range b.tables {
		t := &b.tables[i]
		for _, a := range t.Affordable(f.amount, b.figure) {
			if t.Refusal.Code != "" {
				continue
			}
			out.add(shownID(t.Model.ID), shownID(t.Rows[a.Choice.Row]), shownID(t.Cols[a.Choice.Col]), p.affordWords(t, a),
				p.say("%s each", p.sentence(creditsText(a.Credits))))
		}
	}
	if len(out.rows) > f.top && f.top > 0 {
		out.rows = out.rows[:f.top]
	}
	return out.write(p.out)
}

func (p *program) affordWords(t *pricing.Table, a pricing.Afford) string {
	switch seconds := t.SecondsOf(a.Choice); {
	case a.Count == pricing.Unlimited:
		return p.say("any number")
	case seconds > 0:
		return p.say("%d s (%d × %d s)", a.Seconds, a.Count, seconds)
	}
	return p.words.Count(int(min(a.Count, 1<<31-1)), "%d image", "%d images")
}

// printCheapest prints the cheapest prices, the cheapest first.
func (p *program) printCheapest(b *priceBook, f *priceFlags) error {
	var out table
	for _, d := range b.documents(f) {
		length := ""
		if d.Duration > 0 {
			length = p.say("%d s", d.Duration)
		}
		out.add(shownID(d.Model), shownID(d.VideoModel+d.Size), shownID(d.Resolution+d.Quality), length, d.Ratio, sourceSign(d.Source)+d.Credits.String(), p.since(d.QuotedAt))
	}
	if len(out.rows) == 0 {
		fmt.Fprintln(p.out, p.say("no price is known; --quote asks the service"))
		return nil
	}
	return out.write(p.out)
}

// since says of which day a quote is.
func (p *program) since(quoted string) string {
	at, err := time.Parse(time.RFC3339, quoted)
	if err != nil {
		return ""
	}
	return p.say("quoted %s", day(at))
}
