// Package keys keeps the API key in the keyring of the system.
package keys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"darkroom/api"
)

// Ring is a keyring. Calls may hang; Guard puts time limits around them.
type Ring interface {
	Load(account string) (string, error) // ErrNone when there is no key
	Store(account, secret string) error
	Remove(account string) error // ErrNone when there is no key
}

// ErrNone says that the keyring holds no key for the account.
var ErrNone = api.Sentence("the keyring holds no key for this service").Fault(nil)

// State says how the keyring is.
type State struct {
	Usable bool
	Locked bool       // it is there, and will ask for its password before it gives a key
	Name   string     // "Secret Service", "Keychain", "Credential Manager"
	Why    api.Reason // why it is not usable, and what to do
}

// Waiting reports whether an error says that a keyring has not answered yet: it may
// be asking for its password. No error holds the key.
func Waiting(err error) bool { return api.ReasonOf(err).Format() == whyWaiting }

// Why the keyring gives or takes no key. Most end in what to do instead.
var (
	whyInstead = api.Sentence("set DARKROOM_API_KEY, or type the key in the screens, for one session")

	whyUnknown   = api.Sentence("this system has no keyring that darkroom knows: %v")
	whyFailed    = api.Sentence("the keyring failed (%v): %v")
	whyNoService = api.Sentence("no keyring service is running (GNOME Keyring, KWallet and KeePassXC are such services): start one, %v")
	whyNoReach   = api.Sentence("the session bus cannot be reached, so there is no keyring: %v")
	whySilent    = api.Sentence("the keyring did not answer for 2 minutes and is not asked again in this session: %v")
	whyWaiting   = api.Sentence("the keyring has not answered; it may be asking for its password in a window: answer it, or %v")
)

func orInstead(k api.Sentence) api.Reason { return k.Reason(whyInstead.Reason()) }

func failure(k api.Sentence, cause error) error { return k.Fault(cause, whyInstead.Reason()) }

// service is the name under which the OS keyring files our keys.
const service = "darkroom"

// osRing is the keyring of the system, asked only if Guard.Check says that it is usable.
type osRing struct{}

func (osRing) Load(account string) (string, error) { return keyring.Get(service, account) }

func (osRing) Store(account, secret string) error { return keyring.Set(service, account, secret) }

func (osRing) Remove(account string) error { return keyring.Delete(service, account) }

// explain turns a ring's error into a sentence without the secret.
func explain(err error, secret string) error {
	var known *api.Fault
	var answer dbus.Error
	switch text := fmt.Sprint(err); {
	case err == nil:
		return nil
	case errors.Is(err, ErrNone), errors.Is(err, keyring.ErrNotFound):
		return ErrNone
	case errors.As(err, &known):
		return known
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return failure("the keyring of this system cannot hold a key of this length: %v", nil)
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return failure(whyUnknown, nil)
	case errors.As(err, new(*exec.Error)), errors.As(err, new(*net.OpError)), errors.Is(err, fs.ErrNotExist):
		return failure(whyNoReach, nil)
	case strings.Contains(text, "failed to unlock"):
		return failure("the keyring is locked: unlock it and try again, or %v", nil)
	case errors.As(err, &answer) && absent(answer), strings.Contains(text, "was not provided by any .service"):
		return failure(whyNoService, nil)
	default:
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "(key)")
		}
		return whyFailed.Fault(nil, api.Clean(text, 200), whyInstead.Reason())
	}
}

// absent reports whether an answer of the D-Bus means that nobody keeps secrets there.
func absent(answer dbus.Error) bool {
	name, ours := strings.CutPrefix(answer.Name, "org.freedesktop.DBus.Error.")
	names := strings.Fields("ServiceUnknown NameHasNoOwner Spawn.ExecFailed NoServer Disconnected TimedOut NoReply")
	return ours && slices.Contains(names, name)
}

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
	return &Guard{ring: cmp.Or[Ring](r, osRing{}), system: r == nil, env: env}
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
		return api.Key{}, api.Sentence("what the keyring holds for this service is not an API key: run 'darkroom login' to replace it").Fault(nil)
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
	go func() {
		limit, cancel := context.WithTimeout(context.Background(), Limit)
		defer cancel()
		value, err := "", error(whyFailed.Fault(nil, api.Sentence("the keyring library broke down").Reason(), whyInstead.Reason()))
		ended, _ := api.Within(limit, func() { value, err = f() })
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.silent = g.silent || !ended; ended {
			c.value, c.err = value, err
		} else {
			c.err = failure(whySilent, nil)
		}
		g.current = nil
		close(c.done)
	}()
	return c, true
}
