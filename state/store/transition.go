package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"darkroom/api"
)

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
