package remote

import (
	"errors"
	"time"

	"darkroom/api"
)

// Health is how things are with the service right now.
type Health struct {
	Base       string     // as shown: host and path prefix; "" when not set
	KeyHint    string     // ak_…9f3c, or ""
	KeySource  string     // "environment", "keyring", "session" or ""
	KeyPending bool       // the keyring has not answered yet
	KeyError   api.Reason // why there is no key
	KeyRefused bool       // the service refused the key; all calls rest
	Online     bool       // the last call had an answer
	Trouble    api.Reason // what is wrong; none when nothing
	RetryAt    time.Time
}

// Health returns how things are now.
func (r *Remote) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.health
}

// update changes the Health, and what else r.mu guards.
func (r *Remote) update(f func(*Health)) {
	r.mu.Lock()
	before := r.health
	f(&r.health)
	same := r.health == before
	r.mu.Unlock()
	if !same {
		r.o.Changed()
	}
}

// SetTrouble shows what is wrong, if anything, until the service's next answer.
func (r *Remote) SetTrouble(why api.Reason) { r.update(func(h *Health) { h.Trouble = why }) }

// Observe takes the outcome of a call into the Health.
func (r *Remote) Observe(c *Connection, err error) {
	var e *api.Error
	if !errors.As(err, &e) {
		if err == nil {
			r.update(func(h *Health) { h.Online, h.Trouble, h.RetryAt = true, api.Reason{}, time.Time{} })
		}
		return
	}
	refused := RefusesKey(e)
	if refused && r.Connection() != c {
		return // the refusal of a key that was replaced meanwhile
	}
	r.update(func(h *Health) {
		h.Online = e.Class != api.ClassNetwork
		switch {
		case refused:
			h.KeyRefused, h.Trouble = true, ErrKeyRefused.Why()
		case e.Class == api.ClassNetwork, e.Class == api.ClassRate, e.Class == api.ClassServer, e.Class == api.ClassUnreadable:
			h.Trouble = e.Why()
		default:
			h.Trouble = api.Reason{} // an answer about one request, not about the service
		}
	})
}

// ObserveCall is Observe for other calls, and closes the gate for a rest.
func (r *Remote) ObserveCall(c *Connection, err error) {
	r.Observe(c, err)
	if e, ok := errors.AsType[*api.Error](err); ok && (e.Status == 429 || e.Status == 503) {
		r.CloseGate(c, e)
	}
}

// RefusesKey reports whether every call would be refused from now on.
func RefusesKey(e *api.Error) bool {
	switch e.Class {
	case api.ClassKey:
		return e.Status != 0
	case api.ClassCredits, api.ClassCalls, api.ClassModeration, api.ClassRate:
		return false
	}
	return e.Status == 401 || e.Status == 403
}
