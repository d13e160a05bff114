package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

// keysOf reads keys as the program does, each piece as one read.
func keysOf(t *testing.T, pieces ...string) []string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	keys := uv.NewTerminalReader(&keyboard{File: r}, "xterm-256color")
	keys.EscTimeout = 1 << 40 // what waits for it never comes
	events, done := make(chan uv.Event), make(chan error, 1)
	go func() { done <- keys.StreamEvents(context.Background(), events) }()
	var names []string
	for _, piece := range pieces {
		if _, err := io.WriteString(w, piece); err != nil {
			t.Fatal(err)
		}
		if key, ok := (<-events).(uv.KeyPressEvent); ok {
			names = append(names, key.String())
		}
	}
	w.Close()
	if err := <-done; err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return names
}

// TestAltIsReadAtOnce: in a terminal that sends an escape before the key, alt with
// a key waits for nothing.
func TestAltIsReadAtOnce(t *testing.T) {
	t.Parallel()
	want := []string{"alt+3", "alt+q", "alt+shift+q", "alt+/", "up", "a", "ctrl+s"}
	got := keysOf(t, "\x1b3", "\x1bq", "\x1bQ", "\x1b/", "\x1b[A", "a", "\x13")
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("read %q, want %q", got, want)
		}
	}
}
