package run

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"darkroom/api"
)

// ID is an id of the service as a line may show it. Ids are data and kept as
// received, so they are cleaned only here.
func ID(id string) string { return api.Clean(id, api.MaxIDText).String() }

// Address is an address of the service's as a line may show it.
func Address(address string) string { return api.Clean(address, api.MaxAddressText).String() }

// Lines is a long text with its lines, whole.
func Lines(text string) string { return api.CleanLines(text, len(text)+1).String() }

// FlagOf names a spec field as its flag: functionMode is --function-mode.
func FlagOf(field string) string {
	name, _, _ := strings.Cut(field, ".")
	if name == api.FieldPrompt {
		return "PROMPT"
	}
	return "--" + api.FlagName(name)
}

// Escape writes what could steer a terminal as JSON's escapes: the value stays
// the same. JSON itself only escapes the controls below space, and a document
// may hold an answer as it was received.
func Escape(text []byte) []byte {
	plain := 0
	for plain < len(text) && text[plain] < 0x7f {
		plain++
	}
	if plain == len(text) {
		return text
	}
	out := append(make([]byte, 0, len(text)+len(text)/16), text[:plain]...)
	for text = text[plain:]; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, `\ufffd`...)
		case !steers(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

func steers(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r > 0x9f && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
