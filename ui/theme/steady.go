package theme

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// joiners make one sign of several code points, and terminals disagree about its cells: the
// joiner, the emoji presentation, the keycap, and what the skin tones begin with.
var joiners = []string{"\u200d", "\ufe0f", "\u20e3", "\xf0\x9f\x8f"}

// Steady writes signs to which a terminal that counts code points would give other
// cells by their first code point, in as many cells as before.
func Steady(line string) string {
	if !slices.ContainsFunc(joiners, func(j string) bool { return strings.Contains(line, j) }) {
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
