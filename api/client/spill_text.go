package client

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder writes the bytes of base64 text into a file. It goes on without one,
// and after what is not base64.
type decoder struct {
	file *os.File
	err  error
	buf  [4096]byte
	n    int
	head []byte
	size int64
	left int64
}

func (d *decoder) take(c byte) {
	switch c {
	case '\n', '\r', ' ', '=':
		return
	case '-':
		c = '+'
	case '_':
		c = '/'
	}
	d.buf[d.n] = c
	if d.n++; d.n == len(d.buf) {
		d.flush()
	}
}

func (d *decoder) flush() {
	var plain [4096]byte
	n, err := base64.RawStdEncoding.Decode(plain[:], d.buf[:d.n])
	d.size += int64(d.n) * 3 / 4 // also of what is no base64: it has to end somewhere
	d.n = 0
	if missing := stubHead - len(d.head); missing > 0 {
		d.head = append(d.head, plain[:min(n, missing)]...)
	}
	if d.err == nil {
		d.err = err
	}
	if d.err == nil {
		_, d.err = d.file.Write(plain[:n])
	}
}

// end gives the path of the whole file, or "" and no file.
func (d *decoder) end(whole bool) string {
	d.flush()
	if d.file == nil {
		return ""
	}
	path := d.file.Name()
	if err := d.file.Close(); err == nil && d.err == nil && whole {
		return path
	}
	os.Remove(path)
	return ""
}

// unescaper gives the characters of a JSON string up to its closing quote,
// which is io.EOF. broken is set when the text ended without one.
type unescaper struct {
	begun  []byte // what was read of it already
	from   *bufio.Reader
	told   string // the prefix of a data: URI
	ahead  []byte
	broken error
}

// prefix reads past the head of a data: URI.
func (u *unescaper) prefix() {
	for len(u.ahead) < 200 {
		c, err := u.next0()
		if err != nil {
			return
		}
		u.ahead = append(u.ahead, c)
		if c == ',' {
			if head, _ := splitDataURI(string(u.ahead)); head != "" && utf8.ValidString(head) && !strings.ContainsAny(head, "\"\\\n\r") {
				u.told, u.ahead = head, nil
			}
			return
		}
	}
}

func (u *unescaper) next() (byte, error) {
	if len(u.ahead) > 0 {
		c := u.ahead[0]
		u.ahead = u.ahead[1:]
		return c, nil
	}
	return u.next0()
}

func (u *unescaper) next0() (byte, error) {
	c, err := u.raw()
	if err != nil {
		return 0, err
	}
	switch c {
	case '"':
		return 0, io.EOF
	case '\\':
		return u.escape()
	}
	return c, nil
}

func (u *unescaper) raw() (byte, error) {
	if len(u.begun) > 0 {
		c := u.begun[0]
		u.begun = u.begun[1:]
		return c, nil
	}
	c, err := u.from.ReadByte()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		u.broken = err
	}
	return c, err
}

func (u *unescaper) escape() (byte, error) {
	c, err := u.raw()
	if err != nil {
		return 0, err
	}
	switch c {
	case 'n', 'r', 't':
		return '\n', nil
	case 'u':
		var digits [4]byte
		for i := range digits {
			if digits[i], err = u.raw(); err != nil {
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
