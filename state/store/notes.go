package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"darkroom/api"
)

// noteHeld holds why nothing may be sent until the person chooses.
const noteHeld = "held"

// Note is a small lasting value, "" when there is none.
func (s *Store) Note(ctx context.Context, name string) (string, error) {
	return value[string](ctx, s.r, `SELECT value FROM notes WHERE name=?`, name)
}

// SetNote keeps a small lasting value.
func (s *Store) SetNote(ctx context.Context, name, value string) error {
	return s.write(ctx, func(t *transaction) { t.setNote(name, value) })
}

func (t *transaction) setNote(name, value string) {
	t.run(`INSERT INTO notes (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value`, name, value)
}

// SaveDraft keeps an unsent form's values.
func (s *Store) SaveDraft(ctx context.Context, name string, r api.Request, now time.Time) error {
	return s.run(ctx, `INSERT INTO drafts (name, at, request) VALUES (?,?,?)
	  ON CONFLICT (name) DO UPDATE SET at=excluded.at, request=excluded.request`, name, millis(now), object{r})
}

// Draft returns a kept draft and whether there was one.
func (s *Store) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	var r api.Request
	if err := s.r.QueryRowContext(ctx, `SELECT request FROM drafts WHERE name=?`, name).Scan(object{&r}); err != nil {
		return api.Request{}, false, orNone(err)
	}
	return r, true, nil
}

// cacheKept is how many answers of one kind are kept.
const cacheKept = 500

// Remember keeps an answer for times without the service.
func (s *Store) Remember(ctx context.Context, kind, name string, value []byte, now time.Time) error {
	return s.write(ctx, func(t *transaction) {
		t.run(`INSERT INTO cache (kind, name, at, value) VALUES (?,?,?,?)
		  ON CONFLICT (kind, name) DO UPDATE SET at=excluded.at, value=excluded.value`, kind, name, millis(now), value)
		t.run(`DELETE FROM cache WHERE kind=? AND name NOT IN
		  (SELECT name FROM cache WHERE kind=? ORDER BY at DESC LIMIT ?)`, kind, kind, cacheKept)
	})
}

// Recall returns a kept answer and when it was given, none when there is none.
// The answer is nil when it is the one of a time that the caller holds.
func (s *Store) Recall(ctx context.Context, kind, name string, held time.Time) (value []byte, at time.Time, err error) {
	err = s.r.QueryRowContext(ctx, `SELECT at, CASE WHEN at <> ? THEN value END FROM cache WHERE kind=? AND name=?`,
		millis(held), kind, name).Scan(moment{&at}, &value)
	return value, at, orNone(err)
}

// Absence is what ended while nobody looked.
type Absence struct {
	Done, Broken int
	Expired      int         // made and charged, but their links have expired
	Credits      api.Credits // of the done and expired ones, as far as they are known
}

// Count is how many have ended.
func (a Absence) Count() int { return a.Done + a.Broken + a.Expired }

// noteAttended keeps when a person last saw what had ended, in milliseconds.
const noteAttended = "attended_at"

// Attend returns what has ended since it was last called, in any run, and notes
// that it was seen. The first call returns nothing.
func (s *Store) Attend(ctx context.Context, now time.Time) (Absence, error) {
	var a Absence
	note, err := s.Note(ctx, noteAttended)
	if err != nil {
		return a, err
	}
	if since, err := strconv.ParseInt(note, 10, 64); err == nil {
		err := s.r.QueryRowContext(ctx, `SELECT coalesce(sum(phase='done'), 0), coalesce(sum(phase IN ('failed','rejected')), 0),
		  coalesce(sum(phase='expired'), 0),
		  `+sumCredits(`CASE WHEN phase IN ('done','expired') AND source<>'none' THEN credits END`)+`
		  FROM jobs WHERE ended_at > ? AND phase IN ('done','failed','rejected','expired')`, since).
			Scan(&a.Done, &a.Broken, &a.Expired, &a.Credits)
		if err != nil {
			return Absence{}, err
		}
	}
	err = s.SetNote(ctx, noteAttended, strconv.FormatInt(millis(now), 10))
	if errors.Is(err, ErrReadOnly) {
		err = nil // it is said again at the next start
	}
	return a, err
}

// LastModel is the model last confirmed for a kind, or "".
func (s *Store) LastModel(ctx context.Context, kind api.Kind) (string, error) {
	return s.Note(ctx, "last_model."+string(kind))
}
