package ui

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// keyboard is the terminal's input, in pieces that the reader of keys takes as they
// are meant: after 50 ms without more it reads what is not whole as if it were.
//
// An escape and a character that came together are alt and that key: they are
// handed on in the longer form, which is read at once. A piece may end anywhere, and
// on a busy machine or line the next one comes late: the beginning of a character,
// and of a mark around a paste, stays here until the rest has come. Without that a
// paste would lose the character, or not end.
type keyboard struct {
	*os.File
	held    []byte // what began and was not handed on
	pasting bool   // the mark that begins a paste was the last
}

func (k *keyboard) Read(b []byte) (int, error) {
	n, err := k.File.Read(b[copy(b, k.held):])
	n += len(k.held)
	k.held = k.held[:0]
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
	began, ended := bytes.LastIndex(b[:n], []byte(ansi.BracketedPasteStart)), bytes.LastIndex(b[:n], []byte(ansi.BracketedPasteEnd))
	if began != ended {
		k.pasting = began > ended
	}
	whole := n - k.unfinished(b[:n])
	k.held = append(k.held, b[whole:n]...)
	return whole, nil
}

// unfinished is how many bytes at the end are the beginning of a character or of a
// paste's mark. Outside of a paste an escape alone is a key, and so is one with a
// bracket.
func (k *keyboard) unfinished(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			break
		}
	}
	mark, least := ansi.BracketedPasteStart, len("\x1b[2")
	if k.pasting {
		mark, least = ansi.BracketedPasteEnd, 1
	}
	for i := min(len(b), len(mark)-1); i >= least; i-- {
		if bytes.HasSuffix(b, []byte(mark[:i])) {
			return i
		}
	}
	return 0
}
