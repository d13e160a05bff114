package state

import (
	"net/url"
	"sync"

	"darkroom/state/media"
	"darkroom/state/remote"
)

// fetchers are the Fetchers of the services that were used, one for each base:
// it is what bounds the downloads at a time.
type fetchers struct {
	o Options

	mu   sync.Mutex
	made map[string]Fetcher
}

func newFetchers(o Options) *fetchers { return &fetchers{o: o, made: map[string]Fetcher{}} }

// of is the Fetcher for a service.
func (f *fetchers) of(base *url.URL) Fetcher {
	f.mu.Lock()
	defer f.mu.Unlock()
	made, ok := f.made[base.String()]
	if !ok {
		made = f.make(base)
		f.made[base.String()] = made
	}
	return made
}

func (f *fetchers) make(base *url.URL) Fetcher {
	set := f.o.Settings
	o := media.Options{Base: base, Dir: set.Downloads, Scale: remote.CallScale(set), Recipes: set.Recipes, Names: set.Names}
	if f.o.Fetcher != nil {
		return f.o.Fetcher(o)
	}
	return media.New(o)
}
