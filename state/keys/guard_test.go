package keys

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

const secret = "ak_0123456789abcdef0123456789abcdef"

// fakeRing counts its calls, and hangs in each until gate is closed, if set.
type fakeRing struct {
	mu     sync.Mutex
	calls  int
	now    int
	most   int
	gate   chan struct{}
	values map[string]string
	err    error
}

func (r *fakeRing) enter() error {
	r.mu.Lock()
	r.calls++
	r.now++
	r.most = max(r.most, r.now)
	gate, err := r.gate, r.err
	r.mu.Unlock()
	if gate != nil {
		<-gate
	}
	simtest.Locked(&r.mu, func() { r.now-- })
	return err
}

func (r *fakeRing) Load(account string) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	if v, ok := r.values[account]; ok {
		return v, nil
	}
	return "", ErrNone
}

func (r *fakeRing) Store(account, s string) error {
	err := r.enter()
	if err == nil {
		r.values[account] = s
	}
	return err
}

func (r *fakeRing) Remove(account string) error {
	if err := r.enter(); err != nil {
		return err
	}
	delete(r.values, account)
	return nil
}

func noEnv(string) string { return "" }

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

func mustKey(t testing.TB) api.Key { return must(api.ParseKey(secret))(t) }

func trouble(err error) api.Sentence { return api.ReasonOf(err).Format() }

func TestGuardKeepsReadsAndRemoves(t *testing.T) {
	t.Parallel()
	r := &fakeRing{values: map[string]string{}}
	g := NewGuard(r, noEnv)
	expect.Is(t, expect.Err(g.Load(t.Context(), "https://a")), ErrNone, "an empty ring")
	must(0, g.Store(t.Context(), "https://a", mustKey(t)))(t)
	expect.Equal(t, must(g.Load(t.Context(), "https://a"))(t).Reveal(), secret)
	expect.Is(t, expect.Err(g.Load(t.Context(), "https://b")), ErrNone, "another service's account")
	must(0, g.Remove(t.Context(), "https://a"))(t)
	r.values["https://a"] = "not a key, and secret all the same"
	_, err := g.Load(t.Context(), "https://a")
	expect.That(t, trouble(err) == "what the keyring holds for this service is not an API key: run 'darkroom login' to replace it" &&
		!strings.Contains(err.Error(), "all the same"), "a value that is no key gave", err)
}

func TestGuardWaitsOnceAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeRing{gate: make(chan struct{}), values: map[string]string{"a": secret}}
		g := NewGuard(r, noEnv)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		_, err := g.Load(ctx, "a")
		expect.That(t, trouble(err) == whyWaiting && Waiting(err) && !Waiting(ErrNone) && errors.Is(err, context.DeadlineExceeded) &&
			time.Since(start) == 3*time.Second, "got", err, "after", time.Since(start), "want waiting after", 3*time.Second)
		time.AfterFunc(60*time.Second, func() { close(r.gate) })
		k, err := g.Load(t.Context(), "a") // joins the first
		expect.All(t, "<nil> true 1", err, k.Reveal() == secret, r.calls)
	})
}

func TestGuardGivesUpForTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeRing{gate: make(chan struct{}), values: map[string]string{}}
		g := NewGuard(r, noEnv)
		start := time.Now()
		queued := make(chan error)
		go func() { queued <- g.Store(t.Context(), "a", mustKey(t)) }()
		synctest.Wait()
		_, err := g.Load(t.Context(), "a")
		expect.That(t, trouble(err) == whySilent && time.Since(start) == 2*time.Minute,
			"got", err, "after", time.Since(start), "want silent after 2 min")
		expect.Equal(t, trouble(<-queued), whySilent, "the store")
		s := g.Check()
		expect.That(t, !s.Usable && !s.Why.IsZero(), "still usable", s)
		expect.Equal(t, trouble(g.Remove(t.Context(), "a")), whySilent, "later")
		expect.Equal(t, r.calls, 1, "calls")
		close(r.gate)
	})
}

// Two accounts that are asked for at once get each its own key, also when one
// waits behind the other, and a third its own answer that there is none.
func TestGuardTellsAccountsApart(t *testing.T) {
	simtest.Bubble(t, func(t *testing.T) {
		const other = "ak_ffffffffffffffffffffffffffffffff"
		r := &fakeRing{gate: make(chan struct{}), values: map[string]string{"a": secret, "b": other}}
		g := NewGuard(r, noEnv)
		var wg sync.WaitGroup
		for account, want := range map[string]string{"a": secret, "b": other, "c": ""} {
			for range 3 {
				wg.Go(func() {
					k, err := g.Load(t.Context(), account)
					expect.That(t, k.Reveal() == want && (want == "") == errors.Is(err, ErrNone), account, k, err)
				})
			}
		}
		synctest.Wait()
		close(r.gate)
		wg.Wait()
		expect.That(t, r.calls >= 3 && r.most == 1, r.calls, "calls", r.most, "at once")
	})
}

func TestGuardSurvivesAPanic(t *testing.T) {
	t.Parallel()
	g := NewGuard(panicRing{}, noEnv)
	for range 2 { // the second waits for ever if the first is pending
		expect.Equal(t, trouble(expect.Err(g.Load(t.Context(), "a"))), whyFailed)
	}
}

type panicRing struct{ Ring }

func (panicRing) Load(string) (string, error) { panic("broken library") }

func TestErrorsAreToldApart(t *testing.T) {
	t.Parallel()
	type told struct {
		err  error
		want api.Sentence
	}
	rows := map[string]told{
		"denied":     {dbus.Error{Name: "org.freedesktop.DBus.Error.AccessDenied"}, whyFailed},
		"locked":     {errors.New("failed to unlock correct collection '/org/freedesktop/secrets/collection/login'"), "the keyring is locked: unlock it and try again, or %v"},
		"no service": {dbus.Error{Name: "org.freedesktop.DBus.Error.ServiceUnknown", Body: []any{"The name org.freedesktop.secrets was not provided by any .service files"}}, whyNoService},
		"no program": {&exec.Error{Name: "dbus-launch", Err: exec.ErrNotFound}, whyNoReach},
		"too big":    {keyring.ErrSetDataTooBig, "the keyring of this system cannot hold a key of this length: %v"},
		"no system":  {keyring.ErrUnsupportedPlatform, whyUnknown},
		"echo":       {errors.New("cannot keep \x1b[31m" + secret + strings.Repeat("+", 300)), whyFailed},
	}
	for _, name := range []string{"ServiceUnknown", "NameHasNoOwner", "Spawn.ExecFailed", "NoServer", "Disconnected", "TimedOut", "NoReply"} {
		rows[name] = told{dbus.Error{Name: "org.freedesktop.DBus.Error." + name}, whyNoService}
	}
	for name, c := range rows {
		g := NewGuard(&fakeRing{err: c.err, values: map[string]string{}}, noEnv)
		err := g.Store(t.Context(), "a", mustKey(t))
		expect.Equal(t, trouble(err), c.want, name, err)
		expect.That(t, err != nil && !strings.Contains(err.Error(), secret) && !strings.ContainsRune(err.Error(), 0x1b) &&
			errors.Unwrap(err) == nil && strings.Count(err.Error(), "+") <= 200-len("cannot keep ?[31m(key)."),
			name, err, "holds the key, a control, its cause or more than 200 characters of it")
		expect.Contains(t, err.Error(), "DARKROOM_API_KEY", name)
	}
	g := NewGuard(&fakeRing{err: keyring.ErrNotFound}, noEnv)
	expect.Is(t, g.Remove(t.Context(), "a"), ErrNone, "nothing to remove")
}
