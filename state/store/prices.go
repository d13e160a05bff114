package store

import (
	"context"
	"time"

	"darkroom/api"
)

// priceSent is the source of the prices that are kept: agreed to when a request was
// accepted. Earlier versions kept others, too.
const priceSent = "sent"

// noteSent keeps what an accepted request was estimated at, and when, in place of
// what one with the same parameters was before.
func (t *transaction) noteSent(f Finish) {
	var base string
	var credits api.Credits
	var source api.Source
	var r api.Request
	t.scan([]any{&base, &credits, &source, object{&r}},
		`SELECT base, credits, source, request FROM jobs JOIN details USING (seq) WHERE id=?`, f.ID)
	if source == api.SourceService || source == api.SourceTable {
		t.run(`DELETE FROM prices WHERE base=? AND source=? AND name=?`, base, priceSent, PriceName(r))
		t.run(`INSERT INTO prices (base, source, name, credits, unit, at) VALUES (?,?,?,?,'',?)`,
			base, priceSent, PriceName(r), credits, millis(f.Now))
	}
}

// SentPrice is what a request with the same parameters cost when it was last sent;
// the zero time when none was.
func (s *Store) SentPrice(ctx context.Context, base string, r api.Request) (credits api.Credits, at time.Time, err error) {
	err = s.r.QueryRowContext(ctx, `SELECT credits, at FROM prices WHERE base=? AND source=? AND name=? ORDER BY id DESC LIMIT 1`,
		base, priceSent, PriceName(r)).Scan(&credits, moment{&at})
	return credits, at, orNone(err)
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
