package store

import (
	"os"
	"path/filepath"
	"time"
)

// forkTime is how long a lock is tried again: others look at the file for a moment, and
// a process that was just forked has a copy of the handle, also of one that is closed
// here, until it runs its program.
const forkTime = 100 * time.Millisecond

// LockSoon is TryLock for that time.
func LockSoon(f *os.File) (free bool, err error) {
	for until := time.Now().Add(forkTime); ; time.Sleep(forkTime / 20) {
		if free, err = TryLock(f); free || err != nil || time.Now().After(until) {
			return free, err
		}
	}
}

// OpenLock opens a file that is to be locked. Others may remove it while it is open,
// on Windows too, where files of os.OpenFile stay.
func OpenLock(path string, flag int) (*os.File, error) {
	dir, name := filepath.Split(path)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return folder.OpenFile(name, flag, 0o600)
}
