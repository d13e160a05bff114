package store

import (
	"context"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/state/store/schema"
)

// Listing returns a window of everything that was ever confirmed: the held
// requests in the order in which they are sent, then the jobs.
// Limit 0 means 100.
func (s *Store) Listing(ctx context.Context, q Query) (Page, error) {
	if q.Limit <= 0 {
		q.Limit = 100
	}
	q.Offset = max(q.Offset, 0)
	held, all, err := heldRows(ctx, s.r, strings.Fields(fold(q.Filter)))
	if q.Results { // only of jobs that have some
		held = nil
	}
	if err != nil {
		return Page{Offset: q.Offset}, err
	}
	first := held[min(q.Offset, len(held)):min(q.Offset+q.Limit, len(held))]
	rest := q
	rest.Offset, rest.Limit = max(q.Offset-len(held), 0), max(q.Limit-len(first), 1)
	p, err := s.List(ctx, rest)
	p.Offset, p.Total, p.All, p.Held = q.Offset, p.Total+len(held), p.All+all, all
	p.Rows = append(first, p.Rows[:min(len(p.Rows), q.Limit-len(first))]...)
	return p, err
}

// heldRows are the held requests that hold all words, and how many there are.
func heldRows(ctx context.Context, q schema.Querier, words []string) ([]Row, int, error) {
	list, err := all(ctx, q, scanHeldRow, `SELECT id, kind, model, reason, title, credits, source, created_at, version, agreement, label, owner = ''
	  FROM held ORDER BY place`)
	n := len(list)
	return slices.DeleteFunc(list, func(r Row) bool { return !r.matches(words) }), n, err
}

func scanHeldRow(sc scanner) (Row, error) {
	r := Row{Phase: api.PhaseHeld, Progress: -1}
	var reason string
	err := sc.Scan(&r.ID, &r.Kind, &r.Model, &reason, &r.Title, &r.Credits, &r.Source, moment{&r.CreatedAt}, &r.Version, &r.Agreement, &r.Label, &r.Paused)
	r.Error = api.ParseReason(reason, reason)
	return r, err
}

// matches reports whether a held request has all words of a filter. Of the
// words with a meaning of their own it knows those that it can have.
func (r *Row) matches(words []string) bool {
	text := fold(strings.Join([]string{r.Title, r.Label, r.Model, string(r.Kind), string(r.Phase), r.ID}, "\n"))
	for _, w := range words {
		key, value, _ := strings.Cut(w, ":")
		ok := false
		switch key {
		case "is":
			ok = value == string(r.Phase) || value == string(r.Kind)
		case "kind":
			ok = value == string(r.Kind)
		case "model":
			ok = strings.Contains(fold(r.Model), value)
		default:
			ok = strings.Contains(text, w)
		}
		if !ok {
			return false
		}
	}
	return true
}

// heldJob is a held request as the job that it will be; ErrMissing without one.
func heldJob(ctx context.Context, q schema.Querier, id string) (Job, error) {
	h, err := scanHeld(q.QueryRowContext(ctx, `SELECT `+heldColumns+` FROM held WHERE id = ?`, id))
	if err != nil {
		return Job{}, orMissing(err)
	}
	j := Job{
		ID: h.ID, Base: h.Base, Kind: h.Request.Kind, Model: h.Request.Model, Phase: api.PhaseHeld, Error: h.Reason, Title: h.Title,
		Request: h.Request, Body: h.Body, Estimate: h.Estimate, Progress: -1, CreatedAt: h.CreatedAt, Version: h.Version,
		Agreement: h.Agreement, Label: h.Label, Paused: h.Owner == "",
	}
	return j, pattern(ctx, q, &j)
}

// pattern adds the pattern of the agreement that a job is of.
func pattern(ctx context.Context, q schema.Querier, j *Job) error {
	if j.Agreement == "" {
		return nil
	}
	return q.QueryRowContext(ctx, `SELECT pattern FROM agreements WHERE id = ?`, j.Agreement).Scan(object{&j.Pattern})
}
