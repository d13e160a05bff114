package store

import (
	"cmp"
	"context"
	"errors"

	sqlite3 "modernc.org/sqlite/lib"

	"darkroom/api"
)

// Why the store is not written, or a job is as it is.
var (
	whyFolder  = api.Sentence("the store cannot be written (%v): make %v writable, then start again")
	whyNewerDo = api.Sentence("the store was written by a newer darkroom: use that version, " +
		"or begin a new store with 'darkroom doctor --new-store' (the file is kept)")
	whyKept = api.Sentence("the store was damaged; it is kept as %v and a new, empty one was begun, " +
		"which neither shows earlier jobs nor counts their credits: 'darkroom doctor --new-store' goes on with it")

	whyHeldEnded  = api.Sentence("darkroom ended before this was sent")
	whyHeldCopied = api.Sentence("your jobs were copied or restored from a backup since you agreed to this: " +
		"the other copy may have sent it, and it may have been charged. Look there first")

	whySeveral = api.Sentence("several jobs begin with %v: write more of it (%v)")

	WhyNotSent       = api.Sentence("stopped before it was sent")
	whyUnknown       = api.Sentence("darkroom ended while this was being sent; look at the job on the service's site before sending again")
	whyNotSentUnread = api.Sentence("not sent, because the store could not be read: %v")

	whyBudgetUnread = api.Sentence("the budget or another setting cannot be read: nothing was sent; " +
		"'darkroom doctor' says which one and what to do")
	whyBudgetUnpriced = api.Sentence("a budget is set and the price of this request is not known: nothing was sent; " +
		"try again, or remove the budget")
	whyBudget = [...]api.Sentence{api.Sentence("the budget of %v a day does not allow %v more (spent or under way: %v): " +
		"nothing was sent; raise the budget (budget in the settings file, or DARKROOM_BUDGET) or wait until tomorrow"),
		api.Sentence("the budget of %v a month does not allow %v more (spent or under way: %v): " +
			"nothing was sent; raise the budget (budget_month in the settings file, or DARKROOM_BUDGET_MONTH) or wait until next month")}
	whyBudgetAhead = api.Sentence("the budget of %v does not allow %v more (spent or under way: %v, " +
		"%v of it on a date yet to come, since the clock was ahead): nothing was sent; raise the budget until then")
	whyOverBudget = [...]api.Sentence{api.Sentence("the budget is %v a day and this costs %v: nothing was sent; " +
		"raise the budget (budget in the settings file, or DARKROOM_BUDGET), or choose something cheaper"),
		api.Sentence("the budget is %v a month and this costs %v: nothing was sent; " +
			"raise the budget (budget_month in the settings file, or DARKROOM_BUDGET_MONTH), or choose something cheaper")}
	// WhyAgain names the job that one was sent again as.
	WhyAgain = api.Sentence("already resent as job %v")
)

// NoResult is why a job has no result, and never had; zero if it may have one.
func NoResult(r Row) api.Reason {
	if r.Completed || r.Files > 0 || r.Phase.Active() {
		return api.Reason{}
	}
	return cmp.Or(map[api.Phase]api.Sentence{
		api.PhaseHeld:     api.Sentence("job %v was not sent, so it has no results; send it with 'darkroom job %v --send'"),
		api.PhaseNotSent:  api.Sentence("job %v was not sent, so it has no results; 'darkroom job %v' says how to send it"),
		api.PhaseRejected: api.Sentence("the service refused job %v, so it has no results; 'darkroom job %v' says why"),
		api.PhaseFailed:   api.Sentence("job %v failed, so it has no results; 'darkroom job %v' says why"),
	}[r.Phase], api.Sentence("it is not known whether job %v has results; 'darkroom job %v' says why")).Reason(r.ID, r.ID)
}

// Why gives a store error as a person can use it: what happened, then what to do.
func Why(err error) api.Reason {
	switch {
	case errors.Is(err, ErrMoved):
		return api.Sentence("the store's file was moved or removed while darkroom was running: put it back or quit, then start again").Reason()
	case errors.Is(err, errNewer):
		return api.Sentence("a newer darkroom has opened the store meanwhile: quit, then start that one").Reason()
	case errors.Is(err, ErrMissing):
		return api.Sentence("the store's file does not have this job any more: another one was put in its place").Reason()
	case Busy(err):
		return api.Sentence("another window keeps the store busy: try again").Reason()
	}
	if why, known := whyCode[sqliteCode(err)]; known {
		return why.Reason()
	}
	return api.ReasonOf(api.WithoutPath(err))
}

const (
	whyMode    = api.Sentence("the store can only be read: check the permissions of its folder")
	whyCorrupt = api.Sentence("the store is damaged: quit and start again, the file will be kept aside")
)

var whyCode = map[int]api.Sentence{
	sqlite3.SQLITE_FULL:     "the disk is full: free some space, then try again",
	sqlite3.SQLITE_IOERR:    "the disk refused the store: check it, then try again",
	sqlite3.SQLITE_READONLY: whyMode, sqlite3.SQLITE_PERM: whyMode, sqlite3.SQLITE_CORRUPT: whyCorrupt, sqlite3.SQLITE_NOTADB: whyCorrupt,
}

// Busy reports whether a write failed because another window kept the store busy.
func Busy(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// Explain gives an error as callers distinguish it and people read it: ErrMissing,
// ErrReadOnly, the end of a context, or the Why of its cause.
func Explain(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrReadOnly), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		api.ReasonOf(err).Format() == whySeveral:
		return err
	case errors.Is(err, ErrMissing):
		return ErrMissing
	}
	return &api.Fault{Reason: Why(err), Cause: err}
}
