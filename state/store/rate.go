package store

import (
	"context"

	"darkroom/api"
)

// Rating is what a person thinks of a job's results.
type Rating struct {
	Pick  int // 1: favourite, the pick; -1: rejected; 0: neither
	Stars int // 0 to 5
}

// MaxStars is the most stars that a Rating has.
const MaxStars = 5

// Rated is a job with the rating that it gets.
type Rated struct {
	ID string
	Rating
}

// Rate rates jobs as one step. The answer has those whose rating changed.
func (s *Store) Rate(ctx context.Context, rated []Rated) (ids []string, err error) {
	err = s.change(ctx, func(t *transaction) {
		for _, r := range rated {
			pick, stars := max(min(r.Pick, 1), -1), max(min(r.Stars, MaxStars), 0)
			if t.rows(`INSERT INTO ratings (step, seq, pick, stars)
			  SELECT `+changeNumber+`, seq, pick, stars FROM jobs WHERE id = ? AND (pick <> ? OR stars <> ?)`, r.ID, pick, stars) > 0 {
				t.rate(r.ID, pick, stars)
				ids = append(ids, r.ID)
			}
		}
	})
	return ids, err
}

func (t *transaction) rate(id string, pick, stars int) {
	t.run(`UPDATE jobs SET pick=?, stars=?, `+newVersion+` WHERE id=?`, pick, stars, id)
}

// UndoRating takes the newest step back and returns its jobs.
func (s *Store) UndoRating(ctx context.Context) (ids []string, err error) {
	err = s.write(ctx, func(t *transaction) {
		// before that step
		scan := func(sc scanner) (r Rated, err error) { err = sc.Scan(&r.ID, &r.Pick, &r.Stars); return r, err }
		before, err := all(t.ctx, t, scan, `SELECT jobs.id, ratings.pick, ratings.stars FROM ratings JOIN jobs ON jobs.seq = ratings.seq
		  WHERE step = (SELECT max(step) FROM ratings) ORDER BY ratings.id`)
		if t.fail(err); len(before) == 0 {
			return
		}
		t.count()
		for _, r := range before {
			t.rate(r.ID, r.Pick, r.Stars)
			ids = append(ids, r.ID)
		}
		t.run(`DELETE FROM ratings WHERE step = (SELECT max(step) FROM ratings)`)
	})
	return ids, err
}

// MaxNote is the most bytes of a note.
const MaxNote = 500

// Annotate keeps a note with a job; "" takes it away.
func (s *Store) Annotate(ctx context.Context, id, note string) error {
	return s.update(ctx, `UPDATE jobs SET note=?, `+newVersion+` WHERE id=?`, api.Clean(note, MaxNote).String(), id)
}

// Hide takes jobs out of the list, or puts them back, and returns those that
// changed. Active jobs and those of unknown outcome stay in the list.
func (s *Store) Hide(ctx context.Context, ids []string, hidden bool) (moved []string, err error) {
	err = s.change(ctx, func(t *transaction) {
		for _, id := range ids {
			if t.rows(`UPDATE jobs SET hidden=?, unseen=0, `+newVersion+` WHERE id=? AND hidden<>? AND (? = 0
			  OR phase NOT IN ('intent','sending','queued','running','fetching') AND (phase NOT IN ('unknown','unread') OR dismissed))`,
				hidden, id, hidden, hidden) > 0 {
				moved = append(moved, id)
			}
		}
	})
	return moved, err
}

// See notes that results were looked at, and reports whether one was not before.
func (s *Store) See(ctx context.Context, ids []string) (first bool, err error) {
	const these = ` unseen <> 0 AND id IN (SELECT value FROM json_each(?))`
	first, err = value[bool](ctx, s.r, `SELECT EXISTS (SELECT 1 FROM jobs WHERE`+these+`)`, object{ids})
	if first { // nothing is written for what was seen before
		err = s.run(ctx, `UPDATE jobs SET unseen=0 WHERE`+these, object{ids})
	}
	return first && err == nil, err
}

// MarkOpened reports whether this call was the first for a finished job.
func (s *Store) MarkOpened(ctx context.Context, id string) (bool, error) {
	var n int64
	err := s.write(ctx, func(t *transaction) {
		n = t.rows(`UPDATE jobs SET opened=1 WHERE id=? AND opened=0 AND phase='done'`, id)
	})
	return n > 0, err
}
