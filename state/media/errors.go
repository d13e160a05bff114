package media

import (
	"cmp"
	"context"
	"errors"
	"io"

	"darkroom/api"
)

var whyNotTaken = api.Sentence("the downloads folder %v cannot be written to: %v")

// Error is why a result could not be brought, without its address.
type Error struct {
	*api.Fault
	Final bool // trying again cannot help
}

func final(why api.Sentence, values ...any) *Error { return &Error{why.Fault(nil, values...), true} }

func failed(cause error, why api.Sentence, values ...any) *Error {
	return &Error{Fault: why.Fault(cause, values...)}
}

// SavedError says that an address led to a file that another result has already.
type SavedError struct{ SHA256 string }

func (e *SavedError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *SavedError) Why() api.Reason {
	return api.Sentence("the URL leads to another result, which is saved already").Reason()
}

// explain turns what stopped a download into a sentence.
func (f *Fetcher) explain(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return failed(ctx.Err(), "the download was stopped")
	case errors.Is(err, ErrSlow):
		return failed(ErrSlow, "hardly anything came for %v, so the download was stopped: fetch again", f.idle)
	case errors.Is(err, errShort), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return failed(errShort, "the connection ended before the whole file had come: fetch again")
	}
	return failed(err, "the file cannot be fetched: %v", cmp.Or(api.ConnectionReason(err), api.ReasonConnFailed.Reason()))
}

func (f *Fetcher) diskError(why api.Sentence, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if full(err) {
		return failed(err, "there is no room left in %v: make room and fetch again", f.Dir)
	}
	return failed(err, why, f.Dir, api.WithoutPath(err))
}
