package remote

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/keys"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// noRing is a keyring without a key.
type noRing struct{}

func (noRing) Load(string) (string, error) { return "", keys.ErrNone }
func (noRing) Store(string, string) error  { return nil }
func (noRing) Remove(string) error         { return keys.ErrNone }

// testOptions are options for a Remote with a key and a store in a folder of
// its own.
func testOptions(t testing.TB, base string) Options {
	t.Helper()
	dir := t.TempDir()
	file := must(store.Open(t.Context(), filepath.Join(dir, "darkroom.db")))(t)
	var tasks sync.WaitGroup
	t.Cleanup(func() {
		tasks.Wait()
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return Options{
		Settings: settings.NewCurrent(settings.Settings{
			BaseURL: base, BaseFrom: "environment", EnvKey: "ak_0123456789abcdef", TimeScale: 1, DataDir: dir,
		}, nil),
		Store: func() *store.Store { return file }, Guard: keys.NewGuard(noRing{}, func(string) string { return "" }),
		Go: tasks.Go, Changed: func() {},
	}
}

// openRemote makes a Remote that has taken its key into use.
func openRemote(t testing.TB, o Options) *Remote {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r := New(ctx, o)
	r.FindKey()
	if err := r.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNoKeyIsSaidOnce: the reason why there is none may be that there is none.
func TestNoKeyIsSaidOnce(t *testing.T) {
	o := testOptions(t, "http://127.0.0.1:1")
	o.Settings = settings.NewCurrent(settings.Settings{BaseURL: "http://127.0.0.1:1", BaseFrom: "environment", TimeScale: 1}, nil)
	r := New(t.Context(), o)
	r.FindKey()
	if err := r.AwaitKey(limited(t)); !errors.Is(err, ErrNoKey) || strings.Count(err.Error(), "no API key") != 1 {
		t.Errorf("%v", err)
	}
}

func limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// fakeService gives prices, a second after it was asked; every other call would
// be a mistake.
type fakeService struct {
	Service
	mu     sync.Mutex
	prices int
	price  func(n int) (api.Estimate, error)
}

func (f *fakeService) Estimate(context.Context, api.Request, api.Model) (api.Estimate, error) {
	f.mu.Lock()
	f.prices++
	n := f.prices
	f.mu.Unlock()
	time.Sleep(time.Second)
	return f.price(n)
}

func (f *fakeService) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.prices
}

func connectTo(f *fakeService) func(client.Options) Service {
	return func(client.Options) Service { return f }
}
