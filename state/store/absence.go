package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"darkroom/api"
)

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
