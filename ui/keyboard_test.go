package ui

import (
	"io"
	"os"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// late gives each piece a second after the one before.
type late struct {
	*keyboard
	w      io.Writer
	pieces []string
}

func (l *late) Read(b []byte) (int, error) {
	time.Sleep(time.Second)
	if len(l.pieces) == 0 {
		return 0, io.EOF
	}
	if _, err := io.WriteString(l.w, l.pieces[0]); err != nil {
		return 0, err
	}
	l.pieces = l.pieces[1:]
	return l.keyboard.Read(b)
}

// TestAPasteComesInPieces: wherever a paste is cut, and however late the rest
// comes, it is the paste that it was, and keys are read after it.
func TestAPasteComesInPieces(t *testing.T) {
	t.Parallel()
	const text = "a纸é👩‍👧z"
	stream := "\x1b[200~" + text + "\x1b[201~q"
	for cut := len("\x1b[2"); cut < len(stream); cut++ { // what is shorter is a key
		synctest.Test(t, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			events := make(chan uv.Event, 99)
			reader := uv.NewTerminalReader(&late{&keyboard{File: r}, w, []string{stream[:cut], stream[cut:]}}, "xterm-256color")
			if err := reader.StreamEvents(t.Context(), events); err != nil {
				t.Fatal(err)
			}
			close(events)
			var got []uv.Event
			for e := range events {
				got = append(got, e)
			}
			want := []uv.Event{uv.PasteStartEvent{}, uv.PasteEvent{Content: text}, uv.PasteEndEvent{}, uv.KeyPressEvent{Code: 'q', Text: "q"}}
			if len(got) != len(want) {
				t.Fatalf("cut after %d bytes: %#v, want %#v", cut, got, want)
			}
			for i := range want {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Errorf("cut after %d bytes: %#v, want %#v", cut, got[i], want[i])
				}
			}
		})
	}
}
