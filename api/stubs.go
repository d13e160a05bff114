package api

// Bodies to be replaced by their rooms' builders; this file must be gone at the end.

import (
	"encoding/json"
	"errors"
)

var errStub = errors.New("not built yet")

// ---- rules ----

// Check applies every rule of the spec and of the model's listing to a request.
// The model may be the zero Model when its listing is not known.
func Check(r Request, m Model) []Problem { return nil }

// Body is the exact JSON body of the request: the spec's names, in the spec's
// order, async always present; the ratio under the name the model lists.
func (r Request) Body(m Model) []byte { b, _ := json.Marshal(r); return b }

// Path is the path of the generation call, such as /api/v1/images/generations.
func (r Request) Path() string { return "" }

// TableEstimate is the price of a seedance2 request by the spec's rate table
// (Limits), or an Estimate with SourceNone.
func TableEstimate(r Request) Estimate { return Estimate{Source: SourceNone} }

// ---- text and key ----

// Clean cleans one line of text from outside and cuts it to limit runes.
func Clean(s string, limit int) Text { return Text{s} }

// CleanLines is Clean for several lines: line feeds stay.
func CleanLines(s string, limit int) Text { return Text{s} }

// Key is an API key. It prints as ak_…9f3c in every verb, JSON and log.
type Key struct{ secret string }

// ParseKey trims s and refuses what is not shaped like a key
// (^ak_[\x21-\x7e]{1,512}$, "Authentication" 2).
func ParseKey(s string) (Key, error) { return Key{}, errStub }

// IsZero reports whether there is no key.
func (k Key) IsZero() bool { return k.secret == "" }

// Reveal gives the secret, for the transport and the keyring alone.
func (k Key) Reveal() string { return k.secret }

// String gives the hint, such as ak_…9f3c.
func (k Key) String() string { return "" }

// Redact replaces the key wherever b holds it, also in encoded forms.
func (k Key) Redact(b []byte) []byte { return b }
