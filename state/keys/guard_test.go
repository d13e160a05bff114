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
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
	return err
}

func (r *fakeRing) Load(account string) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	v, ok := r.values[account]
	if !ok {
		return "", ErrNone
	}
	return v, nil
}

func (r *fakeRing) Store(account, s string) error {
	if err := r.enter(); err != nil {
		return err
	}
	r.values[account] = s
	return nil
}

func (r *fakeRing) Remove(account string) error {
	if err := r.enter(); err != nil {
		return err
	}
	delete(r.values, account)
	return nil
}

func noEnv(string) string { return "" }

func mustKey(t *testing.T) api.Key {
	t.Helper()
	k, err := api.ParseKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// pending reports whether the keyring owes an answer.
func pending(g *Guard) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.current != nil
}

func trouble(err error) api.Sentence { return api.ReasonOf(err).Format() }

func TestGuardKeepsReadsAndRemoves(t *testing.T) {
	t.Parallel()
	r := &fakeRing{values: map[string]string{}}
	g := NewGuard(r, noEnv)
	if _, err := g.Load(t.Context(), "https://a"); !errors.Is(err, ErrNone) {
		t.Errorf("an empty ring gave %v", err)
	}
	if err := g.Store(t.Context(), "https://a", mustKey(t)); err != nil {
		t.Fatal(err)
	}
	if k, err := g.Load(t.Context(), "https://a"); err != nil || k.Reveal() != secret {
		t.Errorf("got %v, %v", k, err)
	}
	if _, err := g.Load(t.Context(), "https://b"); !errors.Is(err, ErrNone) {
		t.Errorf("another service's account gave %v", err)
	}
	if err := g.Remove(t.Context(), "https://a"); err != nil {
		t.Fatal(err)
	}
	r.values["https://a"] = "not a key, and secret all the same"
	_, err := g.Load(t.Context(), "https://a")
	if trouble(err) != whyContent || strings.Contains(err.Error(), "all the same") {
		t.Errorf("a value that is no key gave %v", err)
	}
}

func TestGuardWaitsOnceAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeRing{gate: make(chan struct{}), values: map[string]string{"a": secret}}
		g := NewGuard(r, noEnv)
		ctx, cancel := context.WithTimeout(t.Context(), Patience)
		defer cancel()
		start := time.Now()
		_, err := g.Load(ctx, "a")
		if trouble(err) != whyWaiting || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != Patience {
			t.Errorf("got %v after %v, want waiting after %v", err, time.Since(start), Patience)
		}
		if !pending(g) {
			t.Error("the call still runs, yet nothing is pending")
		}
		time.AfterFunc(60*time.Second, func() { close(r.gate) })
		k, err := g.Load(t.Context(), "a") // joins the first
		if err != nil || k.Reveal() != secret || r.calls != 1 {
			t.Errorf("got %v, %v after %d calls; want the key after 1 call", k, err, r.calls)
		}
		if pending(g) {
			t.Error("pending after the answer")
		}
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
		if trouble(err) != whySilent || time.Since(start) != Limit {
			t.Errorf("got %v after %v, want silent after %v", err, time.Since(start), Limit)
		}
		if err := <-queued; trouble(err) != whySilent {
			t.Errorf("the store gave %v", err)
		}
		if s := g.Check(); s.Usable || s.Why.IsZero() {
			t.Errorf("still usable: %+v", s)
		}
		if err := g.Remove(t.Context(), "a"); trouble(err) != whySilent || r.calls != 1 {
			t.Errorf("later: %v with %d calls, want silent and 1", err, r.calls)
		}
		close(r.gate)
	})
}

// Two accounts that are asked for at once get each its own key, also when one
// waits behind the other, and a third its own answer that there is none.
func TestGuardTellsAccountsApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const other = "ak_ffffffffffffffffffffffffffffffff"
		r := &fakeRing{gate: make(chan struct{}), values: map[string]string{"a": secret, "b": other}}
		g := NewGuard(r, noEnv)
		var wg sync.WaitGroup
		for account, want := range map[string]string{"a": secret, "b": other, "c": ""} {
			for range 3 {
				wg.Go(func() {
					k, err := g.Load(t.Context(), account)
					if k.Reveal() != want || (want == "") != errors.Is(err, ErrNone) {
						t.Errorf("%s: %v, %v", account, k, err)
					}
				})
			}
		}
		synctest.Wait()
		close(r.gate)
		wg.Wait()
		if r.calls < 3 || r.most != 1 {
			t.Errorf("%d calls, %d at once", r.calls, r.most)
		}
	})
}

func TestGuardAsksOneThingAtATime(t *testing.T) {
	t.Parallel()
	r := &fakeRing{values: map[string]string{}}
	g := NewGuard(r, noEnv)
	k := mustKey(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { g.Store(t.Context(), "a", k) })
		wg.Go(func() { g.Load(t.Context(), "b") })
	}
	wg.Wait()
	if r.most != 1 {
		t.Errorf("%d calls at once", r.most)
	}
}

func TestGuardSurvivesAPanic(t *testing.T) {
	t.Parallel()
	g := NewGuard(panicRing{}, noEnv)
	if _, err := g.Load(t.Context(), "a"); trouble(err) != whyFailed {
		t.Errorf("got %v", err)
	}
	if pending(g) {
		t.Error("pending for ever")
	}
}

type panicRing struct{ Ring }

func (panicRing) Load(string) (string, error) { panic("broken library") }

// checkedRing is a fake with the system's own check before it.
type checkedRing struct{ *fakeRing }

func (checkedRing) Check(env func(string) string) State { return checkSystem(env) }

func TestErrorsAreToldApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want api.Sentence
	}{
		"locked":     {errors.New("failed to unlock correct collection '/org/freedesktop/secrets/collection/login'"), whyLocked},
		"no service": {dbus.Error{Name: "org.freedesktop.DBus.Error.ServiceUnknown", Body: []any{"The name org.freedesktop.secrets was not provided by any .service files"}}, whyNoService},
		"no program": {&exec.Error{Name: "dbus-launch", Err: exec.ErrNotFound}, whyNoReach},
		"too big":    {keyring.ErrSetDataTooBig, whyTooLong},
		"no system":  {keyring.ErrUnsupportedPlatform, whyUnknown},
		"echo":       {errors.New("cannot keep \x1b[31m" + secret), whyFailed},
	} {
		g := NewGuard(&fakeRing{err: c.err, values: map[string]string{}}, noEnv)
		err := g.Store(t.Context(), "a", mustKey(t))
		if trouble(err) != c.want {
			t.Errorf("%s: got %v (%s), want %s", name, err, trouble(err), c.want)
		}
		if err == nil || strings.Contains(err.Error(), secret) || strings.ContainsRune(err.Error(), 0x1b) || errors.Unwrap(err) != nil {
			t.Errorf("%s: %q holds the key, a control or its cause", name, err)
		}
		if !strings.Contains(err.Error(), "DARKROOM_API_KEY") {
			t.Errorf("%s: %q does not say what to do", name, err)
		}
	}
	g := NewGuard(&fakeRing{err: keyring.ErrNotFound}, noEnv)
	if err := g.Remove(t.Context(), "a"); !errors.Is(err, ErrNone) {
		t.Errorf("nothing to remove gave %v", err)
	}
}
