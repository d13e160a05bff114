package widget

import (
	"slices"
	"strings"

	"darkroom/api"
)

// Lines knows where the lines of a text begin when it is wrapped to a width:
// Latin at blanks, Chinese between characters but for punctuation that belongs to
// its neighbour, a cluster never torn.
type Lines struct {
	width  int     // cells a line may take; a blank may stand one cell further
	starts []int32 // first cluster of each line; never empty
}

// Len is how many lines there are.
func (w *Lines) Len() int { return len(w.starts) }

// Start is the first cluster of a line.
func (w *Lines) Start(line int) int { return int(w.starts[line]) }

// Width is how many cells a line may take.
func (w *Lines) Width() int { return w.width }

// Wrap wraps a text, paragraph by paragraph.
func (w *Lines) Wrap(cs []Cluster, width int) {
	w.width, w.starts = max(width, 1), w.starts[:0]
	from := 0
	for i := range cs {
		if cs[i].Class == ClassBreak {
			w.paragraph(cs, from, i)
			from = i + 1
		}
	}
	w.paragraph(cs, from, len(cs))
}

// paragraph appends where the lines of clusters[from:to] begin; to is a line feed
// or the end of the text.
func (w *Lines) paragraph(cs []Cluster, from, to int) {
	w.starts = append(w.starts, int32(from))
	start, brk, hyphen, cells := from, -1, -1, 0
	for i := from; i < to; i++ {
		c := &cs[i]
		if i > start && mayBreak(cs[i-1].Class, c.Class) {
			brk = i
		}
		if i > start+1 && hyphenated(cs[i-2:i+1]) {
			hyphen = i
		}
		wide := int(c.Cells)
		if cells+wide > w.width {
			if c.Class == ClassBlank && cells <= w.width {
				cells++
				continue
			}
			if i == start { // wider than a whole line
				cells += wide
				continue
			}
			if brk <= start {
				brk = max(hyphen, start)
			}
			if brk <= start {
				brk = i
			}
			w.starts = append(w.starts, int32(brk))
			start, cells, i, brk = brk, 0, brk-1, -1
			continue
		}
		cells += wide
	}
	if cells > w.width {
		w.starts = append(w.starts, int32(to))
	}
}

// mayBreak reports whether a line may end between two clusters.
func mayBreak(a, b Class) bool {
	switch {
	case a == ClassBlank:
		return true
	case b == ClassBlank, b == ClassCloser, a == ClassOpener:
		return false
	case b == ClassOpener, a == ClassWide, b == ClassWide, a == ClassCloser && b != ClassWord && b != ClassMark && b != ClassHyphen:
		return true
	}
	return false
}

// hyphenated reports whether three clusters are a hyphen inside a word, behind
// which a word breaks that is longer than a line.
func hyphenated(cs []Cluster) bool {
	return cs[0].Class == ClassWord && cs[1].Class == ClassHyphen && cs[2].Class == ClassWord
}

// LineOf is the line that cluster i stands on.
func (w *Lines) LineOf(i int) int {
	behind, _ := slices.BinarySearch(w.starts, int32(i+1))
	return max(behind-1, 0)
}

// Span is the range of clusters of a line; a line feed at its end is left out.
func (w *Lines) Span(cs []Cluster, line int) (from, to int) {
	from, to = int(w.starts[line]), len(cs)
	if line+1 < len(w.starts) {
		to = int(w.starts[line+1])
		if to > from && cs[to-1].Class == ClassBreak {
			to--
		}
	}
	return from, to
}

// Soft reports whether the line ends because it is full.
func (w *Lines) Soft(cs []Cluster, line int) bool {
	return line+1 < len(w.starts) && w.starts[line+1] > 0 && cs[w.starts[line+1]-1].Class != ClassBreak
}

// Wrap breaks plain text into lines of at most width cells.
func Wrap(text string, width int) []string {
	cs := AppendClusters(nil, api.CleanInput(text, true))
	var w Lines
	w.Wrap(cs, width)
	out := make([]string, w.Len())
	for i := range out {
		from, to := w.Span(cs, i)
		out[i] = strings.TrimRight(JoinClusters(cs[from:to]), " ")
	}
	return out
}
