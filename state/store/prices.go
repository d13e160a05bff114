package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/store/schema"
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
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, p := range fresh {
			if err := notePrice(ctx, tx, p); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM prices WHERE id <= (SELECT max(id) FROM prices) - ?`, pricesKept)
		return err
	})
}

// notePrice keeps a price that differs from the last one of its name; another
// window may have been first.
func notePrice(ctx context.Context, tx *sql.Tx, p Price) error {
	same, err := samePrice(ctx, tx, p)
	if err != nil || same {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO prices (base, source, name, credits, unit, at) VALUES (?,?,?,?,?,?)`,
		p.Base, p.Source, p.Name, p.Credits, p.Unit, millis(p.At))
	return err
}

func samePrice(ctx context.Context, q schema.Querier, p Price) (bool, error) {
	var credits api.Credits
	var unit string
	err := q.QueryRowContext(ctx, `SELECT credits, unit FROM prices WHERE base=? AND source=? AND name=? ORDER BY id DESC LIMIT 1`,
		p.Base, p.Source, p.Name).Scan(&credits, &unit)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil && credits == p.Credits && unit == p.Unit, err
}

// PriceChange is the last price of a name, and the one before it; false when
// none is known.
func (s *Store) PriceChange(ctx context.Context, base string, source PriceSource, name string) (PriceChange, bool, error) {
	var c PriceChange
	rows, err := s.r.QueryContext(ctx, `SELECT credits, unit, at FROM prices WHERE base=? AND source=? AND name=? ORDER BY id DESC LIMIT 2`,
		base, source, name)
	if err != nil {
		return c, false, err
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for ; rows.Next(); n++ {
		p := Price{Base: base, Source: source, Name: name}
		var at int64
		if err := rows.Scan(&p.Credits, &p.Unit, &at); err != nil {
			return c, false, err
		}
		p.At = moment(at)
		if n == 0 {
			c.Now = p
		} else {
			c.Before, c.Changed = p, true
		}
	}
	return c, n > 0, rows.Err()
}

// noteSent keeps what an accepted request was estimated at.
func noteSent(ctx context.Context, tx *sql.Tx, f Finish) error {
	var base, text string
	var credits api.Credits
	var source api.Source
	err := tx.QueryRowContext(ctx, `SELECT base, credits, source, request FROM jobs JOIN details USING (seq) WHERE id=?`, f.ID).
		Scan(&base, &credits, &source, &text)
	if err != nil || source != api.SourceService && source != api.SourceTable {
		return err
	}
	var r api.Request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	return notePrice(ctx, tx, Price{Base: base, Source: PriceSent, Name: PriceName(r), Credits: credits, At: f.Now})
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
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO plans (name, at, items) VALUES (?,?,?)
		  ON CONFLICT (name) DO UPDATE SET at=excluded.at, items=excluded.items`, p.Name, millis(p.At), string(p.Items))
		return err
	})
}

// RemovePlan removes a plan; there may be none of the name.
func (s *Store) RemovePlan(ctx context.Context, name string) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM plans WHERE name=?`, name)
		return err
	})
}

// Plans gives every plan, the newest first.
func (s *Store) Plans(ctx context.Context) ([]Plan, error) {
	rows, err := s.r.QueryContext(ctx, `SELECT name, at, items FROM plans ORDER BY at DESC, name`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Plan
	for rows.Next() {
		var p Plan
		var at int64
		var items string
		if err := rows.Scan(&p.Name, &at, &items); err != nil {
			return nil, err
		}
		p.At, p.Items = moment(at), []byte(items)
		list = append(list, p)
	}
	return list, rows.Err()
}
