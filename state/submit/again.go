package submit

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// ResendConfirm is called before a person is asked whether a job is to be sent
// again. It returns the confirm id that Resend takes, and the current price for
// the question; like Remote.Estimate it returns the best figure there is with
// an error that says why the service's is missing. A *remote.Refusal with the code
// "again" says that it was sent again already: once more is a question of its own.
// An id of "" means that the job cannot be sent again; the error says why.
func (s *Submitter) ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error) {
	none := api.Estimate{Source: api.SourceNone}
	j, conn, err := s.repeatable(ctx, id)
	if err != nil {
		return "", none, err
	}
	confirmID, as, err := s.o.Store().Again(ctx, j.ID)
	if err != nil {
		return "", none, store.Explain(err)
	}
	price, err = s.o.Remote.Estimate(ctx, j.Request)
	if s.o.Remote.Connection() != conn {
		return "", none, store.ErrOutOfDate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shown, _ := price.Current(j.Request, time.Now())
	s.questions[confirmID] = Agreed{ConfirmID: confirmID, Request: j.Request, Estimate: shown, Again: true, Warned: time.Now()}
	if as != "" {
		err = refuse("again", err, "already resent as job %v", as)
	}
	return confirmID, price, err
}

// Resend sends the body of a job that MayRepeat as a new job. confirmID is what
// ResendConfirm gave for the question; a job that was sent again since, in any
// window, is returned and nothing is sent.
func (s *Submitter) Resend(ctx context.Context, id, confirmID string) (store.Job, error) {
	s.mu.Lock()
	question, asked := s.questions[confirmID]
	s.mu.Unlock()
	if !asked {
		return store.Job{}, store.ErrOutOfDate
	}
	j, conn, err := s.repeatable(ctx, id)
	if err != nil {
		return store.Job{}, err
	}
	again, err := s.submit(ctx, conn, Confirmed{Agreed: question}, store.Intent{Body: j.Body, Parent: j.ID})
	s.o.Changed(j.ID) // it has a repetition, and one that waited was withdrawn
	return again, err
}

func (s *Submitter) repeatable(ctx context.Context, id string) (store.Job, *remote.Connection, error) {
	conn, refusal := s.ready(true)
	if refusal != nil {
		return store.Job{}, nil, refusal
	}
	j, err := s.Job(ctx, id)
	if err != nil {
		return store.Job{}, nil, err
	}
	if j.Base != conn.Base {
		return store.Job{}, nil, refuse("not_sendable", nil, whyElsewhere, api.Clean(j.Base, api.MaxIDText))
	}
	return j, conn, store.MayRepeat(j.Phase)
}

// Agreed is a request that a person agrees to, by itself or with others at once.
type Agreed struct {
	ConfirmID string // made when the question opens, and recorded once; of several, lines of a list have one
	Request   api.Request
	Label     string // in what it differs from the others
	Estimate  api.Estimate
	Again     bool      // agreed to, although an equal body is active or unknown
	UsedUp    bool      // agreed to, although the service had said that no credits or calls are left
	Warned    time.Time // when the person was told which links have expired, if ever: one that expires later is refused
}

// Together is what a person agreed to: requests that are sent one by one.
type Together struct {
	ConfirmID  string      // made when the question opens; the same one is never recorded twice
	Pattern    api.Request // of which they were made; zero: of none
	Requests   []Agreed
	MaxCredits api.Credits // of the total; 0: no limit
	ask        *store.Ask  // of an agent, which can agree to nothing
}

// Agree records requests that are sent one by one, by SubmitHeld. What would
// refuse one of them refuses all. It returns their ids, of a known agreement none.
func (s *Submitter) Agree(ctx context.Context, t Together) (ids []string, _ error) {
	listed := len(t.Requests) > 0 && t.Requests[0].ConfirmID != ""
	if limit := s.o.Settings.Get().VariationsLimit(); len(t.Requests) > limit && !listed {
		return nil, refusedBy("too_many", expand.TooMany(len(t.Requests), limit))
	}
	if t.ConfirmID == "" || len(t.Requests) == 0 {
		return nil, refuse("not_sendable", nil, whyUnconfirmed)
	}
	conn, refusal := s.ready(t.Requests[0].Again || t.Requests[0].UsedUp)
	if refusal != nil {
		return nil, refusal
	}
	if t.ask != nil && t.ask.Grant != nil && s.o.Remote.KnownModels(ctx).At.IsZero() {
		return nil, refuse("no_models", nil, "the service's list of models could not be read, so its rules are not known: a person decides")
	}
	prices, refusal := s.prices(ctx, t.Requests)
	if refusal != nil {
		return nil, refusal
	}
	a := store.Agreement{ID: t.ConfirmID, Instance: s.o.Instance, Base: conn.Base, Now: time.Now(),
		Total: api.Estimate{Source: api.SourceTable}, Budget: s.o.Settings.Budgets(), Ask: t.ask}
	if t.Pattern.Kind != "" {
		a.Pattern = &t.Pattern
	}
	for i, r := range t.Requests {
		body, refusal := s.bodyOf(ctx, conn, r.Request)
		if refusal != nil {
			return nil, refusal
		}
		a.Total = a.Total.Plus(prices[i])
		id := store.NewID()
		ids = append(ids, id)
		a.Held = append(a.Held, store.Held{ConfirmID: cmp.Or(r.ConfirmID, t.ConfirmID+"/"+id), Again: r.Again, Job: store.Job{
			Row:     store.Row{ID: id, Title: titleOf(r.Request.Prompt), Label: api.Clean(r.Label, api.MaxErrorText).String()},
			Request: r.Request, Body: body, Estimate: prices[i],
		}})
	}
	if refusal := cmp.Or(s.within(ctx, t.MaxCredits, a.Total, a.Now, t.Requests...), s.canSave()); refusal != nil {
		return nil, refusal
	}
	fresh, err := s.o.Store().Hold(ctx, a)
	if err != nil {
		return nil, refusalOf(err)
	}
	if !fresh {
		return nil, nil
	}
	if t.Requests[0].Again || t.Requests[0].UsedUp {
		s.noCredits.Store(nil)
	}
	s.o.Changed(ids...)
	return ids, nil
}

// Ready says why nothing can be sent, or no result saved. agreed says that a person has agreed to
// send although nothing was left.
func (s *Submitter) Ready(agreed bool) error {
	_, refusal := s.ready(agreed)
	if refusal = cmp.Or(refusal, s.canSave()); refusal != nil {
		return refusal
	}
	if agreed {
		s.noCredits.Store(nil)
	}
	return nil
}

// SubmitHeld sends a held request with the body that was agreed to, at the price
// of now. ErrLate: it is not this window's to send any more.
func (s *Submitter) SubmitHeld(ctx context.Context, h store.Held, price api.Estimate) (store.Job, error) {
	conn, refusal := s.ready(false)
	if refusal != nil {
		return store.Job{}, refusal
	}
	if h.Base != conn.Base {
		return store.Job{}, refuse("not_sendable", nil, whyElsewhere, api.Clean(h.Base, api.MaxIDText))
	}
	if _, refusal := s.bodyOf(ctx, conn, h.Request); refusal != nil {
		return store.Job{}, refusal
	}
	in := store.Intent{Body: h.Body, Held: h.ID}
	if h.Granted { // the person may have taken it back meanwhile
		if in.Grant = s.grant(h.Entry, h.Request); in.Grant == nil {
			return store.Job{}, &remote.Refusal{Code: "not_granted"}
		}
	}
	agreed := Agreed{ConfirmID: h.ConfirmID, Request: h.Request, Estimate: price, Again: h.Again, Warned: h.CreatedAt}
	return s.submit(ctx, conn, Confirmed{Agreed: agreed, MaxCredits: h.MaxCredits}, in)
}

// Attach gives an unknown or unread job the service's id; polling begins. An id that the
// service does not know is refused: once set it could not be taken back.
func (s *Submitter) Attach(ctx context.Context, id, remoteID string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	remoteID = strings.TrimSpace(remoteID)
	if !read.PollableID(remoteID) || strings.ContainsAny(remoteID, " \t\n") ||
		api.HideKeys(remoteID) != remoteID || s.o.Remote.HoldsKey(remoteID) { // what is kept and shown
		return refuse("settled", nil, "this is not an id that could be asked for: copy it from the service's page")
	}
	if c := s.o.Remote.Connection(); c != nil && c.Base == j.Base && (j.Phase == api.PhaseUnknown || j.Phase == api.PhaseUnread) {
		asking, cancel := context.WithTimeout(ctx, 10*time.Second) // a person waits
		defer cancel()
		_, err = c.Service.Job(asking, remoteID, j.Kind)
		if e, ok := errors.AsType[*api.Error](err); ok && e.Class == api.ClassNotFound {
			return refuse("settled", err, "the service does not know this id: nothing was changed; copy it from the service's page")
		}
	}
	err = s.o.Store().Attach(ctx, j.ID, remoteID, time.Now())
	return s.settled(j.ID, err, api.Sentence("only a job whose outcome is unknown can be given an id"))
}

func (s *Submitter) settled(id string, err error, late api.Sentence) error {
	switch {
	case errors.Is(err, store.ErrLate):
		return refuse("settled", err, late)
	case errors.Is(err, store.ErrTaken):
		return refusedBy("settled", err)
	case err != nil:
		return store.Explain(err)
	}
	s.o.Changed(id)
	return nil
}

// Dismiss declares an unknown or unread job not charged, or cancels one that waits.
func (s *Submitter) Dismiss(ctx context.Context, id string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Phase == api.PhaseIntent {
		err = s.o.Store().Unsend(ctx, j.ID, api.PhaseNotSent, api.Sentence("cancelled before it was sent").Reason(), "", time.Now())
	} else {
		err = s.o.Store().Dismiss(ctx, j.ID, time.Now())
	}
	return s.settled(j.ID, err, api.Sentence("only a job whose outcome is unknown can be dismissed"))
}
