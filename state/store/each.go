package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"darkroom/api"
)

var whyListApart = api.Declare("store_list_apart", "job %v is in the list and cannot be read: %v")

// eachPage is how many jobs are in memory at a time.
const eachPage = 500

// Each reads the jobs of the list that match, held ones first, then the newest,
// from the query's offset on, and hands out each with its files; limit 0 means all. An error of
// do ends it.
func (s *Store) Each(ctx context.Context, q Query, do func(Job) error) error {
	for left := q.Limit; q.Limit == 0 || left > 0; {
		window := q
		window.Limit = eachPage
		if q.Limit > 0 {
			window.Limit = min(eachPage, left)
		}
		page, err := s.Listing(ctx, window)
		if err != nil {
			return err
		}
		jobs, err := s.jobsOf(ctx, page.Rows)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			job, ok := jobs[row.ID]
			err := s.pattern(ctx, s.r, &job)
			if !ok {
				job, err = s.Job(ctx, row.ID) // it is held, or was
			}
			switch {
			case errors.Is(err, ErrMissing) && row.Phase == api.PhaseHeld: // removed meanwhile
				continue
			case err != nil:
				return whyListApart.Fault(err, row.ID, Why(err))
			}
			if err := do(job); err != nil {
				return err
			}
		}
		if len(page.Rows) < window.Limit {
			return nil
		}
		q.Offset += len(page.Rows)
		left -= len(page.Rows)
	}
	return nil
}

// jobsOf reads the jobs of some rows with their files, in two questions.
func (s *Store) jobsOf(ctx context.Context, list []Row) (map[string]Job, error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]any, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	among := `id IN (` + strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",") + `)`
	rows, err := s.r.QueryContext(ctx, `SELECT `+jobColumns+jobSource+`WHERE `+among, ids...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	jobs, names := make(map[string]Job, len(ids)), make(map[int64]string, len(ids))
	for rows.Next() {
		j, seq, err := scanJob(rows)
		if err != nil {
			return nil, err
		}
		jobs[j.ID], names[seq] = j, j.ID
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	files, err := s.r.QueryContext(ctx, `SELECT seq, path, url, media_type, bytes, sha256 FROM files
	  WHERE seq IN (SELECT seq FROM jobs WHERE `+among+`) ORDER BY seq, n`, ids...)
	if err != nil {
		return nil, err
	}
	return jobs, addFiles(files, jobs, names)
}

// addFiles puts files that were read at their jobs, which names names by their
// numbers.
func addFiles(rows *sql.Rows, jobs map[string]Job, names map[int64]string) error {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var seq int64
		var f File
		if err := rows.Scan(&seq, &f.Path, &f.URL, &f.MediaType, &f.Bytes, &f.SHA256); err != nil {
			return err
		}
		if j, ok := jobs[names[seq]]; ok { // a job that was just made is not in the map
			j.Files = append(j.Files, f)
			jobs[j.ID] = j
		}
	}
	return rows.Err()
}
