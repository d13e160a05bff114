package media

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"darkroom/api"
)

// What is said in several places of the downloads folder.
var (
	whyNotTaken = api.Sentence("the downloads folder %v cannot be written to: %v")
	whyNotRead  = api.Sentence("the downloads folder %v cannot be read: %v")
)

// Error is why a result could not be brought, without its address.
// Final says that trying again cannot help.
type Error struct {
	Reason api.Reason
	Final  bool
	Cause  error // its text is not shown as it is
}

func (e *Error) Error() string { return e.Reason.String() }

// Why gives the reason.
func (e *Error) Why() api.Reason { return e.Reason }

// Unwrap gives the cause, so that the end of a context can be told.
func (e *Error) Unwrap() error { return e.Cause }

// SavedError says that an address led to a file that another result has already.
type SavedError struct{ SHA256 string }

func (e *SavedError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *SavedError) Why() api.Reason {
	return api.Sentence("the address leads to another result, which is saved already").Reason()
}

// explain turns what stopped a download into a sentence without an address.
func (f *Fetcher) explain(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return &Error{Reason: api.Sentence("the download was stopped").Reason(), Cause: ctx.Err()}
	case errors.Is(err, ErrSlow):
		why := api.Sentence("hardly anything came for %v, so the download was stopped: fetch again")
		return &Error{Reason: why.Reason(f.idle), Cause: ErrSlow}
	case errors.Is(err, errShort), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Reason: api.Sentence("the connection ended before the whole file had come: fetch again").Reason(), Cause: errShort}
	}
	return &Error{Reason: api.Sentence("the file cannot be fetched: %v").Reason(networkReason(err)), Cause: err}
}

// networkReason names what went wrong without the address.
func networkReason(err error) api.Reason {
	var dns *net.DNSError
	var late interface{ Timeout() bool }
	switch {
	case errors.As(err, &dns):
		return api.Sentence("its host name cannot be looked up").Reason()
	case errors.Is(err, syscall.ECONNREFUSED):
		return api.Sentence("its host refuses the connection").Reason()
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return api.ReasonReset.Reason()
	case errors.As(err, &late) && late.Timeout():
		return api.Sentence("its host does not answer").Reason()
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return api.Sentence("its host has no certificate that can be trusted").Reason()
	}
	return api.Sentence("the connection failed").Reason()
}

func (f *Fetcher) diskError(why api.Sentence, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if full(err) {
		return &Error{Reason: api.Sentence("there is no room left in %v: make room and fetch again").Reason(f.dir), Cause: err}
	}
	return &Error{Reason: why.Reason(f.dir, api.WithoutPath(err)), Cause: err}
}
