package store

import (
	"context"
	"database/sql"
	"time"

	"darkroom/api"
)

// ErrTaken says that another job has the service's id already.
var ErrTaken = whyTaken.Fault(nil)

// Attach gives an unknown or unread job the service's id; it is due at now.
// ErrLate when the job is in no such phase.
func (s *Store) Attach(ctx context.Context, id, remoteID string, now time.Time) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := value[int](ctx, tx, `SELECT count(*) FROM jobs WHERE remote_id=? AND remote_id<>'' AND id<>?
		  AND base=(SELECT base FROM jobs WHERE id=?)`, remoteID, id, id)
		if err != nil {
			return err
		}
		if n > 0 {
			return ErrTaken
		}
		return one(tx.ExecContext(ctx, `UPDATE jobs SET phase='queued', remote_id=?, error='', reason='', err_class='', dismissed=0,
		  ended_at=0, next_poll=?, gone=0, hollow=0, `+newVersion+` WHERE id=? AND phase IN ('unknown','unread')`,
			remoteID, millis(now), id))
	})
}

// Rename replaces the service's id by a better one of several candidates.
func (s *Store) Rename(ctx context.Context, id, from, to string) error {
	return s.update(ctx, `UPDATE jobs SET remote_id=?, `+newVersion+` WHERE id=? AND remote_id=?`, to, id, from)
}

// Dismiss declares an unknown or unread job not charged. ErrLate when the job
// is in no such phase.
func (s *Store) Dismiss(ctx context.Context, id string, now time.Time) error {
	return s.update(ctx, `UPDATE jobs SET dismissed=1, ended_at=?, `+newVersion+` WHERE id=? AND phase IN ('unknown','unread')`, millis(now), id)
}

// MarkOpened reports whether this call was the first for a finished job.
func (s *Store) MarkOpened(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `UPDATE jobs SET opened=1 WHERE id=? AND opened=0 AND phase='done'`, id))
		return err
	})
	return n > 0 && err == nil, err
}

// LastModel is the model last confirmed for a kind, or "".
func (s *Store) LastModel(ctx context.Context, kind api.Kind) (string, error) {
	return s.Note(ctx, "last_model."+string(kind))
}

// Refetch makes a completed job's files due again. ErrLate when the service
// never completed it, or it is being fetched.
func (s *Store) Refetch(ctx context.Context, id string, now time.Time) error {
	return s.update(ctx, `UPDATE jobs SET phase='fetching', error='', reason='', err_class='', next_poll=?, `+newVersion+`
	  WHERE id=? AND completed AND (owner='' OR lease < ?) AND phase IN ('done','failed','expired','fetching')`,
		millis(now), id, millis(now))
}
