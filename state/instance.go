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
	"darkroom/state/lock"
	"darkroom/state/remote"
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

// newInstance makes the lock file in dir. On an error the instance has no lock,
// and cannot share work with others.
func newInstance(ctx context.Context, dir string, fresh time.Duration) (*instance, error) {
	id := store.NewID()
	own := &instance{id: id, lock: filepath.Join(dir, lockName(id)), fresh: fresh}
	err := own.take(ctx)
	if err != nil {
		own.lock = ""
	}
	return own, err
}

// takeTries is how often take tries to lock: others look at the file for a
// moment.
const takeTries = 20

// take makes the lock file, if it is gone, and locks it.
func (own *instance) take(ctx context.Context) error {
	file, err := openIn(filepath.Dir(own.lock), own.lock)
	if err != nil {
		return err
	}
	for range takeTries {
		free, err := lock.Try(file)
		if err == nil && free && inPlace(own.lock, file) {
			if own.file != nil {
				_ = own.file.Close()
			}
			own.file = file
			return nil
		}
		if err != nil || free || !remote.Sleep(ctx, 5*time.Millisecond) {
			break
		}
	}
	_ = file.Close()
	return whyNoLocks.Fault(nil)
}

// close frees the lock file, and removes it unless the others have to find it
// free, because this instance could not be withdrawn.
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

// keep makes the lock file again when it is gone, or is another one: without it
// the others would take this process for dead. On an error nothing may be sent.
func (own *instance) keep(ctx context.Context) error {
	if !own.locked() {
		return errNoLock
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	if inPlace(own.lock, own.file) {
		return nil
	}
	if err := own.take(ctx); err != nil {
		return whyLockGone.Fault(err, filepath.Dir(own.lock), api.WithoutPath(err))
	}
	return nil
}

var errNoLock = whyNotLocked.Fault(nil)

// locked reports whether others can see that this process lives.
func (own *instance) locked() bool { return own.lock != "" }

// shares reports whether it can write to a store that it shares with others.
func (own *instance) shares(file *store.Store) bool {
	return own.locked() && file.Health().ReadOnly.IsZero()
}

// join makes this instance known to the others and takes over what dead ones held.
func (own *instance) join(ctx context.Context, file *store.Store) error {
	if !own.shares(file) {
		return nil
	}
	if err := file.AddInstance(ctx, store.Instance{ID: own.id, Lock: own.lock}, time.Now()); err != nil {
		return err
	}
	own.takeOver(ctx, file)
	return nil
}

// takeOver ends or takes over what dead instances held; it reports whether there
// was any.
func (own *instance) takeOver(ctx context.Context, file *store.Store) bool {
	if !own.shares(file) {
		return false
	}
	others, err := file.Instances(ctx)
	if err != nil {
		return false
	}
	if known := slices.ContainsFunc(others, func(o store.Instance) bool { return o.ID == own.id }); !known {
		// Taken for dead while the lock file was gone.
		if file.AddInstance(ctx, store.Instance{ID: own.id, Lock: own.lock}, time.Now()) != nil {
			return false
		}
	}
	var gone, locks []string
	for _, o := range others {
		if o.ID != own.id && own.takesForDead(ctx, file, o) {
			gone, locks = append(gone, o.ID), append(locks, own.lockOf(o))
		}
	}
	orphans, err := file.Orphans(ctx)
	if err != nil || len(gone) == 0 && !orphans {
		return false
	}
	if err := file.TakeOver(ctx, gone, time.Now()); err != nil {
		return false
	}
	for _, lock := range locks {
		_ = os.Remove(lock)
	}
	return true
}

// withdraw gives back what this instance holds in the store.
func (own *instance) withdraw(ctx context.Context, file *store.Store) error {
	if !own.shares(file) {
		return nil
	}
	return file.TakeOver(ctx, []string{own.id}, time.Now())
}

// lockOf is the lock file of another instance: in this one's folder, wherever the
// store says that it was. A store that was moved or copied names files that are
// not its own.
func (own *instance) lockOf(o store.Instance) string {
	name := filepath.Base(o.Lock)
	if ok, _ := filepath.Match(lockName("*"), name); !ok {
		return ""
	}
	return filepath.Join(filepath.Dir(own.lock), name)
}

func lockName(id string) string { return "window-" + id + ".lock" }

// takesForDead reports whether another instance is gone. A lock file that is
// missing proves less than one that is free: somebody may have removed it under
// a process that lives, so what that may just be sending is left alone.
func (own *instance) takesForDead(ctx context.Context, file *store.Store, o store.Instance) bool {
	gone, missing := dead(own.lockOf(o))
	if !missing {
		return gone
	}
	last, err := file.LastSend(ctx, o.ID)
	return err == nil && time.Since(last) > own.fresh
}

// dead reports whether the process that holds a lock file is gone: the system
// frees the lock when a process ends, however it ends. A missing file says
// nothing.
func dead(path string) (gone, missing bool) {
	file, err := lock.Open(path, os.O_RDWR)
	if err != nil {
		return false, errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = file.Close() }()
	free, err := lock.Try(file)
	return err == nil && free, false
}
