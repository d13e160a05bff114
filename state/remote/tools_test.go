package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"darkroom/api/sim/simtest"
	"darkroom/state/settings"
)

func TestToolsAreFoundOnceAndRemembered(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{LongSide: 64})
	o := testOptions(t, service.URL())
	s := openRemote(t, o)
	if box := s.KnownTools(t.Context()); len(box.Tools) != 0 {
		t.Errorf("tools were known before they were asked for: %+v", box)
	}
	box := must(s.Tools(limited(t)))(t)
	if box.Path != "/api/v1/mcp" || box.Address != service.URL()+"/api/v1/mcp" || len(box.Tools) != 7 || box.At.IsZero() || box.Cached {
		t.Errorf("%+v", box)
	}
	p := must(s.Profile(t.Context()))(t)
	if p.Seen.ToolsPath != "/api/v1/mcp" || p.Seen.At.IsZero() {
		t.Errorf("%+v", p)
	}
	if known := s.KnownTools(t.Context()); !known.Cached || len(known.Tools) != 7 || known.Tools[0].Label() != box.Tools[0].Label() {
		t.Errorf("%+v", known)
	}
}

// TestToolsThatMoved: the place that answered before is asked first, and once
// it is gone the known places are tried again.
func TestToolsThatMoved(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{LongSide: 64})
	to, err := url.Parse(service.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	var at atomic.Value
	at.Store("/mcp")
	var missed atomic.Int32
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "mcp") {
			if r.URL.Path != at.Load() {
				missed.Add(1)
				http.NotFound(w, r)
				return
			}
			r.URL.Path = "/api/v1/mcp"
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	o := testOptions(t, front.URL)
	s := openRemote(t, o)
	if box := must(s.Tools(limited(t)))(t); box.Path != "/mcp" || missed.Load() == 0 {
		t.Errorf("%s after %d misses", box.Path, missed.Load())
	}
	missed.Store(0)
	if box := must(s.Tools(limited(t)))(t); box.Path != "/mcp" || missed.Load() != 0 {
		t.Errorf("%s after %d misses: the place was not remembered", box.Path, missed.Load())
	}
	at.Store("/api/mcp")
	if box := must(s.Tools(limited(t)))(t); box.Path != "/api/mcp" {
		t.Errorf("moved to %s", box.Path)
	}
	if p := must(s.Profile(t.Context()))(t); p.Seen.ToolsPath != "/api/mcp" {
		t.Errorf("remembered %s", p.Seen.ToolsPath)
	}
	at.Store("/nowhere/mcp")
	_, err = s.Tools(limited(t))
	if err == nil || s.Health().KeyRefused || !s.Health().Trouble.IsZero() {
		t.Errorf("without an entry: %v, %+v", err, s.Health())
	}
	o.Settings.Change(func(set *settings.Settings) { set.Ways.ToolsPath = "/nowhere/mcp" })
	if box := must(s.Tools(limited(t)))(t); box.Path != "/nowhere/mcp" {
		t.Errorf("set by hand, but %s", box.Path)
	}
}

// TestToolEntryWithAnotherLogin: a 401 of the entry alone must not stop jobs.
func TestToolEntryWithAnotherLogin(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{LongSide: 64})
	to, _ := url.Parse(service.URL())
	proxy := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "mcp") {
			http.Error(w, `{"error":"invalid_token"}`, http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	o := testOptions(t, front.URL)
	s := openRemote(t, o)
	if _, err := s.Tools(limited(t)); err == nil || !strings.Contains(err.Error(), "although the service takes it") || s.Health().KeyRefused {
		t.Errorf("%v, %+v", err, s.Health())
	}

	strict := simtest.Run(t, simtest.Options{Key: "ak_another_key_0000000000"})
	o = testOptions(t, strict.URL())
	s = openRemote(t, o)
	if _, err := s.Tools(limited(t)); !errors.Is(err, ErrKeyRefused) || !s.Health().KeyRefused {
		t.Errorf("%v, %+v", err, s.Health())
	}
	if n := callsOf(strict, "/"); n > 2 {
		t.Errorf("%d calls with a key that is refused", n)
	}
}

func callsOf(s *simtest.Server, path string) int {
	n := 0
	for _, c := range s.Calls() {
		if strings.HasPrefix(c.Path, path) {
			n++
		}
	}
	return n
}
