package store

import (
	"context"
	"time"
)

// Pace is the rate that all instances share for one base.
type Pace struct {
	Every time.Duration // one call is earned each
	Burst float64
	Calls int           // calls at a time
	Limit time.Duration // after which a call that never came back is forgotten
}

// clockAhead is by how much the time of a call can be later than now although
// nobody set the clock: a writer waits for another up to 5 s.
const clockAhead = 10 * time.Second

// Permit is the permission to make one call.
type Permit struct {
	Call  int64
	Epoch int64     // of the claim, when a job was named
	Until time.Time // set: no permit before then
}

// What Acquire demands of a job besides a free lease. A list of due jobs is old by
// the time of the claim: another instance may have done the work.
const (
	AnySent Demand = `phase NOT IN ('intent','sending')`
	DuePoll Demand = `phase IN ('queued','running') AND next_poll <= ?4`

	dueFetch Demand = `phase = 'fetching' AND next_poll <= ?4`
)

// Demand is a condition on a job.
type Demand string

// Acquire asks for the permit to make one call, with the lease of a job unless
// it is "". ErrLate: the job is another's, or not as demanded any more.
func (s *Store) Acquire(ctx context.Context, demand Demand, base, instance, job string, now time.Time, p Pace) (Permit, error) {
	var permit Permit
	err := s.write(ctx, func(t *transaction) {
		until, tokens := t.whenPermitted(base, now, p)
		if !until.IsZero() {
			permit.Until = until
			return
		}
		if job != "" {
			permit.Epoch = t.claim(demand, job, instance, now, p.Limit)
		}
		t.run(`INSERT INTO gate (base, tokens, refilled) VALUES (?,?,?)
		  ON CONFLICT (base) DO UPDATE SET tokens=excluded.tokens, refilled=excluded.refilled`, base, tokens-1, millis(now))
		t.run(`DELETE FROM flights WHERE until < ?`, millis(now))
		permit.Call = t.insert(`INSERT INTO flights (base, owner, until) VALUES (?,?,?)`, base, instance, millis(now.Add(p.Limit)))
	})
	return permit, err
}

// whenPermitted gives a time to wait for, or the tokens.
func (t *transaction) whenPermitted(base string, now time.Time, p Pace) (until time.Time, tokens float64) {
	var closed time.Time
	var refilled int64
	tokens = p.Burst
	t.scan([]any{moment{&closed}, &tokens, &refilled}, `SELECT until, tokens, refilled FROM gate WHERE base=?`, base)
	ms := millis(now)
	if millis(closed) > ms {
		return closed, 0
	}
	if refilled == 0 || refilled > ms+clockAhead.Milliseconds() {
		// made by CloseGate before any call, or while the clock was ahead
		tokens = p.Burst
	} else {
		// a clock set back stops no calls, one set forward earns the burst at most
		earned := max(float64(ms-refilled), 0) * float64(time.Millisecond) / float64(p.Every)
		tokens = min(tokens+earned, p.Burst)
	}
	var underWay int
	t.scan([]any{&underWay}, `SELECT count(*) FROM flights WHERE base=? AND until >= ?`, base, ms)
	if underWay >= p.Calls {
		return now.Add(p.Every / 2), 0
	}
	if tokens < 1 {
		short := time.Duration((1 - tokens) * float64(p.Every))
		return now.Add(short.Truncate(time.Millisecond) + time.Millisecond), 0
	}
	return time.Time{}, tokens
}

// EndCall ends a call. A good answer forgets earlier refusals.
func (s *Store) EndCall(ctx context.Context, base string, call int64, good bool) error {
	return s.write(ctx, func(t *transaction) {
		t.run(`DELETE FROM flights WHERE id=?`, call)
		if good {
			t.run(`UPDATE gate SET strikes=0 WHERE base=? AND strikes>0`, base)
		}
	})
}

// CloseGate stops all calls to a base, over all instances: for the time asked
// for, or without one for first, doubling with each refusal up to most.
func (s *Store) CloseGate(ctx context.Context, base string, now time.Time, asked, first, most time.Duration) (time.Time, error) {
	var until time.Time
	err := s.write(ctx, func(t *transaction) {
		var old time.Time
		var strikes int
		t.scan([]any{moment{&old}, &strikes}, `SELECT until, strikes FROM gate WHERE base=?`, base)
		closed := millis(old) > millis(now)
		if asked <= 0 && !closed { // calls that were under way when it closed say the same thing again
			asked = min(first<<min(strikes, 20), most)
		}
		if until = now.Add(asked); old.After(until) {
			until = old
		}
		if !closed {
			strikes++
		}
		t.run(`INSERT INTO gate (base, until, strikes) VALUES (?,?,?)
		  ON CONFLICT (base) DO UPDATE SET until=excluded.until, strikes=excluded.strikes`, base, millis(until), strikes)
	})
	return until, err
}

// GateUntil is when the gate of a base opens; zero or past when it is open.
func (s *Store) GateUntil(ctx context.Context, base string) (time.Time, error) {
	var until time.Time
	err := s.r.QueryRowContext(ctx, `SELECT until FROM gate WHERE base=?`, base).Scan(moment{&until})
	return until, orNone(err)
}
