package picture

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// A picture comes after the frame of a key, and one that is to be decoded after
// the last of several keys, but not later than patience.
func TestPicturesComeAfterKeys(t *testing.T) {
	path, cached := save(t, "a.png", pngOf(t, gradient(640, 360))), t.TempDir()
	for _, c := range []struct {
		name   string
		folder string
		keys   int           // before the picture is asked for
		every  time.Duration // and then one so often
		want   time.Duration
	}{
		{"a key, decoded", cached, 1, 0, frameTime},
		{"keys, cached", cached, 2, 0, frameTime},
		{"keys, decoded", t.TempDir(), 2, 0, heldTime},
		{"keys without an end, decoded", t.TempDir(), 2, 30 * time.Millisecond, patience},
		{"keys without an end, cached", cached, 2, frameTime / 2, patience},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := NewLoader(false)
			l.CacheIn(c.folder)
			for range c.keys {
				time.Sleep(30 * time.Millisecond)
				l.Pressed()
			}
			ctx, stop := context.WithCancel(t.Context())
			var held sync.WaitGroup
			defer held.Wait()
			defer stop()
			held.Go(func() {
				for c.every > 0 && ctx.Err() == nil {
					time.Sleep(c.every)
					l.Pressed()
				}
			})
			began := time.Now()
			if _, err := l.Load(ctx, path, 24, 8, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != c.want {
				t.Errorf("%s: after %v, not %v", c.name, took, c.want)
			}
		})
	}
}
