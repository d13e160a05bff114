package api

import (
	"bytes"
	"strings"
	"unicode"
)

// redactLayers is how many layers of escapes are looked under: a URL in JSON is two deep.
const redactLayers = 2

func (k Key) RedactString(s string) string { return string(k.Redact([]byte(s))) }

// Redact replaces the key in b, as it is or escaped, by its hint, in a copy.
func (k Key) Redact(b []byte) []byte {
	var out []byte
	done := 0
	for {
		from, to := k.find(b, done)
		if from < 0 {
			break
		}
		out = append(append(out, b[done:from]...), k.String()...)
		done = to
	}
	if done == 0 {
		return b
	}
	return append(out, b[done:]...)
}

// In reports whether b holds the key, as it is or under URL or JSON escapes.
func (k Key) In(b []byte) bool {
	from, _ := k.find(b, 0)
	return from >= 0
}

// find gives the first place of the key in b at or after start; -1 for none.
func (k Key) find(b []byte, start int) (from, to int) {
	if k.IsZero() {
		return -1, -1
	}
	for from = start; from < len(b); from++ {
		next := bytes.IndexAny(b[from:], `a%\`) // what a key or an escape begins with
		if next < 0 {
			break
		}
		from += next
		for layers := range redactLayers + 1 {
			if n := startsWith(b[from:], k.Reveal(), layers); n > 0 {
				return from, from + n
			}
		}
	}
	return -1, -1
}

// startsWith gives how many bytes of b stand for text under a number of layers; or 0.
func startsWith(b []byte, text string, layers int) int {
	at := 0
	for i := range len(text) {
		c, n := unescape(b[at:], layers)
		if n == 0 || c != rune(text[i]) {
			return 0
		}
		at += n
	}
	return at
}

// unescape reads one letter under a number of layers, and how many bytes stand for it.
func unescape(b []byte, layers int) (letter rune, size int) {
	if len(b) == 0 {
		return 0, 0
	}
	if layers == 0 {
		return rune(b[0]), 1
	}
	letter, size = unescape(b, layers-1)
	if letter == '%' {
		if v, n := unescapeNumber(b[size:], 2, layers-1); n > 0 {
			return v, size + n
		}
	}
	if letter != '\\' {
		return letter, size
	}
	switch second, n := unescape(b[size:], layers-1); second {
	case '"', '\\', '/':
		return second, size + n
	case 'u', 'x':
		digits := map[rune]int{'u': 4, 'x': 2}[second]
		if v, more := unescapeNumber(b[size+n:], digits, layers-1); more > 0 {
			return v, size + n + more
		}
	}
	return letter, size
}

// unescapeNumber reads hexadecimal digits, and how many bytes stand for them; or 0.
func unescapeNumber(b []byte, digits, layers int) (v rune, size int) {
	for range digits {
		letter, n := unescape(b[size:], layers)
		digit := strings.IndexRune("0123456789abcdef", unicode.ToLower(letter))
		if n == 0 || digit < 0 {
			return 0, 0
		}
		v, size = v<<4|rune(digit), size+n
	}
	return v, size
}

var keyShaped = Pattern(`(^|[^0-9A-Za-z])ak_[0-9A-Za-z_-]{8,}`)

// HideKeys replaces what looks like a key, whosever it is.
func HideKeys(s string) string { return keyShaped().ReplaceAllString(s, "${1}"+keyPrefix+"…") }
