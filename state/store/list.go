package store

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// matches remembers which jobs matched the last filter, so that scrolling
// through a filtered list does not scan the table for every window.
type matches struct {
	mu     sync.Mutex
	filter string
	change int64
	seqs   []int64 // newest first
}

// List returns a window of the list, newest first. Limit 0 means 100.
func (s *Store) List(ctx context.Context, q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	q.Offset = max(q.Offset, 0)
	p := Page{Offset: q.Offset}
	var change, last int64
	err := s.r.QueryRowContext(ctx, `SELECT
	  (SELECT n FROM counters WHERE name='all'), (SELECT n FROM counters WHERE name='active'),
	  (SELECT n FROM counters WHERE name='change'), coalesce((SELECT max(seq) FROM jobs), 0)`).
		Scan(&p.All, &p.Active, &change, &last)
	if err != nil {
		return p, err
	}
	words := strings.Fields(fold(q.Filter))
	if len(words) > 0 {
		err = s.listMatching(ctx, q, words, change, &p)
		return p, err
	}
	p.Total = p.All
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
	rows, err := s.r.QueryContext(ctx, `SELECT `+s.columns(rowColumns)+` FROM jobs `+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []Row
	for rows.Next() {
		r, err := scanRow(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

func (s *Store) listMatching(ctx context.Context, q Query, words []string, change int64, p *Page) error {
	seqs, err := s.matching(ctx, words, change)
	if err != nil {
		return err
	}
	p.Total = len(seqs)
	if q.Offset >= len(seqs) {
		return nil
	}
	window := seqs[q.Offset:min(q.Offset+q.Limit, len(seqs))]
	marks := strings.TrimSuffix(strings.Repeat("?,", len(window)), ",")
	args := make([]any, len(window))
	for i, seq := range window {
		args[i] = seq
	}
	p.Rows, err = s.rows(ctx, `WHERE seq IN (`+marks+`) ORDER BY seq DESC`, args...)
	return err
}

// matching finds every job that holds all words, newest first.
func (s *Store) matching(ctx context.Context, words []string, change int64) ([]int64, error) {
	s.match.mu.Lock()
	defer s.match.mu.Unlock()
	filter := strings.Join(words, " ")
	if s.match.filter == filter && s.match.change == change {
		return s.match.seqs, nil
	}
	var where strings.Builder
	var args []any
	for i, w := range words {
		if i > 0 {
			where.WriteString(` AND `)
		}
		where.WriteString(`(instr(folded, ?) OR instr(phase, ?) OR instr(lower(status), ?) OR instr(lower(remote_id), ?))`)
		args = append(args, w, w, w, w)
	}
	rows, err := s.r.QueryContext(ctx, `SELECT seq FROM jobs WHERE `+where.String(), args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var seqs []int64
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, err
		}
		seqs = append(seqs, seq)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	slices.Sort(seqs)
	slices.Reverse(seqs)
	s.match.filter, s.match.change, s.match.seqs = filter, change, seqs
	return seqs, nil
}

// fold makes letters of either case the same for searching.
func fold(text string) string { return strings.ToLower(text) }
