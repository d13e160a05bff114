package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"darkroom/api"
	"darkroom/state/store/schema"
)

const rowColumns = `id, remote_id, kind, model, phase, status, error, reason, title, credits, source, progress,
 created_at, sent_at, ended_at, expires_at, files, dismissed, version, agreement, label, pick, stars, note, hidden, unseen,
 coalesce((SELECT path FROM files WHERE files.seq = jobs.seq ORDER BY n LIMIT 1), '')`

type scanner interface{ Scan(dest ...any) error }

func scanRow(sc scanner) (Row, error) {
	var r Row
	var status, text, reason string
	var created, sent, ended, expires int64
	err := sc.Scan(&r.ID, &r.RemoteID, &r.Kind, &r.Model, &r.Phase, &status, &text, &reason, &r.Title, &r.Credits,
		&r.Source, &r.Progress, &created, &sent, &ended, &expires, &r.Files, &r.Dismissed, &r.Version,
		&r.Agreement, &r.Label, &r.Pick, &r.Stars, &r.Note, &r.Hidden, &r.Unseen, &r.File)
	// What the file holds was cleaned before, but another program may have
	// written to it.
	r.Status, r.Error = api.Clean(status, api.MaxStatusText), api.ParseReason(reason, text)
	r.CreatedAt, r.SentAt, r.EndedAt, r.ExpiresAt = moment(created), moment(sent), moment(ended), moment(expires)
	return r, err
}

const jobColumns = `jobs.seq, id, remote_id, base, kind, model, phase, status, error, reason, err_class, title, progress,
 created_at, sent_at, ended_at, expires_at, next_poll, dismissed, opened, version, agreement, label, pick, stars, note, hidden, request, body, estimate, results`

const jobSource = ` FROM jobs JOIN details ON details.seq = jobs.seq `

func scanJob(sc scanner) (Job, int64, error) {
	var j Job
	var seq, created, sent, ended, expires, next int64
	var status, text, reason, request, estimate, results string
	var body []byte
	err := sc.Scan(&seq, &j.ID, &j.RemoteID, &j.Base, &j.Kind, &j.Model, &j.Phase, &status, &text, &reason, &j.ErrClass,
		&j.Title, &j.Progress, &created, &sent, &ended, &expires, &next, &j.Dismissed, &j.Opened, &j.Version,
		&j.Agreement, &j.Label, &j.Pick, &j.Stars, &j.Note, &j.Hidden, &request, &body, &estimate, &results)
	if err != nil {
		return Job{}, 0, err
	}
	j.Status, j.Error = api.Clean(status, api.MaxStatusText), api.ParseReason(reason, text)
	j.CreatedAt, j.SentAt, j.EndedAt = moment(created), moment(sent), moment(ended)
	j.ExpiresAt, j.NextPoll = moment(expires), moment(next)
	j.Body = body
	err = errors.Join(json.Unmarshal([]byte(request), &j.Request), json.Unmarshal([]byte(estimate), &j.Estimate),
		json.Unmarshal([]byte(results), &j.Results))
	if err != nil {
		return Job{}, 0, whyJobUnread.Fault(err, err)
	}
	return j, seq, nil
}

// Job returns one job, or one held request, by its local id.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	j, err := s.jobWhere(ctx, s.r, `id = ?`, id)
	if !errors.Is(err, ErrMissing) {
		return j, err
	}
	if j, err = s.heldJob(ctx, id); errors.Is(err, ErrMissing) {
		return s.jobWhere(ctx, s.r, `id = ?`, id) // it was sent between the two
	}
	return j, err
}

// jobWhere reads one job with its files; ErrMissing without one.
func (s *Store) jobWhere(ctx context.Context, q schema.Querier, where string, args ...any) (Job, error) {
	j, seq, err := scanJob(q.QueryRowContext(ctx, `SELECT `+jobColumns+jobSource+`WHERE `+where+` LIMIT 1`, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return Job{}, ErrMissing
	}
	if err != nil {
		return Job{}, err
	}
	if j.Files, err = filesOf(ctx, q, seq); err != nil {
		return j, err
	}
	return j, s.pattern(ctx, q, &j)
}

func filesOf(ctx context.Context, q schema.Querier, seq int64) ([]File, error) {
	rows, err := q.QueryContext(ctx, `SELECT path, url, media_type, bytes, sha256 FROM files WHERE seq = ? ORDER BY n`, seq)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var files []File
	for rows.Next() {
		var f File
		if err := rows.Scan(&f.Path, &f.URL, &f.MediaType, &f.Bytes, &f.SHA256); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, rows.Err()
}

// AmbiguousError says that a prefix names several jobs.
type AmbiguousError struct{ Prefix string }

func (e *AmbiguousError) Error() string {
	return e.Why().String()
}

// Why gives the reason.
func (e *AmbiguousError) Why() api.Reason { return whySeveral.Reason(api.Clean(e.Prefix, 40)) }

// Find finds a job by local id, unique prefix of it, or the service's id, in
// this order.
func (s *Store) Find(ctx context.Context, id string) (Job, error) {
	if id == "" {
		return Job{}, ErrMissing
	}
	j, err := s.Job(ctx, id)
	if !errors.Is(err, ErrMissing) {
		return j, err
	}
	rows, err := s.r.QueryContext(ctx, `SELECT id FROM jobs WHERE id >= ?1 AND id < ?2
	  UNION ALL SELECT id FROM held WHERE id >= ?1 AND id < ?2 LIMIT 2`, id, id+"\U0010ffff")
	if err != nil {
		return Job{}, err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return Job{}, err
		}
		found = append(found, one)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return Job{}, err
	}
	switch len(found) {
	case 1:
		return s.Job(ctx, found[0])
	case 2:
		return Job{}, &AmbiguousError{Prefix: id}
	}
	return s.jobWhere(ctx, s.r, `remote_id = ? AND remote_id <> '' ORDER BY jobs.seq DESC`, id)
}

// Changes returns the ids of jobs that changed after the given number, at most
// 1,000 of them, and the number to ask with next.
func (s *Store) Changes(ctx context.Context, after int64) ([]string, int64, error) {
	var now int64
	if err := s.r.QueryRowContext(ctx, `SELECT n FROM counters WHERE name='change'`).Scan(&now); err != nil || now == after {
		return nil, after, err
	}
	rows, err := s.r.QueryContext(ctx, `SELECT id, version FROM jobs WHERE version > ?1
	  UNION ALL SELECT id, version FROM held WHERE version > ?1 ORDER BY version LIMIT 1000`, after)
	if err != nil {
		return nil, after, err
	}
	defer func() { _ = rows.Close() }()
	var ids []string
	last := after
	for rows.Next() {
		var id string
		if err := rows.Scan(&id, &last); err != nil {
			return nil, after, err
		}
		ids = append(ids, id)
	}
	if len(ids) < 1000 {
		last = max(last, now)
	}
	return ids, last, rows.Err()
}

// ChangeNumber is the number of the newest change.
func (s *Store) ChangeNumber(ctx context.Context) (int64, error) {
	var now int64
	err := s.r.QueryRowContext(ctx, `SELECT n FROM counters WHERE name='change'`).Scan(&now)
	return now, err
}

// CreateAnswer is the raw answer to a job's create, ErrMissing when there is
// none.
func (s *Store) CreateAnswer(ctx context.Context, id string) ([]byte, error) {
	var raw []byte
	err := s.r.QueryRowContext(ctx, `SELECT raw FROM answers WHERE call='create' AND seq=(SELECT seq FROM jobs WHERE id=?)`, id).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrMissing
	}
	return raw, err
}

// Answer is the newest raw answer about a job, ErrMissing when there is none.
func (s *Store) Answer(ctx context.Context, id string) ([]byte, error) {
	var raw []byte
	err := s.r.QueryRowContext(ctx, `SELECT raw FROM answers JOIN jobs ON jobs.seq = answers.seq
	  WHERE jobs.id = ? ORDER BY at DESC, call DESC LIMIT 1`, id).Scan(&raw)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrMissing
	}
	return raw, err
}
