// Package state is what outlives a key press. A Session wires the rooms below
// it: screens and commands reach everything through it alone.
package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"darkroom/api"
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
	// Env looks up a variable.
	Env func(string) string
	// Version is sent as part of the user agent.
	Version string
	// Demo marks the built-in service: it takes files in the place of the upload command.
	Demo func(file string) (address string, err error)
	// Poll starts the poller; commands that only read go without.
	Poll bool
	// Keyring stands in for the OS keyring; nil is the real one.
	Keyring keys.Ring
	// Document is what a hook reads of a job on an event. Without one, or a poller, hooks
	// are left to other sessions.
	Document func(Event, Job) any
	// HookFailed is called with why a hook failed, by several goroutines. Without it the
	// newest failure is the first of the settings' Problems.
	HookFailed func(error)
	// Waits is called before a wait for an answer of the service, and what it returns after it.
	Waits func() (answered func() bool)
	// Crash is called with a panic in a goroutine of the session; nil lets it go on.
	Crash func(cause any, stack []byte)
	// Connect stands in for client.New; nil is the real one.
	Connect func(client.Options) remote.Service
}

// Session is what screens and commands work with, from several goroutines. It has
// the methods of its engine, of the settings in force and of the rooms that send, follow and
// reach the service.
type Session struct {
	*engine

	stop             context.CancelFunc
	finished, closed atomic.Bool

	opened    time.Time
	attending sync.Mutex
	caughtUp  bool // what was due when it was opened has been asked for
}

// Open opens the store, looks for the key in the background and starts the
// poller. It fails only when there is nothing that could be shown.
func Open(ctx context.Context, o Options) (*Session, error) {
	path := filepath.Join(o.Settings.DataDir, "darkroom.db")
	file, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	// Locks are where the file itself is, and not in XDG_RUNTIME_DIR: a window that opened it by
	// a link, or was started without a login session, must meet the same ones as all others.
	locks := filepath.Join(filepath.Dir(cmp.Or(file.Health().Path, path)), "locks")
	s := &Session{opened: time.Now(), engine: &engine{
		o: o, tasks: tasks{crash: o.Crash},
		changes: &changes{next: make(chan struct{})}, quotes: make(chan struct{}, 4),
	}}
	s.storage.Store(&storage{file: file})
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.instance = &instance{id: store.NewID(), fresh: turnOf(false, remote.CallScale(o.Settings))}
	s.instance.lock = lockOf(locks, s.instance.id)
	if err = s.instance.take(); err != nil {
		s.instance.lock = ""
		why := api.Sentence("the folder of lock files cannot be written (%v): make it writable, then start again")
		s.storage.Store(&storage{file, why.Reason(err)})
	}
	s.wire(locks)
	s.join(ctx)
	s.Remote.FindKey()
	seen, _ := s.db().ChangeNumber(ctx) // before anybody reads a job and waits for its next change
	s.tasks.Go(func() { s.watch(seen) })
	s.tasks.Go(func() {
		s.follow(func() {
			for (queue{s.engine}).next() { // one by one what this window has to send
			}
		})
	})
	s.hooks.start(ctx) // before anything happens
	if o.Poll {
		s.hooks.document = o.Document
		s.tasks.Go(s.Poller.Run)
	}
	s.tasks.Go(func() { s.follow(func() { s.hooks.start(s.ctx) }) })
	return s, nil
}

func (s *Session) wire(locks string) {
	reread := s.o.Env
	if s.o.Demo != nil { // its settings are not the person's
		reread = nil
	}
	s.Current = settings.NewCurrent(s.o.Settings, reread)
	s.Current.Changed = func() { s.changes.report() }
	own, fetcher := s.instance.id, func(c *remote.Connection) media.Saver { return s.fetcher(c.URL) }
	shared := remote.Shared{Settings: s.Current, Store: s.db, Go: s.tasks.Go, Changed: func(ids ...string) {
		s.changes.report(ids...)
		s.Poller.Wake()
	}}
	s.Remote = remote.New(s.ctx, remote.Options{
		Shared: shared, Guard: keys.NewGuard(s.o.Keyring, s.o.Env), Version: s.o.Version, Connect: s.o.Connect, Waits: s.o.Waits,
	})
	s.turns = newTurns(locks, s.scale(), remote.CallScale(s.o.Settings), s.instance.keep)
	s.Poller = poll.New(s.ctx, poll.Options{
		Shared: shared, Remote: s.Remote, Instance: own, Locked: s.instance.lock != "", Fetcher: fetcher, Now: time.Now,
		Find: func(ctx context.Context, id string) (Job, error) { return s.Submitter.Job(ctx, id) },
	})
	s.Submitter = submit.New(s.ctx, submit.Options{
		Shared: shared, Remote: s.Remote, Instance: own, Fetcher: fetcher,
		ReadOnly: s.readOnly, Turn: s.turns.acquire, FirstPoll: poll.FirstPoll, Resolve: s.Poller.Resolve,
		Result: func(ctx context.Context, entry, name string) string { return Agent{s.engine, entry}.address(ctx, name) },
	})
	s.hooks = &Events{of: s.engine, slots: make(chan struct{}, 4), running: tasks{crash: s.o.Crash}}
}

// Finish stops the poller, waits for a send in progress (10 s at most, or until
// ctx ends) and ends it as unknown after that. The records can still be read.
func (s *Session) Finish(ctx context.Context) {
	if !s.finished.CompareAndSwap(false, true) {
		return
	}
	s.stop()
	s.Submitter.Close(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	s.hooks.running.wait(last)
	s.tasks.wait(last)
}

// Close is Finish, and closes the store. A *LostError names what it did not take.
func (s *Session) Close(ctx context.Context) (err error) {
	if !s.closed.CompareAndSwap(false, true) {
		return nil
	}
	s.Finish(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	file := s.db()
	lost := s.Submitter.Lost()
	if s.instance.shares(file) { // if that fails, others find that this window has ended
		err = file.TakeOver(last, []string{s.instance.id}, time.Now())
	}
	s.instance.close(err == nil)
	return errors.Join(lost, store.Explain(file.Close()))
}

// ChooseStore is the person's decision to go on with a new store in place of a
// damaged or newer one, whose file is kept.
func (s *Session) ChooseStore(ctx context.Context) error {
	file, err := s.db().Choose(ctx)
	s.storage.Store(&storage{file: file})
	s.changes.report()
	if err == nil {
		s.join(ctx)
	}
	return err
}

// ExamineStore reads all of the store; a damaged one is not used any more, until the person chooses.
func (s *Session) ExamineStore(ctx context.Context) { s.db().Examine(ctx) }

// Settings returns the settings in force.
func (s *Session) Settings() Settings { return s.Current.Get() }

// Health is how things are with the service and the store right now.
type Health struct {
	remote.Health
	ReadOnly api.Reason // why nothing can be sent; none when it can
	Choice   bool       // ReadOnly can be lifted by ChooseStore
	Damaged  bool       // the store in use is an empty one in place of one that is damaged or cannot be read: it shows no earlier job
	Sending  int        // creates in progress
	Unsaved  int        // accepted jobs that the store could not take yet
	Demo     bool
}

// Health returns how things are now.
func (s *Session) Health() Health {
	h := Health{Health: s.Remote.Health(), Demo: s.o.Demo != nil}
	file := s.storage.Load().health()
	h.ReadOnly, h.Choice, h.Damaged = file.ReadOnly, file.Choice, file.Hidden
	h.Sending, h.Unsaved = s.Submitter.Pending()
	return h
}

// Names of types of the rooms below, so that callers need not know those.
type (
	Settings = settings.Settings
	// Command is a person's own command on results.
	Command = settings.Command
	Profile = settings.Profile
	// Grant is what an agent may do by itself.
	Grant = settings.Agent
	// SavedText is a text that a person keeps under a name.
	SavedText = settings.SavedText

	Job   = store.Job
	Row   = store.Row
	File  = store.File
	Frame = store.Frame
	Query = store.Query
	Page  = store.Page
	Event = store.Event // a change of a job's phase
	Spent = store.Spent
	Line  = store.Line
	Spend = store.Spend
	Sum   = store.Sum

	// Rating and Rated are what a person thinks of results, Relatives are jobs that belong together.
	Rating   = store.Rating
	Rated    = store.Rated
	Relative = store.Relative
	Absence  = store.Absence

	Sent         = store.Sent
	HistoryQuery = store.HistoryQuery

	Listing    = remote.Listing
	Toolbox    = remote.Toolbox
	ToolClient = remote.ToolClient
	Refusal    = remote.Refusal

	Confirmed  = submit.Confirmed
	Together   = submit.Together
	Agreed     = submit.Agreed
	Held       = store.Held
	Asked      = store.Asked
	ToolCall   = submit.ToolCall
	LostError  = submit.LostError
	ToolAnswer = submit.ToolAnswer

	Link  = media.Link
	Trash = media.Trash
)

// Errors that callers distinguish with errors.Is.
var (
	ErrNoBase     = remote.ErrNoBase
	ErrNoKey      = remote.ErrNoKey
	ErrKeyRefused = remote.ErrKeyRefused
	ErrHoldsKey   = remote.ErrHoldsKey
	ErrRests      = remote.ErrRests
	ErrNoJob      = store.ErrMissing
	ErrMoved      = store.ErrMoved
	ErrReadOnly   = store.ErrReadOnly
)

// Constants of the rooms below, which say more of each.
const (
	MaxCommands  = settings.MaxCommands
	CodeAskTool  = submit.CodeAskTool
	WhyBase      = settings.WhyBase
	SavedPrompts = settings.Prompts // the folders of saved texts
	Cast         = settings.Cast
)

// Functions of the rooms below, which say more of each.
var (
	LoadSettings    = settings.Load
	Getenv          = settings.Getenv
	KeyActions      = settings.Actions // whose keys can be set, by place
	SettingNames    = settings.Names
	KeysOf          = settings.KeysOf  // of an action
	IsEntry         = settings.IsEntry // whether a name can be that of an agent's entry
	SavedName       = settings.SavedName
	NoCastName      = settings.NoCastName
	NewConfirmID    = submit.NewConfirmID
	ListedConfirm   = store.ListedConfirm
	Since           = store.Since         // the beginning of a day that is written as in a filter
	ToolClients     = remote.ToolClients  // configurations of other programs for an entry
	AgentClients    = remote.AgentClients // and of those that start darkroom mcp
	ReadText        = settings.ReadText
	ReplaceFile     = settings.ReplaceFile
	ToolDoubt       = submit.ToolUnknown // whether a tool may have run and been charged
	SavedRequest    = media.SavedRequest // in a text, or next to a result
	UploadArguments = media.UploadArguments
	OthersEnviron   = media.OthersEnviron // for programs that are not ours
	CheckCopy       = media.CheckCopy
	CopyName        = media.CopyName
	OpenTrash       = media.OpenTrash
	NewFile         = media.NewFile
	GivenUp         = poll.GivenUp // whether an ended job may go on when it is refreshed
	CrashAt         = settings.CrashAt
	Sleep           = remote.Sleep // for a time; false: the context ended first
)

// engine is what a session is made of. It owns the rooms that send and follow
// jobs, and the queue before them.
type engine struct {
	*submit.Submitter
	*poll.Poller
	*remote.Remote
	// A change of the settings file is taken over within two seconds, and is one that
	// Wait waits for.
	*settings.Current

	o        Options
	ctx      context.Context // ends with Close
	storage  atomic.Pointer[storage]
	instance *instance
	turns    *turns
	fetchers sync.Map // of the services that were used, *media.Fetcher
	changes  *changes
	tasks    tasks
	quotes   chan struct{} // one for each estimate of a table that is asked for
	hooks    *Events
}

// readOnly says why nothing can be recorded; none when it can.
func (e *engine) readOnly() api.Reason {
	if why := e.storage.Load().health().ReadOnly; !why.IsZero() {
		return why
	}
	return api.ReasonOf(e.instance.keep())
}

// fetcher is the Fetcher of a service under the current settings; base is nil if no
// address is set. It bounds the downloads at a time.
func (e *engine) fetcher(base *url.URL) *media.Fetcher {
	set := e.Current.Get()
	key := [...]string{fmt.Sprint(base), set.Downloads, set.Names}
	f, ok := e.fetchers.Load(key)
	if !ok {
		f, _ = e.fetchers.LoadOrStore(key, media.New(media.Options{
			Base: base, Dir: set.Downloads, Scale: remote.CallScale(set), Names: set.Names,
		}))
	}
	return f.(*media.Fetcher)
}

// Sent waits until a job's POST has its outcome (any phase after sending), or it
// is held and waits for the person.
func (e *engine) Sent(ctx context.Context, id string) (Job, error) {
	return e.until(ctx, id, func(j Job) bool {
		return j.Phase != api.PhaseIntent && j.Phase != api.PhaseSending && !inTurn(j)
	})
}

// db is the store to use now, asked for at each use.
func (e *engine) db() *store.Store { return e.storage.Load().file }

func (e *engine) scale() remote.Scale { return remote.Scale(e.Current.Get().TimeScale) }

func (e *engine) until(ctx context.Context, id string, there func(Job) bool) (Job, error) {
	return until(ctx, e, func() (Job, error) { return e.Submitter.Job(ctx, id) }, there)
}

// until looks again after each change until something is there.
func until[T any](ctx context.Context, e *engine, find func() (T, error), there func(T) bool) (T, error) {
	for {
		changed := e.changes.changed()
		one, err := find()
		if err != nil || there(one) {
			return one, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return one, ctx.Err()
		case <-e.ctx.Done():
			return one, submit.ErrClosed
		}
	}
}

// follow calls do now and whenever something has changed, until the session ends.
func (e *engine) follow(do func()) {
	_, _ = until(e.ctx, e, func() (any, error) { do(); return nil, nil }, func(any) bool { return false })
}

// inTurn reports whether a job is held and will be sent without the person.
func inTurn(j Job) bool { return j.Phase == api.PhaseHeld && !j.Paused }

// storage is the open store, and why nothing is written although it could be.
type storage struct {
	file *store.Store
	why  api.Reason
}

// health is how the store is; its ReadOnly says why nothing can be sent.
func (st *storage) health() store.Health {
	h := st.file.Health()
	h.ReadOnly = cmp.Or(h.ReadOnly, h.Held, st.why)
	return h
}

// explained is an answer of the store, with its error as people read it.
func explained[T any](answer T, err error) (T, error) { return answer, store.Explain(err) }

type tasks struct {
	crash func(cause any, stack []byte) // nil: a panic goes on
	group sync.WaitGroup
}

func (t *tasks) Go(f func()) {
	t.group.Go(func() {
		if t.crash != nil {
			defer func() {
				if cause := recover(); cause != nil {
					t.crash(cause, debug.Stack())
				}
			}()
		}
		f()
	})
}

func (t *tasks) wait(ctx context.Context) { api.Within(ctx, t.group.Wait) }
