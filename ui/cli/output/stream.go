package output

import (
	"bytes"
	"os"
	"sync/atomic"
	"time"
)

// Stream is standard output or standard error. A write to a pipe that nobody
// reads, or to a stopped terminal, lasts for ever: one that is under way when the
// run is to end has a last moment, and those after it are refused.
type Stream struct {
	File  *os.File
	Ended <-chan struct{} // the run is to end

	stuck atomic.Bool
}

// lastMoment is how long a write is waited for when the run is to end.
const lastMoment = time.Second

// Fd is the file's number, for those who ask whether it is a terminal.
func (s *Stream) Fd() uintptr { return s.File.Fd() }

func (s *Stream) Write(b []byte) (int, error) {
	if s.stuck.Load() {
		return 0, os.ErrDeadlineExceeded
	}
	type written struct {
		n   int
		err error
	}
	done, text := make(chan written, 1), bytes.Clone(b) // the caller takes b back
	go func() {
		n, err := s.File.Write(text)
		done <- written{n, err}
	}()
	select {
	case w := <-done:
		return w.n, w.err
	case <-s.Ended:
	}
	select {
	case w := <-done:
		return w.n, w.err
	case <-time.After(lastMoment):
		s.stuck.Store(true)
		return 0, os.ErrDeadlineExceeded
	}
}
