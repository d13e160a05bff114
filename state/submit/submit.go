package submit

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Confirmed is what a person agreed to.
type Confirmed struct {
	ConfirmID  string // made once per key press; the same one is never sent twice
	Request    api.Request
	Estimate   api.Estimate
	MaxCredits api.Credits // 0: no limit; else an unknown or higher estimate is refused
	Again      bool        // agreed to send a body equal to one that is active or unknown
}

// NewConfirmID makes a random confirm id.
func NewConfirmID() string { return rand.Text() }

// creditsRest is how long creates wait for the person after the service said
// that there are no credits.
const creditsRest = 10 * time.Minute

// Submit records, marks and sends the request once, in the background, and
// returns as soon as the intent is durable. A *remote.Refusal means nothing was sent
// and nothing recorded. Progress is reported to Changed. A confirm id that was
// submitted before returns its job and sends nothing.
func (s *Submitter) Submit(ctx context.Context, c Confirmed) (store.Job, error) {
	conn, refusal := s.ready(c.Again)
	if refusal != nil {
		return store.Job{}, refusal
	}
	body, refusal := s.bodyOf(ctx, conn, c.Request)
	if refusal != nil {
		return store.Job{}, refusal
	}
	return s.submit(ctx, conn, c, intentOf{body: body})
}

// bodyOf is the body of a request, or what is against sending it.
func (s *Submitter) bodyOf(ctx context.Context, conn *remote.Connection, r api.Request) ([]byte, *remote.Refusal) {
	if len(r.Vary) > 0 {
		return nil, &remote.Refusal{Code: "not_sendable", Reason: whySeveral.Reason()}
	}
	model := s.o.Remote.Model(ctx, conn.Base, r.Model)
	if problems := api.Check(r, model, conn.Base); len(problems) > 0 {
		return nil, &remote.Refusal{Code: "problems", Reason: whyProblems.Reason(problems[0]), Problems: problems}
	}
	body := r.Body(model)
	if conn.Key.In(body) {
		return nil, &remote.Refusal{Code: "not_sendable", Reason: remote.ErrHoldsKey.Why(), Cause: remote.ErrHoldsKey}
	}
	return body, nil
}

// ready says why nothing can be sent now, or gives the connection to send by.
func (s *Submitter) ready(again bool) (*remote.Connection, *remote.Refusal) {
	if s.isClosed() {
		return nil, &remote.Refusal{Code: "store", Reason: ErrClosed.Why(), Cause: ErrClosed}
	}
	conn, refusal := s.o.Remote.Sendable()
	if refusal != nil {
		return nil, refusal
	}
	if why := s.o.ReadOnly(); !why.IsZero() {
		return nil, &remote.Refusal{Code: "store", Reason: why, Cause: store.ErrReadOnly}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if again {
		s.noCredits = noCredits{}
	}
	if n := s.noCredits; n.conn == conn && time.Since(n.at) < s.scale.Of(creditsRest) {
		why := whyNoCredits
		if n.call {
			why = whyNoCalls
		}
		return nil, &remote.Refusal{Code: "credits", Reason: why.Reason()}
	}
	return conn, nil
}

func underMax(c Confirmed) *remote.Refusal {
	switch {
	case c.MaxCredits <= 0:
		return nil
	case !c.Estimate.Known():
		return &remote.Refusal{Code: "max_credits", Reason: whyLimitPrice.Reason(c.MaxCredits.Amount())}
	case c.Estimate.Credits > c.MaxCredits:
		return &remote.Refusal{Code: "max_credits", Reason: whyLimit.Reason(c.Estimate.Credits.Amount(), c.MaxCredits.Amount())}
	}
	return nil
}

// errOldPrice refuses to count an old price for a limit.
var errOldPrice = &remote.Refusal{Code: "stale", Reason: whyOldPrice.Reason()}

// priced gives the figure that counts for what was confirmed, and the budget
// that it counts for.
func (s *Submitter) priced(c Confirmed, now time.Time) (api.Estimate, api.Credits, *remote.Refusal) {
	budget := s.o.Settings.Budget()
	e := c.Estimate.WithTable(c.Request)
	if budget > 0 || c.MaxCredits > 0 {
		counts, fresh := e.Current(c.Request, now)
		if !fresh && !counts.Known() {
			return e, budget, errOldPrice
		}
		e = counts
	}
	return e, budget, nil
}

// intentOf is what an intent is made of besides what was confirmed.
type intentOf struct {
	body   []byte
	parent string // the job that is sent again
	held   string // the held request that this is
}

// submit records the intent and starts the one that sends it.
func (s *Submitter) submit(ctx context.Context, conn *remote.Connection, c Confirmed, of intentOf) (store.Job, error) {
	if c.ConfirmID == "" {
		return store.Job{}, &remote.Refusal{Code: "not_sendable", Reason: whyUnconfirmed.Reason()}
	}
	now := time.Now()
	counts, budget, refusal := s.priced(c, now)
	if refusal != nil {
		return store.Job{}, refusal
	}
	c.Estimate = counts
	if r := underMax(c); r != nil {
		return store.Job{}, r
	}
	if refusal := s.canSave(); refusal != nil {
		return store.Job{}, refusal
	}
	if refusal := s.begin(); refusal != nil {
		return store.Job{}, refusal
	}
	j, fresh, err := s.o.Store().Record(ctx, store.Intent{
		ConfirmID: c.ConfirmID, Parent: of.parent, Held: of.held, Instance: s.o.Instance, Base: conn.Base, Request: c.Request, Body: of.body,
		Title: titleOf(c.Request.Prompt), Estimate: c.Estimate, Now: now,
		Budget: budget, Again: c.Again,
	})
	if err != nil || !fresh {
		s.sends.Done()
		if err != nil {
			return store.Job{}, refusalOf(err)
		}
		return s.Overlay(j), nil
	}
	s.mu.Lock()
	s.inHand[j.ID] = j
	s.mu.Unlock()
	s.countSending(1)
	s.o.Changed(j.ID)
	s.o.Go(func() {
		defer s.sends.Done()
		defer s.countSending(-1)
		defer s.release(j.ID)
		s.send(conn, j)
	})
	return j, nil
}

// release forgets a job that was sent, unless its outcome is not saved.
func (s *Submitter) release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.unsaved[id]; !kept {
		delete(s.inHand, id)
	}
}

// canSave says why no result can be saved, before one is paid for.
func (s *Submitter) canSave() *remote.Refusal {
	if err := media.CheckFolder(s.o.Settings.Get().Downloads); err != nil {
		return &remote.Refusal{Code: "downloads", Reason: whyNothingSent.Reason(err), Cause: err}
	}
	return nil
}

// refusalOf is a *remote.Refusal for an error of the store.
func refusalOf(err error) error {
	var refusal *remote.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.Is(err, store.ErrLate):
		return &remote.Refusal{Code: "stale", Reason: whyHeldChanged.Reason(), Cause: err}
	}
	err = store.Explain(err)
	return &remote.Refusal{Code: "store", Reason: whyNothingSent.Reason(err), Cause: err}
}

// titleWidth is how many characters of a prompt make its title.
const titleWidth = 80

// titleOf cuts a line from the prompt.
func titleOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return api.Clean(api.OneLine(line), titleWidth).String()
}
