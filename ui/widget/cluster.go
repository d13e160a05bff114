package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// Class tells what wrapping and moves by words need to know of a cluster.
type Class uint8

// Classes.
const (
	ClassWord   Class = iota // letters, digits, everything that sticks together
	ClassBlank               // a space
	ClassBreak               // a line feed
	ClassWide                // an ideograph, a kana, an emoji: lines may break next to it
	ClassOpener              // must not end a line
	ClassCloser              // must not begin a line
	ClassHyphen              // a word longer than a line breaks behind it
	ClassMark                // other punctuation
)

func (c Class) inWord() bool { return c == ClassWord || c == ClassWide }

// Cluster is one grapheme cluster: what a person takes for one character.
type Cluster struct {
	Text  string
	Runes uint16
	Cells uint8
	Class Class
}

// maxClusterRunes keeps any number of combining marks from becoming one character.
const maxClusterRunes = 24

// plainRune reports whether r stands alone next to any other plain rune, so that
// segmentation need not look around it. Most of what people type is plain.
func plainRune(r rune) bool {
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

// Plain reports whether the cluster is a single plain rune.
func (c Cluster) Plain() bool {
	if c.Runes != 1 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(c.Text)
	return plainRune(r)
}

// openers and closers are punctuation that wrapping keeps with its neighbour.
const (
	openers = "([{（［｛〔〈《「『【〖“‘"
	closers = ")]}）］｝〕〉》」』】〗”’，。、！？；：．…·,.!?;:%％～ー々"
)

func newCluster(s string, r rune, size int) Cluster {
	c := Cluster{Text: s, Runes: 1, Cells: 1}
	if size != len(s) {
		c.Runes = uint16(utf8.RuneCountInString(s))
	}
	switch {
	case r == '\n':
		c.Class, c.Cells = ClassBreak, 0
		return c
	case r == ' ':
		c.Class = ClassBlank
		return c
	case r >= 0x4e00 && r <= 0x9fff && c.Runes == 1:
		c.Class, c.Cells = ClassWide, 2
		return c
	case r >= 0x7f:
		c.Cells = uint8(min(ansi.StringWidth(s), 8))
	}
	switch {
	case r == '-':
		c.Class = ClassHyphen
	case strings.ContainsRune(openers, r):
		c.Class = ClassOpener
	case strings.ContainsRune(closers, r):
		c.Class = ClassCloser
	case c.Cells == 2:
		c.Class = ClassWide
	case r < 0x80 && !isWordByte(byte(r)):
		c.Class = ClassMark
	}
	return c
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'
}

// AppendClusters appends the clusters of s, which starts at a border of one, to
// dst.
func AppendClusters(dst []Cluster, s string) []Cluster {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if plainRune(r) {
			next, _ := utf8.DecodeRuneInString(s[size:])
			if len(s) == size || plainRune(next) {
				dst = append(dst, newCluster(s[:size], r, size))
				s = s[size:]
				continue
			}
		}
		cluster, rest, _, _ := uniseg.FirstGraphemeClusterInString(s, -1)
		if cut := runesEnd(cluster, maxClusterRunes); cut < len(cluster) {
			cluster = cluster[:cut]
		}
		dst = append(dst, newCluster(cluster, r, size))
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

// JoinClusters is the text of the clusters.
func JoinClusters(cs []Cluster) string {
	n := 0
	for i := range cs {
		n += len(cs[i].Text)
	}
	var s strings.Builder
	s.Grow(n)
	for i := range cs {
		s.WriteString(cs[i].Text)
	}
	return s.String()
}

// Cells is how many cells the clusters take in a line.
func Cells(cs []Cluster) int {
	n := 0
	for i := range cs {
		n += int(cs[i].Cells)
	}
	return n
}

// WordLeft is where a move by one word to the left of cluster i ends. Chinese
// has no spaces: a run of ideographs counts as a word, punctuation ends it.
func WordLeft(cs []Cluster, i int) int {
	for i > 0 && !cs[i-1].Class.inWord() {
		i--
	}
	if i > 0 {
		class := cs[i-1].Class
		for i > 0 && cs[i-1].Class == class {
			i--
		}
	}
	return i
}

// WordRight is where a move by one word to the right of cluster i ends.
func WordRight(cs []Cluster, i int) int {
	for i < len(cs) && !cs[i].Class.inWord() {
		i++
	}
	if i < len(cs) {
		class := cs[i].Class
		for i < len(cs) && cs[i].Class == class {
			i++
		}
	}
	return i
}
