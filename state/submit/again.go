package submit

import (
	"context"
	"errors"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// questions are the latest questions whether a job is to be sent again, by
// confirm id: what is sent again counts with the price that was shown.
type questions struct{ asked map[string]api.Estimate }

// questionsKept bounds how many are remembered.
const questionsKept = 100

func (q *questions) put(confirmID string, e api.Estimate) {
	if q.asked == nil || len(q.asked) >= questionsKept {
		q.asked = map[string]api.Estimate{}
	}
	q.asked[confirmID] = e
}

// ResendConfirm is called before a person is asked whether a job is to be sent
// again. It returns the confirm id that Resend takes, and the current price for
// the question; like Remote.Estimate it returns the best figure there is with
// an error that says why the service's is missing. An id of "" means that the
// job cannot be sent again; the error says why.
func (s *Submitter) ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error) {
	none := api.Estimate{Source: api.SourceNone}
	j, conn, err := s.repeatable(ctx, id)
	if err != nil {
		return "", none, err
	}
	if confirmID, err = s.o.Store().Again(ctx, j.ID); err != nil {
		return "", none, store.Explain(err)
	}
	price, err = s.o.Remote.Estimate(ctx, j.Request)
	if ctx.Err() != nil {
		return "", none, ctx.Err()
	}
	if s.o.Remote.Connection() != conn {
		return "", none, &remote.Refusal{Code: "stale", Reason: (&store.AgainError{}).Why()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions.put(confirmID, price)
	return confirmID, price, err
}

// Resend sends an unknown, unread, not_sent, rejected or intent job's body
// again as a new job. confirmID is what ResendConfirm gave for the question; a
// job that was sent again since, in any window, is returned and nothing is sent.
func (s *Submitter) Resend(ctx context.Context, id, confirmID string) (store.Job, error) {
	s.mu.Lock()
	price, asked := s.questions.asked[confirmID]
	s.mu.Unlock()
	if !asked {
		return store.Job{}, refusalOf(&store.AgainError{})
	}
	j, conn, err := s.repeatable(ctx, id)
	if err != nil {
		return store.Job{}, err
	}
	again, err := s.submit(ctx, conn, Confirmed{ConfirmID: confirmID, Request: j.Request, Estimate: price, Again: true}, intentOf{body: j.Body, parent: j.ID})
	if j.Phase == api.PhaseIntent && err == nil {
		s.o.Changed(j.ID) // it was withdrawn
	}
	return again, err
}

// repeatable finds a job that can be sent again, and the connection for it.
func (s *Submitter) repeatable(ctx context.Context, id string) (store.Job, *remote.Connection, error) {
	conn, refusal := s.ready(true)
	if refusal != nil {
		return store.Job{}, nil, refusal
	}
	j, err := s.Find(ctx, id)
	if err != nil {
		return store.Job{}, nil, err
	}
	if j.Base != conn.Base {
		return store.Job{}, nil, &remote.Refusal{Code: "not_sendable", Reason: whyElsewhere.Reason(api.Clean(j.Base, 200))}
	}
	if err := store.MayRepeat(j.Phase); err != nil {
		return store.Job{}, nil, refusalOf(err)
	}
	return j, conn, nil
}

// againRefusal is the refusal of a job that is not sent again.
func againRefusal(err error) *remote.Refusal {
	var again *store.AgainError
	switch {
	case !errors.As(err, &again):
		return nil
	case again.Phase == "":
		return &remote.Refusal{Code: "stale", Reason: again.Why(), Cause: err}
	}
	return &remote.Refusal{Code: "not_sendable", Reason: again.Why(), Cause: err}
}
