package store

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"
)

// Each calls do with each job of the list that matches the filter: the held ones
// first, then the newest; limit 0 means all. An error of do ends it. The jobs are
// those that there are at the beginning, each as it is when its page is read. While
// do waits for a pager no transaction is open.
func (s *Store) Each(ctx context.Context, q Query, do func(Job) error) error {
	held, _, err := heldRows(ctx, s.r, strings.Fields(fold(q.Filter)))
	if err != nil {
		return err
	}
	last, err := column[int64](s.r.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM jobs`))
	if err != nil {
		return err
	}
	left, given := q.Limit, map[string]bool{}
	if left <= 0 {
		left = math.MaxInt
	}
	for _, row := range held[:min(len(held), left)] {
		j, err := heldJob(ctx, s.r, row.ID)
		if errors.Is(err, ErrMissing) {
			continue // it was sent meanwhile
		}
		if err == nil {
			err = do(j)
		}
		if err != nil {
			return err
		}
		given[j.ID] = true
		left--
	}
	return s.eachSent(ctx, q.Filter, last, left, func(j Job) error {
		if given[j.ID] {
			return nil // it was sent since
		}
		return do(j)
	})
}

// eachPage is how many jobs are read at a time.
const eachPage = 250

// eachSent is Each for the jobs up to a number.
func (s *Store) eachSent(ctx context.Context, filter string, last int64, left int, do func(Job) error) error {
	c := parseFilter(filter, time.Now())
	if !c.all {
		c.add(`hidden = 0`)
	}
	where := strings.Join(append([]string{`jobs.seq <= ?`}, c.where...), ` AND `) + ` ORDER BY jobs.seq DESC LIMIT ?`
	for left > 0 {
		page, err := jobsWhere(ctx, s.r, where, append(append([]any{last}, c.args...), eachPage)...)
		if err != nil {
			return err
		}
		for i := range page[:min(len(page), left)] {
			if err := do(page[i].Job); err != nil {
				return err
			}
		}
		if len(page) < eachPage {
			return nil
		}
		left -= len(page)
		last = page[len(page)-1].seq - 1
	}
	return nil
}
