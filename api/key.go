package api

import (
	"fmt"
	"io"
	"strings"
	"unique"
)

const (
	keyPrefix    = "ak_"
	maxKeySecret = 512
)

// Errors of ParseKey. None of them holds any of the text.
var (
	ErrKeyEmpty  = Sentence("there is no key: paste the key from the service's API access page").Fault(nil)
	ErrKeyPrefix = Sentence("a key starts with ak_: copy it again from the service's API access page").Fault(nil)
	ErrKeyShort  = Sentence("the key ends after ak_: copy all of it from the service's API access page").Fault(nil)
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
	}
	for i := 0; i < len(rest); i++ {
		if rest[i] < '!' || rest[i] > '~' {
			return Key{}, ErrKeyChars
		}
	}
	if len(rest) > maxKeySecret {
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
