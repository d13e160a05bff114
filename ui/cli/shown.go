package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"darkroom/api"
)

// shownID is an id of the service as a line may show it. Ids are data and kept
// as received, so they are cleaned only here.
func shownID(id string) string { return api.Clean(id, api.MaxIDText).String() }

// oneLine writes a text of the service on one line: a line of its own would look
// like one of ours.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// withoutSteering writes what could steer a terminal as JSON's escapes: the
// value stays the same. JSON itself only escapes the controls below space, and
// a document may hold an answer as it was received.
func withoutSteering(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/16)
	for len(text) > 0 {
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
