package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"darkroom/api"
)

const rowColumns = `id, remote_id, kind, model, phase, status, error, reason, title, credits, source, progress,
 created_at, sent_at, ended_at, expires_at, files, dismissed, completed, version, agreement, label, entry, pick, stars, note,
  hidden, unseen,
 coalesce((SELECT path FROM files WHERE files.seq = jobs.seq ORDER BY n LIMIT 1), ''),
 iif(kind = 'video' AND files, coalesce((SELECT d.request ->> 'duration' FROM details d WHERE d.seq = jobs.seq), ''), '')`

func scanRow(sc scanner) (Row, error) { return scanRowAnd(sc) }

// scanRowAnd scans rowColumns and the columns behind them.
func scanRowAnd(sc scanner, behind ...any) (Row, error) {
	var r Row
	var status, text, reason string
	err := sc.Scan(append([]any{&r.ID, &r.RemoteID, &r.Kind, &r.Model, &r.Phase, &status, &text, &reason, &r.Title, &r.Credits,
		&r.Source, &r.Progress, moment{&r.CreatedAt}, moment{&r.SentAt}, moment{&r.EndedAt}, moment{&r.ExpiresAt}, &r.Files,
		&r.Dismissed, &r.Completed, &r.Version, &r.Agreement, &r.Label, &r.Entry, &r.Pick, &r.Stars, &r.Note,
		&r.Hidden, &r.Unseen, &r.File, &r.Duration}, behind...)...)
	// cleaned before, but another program may have written to the file
	r.Status, r.Error = api.Clean(status, api.MaxStatusText), api.ParseReason(reason, text)
	return r, err
}

const jobColumns = rowColumns + `, ` + sentAgainAs + `, iif(files, (SELECT json_group_array(json_object(
  'path', path, 'url', url, 'media_type', media_type, 'bytes', bytes, 'sha256', sha256))
   FROM (SELECT * FROM files WHERE files.seq = jobs.seq ORDER BY n)), 'null'),
 jobs.seq, base, err_class, next_poll, opened, request, body, estimate, results,
` + patternColumn

// relatedColumn comes after jobColumns; a list of all jobs leaves it out.
const relatedColumn = `, parent <> '' OR EXISTS (SELECT 1 FROM uses u WHERE u.seq = jobs.seq)
  OR EXISTS (SELECT 1 FROM uses u WHERE u.source = jobs.seq)
  OR EXISTS (SELECT 1 FROM jobs c WHERE c.parent = jobs.id AND c.parent <> '')`

const patternColumn = `coalesce((SELECT pattern FROM agreements WHERE agreements.id = agreement), 'null')`

const jobSource = ` FROM jobs LEFT JOIN details ON details.seq = jobs.seq `

// stored is a job with the number of its row.
type stored struct {
	Job
	seq int64
}

func scanJob(sc scanner) (j stored, err error) {
	j.Row, err = scanRowAnd(sc, &j.Again, object{&j.Files},
		&j.seq, &j.Base, &j.ErrClass, moment{&j.NextPoll}, &j.Opened, object{&j.Request}, (*[]byte)(&j.Body),
		object{&j.Estimate}, object{&j.Results}, object{&j.Pattern}, &j.Related)
	if err != nil {
		return j, whyJobUnread.Fault(err, j.ID, err)
	}
	return j, nil
}

// Job returns one job, or one held request, by its local id.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	q := s.compiled()
	for range 2 { // it may be sent between the two questions
		list, err := jobsWhere(ctx, q, `id = ? LIMIT 1`, id)
		if err != nil {
			return Job{}, err
		}
		if len(list) > 0 {
			return list[0].Job, nil
		}
		h, err := scanHeld(q.QueryRowContext(ctx, `SELECT `+heldColumns+` FROM held WHERE id = ?`, id))
		if !errors.Is(err, sql.ErrNoRows) {
			return h.Job, err
		}
	}
	return Job{}, ErrMissing
}

// jobsWhere reads jobs with their files.
func jobsWhere(ctx context.Context, q querier, where string, args ...any) ([]stored, error) {
	return all(ctx, q, scanJob, `SELECT `+jobColumns+relatedColumn+jobSource+`WHERE `+where, args...)
}

// Find finds a job by its local id, else by the service's id at the base in use,
// else at another one, else by a unique prefix of either.
func (s *Store) Find(ctx context.Context, id, base string) (j Job, err error) {
	if id == "" {
		return j, ErrMissing
	}
	if j, err = s.Job(ctx, id); !errors.Is(err, ErrMissing) {
		return j, err
	}
	for _, where := range []string{
		`remote_id <> '' AND remote_id = ?1 AND base = ?2`,
		`remote_id <> '' AND remote_id = ?1 AND base <> ?2`,
		`id >= ?1 AND id < ?1 || char(0x10ffff) UNION SELECT id FROM held WHERE id >= ?1 AND id < ?1 || char(0x10ffff)
		  UNION SELECT id FROM jobs WHERE remote_id <> '' AND remote_id >= ?1 AND remote_id < ?1 || char(0x10ffff)`,
	} {
		found, err := all(ctx, s.r, column[string], `SELECT id FROM jobs WHERE `+where+` LIMIT 5`, id, base)
		switch {
		case err != nil:
			return j, err
		case len(found) > 1:
			return j, whySeveral.Fault(ErrMissing, api.Clean(id, 40), strings.Join(found, ", "))
		case len(found) == 1:
			return s.Job(ctx, found[0])
		}
	}
	return j, ErrMissing
}

// Changes returns at most 1,000 ids changed after a number, and the next number.
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

// Answer is the newest raw answer about a job, or only the one to its "create"; nil
// without one.
func (s *Store) Answer(ctx context.Context, id, call string) ([]byte, error) {
	return value[[]byte](ctx, s.r, `SELECT raw FROM answers JOIN jobs ON jobs.seq = answers.seq
	  WHERE jobs.id = ?1 AND ?2 IN ('', call) ORDER BY at DESC, call DESC LIMIT 1`, id, call)
}
