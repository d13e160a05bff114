package keys

import (
	"context"
	"sync"
	"time"

	"darkroom/api"
)

// Limit is how long one call of the keyring may take in all. A password prompt
// holds the call as long as it is open; after Limit the keyring is not asked
// again in this session, because nothing can be queued behind a lost call.
const Limit = 120 * time.Second

// Patience is how long a program that starts should wait for Load before it
// goes on without the key; the call itself goes on too.
const Patience = 3 * time.Second

// Guard asks a Ring one call at a time, each with a time limit, and never
// calls a library that would hang.
type Guard struct {
	ring Ring
	env  func(string) string

	mu      sync.Mutex
	current *call // the one call under way, or nil
	silent  bool  // a call went past Limit
}

// call is one question to the ring. Its results may be read once done is
// closed.
type call struct {
	what    string // "load", "store", "remove"
	account string
	done    chan struct{}
	value   string
	err     error
}

// NewGuard wraps a ring; nil is the OS keyring. env looks up a variable.
func NewGuard(r Ring, env func(string) string) *Guard {
	if r == nil {
		r = osRing{}
	}
	return &Guard{ring: r, env: env}
}

// Check looks whether there is a keyring, without asking it for a key.
func (g *Guard) Check() State {
	s := State{Usable: true, Name: keyringName}
	if c, ok := g.ring.(Checker); ok {
		s = c.Check(g.env)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.silent {
		s.Usable, s.Why = false, orInstead(whySilent)
	}
	return s
}

// Examine is Check, and asks the keyring itself whether it answers and is
// locked; it asks for no key and for no password.
func (g *Guard) Examine() State {
	if _, ours := g.ring.(osRing); !ours {
		return g.Check()
	}
	if s := g.Check(); !s.Usable {
		return s
	}
	return examineSystem(g.env)
}

// Load asks for the key of an account (the origin of the base URL). ErrNone
// when there is none. When ctx ends first the error is one that Waiting knows,
// and the call goes on: a later Load of the same account takes its answer.
func (g *Guard) Load(ctx context.Context, account string) (api.Key, error) {
	v, err := g.ask(ctx, "load", account, func() (string, error) { return g.ring.Load(account) })
	if err != nil {
		return api.Key{}, explain(err, "")
	}
	k, err := api.ParseKey(v)
	if err != nil {
		return api.Key{}, whyContent.Fault(nil)
	}
	return k, nil
}

// Store keeps a key. While the keyring is Waiting the key may still be kept,
// once its prompt is answered.
func (g *Guard) Store(ctx context.Context, account string, k api.Key) error {
	secret := k.Reveal()
	_, err := g.ask(ctx, "store", account, func() (string, error) { return "", g.ring.Store(account, secret) })
	return explain(err, secret)
}

// Remove forgets a key; ErrNone when there was none.
func (g *Guard) Remove(ctx context.Context, account string) error {
	_, err := g.ask(ctx, "remove", account, func() (string, error) { return "", g.ring.Remove(account) })
	return explain(err, "")
}

// ask runs f in a goroutine of its own, after the call under way has ended. A
// load joins a load of the same account.
func (g *Guard) ask(ctx context.Context, what, account string, f func() (string, error)) (string, error) {
	for {
		if err := ctx.Err(); err != nil {
			return "", failure(whyWaiting, err)
		}
		if s := g.Check(); !s.Usable {
			return "", &api.Fault{Reason: s.Why}
		}
		c, mine := g.begin(what, account, f)
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

// begin starts a call unless one is under way, and says whether the call it
// returns answers the caller's question.
func (g *Guard) begin(what, account string, f func() (string, error)) (c *call, mine bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.current; c != nil {
		return c, what == "load" && c.what == what && c.account == account
	}
	c = &call{what: what, account: account, done: make(chan struct{})}
	g.current = c
	answer := make(chan struct{})
	var value string
	var err error = errPanicked
	go func() {
		defer close(answer)
		defer func() { _ = recover() }() // err says so
		value, err = f()
	}()
	go func() {
		t := time.NewTimer(Limit)
		defer t.Stop()
		select {
		case <-answer:
			g.end(c, value, err, false)
		case <-t.C:
			g.end(c, "", failure(whySilent, nil), true)
		}
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

var errPanicked = whyFailed.Fault(nil, whyPanicked.Reason(), whyInstead.Reason())
