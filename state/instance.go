package state

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/remote"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// instance is this process among those that share the store. Its lock file is
// locked as long as the process lives, however it ends.
type instance struct {
	id    string
	lock  string        // path, by which others see that this process lives; "" without one
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
	if own.lock == "" {
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

func (own *instance) shares(file *store.Store) bool {
	return own.lock != "" && file.Health().ReadOnly.IsZero()
}

// takeOver ends or takes over what dead instances held, if they held any.
func (own *instance) takeOver(ctx context.Context, file *store.Store) bool {
	if !own.shares(file) {
		return false
	}
	others, err := file.Instances(ctx)
	// Without its own id this one was taken for dead while the lock file was gone.
	if err != nil || !slices.Contains(others, own.id) && file.AddInstance(ctx, own.id, own.lock, time.Now()) != nil {
		return false
	}
	gone := slices.DeleteFunc(others, func(id string) bool { return id == own.id || !own.takesForDead(ctx, file, id) })
	orphans, err := file.Orphans(ctx)
	if err != nil || len(gone) == 0 && !orphans || file.TakeOver(ctx, gone, time.Now()) != nil {
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

// turnSlack is what a sender may need besides the limit of its call.
const turnSlack = 30 * time.Second

// turns let one create at a time be under way: here by a channel, and among
// those that share the folder by a lock file. Its holder writes into it until
// when its turn may last; one that is stopped for longer loses it.
type turns struct {
	folder string
	every  time.Duration // how often the lock is tried
	calls  float64       // scale of the limits of calls
	serial chan struct{}
	// keep makes sure that the others see that this process lives.
	keep func() error
}

func newTurns(folder string, scale remote.Scale, calls float64, keep func() error) *turns {
	return &turns{folder: folder, every: scale.Of(20 * time.Millisecond), calls: calls, serial: make(chan struct{}, 1), keep: keep}
}

func (t *turns) acquire(ctx context.Context, sync func() bool, waits func(until time.Time)) (submit.Turn, error) {
	select {
	case t.serial <- struct{}{}:
	case <-ctx.Done():
		return submit.Turn{}, ctx.Err()
	}
	file, until, err := t.lock(ctx, turnOf(sync(), t.calls), waits)
	if err == nil {
		if err = t.keep(); err != nil {
			_ = file.Close()
		}
	}
	if err != nil {
		<-t.serial
		return submit.Turn{}, err
	}
	return submit.Turn{
		Over: func() bool {
			return time.Now().After(until) || !inPlace(t.path(), file) || t.keep() != nil
		},
		Release: func() { _ = file.Truncate(0); _ = file.Close(); <-t.serial },
	}, nil
}

func turnOf(sync bool, calls float64) time.Duration {
	return client.Scaled(client.CreateLimit(sync)+turnSlack, calls)
}

func (t *turns) path() string { return filepath.Join(t.folder, "create.lock") }

// lock waits for the lock file, which is free again when it is closed.
func (t *turns) lock(ctx context.Context, lasts time.Duration, waits func(time.Time)) (*os.File, time.Time, error) {
	for {
		file, err := openMade(t.path())
		if err != nil {
			return nil, time.Time{}, t.refused(err)
		}
		free, err := store.TryLock(file)
		if err == nil && free && inPlace(t.path(), file) {
			until := time.Now().Add(lasts).Round(0)
			if err = file.Truncate(0); err == nil { // whatever was in it
				_, err = file.WriteAt([]byte(strconv.FormatInt(until.UnixMilli(), 10)), 0)
			}
			if err == nil {
				return file, until, nil
			}
		}
		if err == nil && !free {
			until := t.readUntil(file)
			waits(until)
			if time.Now().After(until) {
				t.expel(file)
			}
		}
		_ = file.Close()
		if err != nil || !remote.Sleep(ctx, t.every) {
			return nil, time.Time{}, t.refused(errors.Join(err, ctx.Err()))
		}
	}
}

// refused says why nobody can take a turn.
func (t *turns) refused(cause error) error {
	return api.Sentence("the windows of darkroom cannot take turns: the file create.lock in %v cannot be used (%v)").
		Fault(cause, t.folder, api.WithoutPath(cause))
}

// expel takes the lock file of a turn that is over out of its place: its holder
// finds that before it sends. One window at a time does so: nobody removes the
// next holder's file.
func (t *turns) expel(file *os.File) {
	guard, err := openMade(t.path() + ".guard")
	if err != nil {
		return
	}
	defer func() { _ = guard.Close() }()
	if free, err := store.TryLock(guard); err == nil && free && inPlace(t.path(), file) {
		_ = os.Remove(t.path())
	}
}

// openMade opens a lock file; it and its folder may have been cleaned away.
func openMade(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return store.OpenLock(path, os.O_RDWR|os.O_CREATE)
}

// inPlace reports whether an open file is still the one at its path.
func inPlace(path string, file *os.File) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	own, err := file.Stat()
	return err == nil && os.SameFile(there, own)
}

// readUntil is when the turn of a file's holder is over. One that has not
// written it has had the longest turn since the file was last changed.
func (t *turns) readUntil(file *os.File) time.Time {
	text, err := io.ReadAll(io.LimitReader(file, 20))
	if ms, bad := strconv.ParseInt(string(text), 10, 64); err == nil && bad == nil {
		return time.UnixMilli(ms)
	}
	longest := turnOf(true, t.calls)
	if at, err := file.Stat(); err == nil {
		return at.ModTime().Add(longest)
	}
	return time.Now().Add(longest)
}
