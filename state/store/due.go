package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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

// open is written exactly as in the index jobs_due, or it is not used.
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

// Transition is what one poll or download made of a job.
type Transition struct {
	ID            string
	Epoch         int64 // of the claim; a later claim makes this write void
	Phase         api.Phase
	Status        api.Text
	Error         api.Reason
	ErrClass      api.ErrorClass
	Progress      float64
	Results       []api.Result // nil: as they were
	Raw           []byte
	NextPoll      time.Time
	EndedAt       time.Time
	NotFound      int
	NotFoundSince time.Time
	Empty         int
	Completed     bool
	Quiet         bool // nothing that anybody sees has changed
	Now           time.Time
}

// Tally is what the poller remembers of a job besides the job itself.
type Tally struct {
	NotFound      int // 404 answers in a row
	NotFoundSince time.Time
	Empty         int // COMPLETED without a result, in a row
	Completed     bool
}

// Tally returns a job's counts.
func (s *Store) Tally(ctx context.Context, id string) (Tally, error) {
	var t Tally
	var since int64
	err := s.r.QueryRowContext(ctx, `SELECT gone, gone_since, hollow, completed FROM jobs WHERE id=?`, id).
		Scan(&t.NotFound, &since, &t.Empty, &t.Completed)
	t.NotFoundSince = moment(since)
	return t, err
}

// Apply writes it and gives the lease back. ErrLate when the lease was lost.
func (s *Store) Apply(ctx context.Context, t Transition) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		version := sql.NullInt64{}
		if !t.Quiet {
			v, err := changed(ctx, tx)
			if err != nil {
				return err
			}
			version = sql.NullInt64{Int64: v, Valid: true}
		}
		err := one(tx.ExecContext(ctx, `UPDATE jobs SET phase=?, status=?, error=?, reason=?, err_class=?, progress=?, next_poll=?,
		  ended_at=?, gone=?, gone_since=?, hollow=?, completed=?, owner='', lease=0, version=coalesce(?, version)
		  WHERE id=? AND epoch=? AND owner<>''`,
			t.Phase, t.Status.String(), errorText(t.Error), t.Error.Stored(), t.ErrClass, t.Progress, millis(t.NextPoll), millis(t.EndedAt),
			t.NotFound, millis(t.NotFoundSince), t.Empty, t.Completed, version, t.ID, t.Epoch))
		if err != nil {
			return err
		}
		if t.Results != nil {
			if err := saveResults(ctx, tx, t.ID, t.Results); err != nil {
				return err
			}
		}
		return saveAnswer(ctx, tx, t.ID, "poll", t.Raw, t.Now)
	})
}

func saveResults(ctx context.Context, tx *sql.Tx, id string, results []api.Result) error {
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE details SET results=? WHERE seq=(SELECT seq FROM jobs WHERE id=?)`, string(text), id)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE jobs SET expires_at=? WHERE id=?`, millis(earliest(results)), id)
	return err
}

// SaveFile keeps one fetched file of a leased job; n counts from 1.
func (s *Store) SaveFile(ctx context.Context, id string, epoch int64, n int, f File) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		v, err := changed(ctx, tx)
		if err != nil {
			return err
		}
		err = one(tx.ExecContext(ctx, `UPDATE jobs SET version=? WHERE id=? AND epoch=? AND owner<>''`, v, id, epoch))
		if err != nil {
			return err
		}
		return saveFile(ctx, tx, id, n, f)
	})
}

// SaveResults keeps fresh result addresses of a leased job.
func (s *Store) SaveResults(ctx context.Context, id string, epoch int64, results []api.Result) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		v, err := changed(ctx, tx)
		if err != nil {
			return err
		}
		err = one(tx.ExecContext(ctx, `UPDATE jobs SET version=? WHERE id=? AND epoch=? AND owner<>''`, v, id, epoch))
		if err != nil {
			return err
		}
		return saveResults(ctx, tx, id, results)
	})
}

// FileNumbers returns which results of a job were saved, by number from 1.
func (s *Store) FileNumbers(ctx context.Context, id string) (map[int]File, error) {
	rows, err := s.r.QueryContext(ctx, `SELECT n, path, url, media_type, bytes, sha256 FROM files
	  WHERE seq = (SELECT seq FROM jobs WHERE id=?)`, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	files := map[int]File{}
	for rows.Next() {
		var n int
		var f File
		if err := rows.Scan(&n, &f.Path, &f.URL, &f.MediaType, &f.Bytes, &f.SHA256); err != nil {
			return nil, err
		}
		files[n] = f
	}
	return files, errors.Join(rows.Err())
}
