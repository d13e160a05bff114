// Package remote is the service as this person reaches it: a client with the
// current key, the gate that holds calls when the service asked for a rest, its
// health, and the last answers about models, prices and tools.
package remote

import (
	"context"
	"net/url"
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
	ErrNoBase     = api.Sentence("no base URL is set: set DARKROOM_BASE_URL, or base_url in the settings file").Fault(nil)
	ErrNoKey      = api.Sentence("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run").Fault(nil)
	whyNotKey     = api.Sentence("DARKROOM_API_KEY does not hold a key: %v")
	ErrKeyRefused = api.Sentence("the service refused the API key: run 'darkroom login' with a valid one").Fault(nil)
	// ErrHoldsKey: what is written into a request is kept, shown and passed on.
	ErrHoldsKey = api.Sentence("the request holds your API key: take it out; nothing of it was sent or kept").Fault(nil)
)

// Service is the generation service: *client.Client together with *mcp.Client.
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

// Options are what a Remote is made from.
type Options struct {
	Settings *settings.Current
	Store    func() *store.Store
	Guard    *keys.Guard
	Version  string                       // part of the user agent
	Connect  func(client.Options) Service // in place of client.New
	Go       func(func())                 // runs a function in the background
	// Changed is called after the Health or the key has changed; it may not block.
	Changed func()
}

// Remote is the service as this person reaches it. Goroutines may share it.
type Remote struct {
	o        Options
	ctx      context.Context // of calls that several callers may wait for
	scale    Scale
	calls    singleflight.Group
	profiles sync.Mutex // held while a profile is read, changed and written

	mu     sync.Mutex
	base   *url.URL // nil when none is set
	conn   *Connection
	health Health
	// The prices that the service gave lately, by base and request, and the listings
	// as last read from the store, by base.
	estimates map[string]api.Estimate
	listings  map[string]Listing
}

// New makes a Remote without a key; FindKey looks for one.
func New(ctx context.Context, o Options) *Remote {
	return &Remote{
		o: o, ctx: ctx, scale: Scale(o.Settings.Get().TimeScale),
		estimates: map[string]api.Estimate{}, listings: map[string]Listing{},
	}
}

// Connection is the connection to call by now, or nil.
func (r *Remote) Connection() *Connection {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.conn
}

// Base is the base URL in use, or nil.
func (r *Remote) Base() *url.URL {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.base
}
