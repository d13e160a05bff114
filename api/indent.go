package api

import (
	"bytes"
	"encoding/json"
	"strings"
)

// IsDocument reports whether a text is a JSON object or list.
func IsDocument(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

// maxIndentDepth is how deeply nested JSON may be to be indented: the white
// space grows with the square of the depth.
const maxIndentDepth = 64

// depth is how deeply objects and lists of a JSON text are nested.
func depth(raw []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// Indent writes JSON as people read it: on lines, and without the escapes for
// HTML that would spoil an address. What is no JSON, or nested more than 64
// deep, comes back as it is.
func Indent(raw []byte) []byte {
	if depth(raw) > maxIndentDepth {
		return raw
	}
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(raw), "", "  ") != nil {
		return raw
	}
	in := b.Bytes()
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		if in[i] == '\\' && i+1 < len(in) {
			if i+6 <= len(in) && in[i+1] == 'u' {
				switch strings.ToLower(string(in[i+2 : i+6])) {
				case "0026":
					out, i = append(out, '&'), i+5
					continue
				case "003c":
					out, i = append(out, '<'), i+5
					continue
				case "003e":
					out, i = append(out, '>'), i+5
					continue
				}
			}
			out = append(out, in[i], in[i+1])
			i++
			continue
		}
		out = append(out, in[i])
	}
	return out
}
