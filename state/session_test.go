package state

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/state/media"
	"darkroom/state/store"
)

const testKey = "ak_0123456789abcdef"

// noRing is a keyring without a key.
type noRing struct{}

func (noRing) Load(string) (string, error) { return "", keys.ErrNone }
func (noRing) Store(string, string) error  { return nil }
func (noRing) Remove(string) error         { return keys.ErrNone }

// fakeFetcher counts downloads and writes a small file for each.
type fakeFetcher struct {
	dir     string
	mu      sync.Mutex
	calls   []media.Want
	recipes int
	fail    func(w media.Want, call int) error
}

func (f *fakeFetcher) Fetch(_ context.Context, w media.Want) (store.File, error) {
	f.mu.Lock()
	f.calls = append(f.calls, w)
	n, fail := len(f.calls), f.fail
	f.mu.Unlock()
	if fail != nil {
		if err := fail(w, n); err != nil {
			return store.File{}, err
		}
	}
	path := filepath.Join(f.dir, fmt.Sprintf("%s-%d.png", w.Job, w.N))
	if err := os.WriteFile(path, []byte("png"), 0o600); err != nil {
		return store.File{}, err
	}
	return store.File{Path: path, URL: w.Result.URL, MediaType: "image/png", Bytes: 3}, nil
}

func (f *fakeFetcher) Public(context.Context, string) (Link, error) { return Link{}, nil }
func (f *fakeFetcher) Upload(context.Context, []string, string, []string) (string, error) {
	return "", nil
}

func (f *fakeFetcher) WriteRecipe(store.Job) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recipes++
	return nil
}

func (f *fakeFetcher) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// testOptions are options for a session in a folder of its own.
func testOptions(t testing.TB, dir, base string) (Options, *fakeFetcher) {
	t.Helper()
	f := &fakeFetcher{dir: t.TempDir()}
	return Options{
		Settings: Settings{
			BaseURL: base, BaseFrom: "environment", EnvKey: testKey, TimeScale: 0.01, Downloads: f.dir,
			DataDir: filepath.Join(dir, "data"), Recipes: true,
		},
		Env: func(string) string { return "" }, Keyring: noRing{}, Poll: true,
		Fetcher: func(media.Options) Fetcher { return f },
	}, f
}

func openSession(t testing.TB, o Options) *Session {
	t.Helper()
	s := must(Open(context.Background(), o))(t)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func confirm(prompt string) Confirmed {
	return Confirmed{
		ConfirmID: NewConfirmID(),
		Request:   api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: prompt, Duration: "5", VideoModel: "fast", Resolution: "720p"},
		Estimate:  api.Estimate{Credits: 425 * api.Credit, Source: api.SourceTable, At: time.Now()},
	}
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

// noError ends the test when a step of its set-up failed.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
