package queue

import (
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Wake begins to send what this window has to send, unless that goes on already.
func (q *Queue) Wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running {
		q.again = true
		return
	}
	q.running = true
	q.o.Go(q.run)
}

// run sends what this window has to send, one by one, until nothing is left.
func (q *Queue) run() {
	for q.next() || q.more() {
	}
}

// more reports whether something was agreed to while the last look found
// nothing; else the run is over.
func (q *Queue) more() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	more := q.again && q.ctx.Err() == nil
	q.again, q.running = false, more
	return more
}

// next sends the next request and waits for its outcome; false when there is
// none.
func (q *Queue) next() bool {
	if q.ctx.Err() != nil {
		return false
	}
	h, ok, err := q.o.Store().NextHeld(q.ctx, q.o.Instance)
	if err != nil {
		return remote.Sleep(q.ctx, q.scale.Of(storeRetry))
	}
	if !ok {
		return false
	}
	price, err := q.price(q.ctx, h.Request)
	if q.ctx.Err() != nil {
		return false
	}
	if code, reason := priceHindrance(h.Estimate, price, err); code != "" {
		return q.wait(h, code, reason)
	}
	j, err := q.o.SubmitHeld(q.ctx, h, price)
	switch {
	case q.ctx.Err() != nil:
		return false
	case errors.Is(err, store.ErrLate):
		return true // somebody paused, removed or took it
	case err != nil:
		code := "store"
		var refusal *remote.Refusal
		if errors.As(err, &refusal) {
			code = refusal.Code
		}
		return q.wait(h, code, api.ReasonOf(err))
	}
	if j, err = q.o.Sent(q.ctx, j.ID); err != nil {
		return false // the session ends
	}
	if code, reason := outcomeHindrance(&j); code != "" {
		return q.wait(h, code, reason)
	}
	return true
}

// storeRetry is how often a store that does not answer is asked again.
const storeRetry = time.Second

// wait lets the rest of a request's agreement wait for the person.
func (q *Queue) wait(h store.Held, code string, reason api.Reason) bool {
	if q.pause(q.ctx, h.Agreement, code, reason) != nil {
		return remote.Sleep(q.ctx, q.scale.Of(storeRetry))
	}
	return true
}

// priceHindrance says what the price of now has against sending what was agreed
// to at another.
func priceHindrance(agreed, now api.Estimate, err error) (code string, reason api.Reason) {
	switch {
	case !agreed.Known():
		return "", api.Reason{}
	case now.Known() && now.Credits > agreed.Credits:
		return "price", whyPriceRose.Reason(now.Credits.Amount(), agreed.Credits)
	case !now.Known() && err != nil:
		return "price", whyPriceUnknownOf.Reason(err)
	case !now.Known():
		return "price", whyPriceUnknown.Reason()
	}
	return "", api.Reason{}
}

// outcomeHindrance says what the outcome of a request has against sending the
// next one.
func outcomeHindrance(j *store.Job) (code string, reason api.Reason) {
	switch j.Phase {
	case api.PhaseUnknown, api.PhaseUnread:
		return "outcome", whyBeforeUnknown.Reason()
	case api.PhaseNotSent:
		return "not_sent", whyBeforeUnsent.Reason(j.Error)
	case api.PhaseRejected:
		switch j.ErrClass {
		case api.ClassKey, api.ClassCredits, api.ClassRate:
			return "rejected", whyBeforeRefused.Reason(j.Error)
		}
	}
	return "", api.Reason{}
}
