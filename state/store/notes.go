package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"darkroom/api"
)

// Names of notes.
const (
	noteHeld  = "held"  // why nothing may be sent until the person chooses
	noteHooks = "hooks" // the phases that hooks wait for
	noteFile  = "file"  // which file the store was when it was last opened
	// noteAttended is when Attend was last called, in milliseconds, and the change counter then:
	// an index finds what has changed since, where all jobs would have to be read.
	noteAttended = "attended_at"
	lastOfModel  = "last_job." // begins the notes that say which job of a model was accepted last
)

// Note is a small lasting value, "" when there is none.
func (s *Store) Note(ctx context.Context, name string) (string, error) {
	return value[string](ctx, s.compiled(), `SELECT value FROM notes WHERE name=?`, name)
}

// SetNote keeps a small lasting value.
func (s *Store) SetNote(ctx context.Context, name, value string) error {
	return s.write(ctx, func(t *transaction) { t.setNote(name, value) })
}

func (t *transaction) setNote(name, value string) {
	t.run(`INSERT INTO notes (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value`, name, value)
}

// Remember keeps an answer for times without the service, of each kind the newest 500.
func (s *Store) Remember(ctx context.Context, kind, name string, value []byte, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		t.run(`INSERT INTO cache (kind, name, at, value) VALUES (?,?,?,?)
		  ON CONFLICT (kind, name) DO UPDATE SET at=excluded.at, value=excluded.value`, kind, name, millis(now), value)
		t.run(`DELETE FROM cache WHERE kind=? AND name NOT IN
		  (SELECT name FROM cache WHERE kind=? ORDER BY at DESC LIMIT 500)`, kind, kind)
	})
}

// Recall returns a kept answer and its time, zero without one. The answer is nil
// when the caller holds it, by its time.
func (s *Store) Recall(ctx context.Context, kind, name string, held time.Time) (value []byte, at time.Time, err error) {
	err = s.compiled().QueryRowContext(ctx, `SELECT at, CASE WHEN at <> ? THEN value END FROM cache WHERE kind=? AND name=?`,
		millis(held), kind, name).Scan(moment{&at}, &value)
	return value, at, orNone(err)
}

// Absence is what ended while nobody looked.
type Absence struct {
	Done, Broken int
	Expired      int         // made and charged, but their links have expired
	Credits      api.Credits // of those that were charged, as far as they are known
}

// Count is how many have ended.
func (a Absence) Count() int { return a.Done + a.Broken + a.Expired }

// Attend returns what has ended since it was last called, in any run.
func (s *Store) Attend(ctx context.Context, now time.Time) (a Absence, _ error) {
	note, err := s.Note(ctx, noteAttended)
	newest, also := s.ChangeNumber(ctx)
	if err = cmp.Or(err, also); err != nil {
		return a, err
	}
	var since, version int64 // an earlier program noted no version
	if n, _ := fmt.Sscan(note, &since, &version); n > 0 {
		err := s.r.QueryRowContext(ctx, `SELECT coalesce(sum(phase='done'), 0), coalesce(sum(phase IN ('failed','rejected')), 0),
		  coalesce(sum(phase='expired'), 0),
		  `+sumCredits(`CASE WHEN `+accepted+` THEN credits END`)+`
		  FROM jobs WHERE version > ? AND ended_at > ? AND phase IN ('done','failed','rejected','expired')`, version, since).
			Scan(&a.Done, &a.Broken, &a.Expired, &a.Credits)
		if err != nil {
			return Absence{}, err
		}
	}
	err = s.SetNote(ctx, noteAttended, fmt.Sprint(millis(now), " ", newest))
	if errors.Is(err, ErrReadOnly) {
		err = nil // it is said again at the next start
	}
	return a, err
}

// LastModel is the model last accepted for a kind, or "".
func (s *Store) LastModel(ctx context.Context, kind api.Kind) (string, error) {
	return s.Note(ctx, "last_model."+string(kind))
}

// priceSent is the source of prices that were agreed to.
const priceSent = "sent"

// noteSent keeps the estimate of an accepted request in place of its forerunner's,
// its model as the last one of its kind, and the job as the last one of its model.
func (t *transaction) noteSent(f Finish) {
	var seq, base, kind, model string
	var credits api.Credits
	var source api.Source
	var r api.Request
	t.scan([]any{&seq, &base, &kind, &model, &credits, &source, object{&r}},
		`SELECT seq, base, kind, model, credits, source, request FROM jobs JOIN details USING (seq) WHERE id=?`, f.ID)
	if source == api.SourceService || source == api.SourceTable {
		t.run(`DELETE FROM prices WHERE base=? AND source=? AND name=?`, base, priceSent, r.EstimateKey(api.Model{}))
		t.run(`INSERT INTO prices (base, source, name, credits, unit, at) VALUES (?,?,?,?,'',?)`,
			base, priceSent, r.EstimateKey(api.Model{}), credits, millis(f.Now))
	}
	if model != "" {
		t.setNote(lastOfModel+kind+"."+model, seq)
		t.setNote("last_model."+kind, model)
	}
}

// SentPrice is what a request with the same parameters cost when it was last
// sent, and when; the zero time when none was.
func (s *Store) SentPrice(ctx context.Context, base string, r api.Request) (credits api.Credits, at time.Time, err error) {
	err = s.r.QueryRowContext(ctx, `SELECT credits, at FROM prices WHERE base=? AND source=? AND name=? ORDER BY id DESC LIMIT 1`,
		base, priceSent, r.EstimateKey(api.Model{})).Scan(&credits, moment{&at})
	return credits, at, orNone(err)
}

// SavePlan keeps a named list of requests to come in place of one of the same name, which an
// empty one removes.
func (s *Store) SavePlan(ctx context.Context, name string, items any, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		t.run(`DELETE FROM plans WHERE name=?`, name)
		t.run(`INSERT INTO plans (name, at, items) SELECT ?1, ?2, ?3 WHERE json_array_length(?3) > 0`, name, millis(now), object{items})
	})
}

// Plans gives the name and the items of every plan, the newest first.
func (s *Store) Plans(ctx context.Context) ([][2]string, error) {
	return all(ctx, s.r, func(sc scanner) (p [2]string, err error) { err = sc.Scan(&p[0], &p[1]); return p, err },
		`SELECT name, items FROM plans ORDER BY at DESC, name`)
}

// SaveDraft keeps an unsent form's values. Those that another window has saved meanwhile
// become the draft before it.
func (s *Store) SaveDraft(ctx context.Context, name string, r api.Request, now time.Time) error {
	var known any
	err := s.write(ctx, func(t *transaction) {
		if known, _ = s.drafts.Swap(name, millis(now)); api.Kind(name).Known() {
			t.run(`INSERT OR REPLACE INTO drafts (name, at, request) SELECT name || '.before', at, request FROM drafts
			  WHERE name=? AND at IS NOT ? AND request<>? AND request->>'prompt'<>''`, name, known, object{r})
		}
		t.run(`INSERT INTO drafts (name, at, request) VALUES (?,?,?)
		  ON CONFLICT (name) DO UPDATE SET at=excluded.at, request=excluded.request`, name, millis(now), object{r})
	})
	if err != nil && known != nil {
		s.drafts.Store(name, known)
	}
	return err
}

// Draft returns a kept draft and whether there was one.
func (s *Store) Draft(ctx context.Context, name string) (r api.Request, _ bool, _ error) {
	var at int64
	err := s.compiled().QueryRowContext(ctx, `SELECT at, request FROM drafts WHERE name=?`, name).Scan(&at, object{&r})
	s.drafts.Store(name, at)
	return r, err == nil, orNone(err)
}
