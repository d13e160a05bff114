package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/ui/cli/say"
)

// List is a document of one list that is printed while its elements come,
// unless an expression needs all of them.
type List struct {
	p    *Printer
	name string
	n    int
	all  []any // for the expression
	text bytes.Buffer
	one  bytes.Buffer // the element that is added, from the encoder
	json *json.Encoder
}

// flushAt is how much of a document is kept before it is written.
const flushAt = 32 << 10

// NewList begins a document.
func (p *Printer) NewList(name string) *List {
	l := &List{p: p, name: name, all: []any{}}
	prefix, indent := "    ", "  "
	if p.lines {
		prefix, indent = "", ""
	}
	l.json = encoderTo(&l.one, prefix, indent)
	return l
}

// Add prints one more element.
func (l *List) Add(element any) error {
	p := l.p
	if p.query != nil || len(p.fields) > 0 {
		value, err := plain(element)
		if err != nil {
			return err
		}
		element = p.only(value)
	}
	switch {
	case p.query != nil && p.lines:
		return p.printQuery(element)
	case p.query != nil:
		l.all = append(l.all, element)
		return nil
	}
	l.n++
	switch {
	case p.lines:
	case l.n == 1:
		fmt.Fprintf(&l.text, "{\n  %q: [\n    ", l.name)
	default:
		l.text.WriteString(",\n    ")
	}
	l.one.Reset()
	if err := l.json.Encode(element); err != nil {
		return err
	}
	text := l.one.Bytes()
	if !p.lines {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	l.text.Write(Escape(text))
	if l.text.Len() >= flushAt {
		l.flush()
	}
	return nil
}

func (l *List) flush() {
	_, _ = l.p.Out.Write(l.text.Bytes())
	l.text.Reset()
}

// End prints what is left of the document. err ended the list early: where half
// of it is printed already, no document of a failure may follow.
func (l *List) End(err error) error {
	switch {
	case err != nil && l.n == 0:
		return err
	case l.p.query != nil && !l.p.lines:
		l.p.failed(l.p.printQuery(map[string]any{l.name: l.all}))
	case l.p.lines:
	case l.n == 0:
		fmt.Fprintf(&l.text, "{\n  %q: []\n}\n", l.name)
	default:
		l.text.WriteString("\n  ]\n}\n")
	}
	l.flush()
	if err != nil {
		l.p.Notice(err)
		return &say.Failure{Code: say.ExitFailed, Err: err, Printed: true}
	}
	return nil
}

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
	switch name {
	case api.FieldPrompt:
		return "PROMPT"
	case api.FieldFunctionMode:
		return "--function-mode"
	}
	return "--" + strings.ReplaceAll(name, "_", "-")
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
