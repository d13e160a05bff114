package store

import (
	"context"
	"strings"
	"time"

	"darkroom/api"
)

// List returns a window of the list, newest first unless the question says
// otherwise. Limit 0 means 100.
func (s *Store) List(ctx context.Context, q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	q.Offset = max(q.Offset, 0)
	p := Page{Offset: q.Offset}
	var last int64
	var hidden int
	err := s.r.QueryRowContext(ctx, `SELECT
	  (SELECT n FROM counters WHERE name='all'), (SELECT n FROM counters WHERE name='active'),
	  (SELECT count(*) FROM jobs WHERE hidden <> 0), (SELECT count(*) FROM jobs WHERE unseen <> 0),
	  coalesce((SELECT max(seq) FROM jobs), 0)`).
		Scan(&p.All, &p.Active, &hidden, &p.Unseen, &last)
	if err != nil {
		return p, err
	}
	p.All -= hidden
	c := parseFilter(q.Filter, time.Now())
	if q.Results {
		c.add(`files > 0`)
	}
	if len(c.where) > 0 || q.Sort != "" {
		if !c.all {
			c.add(`hidden = 0`)
		}
		err = s.listMatching(ctx, q, c, &p)
		return p, err
	}
	p.Total = p.All
	if hidden > 0 {
		p.Rows, err = s.rows(ctx, `WHERE hidden = 0 ORDER BY seq DESC LIMIT ? OFFSET ?`, q.Limit, q.Offset)
		return p, err
	}
	// No row is ever deleted, so the sequence has no holes and a window can be
	// found by its number instead of by stepping over all rows before it.
	where, args := `ORDER BY seq DESC LIMIT ? OFFSET ?`, []any{q.Limit, q.Offset}
	if last == int64(p.All) {
		where, args = `WHERE seq <= ? ORDER BY seq DESC LIMIT ?`, []any{last - int64(q.Offset), q.Limit}
	}
	p.Rows, err = s.rows(ctx, where, args...)
	return p, err
}

func (s *Store) rows(ctx context.Context, where string, args ...any) ([]Row, error) {
	return all(ctx, s.r, scanRow, `SELECT `+rowColumns+` FROM jobs `+where, args...)
}

// listMatching finds every job of a condition, to count them, and reads the rows
// of a window alone.
func (s *Store) listMatching(ctx context.Context, q Query, c condition, p *Page) error {
	order := ` ORDER BY ` + orderOf(q.Sort)
	seqs, err := all(ctx, s.r, column[int64], `SELECT seq FROM jobs WHERE `+strings.Join(append(c.where, `1`), ` AND `)+order, c.args...)
	if err != nil {
		return err
	}
	p.Total = len(seqs)
	if q.Offset >= len(seqs) {
		return nil
	}
	where, args := among(`seq`, seqs[q.Offset:min(q.Offset+q.Limit, len(seqs))])
	p.Rows, err = s.rows(ctx, `WHERE `+where+order, args...)
	return err
}

// orderOf is the order of a name; one that is not known is newest first.
func orderOf(sort string) string {
	if order, ok := sorts[sort]; ok {
		return order
	}
	return sorts[""]
}

// among is the condition that a column has one of some values.
func among[T any](column string, values []T) (where string, args []any) {
	for _, v := range values {
		args = append(args, v)
	}
	return column + ` IN (` + strings.TrimSuffix(strings.Repeat(`?,`, len(args)), `,`) + `)`, args
}

// fold makes letters of either case the same for searching.
func fold(text string) string { return strings.ToLower(text) }

// Relative is a job that another one was made from, or into.
type Relative struct {
	Row
	Sources []string // ids of the jobs whose results it used, or that it repeats
	Charged bool     // it counts as spent
}

// maxRelatives bounds a lineage. It is not an argument: SQLite compiles a question
// again whenever its limit is bound.
const maxRelatives = `200`

// Lineage returns a job with all that it was made from and all that was made
// from it, oldest first.
func (s *Store) Lineage(ctx context.Context, id string) ([]Relative, error) {
	return all(ctx, s.compiled(), scanRelative, `WITH RECURSIVE
	  start(seq) AS (SELECT seq FROM jobs WHERE id = ?1),
	  up(seq) AS (SELECT seq FROM start UNION SELECT u.source FROM up JOIN uses u ON u.seq = up.seq
	    UNION SELECT p.seq FROM up JOIN jobs c ON c.seq = up.seq JOIN jobs p ON p.id = c.parent),
	  down(seq) AS (SELECT seq FROM start UNION SELECT u.seq FROM down JOIN uses u ON u.source = down.seq
	    UNION SELECT c.seq FROM down JOIN jobs p ON p.seq = down.seq JOIN jobs c ON c.parent = p.id AND c.parent <> '')
	  SELECT `+rowColumns+`, `+accepted+`, (SELECT json_group_array(id) FROM (SELECT s.id FROM jobs s WHERE s.id = jobs.parent
	    OR s.seq IN (SELECT source FROM uses WHERE uses.seq = jobs.seq) ORDER BY s.seq))
	  FROM jobs WHERE seq IN (SELECT seq FROM up UNION SELECT seq FROM down) ORDER BY seq LIMIT `+maxRelatives, id)
}

func scanRelative(sc scanner) (r Relative, err error) {
	r.Row, err = scanRowAnd(sc, &r.Charged, object{&r.Sources})
	return r, err
}

// Sent is a request that was confirmed, with what became of it.
type Sent struct {
	Row
	Request api.Request
}

// HistoryQuery asks for requests that were confirmed.
type HistoryQuery struct {
	Contains string    // in the prompt, the model or the kind
	Since    time.Time // zero: all
	Starred  bool      // only those whose job has a star
	ByModel  bool      // only the one of each model that was accepted last
	Limit    int       // 0: 100
}

// History returns requests that were confirmed, newest first.
func (s *Store) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	where, args := []string{`hidden = 0`, `json_extract(details.request, '$.prompt') <> ''`}, []any{}
	if text := fold(strings.TrimSpace(q.Contains)); text != "" {
		where = append(where, `(json_extract(details.request, '$.prompt') IN (SELECT text FROM prompts WHERE instr(folded, ?))
			OR instr(folded, ?))`)
		args = append(args, text, text)
	}
	if !q.Since.IsZero() {
		where, args = append(where, `created_at >= ?`), append(args, millis(q.Since))
	}
	if q.Starred {
		where = append(where, `pick > 0`)
	}
	if q.ByModel {
		where = append(where, `jobs.seq IN (SELECT CAST(value AS INTEGER) FROM notes WHERE substr(name, 1, length(?)) = ?)`)
		args = append(args, lastOfModel, lastOfModel)
	}
	return all(ctx, s.r, scanSent, `SELECT `+rowColumns+`, details.request FROM jobs JOIN details ON details.seq = jobs.seq
	  WHERE `+strings.Join(where, " AND ")+` ORDER BY jobs.seq DESC LIMIT ?`, append(args, q.Limit)...)
}

func scanSent(sc scanner) (one Sent, err error) {
	one.Row, err = scanRowAnd(sc, object{&one.Request})
	return one, err
}
