package theme

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// joiners make one sign of several code points, and terminals disagree about its
// cells: the joiner, the emoji presentation, the keycap and the skin tones.
var joiners = [...]string{"\u200d", "\ufe0f", "\u20e3", "🏻", "🏼", "🏽", "🏾", "🏿"}

// joins reports whether s holds one of them. It looks for the last byte: pictures
// are full of signs that begin as the joiners do.
func joins(s string) bool {
	for _, j := range joiners {
		for rest := s; ; {
			i := strings.IndexByte(rest, j[len(j)-1])
			if i < 0 {
				break
			}
			if strings.HasSuffix(rest[:i+1], j) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return false
}

// Steady writes signs to which a terminal that counts code points would give other
// cells by their first code point, in as many cells as before.
func Steady(line string) string {
	if !joins(line) {
		return line
	}
	var b strings.Builder
	b.Grow(len(line))
	for i := 0; i < len(line); {
		if line[i] < utf8.RuneSelf && (i+1 == len(line) || line[i+1] < utf8.RuneSelf) {
			b.WriteByte(line[i])
			i++
			continue
		}
		cluster, cells := ansi.FirstGraphemeCluster(line[i:], ansi.GraphemeWidth)
		i += len(cluster)
		if ansi.StringWidthWc(cluster) == cells {
			b.WriteString(cluster)
			continue
		}
		_, n := utf8.DecodeRuneInString(cluster)
		if one := ansi.StringWidthWc(cluster[:n]); one <= cells {
			b.WriteString(cluster[:n])
			cells -= one
		}
		b.WriteString(Blank(cells))
	}
	return b.String()
}
