package prices

import (
	"context"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// priceFlags are what 'darkroom prices' is asked for.
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

func (p commands) pricesCommand() *cobra.Command {
	f := &priceFlags{}
	cmd := &cobra.Command{
		Use:   "prices",
		Short: "List the prices of all models",
		Long: "Lists the prices of all models, of videos per second and for a duration. " +
			"Prices come from the rate table, from what the service quoted before, and from its list " +
			"of models. --quote and --model ask the service for those that are missing.",
		Example: `  darkroom prices
  darkroom prices --duration 10 --json`,
	}
	flags := cmd.Flags()
	flags.IntVar(&f.duration, "duration", 5, "length of the video in seconds")
	flags.StringVar(&f.model, "model", "", "only the model with this id; the service is asked for its prices")
	flags.StringVar(&f.kind, "kind", "", "only models of this kind: image or video")
	flags.StringVar(&f.ratio, "aspect-ratio", "", "the ratio that prices are for, such as 16:9")
	flags.StringVar(&f.budget, "budget", "", "what these credits pay for: an amount, or 'today' for what the budget leaves")
	flags.IntVar(&f.top, "top", 0, "only this many prices, the cheapest first")
	flags.BoolVar(&f.quote, "quote", false, "ask the service for every price that is not known, four at a time")
	flags.BoolVar(&f.csv, "csv", false, "a line of comma-separated values for each price")
	flags.BoolVar(&f.md, "markdown", false, "tables in Markdown")
	p.JSONFlags(cmd, "duration", "seedance2", "models", "prices", "budget")
	run.ExcludeEachOther(cmd, "json", "csv", "markdown")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case f.duration < 1 || f.duration > 3600:
			return run.Usagef("--duration: give whole seconds from 1 to 3600")
		case f.kind != "" && f.kind != string(api.KindImage) && f.kind != string(api.KindVideo):
			return run.Usagef("--kind: give image or video")
		case cmd.Flags().Changed("top") && f.top < 1:
			return run.Usagef("--top: give a number above 0")
		}
		return p.prices(cmd.Context(), f)
	}
	return cmd
}

// prices prints the grid, which needs no service, and the other models' prices
// as far as a service and a key are there.
func (p commands) prices(ctx context.Context, f *priceFlags) error {
	return p.With(ctx, false, func(s *state.Session) error {
		if err := f.readBudget(ctx, s); err != nil {
			return err
		}
		listing, err := p.listed(ctx, s)
		if err != nil {
			return err
		}
		models := f.models(listing.Models)
		if f.model != "" && len(models) == 0 {
			return run.Usagef("--model: the service lists no model %s", run.ID(f.model))
		}
		book := p.priceBook(ctx, s, f, models)
		switch {
		case p.JSON:
			p.printPricesJSON(book, f, models)
		case f.csv:
			return p.printPricesCSV(book, f)
		case f.md:
			p.printPricesMarkdown(book)
		case f.budget != "":
			p.printAffordable(book, f)
		case f.top > 0:
			p.printCheapest(book, f)
		default:
			p.printPrices(book)
		}
		return nil
	})
}

func (f *priceFlags) readBudget(ctx context.Context, s *state.Session) error {
	if f.budget == "" {
		return nil
	}
	if f.budget == "today" {
		today, err := s.Today(ctx)
		if err != nil {
			return err
		}
		if today.Budget == 0 {
			return run.Usagef("--budget: no budget is set; give an amount of credits")
		}
		f.amount = max(today.Budget-today.Credits.Plus(today.Possibly), 0)
		return nil
	}
	amount, err := api.ParseCredits(f.budget)
	if err != nil {
		return run.Usagef("--budget: give an amount of credits, or today")
	}
	f.amount = amount
	return nil
}

// listed is the service's models where it can be asked, else the last known
// ones, else seedance2, whose rates are published.
func (p commands) listed(ctx context.Context, s *state.Session) (state.Listing, error) {
	var listing state.Listing
	if s.Settings().BaseURL != "" && s.Remote.AwaitKey(ctx) == nil {
		listing = s.Models(ctx)
	} else {
		listing = s.KnownModels(ctx)
	}
	if listing.Err != nil {
		if run.CodeOf(listing.Err) == run.ExitKey {
			return listing, listing.Err
		}
		p.Notice(listing.Err)
	}
	return listing, nil
}

// models are those that the flags ask for, seedance2 first.
func (f *priceFlags) models(listed []api.Model) []api.Model {
	seedance := api.Model{ID: api.Seedance2, Kind: api.KindVideo}
	var rest []api.Model
	for _, m := range listed {
		if m.ID == api.Seedance2 {
			seedance = m
		} else {
			rest = append(rest, m)
		}
	}
	return slices.DeleteFunc(append([]api.Model{seedance}, rest...), func(m api.Model) bool {
		return f.model != "" && m.ID != f.model || f.kind != "" && string(m.Kind) != f.kind
	})
}

// priceFigure is what is known of the price of a choice.
type priceFigure struct {
	estimate api.Estimate // its source may be the listing
	err      error        // why the service gave none
}

// priceBook is every price that was asked for.
type priceBook struct {
	tables  []pricing.Table
	figures map[string]*priceFigure // by the key of the choice
}

func (b *priceBook) figure(c *pricing.Choice) (api.Credits, bool) {
	f := b.figures[c.Key]
	if f == nil || f.estimate.Source == api.SourceNone {
		return 0, false
	}
	return f.estimate.Credits, true
}

// sourceListed is the source of a price that the listing of models has.
const sourceListed api.Source = "listed"

func (p commands) priceBook(ctx context.Context, s *state.Session, f *priceFlags, models []api.Model) *priceBook {
	b := &priceBook{figures: map[string]*priceFigure{}}
	requests := map[string]api.Request{}
	for _, m := range models {
		t := pricing.For(m, f.duration, f.ratio)
		for _, c := range t.Choices {
			if !c.Refused() {
				b.figures[c.Key], requests[c.Key] = &priceFigure{estimate: known(ctx, s, m, c.Request)}, c.Request
			}
		}
		b.tables = append(b.tables, t)
	}
	if f.quote || f.model != "" {
		b.ask(ctx, s, requests)
	}
	return b
}

// known is the best figure without a call.
func known(ctx context.Context, s *state.Session, m api.Model, r api.Request) api.Estimate {
	e := s.KnownEstimate(ctx, r)
	if e.Known() {
		return e
	}
	if credits, ok := pricing.Listed(m, r); ok {
		return api.Estimate{Credits: credits, Source: sourceListed}
	}
	return api.Estimate{Source: api.SourceNone}
}

// ask asks the service for the prices of which it has no fresh figure. The rest
// stay as they are when it asks for a rest or does not answer.
func (b *priceBook) ask(ctx context.Context, s *state.Session, requests map[string]api.Request) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var mu sync.Mutex
	for key, r := range requests {
		group.Go(func() {
			e, err := s.Pricing.Quote(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil {
				return
			}
			f := b.figures[key]
			f.err = err
			if err == nil && e.Known() {
				f.estimate = e
			}
			if err != nil && !pricing.OneOnly(err) {
				stop()
			}
		})
	}
	group.Wait()
}
