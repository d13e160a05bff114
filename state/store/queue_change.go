package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

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
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for i := range list {
			estimate, err := json.Marshal(list[i].Estimate)
			if err != nil {
				return err
			}
			err = one(tx.ExecContext(ctx, `UPDATE held SET owner=?, code='', reason='', again=?, credits=?, source=?, estimate=?, `+newVersion+`
			  WHERE id=? AND owner=''`, instance, list[i].Again, list[i].Estimate.Credits, sourceOf(list[i].Estimate), string(estimate), list[i].ID))
			if err != nil {
				return err
			}
		}
		return nil
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
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		place, err := column[int64](tx.QueryRowContext(ctx, `SELECT place FROM held WHERE id=?`, id))
		if err != nil {
			return orMissing(err)
		}
		other, err := column[int64](tx.QueryRowContext(ctx, `SELECT place FROM held WHERE place `+beside+` ? ORDER BY place `+order+` LIMIT 1`, place))
		if err != nil {
			return orNone(err)
		}
		moved = true
		for _, step := range [][2]int64{{place, -1}, {other, place}, {-1, other}} {
			if err := run(ctx, tx, `UPDATE held SET place=?, `+newVersion+` WHERE place=?`, step[1], step[0]); err != nil {
				return err
			}
		}
		return nil
	})
	return moved, err
}

// RemoveHeld deletes held requests: nothing was sent, nothing was spent.
// ErrMissing when one of them is held no more; none is deleted then.
func (s *Store) RemoveHeld(ctx context.Context, ids []string) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range ids {
			err := one(tx.ExecContext(ctx, `DELETE FROM held WHERE id=?`, id))
			if errors.Is(err, ErrLate) {
				return ErrMissing
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// takeHeld takes the held request that an intent is of out of the queue, within
// the transaction that records the intent. ErrLate: it is not this window's to
// send any more.
func takeHeld(ctx context.Context, tx *sql.Tx, in *Intent) error {
	err := tx.QueryRowContext(ctx, `DELETE FROM held WHERE id=? AND owner=? AND owner<>'' RETURNING agreement, label`, in.Held, in.Instance).
		Scan(&in.agreement, &in.label)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrLate
	}
	return err
}

// CodeEnded is the code of held requests whose window ended.
const CodeEnded = "ended"
