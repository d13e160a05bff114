package form

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// sort tells what wrapping and word moves need to know of a glyph.
type sort uint8

const (
	sortWord   sort = iota // letters, digits, everything that sticks together
	sortBlank              // a space
	sortBreak              // a line feed
	sortWide               // an ideograph, a kana, an emoji: lines may break beside it
	sortOpener             // must not end a line
	sortCloser             // must not begin a line
	sortMark               // other punctuation
)

// glyph is one grapheme cluster: what a person takes for one character.
type glyph struct {
	text  string
	runes uint16
	cells uint8
	sort  sort
}

// maxClusterRunes keeps a heap of combining marks from becoming one character.
const maxClusterRunes = 24

// plain reports whether r stands alone beside any other plain rune, so that
// segmentation need not look around it. Most of what people type is plain.
func plain(r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f, r == '\n':
		return true
	case r >= 0x4e00 && r <= 0x9fff: // ideographs
		return true
	case r >= 0x3001 && r <= 0x3029, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa:
		return true
	case r >= 0xff01 && r <= 0xff60: // wide forms of ASCII
		return true
	case r >= 0xc0 && r <= 0x24f: // Latin letters with marks of their own
		return true
	}
	return false
}

// openers and closers are punctuation that wrapping keeps with its neighbour.
const (
	openers = "([{（［｛〔〈《「『【〖“‘"
	closers = ")]}）］｝〕〉》」』】〗”’，。、！？；：．…·,.!?;:%％～ー々"
)

func newGlyph(s string, r rune, size int) glyph {
	g := glyph{text: s, runes: 1, cells: 1}
	if size != len(s) {
		g.runes = uint16(utf8.RuneCountInString(s))
	}
	switch {
	case r == '\n':
		g.sort, g.cells = sortBreak, 0
		return g
	case r == ' ':
		g.sort = sortBlank
		return g
	case r >= 0x4e00 && r <= 0x9fff && g.runes == 1:
		g.sort, g.cells = sortWide, 2
		return g
	case r >= 0x7f:
		g.cells = uint8(min(ansi.StringWidth(s), 8))
	}
	switch {
	case strings.ContainsRune(openers, r):
		g.sort = sortOpener
	case strings.ContainsRune(closers, r):
		g.sort = sortCloser
	case g.cells == 2:
		g.sort = sortWide
	case r < 0x80 && !isWordByte(byte(r)):
		g.sort = sortMark
	}
	return g
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'
}

// segment appends the glyphs of s, which starts at a boundary, to dst.
func segment(dst []glyph, s string) []glyph {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if plain(r) {
			next, _ := utf8.DecodeRuneInString(s[size:])
			if len(s) == size || plain(next) {
				dst = append(dst, newGlyph(s[:size], r, size))
				s = s[size:]
				continue
			}
		}
		cluster, rest, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
		if cut := runesEnd(cluster, maxClusterRunes); cut < len(cluster) {
			cluster = cluster[:cut]
		}
		dst = append(dst, newGlyph(cluster, r, size))
		s = rest
	}
	return dst
}

// runesEnd is the byte after the first n runes of s.
func runesEnd(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// alone reports whether g is a single plain rune.
func (g glyph) alone() bool {
	if g.runes != 1 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(g.text)
	return plain(r)
}

// tidy makes text from a keyboard or a clipboard fit to be kept: valid UTF-8,
// one kind of line end, no controls, no marks that turn the direction of
// writing, no invisible tags. In one line, line ends and tabs become spaces.
func tidy(s string, lines bool) string {
	if clean(s, lines) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	skip := false
	for _, r := range s {
		if skip && r == '\n' {
			skip = false
			continue
		}
		skip = r == '\r'
		switch {
		case r == '\n', r == '\r', r == 0x85, r == 0x2028, r == 0x2029, r == '\v', r == '\f':
			if lines {
				b.WriteByte('\n')
			} else {
				b.WriteByte(' ')
			}
		case r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError, hidden(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func clean(s string, lines bool) bool {
	for _, r := range s {
		if r == '\n' && lines {
			continue
		}
		if r == utf8.RuneError || r == 0x2028 || r == 0x2029 || hidden(r) {
			return false
		}
	}
	return true
}

// hidden reports whether r shows nothing and may mislead.
func hidden(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r == 0x61c, r == 0x200b, r == 0x200e, r == 0x200f, r == 0xfeff, r == 0x2060, r == 0xad:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f:
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}
