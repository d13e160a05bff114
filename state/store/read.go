package store

import (
	"context"
	"errors"

	"darkroom/api"
)

const rowColumns = `id, remote_id, kind, model, phase, status, error, reason, title, credits, source, progress,
 created_at, sent_at, ended_at, expires_at, files, dismissed, version, agreement, label, pick, stars, note, hidden, unseen,
 coalesce((SELECT path FROM files WHERE files.seq = jobs.seq ORDER BY n LIMIT 1), '')`

func scanRow(sc scanner) (Row, error) { return scanRowAnd(sc) }

// scanRowAnd scans rowColumns and the columns behind them.
func scanRowAnd(sc scanner, behind ...any) (Row, error) {
	var r Row
	var status, text, reason string
	err := sc.Scan(append([]any{&r.ID, &r.RemoteID, &r.Kind, &r.Model, &r.Phase, &status, &text, &reason, &r.Title, &r.Credits,
		&r.Source, &r.Progress, moment{&r.CreatedAt}, moment{&r.SentAt}, moment{&r.EndedAt}, moment{&r.ExpiresAt}, &r.Files,
		&r.Dismissed, &r.Version, &r.Agreement, &r.Label, &r.Pick, &r.Stars, &r.Note, &r.Hidden, &r.Unseen, &r.File}, behind...)...)
	// What the file holds was cleaned before, but another program may have
	// written to it.
	r.Status, r.Error = api.Clean(status, api.MaxStatusText), api.ParseReason(reason, text)
	return r, err
}

const jobColumns = rowColumns + `, jobs.seq, base, err_class, next_poll, opened, request, body, estimate, results,
 coalesce((SELECT pattern FROM agreements WHERE agreements.id = agreement), 'null'),
 parent <> '' OR EXISTS (SELECT 1 FROM uses u WHERE u.seq = jobs.seq) OR EXISTS (SELECT 1 FROM uses u WHERE u.source = jobs.seq)
  OR EXISTS (SELECT 1 FROM jobs c WHERE c.parent = jobs.id AND c.parent <> '')`

const jobSource = ` FROM jobs LEFT JOIN details ON details.seq = jobs.seq `

// stored is a job with the number of its row.
type stored struct {
	Job
	seq int64
}

func scanJob(sc scanner) (j stored, err error) {
	j.Row, err = scanRowAnd(sc, &j.seq, &j.Base, &j.ErrClass, moment{&j.NextPoll}, &j.Opened, object{&j.Request}, (*[]byte)(&j.Body),
		object{&j.Estimate}, object{&j.Results}, object{&j.Pattern}, &j.Related)
	if err != nil {
		return j, whyJobUnread.Fault(err, j.ID, err)
	}
	return j, nil
}

// Job returns one job, or one held request, by its local id.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	q := s.compiled()
	j, err := s.jobWhere(ctx, q, `id = ?`, id)
	if !errors.Is(err, ErrMissing) {
		return j, err
	}
	if j, err = heldJob(ctx, q, id); errors.Is(err, ErrMissing) {
		return s.jobWhere(ctx, q, `id = ?`, id) // it was sent between the two
	}
	return j, err
}

// jobWhere reads one job with its files; ErrMissing without one.
func (s *Store) jobWhere(ctx context.Context, q querier, where string, args ...any) (Job, error) {
	list, err := jobsWhere(ctx, q, where+` LIMIT 1`, args...)
	switch {
	case err != nil:
		return Job{}, err
	case len(list) == 0:
		return Job{}, ErrMissing
	}
	return list[0].Job, nil
}

const fileColumns = `path, url, media_type, bytes, sha256`

// numbered is a file with the number of its job's row, or its own among the
// results of its job.
type numbered struct {
	number int64
	File
}

func scanFile(sc scanner) (f numbered, err error) {
	err = sc.Scan(&f.number, &f.Path, &f.URL, &f.MediaType, &f.Bytes, &f.SHA256)
	return f, err
}

// jobsWhere reads jobs with their files.
func jobsWhere(ctx context.Context, q querier, where string, args ...any) ([]stored, error) {
	list, err := all(ctx, q, scanJob, `SELECT `+jobColumns+jobSource+`WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	var seqs []int64
	of := map[int64]*stored{}
	for i := range list {
		if j := &list[i]; j.Row.Files > 0 {
			of[j.seq], seqs = j, append(seqs, j.seq)
		}
	}
	if len(seqs) == 0 {
		return list, nil
	}
	files, err := all(ctx, q, scanFile, `SELECT seq, `+fileColumns+` FROM files
	  WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq, n`, object{seqs})
	for _, f := range files {
		j := of[f.number]
		j.Files = append(j.Files, f.File)
	}
	return list, err
}

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
	found, err := all(ctx, s.r, column[string], `SELECT id FROM jobs WHERE id >= ?1 AND id < ?2
	  UNION ALL SELECT id FROM held WHERE id >= ?1 AND id < ?2 LIMIT 2`, id, id+"\U0010ffff")
	if err != nil {
		return Job{}, err
	}
	switch len(found) {
	case 1:
		return s.Job(ctx, found[0])
	case 2:
		return Job{}, whySeveral.Fault(nil, api.Clean(id, 40))
	}
	return s.jobWhere(ctx, s.r, `remote_id = ? AND remote_id <> '' ORDER BY jobs.seq DESC`, id)
}

// Changes returns the ids of jobs that changed after the given number, at most
// 1,000 of them, and the number to ask with next.
func (s *Store) Changes(ctx context.Context, after int64) ([]string, int64, error) {
	now, err := s.ChangeNumber(ctx)
	if err != nil || now == after {
		return nil, after, err
	}
	last := after
	scanID := func(sc scanner) (id string, err error) { err = sc.Scan(&id, &last); return id, err }
	ids, err := all(ctx, s.r, scanID, `SELECT id, version FROM jobs WHERE version > ?1
	  UNION ALL SELECT id, version FROM held WHERE version > ?1 ORDER BY version LIMIT 1000`, after)
	if err != nil {
		return nil, after, err
	}
	if len(ids) < 1000 {
		last = max(last, now)
	}
	return ids, last, nil
}

// ChangeNumber is the number of the newest change.
func (s *Store) ChangeNumber(ctx context.Context) (int64, error) {
	return column[int64](s.r.QueryRowContext(ctx, `SELECT `+changeNumber))
}

// CreateAnswer is the raw answer to a job's create, ErrMissing when there is
// none.
func (s *Store) CreateAnswer(ctx context.Context, id string) ([]byte, error) {
	raw, err := column[[]byte](s.r.QueryRowContext(ctx, `SELECT raw FROM answers
		WHERE call='create' AND seq=(SELECT seq FROM jobs WHERE id=?)`, id))
	return raw, orMissing(err)
}

// Answer is the newest raw answer about a job, ErrMissing when there is none.
func (s *Store) Answer(ctx context.Context, id string) ([]byte, error) {
	raw, err := column[[]byte](s.r.QueryRowContext(ctx, `SELECT raw FROM answers JOIN jobs ON jobs.seq = answers.seq
	  WHERE jobs.id = ? ORDER BY at DESC, call DESC LIMIT 1`, id))
	return raw, orMissing(err)
}
