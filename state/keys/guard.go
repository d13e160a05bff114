package keys

import (
	"context"
	"sync"
	"time"

	"darkroom/api"
)

// Limit is how long one call of the keyring may take. A password prompt holds the
// call as long as it is open; after Limit the keyring is not asked again in this
// session, because nothing can be queued behind a lost call.
const Limit = 120 * time.Second

// Patience is how long a program that starts should wait for Load; the call goes on.
const Patience = 3 * time.Second

// Guard asks a Ring one call at a time, each with a time limit.
type Guard struct {
	ring   Ring
	system bool // it is the keyring of the system
	env    func(string) string

	mu      sync.Mutex
	current *call // the one call under way, or nil
	silent  bool  // a call went past Limit
}

// call is one question to the ring. Its results may be read once done is closed.
type call struct {
	account string // whose key it loads, or "" when it does something else
	done    chan struct{}
	value   string
	err     error
}

// NewGuard wraps a ring; nil is the OS keyring. env looks up a variable.
func NewGuard(r Ring, env func(string) string) *Guard {
	if r == nil {
		return &Guard{ring: osRing{}, system: true, env: env}
	}
	return &Guard{ring: r, env: env}
}

// Check looks whether there is a keyring, without asking it for a key.
func (g *Guard) Check() State {
	s := State{Usable: true, Name: keyringName}
	if g.system {
		s = checkSystem(g.env)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.silent {
		s.Usable, s.Why = false, orInstead(whySilent)
	}
	return s
}

// Examine is Check, and asks the keyring whether it answers and is locked, without
// asking for a key or a password.
func (g *Guard) Examine() State {
	s := g.Check()
	if g.system && s.Usable {
		return examineSystem(g.env)
	}
	return s
}

// Load asks for the key of an account (the origin of the base URL): ErrNone if there
// is none. If ctx ends first, the error is one that Waiting knows, and the call goes
// on: a later Load of the same account takes its answer.
func (g *Guard) Load(ctx context.Context, account string) (api.Key, error) {
	v, err := g.ask(ctx, account, func() (string, error) { return g.ring.Load(account) })
	if err != nil {
		return api.Key{}, explain(err, "")
	}
	k, err := api.ParseKey(v)
	if err != nil {
		return api.Key{}, whyContent.Fault(nil)
	}
	return k, nil
}

// Store keeps a key. After an error that Waiting knows it may still be kept.
func (g *Guard) Store(ctx context.Context, account string, k api.Key) error {
	secret := k.Reveal()
	_, err := g.ask(ctx, "", func() (string, error) { return "", g.ring.Store(account, secret) })
	return explain(err, secret)
}

// Remove forgets a key; ErrNone when there was none.
func (g *Guard) Remove(ctx context.Context, account string) error {
	_, err := g.ask(ctx, "", func() (string, error) { return "", g.ring.Remove(account) })
	return explain(err, "")
}

// ask runs f after the call under way. A load joins a load of the same account.
func (g *Guard) ask(ctx context.Context, account string, f func() (string, error)) (string, error) {
	for {
		if err := ctx.Err(); err != nil {
			return "", failure(whyWaiting, err)
		}
		if s := g.Check(); !s.Usable {
			return "", &api.Fault{Reason: s.Why}
		}
		c, mine := g.begin(account, f)
		select {
		case <-c.done:
		case <-ctx.Done():
			return "", failure(whyWaiting, ctx.Err())
		}
		if mine {
			return c.value, c.err
		}
	}
}

// begin starts a call, or returns the one under way; mine if it answers the question.
func (g *Guard) begin(account string, f func() (string, error)) (c *call, mine bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.current; c != nil {
		return c, account != "" && c.account == account
	}
	c = &call{account: account, done: make(chan struct{})}
	g.current = c
	late := time.AfterFunc(Limit, func() { g.end(c, "", failure(whySilent, nil), true) })
	go func() {
		value, err := "", error(whyFailed.Fault(nil, api.Sentence("the keyring library broke down").Reason(), whyInstead.Reason()))
		defer func() {
			_ = recover() // err says so
			if late.Stop() {
				g.end(c, value, err, false)
			}
		}()
		value, err = f()
	}()
	return c, true
}

func (g *Guard) end(c *call, value string, err error, silent bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.value, c.err = value, err
	g.current = nil
	g.silent = g.silent || silent
	close(c.done)
}
