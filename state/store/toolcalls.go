package store

import (
	"context"
	"database/sql"
	"time"

	"darkroom/api"
)

// ToolCall is a call of a tool that may spend credits, as the ledger keeps it.
// What it cost is not known: the tool protocol names no price.
type ToolCall struct {
	ID    string
	Owner string // the window that makes it
	Base  string
	Name  string
	Now   time.Time

	Budget api.Credits // a day; 0: none
}

// RecordTool makes it durable that a tool is about to be called. With a budget
// it is refused, as every request without a known price is.
func (s *Store) RecordTool(ctx context.Context, c ToolCall) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		switch {
		case s.hold() != "":
			return ErrHeld
		case c.Budget > 0:
			return &BudgetError{Budget: c.Budget, Unpriced: true}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO toolcalls (id, owner, base, name, phase, created_at) VALUES (?,?,?,?,'sending',?)`,
			c.ID, c.Owner, c.Base, c.Name, millis(c.Now))
		return err
	})
}

// FinishTool writes what became of a call: done, failed, rejected, not_sent or
// unknown. A call that never gets here stays "sending" and counts as made.
func (s *Store) FinishTool(ctx context.Context, id string, phase api.Phase, why api.Text, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE toolcalls SET phase=?, error=?, ended_at=? WHERE id=?`, phase, why.String(), millis(now), id))
	})
}
