package submit

import (
	"context"
	"strconv"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

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
	again := len(t.Requests) > 0 && t.Requests[0].Again
	conn, refusal := s.ready(again)
	if refusal != nil {
		return nil, refusal
	}
	if t.ConfirmID == "" || len(t.Requests) == 0 {
		return nil, &remote.Refusal{Code: "not_sendable", Reason: whyUnconfirmed.Reason()}
	}
	now := time.Now()
	a := store.Agreement{ID: t.ConfirmID, Instance: s.o.Instance, Base: conn.Base, Pattern: t.Pattern, Now: now, Day: DayStart(now), Recent: now.Add(-sameWithin)}
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
			ID: store.NewID(), ConfirmID: heldConfirmID(t.ConfirmID, i), Again: r.Again, Request: r.Request, Body: body,
			Title: titleOf(r.Request.Prompt), Label: api.Clean(r.Label, 4*titleWidth).String(), Estimate: estimate,
		}
		a.Held, ids = append(a.Held, h), append(ids, h.ID)
	}
	if refusal := underMax(total); refusal != nil {
		return nil, refusal
	}
	if err := s.o.Downloads(); err != nil {
		return nil, downloadsRefusal(err)
	}
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

// heldConfirmID is the confirm id of the i-th request of an agreement.
func heldConfirmID(agreement string, i int) string { return agreement + "/" + strconv.Itoa(i+1) }

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
	return s.submit(ctx, conn, Confirmed{ConfirmID: h.ConfirmID, Request: h.Request, Estimate: price, Again: h.Again}, intentOf{body: h.Body, held: h.ID})
}
