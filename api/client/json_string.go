package client

import (
	"bufio"
	"bytes"
	"darkroom/api/read"
	"errors"
	"io"
	"strconv"
)

// base64Text gives the characters of a JSON string that holds base64, in the
// alphabet of encoding/base64 and without padding or blanks. The string ends
// with its closing quote.
type base64Text struct {
	from *bufio.Reader
	left int64 // characters that may still come
	err  error // sticky; io.EOF after the closing quote
}

// Read gives characters of the string.
func (t *base64Text) Read(p []byte) (int, error) {
	n := 0
	for n == 0 && t.err == nil {
		n = t.take(p)
	}
	if t.left -= int64(n); t.left < 0 {
		t.err = ErrTooLarge
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// take gives what is in the buffer up to the next escape or quote, else the one
// character there. It may be nothing.
func (t *base64Text) take(p []byte) int {
	run, _ := t.from.Peek(min(t.from.Buffered(), len(p)))
	for _, end := range []byte(`"\`) {
		if i := bytes.IndexByte(run, end); i >= 0 {
			run = run[:i]
		}
	}
	if len(run) == 0 {
		var c byte
		if c, t.err = t.next(); t.err != nil {
			return 0
		}
		return copy(p, plainBase64([]byte{c}))
	}
	n := copy(p, plainBase64(run))
	_, _ = t.from.Discard(len(run)) // it is in the buffer
	return n
}

// plainBase64 writes base64 in the alphabet of encoding/base64 and without
// padding and blanks.
func plainBase64(text []byte) []byte {
	for _, c := range []byte("-_= \n\r") {
		if bytes.IndexByte(text, c) >= 0 {
			return bytes.Map(plainLetter, text)
		}
	}
	return text
}

func plainLetter(r rune) rune {
	if r == ' ' {
		return -1
	}
	return read.Base64Letter(r)
}

// next gives one character, unescaped.
func (t *base64Text) next() (byte, error) {
	c, err := t.raw()
	switch {
	case err != nil:
		return 0, err
	case c == '"':
		return 0, io.EOF
	case c != '\\':
		return c, nil
	}
	if c, err = t.raw(); err != nil {
		return 0, err
	}
	switch c {
	case 'n', 'r', 't':
		return '\n', nil
	case 'u':
		var digits [4]byte
		for i := range digits {
			if digits[i], err = t.raw(); err != nil {
				return 0, err
			}
		}
		v, err := strconv.ParseUint(string(digits[:]), 16, 16)
		if err != nil || v > 0x7f {
			return '?', nil // no base64
		}
		return byte(v), nil
	}
	return c, nil
}

// raw gives one byte; a string that ends without a quote is cut short.
func (t *base64Text) raw() (byte, error) {
	c, err := t.from.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return c, err
}
