package prices

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/cli/run"
)

// printPrices prints each model's table in aligned columns.
func (p commands) printPrices(b *priceBook) {
	for i := range b.tables {
		if i > 0 {
			fmt.Fprintln(p.Out)
		}
		p.printModelTable(b, &b.tables[i])
	}
	fmt.Fprintln(p.Out, "\n"+p.Say("credits; - is unavailable, ? is not known, ≈ is by the rate table, ~ is the listed price"))
}

// printModelTable prints one model: per second first, then for the duration.
func (p commands) printModelTable(b *priceBook, t *pricing.Table) {
	title := run.ID(t.Model.ID)
	if t.Chosen {
		title = p.Say("%s, %d s", title, t.Seconds)
	}
	out := run.Table{Right: true}
	out.Add(p.tableHead(t, title)...)
	for row, name := range t.Rows {
		line := []string{run.ID(name)}
		for col := range t.Cols {
			second, whole := b.cell(t, t.At(row, col))
			if t.Timed {
				line = append(line, second)
			}
			line = append(line, whole)
		}
		out.Add(line...)
	}
	out.Write(p.Out)
	if t.Refusal.Code != "" {
		fmt.Fprintln(p.Out, p.Words.Problem(t.Refusal))
	}
	for _, c := range t.CheapestOf(b.figure) {
		if c.Of > 1 && len(t.Choices) > 1 {
			p.Println("%s: cheapest with %s, %s", run.ID(c.Group), run.Or(shownNames(t, c.Choices)), run.Credits(c.Credits))
		}
	}
}

func (p commands) tableHead(t *pricing.Table, title string) []string {
	head := []string{title}
	for _, col := range t.Cols {
		name, whole := run.ID(col), p.Say("credits")
		if t.Chosen {
			whole = p.Say("%d s", t.Seconds)
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

func (b *priceBook) cell(t *pricing.Table, c *pricing.Choice) (second, whole string) {
	credits, ok := b.figure(c)
	switch {
	case c.Refused():
		return "-", "-"
	case !ok:
		return "?", "?"
	}
	second, whole = "?", sourceSign(b.figures[c.Key].estimate.Source)+credits.String()
	if seconds := t.SecondsOf(c); seconds > 0 {
		second = (credits / api.Credits(seconds)).String()
	}
	return second, whole
}

// shownNames are the tiers or qualities of choices.
func shownNames(t *pricing.Table, choices []*pricing.Choice) []string {
	out := make([]string, len(choices))
	for i, c := range choices {
		out[i] = run.ID(t.Other(c))
	}
	return out
}

// sourceSign marks figures that the service did not quote.
func sourceSign(source api.Source) string {
	switch source {
	case api.SourceTable:
		return "≈"
	case sourceListed:
		return "~"
	}
	return ""
}

// printAffordable prints what the budget pays for of each choice.
func (p commands) printAffordable(b *priceBook, f *priceFlags) {
	p.Println("%s pay for:", p.Sentence(run.Credits(f.amount)))
	type line struct {
		table *pricing.Table
		pricing.Afford
	}
	var lines []line
	for i := range b.tables {
		t := &b.tables[i]
		for _, a := range t.Affordable(f.amount, b.figure) {
			if t.Refusal.Code == "" {
				lines = append(lines, line{t, a})
			}
		}
	}
	if f.top > 0 {
		slices.SortStableFunc(lines, func(x, y line) int { return cmp.Compare(x.Credits, y.Credits) })
		lines = lines[:min(len(lines), f.top)]
	}
	var out run.Table
	for _, a := range lines {
		t := a.table
		out.Add(run.ID(t.Model.ID), run.ID(t.Rows[a.Choice.Row]), run.ID(t.Cols[a.Choice.Col]), p.affordWords(t, a.Afford),
			p.Say("%s each", p.Sentence(run.Credits(a.Credits))))
	}
	out.Write(p.Out)
}

func (p commands) affordWords(t *pricing.Table, a pricing.Afford) string {
	switch seconds := t.SecondsOf(a.Choice); {
	case a.Count == pricing.Unlimited:
		return p.Say("any number")
	case seconds > 0:
		return p.Say("%d s (%d × %d s)", a.Seconds, a.Count, seconds)
	}
	return p.Words.Count(int(min(a.Count, 1<<31-1)), "%d image", "%d images")
}

// printCheapest prints the cheapest prices, the cheapest first.
func (p commands) printCheapest(b *priceBook, f *priceFlags) {
	var out run.Table
	for _, d := range b.documents(f) {
		length := ""
		if d.Duration > 0 {
			length = p.Say("%d s", d.Duration)
		}
		out.Add(run.ID(d.Model), run.ID(d.VideoModel+d.Size), run.ID(d.Resolution+d.Quality), length,
			d.Ratio, sourceSign(d.Source)+d.Credits.String(), p.since(d.QuotedAt))
	}
	if len(out.Rows) == 0 {
		p.Println("no price is known; --quote asks the service")
		return
	}
	out.Write(p.Out)
}

// since says of which day a quote is.
func (p commands) since(quoted string) string {
	at, err := time.Parse(time.RFC3339, quoted)
	if err != nil {
		return ""
	}
	return p.Say("quoted %s", day(at))
}
