package store

import (
	"context"
	"database/sql"
	"errors"

	"darkroom/api"
)

// PauseHeld takes the agreement of a held request from whoever sends it: what
// is left of it waits for the person. It reports whether anything was left.
func (s *Store) PauseHeld(ctx context.Context, agreement, code string, reason api.Reason) (bool, error) {
	err := s.changeHeld(ctx, func(ctx context.Context, tx *sql.Tx, v int64) error {
		return one(tx.ExecContext(ctx, `UPDATE held SET owner='', code=?, reason=?, version=? WHERE agreement=? AND owner<>''`,
			code, reason.Stored(), v, agreement))
	})
	if errors.Is(err, ErrLate) {
		return false, nil
	}
	return err == nil, err
}

// ResumeHeld gives a request that waits for the person to an instance, with the
// price that was agreed to now. ErrLate when it waits no more.
func (s *Store) ResumeHeld(ctx context.Context, instance string, list []Held) error {
	return s.changeHeld(ctx, func(ctx context.Context, tx *sql.Tx, v int64) error {
		for i := range list {
			estimate, err := estimateText(list[i].Estimate)
			if err != nil {
				return err
			}
			err = one(tx.ExecContext(ctx, `UPDATE held SET owner=?, code='', reason='', again=?, credits=?, source=?, estimate=?, version=?
			  WHERE id=? AND owner=''`, instance, list[i].Again, list[i].Estimate.Credits, sourceOf(list[i].Estimate), estimate, v, list[i].ID))
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
	err := s.changeHeld(ctx, func(ctx context.Context, tx *sql.Tx, v int64) error {
		var place, other int64
		err := tx.QueryRowContext(ctx, `SELECT place FROM held WHERE id=?`, id).Scan(&place)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrMissing
		}
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `SELECT place FROM held WHERE place `+beside+` ? ORDER BY place `+order+` LIMIT 1`, place).Scan(&other)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		moved = true
		for _, step := range [][2]int64{{place, -1}, {other, place}, {-1, other}} {
			if _, err := tx.ExecContext(ctx, `UPDATE held SET place=?, version=? WHERE place=?`, step[1], v, step[0]); err != nil {
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
	return s.changeHeld(ctx, func(ctx context.Context, tx *sql.Tx, _ int64) error {
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

func (s *Store) changeHeld(ctx context.Context, f func(ctx context.Context, tx *sql.Tx, version int64) error) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		v, err := changed(ctx, tx)
		if err != nil {
			return err
		}
		return f(ctx, tx, v)
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

// keepAgreement keeps on the job of which agreement it was.
func keepAgreement(ctx context.Context, tx *sql.Tx, id string, in *Intent) error {
	_, err := tx.ExecContext(ctx, `UPDATE jobs SET agreement=?, label=? WHERE id=?`, in.agreement, in.label, id)
	return err
}

// CodeEnded is the code of held requests whose window ended.
const CodeEnded = "ended"

// reapHeld lets what dead instances were to send wait for the person.
func reapHeld(ctx context.Context, tx *sql.Tx, version int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE held SET owner='', code=?, reason=?, version=?
	  WHERE owner <> '' AND owner NOT IN (SELECT id FROM owners)`, CodeEnded, whyHeldEnded.Reason().Stored(), version)
	return err
}
