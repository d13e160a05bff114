package state

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Names of types of the store, so that callers need not know it.
type (
	PriceChange = store.PriceChange
	Price       = store.Price
)

// PriceTable is the source of prices of the rate table.
const PriceTable = store.PriceTable

// quotesAtOnce is how many questions for prices are asked at a time.
const quotesAtOnce = 4

// Pricing is what is known of prices beyond the newest figure: quotes for whole
// tables, what changed, plans, and what was spent on what. It is safe for use by
// several goroutines.
type Pricing struct {
	ctx     context.Context // ends with the session
	remote  *remote.Remote
	storage *storage
	slots   chan struct{}
	start   func(func()) // in the background
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
	p.start(func() {
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

// Changes gives, for requests with these estimate keys, the last change of what
// the service quoted, else of the rate table, by the key under which the request
// was given.
func (p *Pricing) Changes(ctx context.Context, requests map[string]api.Request) (map[string]PriceChange, error) {
	out := map[string]PriceChange{}
	base := p.remote.Base()
	for key, r := range requests {
		var c PriceChange
		var ok bool
		var err error
		if base != nil {
			c, ok, err = p.storage.current().PriceChange(ctx, base.String(), store.PriceQuoted, store.PriceName(r))
		}
		if err == nil && !ok && r.Model == api.Seedance2 {
			c, ok, err = p.storage.current().PriceChange(ctx, "", store.PriceTable, rateName(r.VideoModel, r.Resolution))
		}
		if err != nil {
			return out, store.Explain(err)
		}
		if ok {
			out[key] = c
		}
	}
	return out, nil
}

// ListedChanges gives the last change of the listed price of models, by id.
func (p *Pricing) ListedChanges(ctx context.Context, models []string) (map[string]PriceChange, error) {
	out := map[string]PriceChange{}
	base := p.remote.Base()
	if base == nil {
		return out, nil
	}
	for _, id := range models {
		c, ok, err := p.storage.current().PriceChange(ctx, base.String(), store.PriceListed, id)
		if err != nil {
			return out, store.Explain(err)
		}
		if ok && c.Changed {
			out[id] = c
		}
	}
	return out, nil
}

// NoteRates keeps the rate table of this version of the program where it is
// another one than that of the version before.
func (p *Pricing) NoteRates(ctx context.Context) error {
	var list []store.Price
	for _, r := range api.Rates() {
		if r.PerSecond > 0 {
			list = append(list, store.Price{Source: store.PriceTable, Name: rateName(r.VideoModel, r.Resolution),
				Credits: r.PerSecond, Unit: api.UnitSecond, At: time.Now()})
		}
	}
	return store.Explain(p.storage.current().NotePrices(ctx, list))
}

func rateName(tier, resolution string) string { return tier + " " + resolution }

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
