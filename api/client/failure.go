package client

import (
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// OwnError is an error that is found here, not said by the service.
func OwnError(class api.ErrorClass, status int, why api.ReasonKind, args ...any) *api.Error {
	return &api.Error{Class: class, Status: status, Reason: why.Reason(args...)}
}

// Unreadable is the error for a 2xx or 3xx that holds nothing of use; why may
// be zero.
func Unreadable(t Trip, why api.Reason) *api.Error {
	kind, args := api.ReasonUnreadable, []any{t.Host, t.Status}
	switch {
	case t.Status >= 300 && t.Status <= 399:
		kind = api.ReasonRedirect
	case t.Status < 200 || t.Status > 599:
		kind = api.ReasonNoSuchAnswer
	case len(t.Body) == 0:
		kind = api.ReasonEmpty
	case !why.IsZero():
		kind, args = api.ReasonUnreadableWhy, append(args, why)
	}
	e := OwnError(api.ClassUnreadable, t.Status, kind, args...)
	e.Raw = read.KeepRaw(t.Body)
	return e
}

// completeError fills what the reader left open in a refusal.
func completeError(e *api.Error, t Trip, now time.Time) *api.Error {
	e.Status = t.Status
	if wait, ok := read.Wait(t.Header, now); ok {
		e.RetryAfter = max(wait, api.MinWait) // a wait of none was asked for; zero stands for no wait
	}
	e.Raw = read.KeepRaw(t.Body)
	return e
}
