// Package queue sends the requests of an agreement one by one. They are held in
// the store until their turn: nothing of them was sent and nothing spent. Each
// window sends what was agreed to in it, the price, the budget and the rules
// being looked at anew before each request; whatever makes the next one doubtful
// lets the rest of its agreement wait for the person.
package queue

import (
	"context"
	"errors"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// Options are what a Queue is made from.
type Options struct {
	Settings *settings.Current
	Instance string // of those that share the store
	Window
}

// Window is what a Queue needs of the window that it sends from.
type Window interface {
	Store() *store.Store
	// Estimate is the price of a request now, at most a minute old.
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	// Ready says why nothing can be sent now. SubmitHeld records and sends a request,
	// and Sent waits until its POST has its outcome.
	Ready() error
	SubmitHeld(ctx context.Context, h store.Held, price api.Estimate) (store.Job, error)
	Sent(ctx context.Context, id string) (store.Job, error)
	Go(f func())
	Changed(ids ...string)
}

// Queue is what waits to be sent. It is safe for use by several goroutines.
type Queue struct {
	o     Options
	ctx   context.Context // ends with the session
	scale remote.Scale

	mu      sync.Mutex
	running bool
	again   bool // something was agreed to while it ran
}

// New makes a Queue, which sends nothing yet: what an earlier run has left waits
// for the person.
func New(ctx context.Context, o Options) *Queue {
	return &Queue{o: o, ctx: ctx, scale: remote.Scale(o.Settings.Get().TimeScale)}
}

// Lists are the lists that a prompt can name, as they are on the disk now.
func (q *Queue) Lists(context.Context) (expand.Lists, error) {
	return settings.Wildcards(q.o.Settings.Get().ConfigFile)
}

// Pause lets the agreement of a held request wait for the person. A request
// that is being sent goes on.
func (q *Queue) Pause(ctx context.Context, id string) error {
	list, err := q.o.Store().HeldOf(ctx, id)
	if err != nil {
		return heldError(err)
	}
	return q.pause(ctx, list[0].Agreement, "person", api.Reason{})
}

func (q *Queue) pause(ctx context.Context, agreement, code string, reason api.Reason) error {
	err := q.o.Store().PauseHeld(ctx, agreement, code, reason)
	q.o.Changed()
	return store.Explain(err)
}

// Move puts a held request earlier or later in the queue.
func (q *Queue) Move(ctx context.Context, id string, earlier bool) error {
	err := q.o.Store().MoveHeld(ctx, id, earlier)
	q.o.Changed(id)
	return heldError(err)
}

// Remove deletes held requests, free of charge.
func (q *Queue) Remove(ctx context.Context, ids ...string) error {
	err := q.o.Store().RemoveHeld(ctx, ids)
	q.o.Changed(ids...)
	return heldError(err)
}

// Held are the requests that wait with one, itself among them, in their order.
func (q *Queue) Held(ctx context.Context, id string) ([]store.Held, error) {
	list, err := q.o.Store().HeldOf(ctx, id)
	return list, heldError(err)
}

// ErrNotHeld says that a job is no held request.
var ErrNotHeld = whyNotHeld.Fault(nil)

func heldError(err error) error {
	if errors.Is(err, store.ErrMissing) {
		return ErrNotHeld
	}
	return store.Explain(err)
}

// Offer is what a person is asked before held requests are sent.
type Offer struct {
	Held   []store.Held // with their prices of now
	Total  api.Credits
	Known  bool       // every price is known
	Copied bool       // the store is a copy: they may have been sent from the other
	Reason api.Reason // why they wait
}

// Offer asks for the prices of the requests that wait with a held one, or of it
// alone. The error says why the service's own figure is missing.
func (q *Queue) Offer(ctx context.Context, id string, all bool) (Offer, error) {
	list, err := q.o.Store().HeldOf(ctx, id)
	if err != nil {
		return Offer{}, heldError(err)
	}
	offer := Offer{Known: true}
	var missing error
	for _, h := range list {
		if h.Owner != "" || !all && h.ID != id {
			continue
		}
		if !offer.Copied { // none is graver than that one
			offer.Reason, offer.Copied = h.Reason, h.Code == store.CodeCopied
		}
		h.Again = h.Again || h.Code == "again"
		if h.Estimate, err = q.price(ctx, h.Request); err != nil {
			missing = err
		}
		if ctx.Err() != nil {
			return Offer{}, ctx.Err()
		}
		offer.Known = offer.Known && h.Estimate.Known()
		if h.Estimate.Known() {
			offer.Total = offer.Total.Plus(h.Estimate.Credits)
		}
		offer.Held = append(offer.Held, h)
	}
	if len(offer.Held) == 0 {
		return offer, whyInTurn.Fault(nil)
	}
	return offer, missing
}

// Resume sends what was offered, at the prices that were shown.
func (q *Queue) Resume(ctx context.Context, offer Offer) error {
	if err := q.o.Ready(); err != nil {
		return err
	}
	err := q.o.Store().ResumeHeld(ctx, q.o.Instance, offer.Held)
	if errors.Is(err, store.ErrLate) {
		return &remote.Refusal{Code: "stale", Reason: whyQueueChanged.Reason(), Cause: err}
	}
	if err != nil {
		return store.Explain(err)
	}
	ids := make([]string, len(offer.Held))
	for i, h := range offer.Held {
		ids[i] = h.ID
	}
	q.o.Changed(ids...)
	q.Wake()
	return nil
}

// price is what counts as the price of a request now.
func (q *Queue) price(ctx context.Context, r api.Request) (api.Estimate, error) {
	e, err := q.o.Estimate(ctx, r)
	counts, _ := e.WithTable(r).Current(r, time.Now())
	return counts, err
}

var (
	whyNotHeld      = api.Declare("not_held", "only a request that is held can be moved, paused or removed")
	whyInTurn       = api.Declare("held_in_turn", "it is being sent in its turn already")
	whyQueueChanged = api.Declare("queue_changed", "the queue has changed meanwhile: look at it again")

	// Why the requests after one wait for the person.
	whyPriceRose      = api.Declare("held_price", "the price is now %v, and %v were agreed to")
	whyPriceUnknown   = api.Declare("held_price_unknown", "the price is not known now")
	whyPriceUnknownOf = api.Declare("held_price_unknown_why", "the price is not known now: %v")
	whyBeforeUnknown  = api.Declare("held_before_unknown", "the request before it may have been accepted and charged; look at it first")
	whyBeforeUnsent   = api.Declare("held_before_unsent", "the request before it could not be sent: %v")
	whyBeforeRefused  = api.Declare("held_before_refused", "the request before it was refused: %v")
)
