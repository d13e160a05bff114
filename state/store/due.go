package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"darkroom/api"
)

// Due is a job that wants a call or a download now.
type Due struct {
	ID, RemoteID string
	Kind         api.Kind
	Phase        api.Phase
	CreatedAt    time.Time
	SentAt       time.Time
	NextPoll     time.Time
}

// openPhases is written exactly as in the index jobs_due, or it is not used.
const openPhases = `phase IN ('queued','running','fetching')`

// Due returns jobs to be polled at now, and when the next one after them is
// due (zero: none waits). The preferred job comes first, then young ones; the
// head start of a young job is bounded by grace, so that no job starves.
func (s *Store) Due(ctx context.Context, base, prefer string, now time.Time, grace time.Duration, limit int) ([]Due, error) {
	return s.due(ctx, `phase <> 'fetching' AND remote_id <> ''`, `next_poll + min((? - created_at)/8, ?)`,
		base, prefer, now, grace, limit)
}

// Fetchable returns finished jobs whose files are due to be downloaded at now,
// those first whose links expire soonest.
func (s *Store) Fetchable(ctx context.Context, base, prefer string, now time.Time, limit int) ([]Due, error) {
	return s.due(ctx, `phase = 'fetching'`, `expires_at = 0, expires_at, next_poll + min((? - created_at)/8, ?)`,
		base, prefer, now, 0, limit)
}

func (s *Store) due(ctx context.Context, where, order, base, prefer string, now time.Time, grace time.Duration, limit int) ([]Due, error) {
	ms := millis(now)
	rows, err := s.r.QueryContext(ctx, `SELECT id, remote_id, kind, phase, created_at, sent_at, next_poll FROM jobs
	  WHERE base = ? AND `+openPhases+` AND `+where+` AND next_poll <= ? AND (owner = '' OR lease < ?)
	  ORDER BY id = ? DESC, `+order+` LIMIT ?`,
		base, ms, ms, prefer, ms, grace.Milliseconds(), limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Due
	for rows.Next() {
		var d Due
		var created, sent, next int64
		if err := rows.Scan(&d.ID, &d.RemoteID, &d.Kind, &d.Phase, &created, &sent, &next); err != nil {
			return nil, err
		}
		d.CreatedAt, d.SentAt, d.NextPoll = moment(created), moment(sent), moment(next)
		list = append(list, d)
	}
	return list, rows.Err()
}

// NextDue is when the next job of a base is due after now, zero when none is.
// A leased job counts from the lease's end, unless its next call is later.
func (s *Store) NextDue(ctx context.Context, base string) (time.Time, error) {
	var ms sql.NullInt64
	err := s.r.QueryRowContext(ctx, `SELECT min(max(next_poll, CASE WHEN owner = '' THEN 0 ELSE lease + 1 END))
	  FROM jobs WHERE base = ? AND `+openPhases, base).Scan(&ms)
	return moment(ms.Int64), err
}

// Spread plans the next calls of all waiting jobs of a base anew, evenly over
// a span from now: after a sleep, a gate or a lost network. What is planned
// beyond far was planned while the clock was wrong, and is taken back, as is a
// rest of such a length.
func (s *Store) Spread(ctx context.Context, base string, now time.Time, span, far time.Duration) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		beyond := millis(now.Add(far))
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET next_poll = ? + abs(random() % ?)
		  WHERE base = ? AND `+openPhases+` AND owner = '' AND (phase <> 'fetching' AND next_poll <= ? OR next_poll > ?)`,
			millis(now), max(span.Milliseconds(), 1), base, millis(now.Add(span)), beyond)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE gate SET until = 0 WHERE base = ? AND until > ?`, base, beyond)
		return err
	})
}

// Longest is the longest wait for the next call that a schedule gives to a job
// below an age.
type Longest struct{ Below, Wait time.Duration }

// Schedule is what the plans of one base can hold at most: the waits by age, the
// last for all older jobs, and the longest rest of the gate.
type Schedule struct {
	Waits []Longest
	Rest  time.Duration
	Span  time.Duration // over which calls are planned that were taken back
}

// TakeBack plans anew what lies in a future that the schedule cannot have made:
// it was written while the clock was ahead, and would wait until the clock has
// caught up.
func (s *Store) TakeBack(ctx context.Context, base string, now time.Time, plan Schedule) error {
	ms := millis(now)
	least := plan.Waits[0].Wait
	var wait strings.Builder
	wait.WriteString("CASE")
	var args []any
	for _, w := range plan.Waits {
		least = min(least, w.Wait)
		wait.WriteString(" WHEN ? - max(sent_at, CASE sent_at WHEN 0 THEN created_at ELSE 0 END) < ? THEN ?")
		args = append(args, ms, w.Below.Milliseconds(), w.Wait.Milliseconds())
	}
	wait.WriteString(" ELSE ? END")
	args = append(args, plan.Waits[len(plan.Waits)-1].Wait.Milliseconds())
	where := ` WHERE base = ? AND ` + openPhases + ` AND owner = '' AND next_poll > ? AND next_poll > ? + ` + wait.String()
	args = append([]any{base, ms + least.Milliseconds(), ms}, args...)

	var until int64
	var late bool
	rest := ms + plan.Rest.Milliseconds()
	err := s.r.QueryRowContext(ctx, `SELECT coalesce((SELECT until FROM gate WHERE base = ?), 0), EXISTS (SELECT 1 FROM jobs`+where+`)`,
		append([]any{base}, args...)...).Scan(&until, &late)
	if err != nil || until <= rest && (!late || until > ms) {
		return err // while a rest that can be true lasts, plans follow it
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE gate SET until = 0 WHERE base = ? AND until > ?`, base, rest); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET next_poll = ? + abs(random() % ?)`+where,
			append([]any{ms, max(plan.Span.Milliseconds(), 1)}, args...)...)
		return err
	})
}
