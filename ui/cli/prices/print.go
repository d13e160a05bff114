package prices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

type rateDocument struct {
	VideoModel string       `json:"video_model"`
	Resolution string       `json:"resolution"`
	PerSecond  *api.Credits `json:"credits_per_second"`
	Total      *api.Credits `json:"credits"`
	Source     api.Source   `json:"source"`
}

// priceDocument is one price as --json and --csv print it.
type priceDocument struct {
	Model      string       `json:"model"`
	Kind       api.Kind     `json:"kind"`
	VideoModel string       `json:"video_model,omitempty"`
	Resolution string       `json:"resolution,omitempty"`
	Size       string       `json:"size,omitempty"`
	Quality    string       `json:"quality,omitempty"`
	Duration   int          `json:"duration,omitempty"`
	Ratio      string       `json:"aspect_ratio,omitempty"`
	PerSecond  *api.Credits `json:"credits_per_second"`
	Credits    *api.Credits `json:"credits"`
	Source     api.Source   `json:"source"`
	Available  bool         `json:"available"`
	Reason     string       `json:"reason,omitempty"`
	QuotedAt   string       `json:"quoted_at,omitempty"`
	Count      *int64       `json:"count,omitempty"` // how many the budget pays for
	Seconds    *int64       `json:"seconds,omitempty"`

	row, col string // names of the choice in its table
	at       time.Time
}

// documents are all prices of a book by its tables; with a top the cheapest.
func (b *book) documents() []priceDocument {
	list := []priceDocument{}
	for _, t := range b.tables {
		for j := range t.Choices {
			list = append(list, b.document(t, &t.Choices[j]))
		}
	}
	if b.top == 0 {
		return list
	}
	list = payable(list)
	slices.SortStableFunc(list, func(x, y priceDocument) int { return cmp.Compare(*x.Credits, *y.Credits) })
	return list[:min(len(list), b.top)]
}

// payable leaves out what is not available or has no price.
func payable(list []priceDocument) []priceDocument {
	return slices.DeleteFunc(list, func(d priceDocument) bool { return d.Credits == nil || !d.Available })
}

func (b *book) document(t *pricing.Table, c *pricing.Choice) priceDocument {
	r, failed := c.Request, b.failed[c.Key]
	d := priceDocument{
		Model: t.Model.ID, Kind: kindWord(r.Kind), VideoModel: r.VideoModel, Resolution: r.Resolution,
		Size: r.Size, Quality: r.Quality, Duration: t.SecondsOf(c), Ratio: r.AspectRatio, Source: api.SourceNone,
		Available: !c.Refused() && t.Refusal.Code == "", row: t.Rows[c.Row], col: t.Cols[c.Col],
	}
	credits, ok := figure(c)
	switch {
	case c.Refused():
		d.Reason = run.English.Problem(c.Refusal)
	case !d.Available:
		d.Reason = run.English.Problem(t.Refusal)
	case !ok && failed != nil:
		d.Reason = failed.Error()
	}
	if !ok {
		return d
	}
	d.Credits, d.Source, d.at = &credits, c.Rate.Source, c.Rate.At
	if d.Duration > 0 {
		d.PerSecond = new(credits / api.Credits(d.Duration))
	}
	if !d.at.IsZero() {
		d.QuotedAt = d.at.Format(time.RFC3339)
	}
	if a := t.Afford(b.amount, c, credits); b.budget != "" && a.Count != pricing.Unlimited {
		d.Count = &a.Count
		if d.Duration > 0 {
			d.Seconds = &a.Seconds
		}
	}
	return d
}

func printPricesJSON(p *run.Program, b *book, models []api.Model) {
	listed := slices.DeleteFunc(models, func(m api.Model) bool { return m.Raw == nil && m.Price == nil && len(m.Parameters) == 0 })
	rates := api.Map(api.Rates(), func(rate api.Rate) rateDocument {
		d := rateDocument{VideoModel: rate.VideoModel, Resolution: rate.Resolution, Source: api.SourceNone}
		if rate.PerSecond > 0 {
			d.PerSecond, d.Total, d.Source = &rate.PerSecond, new(rate.PerSecond*api.Credits(b.duration)), api.SourceTable
		}
		return d
	})
	document := map[string]any{"duration": b.duration, "seedance2": rates, "models": api.Map(listed, ModelOf), "prices": b.documents()}
	if b.budget != "" {
		document["budget"] = b.amount
	}
	p.PrintJSON(document)
}

func printPrices(p *run.Program, b *book, markdown bool) {
	for i, t := range b.tables {
		if i > 0 {
			fmt.Fprintln(p.Out)
		}
		if markdown {
			fmt.Fprint(p.Out, t.Markdown(figure, p.Say))
		} else {
			printModelTable(p, t)
		}
	}
	if !markdown {
		fmt.Fprintln(p.Out, "\n"+p.Say("credits; - is unavailable, ? is not known (--quote asks the service), "+
			"≈ is by the built-in rate table, ~ is the listed price"))
	}
}

// printModelTable prints one model: per second first, then for the duration.
func printModelTable(p *run.Program, t *pricing.Table) {
	title, whole := run.ID(t.Model.ID), p.Say("credits")
	if t.Chosen {
		title, whole = p.Say("%s, %d s", title, t.Seconds), p.Say("%d s", t.Seconds)
	}
	head := []string{title}
	for _, col := range t.Cols {
		if name := run.ID(col); t.Timed {
			head = append(head, name+"/s", whole)
		} else {
			head = append(head, cmp.Or(name, whole))
		}
	}
	out := run.Table{Right: true, Rows: [][]string{head}}
	for row, name := range t.Rows {
		line := []string{run.ID(name)}
		for col := range t.Cols {
			c, second, whole := t.At(row, col), "?", "?"
			if credits, ok := figure(c); ok {
				whole = sourceSigns[c.Rate.Source] + credits.String()
				if seconds := t.SecondsOf(c); seconds > 0 {
					second = (credits / api.Credits(seconds)).String()
				}
			} else if c.Refused() {
				second, whole = "-", "-"
			}
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
	for _, c := range t.CheapestOf(figure) {
		if c.Of > 1 && len(t.Choices) > 1 {
			names := api.Map(c.Choices, func(c *pricing.Choice) string { return run.ID(t.Other(c)) })
			p.Println("%s: cheapest with %s, %s", run.ID(c.Group), run.Or(names), run.Credits(c.Credits))
		}
	}
}

// sourceSigns mark figures that the service did not quote.
var sourceSigns = map[api.Source]string{api.SourceTable: "≈ ", sourceListed: "~ "}

func printAffordable(p *run.Program, b *book) {
	p.Println("%s buy:", run.Credits(b.amount))
	var out run.Table
	for _, d := range payable(b.documents()) {
		buys := p.Say("any number")
		if d.Seconds != nil {
			buys = p.Say("%d s (%d × %d s)", *d.Seconds, *d.Count, d.Duration)
		} else if d.Count != nil {
			buys = p.Words.Count(int(min(*d.Count, 1<<31-1)), "%d image", "%d images")
		}
		out.Add(run.ID(d.Model), run.ID(d.row), run.ID(d.col), buys, p.Say("%s each", run.Credits(*d.Credits)))
	}
	out.Write(p.Out)
}

func printCheapest(p *run.Program, b *book) {
	var out run.Table
	for _, d := range b.documents() {
		length, quoted := "", ""
		if d.Duration > 0 {
			length = p.Say("%d s", d.Duration)
		}
		if !d.at.IsZero() {
			quoted = p.Say("quoted %s", p.Say("at %s", d.at.Local().Format(time.DateOnly)))
		}
		price := sourceSigns[d.Source] + d.Credits.String()
		out.Add(run.ID(d.Model), run.ID(d.VideoModel+d.Size), run.ID(d.Resolution+d.Quality), length, d.Ratio, price, quoted)
	}
	if len(out.Rows) == 0 {
		p.Println("no price is known; --quote asks the service")
		return
	}
	out.Write(p.Out)
}

func spendCommand(p *run.Program) *cobra.Command {
	y, m, d := time.Now().Date()
	since, asCSV := api.Midnight(y, m, d-29, time.Local), false
	cmd := p.Command("spend", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		spend, err := s.Pricing.Spend(ctx, since)
		if err == nil && asCSV {
			p.PrintCSV(spend, "day", "model", "kind", "jobs", "credits", "possibly", "unpriced")
		} else if err == nil && (p.JSON || !run.Unread(s, len(spend))) {
			printSpend(p, spend, since.Format(time.DateOnly), s.Settings().Budgets())
		}
		return err
	})
	cmd.Flags().BoolFunc("month", "this calendar month", func(string) error {
		since = api.Month.Begin(time.Now())
		return nil
	})
	cmd.Flags().Func("since", "the first day: 2026-03-01, 2026-03, today, 7d or 2w; default: the last 30 days", func(text string) error {
		day, ok := state.Since(text, time.Now())
		if since = day; !ok {
			return run.BadValue("since", text, run.Sentencef("a day such as %s, today, 7d or 2w", time.Now().Format(time.DateOnly)))
		}
		return nil
	})
	cmd.MarkFlagsMutuallyExclusive("since", "month")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "a line of comma-separated values for each day, model and kind")
	return p.JSONFlags(cmd, "since", "spend", "total", "kept", "budget", "budget_month")
}

// printSpend prints a line for each day, model and kind, and their sum.
func printSpend(p *run.Program, spend state.Spend, since string, budgets api.Budgets) {
	lines := append([]state.Line{}, spend...) // never nil, which JSON would call null
	sum := spend.Total()
	per, anyKept := sum.PerKept()
	switch kept := map[string]any{"results": sum.Kept, "credits_per_result": nil}; {
	case p.JSON:
		if anyKept {
			kept["credits_per_result"] = per
		}
		p.PrintJSON(map[string]any{"since": since, "spend": lines, "total": sum, "kept": kept,
			"budget": budgets[api.Day], "budget_month": budgets[api.Month]})
		return
	case len(lines) == 0:
		p.Println("nothing was spent since %s", since)
		return
	}
	var t run.Table
	most := api.Credits(1)
	for _, d := range lines {
		most = max(most, d.Credits.Plus(d.Possibly))
	}
	for _, d := range append(lines, state.Line{Day: p.Say("total"), Sum: sum}) {
		words := p.Say("%s cr", d.Credits.String())
		if d.Possibly > 0 {
			words += p.Say(", possibly %s more", d.Possibly.String())
		}
		if d.Unpriced > 0 {
			words += p.Say(", %d without a price", d.Unpriced)
		}
		kind, length := "", ""
		if d.Kind != "" { // it is not the total
			kind, length = p.Sentence(run.Word(d.Kind)), bar(d.Sum, most)
		}
		t.Add(d.Day, kind, run.ID(d.Model), p.Words.Count(d.Jobs, "%d job", "%d jobs"), words, length)
	}
	t.Write(p.Out)
	if anyKept {
		if sum.Kept > 1 {
			per = per.Round()
		}
		p.Println("%s, %s each", p.Words.Count(sum.Kept, "%d result favourite or rated", "%d results favourite or rated"), run.Credits(per))
	}
	if since <= api.Month.Begin(time.Now()).Format(time.DateOnly) {
		p.Println("at this rate %s this month", run.Credits(spend.MonthAt(time.Now())))
	}
}

// bar draws full cells for what was spent, shaded ones for what may be: 24 for the most.
func bar(d state.Sum, most api.Credits) string {
	cells := func(part api.Credits) int { // something is at least one
		return max(int(float64(part)/float64(most)*24+0.5), int(min(part, 1)))
	}
	sure := cells(d.Credits)
	return strings.Repeat("█", sure) + strings.Repeat("░", cells(d.Credits.Plus(d.Possibly))-sure)
}
