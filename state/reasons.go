package state

import "darkroom/api"

// Why this window cannot send.
var (
	whyNoLocks    = api.Declare("no_file_locks", "file locks do not work there")
	whyNotLocked  = api.Declare("not_locked", "it cannot be locked")
	whyLockGone   = api.Declare("lock_gone", "the lock file of this window in %v is gone and cannot be made again (%v)")
	whyLockFolder = api.Declare("lock_folder", "the folder of lock files cannot be written (%v): make it writable, then start again")
	whyNoTurns    = api.Declare("no_turns", "the windows of darkroom cannot take turns: the file create.lock in %v cannot be used (%v)")
	whyUnwritten  = api.Declare("store_cannot_be_written", "the store cannot be written: %v")
	whyNoFile     = api.Declare("job_no_file", "this job has no such file")
)
