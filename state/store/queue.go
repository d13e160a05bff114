package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// Agreement is what a person confirms as one: requests that are sent one by one.
type Agreement struct {
	ID       string // the confirm id; never recorded twice
	Instance string // that sends them
	Base     string
	Pattern  *api.Request // of which the requests were made, if of one
	Held     []Held
	Total    api.Estimate // of all of them; not known when one is not
	Now      time.Time
	Budget   api.Budgets
	Ask      *Ask // of an agent; nil: a person confirms it
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
// The total is held against the budgets, each body against those active or
// unknown. False: the agreement is known already. ErrLate: the confirm id of one is
// that of a job, or of one that does not wait for the person. What an agent asks for
// waits for the person, unless its grant covers it.
func (s *Store) Hold(ctx context.Context, a Agreement) (fresh bool, _ error) {
	err := s.write(ctx, func(t *transaction) {
		if fresh = !t.scan([]any{new(int)}, `SELECT 1 FROM agreements WHERE id = ?`, a.ID); !fresh {
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
		t.underBudget(a.Budget, a.Total, a.Now, "")
		t.hold(a, a.Instance)
	})
	return fresh && err == nil, err
}

// hold writes an agreement and its requests, and which agent asked for them; without an owner they wait for the person.
func (t *transaction) hold(a Agreement, owner string) {
	t.run(`INSERT INTO agreements (id, base, pattern, requests, credits, at) VALUES (?,?,?,?,?,?)`,
		a.ID, a.Base, object{a.Pattern}, len(a.Held), a.Total.Credits, millis(a.Now))
	t.count()
	for i, h := range a.Held {
		if a.Ask == nil { // a person agrees anew to one that waits
			t.run(`DELETE FROM held WHERE confirm_id = ? AND owner = '' AND code <> ?`, h.ConfirmID, CodeCopied)
		}
		if t.scan([]any{new(int)}, `SELECT 1 FROM jobs WHERE confirm_id = ?1 UNION ALL
		  SELECT 1 FROM held WHERE confirm_id = ?1`, h.ConfirmID) {
			t.fail(ErrLate)
		}
		t.run(`INSERT INTO held (id, confirm_id, agreement, owner, again, base, kind, model, title, label,
		  credits, source, request, body, estimate, created_at, version) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,`+changeNumber+`)`,
			h.ID, h.ConfirmID, a.ID, owner, h.Again, a.Base, h.Request.Kind, h.Request.Model, h.Title, h.Label,
			h.Estimate.Credits, cmp.Or(h.Estimate.Source, api.SourceNone), object{h.Request}, h.Body, object{h.Estimate}, millis(a.Now))
		if k, until := a.Ask, millis(a.Now.Add(askedFor)); k != nil {
			t.run(`UPDATE held SET entry=?, max_credits=?, granted=?, expires_at=?, code=?, reason=? WHERE id=?`,
				k.Entry, k.MaxCredits, k.Grant != nil, until, k.Code, k.Why.Stored(), h.ID)
			t.run(`INSERT INTO asked (id, entry, intent, place, whole, body_hash, kind, model, asked_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?,?)`,
				h.ID, k.Entry, k.Intent, i, k.Whole, hashOf(h.Body), h.Request.Kind, h.Request.Model, millis(a.Now), until)
		}
	}
}

// Listed is what became of a line of a list: the last of the requests that were made of it.
type Listed struct {
	Row          // its id, model, phase and time
	Key   string // of the line
	Left  bool   // it is left alone: in its turn, sent again, settled, or of a store that was copied
	Times int    // that the line was made a request
}

// ListedConfirm is the confirm id of a line that becomes a request for the nth time.
func ListedConfirm(key string, n int) string { return fmt.Sprintf("%s/%06d", key, n) }

// Listed finds the lines of a list by their keys.
func (s *Store) Listed(ctx context.Context, keys []string) (map[string]Listed, error) {
	found := map[string]Listed{}
	const of = ` FROM json_each(?1) k CROSS JOIN %s ON confirm_id BETWEEN k.value||'/' AND k.value||'/~'`
	list, err := all(ctx, s.r, func(sc scanner) (l Listed, err error) {
		var confirm string
		err = sc.Scan(&l.Key, &confirm, &l.ID, &l.Model, &l.Phase, moment{&l.CreatedAt}, &l.Left)
		l.Times, _ = strconv.Atoi(confirm[strings.LastIndexByte(confirm, '/')+1:])
		return l, err
	}, `SELECT k.value, confirm_id, jobs.id, model, phase, created_at, dismissed OR `+sentAgainAs+` <> ''`+fmt.Sprintf(of, `jobs`)+`
	  UNION ALL SELECT k.value, confirm_id, held.id, model, 'held', created_at, owner <> '' OR code = ?2`+fmt.Sprintf(of, `held`),
		object{keys}, CodeCopied)
	for _, l := range list {
		if found[l.Key].Times < l.Times {
			found[l.Key] = l
		}
	}
	return found, err
}

// heldRowColumns are rowColumns of a held request.
const heldRowColumns = `id, '', kind, model, 'held', '', reason, reason, title, credits, source, -1, created_at, 0, 0, 0, 0, 0, 0,
  2*version, agreement, label, entry, 0, 0, '', 0, 0, '', '', '', owner = ''`

// heldOrder puts what agents asked for together, before what the person agreed to.
const heldOrder = ` ORDER BY entry = '', entry, place`

// heldAsJobs are the held requests with the columns that a filter asks about, which follows.
const heldAsJobs = ` FROM (SELECT *, 'held' AS phase, '' AS status, '' AS remote_id, '' AS note, 0 AS files, 0 AS hidden, 0 AS unseen,
  0 AS pick, 0 AS stars, 0 AS completed, 0 AS dismissed,
  lower(concat_ws(char(10), title, label, model, kind, id, entry)) AS folded FROM held) WHERE `

const heldColumns = heldRowColumns + `, confirm_id, owner, code, again, base, request, body, estimate, ` +
	patternColumn + `, max_credits, granted`

func (s *Store) heldOne(ctx context.Context, id string) (Held, error) {
	return scanHeld(s.compiled().QueryRowContext(ctx, `SELECT `+heldColumns+` FROM held WHERE id = ?`, id))
}

func scanHeld(sc scanner) (h Held, err error) {
	h.Row, err = scanRowAnd(sc, &h.ConfirmID, &h.Owner, &h.Code, &h.Again, &h.Base, object{&h.Request}, (*[]byte)(&h.Body),
		object{&h.Estimate}, object{&h.Pattern}, &h.MaxCredits, &h.Granted)
	return h, err
}

// NextHeld is the request that an instance has to send next; false without one.
func (s *Store) NextHeld(ctx context.Context, instance string) (Held, bool, error) {
	h, err := scanHeld(s.compiled().QueryRowContext(ctx, `SELECT `+heldColumns+` FROM held
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
// now agreed to; CreatedAt is when. ErrLate when one waits no more; a *Refusal when one has waited too
// long, or they cost more than the agent that asked for them wanted to pay.
func (s *Store) ResumeHeld(ctx context.Context, instance string, list []Held, now time.Time) error {
	return s.change(ctx, func(t *transaction) {
		for _, h := range list {
			if t.scan([]any{new(int)}, `SELECT 1`+expired+` AND id=?`, millis(now), h.ID) {
				t.refuse(CodeExpired, "nobody sent it within 24 hours: send it as a request of your own")
			}
			t.one(`UPDATE held SET owner=?, code='', reason='', again=?, credits=?, source=?, estimate=?, created_at=?, granted=0, `+newVersion+`
			  WHERE id=? AND owner=''`,
				instance, h.Again, h.Estimate.Credits, cmp.Or(h.Estimate.Source, api.SourceNone), object{h.Estimate}, millis(h.CreatedAt), h.ID)
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

// Ask is what an agent says with an agreement that no person has made yet.
type Ask struct {
	Entry      string // the name under which the agent's program was set up
	Intent     string // chosen by the agent: the same one is the same requests for ever
	Whole      string // the hash of all requests
	MaxCredits api.Credits
	Code       string     // why it waits for the person, as a word
	Why        api.Reason // the same as a sentence
	Grant      *Grant     // lets it be sent without the person; nil: it waits
	Confirm    []string   // the confirm ids of its requests, if they have any
}

// Grant is what a person lets an entry spend without asking.
type Grant struct{ PerJob, PerDay api.Credits }

const (
	maxOpen      = 20 // requests of an entry that wait
	declinedRest = 10 * time.Minute
	askedFor     = 24 * time.Hour // that a request waits for the person
)

// Codes that say why a held request waits, or why an agent's request is no longer sent.
const (
	CodeEnded    = "ended"  // their window ended
	CodeCopied   = "copied" // they are in a copy of a store
	CodeDeclined = "declined"
	CodeExpired  = "expired"
)

// AskedBefore gives the ids of an intent that is known, none of one that is not. A
// *Refusal says that it stood for other requests.
func (s *Store) AskedBefore(ctx context.Context, k Ask) ([]string, error) {
	return askedBefore(ctx, s.r, k)
}

func askedBefore(ctx context.Context, q querier, k Ask) ([]string, error) {
	other := false
	ids, err := all(ctx, q, func(sc scanner) (id string, err error) {
		err = sc.Scan(&id, &other)
		return id, err
	}, `SELECT id, whole <> ? FROM asked WHERE entry = ? AND intent = ? ORDER BY place`, k.Whole, k.Entry, k.Intent)
	if err == nil && other {
		why := api.Sentence("this intent stands for another request: choose a new intent for this one")
		return nil, &Refusal{Code: "intent", Fault: *why.Fault(nil)}
	}
	return ids, err
}

// mayAsk refuses an entry that has too much waiting, or asks again for what was
// declined, or wants more sent without the person than its grant covers.
func (t *transaction) mayAsk(a Agreement, k *Ask) {
	var open int
	t.scan([]any{&open}, `SELECT count(*) FROM held WHERE entry = ? AND (owner <> '' OR expires_at > ?)`, k.Entry, millis(a.Now))
	if open+len(a.Held) > maxOpen {
		t.refuse("too_many_open", "%v requests wait for the person already: wait until some are sent or declined", maxOpen)
	}
	for _, h := range a.Held {
		if t.scan([]any{new(int)}, `SELECT 1 FROM asked WHERE entry = ? AND body_hash = ? AND code = ? AND ended_at > ?`,
			k.Entry, hashOf(h.Body), CodeDeclined, millis(a.Now.Add(-declinedRest))) {
			t.refuse(CodeDeclined, "a person declined this request less than 10 minutes ago: do not ask for it again now")
		}
		if k.Grant != nil {
			t.underGrant(*k.Grant, k.Entry, h.Estimate, a.Total.Credits, a.Now)
		}
	}
}

// underGrant refuses a price, and the sum with what the entry has spent today or
// what is in its turn, that a grant does not cover.
func (t *transaction) underGrant(g Grant, entry string, price api.Estimate, total api.Credits, now time.Time) {
	if price.Credits > g.PerJob || !price.Known() {
		t.refuse("over_per_job", "the price of %v is above the %v that may be spent per job: a person decides",
			price.Credits.Amount(), g.PerJob.Amount())
	}
	var spent, waiting api.Credits
	t.scan([]any{&waiting}, `SELECT `+sumCredits(`credits`)+` FROM held WHERE entry = ? AND owner <> ''`, entry)
	t.scan([]any{&spent}, spentBy, entry, millis(api.Day.Begin(now)))
	if spent = spent.Plus(waiting); total > g.PerDay-spent {
		t.refuse("over_day", "%v more do not fit into the %v that may be spent per day (spent: %v): a person decides",
			total.Amount(), g.PerDay.Amount(), spent.Amount())
	}
}

const spentBy = `SELECT CAST(total(credits) AS INTEGER) FROM jobs WHERE entry = ? AND entry <> '' AND created_at >= ?
  AND dismissed = 0 AND ` + mayHaveCost

// SpentBy is what the requests of an entry cost today, or may have cost.
func (s *Store) SpentBy(ctx context.Context, entry string, now time.Time) (api.Credits, error) {
	return value[api.Credits](ctx, s.r, spentBy, entry, millis(api.Day.Begin(now)))
}

// underAsked refuses what has no price, or costs more than the agent wants to pay,
// together with what of the same agreement was sent or is in its turn.
func (t *transaction) underAsked(list []Held) {
	for _, h := range list {
		var total api.Credits
		t.scan([]any{&total}, `SELECT CAST(total(credits) AS INTEGER) FROM (
		  SELECT credits FROM held WHERE agreement = ?1 AND owner <> '' UNION ALL
		  SELECT credits FROM jobs WHERE agreement = ?1 AND dismissed = 0 AND `+mayHaveCost+`)`, h.Agreement)
		switch {
		case h.MaxCredits == 0:
		case !h.Estimate.Known():
			t.refuse("price_unknown", "the price is not known, and the agent wants to pay at most %v: edit the request, or decline it",
				h.MaxCredits.Amount())
		case total > h.MaxCredits:
			t.refuse("max_credits", "the price is %v now, and the agent wants to pay at most %v: edit the request, or decline it",
				total.Amount(), h.MaxCredits.Amount())
		}
	}
}

// Asked is a request that an agent asked for.
type Asked struct {
	Job            // as far as it is held or a job
	Code    string // why it waits for the person, or is not sent any more
	Ended   bool   // it is not sent any more
	Expires time.Time
}

// AskedBy gives what an entry asked for, the newest first, or only those of some ids.
func (s *Store) AskedBy(ctx context.Context, entry string, limit int, ids ...string) ([]Asked, error) {
	list, err := all(ctx, s.r, func(sc scanner) (a Asked, err error) {
		var reason string
		err = sc.Scan(&a.ID, &a.Kind, &a.Model, moment{&a.CreatedAt}, moment{&a.Expires}, moment{&a.EndedAt}, &a.Code, &reason)
		a.Ended, a.Error = a.Code != "", api.ParseReason(reason, reason)
		return a, err
	}, `SELECT id, kind, model, asked_at, expires_at, ended_at, code, reason FROM asked
	  WHERE entry = ?1 AND (?2 = 'null' OR id IN (SELECT value FROM json_each(?2))) ORDER BY asked_at DESC, place LIMIT ?3`,
		entry, object{ids}, limit)
	for i := range list {
		a := &list[i]
		h, err := s.heldOne(ctx, a.ID)
		if errors.Is(err, sql.ErrNoRows) {
			h.Job, err = s.Job(ctx, a.ID)
		}
		switch {
		case err == nil:
			a.Job, a.Code, a.Ended = h.Job, h.Code, false
		case !errors.Is(err, ErrMissing):
			return nil, err
		case !a.Ended: // it ended meanwhile
			a.Ended, a.Code = true, CodeDeclined
		}
	}
	return list, err
}

// expired is what agents asked for and nobody sent in time.
const expired = ` FROM held WHERE owner='' AND expires_at BETWEEN 1 AND ?`

// Expire takes out what agents asked for and nobody sent in time.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	some, err := value[bool](ctx, s.compiled(), `SELECT EXISTS (SELECT 1`+expired+`)`, millis(now))
	if err != nil || !some {
		return err
	}
	return s.change(ctx, func(t *transaction) {
		t.run(`UPDATE asked SET code=?, reason=?, ended_at=? WHERE id IN (SELECT id`+expired+`)`,
			CodeExpired, api.Sentence("nobody sent it within 24 hours").Reason().Stored(), millis(now), millis(now))
		t.run(`DELETE`+expired, millis(now))
	})
}
