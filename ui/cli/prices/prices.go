// Package prices has the commands about models, prices and spending.
package prices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// Commands are those about prices and models.
func Commands(p *run.Program) []*cobra.Command {
	return []*cobra.Command{modelsCommand(p), pricesCommand(p), spendCommand(p)}
}

func modelsCommand(p *run.Program) *cobra.Command {
	cmd := p.Command("models", run.Service, func(ctx context.Context, s *state.Session, _ []string) error {
		listing := s.Models(ctx)
		if err := told(p, listing, listing.Cached); err != nil {
			return err
		}
		if listing.Err != nil {
			p.Remark("These are the models as of %s.", listing.At.Local().Format(time.DateTime))
		}
		if p.JSON {
			p.PrintJSON(map[string]any{"models": api.Map(listing.Models, run.ModelOf)}, "models")
			return nil
		}
		if len(listing.Models) == 0 {
			p.Remark("The service lists no models.")
		}
		for _, m := range listing.Models {
			price := run.Sentencef("price not listed")
			if m.Price != nil {
				price = run.Credits(m.Price.Credits)
				if unit := m.Price.Unit; unit != "" && unit != "unknown" {
					price = run.Sentencef("%s per %s", price, run.Word(unit))
				}
			}
			fmt.Fprintf(p.Out, "%s  %s  %s\n", run.ID(m.ID), p.Sentence(run.Word(run.KindWord(m.Kind))), p.Sentence(price))
			for _, parameter := range m.Parameters {
				words := parameter.Name
				if f := api.FieldNamed(words); f != nil && f.Help != "" {
					words = "--" + f.Flag()
				}
				if len(parameter.Values) > 0 {
					words += ": " + strings.Join(parameter.Values, ", ")
				}
				if parameter.Min != nil && parameter.Max != nil {
					words += ": " + p.Say("%v to %v", *parameter.Min, *parameter.Max)
				}
				fmt.Fprintln(p.Out, "    "+words+p.SayIf(parameter.Default != "", " (default %s)", parameter.Default))
			}
		}
		return nil
	})
	return p.JSONFlags(cmd, "id", "kind", "price", "parameters", "raw")
}

// told prints why the service listed no models if some are known, else returns it.
func told(p *run.Program, listing state.Listing, known bool) error {
	if !known || run.CodeOf(listing.Err) == run.ExitKey || errors.Is(listing.Err, context.Canceled) {
		return listing.Err
	}
	p.Notice(listing.Err)
	return nil
}

// book holds the flags of prices, the choices of the models with their known prices, and how they are printed.
type book struct {
	duration, top              int
	model, kind, ratio, budget string // the budget is an amount or "today"
	quote, csv, md             bool
	amount                     api.Credits // of budget

	tables []*pricing.Table
	failed map[string]error // why the service gave no price, by the key of the choice
}

func pricesCommand(p *run.Program) *cobra.Command {
	b := &book{failed: map[string]error{}}
	cmd := p.Command("prices", run.Store, func(ctx context.Context, s *state.Session, _ []string) error { return b.print(ctx, p, s) })
	flags := cmd.Flags()
	flags.IntVar(&b.duration, "duration", 5, "length of the video in seconds")
	flags.StringVar(&b.model, "model", "", "only the model with this id; the service is asked for its prices")
	run.OneOf(cmd, &b.kind, "kind", "only models of this kind: image or video", "image", "video")
	flags.StringVar(&b.ratio, "aspect-ratio", "", "the ratio that prices are for, such as 16:9")
	flags.StringVar(&b.budget, "budget", "", "show what an amount of credits buys, or 'today' what the budget leaves buys")
	run.AboveZero(cmd, &b.top, "top", "only this many prices, the cheapest first")
	flags.BoolVar(&b.quote, "quote", false, "ask the service for every price that is not known, four at a time")
	flags.BoolVar(&b.csv, "csv", false, "a line of comma-separated values for each price")
	flags.BoolVar(&b.md, "markdown", false, "tables in Markdown")
	cmd.MarkFlagsMutuallyExclusive("csv", "markdown")
	cmd.MarkFlagsMutuallyExclusive("markdown", "top") // it prints whole tables
	cmd.MarkFlagsMutuallyExclusive("markdown", "budget")
	return p.JSONFlags(cmd, "duration", "seedance2", "models", "prices", "budget")
}

// print prints the grid, which needs no service, and the other models' prices
// as far as a service and a key are there.
func (b *book) print(ctx context.Context, p *run.Program, s *state.Session) (err error) {
	if b.duration < 1 || b.duration > 3600 {
		return run.Usagef("--duration: give whole seconds from 1 to 3600")
	}
	switch b.budget {
	case "":
	case "today":
		today, err := s.Today(ctx)
		if err != nil {
			return err
		}
		if today.Tightest().Budget == 0 {
			return run.Usagef("--budget: no budget is set; give an amount of credits")
		}
		b.amount, _ = today.Left()
	default:
		if b.amount, err = api.ParseLimit(b.budget); err != nil {
			return run.Usagef("--budget: give an amount of credits, or today")
		}
	}
	listing := s.KnownModels(ctx)
	if s.Settings().BaseURL != "" && s.Remote.AwaitKey(ctx) == nil {
		listing = s.Models(ctx)
	}
	if err = told(p, listing, true); err != nil { // the rates of seedance2 are published
		return err
	}
	models := append([]api.Model{{ID: api.Seedance2, Kind: api.KindVideo}}, listing.Models...) // seedance2 comes first
	if i := slices.IndexFunc(listing.Models, func(m api.Model) bool { return m.ID == api.Seedance2 }); i >= 0 {
		models[0], models = listing.Models[i], slices.Delete(models, i+1, i+2)
	}
	models = slices.DeleteFunc(models, func(m api.Model) bool {
		return b.model != "" && m.ID != b.model || b.kind != "" && string(m.Kind) != b.kind
	})
	if b.model != "" && len(models) == 0 {
		return run.Usagef("--model: the service lists no model %s%s", run.ID(b.model), run.NearModel(ctx, s, b.model))
	}
	b.price(ctx, s, models)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.JSON:
		listed := slices.DeleteFunc(models, func(m api.Model) bool { return m.Raw == nil && m.Price == nil && len(m.Parameters) == 0 })
		rates := api.Map(api.Rates(), func(rate api.Rate) rateDocument {
			d := rateDocument{VideoModel: rate.VideoModel, Resolution: rate.Resolution, Source: api.SourceNone}
			if rate.PerSecond > 0 {
				d.PerSecond, d.Total, d.Source = &rate.PerSecond, new(rate.PerSecond*api.Credits(b.duration)), api.SourceTable
			}
			return d
		})
		document := map[string]any{"duration": b.duration, "seedance2": rates, "models": api.Map(listed, run.ModelOf), "prices": b.documents()}
		if b.budget != "" {
			document["budget"] = b.amount
		}
		p.PrintJSON(document)
	case b.csv:
		columns := []string{"model", "kind", "video_model", "resolution", "size", "quality", "duration", "aspect_ratio",
			"credits_per_second", "credits", "source", "available", "reason", "quoted_at"}
		if b.budget != "" {
			columns = append(columns, "count", "seconds")
		}
		p.PrintCSV(b.documents(), columns...)
	case b.budget != "" || b.top > 0:
		printChoices(p, b)
	default:
		for i, t := range b.tables {
			if i > 0 {
				fmt.Fprintln(p.Out)
			}
			if b.md {
				fmt.Fprint(p.Out, t.Markdown(figure, p.Say))
			} else {
				printModelTable(p, t)
			}
		}
		if !b.md {
			fmt.Fprintln(p.Out, "\n"+p.Say("credits; - is unavailable, ? is not known (--quote asks the service), "+
				"≈ is by the built-in rate table, ~ is the listed price"))
		}
	}
	return nil
}

// figure is the price of a choice, if it is known.
func figure(c *pricing.Choice) (api.Credits, bool) {
	return c.Rate.Credits, c.Rate.Source != api.SourceNone
}

// sourceListed is the source of a price that the listing of models has.
const sourceListed api.Source = "listed"

// price lays out the choices of models, and finds what is known of their prices.
func (b *book) price(ctx context.Context, s *state.Session, models []api.Model) {
	var asked []*pricing.Choice
	for _, m := range models {
		t := pricing.For(m, b.duration, b.ratio)
		for i := range t.Choices {
			c := &t.Choices[i]
			if c.Rate.Source = api.SourceNone; c.Refused() {
				continue
			}
			c.Rate, asked = s.KnownEstimate(ctx, c.Request), append(asked, c)
			if listed, ok := pricing.Listed(m, c.Request); ok && !c.Rate.Known() {
				c.Rate = api.Estimate{Credits: listed, Source: sourceListed}
			}
		}
		b.tables = append(b.tables, &t)
	}
	if !b.quote && b.model == "" {
		return
	}
	// The service is asked for what it gave no fresh figure of. When it asks for a rest
	// or does not answer, the others stay as they are.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, c := range asked {
		group.Go(func() {
			e, err := s.Quote(ctx, c.Request)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case ctx.Err() != nil:
				return
			case err == nil && e.Known():
				c.Rate = e
			case err != nil && !pricing.OneOnly(err):
				stop()
			}
			b.failed[c.Key] = err
		})
	}
	group.Wait()
}

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
	QuotedAt   time.Time    `json:"quoted_at,omitzero"` // in whole seconds
	Count      *int64       `json:"count,omitempty"`    // how many the budget pays for
	Seconds    *int64       `json:"seconds,omitempty"`

	row, col string // names of the choice in its table
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
		Model: t.Model.ID, Kind: run.KindWord(r.Kind), VideoModel: r.VideoModel, Resolution: r.Resolution,
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
	d.Credits, d.Source, d.QuotedAt = &credits, c.Rate.Source, c.Rate.At.Truncate(time.Second)
	if d.Duration > 0 {
		d.PerSecond = new(credits / api.Credits(d.Duration))
	}
	if a := t.Afford(b.amount, c, credits); b.budget != "" && a.Count != pricing.Unlimited {
		d.Count = &a.Count
		if d.Duration > 0 {
			d.Seconds = &a.Seconds
		}
	}
	return d
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
	out := run.Table{head}
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
	out.Write(p.Out, true)
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

// printChoices prints what the budget's amount buys of each choice, else the cheapest choices.
func printChoices(p *run.Program, b *book) {
	var out run.Table
	for _, d := range payable(b.documents()) {
		if b.budget == "" {
			length := p.SayIf(d.Duration > 0, "%d s", d.Duration)
			quoted := p.SayIf(!d.QuotedAt.IsZero(), "quoted %s", p.Say("at %s", d.QuotedAt.Local().Format(time.DateOnly)))
			price := sourceSigns[d.Source] + d.Credits.String()
			out.Add(run.ID(d.Model), run.ID(d.VideoModel+d.Size), run.ID(d.Resolution+d.Quality), length, d.Ratio, price, quoted)
			continue
		}
		buys := p.Say("any number")
		if d.Seconds != nil {
			buys = p.Say("%d s, or %d × %d s", *d.Seconds, *d.Count, d.Duration)
		} else if d.Count != nil {
			buys = p.Count(int(*d.Count), "%d image", "%d images")
		}
		out.Add(run.ID(d.Model), run.ID(d.row), run.ID(d.col), buys, p.Say("%s each", run.Credits(*d.Credits)))
	}
	if b.budget != "" {
		p.Println("%s buy:", run.Credits(b.amount))
	} else if len(out) == 0 {
		p.Println("no price is known; --quote asks the service")
	}
	out.Write(p.Out, false)
}

func spendCommand(p *run.Program) *cobra.Command {
	y, m, d := time.Now().Date()
	since, month, asCSV := api.Midnight(y, m, d-29, time.Local), false, false
	cmd := p.Command("spend", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		if month {
			since = api.Month.Begin(time.Now())
		}
		spend, err := s.Spend(ctx, since)
		if err == nil && asCSV {
			p.PrintCSV(spend, "day", "model", "kind", "jobs", "credits", "possibly", "unpriced")
		} else if err == nil && (p.JSON || !run.Unread(s, len(spend))) {
			printSpend(p, spend, since.Format(time.DateOnly), s.Settings().Budgets())
		}
		return err
	})
	cmd.Flags().BoolVar(&month, "month", false, "this calendar month")
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
	most := max(1, slices.Max(api.Map(lines, func(d state.Line) api.Credits { return d.Credits.Plus(d.Possibly) })))
	cells := func(part api.Credits) int { // 24 for the most; something is at least one
		return max(int(float64(part)/float64(most)*24+0.5), int(min(part, 1)))
	}
	for _, d := range append(lines, state.Line{Day: p.Say("total"), Sum: sum}) {
		words := p.Say("%s cr", d.Credits.String()) + p.SayIf(d.Possibly > 0, ", possibly %s more", d.Possibly.String()) +
			p.SayIf(d.Unpriced > 0, ", %d without a price", d.Unpriced)
		kind, length := "", ""
		if d.Kind != "" { // it is not the total
			kind = p.Sentence(run.Word(d.Kind)) // full cells for what is sure, shaded ones for what may be
			length = strings.Repeat("█", cells(d.Credits)) + strings.Repeat("░", cells(d.Credits.Plus(d.Possibly))-cells(d.Credits))
		}
		t.Add(d.Day, kind, run.ID(d.Model), p.Count(d.Jobs, "%d job", "%d jobs"), words, length)
	}
	t.Write(p.Out, false)
	if anyKept {
		if sum.Kept > 1 {
			per = per.Round()
		}
		p.Println("%s, %s each", p.Count(sum.Kept, "%d result favourite or rated", "%d results favourite or rated"), run.Credits(per))
	}
	if since <= api.Month.Begin(time.Now()).Format(time.DateOnly) {
		p.Println("at this rate %s this month", run.Credits(spend.MonthAt(time.Now())))
	}
}
