package store

import (
	"context"
	"errors"

	"darkroom/api"
)

var whyListApart = api.Declare("store_list_apart", "job %v is in the list and cannot be read: %v")

// eachPage is how many jobs are in memory at a time.
const eachPage = 500

// Each calls do with each job of the list that matches and its files: the held
// ones first, then the newest, from the query's offset on; limit 0 means all. An
// error of do ends it.
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
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.ID
	}
	where, args := among(`id`, ids)
	found, err := all(ctx, s.r, scanJob, `SELECT `+jobColumns+jobSource+`WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	files, err := all(ctx, s.r, scanFile, `SELECT seq, `+fileColumns+` FROM files
	  WHERE seq IN (SELECT seq FROM jobs WHERE `+where+`) ORDER BY seq, n`, args...)
	of := map[int64][]File{}
	for _, f := range files {
		of[f.number] = append(of[f.number], f.File)
	}
	jobs := make(map[string]Job, len(found))
	for _, j := range found {
		j.Files = of[j.seq]
		jobs[j.ID] = j.Job
	}
	return jobs, err
}
