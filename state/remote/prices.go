package remote

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// noteQuote keeps a figure of the service when it is another one than before.
// The history of prices is a record beside the work: a failed write of it is no
// reason to keep a figure back.
func (r *Remote) noteQuote(base string, req api.Request, e api.Estimate) {
	if !e.Known() {
		return
	}
	credits := e.Credits
	if e.Differs {
		credits = e.Service
	}
	_ = r.o.Store().NotePrices(r.ctx, []store.Price{
		{Base: base, Source: store.PriceQuoted, Name: store.PriceName(req), Credits: credits, At: e.At},
	})
}

// noteListing keeps the listed prices that are other ones than before.
func (r *Remote) noteListing(base string, models []api.Model, now time.Time) {
	var list []store.Price
	for _, m := range models {
		if m.Price != nil {
			list = append(list, store.Price{Base: base, Source: store.PriceListed, Name: m.ID,
				Credits: m.Price.Credits, Unit: m.Price.Unit, At: now})
		}
	}
	_ = r.o.Store().NotePrices(r.ctx, list)
}

// withSent adds what the same parameters cost when they were last sent.
func (r *Remote) withSent(ctx context.Context, req api.Request, e api.Estimate) api.Estimate {
	base := r.Base()
	if base == nil || !e.Known() {
		return e
	}
	c, ok, err := r.o.Store().PriceChange(context.WithoutCancel(ctx), base.String(), store.PriceSent, store.PriceName(req))
	if ok && err == nil {
		e.Sent, e.SentAt = c.Now.Credits, c.Now.At
	}
	return e
}
