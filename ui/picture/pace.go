package picture

import (
	"context"
	"io"
	"sync"
	"time"
)

const (
	frameTime = 15 * time.Millisecond // from a key until its frame is written
	// heldTime is how long after the last of several keys nothing is decoded:
	// another one may follow. Several are keys that are less than rhythm apart.
	heldTime = 60 * time.Millisecond
	rhythm   = 100 * time.Millisecond
	patience = 5 * time.Second // that keys hold back one picture at most
)

// pace holds pictures back while the person presses keys.
type pace struct {
	mu          sync.Mutex
	pressed     time.Time // the last key
	frame, held time.Time // until when a cached picture waits, and one that is decoded
	limit       time.Time // until when the one whose turn it is waits at most
}

// Pressed says that the person pressed a key or turned the wheel.
func (l *Loader) Pressed() {
	p, now := &l.pace, time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame = now.Add(frameTime)
	p.held = p.frame
	if now.Sub(p.pressed) < rhythm {
		p.held = now.Add(heldTime)
	}
	p.pressed = now
}

func (p *pace) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = time.Now().Add(patience)
}

func (p *pace) wait(ctx context.Context, cached bool) {
	for ctx.Err() == nil {
		p.mu.Lock()
		until := p.held
		if cached {
			until = p.frame
		}
		if until.After(p.limit) {
			until = p.limit
		}
		p.mu.Unlock()
		rest := time.Until(until)
		if rest <= 0 {
			return
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
	}
}

// paced is a file that is read between the keys, a few KiB at a time.
type paced struct {
	io.ReadSeeker
	ctx  context.Context
	pace *pace
}

func (p paced) Read(b []byte) (int, error) {
	p.pace.wait(p.ctx, false)
	return p.ReadSeeker.Read(b)
}
