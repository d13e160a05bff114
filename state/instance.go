package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// instance is this process among those that share the store. Its lock file is
// locked as long as the process lives, however it ends.
type instance struct {
	id    string
	lock  string        // path; "" when there is none
	fresh time.Duration // how long a sender without a lock file is left alone

	mu   sync.Mutex
	file *os.File // locked
}

// newInstance makes the lock file in dir.
func newInstance(dir string, fresh time.Duration) (*instance, error) {
	id := store.NewID()
	own := &instance{id: id, lock: lockOf(dir, id), fresh: fresh}
	err := own.take()
	if err != nil {
		own.lock = ""
	}
	return own, err
}

// take makes the lock file, if it is gone, and locks it.
func (own *instance) take() error {
	file, err := openMade(own.lock)
	if err != nil {
		return err
	}
	if free, err := store.LockSoon(file); err == nil && free && inPlace(own.lock, file) {
		_ = own.file.Close() // of before, if there is one
		own.file = file
		return nil
	}
	_ = file.Close()
	return api.Sentence("file locks do not work there").Fault(nil)
}

// close frees the lock file, which stays if the instance was not withdrawn.
func (own *instance) close(withdrawn bool) error {
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.file == nil {
		return nil
	}
	if withdrawn {
		_ = os.Remove(own.lock) // somebody may have cleaned it away
	}
	return own.file.Close()
}

// keep makes the lock file again when it is gone: else the others would take
// this process for dead. On an error nothing may be sent.
func (own *instance) keep() error {
	if !own.locked() {
		return api.Sentence("it cannot be locked").Fault(nil)
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	if inPlace(own.lock, own.file) {
		return nil
	}
	if err := own.take(); err != nil {
		return api.Sentence("the lock file of this window in %v is gone and cannot be made again (%v)").
			Fault(err, filepath.Dir(own.lock), api.WithoutPath(err))
	}
	return nil
}

// locked reports whether others can see that this process lives.
func (own *instance) locked() bool { return own.lock != "" }

func (own *instance) shares(file *store.Store) bool {
	return own.locked() && file.Health().ReadOnly.IsZero()
}

// takeOver ends or takes over what dead instances held, if they held any.
func (own *instance) takeOver(ctx context.Context, file *store.Store) bool {
	if !own.shares(file) {
		return false
	}
	others, err := file.Instances(ctx)
	if err != nil {
		return false
	}
	if !slices.Contains(others, own.id) {
		// Taken for dead while the lock file was gone.
		if file.AddInstance(ctx, own.id, own.lock, time.Now()) != nil {
			return false
		}
	}
	gone := slices.DeleteFunc(others, func(id string) bool { return id == own.id || !own.takesForDead(ctx, file, id) })
	orphans, err := file.Orphans(ctx)
	if err != nil || len(gone) == 0 && !orphans {
		return false
	}
	if err := file.TakeOver(ctx, gone, time.Now()); err != nil {
		return false
	}
	for _, id := range gone {
		_ = os.Remove(lockOf(filepath.Dir(own.lock), id))
	}
	return true
}

// lockOf is the lock file of an instance in a folder, which for another one is this one's:
// a store that was moved or copied names files in another folder.
func lockOf(dir, id string) string { return filepath.Join(dir, "window-"+id+".lock") }

// takesForDead reports whether another instance is gone: the system frees its
// lock however it ends. A lock file that is missing proves less, since somebody
// may have removed it under a process that lives: what that may just be sending
// is left alone.
func (own *instance) takesForDead(ctx context.Context, file *store.Store, id string) bool {
	theirs, err := store.OpenLock(lockOf(filepath.Dir(own.lock), id), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		last, err := file.LastSend(ctx, id)
		return err == nil && time.Since(last) > own.fresh
	}
	if err != nil {
		return false
	}
	defer func() { _ = theirs.Close() }()
	free, err := store.TryLock(theirs)
	return err == nil && free
}
