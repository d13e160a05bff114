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

// Why a result is not saved or opened.
var (
	whyExpired   = api.Sentence("the result link has expired")
	whyBusy      = api.Sentence("another window is fetching this result")
	whySaved     = api.Sentence("the address leads to another result, which is saved already")
	whyNothing   = api.Sentence("the result has neither an address nor content")
	whyNoJob     = api.Sentence("a result without a job cannot be saved")
	whyTooLarge  = api.Sentence("the result is larger than %v MiB, which is the most darkroom saves of its kind")
	whyAddress   = api.Sentence("the result's address cannot be read")
	whyUser      = api.Sentence("the result's address holds a user name, so it is not fetched")
	whyHops      = api.Sentence("the result's address leads through more than 5 others, so it is not fetched")
	whyPrivate   = api.Sentence("the result's address leads into a private network, so it is not fetched")
	whyOffScale  = api.Sentence("the result's address is too long")
	whyPlainHTTP = api.Sentence("the result's address is not https, so it is not fetched: %v")

	whyStopped     = api.Sentence("the download was stopped")
	whySlow        = api.Sentence("hardly anything came for too long")
	whyTooSlow     = api.Sentence("hardly anything came for %v, so the download was stopped: fetch again")
	whyShort       = api.Sentence("the connection ended before the whole file had come")
	whyShortFetch  = api.Sentence("the connection ended before the whole file had come: fetch again")
	whyEmpty       = api.Sentence("the service sent an empty file")
	whyPacked      = api.Sentence("the service sent the file packed (%v), though it was asked not to")
	whyPart        = api.Sentence("the service sent a part of the file only")
	whyPage        = api.Sentence("the service sent a page of text in place of the file: fetch again")
	whyCut         = api.Sentence("the file that the service sends ends in its middle: fetch again")
	whyAnswered    = api.Sentence("the file cannot be fetched: %v answered %v")
	whyNoAnswer    = api.Sentence("the file cannot be fetched: %v")
	whyStartOver   = api.Sentence("the download must start over")
	whyLookup      = api.Sentence("its host name cannot be looked up")
	whyHostRefuses = api.Sentence("its host refuses the connection")
	whyHostSilent  = api.Sentence("its host does not answer")
	whyHostTLS     = api.Sentence("its host has no certificate that can be trusted")
	whyConnection  = api.Sentence("the connection failed")

	whyTakenAway = api.Sentence("the file on its way was taken away: fetch again")
	whySameName  = api.Sentence("too many files have the name %v: move them away and fetch again")
	whyRecipe    = api.Sentence("the recipe cannot be written down")
	whyFolder    = api.Sentence("the downloads folder is not an absolute folder: set DARKROOM_DOWNLOADS")
	whyFull      = api.Sentence("there is no room left in %v: make room and fetch again")
	whyNotMade   = api.Sentence("the downloads folder %v cannot be made: %v")
	whyNotOpened = api.Sentence("the downloads folder %v cannot be opened: %v")
	whyNotTaken  = api.Sentence("the downloads folder %v cannot be written to: %v")
	whyNotRead   = api.Sentence("the downloads folder %v cannot be read: %v")
	whyNotSaved  = api.Sentence("results cannot be saved in %v (%v): make the folder writable, or choose another one in the settings")

	// Behind a material's name.
	whyPublicAddress = api.Sentence("has an address that cannot be read")
	whyPublicPrivate = api.Sentence("lies in a private network, which the service cannot reach")
	whyPublicHops    = api.Sentence("leads through more than 5 other addresses")
	whyPublicReach   = api.Sentence("cannot be reached: %v")
	whyPublicStatus  = api.Sentence("is %v for the public")

	whyCopy       = api.Sentence("%v could not be written: %v")
	whyCopyPath   = api.Sentence("name a folder or a file by its whole path")
	whyCopyThere  = api.Sentence("there is a file of that name already")
	whyCopyFolder = api.Sentence("there is no such folder")
	whyCopyDenied = api.Sentence("no permission")

	whyOpen         = api.Sentence("%v is not opened: %v")
	whyOpenPath     = api.Sentence("it is not an absolute path")
	whyOpenGone     = api.Sentence("it is gone; fetch it again")
	whyOpenRead     = api.Sentence("it cannot be read")
	whyOpenFile     = api.Sentence("it is not a file")
	whyOpenType     = api.Sentence("its type is not known")
	whyOpenContent  = api.Sentence("its content is not what its name says")
	whyOpener       = api.Sentence("the opener is not an absolute path: set DARKROOM_OPENER to one")
	whyOpenerStart  = api.Sentence("%v cannot be started: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
	whyOpenerRun    = api.Sentence("%v may not be run: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
	whyOpenerGone   = api.Sentence("%v is not there: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
	whyOpenerFailed = api.Sentence("%v could not open %v (%v): open it yourself, or set DARKROOM_OPENER")
	whyOpenerNone   = api.Sentence("xdg-open is not there to open files: install xdg-utils, set DARKROOM_OPENER, or open %v yourself")
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
func (e *SavedError) Why() api.Reason { return whySaved.Reason() }

// explain turns what stopped a download into a sentence without an address.
func (f *Fetcher) explain(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return &Error{Reason: whyStopped.Reason(), Cause: ctx.Err()}
	case errors.Is(err, ErrSlow):
		return &Error{Reason: whyTooSlow.Reason(f.idle), Cause: ErrSlow}
	case errors.Is(err, errShort), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Reason: whyShortFetch.Reason(), Cause: errShort}
	}
	return &Error{Reason: whyNoAnswer.Reason(networkReason(err)), Cause: err}
}

// networkReason names what went wrong without the address.
func networkReason(err error) api.Reason {
	var dns *net.DNSError
	var late interface{ Timeout() bool }
	switch {
	case errors.As(err, &dns):
		return whyLookup.Reason()
	case errors.Is(err, syscall.ECONNREFUSED):
		return whyHostRefuses.Reason()
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return api.ReasonReset.Reason()
	case errors.As(err, &late) && late.Timeout():
		return whyHostSilent.Reason()
	case strings.Contains(err.Error(), "tls:"), strings.Contains(err.Error(), "x509:"):
		return whyHostTLS.Reason()
	}
	return whyConnection.Reason()
}

func (f *Fetcher) diskError(why api.Sentence, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if full(err) {
		return &Error{Reason: whyFull.Reason(f.dir), Cause: err}
	}
	return &Error{Reason: why.Reason(f.dir, api.WithoutPath(err)), Cause: err}
}
