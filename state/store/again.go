package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"darkroom/api"
)

// AgainError says why a job is not sent again.
type AgainError struct {
	Phase api.Phase // of the job; "" when the confirmation is out of date
}

func (e *AgainError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *AgainError) Why() api.Reason {
	switch e.Phase {
	case "":
		return whyOldConfirm.Reason()
	case api.PhaseIntent, api.PhaseSending:
		return whyBeingSent.Reason()
	}
	return whyHasIt.Reason()
}

// MayRepeat returns an *AgainError unless a job in this phase can be sent again.
func MayRepeat(phase api.Phase) error {
	switch phase {
	case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected, api.PhaseIntent:
		return nil
	}
	return &AgainError{phase}
}

// Again returns the confirm id of sending a job again. It is made of the job's
// id and how often that was done before, so that all who ask at the same time
// get the same one, and only one of them can be recorded.
func (s *Store) Again(ctx context.Context, id string) (string, error) {
	n, err := value[int](ctx, s.r, countAgain, id)
	return againID(id, n), err
}

const countAgain = `SELECT count(*) FROM jobs WHERE parent = ?`

func againID(id string, n int) string { return fmt.Sprintf("%s#%d", id, n) }

// sendAgain checks in the recording transaction that the parent can be sent
// again. One that waits to be sent is withdrawn, so that it cannot be sent too.
func sendAgain(ctx context.Context, tx *sql.Tx, in Intent) error {
	n, err := value[int](ctx, tx, countAgain, in.Parent)
	if err != nil {
		return err
	}
	if in.ConfirmID != againID(in.Parent, n) {
		return &AgainError{}
	}
	phase, err := column[api.Phase](tx.QueryRowContext(ctx, `SELECT phase FROM jobs WHERE id = ?`, in.Parent))
	if err != nil {
		return orMissing(err)
	}
	if phase == api.PhaseIntent {
		return unsend(ctx, tx, in.Parent, api.PhaseNotSent, whySentAgain.Reason(), "", in.Now)
	}
	return MayRepeat(phase)
}

// unsend ends an intent within a transaction.
func unsend(ctx context.Context, tx *sql.Tx, id string, phase api.Phase, why api.Reason, class api.ErrorClass, now time.Time) error {
	if err := count(ctx, tx); err != nil {
		return err
	}
	return one(tx.ExecContext(ctx, `UPDATE jobs SET phase=?, error=?, reason=?, err_class=?, ended_at=?, owner='', next_poll=0, `+newVersion+`
	  WHERE id=? AND phase='intent'`, phase, errorText(why), why.Stored(), class, millis(now), id))
}
