package program

import (
	"context"
	"io"
	"os"
)

// ReadInput reads a file, or standard input for "-", to its end, but no more than
// limit bytes. A signal ends it too: a pipe may never say anything.
func (p *Program) ReadInput(ctx context.Context, name string, limit int64) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		from := p.In
		if name != "-" {
			file, err := os.Open(name) // of a named pipe it waits for a writer
			if err != nil {
				done <- read{nil, err}
				return
			}
			defer file.Close()
			from = file
		}
		text, err := io.ReadAll(io.LimitReader(from, limit))
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, ErrAborted
	}
}
