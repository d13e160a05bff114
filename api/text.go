package api

import (
	"encoding/json"
	"strings"
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
		return replaced, zero + 1 // once for the whole rest of the pile
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
