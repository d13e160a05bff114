package remote

import "darkroom/api"

// Refusal says why nothing was sent. Code is one of "problems", "budget",
// "max_credits", "again", "no_key", "key_refused", "no_base", "store",
// "credits", "not_sendable", "stale" (a confirmation
// that came too late), "ask_tool", "downloads".
type Refusal struct {
	Code     string
	Reason   api.Reason
	Problems []api.Problem
	Cause    error
}

func (r *Refusal) Error() string { return r.Reason.String() }

// Why gives the reason.
func (r *Refusal) Why() api.Reason { return r.Reason }

// Unwrap gives the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Sendable gives the connection for a create, or says why the key or the
// address forbid one now.
func (r *Remote) Sendable() (*Connection, *Refusal) {
	r.mu.Lock()
	c, h, base := r.conn, r.health, r.base
	r.mu.Unlock()
	switch {
	case base == nil:
		return nil, &Refusal{Code: "no_base", Reason: h.KeyError, Cause: ErrNoBase}
	case c == nil && h.KeyPending:
		return nil, &Refusal{Code: "no_key", Reason: whyPendingDo.Reason(), Cause: ErrNoKey}
	case c == nil:
		return nil, &Refusal{Code: "no_key", Reason: h.KeyError, Cause: ErrNoKey}
	case h.KeyRefused:
		return nil, &Refusal{Code: "key_refused", Reason: ErrKeyRefused.Why(), Cause: ErrKeyRefused}
	}
	return c, nil
}
