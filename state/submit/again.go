package submit

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// questionsKept bounds how many questions are remembered.
const questionsKept = 100

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
		return "", none, store.OldConfirmation()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.questions) >= questionsKept {
		clear(s.questions)
	}
	s.questions[confirmID] = price
	return confirmID, price, err
}

// Resend sends an unknown, unread, not_sent, rejected or intent job's body
// again as a new job. confirmID is what ResendConfirm gave for the question; a
// job that was sent again since, in any window, is returned and nothing is sent.
func (s *Submitter) Resend(ctx context.Context, id, confirmID string) (store.Job, error) {
	s.mu.Lock()
	price, asked := s.questions[confirmID]
	s.mu.Unlock()
	if !asked {
		return store.Job{}, store.OldConfirmation()
	}
	j, conn, err := s.repeatable(ctx, id)
	if err != nil {
		return store.Job{}, err
	}
	again, err := s.submit(ctx, conn, Confirmed{ConfirmID: confirmID, Request: j.Request, Estimate: price, Again: true},
		intentOf{body: j.Body, parent: j.ID})
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
	return j, conn, store.MayRepeat(j.Phase)
}

// Agreed is one of several requests that a person agrees to at once.
type Agreed struct {
	Request  api.Request
	Label    string // in what it differs from the others
	Estimate api.Estimate
	Again    bool // agreed to, although an equal body is active or unknown
}

// Together is what a person agreed to: requests that are sent one by one.
type Together struct {
	ConfirmID  string      // made once per key press; the same one is never recorded twice
	Pattern    api.Request // of which they were made
	Requests   []Agreed
	MaxCredits api.Credits // of the total; 0: no limit
}

// Hold records requests that are to be sent one by one, and sends nothing: each
// is sent by SubmitHeld. What would refuse one of them now refuses all. It
// returns their ids, none when the agreement is known already.
func (s *Submitter) Hold(ctx context.Context, t Together) ([]string, error) {
	if limit := s.o.Settings.Get().VariationsLimit(); len(t.Requests) > limit {
		cause := &expand.TooManyError{Count: len(t.Requests), Limit: limit}
		return nil, &remote.Refusal{Code: "too_many", Reason: cause.Why(), Cause: cause}
	}
	again := len(t.Requests) > 0 && t.Requests[0].Again
	conn, refusal := s.ready(again)
	if refusal != nil {
		return nil, refusal
	}
	if t.ConfirmID == "" || len(t.Requests) == 0 {
		return nil, &remote.Refusal{Code: "not_sendable", Reason: whyUnconfirmed.Reason()}
	}
	now := time.Now()
	a := store.Agreement{ID: t.ConfirmID, Instance: s.o.Instance, Base: conn.Base, Pattern: t.Pattern, Now: now}
	total := Confirmed{MaxCredits: t.MaxCredits, Estimate: api.Estimate{Source: api.SourceTable}}
	var ids []string
	for i, r := range t.Requests {
		body, refusal := s.bodyOf(ctx, conn, r.Request)
		if refusal != nil {
			return nil, refusal
		}
		estimate, budget, refusal := s.priced(Confirmed{Request: r.Request, Estimate: r.Estimate, MaxCredits: t.MaxCredits}, now)
		if refusal != nil {
			return nil, refusal
		}
		a.Budget = budget
		if estimate.Known() {
			total.Estimate.Credits = total.Estimate.Credits.Plus(estimate.Credits)
		} else {
			total.Estimate.Source = api.SourceNone
		}
		h := store.Held{
			ID: store.NewID(), ConfirmID: t.ConfirmID + "/" + strconv.Itoa(i+1), Again: r.Again, Request: r.Request, Body: body,
			Title: titleOf(r.Request.Prompt), Label: api.Clean(r.Label, 4*titleWidth).String(), Estimate: estimate,
		}
		a.Held, ids = append(a.Held, h), append(ids, h.ID)
	}
	if refusal := underMax(total); refusal != nil {
		return nil, refusal
	}
	if refusal := s.canSave(); refusal != nil {
		return nil, refusal
	}
	a.Total = total.Estimate
	fresh, err := s.o.Store().Hold(ctx, a)
	if err != nil {
		return nil, refusalOf(err)
	}
	if !fresh {
		return nil, nil
	}
	s.o.Changed(ids...)
	return ids, nil
}

// Ready says why nothing can be sent now; nil when it can. The person is
// agreeing to send something, so that credits may be there again.
func (s *Submitter) Ready() error {
	if _, refusal := s.ready(true); refusal != nil {
		return refusal
	}
	return nil
}

// SubmitHeld sends a held request, as Submit does what was just confirmed. Its
// body is the one that was agreed to, and the price is the one of now. It is
// ErrLate when the request is not this window's to send any more.
func (s *Submitter) SubmitHeld(ctx context.Context, h store.Held, price api.Estimate) (store.Job, error) {
	conn, refusal := s.ready(false)
	if refusal != nil {
		return store.Job{}, refusal
	}
	if h.Base != conn.Base {
		return store.Job{}, &remote.Refusal{Code: "not_sendable", Reason: whyElsewhere.Reason(api.Clean(h.Base, 200))}
	}
	if _, refusal := s.bodyOf(ctx, conn, h.Request); refusal != nil {
		return store.Job{}, refusal
	}
	return s.submit(ctx, conn, Confirmed{ConfirmID: h.ConfirmID, Request: h.Request, Estimate: price, Again: h.Again},
		intentOf{body: h.Body, held: h.ID})
}

// Attach gives an unknown or unread job the service's id; polling begins.
func (s *Submitter) Attach(ctx context.Context, id, remoteID string) error {
	j, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	remoteID = strings.TrimSpace(remoteID)
	if !read.PollableID(remoteID) {
		return whyNotAnID.Fault(nil)
	}
	err = s.o.Store().Attach(ctx, j.ID, remoteID, time.Now())
	switch {
	case errors.Is(err, store.ErrLate):
		return whyNoAttach.Fault(nil)
	case errors.Is(err, store.ErrTaken):
		return err
	case err != nil:
		return store.Explain(err)
	}
	s.o.Changed(j.ID)
	return nil
}

// Dismiss declares an unknown or unread job not charged. A job that still
// waits to be sent is cancelled.
func (s *Submitter) Dismiss(ctx context.Context, id string) error {
	j, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	if j.Phase == api.PhaseIntent {
		err = s.o.Store().Unsend(ctx, j.ID, api.PhaseNotSent, whyCancelled.Reason(), "", time.Now())
	} else {
		err = s.o.Store().Dismiss(ctx, j.ID, time.Now())
	}
	if errors.Is(err, store.ErrLate) {
		return whyNoDismiss.Fault(nil)
	}
	if err != nil {
		return store.Explain(err)
	}
	s.o.Changed(j.ID)
	return nil
}
