package client

import (
	"bufio"
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
func (t *base64Text) Read(p []byte) (n int, err error) {
	for n < len(p) && t.err == nil {
		var c byte
		if c, t.err = t.next(); t.err != nil {
			break
		}
		switch c {
		case '\n', '\r', ' ', '=':
			continue
		case '-':
			c = '+'
		case '_':
			c = '/'
		}
		if t.left--; t.left < 0 {
			t.err = ErrTooLarge
			break
		}
		p[n] = c
		n++
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
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
