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

// Events returns at most 1,000 events after a number, oldest first.
func (s *Store) Events(ctx context.Context, after int64) ([]Event, error) {
	return all(ctx, s.r, func(sc scanner) (e Event, err error) {
		err = sc.Scan(&e.Number, &e.Job, &e.Phase, moment{&e.At})
		return e, err
	}, `SELECT n, job, phase, at FROM events WHERE n > ? ORDER BY n LIMIT 1000`, after)
}

// LastEvent is the number of the newest event.
func (s *Store) LastEvent(ctx context.Context) (int64, error) {
	return column[int64](s.r.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM events`))
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
	const next = ` n = (SELECT n FROM events WHERE waits <> 0 AND instr(?, ',' || phase || ',') ORDER BY n LIMIT 1)`
	if ok, err = value[bool](ctx, s.compiled(), `SELECT EXISTS (SELECT 1 FROM events WHERE`+next+`)`, phases); !ok || err != nil {
		return e, false, err
	}
	err = s.write(ctx, func(t *transaction) {
		t.fail(s.mayRecord(t))
		ok = t.scan([]any{&e.Number, &e.Job, &e.Phase, moment{&e.At}},
			`UPDATE events SET waits = 0 WHERE`+next+` RETURNING n, job, phase, at`, phases)
	})
	return e, ok && err == nil, err
}
