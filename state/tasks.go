package state

import (
	"context"
	"net/url"
	"runtime/debug"
	"sync"

	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
)

// tasks are the goroutines of a session.
type tasks struct {
	crash func(cause any, stack []byte) // nil: a panic goes on
	group sync.WaitGroup
}

// Go runs f in a goroutine that wait waits for.
func (t *tasks) Go(f func()) {
	t.group.Go(func() {
		defer t.caught()
		f()
	})
}

func (t *tasks) caught() {
	if t.crash == nil {
		return
	}
	if cause := recover(); cause != nil {
		t.crash(cause, debug.Stack())
	}
}

// wait waits for all of them, or until ctx ends.
func (t *tasks) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() { t.group.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// fetchers are the Fetchers of the services that were used, one for each base
// and for the settings that it was made with: it is what bounds the downloads at
// a time.
type fetchers struct {
	settings *settings.Current
	fetcher  func(media.Options) Fetcher // nil is media.New

	mu   sync.Mutex
	made map[fetcherKey]Fetcher
}

type fetcherKey struct {
	base, dir, names string
	recipes          bool
}

func (f *fetchers) of(base *url.URL) Fetcher {
	f.mu.Lock()
	defer f.mu.Unlock()
	set := f.settings.Get()
	key := fetcherKey{base.String(), set.Downloads, set.Names, set.Recipes}
	made, ok := f.made[key]
	if !ok {
		made = f.make(base)
		f.made[key] = made
	}
	return made
}

func (f *fetchers) make(base *url.URL) Fetcher {
	set := f.settings.Get()
	o := media.Options{Base: base, Dir: set.Downloads, Scale: remote.CallScale(set), Recipes: set.Recipes, Names: set.Names}
	if f.fetcher != nil {
		return f.fetcher(o)
	}
	return media.New(o)
}
