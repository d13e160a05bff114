package store

import (
	"context"
	"darkroom/api"
	"errors"
)

// ErrUnwritable is what a write to a store ends with that can only be read, or
// waits for the person's decision.
var ErrUnwritable = whyUnwritable.Fault(nil)

// Explain gives an error of the store as callers distinguish it and people
// read it: ErrMissing, ErrUnwritable, the end of a context, or one whose text is
// Words of its cause.
func Explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrMissing):
		return ErrMissing
	case errors.Is(err, ErrReadOnly), errors.Is(err, ErrHeld):
		return ErrUnwritable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	var several *AmbiguousError
	if errors.As(err, &several) {
		return err
	}
	return &explained{err}
}

// explained says a store's failure in words.
type explained struct{ cause error }

func (e *explained) Error() string { return e.Why().String() }
func (e *explained) Unwrap() error { return e.cause }

// Why gives the reason.
func (e *explained) Why() api.Reason { return Why(e.cause) }
