package store

import (
	"context"
	"time"

	"darkroom/api"
)

// Event is a change of a job's phase. It is written in the transaction that made the
// change; the newest 20,000 are kept.
type Event struct {
	Number int64 // grows by one
	Job    string
	Phase  api.Phase
	At     time.Time
}

func (e *Event) columns() []any { return []any{&e.Number, &e.Job, &e.Phase, moment{&e.At}} }

func scanEvent(sc scanner) (e Event, err error) {
	err = sc.Scan(e.columns()...)
	return e, err
}

// Events returns at most 1,000 events after a number, oldest first.
func (s *Store) Events(ctx context.Context, after int64) ([]Event, error) {
	return all(ctx, s.r, scanEvent, `SELECT n, job, phase, at FROM events WHERE n > ? ORDER BY n LIMIT 1000`, after)
}

// LastEvent is the number of the last event before a time; of the newest for the zero one.
func (s *Store) LastEvent(ctx context.Context, before time.Time) (int64, error) {
	return column[int64](s.r.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM events WHERE ?1 = 0 OR at < ?1`, millis(before)))
}

// noteHooks keeps the phases that hooks wait for.
const noteHooks = "hooks"

// AwaitEvents makes the events of some phases, with commas around each, wait from
// now on for TakeEvent. Those of other phases wait no more.
func (s *Store) AwaitEvents(ctx context.Context, phases string) error {
	if before, err := s.Note(ctx, noteHooks); err != nil || before == phases {
		return err
	}
	return s.write(ctx, func(t *transaction) {
		t.setNote(noteHooks, phases)
		t.run(`UPDATE events SET waits = 0 WHERE waits <> 0 AND NOT instr(?, ',' || phase || ',')`, phases)
	})
}

// TakeEvent takes the oldest event that waits and is of some phases; false when there is
// none. It is taken once over all windows, and durably.
func (s *Store) TakeEvent(ctx context.Context, phases string) (e Event, ok bool, err error) {
	const next = `(SELECT n FROM events WHERE waits <> 0 AND instr(?, ',' || phase || ',') ORDER BY n LIMIT 1)`
	if n, err := value[int64](ctx, s.compiled(), `SELECT coalesce(`+next+`, 0)`, phases); err != nil || n == 0 {
		return e, false, err
	}
	err = s.write(ctx, func(t *transaction) {
		t.fail(s.mayRecord(t))
		ok = t.scan(e.columns(), `UPDATE events SET waits = 0 WHERE n = `+next+` RETURNING n, job, phase, at`, phases)
	})
	return e, ok && err == nil, err
}
