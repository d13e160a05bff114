package theme

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// joiners are what makes one sign out of several code points, of which
// terminals disagree how many cells it takes: the joiner, the emoji
// presentation, the keycap, and the skin tones.
var joiners = [...]string{"\u200d", "\ufe0f", "\u20e3", "\U0001F3FB", "\U0001F3FC", "\U0001F3FD", "\U0001F3FE", "\U0001F3FF"}

func joins(s string) bool {
	for _, j := range joiners {
		if strings.Contains(s, j) {
			return true
		}
	}
	return false
}

// Steady writes signs that a terminal which counts code points would give other
// cells than we do by their first code point, in as many cells as before. It is
// for whole frames on such terminals: nothing moves, and no frame breaks.
func Steady(frame string) string {
	if !joins(frame) {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	for line := range strings.Lines(frame) {
		if joins(line) {
			steadyLine(&b, line)
		} else {
			b.WriteString(line)
		}
	}
	return b.String()
}

func steadyLine(b *strings.Builder, line string) {
	for i := 0; i < len(line); {
		if line[i] < utf8.RuneSelf && (i+1 == len(line) || line[i+1] < utf8.RuneSelf) {
			b.WriteByte(line[i])
			i++
			continue
		}
		cluster, cells := ansi.FirstGraphemeCluster(line[i:], ansi.GraphemeWidth)
		if cluster == "" {
			b.WriteByte(line[i])
			i++
			continue
		}
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
}
