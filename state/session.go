// Package state is what outlives a key press. A Session wires the rooms below
// it: screens and the command line reach the store, the key, the service and
// the result files through it alone.
package state

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"darkroom/api/client"
	"darkroom/state/keys"
	"darkroom/state/media"
	"darkroom/state/poll"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// Options are what a Session is made from.
type Options struct {
	Settings Settings
	// Env looks up a variable; nil is the process's environment.
	Env func(string) string
	// Version is sent as part of the user agent.
	Version string
	// Demo marks the embedded service: the key and base come from Settings.
	Demo bool
	// Poll starts the background poller. The command line turns it off for
	// commands that only read.
	Poll bool
	// Keyring stands in for the OS keyring; nil is the real one.
	Keyring keys.Ring
	// Crash, when set, is called with a panic in a goroutine of the session and
	// its stack; without it the panic goes on.
	Crash func(cause any, stack []byte)
	// Connect stands in for client.New, Fetcher for media.New; nil is the real
	// one.
	Connect func(client.Options) Service
	Fetcher func(media.Options) Fetcher
}

// Session is what screens and the command line work with. It is safe for use by
// several goroutines.
type Session struct {
	*engine
	sender
	follower
	service
	o Options
	// Remote is the service as this person reaches it.
	Remote *remote.Remote
	// Pricing is what is known of prices, plans and spending.
	Pricing *Pricing
	// SettingsFile is the settings file while the session lives. A change of it is
	// taken over within two seconds, and is a change that Wait waits for.
	SettingsFile *settings.Current

	stop             context.CancelFunc
	finished, closed atomic.Bool
}

// Open opens the store, finds the key (environment, then keyring, at most 3 s,
// in the background) and starts the poller. It fails only when there is
// nothing that could be shown; a store that cannot be written opens read-only.
func Open(ctx context.Context, o Options) (*Session, error) {
	env := o.Env
	if env == nil {
		env = settings.Getenv
	}
	file, err := store.Open(ctx, filepath.Join(o.Settings.DataDir, "darkroom.db"))
	if err != nil {
		return nil, err
	}
	s := &Session{o: o, engine: &engine{
		storage: &storage{file: file}, tasks: tasks{crash: o.Crash},
		changes: &changes{ids: map[string]bool{}, next: make(chan struct{})},
	}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if s.instance, err = newInstance(ctx, o.Settings.LockDir(), turnOf(false, remote.CallScale(o.Settings))); err != nil {
		s.storage.forbid(whyLockFolder.Reason(err))
	}
	s.wire(env)
	s.join(ctx)
	s.tasks.Go(s.remote.ClearInbox)
	s.remote.FindKey()
	s.tasks.Go(s.watch)
	if o.Poll {
		s.tasks.Go(s.poller.Run)
	}
	return s, nil
}

// wire makes the rooms and hands each what it needs of the others.
func (s *Session) wire(env func(string) string) {
	reread := env
	if s.o.Demo { // its settings are not the person's
		reread = nil
	}
	s.settings = settings.NewCurrent(s.o.Settings, reread)
	s.settings.Changed = func() { s.changes.report() }
	s.SettingsFile = s.settings
	s.fetchers = &fetchers{settings: s.settings, fetcher: s.o.Fetcher, made: map[fetcherKey]Fetcher{}}
	s.remote = remote.New(s.ctx, remote.Options{
		Settings: s.settings, Store: s.storage.current, Guard: keys.NewGuard(s.o.Keyring, env),
		Version: s.o.Version, Connect: s.o.Connect, Go: s.tasks.Go,
		Changed: func() { window{s.engine}.Changed() },
	})
	s.service, s.Remote = s.remote, s.remote
	s.Pricing = &Pricing{s.engine, make(chan struct{}, quotesAtOnce)}
	s.turns = newTurns(s.o.Settings.LockDir(), s.scale(), remote.CallScale(s.o.Settings), s.instance.keep)
	w, own := window{s.engine}, s.instance.id
	s.poller = poll.New(s.ctx, poll.Options{Remote: s.remote, Settings: s.settings, Instance: own, Locked: s.instance.locked(), Window: w})
	s.submitter = submit.New(s.ctx, submit.Options{Remote: s.remote, Settings: s.settings, Instance: own, Window: w})
	s.queue = &queue{engine: s.engine}
	s.sender, s.follower = s.submitter, s.poller
}

// join makes this window known to the others.
func (s *Session) join(ctx context.Context) {
	if err := s.instance.join(ctx, s.storage.current()); err != nil {
		s.storage.forbid(whyUnwritten.Reason(store.Why(err)))
		s.changes.report()
	}
}

// Finish stops the poller, waits for a send in progress (10 s at most, or until
// ctx ends) and ends it as unknown after that. The records can still be read.
func (s *Session) Finish(ctx context.Context) {
	if !s.finished.CompareAndSwap(false, true) {
		return
	}
	s.stop()
	s.submitter.Close(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	s.tasks.wait(last)
}

// Close is Finish, and closes the store. A *LostError names what it did not take.
func (s *Session) Close(ctx context.Context) error {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	s.Finish(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	file := s.storage.current()
	lost := s.submitter.Lost()
	err := s.instance.withdraw(last, file)
	return errors.Join(lost, store.Explain(err), s.instance.close(err == nil), store.Explain(file.Close()))
}

// ChooseStore is the person's decision to go on with a new store in place of a
// damaged or newer one, whose file is kept.
func (s *Session) ChooseStore(ctx context.Context) error {
	file, err := s.storage.current().Choose(ctx)
	s.storage.replace(file)
	s.changes.report()
	if err == nil {
		s.join(ctx)
	}
	return err
}

// Settings returns the settings in force.
func (s *Session) Settings() Settings { return s.settings.Get() }
