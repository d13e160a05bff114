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
	whyExpired   = api.Declare("result_expired", "the result link has expired")
	whyBusy      = api.Declare("result_busy", "another window is fetching this result")
	whySaved     = api.Declare("result_saved_already", "the address leads to another result, which is saved already")
	whyNothing   = api.Declare("result_nothing", "the result has neither an address nor content")
	whyNoJob     = api.Declare("result_no_job", "a result without a job cannot be saved")
	whyTooLarge  = api.Declare("result_too_large", "the result is larger than %v MiB, which is the most darkroom saves of its kind")
	whyAddress   = api.Declare("result_address", "the result's address cannot be read")
	whyUser      = api.Declare("result_address_user", "the result's address holds a user name, so it is not fetched")
	whyHops      = api.Declare("result_address_hops", "the result's address leads through more than 5 others, so it is not fetched")
	whyPrivate   = api.Declare("result_address_private", "the result's address leads into a private network, so it is not fetched")
	whyOffScale  = api.Declare("result_address_long", "the result's address is too long")
	whyPlainHTTP = api.Declare("result_address_plain", "the result's address is not https, so it is not fetched: %v")

	whyStopped     = api.Declare("download_stopped", "the download was stopped")
	whySlow        = api.Declare("download_slow", "hardly anything came for too long")
	whyTooSlow     = api.Declare("download_too_slow", "hardly anything came for %v, so the download was stopped: fetch again")
	whyShort       = api.Declare("download_short", "the connection ended before the whole file had come")
	whyShortFetch  = api.Declare("download_short_again", "the connection ended before the whole file had come: fetch again")
	whyEmpty       = api.Declare("download_empty", "the service sent an empty file")
	whyPacked      = api.Declare("download_packed", "the service sent the file packed (%v), though it was asked not to")
	whyPart        = api.Declare("download_part", "the service sent a part of the file only")
	whyPage        = api.Declare("download_page", "the service sent a page of text in place of the file: fetch again")
	whyCut         = api.Declare("download_cut", "the file that the service sends ends in its middle: fetch again")
	whyAnswered    = api.Declare("download_answered", "the file cannot be fetched: %v answered %v")
	whyNoAnswer    = api.Declare("download_failed", "the file cannot be fetched: %v")
	whyStartOver   = api.Declare("download_start_over", "the download must start over")
	whyLookup      = api.Declare("host_lookup", "its host name cannot be looked up")
	whyHostRefuses = api.Declare("host_refuses", "its host refuses the connection")
	whyHostSilent  = api.Declare("host_silent", "its host does not answer")
	whyHostTLS     = api.Declare("host_certificate", "its host has no certificate that can be trusted")
	whyConnection  = api.Declare("connection_failed", "the connection failed")

	whyTakenAway = api.Declare("file_taken_away", "the file on its way was taken away: fetch again")
	whySameName  = api.Declare("file_same_name", "too many files have the name %v: move them away and fetch again")
	whyRecipe    = api.Declare("file_recipe", "the recipe cannot be written down")
	whyFolder    = api.Declare("downloads_not_absolute", "the downloads folder is not an absolute folder: set DARKROOM_DOWNLOADS")
	whyFull      = api.Declare("downloads_full", "there is no room left in %v: make room and fetch again")
	whyNotMade   = api.Declare("downloads_not_made", "the downloads folder %v cannot be made: %v")
	whyNotOpened = api.Declare("downloads_not_opened", "the downloads folder %v cannot be opened: %v")
	whyNotTaken  = api.Declare("downloads_not_written", "the downloads folder %v cannot be written to: %v")
	whyNotRead   = api.Declare("downloads_not_read", "the downloads folder %v cannot be read: %v")
	whyNotSaved  = api.Declare("downloads_unusable", "results cannot be saved in %v (%v): make the folder writable, or choose another one in the settings")

	// Behind a material's name.
	whyPublicAddress = api.Declare("public_address", "has an address that cannot be read")
	whyPublicPrivate = api.Declare("public_private", "lies in a private network, which the service cannot reach")
	whyPublicHops    = api.Declare("public_hops", "leads through more than 5 other addresses")
	whyPublicReach   = api.Declare("public_reach", "cannot be reached: %v")
	whyPublicStatus  = api.Declare("public_status", "is %v for the public")

	whyCopy       = api.Declare("copy_not_written", "%v could not be written: %v")
	whyCopyPath   = api.Declare("copy_path", "name a folder or a file by its whole path")
	whyCopyThere  = api.Declare("copy_there", "there is a file of that name already")
	whyCopyFolder = api.Declare("copy_no_folder", "there is no such folder")
	whyCopyDenied = api.Declare("copy_permission", "no permission")

	whyOpen         = api.Declare("open_not", "%v is not opened: %v")
	whyOpenPath     = api.Declare("open_path", "it is not an absolute path")
	whyOpenGone     = api.Declare("open_gone", "it is gone; fetch it again")
	whyOpenRead     = api.Declare("open_read", "it cannot be read")
	whyOpenFile     = api.Declare("open_file", "it is not a file")
	whyOpenType     = api.Declare("open_type", "its type is not known")
	whyOpenContent  = api.Declare("open_content", "its content is not what its name says")
	whyOpener       = api.Declare("opener_not_absolute", "the opener is not an absolute path: set DARKROOM_OPENER to one")
	whyOpenerStart  = api.Declare("opener_start", "%v cannot be started: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
	whyOpenerRun    = api.Declare("opener_run", "%v may not be run: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
	whyOpenerGone   = api.Declare("opener_gone", "%v is not there: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
	whyOpenerFailed = api.Declare("opener_failed", "%v could not open %v (%v): open it yourself, or set DARKROOM_OPENER")
	whyOpenerNone   = api.Declare("opener_none", "xdg-open is not there to open files: install xdg-utils, set DARKROOM_OPENER, or open %v yourself")
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

func (f *Fetcher) diskError(why api.ReasonKind, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if full(err) {
		return &Error{Reason: whyFull.Reason(f.dir), Cause: err}
	}
	return &Error{Reason: why.Reason(f.dir, api.WithoutPath(err)), Cause: err}
}
