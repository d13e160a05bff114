package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"darkroom/state/timing"
)

// turns let one create at a time be under way: in this process by a channel, and
// among those that share the folder of lock files by a lock.
type turns struct {
	folder string
	every  time.Duration // how often the lock is tried
	serial chan struct{}
}

func newTurns(folder string, scale timing.Scale) *turns {
	return &turns{folder: folder, every: scale.Of(20 * time.Millisecond), serial: make(chan struct{}, 1)}
}

// acquire waits for the turn of one create.
func (t *turns) acquire(ctx context.Context) (release func(), err error) {
	select {
	case t.serial <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	file, err := t.lock(ctx)
	if err != nil {
		<-t.serial
		return nil, err
	}
	return func() { _ = file.Close(); <-t.serial }, nil
}

// lock waits for the lock file, which is free again when it is closed.
func (t *turns) lock(ctx context.Context) (*os.File, error) {
	path := filepath.Join(t.folder, "create.lock")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // cleaned away while this window is open
		if err = os.MkdirAll(t.folder, 0o700); err == nil {
			file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return nil, &turnError{t.folder, err}
	}
	for {
		free, err := tryLock(file)
		if err == nil && free {
			return file, nil
		}
		if err != nil || !timing.Sleep(ctx, t.every) {
			_ = file.Close()
			return nil, &turnError{t.folder, errors.Join(err, ctx.Err())}
		}
	}
}

// turnError says why no turn can be had.
type turnError struct {
	folder string
	cause  error
}

func (e *turnError) Error() string {
	cause := e.cause
	var at *fs.PathError
	if errors.As(cause, &at) {
		cause = at.Err // its path is the folder that the sentence names
	}
	return "the windows of darkroom cannot take turns: the file create.lock in " + e.folder + " cannot be used (" + cause.Error() + ")"
}

func (e *turnError) Unwrap() error { return e.cause }
