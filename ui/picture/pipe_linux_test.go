package picture

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
)

// TestNothingWaitsAtANamedPipe: a named pipe in the place of a picture is not
// opened, and holds up no other picture.
func TestNothingWaitsAtANamedPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "a.png")
	noError(t, syscall.Mkfifo(pipe, 0o600))
	l, ended := NewLoader(false), make(chan bool)
	go func() {
		defer close(ended)
		expect.Fails(t, expect.Err(l.Play(t.Context(), pipe, 10, 10, DefaultCell, 0)), "", "it is played")
		expect.Fails(t, expect.Err(l.Load(t.Context(), pipe, 10, 10, Terminal{Mode: ModeBlocks})), "", "it is drawn")
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("something waits at the pipe")
	}
}
