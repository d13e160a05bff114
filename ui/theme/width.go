package theme

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that s takes, sequences not counted. Between styles text is
// mostly ASCII, whose bytes are counted: looking for clusters takes ten times as long.
func Width(s string) (cells int) {
	for i, end := 0, 0; i < len(s); i = end {
		if s[i] == ansi.ESC {
			if end = i + styleLen(s[i:]); end == i {
				return ansi.StringWidth(s)
			}
			continue
		}
		ascii := true
		for end = i; end < len(s) && s[end] != ansi.ESC; end++ {
			ascii = ascii && s[end] >= ' ' && s[end] <= '~'
		}
		switch {
		case ascii:
			cells += end - i
		case !utf8.ValidString(s[i:end]):
			return ansi.StringWidth(s)
		default:
			cells += ansi.StringWidth(s[i:end])
		}
	}
	return cells
}

// styleLen is the length of the sequence for a style with which s begins, or 0.
func styleLen(s string) int {
	end := len("\x1b[")
	for end < len(s) && s[end] >= '0' && s[end] <= ';' {
		end++
	}
	if strings.HasPrefix(s, "\x1b[") && end < len(s) && s[end] == 'm' {
		return end + 1
	}
	return 0
}

// Cut cuts plain or painted s to w cells; … marks the cut.
func Cut(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case Width(s) <= w:
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// CutLeft keeps the end of s, such as a path, in w cells; … marks the cut.
func CutLeft(s string, w int) string {
	n := Width(s)
	switch {
	case n <= w:
		return s
	case w <= 0:
		return ""
	}
	s = ansi.TruncateLeft(s, n-w+1, "…")
	// A wide character at the cut can leave one cell too many.
	return ansi.Truncate(s, w, "")
}

// Fit cuts s to w cells and fills it up with blanks to exactly w.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	s = Cut(s, w)
	return s + Blank(w-Width(s))
}

func Blank(n int) string { return strings.Repeat(" ", max(n, 0)) }

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
