package store

import (
	"context"
	"time"

	"darkroom/api"
)

// PriceSource is who gave a price.
type PriceSource string

// Sources of prices.
const (
	PriceQuoted PriceSource = "quoted" // the service's estimate
	PriceListed PriceSource = "listed" // the listing of models
	PriceTable  PriceSource = "table"  // the spec's rate table
	PriceSent   PriceSource = "sent"   // agreed to when a request was accepted
)

// Price is what something cost at a moment.
type Price struct {
	Base    string // of the service; "" for the rate table
	Source  PriceSource
	Name    string // what was priced; equal names are compared
	Credits api.Credits
	Unit    string
	At      time.Time
}

// PriceChange is a price and what it was before it last changed.
type PriceChange struct {
	Now, Before Price
	Changed     bool // there is a Before
}

// pricesKept is how many changes of prices are kept.
const pricesKept = 20_000

// NotePrices keeps those prices that differ from the last one of their name.
// Nothing is written when all are as before.
func (s *Store) NotePrices(ctx context.Context, list []Price) error {
	var fresh []Price
	for _, p := range list {
		same, err := samePrice(ctx, s.r, p)
		if err != nil {
			return err
		}
		if !same {
			fresh = append(fresh, p)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return s.write(ctx, func(t *transaction) {
		for _, p := range fresh {
			t.notePrice(p)
		}
		t.run(`DELETE FROM prices WHERE id <= (SELECT max(id) FROM prices) - ?`, pricesKept)
	})
}

// notePrice keeps a price that differs from the last one of its name; another
// window may have been first.
func (t *transaction) notePrice(p Price) {
	same, err := samePrice(t.ctx, t, p)
	if t.fail(err); !same {
		t.run(`INSERT INTO prices (base, source, name, credits, unit, at) VALUES (?,?,?,?,?,?)`,
			p.Base, p.Source, p.Name, p.Credits, p.Unit, millis(p.At))
	}
}

func samePrice(ctx context.Context, q querier, p Price) (bool, error) {
	last, err := lastPrices(ctx, q, p.Base, p.Source, p.Name, 1)
	return len(last) > 0 && last[0].Credits == p.Credits && last[0].Unit == p.Unit, err
}

// lastPrices reads the last prices of a name, the newest first.
func lastPrices(ctx context.Context, q querier, base string, source PriceSource, name string, most int) ([]Price, error) {
	scan := func(sc scanner) (p Price, err error) {
		p = Price{Base: base, Source: source, Name: name}
		err = sc.Scan(&p.Credits, &p.Unit, moment{&p.At})
		return p, err
	}
	return all(ctx, q, scan, `SELECT credits, unit, at FROM prices WHERE base=? AND source=? AND name=? ORDER BY id DESC LIMIT ?`,
		base, source, name, most)
}

// PriceChange is the last price of a name, and the one before it; false when
// none is known.
func (s *Store) PriceChange(ctx context.Context, base string, source PriceSource, name string) (PriceChange, bool, error) {
	last, err := lastPrices(ctx, s.r, base, source, name, 2)
	switch len(last) {
	case 0:
		return PriceChange{}, false, err
	case 1:
		return PriceChange{Now: last[0]}, true, nil
	}
	return PriceChange{Now: last[0], Before: last[1], Changed: true}, true, nil
}

// noteSent keeps what an accepted request was estimated at.
func (t *transaction) noteSent(f Finish) {
	p := Price{Source: PriceSent, At: f.Now}
	var source api.Source
	var r api.Request
	t.scan([]any{&p.Base, &p.Credits, &source, object{&r}},
		`SELECT base, credits, source, request FROM jobs JOIN details USING (seq) WHERE id=?`, f.ID)
	if source == api.SourceService || source == api.SourceTable {
		p.Name = PriceName(r)
		t.notePrice(p)
	}
}

// PriceName is the name under which the price of a request is kept.
func PriceName(r api.Request) string { return r.EstimateKey(api.Model{}) }

// Plan is a named list of requests to come, as text of its owner.
type Plan struct {
	Name  string
	At    time.Time // when it was saved
	Items []byte
}

// SavePlan keeps a plan; one of the same name is replaced.
func (s *Store) SavePlan(ctx context.Context, p Plan) error {
	return s.run(ctx, `INSERT INTO plans (name, at, items) VALUES (?,?,?)
	  ON CONFLICT (name) DO UPDATE SET at=excluded.at, items=excluded.items`, p.Name, millis(p.At), string(p.Items))
}

// RemovePlan removes a plan; there may be none of the name.
func (s *Store) RemovePlan(ctx context.Context, name string) error {
	return s.run(ctx, `DELETE FROM plans WHERE name=?`, name)
}

// Plans gives every plan, the newest first.
func (s *Store) Plans(ctx context.Context) ([]Plan, error) {
	return all(ctx, s.r, func(sc scanner) (p Plan, err error) { err = sc.Scan(&p.Name, moment{&p.At}, &p.Items); return p, err },
		`SELECT name, at, items FROM plans ORDER BY at DESC, name`)
}
