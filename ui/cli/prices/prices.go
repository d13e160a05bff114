// Package prices has the commands about models, prices and spending.
package prices

import (
	"cmp"
	"context"
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

// ModelOf is a model as --json prints it.
func ModelOf(m api.Model) api.Model {
	m.Label, m.Kind, m.Raw = "", kindWord(m.Kind), run.Valid(m.Raw)
	m.Parameters = api.Map(m.Parameters, func(p api.Parameter) api.Parameter {
		return api.Parameter{Name: p.Name, Values: append([]string{}, p.Values...), Default: p.Default}
	})
	return m
}

// kindWord is a kind, or that it is not known.
func kindWord(k api.Kind) api.Kind { return cmp.Or(k, "unknown") }

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
			p.PrintJSON(map[string]any{"models": api.Map(listing.Models, ModelOf)}, "models")
			return nil
		}
		for _, m := range listing.Models {
			price := run.Sentencef("price not listed")
			if m.Price != nil {
				price = run.Credits(m.Price.Credits)
				if unit := m.Price.Unit; unit != "" && unit != "unknown" {
					price = run.Sentencef("%s per %s", price, run.Word(unit))
				}
			}
			fmt.Fprintf(p.Out, "%s  %s  %s\n", run.ID(m.ID), p.Sentence(run.Word(kindWord(m.Kind))), p.Sentence(price))
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
				if parameter.Default != "" {
					words += p.Say(" (default %s)", parameter.Default)
				}
				fmt.Fprintln(p.Out, "    "+words)
			}
		}
		return nil
	})
	return p.JSONFlags(cmd, "id", "kind", "price", "parameters", "raw")
}

// told prints why the service listed no models if some are known, else returns it.
func told(p *run.Program, listing state.Listing, known bool) error {
	if listing.Err == nil || !known || run.CodeOf(listing.Err) == run.ExitKey {
		return listing.Err
	}
	p.Notice(listing.Err)
	return nil
}

type priceFlags struct {
	duration    int
	model, kind string
	ratio       string
	budget      string // an amount or "today"
	top         int
	quote       bool
	csv, md     bool
	amount      api.Credits // of budget
}

func pricesCommand(p *run.Program) *cobra.Command {
	f := &priceFlags{}
	cmd := p.Command("prices", run.Store, func(ctx context.Context, s *state.Session, _ []string) error { return prices(ctx, p, s, f) })
	flags := cmd.Flags()
	flags.IntVar(&f.duration, "duration", 5, "length of the video in seconds")
	flags.StringVar(&f.model, "model", "", "only the model with this id; the service is asked for its prices")
	run.OneOf(cmd, &f.kind, "kind", "only models of this kind: image or video", "image", "video")
	flags.StringVar(&f.ratio, "aspect-ratio", "", "the ratio that prices are for, such as 16:9")
	flags.StringVar(&f.budget, "budget", "", "show what an amount of credits buys, or 'today' what the budget leaves buys")
	run.AboveZero(cmd, &f.top, "top", "only this many prices, the cheapest first")
	flags.BoolVar(&f.quote, "quote", false, "ask the service for every price that is not known, four at a time")
	flags.BoolVar(&f.csv, "csv", false, "a line of comma-separated values for each price")
	flags.BoolVar(&f.md, "markdown", false, "tables in Markdown")
	cmd.MarkFlagsMutuallyExclusive("csv", "markdown")
	return p.JSONFlags(cmd, "duration", "seedance2", "models", "prices", "budget")
}

// prices prints the grid, which needs no service, and the other models' prices
// as far as a service and a key are there.
func prices(ctx context.Context, p *run.Program, s *state.Session, f *priceFlags) error {
	if f.duration < 1 || f.duration > 3600 {
		return run.Usagef("--duration: give whole seconds from 1 to 3600")
	}
	var err error
	switch f.budget {
	case "":
	case "today":
		today, failed := s.Today(ctx)
		today = today.Tightest()
		if err = failed; err == nil && today.Budget == 0 {
			err = run.Usagef("--budget: no budget is set; give an amount of credits")
		}
		f.amount = max(today.Budget-today.Credits.Plus(today.Possibly), 0)
	default:
		if f.amount, err = api.ParseLimit(f.budget); err != nil {
			err = run.Usagef("--budget: give an amount of credits, or today")
		}
	}
	if err != nil {
		return err
	}
	listing := s.KnownModels(ctx)
	if s.Settings().BaseURL != "" && s.Remote.AwaitKey(ctx) == nil {
		listing = s.Models(ctx)
	}
	if err := told(p, listing, true); err != nil { // the rates of seedance2 are published
		return err
	}
	models := append([]api.Model{{ID: api.Seedance2, Kind: api.KindVideo}}, listing.Models...) // seedance2 comes first
	if i := slices.IndexFunc(listing.Models, func(m api.Model) bool { return m.ID == api.Seedance2 }); i >= 0 {
		models[0], models = listing.Models[i], slices.Delete(models, i+1, i+2)
	}
	models = slices.DeleteFunc(models, func(m api.Model) bool {
		return f.model != "" && m.ID != f.model || f.kind != "" && string(m.Kind) != f.kind
	})
	if f.model != "" && len(models) == 0 {
		return run.Usagef("--model: the service lists no model %s%s", run.ID(f.model), run.NearModel(ctx, s, f.model))
	}
	book := bookOf(ctx, s, f, models)
	switch {
	case p.JSON:
		printPricesJSON(p, book, models)
	case f.csv:
		columns := []string{"model", "kind", "video_model", "resolution", "size", "quality", "duration", "aspect_ratio",
			"credits_per_second", "credits", "source", "available", "reason", "quoted_at"}
		if f.budget != "" {
			columns = append(columns, "count", "seconds")
		}
		p.PrintCSV(book.documents(), columns...)
	case f.budget != "" && !f.md:
		printAffordable(p, book)
	case f.top > 0 && !f.md:
		printCheapest(p, book)
	default:
		printPrices(p, book, f.md)
	}
	return nil
}

// book is every choice of the models with what is known of its price, as its rate.
type book struct {
	*priceFlags
	tables []*pricing.Table
	failed map[string]error // why the service gave none, by the key of the choice
}

// figure is the price of a choice, if it is known.
func figure(c *pricing.Choice) (api.Credits, bool) {
	return c.Rate.Credits, c.Rate.Source != api.SourceNone
}

// sourceListed is the source of a price that the listing of models has.
const sourceListed api.Source = "listed"

func bookOf(ctx context.Context, s *state.Session, f *priceFlags, models []api.Model) *book {
	b := &book{f, nil, map[string]error{}}
	var asked []*pricing.Choice
	for _, m := range models {
		t := pricing.For(m, f.duration, f.ratio)
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
	if !f.quote && f.model == "" {
		return b
	}
	// The service is asked for what it gave no fresh figure of. When it asks for a rest
	// or does not answer, the others stay as they are.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, c := range asked {
		group.Go(func() {
			e, err := s.Pricing.Quote(ctx, c.Request)
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
	return b
}
