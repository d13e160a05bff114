package store

import (
	"context"
)

// Relative is a job that another one was made from, or into.
type Relative struct {
	Row
	Sources []string // ids of the jobs whose results it used, or that it repeats
	Charged bool     // it counts as spent
}

// maxRelatives bounds a lineage.
const maxRelatives = 200

// Lineage returns a job with all that it was made from and all that was made
// from it, oldest first.
func (s *Store) Lineage(ctx context.Context, id string) ([]Relative, error) {
	list, err := all(ctx, s.r, scanRelative, `WITH RECURSIVE
	  start(seq) AS (SELECT seq FROM jobs WHERE id = ?1),
	  up(seq) AS (SELECT seq FROM start UNION SELECT u.source FROM up JOIN uses u ON u.seq = up.seq
	    UNION SELECT p.seq FROM up JOIN jobs c ON c.seq = up.seq JOIN jobs p ON p.id = c.parent),
	  down(seq) AS (SELECT seq FROM start UNION SELECT u.seq FROM down JOIN uses u ON u.source = down.seq
	    UNION SELECT c.seq FROM down JOIN jobs p ON p.seq = down.seq JOIN jobs c ON c.parent = p.id AND c.parent <> '')
	  SELECT `+rowColumns+`, `+accepted+` FROM jobs WHERE seq IN (SELECT seq FROM up UNION SELECT seq FROM down) ORDER BY seq LIMIT ?2`,
		id, maxRelatives)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Sources, err = s.sources(ctx, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func scanRelative(sc scanner) (r Relative, err error) {
	r.Row, err = scanRowAnd(sc, &r.Charged)
	return r, err
}

// sources are the jobs that one was made from directly.
func (s *Store) sources(ctx context.Context, id string) ([]string, error) {
	return all(ctx, s.r, column[string], `SELECT id FROM jobs WHERE seq IN (
	  SELECT source FROM uses WHERE seq = (SELECT seq FROM jobs WHERE id = ?1)
	  UNION SELECT p.seq FROM jobs c JOIN jobs p ON p.id = c.parent WHERE c.id = ?1 AND c.parent <> '') ORDER BY seq`, id)
}
