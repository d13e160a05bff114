package state

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state/store"
)

// quotesAtOnce is how many questions for prices are asked at a time.
const quotesAtOnce = 4

// Pricing is what is known of prices beyond the newest figure: quotes for whole
// tables, what changed, plans, and what was spent on what. It is safe for use by
// several goroutines.
type Pricing struct {
	*engine
	slots chan struct{}
}

// Quote is Estimate for tables of prices: at most four questions are under way
// at a time, whoever asks. A caller that goes away does not end a question; its
// place stays taken until the service has answered.
func (p *Pricing) Quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	none := api.Estimate{Source: api.SourceNone}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	case <-p.ctx.Done():
		return none, p.ctx.Err()
	}
	type answer struct {
		e   api.Estimate
		err error
	}
	done := make(chan answer, 1)
	p.tasks.Go(func() {
		defer func() { <-p.slots }()
		e, err := p.remote.Estimate(p.ctx, r)
		done <- answer{e, err}
	})
	select {
	case a := <-done:
		return a.e, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// Plans gives the plans that were saved, the newest first. One that cannot be
// read is left out.
func (p *Pricing) Plans(ctx context.Context) ([]pricing.Plan, error) {
	kept, err := p.storage.current().Plans(ctx)
	if err != nil {
		return nil, store.Explain(err)
	}
	var out []pricing.Plan
	for _, k := range kept {
		if items, err := pricing.ReadItems(k.Items); err == nil {
			out = append(out, pricing.Plan{Name: k.Name, Items: items})
		}
	}
	return out, nil
}

// SavePlan keeps a plan under its name; an empty one is removed.
func (p *Pricing) SavePlan(ctx context.Context, plan pricing.Plan) error {
	if len(plan.Items) == 0 {
		return store.Explain(p.storage.current().RemovePlan(ctx, plan.Name))
	}
	text, err := plan.Text()
	if err != nil {
		return err
	}
	return store.Explain(p.storage.current().SavePlan(ctx, store.Plan{Name: plan.Name, At: time.Now(), Items: text}))
}
