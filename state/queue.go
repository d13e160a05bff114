package state

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Queue sends the requests of an agreement one by one. They are held in the
// store until their turn: nothing of them was sent. Each window sends what was
// agreed to in it; price, budget, links and rules are looked at again before each. What
// makes one doubtful, or the end of the window, lets the rest of its agreement
// wait for the person.
type Queue interface {
	// Agree records what a person agreed to and begins to send it. It returns the
	// ids that the jobs will have, none when that was recorded before. After a
	// *Refusal nothing was.
	Agree(ctx context.Context, t Together) ([]string, error)
	// Listed finds what became of the lines of a list, by their keys.
	Listed(ctx context.Context, keys []string) (map[string]store.Listed, error)
	// Lists are the lists that a prompt can name, as they are on the disk now.
	Lists() (expand.Lists, error)
	// Pause lets the agreement of a held request wait for the person.
	Pause(ctx context.Context, id string) error
	// Offer asks for the prices of the requests that wait with a held one, or of it
	// alone. The error says why the service's own figure is missing.
	Offer(ctx context.Context, id string, all bool) (Offer, error)
	// Resume sends what was offered, at the prices that were shown.
	Resume(ctx context.Context, offer Offer) error
	// Move puts a held request earlier or later in the queue.
	Move(ctx context.Context, id string, earlier bool) error
	// Decline deletes held requests, free of charge, with a reason for the agent that
	// asked for them, if one did.
	Decline(ctx context.Context, reason string, ids ...string) error
	// SpentBy is what the requests of an agent's entry cost today, and what the
	// settings let it do by itself.
	SpentBy(ctx context.Context, entry string) (api.Credits, Grant, error)
	// Held are the requests that wait with one, itself among them, in their order.
	Held(ctx context.Context, id string) ([]Held, error)
}

// queue is the real Queue; what it lacks, the engine has.
type queue struct{ *engine }

func (q queue) Listed(ctx context.Context, keys []string) (map[string]store.Listed, error) {
	return explained(q.db().Listed(ctx, keys))
}

func (q queue) Pause(ctx context.Context, id string) error {
	j, err := q.db().Job(ctx, id)
	if err != nil || j.Phase != api.PhaseHeld {
		return heldError(cmp.Or[error](err, store.ErrMissing))
	}
	return q.pause(ctx, j.Agreement, "person", api.Reason{})
}

func (q queue) pause(ctx context.Context, agreement, code string, reason api.Reason) error {
	err := q.db().PauseHeld(ctx, agreement, code, reason)
	q.changes.report()
	return store.Explain(err)
}

func (q queue) Move(ctx context.Context, id string, earlier bool) error {
	err := q.db().MoveHeld(ctx, id, earlier)
	q.changes.report(id)
	return heldError(err)
}

func (q queue) Decline(ctx context.Context, reason string, ids ...string) error {
	err := q.db().RemoveHeld(ctx, ids, api.ReasonText.Reason(api.Clean(reason, api.MaxErrorText)), time.Now())
	q.changes.report(ids...)
	return heldError(err)
}

func (q queue) Held(ctx context.Context, id string) ([]Held, error) {
	list, err := q.db().HeldOf(ctx, id)
	return list, heldError(err)
}

// ErrNotHeld says that a job is not a held request.
var ErrNotHeld = api.Sentence("only a request that is held can be moved, paused or removed").Fault(nil)

func heldError(err error) error {
	if errors.Is(err, store.ErrMissing) {
		return ErrNotHeld
	}
	return store.Explain(err)
}

// Offer is what a person is asked before held requests are sent.
type Offer struct {
	Held   []Held       // as of now, with their prices
	Price  api.Estimate // of all
	Agreed api.Credits  // what they cost when they were agreed to, or asked for
	Copied bool         // the store is a copy: they may have been sent from the other
	Reason api.Reason   // why they wait
	Dead   bool         // a link in one has expired
}

// Offer prices the requests anew: it is what the person is asked, not what they agreed to.
func (q queue) Offer(ctx context.Context, id string, all bool) (Offer, error) {
	list, err := q.db().HeldOf(ctx, id)
	if err != nil {
		return Offer{}, heldError(err)
	}
	offer := Offer{Price: api.Estimate{Source: api.SourceService}}
	var missing error
	for _, h := range list {
		if h.Owner != "" || !all && h.ID != id {
			continue
		}
		if !offer.Copied { // none is graver than that one
			offer.Reason, offer.Copied = h.Error, h.Code == store.CodeCopied
		}
		h.Again = h.Again || h.Code == "again"
		offer.Agreed = offer.Agreed.Plus(h.Estimate.Credits)
		h.Estimate, err = q.Remote.Price(ctx, h.Request)
		missing = cmp.Or(missing, err)
		h.CreatedAt = time.Now()
		offer.Dead = offer.Dead || q.db().LinkEnded(ctx, h.Request, time.Time{}, h.CreatedAt)
		offer.Price = offer.Price.Plus(h.Estimate)
		offer.Held = append(offer.Held, h)
	}
	if len(offer.Held) == 0 {
		return offer, api.Sentence("it is being sent in its turn already").Fault(nil)
	}
	return offer, missing
}

func (q queue) Resume(ctx context.Context, offer Offer) error {
	if err := q.Submitter.Ready(true); err != nil {
		return err
	}
	err := q.db().ResumeHeld(ctx, q.instance.id, offer.Held, time.Now())
	if errors.Is(err, store.ErrLate) {
		return &remote.Refusal{Code: "stale", Fault: *api.Sentence("the queue has changed: look at it again").Fault(err)}
	}
	if err != nil {
		return store.Explain(err)
	}
	q.changes.report(api.Map(offer.Held, func(h Held) string { return h.ID })...)
	return nil
}

// next sends the next request and waits for its outcome; false without one, and when
// the session ends: nothing can be written then.
func (q queue) next() bool {
	h, ok, err := q.db().NextHeld(q.ctx, q.instance.id)
	if err != nil {
		return remote.Sleep(q.ctx, q.scale().Of(storeRetry))
	}
	if !ok {
		return false
	}
	price, err := q.Remote.Price(q.ctx, h.Request)
	if code, reason := priceHindrance(h.Estimate, price, err); code != "" {
		return q.wait(h, code, reason)
	}
	j, err := q.Submitter.SubmitHeld(q.ctx, h, price)
	switch {
	case errors.Is(err, store.ErrLate):
		return true // somebody paused, removed or took it
	case err != nil:
		code := "store"
		if refusal, ok := errors.AsType[*remote.Refusal](err); ok {
			code = refusal.Code
		}
		return q.wait(h, code, api.ReasonOf(err))
	}
	if j, err = q.Sent(q.ctx, j.ID); err != nil {
		return false // the session ends
	}
	code, reason := outcomeHindrance(&j)
	return q.wait(h, code, reason)
}

// storeRetry is how often a store is asked again that does not answer.
const storeRetry = time.Second

// wait lets the rest of a request's agreement wait for the person, if there is a code.
func (q queue) wait(h Held, code string, reason api.Reason) bool {
	if code != "" && q.pause(q.ctx, h.Agreement, code, reason) != nil {
		return remote.Sleep(q.ctx, q.scale().Of(storeRetry))
	}
	return true
}

// priceHindrance says what the price of now has against sending what was agreed to.
func priceHindrance(agreed, now api.Estimate, err error) (code string, reason api.Reason) {
	switch {
	case !agreed.Known() && now.Known():
		return "price_rose", api.Sentence("the price is now %v and was not known when this was agreed to").Reason(now.Credits.Amount())
	case now.Known() && now.Credits > agreed.Credits:
		return "price_rose", api.Sentence("the price is now %v, and %v were agreed to").Reason(now.Credits.Amount(), agreed.Credits)
	case now.Known(), !agreed.Known(): // nothing
	case err != nil:
		return "price_unknown", api.Sentence("the price is not known now: %v").Reason(err)
	default:
		return "price_unknown", api.Sentence("the price is not known now").Reason()
	}
	return "", api.Reason{}
}

// outcomeHindrance says what an outcome has against sending the next one.
func outcomeHindrance(j *Job) (code string, reason api.Reason) {
	switch j.Phase {
	case api.PhaseUnknown, api.PhaseUnread:
		return "outcome", api.Sentence("the request before it may have been accepted and charged; look at it first").Reason()
	case api.PhaseNotSent:
		return "not_sent", api.Sentence("the request before it could not be sent: %v").Reason(j.Error)
	case api.PhaseRejected:
		if j.ErrClass.UsedUp() || j.ErrClass == api.ClassKey || j.ErrClass == api.ClassRate {
			return "rejected", api.Sentence("the request before it was refused: %v").Reason(j.Error)
		}
	}
	return "", api.Reason{}
}

// Agent is what a program may do that a person has set up under the name of an
// entry: it asks, and sees what it asked for, nothing else.
type Agent struct {
	engine *engine
	Entry  string
}

// Agent is the entry of a name.
func (s *Session) Agent(entry string) Agent { return Agent{s.engine, entry} }

// Ask records requests, to wait for a person or to be sent as far as the settings
// grant it, and gives them as they are then. confirm are the ids of lines of a list.
func (a Agent) Ask(ctx context.Context, intent string, requests []api.Request, limit api.Credits, confirm ...string) ([]Asked, error) {
	ids, err := a.engine.Submitter.Ask(ctx, &store.Ask{Entry: a.Entry, Intent: intent, MaxCredits: limit, Confirm: confirm}, requests)
	if err != nil {
		return nil, err
	}
	return a.List(ctx, len(ids), ids...)
}

// Find gives one request that the entry asked for.
func (a Agent) Find(ctx context.Context, id string) (Asked, error) {
	list, err := a.List(ctx, 1, id)
	if err != nil || len(list) == 0 {
		return Asked{}, cmp.Or[error](err, ErrNoJob)
	}
	return list[0], nil
}

// address is where a result is that one of the entry's jobs has, named as ID/1; "" without one.
func (a Agent) address(ctx context.Context, name string) string {
	id, number, _ := strings.Cut(name, "/")
	if _, err := a.Find(ctx, id); err != nil || number == "" {
		return ""
	}
	found, _ := materials{a.engine}.Find(ctx, "job:"+name)
	return found.Address
}

// List gives what the entry asked for, the newest first, or only those of some ids.
func (a Agent) List(ctx context.Context, limit int, ids ...string) ([]Asked, error) {
	list, err := explained(a.engine.db().AskedBy(ctx, a.Entry, limit, ids...))
	for i := range list {
		a.engine.Submitter.Overlay(&list[i].Row)
	}
	return list, err
}

// Await waits until a request is not active and does not wait for anybody, or until
// ctx ends, and gives it as it is then.
func (a Agent) Await(ctx context.Context, id string) (Asked, error) {
	one, err := until(ctx, a.engine, func() (Asked, error) { return a.Find(context.WithoutCancel(ctx), id) }, func(one Asked) bool {
		return one.Ended || !one.Phase.Active() && one.Phase != api.PhaseHeld
	})
	if err != nil && err == ctx.Err() {
		err = nil
	}
	return one, err
}

// SpentBy is what the requests of an entry cost today, and what it may do by itself.
func (q queue) SpentBy(ctx context.Context, entry string) (api.Credits, Grant, error) {
	spent, err := explained(q.db().SpentBy(ctx, entry, time.Now()))
	return spent, q.Current.Agent(entry), err
}
