package store

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

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
