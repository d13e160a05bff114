package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"darkroom/state/settings"
	"darkroom/state/store"
)

// owner is this window among those that share the store. Its lock file is
// locked as long as the process lives, however it ends.
type owner struct {
	id   string
	lock string // path; "" when there is none
	file *os.File
}

func newOwner(s settings.Settings) (*owner, error) {
	dir := s.LockDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	o := &owner{id: store.NewID()}
	o.lock = filepath.Join(dir, "window-"+o.id+".lock")
	file, err := os.OpenFile(o.lock, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if free, err := tryLock(file); err != nil || !free {
		_ = file.Close()
		_ = os.Remove(o.lock)
		return nil, errors.Join(errors.New("file locks do not work there"), err)
	}
	o.file = file
	return o, nil
}

func (o *owner) release() error {
	if o.file == nil {
		return nil
	}
	_ = os.Remove(o.lock)
	err := o.file.Close()
	o.file = nil
	return err
}

// dead reports whether the window that holds a lock file is gone: the system
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

// join makes this window known to the others and settles what dead ones left.
func (s *Session) join(ctx context.Context) {
	file := s.store()
	if s.own.lock == "" || file.Health().ReadOnly != "" {
		return
	}
	err := file.AddOwner(ctx, store.Owner{ID: s.own.id, Lock: s.own.lock}, time.Now())
	if err != nil {
		s.setReadOnly("the store cannot be written: " + store.Words(err))
		return
	}
	s.reap(ctx)
}

// reap takes over what dead windows left; it reports whether there was any.
func (s *Session) reap(ctx context.Context) bool {
	file := s.store()
	owners, err := file.Owners(ctx)
	if err != nil {
		return false
	}
	var gone, locks []string
	for _, o := range owners {
		if o.ID != s.own.id && dead(o.Lock) {
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
