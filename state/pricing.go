package state

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state/store"
)

const quotesAtOnce = 4

// Pricing is what is known of prices: quotes for whole tables, plans, and what
// was spent. It is safe for use by several goroutines.
type Pricing struct {
	*engine
	slots chan struct{}
}

// Quote is Estimate for tables of prices, at most four at a time. A caller that
// goes away does not end a question; its place stays taken until the service has
// answered.
func (p *Pricing) Quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	none := api.Estimate{Source: api.SourceNone}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	case <-p.ctx.Done():
		return none, p.ctx.Err()
	}
	var e api.Estimate
	var err error
	done := make(chan struct{})
	p.tasks.Go(func() {
		defer func() { close(done); <-p.slots }()
		e, err = p.remote.Estimate(p.ctx, r)
	})
	select {
	case <-done:
		return e, err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Plans gives the saved plans that can be read, the newest first.
func (p *Pricing) Plans(ctx context.Context) ([]pricing.Plan, error) {
	kept, err := p.db().Plans(ctx)
	return api.Pick(kept, func(k [2]string) (pricing.Plan, bool) {
		items, ok := pricing.ReadItems([]byte(k[1]))
		return pricing.Plan{Name: k[0], Items: items}, ok
	}), store.Explain(err)
}

// SavePlan keeps a plan under its name; an empty one is removed.
func (p *Pricing) SavePlan(ctx context.Context, plan pricing.Plan) error {
	if len(plan.Items) == 0 {
		return store.Explain(p.db().RemovePlan(ctx, plan.Name))
	}
	return store.Explain(p.db().SavePlan(ctx, plan.Name, plan.Items, time.Now()))
}

// Affords refuses what the budgets do not allow now, before a person is asked about it.
func (p *Pricing) Affords(ctx context.Context, wanted api.Estimate) error {
	return store.Explain(p.db().Affords(ctx, &store.Job{Estimate: wanted}, p.settings.Budgets(), nil, time.Now()))
}

// Spend is what was spent since a moment, by day, model and kind, the newest day first.
type Spend []Line

// MonthAt is what the month of a day comes to if it goes on as until then.
func (s Spend) MonthAt(day time.Time) api.Credits {
	sum, days := s.since(day.Format("2006-01")), api.Month.Begin(day).AddDate(0, 1, -1).Day()
	return api.Credits(min(float64(sum.Credits)/float64(day.Day())*float64(days), 9e18)).Round()
}

// Total is what all lines come to.
func (s Spend) Total() Sum { return s.since("") }

func (s Spend) since(day string) (t Sum) {
	for _, l := range s {
		if l.Day >= day {
			t.Add(l)
		}
	}
	return t
}

// Spend is what was spent since a moment, by darkroom's own ledger.
func (p *Pricing) Spend(ctx context.Context, since time.Time) (Spend, error) {
	return explained[Spend](p.db().Ledger(ctx, since))
}
