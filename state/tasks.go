package state

import (
	"context"
	"runtime/debug"
	"sync"
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
