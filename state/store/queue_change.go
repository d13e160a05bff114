package store

import (
	"context"
	"errors"
	"slices"
	"strings"

	"darkroom/api"
)

// PauseHeld takes the agreement of a held request from whoever sends it: what
// is left of it waits for the person. It reports whether anything was left.
func (s *Store) PauseHeld(ctx context.Context, agreement, code string, reason api.Reason) (bool, error) {
	err := s.update(ctx, `UPDATE held SET owner='', code=?, reason=?, `+newVersion+` WHERE agreement=? AND owner<>''`,
		code, reason.Stored(), agreement)
	if errors.Is(err, ErrLate) {
		return false, nil
	}
	return err == nil, err
}

// ResumeHeld gives a request that waits for the person to an instance, with the
// price that was agreed to now. ErrLate when it waits no more.
func (s *Store) ResumeHeld(ctx context.Context, instance string, list []Held) error {
	return s.change(ctx, func(t *transaction) {
		for _, h := range list {
			t.one(`UPDATE held SET owner=?, code='', reason='', again=?, credits=?, source=?, estimate=?, `+newVersion+`
			  WHERE id=? AND owner=''`, instance, h.Again, h.Estimate.Credits, sourceOf(h.Estimate), object{h.Estimate}, h.ID)
		}
	})
}

// MoveHeld puts a held request before the one that is sent before it, or behind
// the one after it. It reports whether there was one.
func (s *Store) MoveHeld(ctx context.Context, id string, earlier bool) (bool, error) {
	beside, order := `>`, `ASC`
	if earlier {
		beside, order = `<`, `DESC`
	}
	moved := false
	err := s.change(ctx, func(t *transaction) {
		var place, other int64
		if !t.scan([]any{&place}, `SELECT place FROM held WHERE id=?`, id) {
			t.fail(ErrMissing)
		}
		moved = t.scan([]any{&other}, `SELECT place FROM held WHERE place `+beside+` ? ORDER BY place `+order+` LIMIT 1`, place)
		if !moved {
			return
		}
		for _, step := range [][2]int64{{place, -1}, {other, place}, {-1, other}} {
			t.run(`UPDATE held SET place=?, `+newVersion+` WHERE place=?`, step[1], step[0])
		}
	})
	return moved, err
}

// RemoveHeld deletes held requests: nothing was sent, nothing was spent.
// ErrMissing when one of them is held no more; none is deleted then.
func (s *Store) RemoveHeld(ctx context.Context, ids []string) error {
	return s.change(ctx, func(t *transaction) {
		for _, id := range ids {
			if t.rows(`DELETE FROM held WHERE id=?`, id) == 0 {
				t.fail(ErrMissing)
			}
		}
	})
}

// takeHeld takes the held request that an intent is of out of the queue, within
// the transaction that records the intent. ErrLate: it is not this window's to
// send any more.
func (t *transaction) takeHeld(in *Intent) {
	if !t.scan([]any{&in.agreement, &in.label}, `DELETE FROM held WHERE id=? AND owner=? AND owner<>'' RETURNING agreement, label`, in.Held, in.Instance) {
		t.fail(ErrLate)
	}
}

// CodeEnded is the code of held requests whose window ended, CodeCopied that of
// those in a copy of a store.
const (
	CodeEnded  = "ended"
	CodeCopied = "copied"
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
func heldRows(ctx context.Context, q querier, words []string) ([]Row, int, error) {
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
func heldJob(ctx context.Context, q querier, id string) (Job, error) {
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
func pattern(ctx context.Context, q querier, j *Job) error {
	if j.Agreement == "" {
		return nil
	}
	return q.QueryRowContext(ctx, `SELECT pattern FROM agreements WHERE id = ?`, j.Agreement).Scan(object{&j.Pattern})
}
