package ui

import (
	"context"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
)

// doorPrices is what a fakeSession knows of prices, plans and spending.
type doorPrices struct {
	changes map[string]state.PriceChange // by estimate key
	listed  map[string]state.PriceChange // by model
	plans   []pricing.Plan
	spend   state.Spend
	quote   func(ctx context.Context, r api.Request) (api.Estimate, error)
}

func (d *fakeSession) Quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	if d.pricing.quote != nil {
		return d.pricing.quote(ctx, r)
	}
	return d.Estimate(ctx, r)
}

func (d *fakeSession) Changes(_ context.Context, requests map[string]api.Request) (map[string]state.PriceChange, error) {
	d.calls.Add(1)
	out := map[string]state.PriceChange{}
	for key := range requests {
		if c, ok := d.pricing.changes[key]; ok {
			out[key] = c
		}
	}
	return out, nil
}

func (d *fakeSession) ListedChanges(context.Context, []string) (map[string]state.PriceChange, error) {
	d.calls.Add(1)
	return d.pricing.listed, nil
}

func (d *fakeSession) NoteRates(context.Context) error { d.calls.Add(1); return nil }

func (d *fakeSession) Plans(context.Context) ([]pricing.Plan, error) {
	d.calls.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.pricing.plans), d.readFailed()
}

func (d *fakeSession) SavePlan(_ context.Context, plan pricing.Plan) error {
	d.note("plan %s", plan.Name)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pricing.plans = slices.DeleteFunc(d.pricing.plans, func(p pricing.Plan) bool { return p.Name == plan.Name })
	if len(plan.Items) > 0 {
		d.pricing.plans = append([]pricing.Plan{plan}, d.pricing.plans...)
	}
	return nil
}

func (d *fakeSession) Spend(_ context.Context, since time.Time) (state.Spend, error) {
	d.note("spend %s", since.Format(time.DateOnly))
	d.takeTime()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pricing.spend, d.readFailed()
}
