package api

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text is text from outside that Clean or CleanLines has made safe for a
// terminal: valid UTF-8 without controls, bidi controls or tags.
type Text struct{ s string }

func (t Text) String() string { return t.s }
func (t Text) IsZero() bool   { return t.s == "" }

func (t Text) MarshalJSON() ([]byte, error) { return PlainJSON(t.s) }

// UnmarshalJSON cleans what it reads; line feeds stay.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	err := json.Unmarshal(b, &s)
	*t = CleanLines(s, len(s))
	return err
}

// Length caps, in runes.
const (
	MaxIDText      = 128
	MaxStatusText  = 32
	MaxErrorText   = 2000
	MaxAddressText = 4096
)

// maxZeroWidth is how many code points without a width one cell may carry.
const maxZeroWidth = 4

// Clean cleans one line and cuts it to limit runes, the last of which is then "…".
// What steers a terminal or turns the reading order becomes U+FFFD.
func Clean(s string, limit int) Text { return Text{clean(s, limit, false)} }

// CleanLines is Clean for several lines: line feeds stay, CR LF becomes one.
func CleanLines(s string, limit int) Text { return Text{clean(s, limit, true)} }

// OneLine puts a text on one line, where none of it looks like one of the program's.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func clean(s string, limit int, lines bool) string {
	if limit <= 0 {
		return ""
	}
	odd := func(r rune) bool { return (r < ' ' || r > '~') && (r != '\n' || !lines) }
	if len(s) <= limit && !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	written, last, zero := 0, 0, 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++ // CR LF is one line end
			continue
		}
		i += size
		r, zero = cleanRune(r, zero, lines)
		if r < 0 {
			continue
		}
		if written == limit { // and no further
			return b.String()[:last] + "…"
		}
		last = b.Len()
		b.WriteRune(r)
		written++
	}
	return b.String()
}

// cleanRune gives what stands for r, or -1, and the zero-width code points of the cell.
func cleanRune(r rune, zero int, lines bool) (rune, int) {
	switch {
	case r > ' ' && r <= '~', r >= 0x3400 && r < 0xA000, r == '\n' && lines: // the common ones
		return r, 0
	case r == '\n', r == '\t':
		return ' ', 0
	case forbidden(r):
		return utf8.RuneError, 0
	case !zeroWidth(r):
		return r, 0
	case zero < maxZeroWidth:
		return r, zero + 1
	case zero == maxZeroWidth:
		return utf8.RuneError, zero + 1 // once for all further ones of the cell
	}
	return -1, zero
}

// forbidden reports whether r must never reach a terminal as text: controls,
// controls of the reading order, line separators, tags.
func forbidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r >= 0xE0000 && r <= 0xE007F
}

// zeroWidth reports whether r takes no cell: marks, format characters, Hangul finals.
func zeroWidth(r rune) bool {
	return r >= 0x1160 && r <= 0x11FF || r >= 0xD7B0 && r <= 0xD7FB || unicode.In(r, unicode.M, unicode.Cf)
}

// CleanInput makes typed or pasted text fit to be sent: valid UTF-8, one kind of line
// end (in one line, a blank), nothing that steers a terminal or hides.
func CleanInput(s string, lines bool) string {
	end := ' '
	if lines {
		end = '\n'
	}
	afterReturn := false
	return strings.Map(func(r rune) rune {
		second := afterReturn && r == '\n'
		afterReturn = r == '\r'
		switch {
		case second, r == utf8.RuneError:
			return -1
		case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
			return end
		case r == '\t':
			return ' '
		case forbidden(r), invisible(r):
			return -1
		}
		return r
	}, s)
}

// invisible reports whether r shows nothing and may mislead; scripts need joiners.
func invisible(r rune) bool {
	return strings.ContainsRune("\u00ad\u200b\u2060\ufeff", r) || r >= 0x206a && r <= 0x206f || r >= 0xfff9 && r <= 0xfffb
}

// Pattern is an expression that is compiled when it is first used, not at the start.
// If it were inlined, each call would have its own copy of OnceValue's functions.
//
//go:noinline
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Near are the names that a given one is most likely meant as: those that take the fewest
// changes, no more than a third of its letters, or of which one contains the other.
func Near(given string, names []string) (near []string) {
	given = strings.ToLower(given[:min(len(given), 64)]) // the time grows with its length
	most := max(1, len(given)/3)
	least := most
	for _, name := range names {
		plain := strings.ToLower(name)
		n := distance(given, plain)
		if len(given) > 2 && strings.Contains(plain, given) || len(plain) > 2 && strings.Contains(given, plain) {
			n = min(n, most)
		}
		if n < least {
			least, near = n, nil
		}
		if n == least {
			near = append(near, name)
		}
	}
	return near
}

// distance is Levenshtein's, in bytes, with a swap of two neighbours as one change.
func distance(a, b string) int {
	var before, last []int
	for i := range len(a) + 1 {
		next := make([]int, len(b)+1)
		for j := range next {
			switch {
			case i == 0 || j == 0:
				next[j] = i + j
			case a[i-1] == b[j-1]:
				next[j] = last[j-1]
			default:
				next[j] = 1 + min(last[j-1], last[j], next[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], 1+before[j-2])
			}
		}
		before, last = last, next
	}
	return last[len(b)]
}

func IsDocument(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}

// Indent writes JSON on lines, unless it is nested more than 64 deep.
func Indent(raw []byte) []byte {
	var b bytes.Buffer
	if tooDeep(raw) || json.Indent(&b, bytes.TrimSpace(raw), "", "  ") != nil {
		return raw
	}
	return []byte(withoutHTML.Replace(b.String()))
}

// tooDeep: the white space grows with the square of the depth.
func tooDeep(raw []byte) bool {
	d, depth := json.NewDecoder(bytes.NewReader(raw)), 0
	d.UseNumber()
	for token, err := d.Token(); err == nil && depth <= 64; token, err = d.Token() {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return depth > 64
}

// withoutHTML undoes the escapes for HTML; an escaped backslash begins none.
var withoutHTML = strings.NewReplacer(`\\`, `\\`, `\u0026`, `&`, `\u003c`, `<`, `\u003C`, `<`, `\u003e`, `>`, `\u003E`, `>`)

// Object is the members of a JSON object, in the order of the calls.
type Object []string

// Raw adds a member whose value is JSON already.
func (w *Object) Raw(name, value string) { *w = append(*w, JSONString(name)+":"+value) }

func (w *Object) text(name, value string) { w.Raw(name, JSONString(value)) }

func (w Object) JSON() []byte { return []byte("{" + strings.Join(w, ",") + "}") }

// JSONString quotes a string without escapes for HTML.
func JSONString(s string) string {
	text, _ := PlainJSON(strings.ToValidUTF8(s, "\uFFFD")) // a string cannot fail
	return string(text)
}

// PlainJSON is json.Marshal that leaves <, > and & as they are.
func PlainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Written is a value as people write it: a text without its quotes.
func Written(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Find gives the first element that is sought, if there is one.
func Find[T any](list []T, sought func(T) bool) (one T, found bool) {
	if i := slices.IndexFunc(list, sought); i >= 0 {
		return list[i], true
	}
	return one, false
}

// Pick returns what of makes of the elements for which it reports true.
func Pick[T, D any](list []T, of func(T) (D, bool)) (all []D) {
	for _, one := range list {
		if made, ok := of(one); ok {
			all = append(all, made)
		}
	}
	return all
}

// Map makes one of each element; never nil, which JSON would call null.
func Map[T, D any](list []T, of func(T) D) []D {
	all := make([]D, 0, len(list))
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}
