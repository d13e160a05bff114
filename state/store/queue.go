package store

import (
	"context"
	"time"

	"darkroom/api"
)

// Agreement is what a person confirms as one: several requests, which are sent
// one by one.
type Agreement struct {
	ID       string // the confirm id; never recorded twice
	Instance string // that sends them
	Base     string
	Pattern  api.Request // of which the requests were made
	Held     []Held
	Now      time.Time

	Budget api.Credits // a day; 0: none
	Day    time.Time   // when the budget's day began
	Recent time.Time   // the time before which an equal active body no longer counts
}

// Held is a request that waits to be sent.
type Held struct {
	ID        string // of the job that it will be
	ConfirmID string
	Agreement string
	Owner     string // the window that sends it in its turn; "" when it waits for the person
	Code      string // why it waits for the person, as a word, and in words
	Reason    api.Reason
	Again     bool // agreed to, although an equal body is active or unknown
	Base      string
	Request   api.Request
	Body      []byte
	Title     string
	Label     string       // in what it differs from the others
	Estimate  api.Estimate // agreed to
	CreatedAt time.Time
	Version   int64
}

// Hold records an agreement and its requests durably, in the order in which
// they are to be sent. The total is held against the day's budget, and each
// body against those that are active or unknown. An agreement that is known
// already is not recorded again: false.
func (s *Store) Hold(ctx context.Context, a Agreement) (bool, error) {
	fresh := false
	err := s.write(ctx, func(t *transaction) {
		var known string
		if fresh = !t.scan([]any{&known}, `SELECT id FROM agreements WHERE id = ?`, a.ID); !fresh {
			return
		}
		t.fail(s.mayRecord(t))
		total := t.allowed(&a)
		t.run(`INSERT INTO agreements (id, base, pattern, requests, credits, at) VALUES (?,?,?,?,?,?)`,
			a.ID, a.Base, object{a.Pattern}, len(a.Held), total, millis(a.Now))
		t.count()
		for i := range a.Held {
			t.hold(&a, &a.Held[i])
		}
	})
	return fresh && err == nil, err
}

// allowed checks budget and equal bodies, and gives the total.
func (t *transaction) allowed(a *Agreement) api.Credits {
	whole := api.Estimate{Source: api.SourceTable} // its figure counts, not where that is from
	for i := range a.Held {
		h := &a.Held[i]
		if !h.Again {
			t.otherBody(a.Base, hashOf(h.Body), a.Recent)
		}
		if !h.Estimate.Known() {
			whole.Source = api.SourceNone
			continue
		}
		whole.Credits = whole.Credits.Plus(h.Estimate.Credits)
	}
	t.underBudget(Intent{Estimate: whole, Budget: a.Budget, Day: a.Day})
	return whole.Credits
}

func (t *transaction) hold(a *Agreement, h *Held) {
	t.run(`INSERT INTO held (id, confirm_id, agreement, owner, again, base, kind, model, title, label,
	  credits, source, request, body, estimate, created_at, version) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,`+changeNumber+`)`,
		h.ID, h.ConfirmID, a.ID, a.Instance, h.Again, a.Base, h.Request.Kind, h.Request.Model, h.Title, h.Label,
		h.Estimate.Credits, sourceOf(h.Estimate), object{h.Request}, h.Body, object{h.Estimate}, millis(a.Now))
}

const heldColumns = `id, confirm_id, agreement, owner, code, reason, again, base, request, body, title, label, estimate, created_at, version`

func scanHeld(sc scanner) (Held, error) {
	var h Held
	var reason string
	err := sc.Scan(&h.ID, &h.ConfirmID, &h.Agreement, &h.Owner, &h.Code, &reason, &h.Again, &h.Base, object{&h.Request}, &h.Body,
		&h.Title, &h.Label, object{&h.Estimate}, moment{&h.CreatedAt}, &h.Version)
	h.Reason = api.ParseReason(reason, reason)
	return h, err
}

// NextHeld is the request that an instance has to send next; false when there
// is none.
func (s *Store) NextHeld(ctx context.Context, instance string) (Held, bool, error) {
	h, err := scanHeld(s.r.QueryRowContext(ctx, `SELECT `+heldColumns+` FROM held WHERE owner = ? AND owner <> '' ORDER BY place LIMIT 1`, instance))
	return h, err == nil, orNone(err)
}

// HeldOf returns the requests of the agreement that a held request is of, in
// the order in which they are sent; ErrMissing when it is held no more.
func (s *Store) HeldOf(ctx context.Context, id string) ([]Held, error) {
	list, err := all(ctx, s.r, scanHeld, `SELECT `+heldColumns+` FROM held
	  WHERE agreement = (SELECT agreement FROM held WHERE id = ?) ORDER BY place`, id)
	if err == nil && len(list) == 0 {
		err = ErrMissing
	}
	return list, err
}
