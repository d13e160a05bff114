package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"darkroom/state/store"
)

// instance is this process among those that share the store. Its lock file is
// locked as long as the process lives, however it ends. It does not change
// after the start.
type instance struct {
	id   string
	lock string // path; "" when there is none
	file *os.File
}

// newInstance makes the lock file in dir. On an error the instance has no lock,
// and cannot share work with others.
func newInstance(dir string) (*instance, error) {
	own := &instance{id: store.NewID()}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return own, err
	}
	path := filepath.Join(dir, "window-"+own.id+".lock")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return own, err
	}
	if free, err := tryLock(file); err != nil || !free {
		_ = file.Close()
		_ = os.Remove(path)
		return own, errors.Join(errors.New("file locks do not work there"), err)
	}
	own.lock, own.file = path, file
	return own, nil
}

func (own *instance) close() error {
	if own.file == nil {
		return nil
	}
	_ = os.Remove(own.lock) // somebody may have cleaned it away
	return own.file.Close()
}

// locked reports whether others can see that this process lives.
func (own *instance) locked() bool { return own.lock != "" }

// shares reports whether it can write to a store that it shares with others.
func (own *instance) shares(file *store.Store) bool {
	return own.locked() && file.Health().ReadOnly == ""
}

// join makes this instance known to the others and takes over what dead ones held.
func (own *instance) join(ctx context.Context, file *store.Store) error {
	if !own.shares(file) {
		return nil
	}
	if err := file.AddInstance(ctx, store.Instance{ID: own.id, Lock: own.lock}, time.Now()); err != nil {
		return err
	}
	own.reap(ctx, file)
	return nil
}

// reap takes over what dead instances held; it reports whether there was any.
func (own *instance) reap(ctx context.Context, file *store.Store) bool {
	if !own.shares(file) {
		return false
	}
	others, err := file.Instances(ctx)
	if err != nil {
		return false
	}
	var gone, locks []string
	for _, o := range others {
		if o.ID != own.id && dead(o.Lock) {
			gone, locks = append(gone, o.ID), append(locks, o.Lock)
		}
	}
	orphans, err := file.Orphans(ctx)
	if err != nil || len(gone) == 0 && !orphans {
		return false
	}
	if err := file.Reap(ctx, gone, time.Now()); err != nil {
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
	return file.Reap(ctx, []string{own.id}, time.Now())
}

// dead reports whether the process that holds a lock file is gone: the system
// frees the lock when a process ends, however it ends.
func dead(lock string) bool {
	file, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = file.Close() }()
	free, err := tryLock(file)
	return err == nil && free
}
