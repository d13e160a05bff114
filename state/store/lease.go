package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"darkroom/api"
)

// Instance is a process that shares the store; its lock file is locked while it
// lives.
type Instance struct{ ID, Lock string }

// AddInstance makes an instance known, once or again.
func (s *Store) AddInstance(ctx context.Context, in Instance, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO owners (id, lock, at) VALUES (?,?,?)
		  ON CONFLICT (id) DO UPDATE SET lock=excluded.lock`, in.ID, in.Lock, millis(now))
		return err
	})
}

// Instances returns the known instances, dead ones included.
func (s *Store) Instances(ctx context.Context) ([]Instance, error) {
	rows, err := s.r.QueryContext(ctx, `SELECT id, lock FROM owners`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Instance
	for rows.Next() {
		var in Instance
		if err := rows.Scan(&in.ID, &in.Lock); err != nil {
			return nil, err
		}
		list = append(list, in)
	}
	return list, rows.Err()
}

// LastSend is when an instance last began to send something that has no outcome
// yet, zero when there is nothing.
func (s *Store) LastSend(ctx context.Context, instance string) (time.Time, error) {
	var ms int64
	err := s.r.QueryRowContext(ctx, `SELECT coalesce(max(max(created_at, sent_at)), 0) FROM jobs
	  WHERE owner=? AND phase IN ('intent','sending')`, instance).Scan(&ms)
	return moment(ms), err
}

// Orphans reports whether jobs belong to instances that are not known.
func (s *Store) Orphans(ctx context.Context) (bool, error) {
	var n int
	err := s.r.QueryRowContext(ctx, `SELECT count(*) FROM jobs WHERE owner <> '' AND owner NOT IN (SELECT id FROM owners)`).Scan(&n)
	return n > 0, err
}

// Texts for jobs whose instance died.
const (
	textNotSent = "not sent; send now?"
	textUnknown = "darkroom ended while this was being sent: it may have been accepted and charged. Attach its id, dismiss it as not charged, or send it again"
)

// Reap forgets dead instances and ends what they left: an intent was not
// sent, a send has an unknown outcome, leases are free.
func (s *Store) Reap(ctx context.Context, dead []string, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range dead {
			for _, q := range []string{`DELETE FROM owners WHERE id=?`, `DELETE FROM flights WHERE owner=?`} {
				if _, err := tx.ExecContext(ctx, q, id); err != nil {
					return err
				}
			}
		}
		v, err := changed(ctx, tx)
		if err != nil {
			return err
		}
		const orphan = ` WHERE owner <> '' AND owner NOT IN (SELECT id FROM owners)`
		for _, q := range []struct{ phase, text string }{{"not_sent", textNotSent}, {"unknown", textUnknown}} {
			from := "intent"
			if q.phase == "unknown" {
				from = "sending"
			}
			_, err := tx.ExecContext(ctx, `UPDATE attempts SET ended_at=?, phase=? WHERE ended_at=0 AND seq IN
			  (SELECT seq FROM jobs`+orphan+` AND phase=?)`, millis(now), q.phase, from)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `UPDATE jobs SET phase=?, error=?, ended_at=CASE WHEN ?='not_sent' THEN ? ELSE 0 END,
			  next_poll=0, owner='', version=?`+orphan+` AND phase=?`, q.phase, q.text, q.phase, millis(now), v, from)
			if err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE jobs SET owner='', lease=0, epoch=epoch+1, version=?`+orphan, v)
		return err
	})
}

// What a claim demands of a job besides a free lease. A list of due jobs is
// old by the time of the claim: another instance may have done the work.
const (
	anySent  = `phase NOT IN ('intent','sending')`
	duePoll  = `phase IN ('queued','running') AND next_poll <= ?`
	dueFetch = `phase = 'fetching' AND next_poll <= ?`
)

// Claim leases a job whose files are due to be downloaded and returns the claim's
// epoch. ErrLate when another claim holds or nothing is due any more.
func (s *Store) Claim(ctx context.Context, id, instance string, now time.Time, lease time.Duration) (int64, error) {
	var epoch int64
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		epoch, err = claim(ctx, tx, dueFetch, id, instance, now, lease)
		return err
	})
	return epoch, err
}

func claim(ctx context.Context, tx *sql.Tx, demand, id, instance string, now time.Time, lease time.Duration) (int64, error) {
	var epoch int64
	args := []any{instance, millis(now.Add(lease)), id, millis(now)}
	if demand != anySent {
		args = append(args, millis(now))
	}
	err := tx.QueryRowContext(ctx, `UPDATE jobs SET owner=?, lease=?, epoch=epoch+1
	  WHERE id=? AND (owner='' OR lease < ?) AND `+demand+` RETURNING epoch`, args...).Scan(&epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ErrLate
	}
	return epoch, err
}

// Renew keeps a lease; ErrLate when it was lost.
func (s *Store) Renew(ctx context.Context, id string, epoch int64, until time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE jobs SET lease=? WHERE id=? AND epoch=? AND owner<>''`, millis(until), id, epoch))
	})
}

// KeepCall keeps a job's lease and its call among those under way; ErrLate when
// the lease was lost.
func (s *Store) KeepCall(ctx context.Context, id string, epoch, call int64, until time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE flights SET until=? WHERE id=?`, millis(until), call); err != nil {
			return err
		}
		return one(tx.ExecContext(ctx, `UPDATE jobs SET lease=? WHERE id=? AND epoch=? AND owner<>''`, millis(until), id, epoch))
	})
}

// ExplainFetch says in a leased job how its download stands; "" takes it back.
func (s *Store) ExplainFetch(ctx context.Context, id string, epoch int64, text api.Text) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		v, err := changed(ctx, tx)
		if err != nil {
			return err
		}
		return one(tx.ExecContext(ctx, `UPDATE jobs SET error=?, version=? WHERE id=? AND epoch=? AND owner<>'' AND phase='fetching'`,
			text.String(), v, id, epoch))
	})
}

// Release gives a lease back and plans the next call; a lost lease is no error.
func (s *Store) Release(ctx context.Context, id string, epoch int64, next time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET owner='', lease=0, next_poll=? WHERE id=? AND epoch=? AND owner<>''`,
			millis(next), id, epoch)
		return err
	})
}
