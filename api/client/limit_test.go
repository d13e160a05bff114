package client

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestALimitLetsReadFirst: a limit that is over although nobody could read (the
// process was stopped) grants a last moment, and again when it is stopped then.
func TestALimitLetsReadFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		l := newLimit(time.Minute, func() { ended.Store(true) })
		time.Sleep(time.Minute)
		synctest.Wait()
		if ended.Load() {
			t.Error("ended without a last moment")
		}
		// Stopped during the last moment: it is found over when the process goes on.
		l.mu.Lock()
		l.due = l.due.Add(-time.Hour)
		l.mu.Unlock()
		time.Sleep(lastMoment)
		synctest.Wait()
		if ended.Load() {
			t.Error("ended at once after a stop")
		}
		time.Sleep(lastMoment)
		synctest.Wait()
		if !ended.Load() {
			t.Error("never ended")
		}
		ended.Store(false)
		l.Reset(time.Minute)
		time.Sleep(time.Minute)
		synctest.Wait()
		l.Stop() // the answer was read in the last moment
		time.Sleep(time.Hour)
		if ended.Load() {
			t.Error("ended after its end was called off")
		}
	})
}
