package store

import (
	"context"
	"strings"
	"time"

	"darkroom/api"
)

// Agreement is what a person confirms as one: requests that are sent one by one.
type Agreement struct {
	ID       string // the confirm id; never recorded twice
	Instance string // that sends them
	Base     string
	Pattern  api.Request // of which the requests were made
	Held     []Held
	Total    api.Estimate // of all of them; not known when one is not
	Now      time.Time
	Budget   api.Credits // a day; 0: none
	Ask      *Ask        // of an agent; nil: a person confirms it
}

// Held is a request that waits to be sent, as the job that it will be.
type Held struct {
	Job       // its Error says why it waits for the person
	ConfirmID string
	Owner     string // the window that sends it in its turn; "" when it waits for the person
	Code      string // why it waits for the person, as a word
	Again     bool   // agreed to, although an equal body is active or unknown

	MaxCredits api.Credits // that an agent wants to pay for its agreement; 0: no agent asked for it
	Granted    bool        // it is sent without the person
}

// Hold records an agreement and its requests durably, in the order of sending.
// The total is held against the day's budget, each body against those active or
// unknown. False: the agreement is known already. What an agent asks for waits for
// the person, unless its grant covers it.
func (s *Store) Hold(ctx context.Context, a Agreement) (bool, error) {
	fresh := false
	err := s.write(ctx, func(t *transaction) {
		var known string
		if fresh = !t.scan([]any{&known}, `SELECT id FROM agreements WHERE id = ?`, a.ID); !fresh {
			return
		}
		t.fail(s.mayRecord(t))
		if k := a.Ask; k != nil {
			before, err := askedBefore(ctx, t, *k)
			t.fail(err)
			if fresh = len(before) == 0; !fresh {
				return
			}
			if t.mayAsk(a, k); k.Grant == nil {
				t.hold(a, "")
				return
			}
		}
		for _, h := range a.Held {
			if !h.Again {
				t.otherBody(a.Base, hashOf(h.Body), a.Now)
			}
		}
		t.underBudget(a.Budget, a.Total, a.Now)
		t.hold(a, a.Instance)
	})
	return fresh && err == nil, err
}

// hold writes an agreement and its requests; without an owner they wait for the person.
func (t *transaction) hold(a Agreement, owner string) {
	t.run(`INSERT INTO agreements (id, base, pattern, requests, credits, at) VALUES (?,?,?,?,?,?)`,
		a.ID, a.Base, object{a.Pattern}, len(a.Held), a.Total.Credits, millis(a.Now))
	t.count()
	for _, h := range a.Held {
		t.run(`INSERT INTO held (id, confirm_id, agreement, owner, again, base, kind, model, title, label,
		  credits, source, request, body, estimate, created_at, version) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,`+changeNumber+`)`,
			h.ID, h.ConfirmID, a.ID, owner, h.Again, a.Base, h.Request.Kind, h.Request.Model, h.Title, h.Label,
			h.Estimate.Credits, sourceOf(h.Estimate), object{h.Request}, h.Body, object{h.Estimate}, millis(a.Now))
	}
	if a.Ask != nil {
		t.ask(a, a.Ask)
	}
}

const heldRowColumns = `id, kind, model, reason, title, credits, source, created_at, version, agreement, label, owner = '', entry`

// heldOrder puts what agents asked for together, before what the person agreed to.
const heldOrder = ` ORDER BY entry = '', entry, place`

func scanHeldRow(sc scanner) (Row, error) { return scanHeldRowAnd(sc) }

// scanHeldRowAnd scans heldRowColumns and the columns behind them.
func scanHeldRowAnd(sc scanner, behind ...any) (Row, error) {
	r := Row{Phase: api.PhaseHeld, Progress: -1}
	var reason string
	err := sc.Scan(append([]any{&r.ID, &r.Kind, &r.Model, &reason, &r.Title, &r.Credits, &r.Source, moment{&r.CreatedAt}, &r.Version,
		&r.Agreement, &r.Label, &r.Paused, &r.Entry}, behind...)...)
	r.Error = api.ParseReason(reason, reason)
	return r, err
}

const heldColumns = heldRowColumns + `, confirm_id, owner, code, again, base, request, body, estimate,
	coalesce((SELECT pattern FROM agreements WHERE agreements.id = agreement), 'null'), max_credits, granted`

func scanHeld(sc scanner) (h Held, err error) {
	h.Row, err = scanHeldRowAnd(sc, &h.ConfirmID, &h.Owner, &h.Code, &h.Again, &h.Base, object{&h.Request}, (*[]byte)(&h.Body),
		object{&h.Estimate}, object{&h.Pattern}, &h.MaxCredits, &h.Granted)
	return h, err
}

// NextHeld is the request that an instance has to send next; false without one.
func (s *Store) NextHeld(ctx context.Context, instance string) (Held, bool, error) {
	h, err := scanHeld(s.r.QueryRowContext(ctx, `SELECT `+heldColumns+` FROM held
		WHERE owner = ? AND owner <> '' ORDER BY place LIMIT 1`, instance))
	return h, err == nil, orNone(err)
}

// HeldOf returns the requests of a held request's agreement, or of the agent that
// asked for it, in the order of sending; ErrMissing when it is held no more.
func (s *Store) HeldOf(ctx context.Context, id string) ([]Held, error) {
	list, err := all(ctx, s.r, scanHeld, `SELECT `+heldColumns+` FROM held
	  WHERE agreement = (SELECT agreement FROM held WHERE id = ?1)
	  OR entry = (SELECT entry FROM held WHERE id = ?1 AND entry <> '') ORDER BY place`, id)
	if err == nil && len(list) == 0 {
		err = ErrMissing
	}
	return list, err
}

// PauseHeld lets what is left of an agreement wait for the person.
func (s *Store) PauseHeld(ctx context.Context, agreement, code string, reason api.Reason) error {
	return s.change(ctx, func(t *transaction) {
		t.run(`UPDATE held SET owner='', code=?, reason=?, `+newVersion+` WHERE agreement=? AND owner<>''`, code, reason.Stored(), agreement)
	})
}

// ResumeHeld gives requests that wait for the person to an instance, at the prices
// agreed to now. ErrLate when one waits no more; a *Refusal when they cost more than
// the agent that asked for them wanted to pay.
func (s *Store) ResumeHeld(ctx context.Context, instance string, list []Held, now time.Time) error {
	return s.change(ctx, func(t *transaction) {
		for _, h := range list {
			t.one(`UPDATE held SET owner=?, code='', reason='', again=?, credits=?, source=?, estimate=?, granted=0, `+newVersion+`
			  WHERE id=? AND owner='' AND expires_at NOT BETWEEN 1 AND ?`,
				instance, h.Again, h.Estimate.Credits, sourceOf(h.Estimate), object{h.Estimate}, h.ID, millis(now))
		}
		t.underAsked(list)
	})
}

// MoveHeld exchanges a held request with the one before or after it, of the same entry.
func (s *Store) MoveHeld(ctx context.Context, id string, earlier bool) error {
	next, order := `>`, `ASC`
	if earlier {
		next, order = `<`, `DESC`
	}
	return s.change(ctx, func(t *transaction) {
		var place, other int64
		var entry string
		if !t.scan([]any{&place, &entry}, `SELECT place, entry FROM held WHERE id=?`, id) {
			t.fail(ErrMissing)
		}
		if !t.scan([]any{&other}, `SELECT place FROM held WHERE entry = ? AND place `+next+` ? ORDER BY place `+order+` LIMIT 1`, entry, place) {
			return
		}
		t.run(`UPDATE held SET place=-place WHERE place IN (?,?)`, place, other)
		t.run(`UPDATE held SET place=?+place, `+newVersion+` WHERE place<0`, place+other)
	})
}

// RemoveHeld deletes held requests, of which nothing was sent; an agent that asked
// for one reads why. ErrMissing, and none is deleted, when one of them is held no
// more.
func (s *Store) RemoveHeld(ctx context.Context, ids []string, why api.Reason, now time.Time) error {
	return s.change(ctx, func(t *transaction) {
		for _, id := range ids {
			t.run(`UPDATE asked SET code=?, reason=?, ended_at=? WHERE id=?`, CodeDeclined, why.Stored(), millis(now), id)
			if t.rows(`DELETE FROM held WHERE id=?`, id) == 0 {
				t.fail(ErrMissing)
			}
		}
	})
}

// Codes of held requests whose window ended, and of those in a copy of a store.
const (
	CodeEnded  = "ended"
	CodeCopied = "copied"
)

// matches reports whether a held request has all words and terms of a filter.
func (r *Row) matches(words []string) bool {
	text := fold(strings.Join([]string{r.Title, r.Label, r.Model, string(r.Kind), string(r.Phase), r.ID, r.Entry}, "\n"))
	for _, w := range words {
		key, value, _ := strings.Cut(w, ":")
		ok := strings.Contains(text, w)
		switch key {
		case "is":
			ok = value == string(r.Phase) || value == string(r.Kind)
		case "kind":
			ok = value == string(r.Kind)
		case "model":
			ok = strings.Contains(fold(r.Model), value)
		}
		if !ok {
			return false
		}
	}
	return true
}
