package api

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"sort"
	"strings"
)

// minSecretPart is the length from which a part of the key counts as the key.
const minSecretPart = 8

// redactLayers is how often a text is unescaped: a key in a
// URL inside a JSON string is two deep.
const redactLayers = 3

// Long texts are looked through window by window, since the maps from unescaped
// texts back to their originals take many times the text. Windows overlap by more
// than the longest part of a key under all layers of escapes: 18 letters, each
// written as six, three times over.
const (
	redactWindow  = 128 << 10
	redactOverlap = 4 << 10
)

// span is a half-open range of bytes.
type span struct{ from, to int }

// RedactString is Redact for a string.
func (k Key) RedactString(s string) string {
	spans := k.find([]byte(s))
	if len(spans) == 0 {
		return s
	}
	return string(cutSpans([]byte(s), spans, k.String()))
}

// Redact replaces the key by its hint wherever b holds it: as it is, any eight
// characters or more of what follows ak_, the same in hexadecimal, in base64
// of every alignment and alphabet, and all of these under URL or JSON
// escapes. Letters match in either case. b is returned as it is when it holds
// nothing of the key, else a copy.
func (k Key) Redact(b []byte) []byte {
	spans := k.find(b)
	if len(spans) == 0 {
		return b
	}
	return cutSpans(b, spans, k.String())
}

// In reports whether b holds the whole key, as it is or under URL or JSON
// escapes. It is for what a person wrote: half a key there is a coincidence.
func (k Key) In(b []byte) bool {
	if k.IsZero() {
		return false
	}
	whole := []byte(k.Reveal())
	for range redactLayers {
		if bytes.Contains(b, whole) {
			return true
		}
		under, _ := unescapeLayer(b, nil)
		if under == nil {
			break
		}
		b = under
	}
	return false
}

// keyShaped finds what looks like a key, whosever it is.
var keyShaped = Pattern(`\bak_[0-9A-Za-z_-]{8,}`)

// HideKeys replaces what looks like a key, for texts that repeat what a person
// wrote where no key belongs.
func HideKeys(s string) string { return keyShaped().ReplaceAllString(s, keyPrefix+"…") }

// find gives the spans of b to replace, sorted and apart.
func (k Key) find(b []byte) []span {
	if k.IsZero() || len(b) == 0 {
		return nil
	}
	f := k.finder()
	var spans []span
	for from := 0; ; from += redactWindow - redactOverlap {
		to := min(from+redactWindow, len(b))
		for _, s := range f.findUnder(b[from:to]) {
			spans = append(spans, span{from + s.from, from + s.to})
		}
		if to == len(b) {
			return joinSpans(spans)
		}
	}
}

// findUnder gives the spans of one window, under each layer of escapes too.
func (f *finder) findUnder(b []byte) []span {
	spans := f.find(b)
	text, at := b, []int(nil)
	for range redactLayers - 1 {
		if text, at = unescapeLayer(text, at); text == nil {
			break
		}
		for _, s := range f.find(text) {
			spans = append(spans, span{at[s.from], at[s.to]})
		}
	}
	return spans
}

// finder gives what looks for each form of the key.
func (k Key) finder() *finder {
	secret := strings.TrimPrefix(k.Reveal(), keyPrefix)
	if len(secret) < minSecretPart {
		secret = k.Reveal() // too short for parts: only the whole is the key
	}
	part := min(len(secret), minSecretPart)
	f := &finder{}
	f.add(part, &foldCase, keyPrefix, secret)
	f.add(2*part, &foldCase, hex.EncodeToString([]byte(keyPrefix)), hex.EncodeToString([]byte(secret)))
	for shift := range 3 {
		text := base64Inside(secret, shift)
		// An eight-byte part has at least nine letters that hold nothing else.
		size := len(text)
		if len(secret) >= minSecretPart {
			size = min(size, (8*minSecretPart-10)/6)
		}
		f.add(size, &foldBase64, "", text)
	}
	f.ready()
	return f
}

// base64Inside gives the letters of base64 that secret alone decides when
// shift bytes (modulo 3) stand before it and anything may follow.
func base64Inside(secret string, shift int) string {
	text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), secret...))
	first := (8*shift + 5) / 6
	end := 8 * (shift + len(secret)) / 6
	return text[first:end]
}

func joinSpans(spans []span) []span {
	sort.Slice(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func cutSpans(b []byte, spans []span, hint string) []byte {
	out := make([]byte, 0, len(b)+len(hint)*len(spans))
	done := 0
	for _, s := range spans {
		out = append(out, b[done:s.from]...)
		out = append(out, hint...)
		done = s.to
	}
	return append(out, b[done:]...)
}
