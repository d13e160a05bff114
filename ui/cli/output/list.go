package output

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/ui/cli/say"
)

// PrintList prints a document of one list while each hands out its elements,
// unless an expression needs all of them. An error that ends the list early is the
// document of a failure only where no part of the list is printed.
func (p *Printer) PrintList(name string, each func(add func(element any) error) error) error {
	out := bufio.NewWriterSize(p.Out, 32<<10)
	n, all := 0, []any{} // all are for the expression
	var text bytes.Buffer
	encoder, between := encoderTo(&text, "    ", "  "), ",\n    "
	if p.form.lines {
		encoder, between = encoderTo(&text, "", ""), ""
	}
	err := each(func(element any) error {
		if p.form.query != nil || len(p.form.fields) > 0 {
			value, err := plain(element)
			if err != nil {
				return err
			}
			element = p.form.only(value)
		}
		switch {
		case p.form.query != nil && p.form.lines:
			return p.printQuery(element)
		case p.form.query != nil:
			all = append(all, element)
			return nil
		}
		n++
		if n == 1 && !p.form.lines {
			fmt.Fprintf(out, "{\n  %q: [\n    ", name)
		} else {
			_, _ = out.WriteString(between)
		}
		text.Reset()
		err := encoder.Encode(element)
		if !p.form.lines {
			text.Truncate(max(text.Len()-1, 0)) // the end of the line
		}
		_, _ = out.Write(Escape(text.Bytes()))
		return err
	})
	switch {
	case err != nil && n == 0:
		return err
	case p.form.query != nil && !p.form.lines:
		p.failed(p.printQuery(map[string]any{name: all}))
	case p.form.lines:
	case n == 0:
		fmt.Fprintf(out, "{\n  %q: []\n}\n", name)
	default:
		_, _ = out.WriteString("\n  ]\n}\n")
	}
	_ = out.Flush()
	if err != nil {
		p.Notice(err)
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
