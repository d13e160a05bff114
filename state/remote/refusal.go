package remote

import "darkroom/api"

// Refusal says why nothing was sent. Code is one of "problems", "budget",
// "max_credits", "again", "no_key", "key_refused", "no_base", "store",
// "credits", "not_sendable", "stale" (a confirmation
// that came too late), "ask_tool", "downloads".
type Refusal struct {
	Code     string
	Text     string
	Problems []api.Problem
	Cause    error
}

func (r *Refusal) Error() string { return r.Text }

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
		return nil, &Refusal{Code: "no_base", Text: h.KeyError, Cause: ErrNoBase}
	case c == nil && h.KeyPending:
		return nil, &Refusal{Code: "no_key", Text: "the keyring has not answered yet: wait a moment, or type the key for this session", Cause: ErrNoKey}
	case c == nil:
		return nil, &Refusal{Code: "no_key", Text: h.KeyError, Cause: ErrNoKey}
	case h.KeyRefused:
		return nil, &Refusal{Code: "key_refused", Text: ErrKeyRefused.Error(), Cause: ErrKeyRefused}
	}
	return c, nil
}
