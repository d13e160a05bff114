package store

import (
	"path/filepath"
	"sync"
	"testing"
)

// TestOpenTogether lets many windows begin the same new store at once: none is
// told that it cannot be used.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	for range 10 {
		path := filepath.Join(t.TempDir(), "darkroom.db")
		begin := make(chan struct{})
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				<-begin
				s, err := Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if why := s.Health().ReadOnly; !why.IsZero() {
					t.Error(why)
				}
			})
		}
		close(begin)
		all.Wait()
	}
}
