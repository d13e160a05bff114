package api

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text is text from outside that has passed the cleaner; only Clean and
// CleanLines make one. It is valid UTF-8 without controls, bidi controls or
// tags, so it can be written to a terminal as it is.
type Text struct{ s string }

// String gives the clean text.
func (t Text) String() string { return t.s }

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.s == "" }

// MarshalJSON writes the clean text as a JSON string.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.s) }

// UnmarshalJSON cleans what it reads, keeping line feeds.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = CleanLines(s, len(s))
	return nil
}

// Length caps of cleaned texts, in runes.
const (
	MaxIDText      = 128
	MaxStatusText  = 32
	MaxErrorText   = 2000
	MaxAddressText = 4096
)

// maxZeroWidth is how many code points without a width one cell may carry:
// enough for every script and emoji, too few to paint over other lines.
const maxZeroWidth = 4

const (
	replaced = '\uFFFD'
	cutMark  = '…'
)

// Clean cleans one line of text from outside and cuts it to limit runes, the
// last of which is then "…". Line ends and tabs become spaces; whatever could
// steer a terminal or turn the reading order becomes U+FFFD. It is idempotent.
func Clean(s string, limit int) Text { return Text{clean(s, limit, false)} }

// CleanLines is Clean for several lines: line feeds stay, CR LF becomes one.
func CleanLines(s string, limit int) Text { return Text{clean(s, limit, true)} }

// OneLine puts a text on one line: a line of its own in a text from outside
// would look like one of the program's.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func clean(s string, limit int, lines bool) string {
	if limit <= 0 {
		return ""
	}
	n := plainPrefix(s, lines)
	if n == len(s) && n <= limit {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), 4*limit) + utf8.UTFMax)
	keep := min(n, limit-1)
	b.WriteString(s[:keep])
	cleanTail(&b, s[keep:], limit-keep, lines)
	return b.String()
}

// plainPrefix counts the leading bytes that need no second look.
func plainPrefix(s string, lines bool) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' || c > '~') && (c != '\n' || !lines) {
			return i
		}
	}
	return len(s)
}

// cleanTail writes at most limit runes. It looks no further than the first
// rune that does not fit, so a huge answer costs no more than its limit.
func cleanTail(b *strings.Builder, s string, limit int, lines bool) {
	written, last, zero := 0, b.Len(), 0
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
		if written == limit {
			cut := b.String()[:last]
			b.Reset()
			b.WriteString(cut)
			b.WriteRune(cutMark)
			return
		}
		last = b.Len()
		b.WriteRune(r)
		written++
	}
}

// cleanRune gives what stands for r, or -1 for nothing, and how many code
// points without a width the cell has now.
func cleanRune(r rune, zero int, lines bool) (rune, int) {
	switch {
	case r == '\n' && lines:
		return r, 0
	case r == '\n', r == '\t':
		return ' ', 0
	case forbidden(r):
		return replaced, 0
	case !zeroWidth(r):
		return r, 0
	case zero < maxZeroWidth:
		return r, zero + 1
	case zero == maxZeroWidth:
		return replaced, zero + 1 // once for all further ones of the cell
	}
	return -1, zero
}

// forbidden reports whether r must never reach a terminal as text: controls,
// controls of the reading order, line separators, tags.
func forbidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r <= 0x9F,
		r == 0x061C,
		r >= 0x200E && r <= 0x200F,
		r >= 0x2028 && r <= 0x202E,
		r >= 0x2066 && r <= 0x2069,
		r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// zeroWidth reports whether r takes no cell of its own: marks, format
// characters, and the Hangul vowels and finals that join the syllable before.
func zeroWidth(r rune) bool {
	if r < 0x300 {
		return r == 0xAD
	}
	if r >= 0x3000 && r < 0xA000 && r != 0x3099 && r != 0x309A && (r < 0x302A || r > 0x302F) {
		return false // kana and Chinese, the common case
	}
	return r >= 0x1160 && r <= 0x11FF || r >= 0xD7B0 && r <= 0xD7FB ||
		unicode.In(r, unicode.M, unicode.Cf)
}

// CleanInput makes text from a keyboard or a clipboard fit to be kept and sent:
// valid UTF-8, one kind of line end, nothing that steers a terminal, turns the
// reading order or hides. Where Clean shows that something was there, CleanInput
// leaves it out, for what it returns goes to the service. In one line, line ends
// become blanks.
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
		case endsLine(r):
			return end
		case r == '\t':
			return ' '
		case forbidden(r), invisible(r):
			return -1
		}
		return r
	}, s)
}

func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// invisible reports whether r shows nothing and may mislead; joiners, which
// emoji and scripts need, are not among these.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x200b, r == 0x2060, r == 0xfeff:
		return true
	case r >= 0x206a && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return false
}

// Pattern is an expression that is compiled when it is first used, so that a
// start does not wait for expressions it does not need.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
