package store

import (
	"context"
	"time"

	"darkroom/api"
)

// AddInstance makes an instance known, once or again: a process that shares the store
// and locks a file while it lives.
func (s *Store) AddInstance(ctx context.Context, id, lock string, now time.Time) error {
	return s.run(ctx, `INSERT INTO owners (id, lock, at) VALUES (?,?,?)
	  ON CONFLICT (id) DO UPDATE SET lock=excluded.lock`, id, lock, millis(now))
}

// Instances returns the ids of the known instances, dead ones included.
func (s *Store) Instances(ctx context.Context) ([]string, error) {
	return all(ctx, s.r, column[string], `SELECT id FROM owners`)
}

// LastSend is when an instance began its last send without an outcome; zero: none.
func (s *Store) LastSend(ctx context.Context, instance string) (time.Time, error) {
	var last time.Time
	err := s.r.QueryRowContext(ctx, `SELECT max(max(created_at, sent_at)) FROM jobs
	  WHERE owner=? AND phase IN ('intent','sending')`, instance).Scan(moment{&last})
	return last, err
}

// Orphans reports whether jobs belong to instances that are not known.
func (s *Store) Orphans(ctx context.Context) (bool, error) {
	return value[bool](ctx, s.r, `SELECT EXISTS (SELECT 1 FROM jobs`+orphan+`) OR EXISTS (SELECT 1 FROM held`+orphan+`)`)
}

const orphan = ` WHERE owner <> '' AND owner NOT IN (SELECT id FROM owners)`

// TakeOver forgets dead instances and ends what they left: an intent was not
// sent, a send has an unknown outcome, leases are free.
func (s *Store) TakeOver(ctx context.Context, dead []string, now time.Time) error {
	return s.change(ctx, func(t *transaction) {
		for _, id := range dead {
			t.run(`DELETE FROM owners WHERE id=?`, id)
			t.run(`DELETE FROM flights WHERE owner=?`, id)
		}
		for _, end := range []struct {
			from, to api.Phase
			at       time.Time
			why      api.Reason
		}{{api.PhaseIntent, api.PhaseNotSent, now, whyNotSent.Reason()}, {api.PhaseSending, api.PhaseUnknown, time.Time{}, whyUnknown.Reason()}} {
			t.run(`UPDATE attempts SET ended_at=?, phase=? WHERE ended_at=0 AND seq IN
			  (SELECT seq FROM jobs`+orphan+` AND phase=?)`, millis(now), end.to, end.from)
			t.run(`UPDATE jobs SET phase=?, error=?, reason=?, ended_at=?, next_poll=0, owner='', `+newVersion+orphan+` AND phase=?`,
				end.to, errorText(end.why), end.why.Stored(), millis(end.at), end.from)
		}
		t.run(`UPDATE jobs SET owner='', lease=0, epoch=epoch+1, ` + newVersion + orphan)
		// What they were to send waits for the person.
		t.run(`UPDATE held SET owner='', code=?, reason=?, `+newVersion+orphan, CodeEnded, whyHeldEnded.Reason().Stored())
	})
}

// Claim leases a job whose files are due and returns the claim's epoch. ErrLate
// when another claim holds or nothing is due any more.
func (s *Store) Claim(ctx context.Context, id, instance string, now time.Time, lease time.Duration) (int64, error) {
	var epoch int64
	err := s.write(ctx, func(t *transaction) { epoch = t.claim(dueFetch, id, instance, now, lease) })
	return epoch, err
}

func (t *transaction) claim(demand Demand, id, instance string, now time.Time, lease time.Duration) (epoch int64) {
	if !t.scan([]any{&epoch}, `UPDATE jobs SET owner=?1, lease=?2, epoch=epoch+1
	  WHERE id=?3 AND (owner='' OR lease < ?4) AND `+string(demand)+` RETURNING epoch`,
		instance, millis(now.Add(lease)), id, millis(now)) {
		t.fail(ErrLate)
	}
	return epoch
}

// Renew keeps a job's lease, and its call if it has one; ErrLate when it was lost.
func (s *Store) Renew(ctx context.Context, id string, epoch, call int64, until time.Time) error {
	return s.write(ctx, func(t *transaction) {
		t.run(`UPDATE flights SET until=? WHERE id=?`, millis(until), call)
		t.one(`UPDATE jobs SET lease=? WHERE id=? AND epoch=? AND owner<>''`, millis(until), id, epoch)
	})
}

// ExplainFetch says in a leased job how its download stands; "" takes it back.
func (s *Store) ExplainFetch(ctx context.Context, id string, epoch int64, text api.Text) error {
	return s.update(ctx, `UPDATE jobs SET error=?, `+newVersion+` WHERE id=? AND epoch=? AND owner<>'' AND phase='fetching'`,
		text.String(), id, epoch)
}

// Release gives a lease back and plans the next call; a lost lease is not an error.
func (s *Store) Release(ctx context.Context, id string, epoch int64, next time.Time) error {
	return s.run(ctx, `UPDATE jobs SET owner='', lease=0, next_poll=? WHERE id=? AND epoch=? AND owner<>''`, millis(next), id, epoch)
}
