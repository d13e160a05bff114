package media

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
)

func TestFetchStopsAnEndlessBody(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(pngBytes); err != nil {
				return
			}
		}
	})
	f.limit = func(api.Kind) int64 { return 1 << 20 }
	var known *Error
	if _, err := f.Fetch(t.Context(), want(base+"/x")); !errors.As(err, &known) || !known.Final {
		t.Errorf("got %v, want a final Error", err)
	}
	wantFolder(t, f)
}

func TestFetchStopsWhenNothingComes(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(pngBytes[:100])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	f.idle = 50 * time.Millisecond
	if _, err := f.Fetch(t.Context(), want(base+"/x")); !errors.Is(err, ErrSlow) {
		t.Errorf("got %v, want the idle limit", err)
	}
	wantFolder(t, f)
}

func TestFetchStopsATrickle(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := 0; r.Context().Err() == nil && i < len(pngBytes); i++ {
			w.Write(pngBytes[i : i+1])
			w.(http.Flusher).Flush()
			<-tick.C
		}
	})
	f.idle = 200 * time.Millisecond
	if _, err := f.Fetch(t.Context(), want(base+"/x")); !errors.Is(err, ErrSlow) {
		t.Errorf("got %v, want the idle limit", err)
	}
	wantFolder(t, f)
}

func TestFetchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(pngBytes[:100])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	if _, err := f.Fetch(ctx, want(base+"/x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	wantFolder(t, f)
}

func TestFetchTakesTwoAtOnce(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		defer now.Add(-1)
		w.Write(pngBytes)
	})
	done := make(chan error)
	for i := range 8 {
		go func() {
			w := want(base + "/x")
			w.N = i + 1
			_, err := f.Fetch(t.Context(), w)
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > maxAtOnce {
		t.Errorf("%d downloads at once, want %d at most", most.Load(), maxAtOnce)
	}
	if got := folder(t, f); len(got) != 8 {
		t.Errorf("%d files, want 8: %v", len(got), got)
	}
}
