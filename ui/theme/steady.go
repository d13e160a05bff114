package theme

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// joiners make one sign of several code points, and terminals disagree about the
// cells that it takes: the joiner, the emoji
// presentation and the keycap. Skin tones do so as well.
var joiners = [...]string{"\u200d", "\ufe0f", "\u20e3"}

// skinTones is the beginning of the five skin tones; their last bytes are 0xbb to
// 0xbf.
const skinTones = "\xf0\x9f\x8f"

// joins reports whether s holds one of them. It looks for the byte that is
// rarest in frames: pictures are full of signs that begin as the joiners do.
func joins(s string) bool {
	for _, j := range joiners {
		last := len(j) - 1
		for rest := s; ; {
			i := strings.IndexByte(rest, j[last])
			if i < 0 {
				break
			}
			if strings.HasSuffix(rest[:i+1], j) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	for rest := s; ; {
		i := strings.Index(rest, skinTones)
		if i < 0 || i+len(skinTones) >= len(rest) {
			return false
		}
		if last := rest[i+len(skinTones)]; last >= 0xbb && last <= 0xbf {
			return true
		}
		rest = rest[i+len(skinTones):]
	}
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
