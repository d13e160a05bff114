package state

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/media"
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

// close frees the lock file, if there is one; it stays if the instance was not withdrawn.
func (own *instance) close(withdrawn bool) {
	own.mu.Lock()
	defer own.mu.Unlock()
	if withdrawn {
		_ = os.Remove(own.lock) // somebody may have cleaned it away
	}
	_ = own.file.Close()
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

// join makes this window known to the others, and ends or takes over what dead ones held, if they held
// any. It is tried again each second: what keeps it from that, such as a full disk, may be over by then.
func (e *engine) join(ctx context.Context) bool {
	own, old := e.instance, e.storage.Load()
	if !own.shares(old.file) {
		return false
	}
	now := &storage{file: old.file}
	others, err := now.file.Instances(ctx)
	if !slices.Contains(others, own.id) { // it is new, or was taken for dead while the lock file was gone
		err = now.file.AddInstance(ctx, own.id, own.lock, time.Now())
	}
	if err != nil {
		now.why = api.Sentence("the store cannot be written: %v").Reason(store.Why(err))
	}
	if now.why != old.why && e.ctx.Err() == nil && e.storage.CompareAndSwap(old, now) {
		e.changes.report()
	}
	gone := slices.DeleteFunc(others, func(id string) bool { return id == own.id || !own.takesForDead(ctx, now.file, id) })
	orphans, failed := now.file.Orphans(ctx)
	if cmp.Or(err, failed) != nil || len(gone) == 0 && !orphans || now.file.TakeOver(ctx, gone, time.Now()) != nil {
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
	if err := t.keep(); err != nil {
		return submit.Turn{}, err
	}
	select {
	case t.serial <- struct{}{}:
	default:
		waits(time.Time{})
		select {
		case t.serial <- struct{}{}:
		case <-ctx.Done():
			return submit.Turn{}, ctx.Err()
		}
	}
	file, until, err := t.lock(ctx, turnOf(sync(), t.calls), waits)
	if err != nil {
		<-t.serial
		return submit.Turn{}, err
	}
	return submit.Turn{
		Over: func() bool {
			return time.Now().After(until) || !inPlace(t.path(), file) || t.keep() != nil
		},
		Release: func() { _ = file.Truncate(0); store.Unlock(file); _ = file.Close(); <-t.serial },
	}, nil
}

// turnOf is how long a turn may last: the limit of its call, and what the sender may need besides.
func turnOf(sync bool, calls float64) time.Duration {
	return client.Scaled(client.CreateLimit(sync)+30*time.Second, calls)
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
				if _, err = file.WriteAt([]byte(strconv.FormatInt(until.UnixMilli(), 10)), 0); err == nil {
					return file, until, nil
				}
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
	there, _ := os.Stat(path)
	own, _ := file.Stat()
	return os.SameFile(there, own) // false of what there is not
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

// changes collects what is different now until somebody asks; it never blocks.
type changes struct {
	mu   sync.Mutex
	ids  map[string]bool // nil: nothing is different
	next chan struct{}   // closed and replaced at every change
}

// report takes changed jobs; without an id only the Health has changed.
func (c *changes) report(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	for _, id := range ids {
		c.ids[id] = true
	}
	close(c.next)
	c.next = make(chan struct{})
}

func (c *changes) changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

// take returns what has changed since it was last called; nil: nothing has.
func (c *changes) take() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids != nil {
		ids = slices.AppendSeq([]string{}, maps.Keys(c.ids))
	}
	c.ids = nil
	return ids
}

// Wait blocks until jobs changed since the last call (their ids, coalesced) or
// the Health (then ids may be empty). It ends with ctx.
func (s *Session) Wait(ctx context.Context) ([]string, error) {
	return until(ctx, s.engine, func() ([]string, error) { return s.changes.take(), nil }, func(ids []string) bool { return ids != nil })
}

const (
	// watchEvery is how often the other windows are looked at.
	watchEvery = time.Second
	// sleptGap between wall and monotonic clock tells of a sleep.
	sleptGap = 10 * time.Second
	// clearEvery is how often what is too old is removed, and how long nothing may have
	// been wrong with the clock before.
	clearEvery = 10 * time.Minute
)

// watch looks after what happens outside this window: changes that others wrote,
// the settings file, windows that died, a machine that slept.
func (e *engine) watch(seen int64) {
	every := max(e.scale().Of(watchEvery), watchEvery/20) // each look costs, at any scale
	before := time.Now()
	cleared := before
	for remote.Sleep(e.ctx, every) {
		now := time.Now()
		if slept(time.Duration(now.UnixNano()-before.UnixNano()), now.Sub(before)) { // connections died, and what waits is planned again
			e.Remote.Wake(now)
			e.Poller.Wake()
			cleared = now
		}
		if now.YearDay() != before.YearDay() { // today's budget is another one
			e.changes.report()
		}
		before = now
		e.Current.Reread(false)
		ids, next, err := e.db().Changes(e.ctx, seen)
		if err == nil && next != seen {
			seen = next
			e.changes.report(ids...)
			e.Poller.Wake()
		}
		if now.Sub(cleared) >= e.scale().Of(clearEvery) {
			_ = e.db().Expire(e.ctx, now) // it cannot be sent any more in any case
			e.Remote.ClearInbox()
			cleared = now
		}
		_ = e.instance.keep() // who sends asks again
		if e.join(e.ctx) {
			e.Poller.Wake()
		}
	}
}

// slept reports whether the wall clock went on and the monotonic one did not. A
// clock that was set does as much harm to what is planned.
func slept(wall, monotonic time.Duration) bool { return (wall - monotonic).Abs() > sleptGap }

// Events are the changes of jobs' phases, on which the person's hooks run. One window
// takes each event before it runs anything: no hook runs twice on it, and none if that
// window is killed first.
type Events struct {
	of       *engine
	document func(Event, Job) any // what a hook reads as JSON; nil: this session runs none
	slots    chan struct{}        // one for each event under way
	running  tasks
	awaited  atomic.Value // the phases of the hooks when they were noted last, a string
}

// start makes the events of the settings' hooks wait, and runs those on each that does.
func (h *Events) start(ctx context.Context) {
	phases := h.await(ctx)
	for h.document != nil && phases != "" {
		select {
		case h.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		e, ok, err := h.of.db().TakeEvent(ctx, phases)
		if !ok || err != nil { // an error is one of the next change, too
			<-h.slots
			return
		}
		h.running.Go(func() {
			defer func() { <-h.slots }()
			h.on(e)
		})
	}
}

// await makes the events of the settings' hooks wait, and gives their phases. Events of
// other phases wait on for other windows, and for hooks that could not be read.
func (h *Events) await(ctx context.Context) (phases string) {
	set := h.of.Current.Get()
	for _, hook := range set.Hooks {
		for _, phase := range hook.On {
			phases += "," + string(phase) + ","
		}
	}
	had, noted := h.awaited.Load().(string)
	others := noted || set.Partial
	if !others {
		all, err := h.of.db().Instances(ctx)
		others = err != nil || slices.ContainsFunc(all, func(id string) bool { return id != h.of.instance.id })
	}
	// Of a store that cannot be written none is taken.
	if h.of.db().AwaitEvents(ctx, phases, had, others) == nil && !set.Partial {
		h.awaited.Store(phases)
	}
	return phases
}

// on runs the hooks of an event one after the other. They outlive the session.
func (h *Events) on(e Event) {
	ctx, set := context.WithoutCancel(h.of.ctx), h.of.Current.Get()
	job, err := h.of.Submitter.Job(ctx, e.Job)
	var text []byte
	if err == nil { // else it was held, and is removed
		text, err = json.Marshal(h.document(e, job))
	}
	for _, hook := range set.Hooks {
		if err != nil || !slices.Contains(hook.On, e.Phase) {
			continue
		}
		failed := media.Hook(ctx, hook.Run, set.DataDir, append(text, '\n'))
		switch why := whyHook.Fault(failed, failed); {
		case failed == nil:
		case h.of.o.HookFailed != nil:
			h.of.o.HookFailed(why)
		default:
			h.of.Current.Change(func(s *Settings) {
				before := slices.DeleteFunc(slices.Clone(s.Problems), func(p api.Reason) bool { return p.Format() == whyHook })
				s.Problems, s.Version = append([]api.Reason{why.Reason}, before...), s.Version+1
			})
			h.of.changes.report()
		}
	}
}

const whyHook = api.Sentence("hook: %v")

// Events gives the changes of jobs' phases.
func (s *Session) Events() *Events { return s.hooks }

// After returns at most 1,000 events after a number, oldest first.
func (h *Events) After(ctx context.Context, number int64) ([]Event, error) {
	return explained(h.of.db().Events(ctx, number))
}

// Last is the number of the newest event.
func (h *Events) Last(ctx context.Context) (int64, error) { return explained(h.of.db().LastEvent(ctx)) }

// Run runs the hooks on what has happened, and waits for those under way.
func (h *Events) Run(ctx context.Context) {
	h.start(ctx)
	h.running.wait(ctx)
}
