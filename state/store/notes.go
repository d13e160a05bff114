package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"darkroom/api"
)

// noteHeld holds why nothing may be sent until the person chooses.
const noteHeld = "held"

// Note is a small lasting value, "" when there is none.
func (s *Store) Note(ctx context.Context, name string) (string, error) {
	var v string
	err := s.r.QueryRowContext(ctx, `SELECT value FROM notes WHERE name=?`, name).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return v, err
}

// SetNote keeps a small lasting value.
func (s *Store) SetNote(ctx context.Context, name, value string) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return setNote(ctx, tx, name, value) })
}

func setNote(ctx context.Context, tx *sql.Tx, name, value string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO notes (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value`, name, value)
	return err
}

// SaveDraft keeps an unsent form's values.
func (s *Store) SaveDraft(ctx context.Context, name string, r api.Request, now time.Time) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO drafts (name, at, request) VALUES (?,?,?)
		  ON CONFLICT (name) DO UPDATE SET at=excluded.at, request=excluded.request`, name, millis(now), string(text))
		return err
	})
}

// Draft returns a kept draft and whether there was one.
func (s *Store) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	var text string
	err := s.r.QueryRowContext(ctx, `SELECT request FROM drafts WHERE name=?`, name).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return api.Request{}, false, nil
	}
	if err != nil {
		return api.Request{}, false, err
	}
	var r api.Request
	err = json.Unmarshal([]byte(text), &r)
	return r, err == nil, err
}

// cacheKept is how many answers of one kind are kept.
const cacheKept = 500

// Remember keeps an answer for times without the service.
func (s *Store) Remember(ctx context.Context, kind, name string, value []byte, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO cache (kind, name, at, value) VALUES (?,?,?,?)
		  ON CONFLICT (kind, name) DO UPDATE SET at=excluded.at, value=excluded.value`, kind, name, millis(now), value)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM cache WHERE kind=? AND name NOT IN
		  (SELECT name FROM cache WHERE kind=? ORDER BY at DESC LIMIT ?)`, kind, kind, cacheKept)
		return err
	})
}

// Recall returns a kept answer and when it was given; nil when there is none.
func (s *Store) Recall(ctx context.Context, kind, name string) ([]byte, time.Time, error) {
	var value []byte
	var at int64
	err := s.r.QueryRowContext(ctx, `SELECT value, at FROM cache WHERE kind=? AND name=?`, kind, name).Scan(&value, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, time.Time{}, nil
	}
	return value, moment(at), err
}

// RecallNewer is Recall for a caller that holds the answer of a time: the value
// is read only when the kept one was given at another, and is nil otherwise.
func (s *Store) RecallNewer(ctx context.Context, kind, name string, held time.Time) (value []byte, at time.Time, err error) {
	var ms int64
	err = s.r.QueryRowContext(ctx, `SELECT at, CASE WHEN at <> ? THEN value END FROM cache WHERE kind=? AND name=?`,
		millis(held), kind, name).Scan(&ms, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, time.Time{}, nil
	}
	return value, moment(ms), err
}

// Absence is what ended while nobody looked.
type Absence struct {
	Done, Broken int
	Credits      api.Credits // of those that are done, as far as they are known
}

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
		err := s.r.QueryRowContext(ctx, `SELECT coalesce(sum(phase='done'), 0), coalesce(sum(phase<>'done'), 0),
		  `+sumCredits(`CASE WHEN phase='done' AND source<>'none' THEN credits END`)+`
		  FROM jobs WHERE ended_at > ? AND phase IN ('done','failed','rejected','expired')`, since).Scan(&a.Done, &a.Broken, &a.Credits)
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
