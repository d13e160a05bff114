package ui

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// keyboard is the terminal's input, in pieces that the reader of keys takes as they
// are meant: after 50 ms without more it reads what is not whole as if it were, and
// types the rest of it.
//
// An escape and a character that came together are alt and that key: they are
// handed on in the longer form, which is read at once. A piece may end anywhere, and
// on a busy machine or line the next one comes late: the beginning of a character,
// of a mark around a paste, and of the terminal's reply to a question stays here
// until the rest has come. An escape alone can be a key: the rest of it is waited
// for only while replies are due.
type keyboard struct {
	*os.File
	held    []byte       // what began and was not handed on
	since   time.Time    // when it was held
	pasting bool         // the mark that begins a paste was the last
	due     atomic.Int64 // until then replies may come, in nanoseconds since 1970
	// escape is how long an escape, or one with a bracket, waits then for more; the next
	// piece of a reply may take four times as long.
	escape time.Duration
}

const (
	// repliesTake is how long replies are due after App asked, and after a piece of one.
	repliesTake = 5 * time.Second
	escapeTakes = 300 * time.Millisecond
	// longestReply is more than a reply to any of our questions has, in bytes.
	longestReply = 512
)

func (k *keyboard) expect() { k.due.Store(time.Now().Add(repliesTake).UnixNano()) }

// observe sees every message before App: pictures for the terminal are answered too.
func (k *keyboard) observe(message tea.Msg) {
	switch m := message.(type) {
	case tea.RawMsg:
		if text, _ := m.Msg.(string); strings.HasPrefix(text, "\x1b]5522;") || strings.Contains(text, "\x1b_G") {
			k.expect()
		}
	case tea.ResumeMsg:
		k.expect()
	}
}

// Read reads what was typed. The beginning of a reply or of a key that came in pieces waits
// for its rest, so that nothing takes it for keys.
func (k *keyboard) Read(b []byte) (int, error) {
	n, err := k.File.Read(b[len(k.held):])
	if len(k.held) > 2 && k.held[0] == ansi.ESC && k.held[1] != '[' && time.Since(k.since) > 4*k.escape {
		copy(b, b[len(k.held):][:n]) // the reply has no end
		k.held = nil
	}
	n += copy(b, k.held)
	k.held = nil
	for err == nil && n < len(b) && k.ambiguous(b[:n]) && time.Now().UnixNano() < k.due.Load() && inputWithin(k.File, k.escape) {
		last, more := n-1, 0
		more, err = k.File.Read(b[n:])
		n += more
		if alone := b[last] == ansi.ESC && more > 0 && strings.IndexByte("OPX[]^_\\", b[last+1]) < 0; alone {
			n = last + copy(b[last:], "\x1b[27u"+string(b[last+1:n])) // two keys, not alt with one
		}
	}
	if err != nil {
		return n, err
	}
	if n == 2 && b[0] == ansi.ESC && b[1] > ' ' && b[1] < ansi.DEL && !k.pasting && !strings.ContainsRune("OPX[]^_", rune(b[1])) {
		key, shift := rune(b[1]), 0
		if unicode.IsUpper(key) {
			key, shift = unicode.ToLower(key), 1
		}
		return copy(b, fmt.Sprintf("\x1b[%d;%du", key, 3+shift)), nil
	}
	if bytes.Contains(b[:n], []byte("\x1b[I")) || bytes.Contains(b[:n], []byte("\x1b[?997;")) {
		k.expect() // to what the background is now
	}
	began, ended := bytes.LastIndex(b[:n], []byte(ansi.BracketedPasteStart)), bytes.LastIndex(b[:n], []byte(ansi.BracketedPasteEnd))
	if began != ended {
		k.pasting = began > ended
	}
	whole := n - k.unfinished(b[:n])
	if k.held, k.since = bytes.Clone(b[whole:n]), time.Now(); len(k.held) > 2 && k.held[0] == ansi.ESC {
		k.expect() // a slow terminal replies
	}
	return whole, nil
}

// ambiguous reports whether input ends with a key or the beginning of more.
func (k *keyboard) ambiguous(b []byte) bool {
	n := len(b) - sequence(b)
	return !k.pasting && n > 0 && n <= 2
}

// sequence is where the control sequence begins that input ends in, or its length.
func sequence(b []byte) int {
	begins, state := 0, byte(ansi.NormalState)
	for at := 0; at < len(b); {
		if state == ansi.NormalState {
			begins = at
		}
		_, _, n, next := ansi.DecodeSequence(b[at:], state, nil)
		at, state = at+n, next
		if at == len(b)-1 && b[at] == ansi.ESC && open(b[begins:at]) {
			return begins // the escape may be that of its end
		}
	}
	if state == ansi.NormalState {
		return len(b)
	}
	return begins
}

// open reports whether a sequence holds a text that has not ended.
func open(b []byte) bool {
	return len(b) > 1 && b[0] == ansi.ESC && strings.IndexByte("]P_", b[1]) >= 0 &&
		b[len(b)-1] != ansi.BEL && !bytes.HasSuffix(b, []byte("\x1b\\"))
}

// unfinished is how many bytes at the end are the beginning of a character, of a
// paste's mark or of a longer sequence. An escape or alt+[ is a key, except in a paste.
func (k *keyboard) unfinished(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			break
		}
	}
	if n := len(b) - sequence(b); !k.pasting && n > 2 && n <= longestReply {
		return n
	}
	for i := min(len(b), len(ansi.BracketedPasteEnd)-1); k.pasting && i > 0; i-- {
		if bytes.HasSuffix(b, []byte(ansi.BracketedPasteEnd[:i])) {
			return i
		}
	}
	return 0
}
