package store

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
)

// Ask is what an agent asks for: an agreement that no person has made yet.
type Ask struct {
	Agreement
	Entry      string // the name under which the agent's program was set up
	Intent     string // chosen by the agent: the same one is the same requests for ever
	Whole      string // the hash of all requests
	MaxCredits api.Credits
	Code       string     // why it waits for the person, as a word
	Why        api.Reason // the same as a sentence
	Grant      *Grant     // lets it be sent without the person; nil: it is held
}

// Grant is what a person lets an entry spend without asking.
type Grant struct{ PerJob, PerDay api.Credits }

// Bounds of what an entry may ask for.
const (
	maxOpen      = 20
	declinedRest = 10 * time.Minute
	// AskedFor is how long a request waits for the person.
	AskedFor = 24 * time.Hour
)

// Codes of requests that were asked for and are not sent any more.
const (
	CodeDeclined = "declined"
	CodeExpired  = "expired"
)

// Ask records what an agent asks for, and gives the ids of the requests. With a
// Grant they are this instance's to send; when the grant does not cover them, that
// is a *Refusal and nothing is recorded. Without one they wait for the person.
func (s *Store) Ask(ctx context.Context, a Ask) (ids []string, err error) {
	err = s.write(ctx, func(t *transaction) {
		if ids, t.err = askedBefore(ctx, t, a.Entry, a.Intent, a.Whole); t.err != nil || len(ids) > 0 {
			return
		}
		t.fail(s.mayRecord(t))
		var open int
		t.scan([]any{&open}, `SELECT count(*) FROM held JOIN asked USING (id) WHERE entry = ?`, a.Entry)
		if open+len(a.Held) > maxOpen {
			t.fail(&Refusal{Code: "too_many_open", Reason: whyOpen.Reason(maxOpen)})
		}
		for _, h := range a.Held {
			var declined bool
			t.scan([]any{&declined}, `SELECT EXISTS (SELECT 1 FROM asked WHERE entry = ? AND body_hash = ? AND code = ? AND ended_at > ?)`,
				a.Entry, hashOf(h.Body), CodeDeclined, millis(a.Now.Add(-declinedRest)))
			if declined {
				t.fail(&Refusal{Code: CodeDeclined, Reason: whyDeclinedBefore.Reason()})
			}
		}
		owner := ""
		if a.Grant != nil {
			owner = a.Instance
			t.underGrant(a)
		}
		t.hold(a.Agreement, owner)
		for i, h := range a.Held {
			t.run(`UPDATE held SET code=?, reason=? WHERE id=?`, a.Code, a.Why.Stored(), h.ID)
			t.run(`INSERT INTO asked (id, entry, intent, place, whole, body_hash, kind, model, credits, source, max_credits, granted,
			  asked_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
				h.ID, a.Entry, a.Intent, i, a.Whole, hashOf(h.Body), h.Request.Kind, h.Request.Model, h.Estimate.Credits, sourceOf(h.Estimate),
				a.MaxCredits, owner != "", millis(a.Now), millis(a.Now.Add(AskedFor)))
			ids = append(ids, h.ID)
		}
	})
	return ids, err
}

// AskedBefore gives the ids of an intent that is known, none of one that is not. A
// *Refusal says that it stood for other requests.
func (s *Store) AskedBefore(ctx context.Context, entry, intent, whole string) ([]string, error) {
	return askedBefore(ctx, s.r, entry, intent, whole)
}

func askedBefore(ctx context.Context, q querier, entry, intent, whole string) ([]string, error) {
	other := false
	ids, err := all(ctx, q, func(sc scanner) (id string, err error) {
		var was string
		err = sc.Scan(&id, &was)
		other = other || was != whole
		return id, err
	}, `SELECT id, whole FROM asked WHERE entry = ? AND intent = ? ORDER BY place`, entry, intent)
	if err == nil && other {
		return nil, &Refusal{Code: "intent", Reason: whyOtherIntent.Reason()}
	}
	return ids, err
}

// underGrant refuses what the grant of an entry, the day's budget, or an equal
// request under way keeps from being sent without the person.
func (t *transaction) underGrant(a Ask) {
	for _, h := range a.Held {
		t.underPerJob(*a.Grant, h.Estimate)
		t.otherBody(a.Base, hashOf(h.Body), a.Now)
	}
	var waiting api.Credits
	t.scan([]any{&waiting}, `SELECT `+sumCredits(`held.credits`)+` FROM held JOIN asked USING (id) WHERE entry = ? AND owner <> ''`, a.Entry)
	t.underPerDay(*a.Grant, a.Entry, a.Total.Credits.Plus(waiting), a.Now)
	t.underBudget(a.Budget, a.Total, a.Now)
}

func (t *transaction) underPerJob(g Grant, e api.Estimate) {
	switch {
	case !e.Known():
		t.fail(&Refusal{Code: "price_unknown", Reason: whyGrantPrice.Reason()})
	case e.Credits > g.PerJob:
		t.fail(&Refusal{Code: "over_per_job", Reason: whyOverJob.Reason(e.Credits.Amount(), g.PerJob.Amount())})
	}
}

func (t *transaction) underPerDay(g Grant, entry string, wanted api.Credits, now time.Time) {
	spent, err := spentBy(t.ctx, t, entry, now)
	t.fail(err)
	if wanted > g.PerDay-spent {
		t.fail(&Refusal{Code: "over_day", Reason: whyOverDay.Reason(wanted.Amount(), g.PerDay.Amount(), spent.Amount())})
	}
}

// SpentBy is what the requests of an entry cost today, or may have cost.
func (s *Store) SpentBy(ctx context.Context, entry string, now time.Time) (api.Credits, error) {
	return spentBy(ctx, s.r, entry, now)
}

func spentBy(ctx context.Context, q querier, entry string, now time.Time) (api.Credits, error) {
	return value[api.Credits](ctx, q, `SELECT `+sumCredits(`credits`)+` FROM jobs WHERE entry = ? AND entry <> '' AND created_at >= ?
	  AND dismissed = 0 AND `+mayHaveCost, entry, millis(DayStart(now)))
}

// underAsked refuses what costs more together than the agent wanted to pay, or has
// no price. What of the same agreement was sent or is in its turn counts too.
func (t *transaction) underAsked(list []Held) {
	for _, h := range list {
		if h.MaxCredits == 0 || t.err != nil {
			continue
		}
		var total api.Credits
		t.scan([]any{&total}, `SELECT `+sumCredits(`credits`)+` FROM (
		  SELECT credits FROM held WHERE agreement = ?1 AND owner <> '' UNION ALL
		  SELECT credits FROM jobs WHERE agreement = ?1 AND dismissed = 0 AND `+mayHaveCost+`)`, h.Agreement)
		switch {
		case !h.Estimate.Known():
			t.fail(&Refusal{Code: "price_unknown", Reason: whyAskedPrice.Reason(h.MaxCredits.Amount())})
		case total > h.MaxCredits:
			t.fail(&Refusal{Code: "max_credits", Reason: whyAskedLimit.Reason(total.Amount(), h.MaxCredits.Amount())})
		}
	}
}

// Asked is a request that an agent asked for.
type Asked struct {
	Job            // as far as it is held or a job
	Intent  string // of the agent
	Code    string // why it waits for the person, or is not sent any more
	Ended   bool   // it is not sent any more
	Expires time.Time
}

// AskedBy gives what an entry asked for, the newest first, or only the request of
// an id or of an intent; limit 0 means all.
func (s *Store) AskedBy(ctx context.Context, entry, id, intent string, limit int) ([]Asked, error) {
	if limit <= 0 {
		limit = -1
	}
	list, err := all(ctx, s.r, func(sc scanner) (a Asked, err error) {
		var reason string
		err = sc.Scan(&a.ID, &a.Intent, &a.Kind, &a.Model, &a.Credits, &a.Source, moment{&a.CreatedAt}, moment{&a.Expires},
			moment{&a.EndedAt}, &a.Code, &reason)
		a.Ended, a.Error = a.Code != "", api.ParseReason(reason, reason)
		return a, err
	}, `SELECT id, intent, kind, model, credits, source, asked_at, expires_at, ended_at, code, reason FROM asked
	  WHERE entry = ?1 AND (?2 = '' OR id = ?2) AND (?3 = '' OR intent = ?3) ORDER BY asked_at DESC, place LIMIT ?4`, entry, id, intent, limit)
	for i := range list {
		a := &list[i]
		if a.Ended {
			continue
		}
		var j Job
		switch j, err = s.Job(ctx, a.ID); {
		case errors.Is(err, ErrMissing): // it ended meanwhile
			a.Ended, a.Code = true, CodeDeclined
			err = nil
		case err != nil:
			return nil, err
		case j.Phase == api.PhaseHeld:
			a.Code, err = value[string](ctx, s.r, `SELECT code FROM held WHERE id = ?`, a.ID)
			fallthrough
		default:
			a.Job = j
		}
	}
	return list, err
}

// endAsked notes why requests that were asked for are not sent any more.
func (t *transaction) endAsked(id, code string, reason api.Reason, now time.Time) {
	t.run(`UPDATE asked SET code=?, reason=?, ended_at=? WHERE id=? AND code=''`, code, reason.Stored(), millis(now), id)
}

// Expire takes out what agents asked for and nobody sent in time.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	const due = ` FROM held WHERE owner='' AND id IN (SELECT id FROM asked WHERE code='' AND expires_at <= ?)`
	some, err := value[bool](ctx, s.r, `SELECT EXISTS (SELECT 1`+due+`)`, millis(now))
	if err != nil || !some {
		return err
	}
	return s.change(ctx, func(t *transaction) {
		t.run(`UPDATE asked SET code=?, reason=?, ended_at=? WHERE id IN (SELECT id`+due+`)`,
			CodeExpired, whyExpired.Reason().Stored(), millis(now), millis(now))
		t.run(`DELETE FROM held WHERE id IN (SELECT id FROM asked WHERE code=?)`, CodeExpired)
	})
}

// Asking is what waits for the person of one entry.
type Asking struct {
	Entry    string
	IDs      []string
	Credits  api.Credits // of those with a price
	Unpriced int
}

// askings sums up by entry what waits for the person.
func askings(held []Row) (list []Asking) {
	for _, r := range held {
		if r.Entry == "" || !r.Paused {
			continue
		}
		if n := len(list); n == 0 || list[n-1].Entry != r.Entry { // they stand together
			list = append(list, Asking{Entry: r.Entry})
		}
		a := &list[len(list)-1]
		a.IDs, a.Credits = append(a.IDs, r.ID), a.Credits.Plus(r.Credits)
		if r.Source == api.SourceNone {
			a.Unpriced++
		}
	}
	return list
}
