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
	plans []pricing.Plan
	spend state.Spend
	quote func(ctx context.Context, r api.Request) (api.Estimate, error)
}

func (d *fakeSession) Quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	if d.pricing.quote != nil {
		return d.pricing.quote(ctx, r)
	}
	return d.Estimate(ctx, r)
}

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
