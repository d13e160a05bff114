package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"darkroom/api"
)

// ToolCall is a call of a tool that may spend credits, as the ledger keeps it.
// What it cost is not known: the tool protocol names no price.
type ToolCall struct {
	ID       string
	Instance string // that makes it
	Base     string
	Name     string
	Now      time.Time

	Budget api.Credits // a day; 0: none
}

// PhaseRead is the phase of a call of a tool that is declared to only read, once
// it was answered. Such a call is recorded and costs nothing.
const PhaseRead api.Phase = "read"

// RecordTool makes it durable that a tool is about to be called. With a budget
// it is refused, as every request without a known price is.
func (s *Store) RecordTool(ctx context.Context, c ToolCall) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.mayRecord(ctx, tx); err != nil {
			return err
		}
		if c.Budget > 0 {
			return &BudgetError{Budget: c.Budget, Unpriced: true}
		}
		return run(ctx, tx, `INSERT INTO toolcalls (id, owner, base, name, phase, created_at) VALUES (?,?,?,?,'sending',?)`,
			c.ID, c.Instance, c.Base, c.Name, millis(c.Now))
	})
}

// FinishTool writes what became of a call: done, PhaseRead, failed, rejected,
// not_sent or unknown. A call that never gets here stays "sending" and counts as made.
func (s *Store) FinishTool(ctx context.Context, id string, phase api.Phase, why api.Text, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return one(tx.ExecContext(ctx, `UPDATE toolcalls SET phase=?, error=?, ended_at=? WHERE id=?`, phase, why.String(), millis(now), id))
	})
}

// phaseFollowed is the phase of a call whose job stands among the jobs: it is
// there that it counts.
const phaseFollowed api.Phase = "followed"

// Adopted is a job that a tool began at the service.
type Adopted struct {
	Call     string // the id of the ToolCall
	Base     string
	RemoteID string
	Model    string
	Title    string
	Request  api.Request
	Body     json.RawMessage // the tool's arguments
	SentAt   time.Time
	Now      time.Time
}

// Adopt puts a job that a tool began among the jobs, due at once, and ends the
// call: one entry of the ledger becomes the other. A job that is there already
// is returned as it is.
func (s *Store) Adopt(ctx context.Context, a Adopted) (Job, error) {
	var id string
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		id, err = value[string](ctx, tx, `SELECT id FROM jobs WHERE remote_id=? AND base=? OR confirm_id=?`, a.RemoteID, a.Base, confirmOf(a.Call))
		if err == nil && id == "" {
			id = NewID()
			err = insertIntent(ctx, tx, Intent{
				ConfirmID: confirmOf(a.Call), Base: a.Base, Request: a.Request, Body: a.Body, Title: a.Title, Now: a.SentAt,
			}, id)
			if err == nil {
				err = one(tx.ExecContext(ctx, `UPDATE jobs SET phase='queued', model=?, remote_id=?, sent_at=?, next_poll=? WHERE id=?`,
					a.Model, a.RemoteID, millis(a.SentAt), millis(a.Now), id))
			}
		}
		if err != nil {
			return err
		}
		return one(tx.ExecContext(ctx, `UPDATE toolcalls SET phase=?, ended_at=? WHERE id=?`, phaseFollowed, millis(a.Now), a.Call))
	})
	if err != nil {
		return Job{}, err
	}
	return s.Job(context.WithoutCancel(ctx), id)
}

func confirmOf(call string) string { return "tool-" + call }
