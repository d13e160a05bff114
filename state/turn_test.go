//go:build !windows

package state

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/state/submit"
)

func quick() bool { return false }

func kept() error { return nil }

// TestATurnEndsByItself: a window that holds its turn for longer than it may is
// not waited for, and finds out before it sends.
func TestATurnEndsByItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	window := func(calls float64) *turns { return newTurns(dir, 0.05, calls, kept) }
	none := func(time.Time) {}
	began := time.Now()
	stopped := must(window(0.002).acquire(t.Context(), quick, none))(t)
	var told, holders, most, over atomic.Int64
	var all sync.WaitGroup
	for range 4 { // all see that it is over, and still take turns
		all.Go(func() {
			turn, err := window(1).acquire(limited(t), quick, func(until time.Time) { told.Store(until.UnixNano()) })
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), holders.Add(1)))
			if turn.Over() {
				over.Add(1)
			}
			holders.Add(-1)
			turn.Release()
		})
	}
	all.Wait()
	if took := time.Since(began); took < 200*time.Millisecond || told.Load() == 0 {
		t.Errorf("waited %v", took)
	}
	if most.Load() != 1 || over.Load() != 0 {
		t.Errorf("%d held the turn together, %d turns were over at once", most.Load(), over.Load())
	}
	if !stopped.Over() {
		t.Error("the stopped window believes that it has its turn")
	}
	stopped.Release()
}

// TestATurnWithoutItsFileIsOver: others can take turns then.
func TestATurnWithoutItsFileIsOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	take := func(ctx context.Context) (submit.Turn, error) {
		return newTurns(dir, 1, 1, kept).acquire(ctx, quick, func(time.Time) {})
	}
	one, err := take(t.Context())
	if err != nil || one.Over() {
		t.Fatal(err)
	}
	noError(t, os.Remove(filepath.Join(dir, "create.lock")))
	two, err := take(limited(t))
	if err != nil || !one.Over() || two.Over() {
		t.Errorf("%v", err)
	}
	one.Release()
	if two.Over() {
		t.Error("releasing a lost turn ended another")
	}
	two.Release()
}
