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
// HTML that would spoil an address. Text that is not JSON, or is
// nested more than 64 deep, comes back unchanged.
func Indent(raw []byte) []byte {
	if depth(raw) > maxIndentDepth {
		return raw
	}
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(raw), "", "  ") != nil {
		return raw
	}
	return []byte(withoutHTML.Replace(b.String()))
}

// withoutHTML undoes the escapes for HTML; an escaped backslash begins none.
var withoutHTML = strings.NewReplacer(`\\`, `\\`, `\u0026`, `&`, `\u003c`, `<`, `\u003C`, `<`, `\u003e`, `>`, `\u003E`, `>`)

// Object builds a JSON object, in the order of the calls.
type Object struct{ bytes.Buffer }

// Raw adds a member whose value is JSON already.
func (w *Object) Raw(name, value string) {
	if w.Len() == 0 {
		w.WriteByte('{')
	} else {
		w.WriteByte(',')
	}
	w.WriteString(JSONString(name) + ":" + value)
}

func (w *Object) text(name, value string) { w.Raw(name, JSONString(value)) }

// JSON ends the object and gives it.
func (w *Object) JSON() []byte {
	if w.Len() == 0 {
		return []byte("{}")
	}
	w.WriteByte('}')
	return w.Bytes()
}

// JSONString quotes a string without escaping the signs of HTML.
func JSONString(s string) string {
	text, _ := PlainJSON(strings.ToValidUTF8(s, "\uFFFD")) // a string cannot fail
	return string(text)
}

// PlainJSON encodes without escapes for HTML, as people read it.
func PlainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
