package store

import (
	"context"
	"math"
	"strconv"
	"time"

	"darkroom/api"
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
func (s *Store) Acquire(ctx context.Context, demand Demand, base, instance, job string, now time.Time, p Pace) (permit Permit, _ error) {
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
	if refilled > ms+clockAhead.Milliseconds() { // while the clock was ahead
		tokens = p.Burst
	} else {
		// a clock set back stops no calls, one set forward earns the burst at most
		tokens = min(tokens+max(float64(ms-refilled), 0)*float64(time.Millisecond)/float64(p.Every), p.Burst)
	}
	var underWay int
	t.scan([]any{&underWay}, `SELECT count(*) FROM flights WHERE base=? AND until BETWEEN ? AND ?`, base, ms, millis(now.Add(2*p.Limit)))
	if underWay >= p.Calls {
		return now.Add(p.Every / 2), 0
	}
	if tokens < 1 {
		return now.Add(time.Duration((1-tokens)*float64(p.Every)).Truncate(time.Millisecond) + time.Millisecond), 0
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
func (s *Store) CloseGate(ctx context.Context, base string, now time.Time, asked, first, most time.Duration) (until time.Time, _ error) {
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
func (s *Store) GateUntil(ctx context.Context, base string) (until time.Time, _ error) {
	err := s.compiled().QueryRowContext(ctx, `SELECT until FROM gate WHERE base=?`, base).Scan(moment{&until})
	return until, orNone(err)
}

// AddInstance makes an instance known, once or again: a process that shares the store
// and locks a file while it lives.
func (s *Store) AddInstance(ctx context.Context, id, lock string, now time.Time) error {
	return s.run(ctx, `INSERT INTO owners (id, lock, at) VALUES (?,?,?)
	  ON CONFLICT (id) DO UPDATE SET lock=excluded.lock`, id, lock, millis(now))
}

// Instances returns the ids of the known instances, dead ones included.
func (s *Store) Instances(ctx context.Context) ([]string, error) {
	return all(ctx, s.compiled(), column[string], `SELECT id FROM owners`)
}

// LastSend is when an instance began its last send without an outcome; zero: none.
func (s *Store) LastSend(ctx context.Context, instance string) (last time.Time, _ error) {
	err := s.r.QueryRowContext(ctx, `SELECT max(max(created_at, sent_at)) FROM jobs
	  WHERE owner=? AND phase IN ('intent','sending')`, instance).Scan(moment{&last})
	return last, err
}

// Orphans reports whether jobs belong to instances that are not known.
func (s *Store) Orphans(ctx context.Context) (bool, error) {
	return value[bool](ctx, s.compiled(), `SELECT EXISTS (SELECT 1 FROM jobs`+orphan+`) OR EXISTS (SELECT 1 FROM held`+orphan+`)`)
}

const orphan = ` WHERE owner <> '' AND owner NOT IN (SELECT id FROM owners)`

// WhyNotSent is why a job that was confirmed was not sent.
const WhyNotSent = api.Sentence("stopped before it was sent")

// TakeOver forgets dead instances and ends what they left: an intent was not
// sent, a send has an unknown outcome, leases are free.
func (s *Store) TakeOver(ctx context.Context, dead []string, now time.Time) error {
	return s.change(ctx, func(t *transaction) {
		for _, id := range dead {
			t.run(`DELETE FROM owners WHERE id=?`, id)
			t.run(`DELETE FROM flights WHERE owner=?`, id)
		}
		end := func(from, to api.Phase, at time.Time, why api.Reason) {
			t.run(`UPDATE attempts SET ended_at=?, phase=? WHERE ended_at=0 AND seq IN
			  (SELECT seq FROM jobs`+orphan+` AND phase=?)`, millis(now), to, from)
			t.run(`UPDATE jobs SET phase=?, error=?, reason=?, ended_at=?, next_poll=0, owner='', `+newVersion+orphan+` AND phase=?`,
				to, errorText(why), why.Stored(), millis(at), from)
		}
		end(api.PhaseIntent, api.PhaseNotSent, now, WhyNotSent.Reason())
		end(api.PhaseSending, api.PhaseUnknown, time.Time{}, api.Sentence(
			"darkroom ended while this was being sent; look at the job on the service's site before sending again").Reason())
		t.run(`UPDATE jobs SET owner='', lease=0, epoch=epoch+1, ` + newVersion + orphan)
		// What they were to send waits for the person.
		t.run(`UPDATE held SET owner='', code=?, reason=?, `+newVersion+orphan, CodeEnded,
			api.Sentence("darkroom ended before this was sent").Reason().Stored())
	})
}

// Claim leases a job whose files are due and returns the claim's epoch. ErrLate
// when another claim holds or nothing is due any more.
func (s *Store) Claim(ctx context.Context, id, instance string, now time.Time, lease time.Duration) (epoch int64, _ error) {
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

// openPhases is written exactly as in the index jobs_due, or it is not used.
const openPhases = `phase IN ('queued','running','fetching')`

// Due returns jobs to be polled at now: the preferred one, then young ones,
// whose head start is bounded by grace, so that no job starves.
func (s *Store) Due(ctx context.Context, base, prefer string, now time.Time, grace time.Duration, limit int) ([]string, error) {
	return s.due(ctx, `phase <> 'fetching' AND remote_id <> ''`, `next_poll + min((? - created_at)/8, ?)`,
		base, prefer, now, grace, limit)
}

// Fetchable returns all jobs whose files are due to be downloaded, those first whose
// links expire soonest: the first ones may wait because they were too slow.
func (s *Store) Fetchable(ctx context.Context, base, prefer string, now time.Time) ([]string, error) {
	return s.due(ctx, `phase = 'fetching'`, `expires_at = 0, expires_at, next_poll + min((? - created_at)/8, ?)`,
		base, prefer, now, 0, math.MaxInt)
}

// due puts the limit into the question, for the reason that Lineage gives.
func (s *Store) due(ctx context.Context, where, order, base, prefer string, now time.Time, grace time.Duration, limit int) (
	[]string, error) {
	ms := millis(now)
	return all(ctx, s.compiled(), column[string], `SELECT id FROM jobs
	  WHERE base = ? AND `+openPhases+` AND `+where+` AND next_poll <= ? AND (owner = '' OR lease < ?)
	  ORDER BY id = ? DESC, `+order+` LIMIT `+strconv.Itoa(limit),
		base, ms, ms, prefer, ms, grace.Milliseconds())
}

// NextDue is when the next job is due, a leased one after its lease.
func (s *Store) NextDue(ctx context.Context, base string) (next time.Time, _ error) {
	err := s.compiled().QueryRowContext(ctx, `SELECT min(max(next_poll, CASE WHEN owner = '' THEN 0 ELSE lease + 1 END))
	  FROM jobs WHERE base = ? AND `+openPhases, base).Scan(moment{&next})
	return next, err
}

// Overdue reports whether jobs of a base were due at a moment and were not asked for
// since, or have results that are being downloaded.
func (s *Store) Overdue(ctx context.Context, base string, at time.Time) (bool, error) {
	return value[bool](ctx, s.r, `SELECT EXISTS (SELECT 1 FROM jobs WHERE base = ? AND `+openPhases+`
	  AND (next_poll <= ? OR phase = 'fetching'))`, base, millis(at))
}

// Spread plans the next calls of all waiting jobs again, evenly over a span from
// now: after a sleep, a gate or a lost network. What lies beyond far, a rest
// too, was planned while the clock was wrong.
func (s *Store) Spread(ctx context.Context, base string, now time.Time, span, far time.Duration) error {
	return s.write(ctx, func(t *transaction) {
		beyond := millis(now.Add(far))
		t.run(`UPDATE jobs SET next_poll = ? + abs(random() % ?)
		  WHERE base = ? AND `+openPhases+` AND owner = '' AND (phase <> 'fetching' AND next_poll <= ? OR next_poll > ?)`,
			millis(now), max(span.Milliseconds(), 1), base, millis(now.Add(span)), beyond)
		t.run(`UPDATE gate SET until = 0 WHERE base = ? AND until > ?`, base, beyond)
	})
}

// Schedule is what plans can hold at most: a call waits for Min and a twentieth
// of its job's age, of which up to Max counts, and the gate rests for Rest.
// Calls that were taken back are planned over Span.
type Schedule struct{ Min, Max, Rest, Span time.Duration }

// TakeBack plans again what lies in a future that the schedule cannot have made:
// it was written while the clock was ahead. So were leases, which last for less than Min: an
// instance renews its own, and of others one that lives takes a new one.
func (s *Store) TakeBack(ctx context.Context, base, instance string, now time.Time, plan Schedule) error {
	const where = ` WHERE base = ? AND ` + openPhases + ` AND owner <> ? AND iif(owner = '', next_poll, lease) > ?
	  + iif(owner = '', min(max(? - iif(sent_at, sent_at, created_at), 0)/20, ?), 0)`
	ms := millis(now)
	args := []any{base, instance, millis(now.Add(plan.Min)), ms, plan.Max.Milliseconds()}
	var until int64
	var late bool
	rest := millis(now.Add(plan.Rest))
	err := s.r.QueryRowContext(ctx, `SELECT coalesce((SELECT until FROM gate WHERE base = ?), 0), EXISTS (SELECT 1 FROM jobs`+where+`)`,
		append([]any{base}, args...)...).Scan(&until, &late)
	if err != nil || until <= rest && (!late || until > ms) {
		return err // while a rest that can be true lasts, plans follow it
	}
	return s.write(ctx, func(t *transaction) {
		t.run(`UPDATE gate SET until = 0 WHERE base = ? AND until > ?`, base, rest)
		t.run(`UPDATE jobs SET owner = '', lease = 0, epoch = epoch+1, next_poll = ? + abs(random() % ?)`+where,
			append([]any{ms, max(plan.Span.Milliseconds(), 1)}, args...)...)
	})
}

// Transition is what one poll or download made of a job.
type Transition struct {
	ID       string
	Epoch    int64 // of the claim; a later claim makes this write void
	Phase    api.Phase
	Status   api.Text
	Error    api.Reason
	ErrClass api.ErrorClass
	Progress float64
	Results  []api.Result // nil: as they were
	Raw      []byte
	NextPoll time.Time
	EndedAt  time.Time
	Tally
	Quiet bool // nothing that anybody sees has changed
	Now   time.Time
}

// Tally is what the poller counts of a job.
type Tally struct {
	NotFound      int // 404 answers in a row
	NotFoundSince time.Time
	Empty         int // COMPLETED without a result, in a row
	Completed     bool
}

// Apply writes it and gives the lease back. ErrLate when the lease was lost.
func (s *Store) Apply(ctx context.Context, r Transition) error {
	return s.write(ctx, func(t *transaction) {
		version := ``
		if !r.Quiet {
			version = `, ` + newVersion
			t.count()
		}
		t.one(`UPDATE jobs SET phase=?, status=?, error=?, reason=?, err_class=?, progress=?, next_poll=?,
		  ended_at=?, gone=?, gone_since=?, hollow=?, completed=?, owner='', lease=0`+version+`
		  WHERE id=? AND epoch=? AND owner<>''`,
			r.Phase, r.Status.String(), errorText(r.Error), r.Error.Stored(), r.ErrClass, r.Progress, millis(r.NextPoll), millis(r.EndedAt),
			r.NotFound, millis(r.NotFoundSince), r.Empty, r.Completed, r.ID, r.Epoch)
		if r.Results != nil {
			t.saveResults(r.ID, r.Results)
		}
		t.saveAnswer(r.ID, "poll", r.Raw, r.Now)
	})
}

func (t *transaction) saveResults(id string, results []api.Result) {
	t.run(`UPDATE details SET results=? WHERE seq=(SELECT seq FROM jobs WHERE id=?)`, object{results}, id)
	t.run(`UPDATE jobs SET expires_at=? WHERE id=?`, millis(earliest(results)), id)
}

// SaveFile keeps one fetched file of a leased job; n counts from 1.
func (s *Store) SaveFile(ctx context.Context, id string, epoch int64, n int, f File) error {
	return s.changeLeased(ctx, id, epoch, func(t *transaction) { t.saveFile(id, n, f) })
}

// SaveResults keeps fresh result addresses of a leased job.
func (s *Store) SaveResults(ctx context.Context, id string, epoch int64, results []api.Result) error {
	return s.changeLeased(ctx, id, epoch, func(t *transaction) { t.saveResults(id, results) })
}

// SaveLinks keeps fresh addresses of a completed job's results, and of its saved
// files by number from 1. ErrLate while it is fetched.
func (s *Store) SaveLinks(ctx context.Context, id string, results []api.Result, links map[int]string) error {
	return s.change(ctx, func(t *transaction) {
		t.one(`UPDATE jobs SET `+newVersion+` WHERE id=? AND completed AND owner='' AND phase IN ('done','failed','expired')`, id)
		t.saveResults(id, results)
		for n, address := range links {
			t.run(`UPDATE files SET url=? WHERE n=? AND seq=(SELECT seq FROM jobs WHERE id=?)`, address, n, id)
		}
	})
}

// changeLeased is change for a leased job; ErrLate when the lease was lost.
func (s *Store) changeLeased(ctx context.Context, id string, epoch int64, f func(t *transaction)) error {
	return s.change(ctx, func(t *transaction) {
		t.one(`UPDATE jobs SET `+newVersion+` WHERE id=? AND epoch=? AND owner<>''`, id, epoch)
		f(t)
	})
}

// FileAt returns the newest job with a result at an address, number and path of its
// file, and when the address stops working; zero if that is not known.
func (s *Store) FileAt(ctx context.Context, address string) (id string, f File, end time.Time, err error) {
	err = s.r.QueryRowContext(ctx, `SELECT jobs.id, files.n, files.path, jobs.expires_at FROM files JOIN jobs USING (seq)
	  WHERE files.url=? ORDER BY seq DESC LIMIT 1`, address).Scan(&id, &f.N, &f.Path, moment{&end})
	return id, f, api.LinkEnd(address, end), orNone(err)
}

// LinkEnded reports whether a link in a request expired after from and no later than now.
func (s *Store) LinkEnded(ctx context.Context, r api.Request, from, now time.Time) (ended bool) {
	r.MapAddresses(func(_, address string) string {
		_, _, end, _ := s.FileAt(ctx, address) // if it fails, the address alone counts
		ended = ended || end.After(from) && !end.After(now)
		return address
	})
	return ended
}

// NoteFrame notes that a file or an address is a frame of a saved clip, or the file of one.
func (s *Store) NoteFrame(ctx context.Context, name, of string, seconds float64) error {
	return s.run(ctx, `INSERT OR REPLACE INTO notes (name, value) SELECT 'frame ' || ?1, value FROM (
	  SELECT json_object('job', id, 'title', title, 'seconds', ?3) AS value, seq FROM files JOIN jobs USING (seq) WHERE path = ?2
	  UNION ALL SELECT value, 0 FROM notes WHERE name = 'frame ' || ?2) ORDER BY seq DESC LIMIT 1`, name, of, seconds)
}

// Refetch makes a completed job's files due again, else ErrLate.
func (s *Store) Refetch(ctx context.Context, id string, now time.Time) error {
	return s.update(ctx, `UPDATE jobs SET phase='fetching', error='', reason='', err_class='', next_poll=?, `+newVersion+`
	  WHERE id=? AND completed AND (owner='' OR lease < ?) AND phase IN ('done','failed','expired','fetching')`,
		millis(now), id, millis(now))
}
