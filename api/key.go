package api

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unique"
)

const (
	keyPrefix    = "ak_"
	maxKeySecret = 512
)

// Errors of ParseKey. None of them holds any of the text.
var (
	ErrKeyEmpty  = Sentence("there is no key: paste the key from the service's API key page").Fault(nil)
	ErrKeyPrefix = Sentence("a key starts with ak_: copy it again from the service's API key page").Fault(nil)
	ErrKeyShort  = Sentence("the key ends after ak_: copy all of it from the service's API key page").Fault(nil)
	ErrKeyLong   = Sentence("the key is longer than 515 characters: copy the key alone").Fault(nil)
	ErrKeyChars  = Sentence("the key contains spaces or invalid characters: copy the key alone").Fault(nil)
)

// Key is an API key. It prints as ak_…9f3c in every verb, JSON and log.
// Two Keys are equal (==) when their secrets are.
//
// The secret is behind a handle because fmt calls no methods on unexported
// fields: a struct that holds a Key would print a plain string as it is.
type Key struct{ secret unique.Handle[string] }

// ParseKey trims s and refuses what is not shaped like a key
// (^ak_[\x21-\x7e]{1,512}$, "Authentication" 2).
func ParseKey(s string) (Key, error) {
	s = strings.TrimSpace(s)
	rest, ok := strings.CutPrefix(s, keyPrefix)
	switch {
	case s == "":
		return Key{}, ErrKeyEmpty
	case !ok:
		return Key{}, ErrKeyPrefix
	case rest == "":
		return Key{}, ErrKeyShort
	case strings.ContainsFunc(rest, func(r rune) bool { return r < '!' || r > '~' }):
		return Key{}, ErrKeyChars
	case len(rest) > maxKeySecret:
		return Key{}, ErrKeyLong
	}
	return Key{unique.Make(s)}, nil
}

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k == Key{} }

// Reveal gives the secret, for the transport and the keyring alone.
func (k Key) Reveal() string {
	if k.IsZero() {
		return ""
	}
	return k.secret.Value()
}

// String gives the hint, such as ak_…9f3c: the last four characters, fewer of
// a short key, never more than a quarter of what follows ak_.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	s := strings.TrimPrefix(k.Reveal(), keyPrefix)
	return keyPrefix + "…" + s[len(s)-min(4, len(s)/4):]
}

// Format prints the hint, whatever the verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// MarshalText gives the hint, so JSON, XML, logs and their like hold no secret.
// Package gob refuses a Key: it has no exported field.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// redactLayers is how many layers of escapes are looked under: a URL in JSON is two deep.
const redactLayers = 2

func (k Key) RedactString(s string) string { return string(k.Redact([]byte(s))) }

// Redact replaces the key in b, as it is or escaped, by its hint, in a copy.
func (k Key) Redact(b []byte) (out []byte) {
	done := 0
	for from, to := k.find(b, 0); from >= 0; from, to = k.find(b, done) {
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
			if n := startsWith(b[from:], k.Reveal(), layers); n != 0 {
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
		if v, more := unescapeNumber(b[size+n:], map[rune]int{'u': 4, 'x': 2}[second], layers-1); more > 0 {
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
