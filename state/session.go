// Package state is what outlives a key press. Session is its one door: screens
// and the command line reach the store, the key, the service and the result
// files only through it.
package state

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/state/keys"
	"darkroom/state/media"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// Names of types of the rooms below, so that callers need not know those.
type (
	Settings = settings.Settings
	Ways     = settings.Ways
	Profile  = settings.Profile
	Seen     = settings.Seen

	Job   = store.Job
	Row   = store.Row
	File  = store.File
	Query = store.Query
	Page  = store.Page
	Spent = store.Spent
	Line  = store.Line
)

// What a create answers with.
const (
	AnswersJob    = settings.AnswersJob
	AnswersResult = settings.AnswersResult
)

// LoadSettings reads the environment through env and the settings file.
func LoadSettings(env func(string) string) (Settings, error) { return settings.Load(env) }

// Errors that callers tell apart with errors.Is.
var (
	ErrNoBase     = errors.New("no service address is set: set DARKROOM_BASE_URL or base_url in the settings file")
	ErrNoKey      = errors.New("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run")
	ErrKeyRefused = errors.New("the service refused the API key: run 'darkroom login' with a valid one")
	ErrNoJob      = errors.New("there is no such job")
	ErrReadOnly   = errors.New("the store can only be read, so nothing can be sent")
)

// Refusal says why nothing was sent. Code is one of "problems", "budget",
// "max_credits", "again", "no_key", "key_refused", "no_base", "store",
// "credits", "not_sendable".
type Refusal struct {
	Code     string
	Text     string
	Problems []api.Problem
	Cause    error
}

func (r *Refusal) Error() string { return r.Text }

// Unwrap gives the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Service is what a Session needs of the generation service; *api.Client is
// the real one.
type Service interface {
	Models(ctx context.Context) ([]api.Model, error)
	Estimate(ctx context.Context, r api.Request, m api.Model) (api.Estimate, error)
	Create(ctx context.Context, path string, body []byte, o client.CreateOptions) api.Outcome
	Job(ctx context.Context, id string, kind api.Kind) (api.JobAnswer, error)
	Resolve(ctx context.Context, candidates []string, kind api.Kind) (string, api.JobAnswer, error)
	Tools(ctx context.Context, path string) (mcp.Listing, error)
	CallTool(ctx context.Context, path string, call mcp.Call) (mcp.Answer, error)
	CloseIdle()
}

// Fetcher is what a Session needs of the media room; *media.Fetcher is the
// real one.
type Fetcher interface {
	Fetch(ctx context.Context, w media.Want) (store.File, error)
	WriteRecipe(j store.Job) error
	Public(ctx context.Context, address string) error
}

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
	// Crash, when set, is told of a panic in a goroutine of the session, with
	// its stack; without it the panic goes on.
	Crash func(cause any, stack []byte)
	// Log, when set, gets one line without secrets per call.
	Log func(format string, args ...any)
	// Connect stands in for api.NewClient, Fetcher for media.New; nil is the
	// real one.
	Connect func(client.Options) Service
	Fetcher func(media.Options) Fetcher

	refuse func() error // makes the store refuse outcomes, for tests
}

// Session is the door to state. It is safe for use by several goroutines.
type Session struct {
	o     Options
	scale float64
	base  *url.URL // nil when none is set; guarded by mu
	guard *keys.Guard
	own   *owner
	set   *settings.Current
	news  *changes

	ctx      context.Context // ends with Close
	stop     context.CancelFunc
	sendCtx  context.Context // outlives ctx by the patience of Close
	stopSend context.CancelFunc
	work     sync.WaitGroup // every goroutine
	sends    sync.WaitGroup // the POSTs under way
	serial   chan struct{}  // one create at a time in this window
	kick     chan struct{}  // wakes the poller
	breaker  breaker
	calls    singleflight.Group
	learning sync.Mutex // held while a Profile is changed

	mu        sync.Mutex
	closed    bool
	file      *store.Store
	link      *link
	standing  Standing
	creditsAt time.Time // when a create was refused for want of credits
	prefer    string
	refreshed map[string]time.Time
	unsaved   map[string]store.Finish
	estimates map[string]api.Estimate
	busy      map[string]bool // jobs with a worker in this window
	polling   int
	fetching  int
}

// link is a key in use at a base: what it takes to call the service.
type link struct {
	base    string
	key     api.Key
	service Service
	fetcher Fetcher
}

// Open opens the store, finds the key (environment, then keyring, at most 3 s,
// in the background) and starts the poller. It fails only when there is
// nothing that could be shown; a store that cannot be written opens read-only.
func Open(ctx context.Context, o Options) (*Session, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	file, err := store.Open(ctx, filepath.Join(o.Settings.DataDir, "darkroom.db"))
	if err != nil {
		return nil, err
	}
	s := &Session{
		o: o, scale: o.Settings.TimeScale, file: file,
		guard: keys.NewGuard(o.Keyring, o.Env), news: newChanges(),
		serial: make(chan struct{}, 1), kick: make(chan struct{}, 1),
		refreshed: map[string]time.Time{}, unsaved: map[string]store.Finish{},
		estimates: map[string]api.Estimate{}, busy: map[string]bool{},
	}
	env := o.Env
	if o.Demo { // its settings are not the person's
		env = nil
	}
	s.set = settings.NewCurrent(o.Settings, env)
	if s.scale <= 0 {
		s.scale = 1
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.sendCtx, s.stopSend = context.WithCancel(context.Background())
	s.standing.Demo = o.Demo
	s.readHealth()
	if s.own, err = newOwner(o.Settings); err != nil {
		s.setReadOnly("the folder of lock files cannot be written (" + err.Error() + "): make it writable, then start again")
		s.own = &owner{id: store.NewID()}
	}
	s.join(ctx)
	s.start(s.clearInbox)
	s.findKey()
	if o.Poll {
		s.start(s.pollLoop)
		s.start(s.watchLoop)
	}
	return s, nil
}

// start runs f in a goroutine that Close waits for and whose panic is told.
func (s *Session) start(f func()) {
	s.work.Go(func() {
		defer s.caught()
		f()
	})
}

func (s *Session) caught() {
	if s.o.Crash == nil {
		return
	}
	if cause := recover(); cause != nil {
		s.o.Crash(cause, debug.Stack())
	}
}

// sendPatience is how long Close waits for a create under way.
const sendPatience = 10 * time.Second

// Close stops the poller, waits for a send in progress (10 s at most, or until
// ctx ends) and closes the store.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.stop()
	wait, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	waitFor(wait, &s.sends)
	// A create that is still under way ends as unknown now.
	s.stopSend()
	last, cancelLast := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancelLast()
	waitFor(last, &s.work)
	file := s.store()
	var err error
	if s.own.lock != "" && file.Health().ReadOnly == "" {
		err = file.Reap(last, []string{s.own.id}, time.Now())
	}
	return errors.Join(err, s.own.release(), file.Close())
}

// waitFor waits for a group until ctx ends.
func waitFor(ctx context.Context, g *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { g.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (s *Session) store() *store.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file
}

func (s *Session) linked() *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// scaled applies the time scale to an interval.
func (s *Session) scaled(d time.Duration) time.Duration { return scaled(d, s.scale) }

// leastWait is the floor of a scaled interval.
const leastWait = 5 * time.Millisecond

func scaled(d time.Duration, scale float64) time.Duration {
	if scale == 1 || scale <= 0 {
		return d
	}
	return max(time.Duration(float64(d)*scale), leastWait)
}

// rest waits; false means that the context ended first.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Settings returns the settings in force.
func (s *Session) Settings() Settings {
	return s.set.Get()
}
