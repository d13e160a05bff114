// Package remote is the service as this person reaches it: a client with the
// current key, the gate that holds calls when the service asked for a rest, its
// health, and the last answers about models, prices and tools.
package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/state/keys"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// Errors that callers distinguish with errors.Is.
var (
	ErrNoBase     = api.Sentence("the service's address is not set: set DARKROOM_BASE_URL, or base_url in the settings file").Fault(nil)
	ErrNoKey      = api.Sentence("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run").Fault(nil)
	whyNotKey     = api.Sentence("DARKROOM_API_KEY does not hold a key: %v")
	ErrKeyRefused = api.Sentence("the service refused the API key: run 'darkroom login' with a valid one").Fault(nil)
	// ErrHoldsKey: what is written into a request is kept, shown and passed on.
	ErrHoldsKey = api.Sentence("the request holds your API key: take it out; nothing of it was sent or kept").Fault(nil)
)

// Service is the generation service: an *mcp.Client, which has a *client.Client.
type Service interface {
	Models(ctx context.Context) ([]api.Model, bool, error)
	Estimate(ctx context.Context, r api.Request, m api.Model) (api.Estimate, error)
	Create(ctx context.Context, path string, body []byte, o client.CreateOptions) api.Outcome
	Job(ctx context.Context, id string, kind api.Kind, also ...string) (api.JobAnswer, error)
	Resolve(ctx context.Context, candidates []string, kind api.Kind) (string, api.JobAnswer, error)
	Tools(ctx context.Context, path string) (mcp.Listing, error)
	CallTool(ctx context.Context, path string, call mcp.Call) (mcp.Answer, error)
	CloseIdle()
}

// Connection is a key in use at a base. Another key makes another connection.
type Connection struct {
	URL     *url.URL
	Base    string // URL as text, by which the store knows the service
	Key     api.Key
	Service Service

	unpriced time.Time // until then it is not asked for prices; under Remote.mu
}

// Shared is what the rooms that reach the service have in common.
type Shared struct {
	Settings *settings.Current
	Store    func() *store.Store
	Go       func(f func()) // runs a function in the background
	// Changed tells of jobs that are different now and may have to be polled or, without
	// any, of the Health, the key or what is under way; it does not block.
	Changed func(ids ...string)
}

// Options are what a Remote is made from.
type Options struct {
	Shared
	Guard   *keys.Guard
	Version string                        // part of the user agent
	Connect func(client.Options) Service  // in place of client.New
	Waits   func() (answered func() bool) // as in state.Options; nil for none
}

// Remote is the service as this person reaches it. Goroutines may share it.
type Remote struct {
	o        Options
	ctx      context.Context // of calls that several callers may wait for
	scale    Scale
	calls    singleflight.Group
	profiles sync.Mutex // held while a profile is read, changed and written

	mu sync.Mutex
	reached
	// The prices that the service gave lately, by base and request, and the listings
	// as last read from the store, by base.
	estimates map[string]api.Estimate
	listings  map[string]Listing
}

// reached is which service is reached, how, and how things are with it.
type reached struct {
	base   *url.URL // nil when none is set
	conn   *Connection
	health Health
}

func (r *Remote) now() reached {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reached
}

// New makes a Remote without a key; FindKey looks for one.
func New(ctx context.Context, o Options) *Remote {
	return &Remote{
		o: o, ctx: ctx, scale: Scale(o.Settings.Get().TimeScale),
		estimates: map[string]api.Estimate{}, listings: map[string]Listing{},
	}
}

// Connection is the connection to call by now, or nil.
func (r *Remote) Connection() *Connection { return r.now().conn }

// Base is the base URL in use, or nil.
func (r *Remote) Base() *url.URL { return r.now().base }

// Health is how things are with the service right now.
type Health struct {
	Base       string     // as shown: host and path prefix; "" when not set
	KeyHint    string     // ak_…9f3c, or ""
	KeySource  string     // "environment", "keyring", "session" or ""
	KeyPending bool       // the keyring has not answered yet
	KeyError   api.Reason // why there is no key
	KeyRefused bool       // the service refused the key; all calls rest
	Online     bool       // the last call had an answer
	Trouble    api.Reason // what is wrong; none when nothing
}

// Health returns how things are now.
func (r *Remote) Health() Health { return r.now().health }

// update changes the Health, and what else r.mu guards.
func (r *Remote) update(f func(*Health)) {
	r.mu.Lock()
	before := r.health
	f(&r.health)
	same := r.health == before
	r.mu.Unlock()
	if !same {
		r.o.Changed()
	}
}

// SetTrouble shows what is wrong, if anything, until the service's next answer.
func (r *Remote) SetTrouble(why api.Reason) { r.update(func(h *Health) { h.Trouble = why }) }

// Observe takes the outcome of a call into the Health.
func (r *Remote) Observe(c *Connection, err error) {
	if err == nil {
		r.update(func(h *Health) { h.Online, h.Trouble = true, api.Reason{} })
		return
	}
	e, failed := errors.AsType[*api.Error](err)
	refused := failed && RefusesKey(e)
	if !failed || refused && r.Connection() != c {
		return // or it is the refusal of a key that was replaced meanwhile
	}
	r.update(func(h *Health) {
		h.Online = e.Class != api.ClassNetwork
		switch {
		case refused:
			h.KeyRefused, h.Trouble = true, ErrKeyRefused.Why()
		case e.Class == api.ClassNetwork, e.Class == api.ClassRate, e.Class == api.ClassCalls, e.Class == api.ClassServer,
			e.Class == api.ClassUnreadable:
			h.Trouble = e.Why()
		default:
			h.Trouble = api.Reason{} // an answer about one request, not about the service
		}
	})
}

// ObserveCall is Observe for other calls, and closes the gate for a rest.
func (r *Remote) ObserveCall(c *Connection, err error) {
	r.Observe(c, err)
	if e, ok := errors.AsType[*api.Error](err); ok && (e.Status == 429 || e.Status == 503) {
		r.CloseGate(c, e)
	}
}

// RefusesKey reports whether every call would be refused from now on.
func RefusesKey(e *api.Error) bool {
	switch e.Class {
	case api.ClassKey:
		return e.Status != 0
	case api.ClassCredits, api.ClassCalls, api.ClassModeration, api.ClassRate:
		return false
	}
	return e.Status == 401 || e.Status == 403
}

// Kinds of the answers that the store keeps for times without the service.
const (
	cacheEstimates = "estimate"
	cacheModels    = "models"
	cacheProfile   = "profile"
	cacheTools     = "tools"
)

// remember keeps an answer. What cannot be kept is asked for again.
func (r *Remote) remember(kind, name string, answer any, at time.Time) {
	if raw, err := json.Marshal(answer); err == nil {
		_ = r.o.Store().Remember(context.WithoutCancel(r.ctx), kind, name, raw, at)
	}
}

// recall reads a kept answer and its time, which is zero if there is none.
func recall[T any](ctx context.Context, r *Remote, kind, name string) (answer T, _ time.Time, _ error) {
	raw, at, err := r.o.Store().Recall(ctx, kind, name, time.Time{})
	if err != nil || raw == nil || json.Unmarshal(raw, &answer) != nil {
		return *new(T), time.Time{}, store.Explain(err)
	}
	return answer, at, nil
}

// shared makes a call that all who ask for the same meanwhile wait for.
func shared[T any](ctx context.Context, r *Remote, name string, call func() (T, error)) (T, error) {
	if r.o.Waits != nil {
		defer r.o.Waits()()
	}
	select {
	case got := <-r.calls.DoChan(name, func() (any, error) { return call() }):
		return got.Val.(T), got.Err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// keyWait is how long AwaitKey gives the keyring: longer than keys.Patience, so that
// the error has its reason. keyPoll is how often it looks.
const (
	keyWait = 4 * time.Second
	keyPoll = 5 * time.Millisecond
)

// AwaitKey waits until every source of a key was asked. ErrNoKey says why none has.
func (r *Remote) AwaitKey(ctx context.Context) error {
	for end := time.Now().Add(keyWait); ; {
		h := r.Health()
		switch {
		case h.KeyHint != "":
			return nil
		case !h.KeyPending:
			return noKey(h.KeyError)
		case time.Now().After(end):
			return noKey(api.Sentence("the keyring has not answered yet").Reason())
		case !Sleep(ctx, keyPoll):
			return ctx.Err()
		}
	}
}

func noKey(why api.Reason) error {
	switch {
	case why.IsZero() || why == ErrNoKey.Why():
		return ErrNoKey
	case why.Format() == whyNotKey:
		return &api.Fault{Reason: why, Cause: ErrNoKey}
	}
	return api.Sentence("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run (%v)").Fault(ErrNoKey, why)
}

// CallScale is the scale of the limits of single calls. It stays above a tenth: a
// busy machine needs as long as ever to answer.
func CallScale(s settings.Settings) float64 {
	if s.TimeScale <= 0 {
		return 1
	}
	return max(s.TimeScale, 0.1)
}

// client makes the client of a service by the settings and what it showed before.
func (r *Remote) client(base *url.URL, key api.Key) Service {
	set, name := r.o.Settings.Get(), base.String()
	ways := set.WaysFor(name)
	seen, _ := r.seen(r.ctx, name) // what is not known is found out again
	o := client.Options{
		Base: base, Key: key, Scale: CallScale(set), UserAgent: "darkroom/" + r.o.Version,
		JobID: ways.JobID, EstimatePost: cmp.Or(ways.Estimate, seen.Estimate) == "POST", NewFile: r.inboxFile,
		MethodFound: func(method string) { r.record(name, func(seen *settings.Seen) { seen.Estimate = method }) },
	}
	if set.Log {
		o.Log = (&logFile{path: set.LogPath(), most: maxLog, key: key}).printf
	}
	if r.o.Connect != nil {
		return r.o.Connect(o)
	}
	return &mcp.Client{Client: client.New(o)}
}

const maxLog = 10 << 20 // bytes before it becomes the old one

// logFile takes a line for each call of the service: time, method, path, status,
// size and duration. Several windows share it, so it is opened for every line.
type logFile struct {
	mu   sync.Mutex
	path string
	most int64
	key  api.Key // the one in use; lines pass through it last
}

func (l *logFile) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := api.Clean(api.HideKeys(l.key.RedactString(fmt.Sprintf(format, args...))), api.MaxErrorText).String()
	_ = os.MkdirAll(filepath.Dir(l.path), 0o700)
	info, err := os.Lstat(l.path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() >= l.most) && os.Rename(l.path, l.path+".old") != nil {
		return
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(time.Now().UTC().Format("2006-01-02T15:04:05.000Z ") + line + "\n")
	_ = f.Close()
}

const (
	inboxLife = 7 * 24 * time.Hour // a job that long without its files asks the service again
	inboxName = "result-*.part"    // others are not removed
)

// inbox is the folder of media that came inside of answers, until they are saved.
func (r *Remote) inbox() string { return filepath.Join(r.o.Settings.Get().DataDir, "inbox") }

// inboxFile makes a file there that only its owner can read.
func (r *Remote) inboxFile() (*os.File, error) {
	if err := os.MkdirAll(r.inbox(), 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(r.inbox(), inboxName)
}

// ClearInbox removes what a program left that ended before it was saved.
func (r *Remote) ClearInbox() {
	files, _ := os.ReadDir(r.inbox())
	for _, f := range files {
		ours, _ := filepath.Match(inboxName, f.Name())
		if info, err := f.Info(); ours && err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > inboxLife {
			_ = os.Remove(filepath.Join(r.inbox(), f.Name()))
		}
	}
}

// FindKey looks for a key in the environment, or in the keyring in the background.
func (r *Remote) FindKey() {
	set := r.o.Settings.Get()
	base, err := api.ParseBase(set.BaseURL)
	if set.BaseURL == "" {
		err = ErrNoBase
	}
	if err != nil {
		r.update(func(h *Health) { h.KeyError = api.ReasonOf(err) })
		return
	}
	kept := strings.TrimSpace(set.EnvKey) == ""
	r.update(func(h *Health) {
		r.base, h.Base, h.KeyPending = base, shownBase(base), kept
	})
	if kept {
		r.o.Go(func() { r.askKeyring(base) })
		return
	}
	key, err := api.ParseKey(set.EnvKey)
	if err != nil {
		r.update(func(h *Health) { h.KeyError = whyNotKey.Reason(err) })
		return
	}
	r.connect(base, key, "environment")
}

// askKeyring waits for the keyring: after 3 s Health says that it has not
// answered, and it waits on, as a person may be typing its password.
func (r *Remote) askKeyring(base *url.URL) {
	ctx, cancel := context.WithTimeout(r.ctx, keys.Patience)
	key, err := r.o.Guard.Load(ctx, account(base))
	cancel()
	if keys.Waiting(err) {
		r.update(func(h *Health) { h.KeyError = api.ReasonOf(err) })
		key, err = r.o.Guard.Load(r.ctx, account(base))
	}
	switch {
	case r.Connection() != nil, r.ctx.Err() != nil: // a key was typed meanwhile
		r.update(func(h *Health) { h.KeyPending = false })
	case err == nil:
		r.connect(base, key, "keyring")
	case errors.Is(err, keys.ErrNone):
		r.update(func(h *Health) { h.KeyPending, h.KeyError = false, ErrNoKey.Why() })
	default:
		r.update(func(h *Health) { h.KeyPending, h.KeyError = false, api.ReasonOf(err) })
	}
}

func (r *Remote) connect(base *url.URL, key api.Key, source string) {
	c := &Connection{URL: base, Base: base.String(), Key: key, Service: r.client(base, key)}
	r.update(func(h *Health) {
		r.base, r.conn = base, c
		*h = Health{Base: shownBase(base), KeyHint: key.String(), KeySource: source, Online: h.Online}
	})
	r.o.Changed()
}

// CheckKey tries a key at a base URL with one call (GET models), and keeps neither.
func (r *Remote) CheckKey(ctx context.Context, base string, key api.Key) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	_, _, err = r.client(u, key).Models(ctx)
	if e, ok := errors.AsType[*api.Error](err); ok && RefusesKey(e) {
		refused := *e // in the service's own words
		refused.Cause = ErrKeyRefused
		return &refused
	}
	return err
}

// UseKey takes a key into use, and keeps it in the keyring if it is to be kept, and the base
// URL in the settings file unless the environment sets it. The key is in use even if it could
// not be kept; the error then says why.
func (r *Remote) UseKey(ctx context.Context, base string, key api.Key, keep bool) error {
	u, err := api.ParseBase(base)
	if err != nil {
		return err
	}
	if key.IsZero() {
		return ErrNoKey
	}
	used := r.Base()
	known := used != nil && used.String() == u.String()
	r.o.Settings.Change(func(s *settings.Settings) { s.BaseURL = u.String() })
	r.connect(u, key, "session") // a keyring that waits for a person holds nothing up
	var kept error
	if keep {
		if kept = r.o.Guard.Store(ctx, account(u), key); kept == nil {
			r.update(func(h *Health) { h.KeySource = "keyring" })
		}
	}
	set := r.o.Settings.Get()
	if set.ConfigFile == "" || set.BaseFrom == "environment" || known && set.BaseFrom == "file" {
		return kept
	}
	if err = r.o.Settings.Save(u.String(), "base_url"); err == nil {
		r.o.Settings.Change(func(s *settings.Settings) { s.BaseFrom = "file" })
	}
	return errors.Join(kept, err)
}

// Forget removes the key from this session and from the keyring: keys.ErrNone when that held none. There is an address.
func (r *Remote) Forget(ctx context.Context) error {
	r.update(func(h *Health) {
		r.conn = nil
		h.KeyHint, h.KeySource, h.KeyRefused, h.KeyError = "", "", false, ErrNoKey.Why()
	})
	return r.o.Guard.Remove(ctx, account(r.Base()))
}

// ExamineKeyring is KeyringState, and asks the keyring how it is.
func (r *Remote) ExamineKeyring() keys.State { return r.o.Guard.Examine() }

// KeyringState says whether a keyring is there, in words, and its name.
func (r *Remote) KeyringState() keys.State { return r.o.Guard.Check() }

// account is the keyring's name for a service: its origin.
func account(u *url.URL) string { return u.Scheme + "://" + u.Host }

func shownBase(u *url.URL) string { return u.Host + u.EscapedPath() }
