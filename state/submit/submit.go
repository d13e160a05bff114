package submit

import (
	"cmp"
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
	Asked      string      // the held request of an agent that this is sent in place of, if any
}

// NewConfirmID makes a random confirm id.
func NewConfirmID() string { return rand.Text() }

// creditsRest is how long creates wait after the service had no credits left.
const creditsRest = 10 * time.Minute

// Submit records the request, sends it once in the background, and returns as
// soon as the intent is durable. A *remote.Refusal means that nothing was sent
// or recorded. A confirm id that was submitted before returns its job and sends
// nothing.
func (s *Submitter) Submit(ctx context.Context, c Confirmed) (store.Job, error) {
	conn, refusal := s.ready(c.Again)
	if refusal != nil {
		return store.Job{}, refusal
	}
	body, refusal := s.bodyOf(ctx, conn, c.Request)
	if refusal != nil {
		return store.Job{}, refusal
	}
	return s.submit(ctx, conn, c, store.Intent{Body: body, Held: c.Asked, Edited: c.Asked != ""})
}

// bodyOf is the body of a request, or what is against sending it.
func (s *Submitter) bodyOf(ctx context.Context, conn *remote.Connection, r api.Request) ([]byte, *remote.Refusal) {
	if len(r.Vary) > 0 {
		return nil, refuse("not_sendable", api.Sentence("this expands to several requests: expand it, then confirm those").Reason(), nil)
	}
	model := s.o.Remote.Model(ctx, conn.Base, r.Model)
	if problems := api.Check(r, model, conn.Base); len(problems) > 0 {
		return nil, &remote.Refusal{Code: "problems", Reason: whyProblems.Reason(problems[0]), Problems: problems}
	}
	body := r.Body(model)
	if conn.Key.In(body) {
		return nil, refuse("not_sendable", remote.ErrHoldsKey.Why(), remote.ErrHoldsKey)
	}
	return body, nil
}

// ready says why nothing can be sent now, or gives the connection to send by.
func (s *Submitter) ready(again bool) (*remote.Connection, *remote.Refusal) {
	if s.isClosed() {
		return nil, refuse("store", ErrClosed.Why(), ErrClosed)
	}
	conn, refusal := s.o.Remote.Sendable()
	if refusal != nil {
		return nil, refusal
	}
	if why := s.o.ReadOnly(); !why.IsZero() {
		return nil, refuse("store", why, store.ErrReadOnly)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if again {
		s.noCredits = noCredits{}
	}
	if n := s.noCredits; n.conn == conn && time.Since(n.at) < s.scale.Of(creditsRest) {
		why := whyNoCredits
		if n.class == api.ClassCalls {
			why = whyNoCalls
		}
		return nil, refuse(string(n.class), why.Reason(), nil)
	}
	return conn, nil
}

func underMax(limit api.Credits, e api.Estimate) *remote.Refusal {
	switch {
	case limit <= 0:
		return nil
	case !e.Known():
		return refuse("max_credits", whyLimitPrice.Reason(limit.Amount()), nil)
	case e.Credits > limit:
		return refuse("max_credits", whyLimit.Reason(e.Credits.Amount(), limit.Amount()), nil)
	}
	return nil
}

func refuse(code string, why api.Reason, cause error) *remote.Refusal {
	return &remote.Refusal{Code: code, Reason: why, Cause: cause}
}

// prices gives the figures that count at the intent for what was agreed to. One that
// is not known or not fresh is requested again, once. When they are together dearer
// than what was agreed to, known or not, the refusal has both: the person has to agree
// again.
func (s *Submitter) prices(ctx context.Context, list []Agreed) ([]api.Estimate, *remote.Refusal) {
	was, is := api.Estimate{Source: api.SourceTable}, api.Estimate{Source: api.SourceTable}
	var now []api.Estimate
	var missing error
	for _, a := range list {
		e := a.Estimate.WithTable(a.Request)
		was = was.Plus(e)
		if !e.Known() || !e.Fresh(time.Now()) {
			var err error
			e, err = s.o.Remote.Price(ctx, a.Request)
			missing = cmp.Or(missing, err)
		}
		now, is = append(now, e), is.Plus(e)
	}
	why := api.Reason{}
	switch {
	case is.Known() && !was.Known():
		why = api.Sentence("the price is %v now and was not known before: nothing was sent; confirm again to send it").Reason(is.Credits.Amount())
	case is.Known() && is.Credits > was.Credits:
		why = whyDearer.Reason(is.Credits.Amount(), was.Credits.Amount())
	case is.Known(), !was.Known():
		return now, nil
	case missing != nil:
		why = whyPriceGoneOf.Reason(was.Credits.Amount(), missing)
	default:
		why = whyPriceGone.Reason(was.Credits.Amount())
	}
	return nil, &remote.Refusal{Code: "price", Reason: why, Prices: now}
}

// submit records and sends what was confirmed; in has its body, and whose repetition or
// which held request it is.
func (s *Submitter) submit(ctx context.Context, conn *remote.Connection, c Confirmed, in store.Intent) (store.Job, error) {
	if c.ConfirmID == "" {
		return store.Job{}, refuse("not_sendable", whyUnconfirmed.Reason(), nil)
	}
	prices, refusal := s.prices(ctx, []Agreed{{Request: c.Request, Estimate: c.Estimate}})
	if refusal != nil {
		return store.Job{}, refusal
	}
	if refusal := underMax(c.MaxCredits, prices[0]); refusal != nil {
		return store.Job{}, refusal
	}
	if refusal := s.canSave(); refusal != nil {
		return store.Job{}, refusal
	}
	if refusal := s.begin(); refusal != nil {
		return store.Job{}, refusal
	}
	in.ConfirmID, in.Instance, in.Base = c.ConfirmID, s.o.Instance, conn.Base
	in.Request, in.Title, in.Estimate = c.Request, titleOf(c.Request.Prompt), prices[0]
	in.Now, in.Budget, in.Again = time.Now(), s.o.Settings.Budget(), c.Again
	j, fresh, err := s.o.Store().Record(ctx, in)
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
		return refuse("downloads", whyNothingSent.Reason(err), err)
	}
	return nil
}

func refusalOf(err error) error {
	var refusal *remote.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.Is(err, store.ErrLate):
		return refuse("stale", api.Sentence("it was removed, paused or sent meanwhile").Reason(), err)
	}
	err = store.Explain(err)
	return refuse("store", whyNothingSent.Reason(err), err)
}

// titleWidth is how many characters of a prompt make the title.
const titleWidth = 80

func titleOf(prompt string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	return api.Clean(api.OneLine(line), titleWidth).String()
}
