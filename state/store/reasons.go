package store

import (
	"context"
	"errors"

	sqlite3 "modernc.org/sqlite/lib"

	"darkroom/api"
)

// Why the store is not written, or a job is as it is.
var (
	whyUnwritable = api.Declare("store_unwritable", "the store can only be read, so nothing can be sent")
	whyMoved      = api.Declare("store_moved", "the store's file was moved or removed while darkroom was running")
	whyMovedDo    = api.Declare("store_moved_do", "the store's file was moved or removed while darkroom was running: put it back or quit, then start again")
	whyNoPlace    = api.Declare("store_no_place", "there is no place for a store: make the data folder writable, then start again")

	whyFolder     = api.Declare("store_folder", "the store cannot be written (%v): make %v writable, then start again")
	whyNotRegular = api.Declare("store_not_regular", "it is not a regular file")
	whyNewerDo    = api.Declare("store_newer_do", "the store was written by a newer darkroom: use that version, or begin a new store with 'darkroom doctor --new-store' (the file is kept)")
	whyNewerNow   = api.Declare("store_newer_now", "a newer darkroom has opened the store meanwhile: quit, then start that one")
	whyNotInStore = api.Declare("job_not_in_store", "the store's file does not have this job any more: another one was put in its place")
	whyUnwritten  = api.Declare("store_not_written", "the store cannot be written (%v)")
	whyUnusable   = api.Declare("store_unusable", "the store cannot be used: %v")
	whyNotAside   = api.Declare("store_not_aside", "the store is damaged and could not be moved aside (%v)")
	whyKept       = api.Declare("store_kept", "the store was damaged; it is kept as %v and a new, empty one was begun, which neither shows earlier jobs nor counts their credits: 'darkroom doctor --new-store' goes on with it")
	whyKeptNewBad = api.Declare("store_kept_new_bad", "%v. The new one cannot be used: %v")

	whyJobUnread = api.Declare("job_unreadable", "job %v is in the list and cannot be read: %v")
	whyNoStore   = api.Declare("no_store", "no store could be made: %v")

	whyFull    = api.Declare("store_disk_full", "the disk is full: free some space, then try again")
	whyBusy    = api.Declare("store_busy", "another window keeps the store busy: try again")
	whyMode    = api.Declare("store_permissions", "the store can only be read: check the permissions of its folder")
	whyCorrupt = api.Declare("store_corrupt", "the store is damaged: quit and start again, the file will be kept aside")
	whyIO      = api.Declare("store_disk", "the disk refused the store: check it, then try again")

	whyHeldEnded  = api.Declare("held_ended", "darkroom ended before this was sent")
	whyHeldCopied = api.Declare("held_copied", "the store was copied or put back since this was agreed to: it may have been sent and charged from the other one. Look there first")
	whyNoSuchJob  = api.Declare("no_such_job", "there is no such job")
	whySeveral    = api.Declare("several_jobs", "several jobs begin with %v: type more of the id")
	whyLate       = api.Declare("taken_over", "another window has taken this over")
	whyTaken      = api.Declare("id_taken", "another job has this id already")

	whyNotSent       = api.Declare("not_sent_yet", "not sent; send now?")
	whyUnknown       = api.Declare("sending_ended", "darkroom ended while this was being sent: it may have been accepted and charged. Attach its id, dismiss it as not charged, or send it again")
	whySentAgain     = api.Declare("sent_again", "sent again as another job")
	whyNotSentUnread = api.Declare("not_sent_unread", "not sent, because the store could not be read: %v")

	whyBudgetUnread   = api.Declare("budget_unreadable", "the budget or another setting cannot be read: nothing was sent; 'darkroom doctor' says which one and what to do")
	whyBudgetUnpriced = api.Declare("budget_unpriced", "a budget is set and the price of this request is not known: nothing was sent; remove the budget to send it")
	whyBudget         = api.Declare("budget", "the budget of %v a day does not allow %v more (spent or under way: %v): nothing was sent; raise the budget or wait for tomorrow")
	whySameUnknown    = api.Declare("same_unknown", "an identical request was sent before and may have been accepted and charged")
	whySameRunning    = api.Declare("same_running", "an identical request is running")
	whyOldConfirm     = api.Declare("old_confirmation", "this confirmation is out of date: look at the job and its price, then confirm again")
	whyBeingSent      = api.Declare("being_sent", "it is just being sent")
	whyHasIt          = api.Declare("service_has_it", "the service has this job already: it is not sent again. Edit it and send it as a new one")
)

// NotSent is why a job that nothing holds up was not sent.
func NotSent() api.Reason { return whyNotSent.Reason() }

// Why gives a store error as a person can use it: what happened, then what to do.
func Why(err error) api.Reason {
	switch {
	case errors.Is(err, ErrMoved):
		return whyMovedDo.Reason()
	case errors.Is(err, errNewer):
		return whyNewerNow.Reason()
	case errors.Is(err, ErrMissing):
		return whyNotInStore.Reason()
	}
	if Busy(err) {
		return whyBusy.Reason()
	}
	if why, known := whyCode[sqliteCode(err)]; known {
		return why.Reason()
	}
	return api.ReasonOf(api.WithoutPath(err))
}

var whyCode = map[int]api.ReasonKind{
	sqlite3.SQLITE_FULL: whyFull, sqlite3.SQLITE_READONLY: whyMode, sqlite3.SQLITE_PERM: whyMode,
	sqlite3.SQLITE_CORRUPT: whyCorrupt, sqlite3.SQLITE_NOTADB: whyCorrupt, sqlite3.SQLITE_IOERR: whyIO,
}

// Busy reports whether a write failed because another window kept the store busy:
// nothing was written, and later it may be.
func Busy(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// Explain gives an error of the store as callers distinguish it and people
// read it: ErrMissing, ErrReadOnly, the end of a context, or one whose text is
// the Why of its cause.
func Explain(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrReadOnly), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, ErrMissing):
		return ErrMissing
	}
	return &explained{err}
}

// explained says a store's failure in words.
type explained struct{ cause error }

func (e *explained) Error() string { return e.Why().String() }
func (e *explained) Unwrap() error { return e.cause }

// Why gives the reason.
func (e *explained) Why() api.Reason { return Why(e.cause) }
