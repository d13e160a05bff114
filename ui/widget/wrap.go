package widget

import (
	"slices"
	"strings"

	"darkroom/api"
)

// Lines knows where the lines of a text begin when it is wrapped to a width:
// Latin at blanks, Chinese between characters but for punctuation that belongs to
// its neighbour, a cluster never torn. Only the paragraphs that an edit touches
// are wrapped again.
type Lines struct {
	width   int     // cells a line may take; a blank may stand one cell further
	starts  []int32 // first cluster of each line; never empty
	scratch []int32
}

// Len is how many lines there are.
func (w *Lines) Len() int { return len(w.starts) }

// Start is the first cluster of a line.
func (w *Lines) Start(line int) int { return int(w.starts[line]) }

// Width is how many cells a line may take.
func (w *Lines) Width() int { return w.width }

// Wrap wraps everything.
func (w *Lines) Wrap(cs []Cluster, width int) {
	w.width = max(width, 1)
	w.starts = w.lines(w.starts[:0], cs, 0, len(cs))
}

// Edited wraps what the replacement of clusters[from:oldTo] by clusters[from:newTo]
// touched, and moves the rest.
func (w *Lines) Edited(cs []Cluster, from, oldTo, newTo int) {
	if w.width == 0 || len(w.starts) == 0 {
		return
	}
	first := w.LineOf(from)
	for first > 0 && cs[w.starts[first]-1].Class != ClassBreak {
		first--
	}
	begin := int(w.starts[first])
	end := newTo
	for end < len(cs) && cs[end].Class != ClassBreak {
		end++
	}
	// Old lines that begin behind the touched paragraphs keep their places.
	keep, delta := len(w.starts), newTo-oldTo
	if end < len(cs) {
		for keep = first; keep < len(w.starts) && int(w.starts[keep])+delta <= end; keep++ {
		}
	}
	rest := append(w.scratch[:0], w.starts[keep:]...)
	w.starts = w.lines(w.starts[:first], cs, begin, end)
	for _, s := range rest {
		w.starts = append(w.starts, s+int32(delta))
	}
	w.scratch = rest
}

// lines appends where the lines of clusters[from:to] begin; to is a line feed or
// the end of the text.
func (w *Lines) lines(dst []int32, cs []Cluster, from, to int) []int32 {
	for {
		end := from
		for end < to && cs[end].Class != ClassBreak {
			end++
		}
		dst = w.paragraph(dst, cs, from, end)
		if end >= to {
			return dst
		}
		from = end + 1
	}
}

func (w *Lines) paragraph(dst []int32, cs []Cluster, from, to int) []int32 {
	dst = append(dst, int32(from))
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
			dst = append(dst, int32(brk))
			start, cells, i, brk = brk, 0, brk-1, -1
			continue
		}
		cells += wide
	}
	if cells > w.width {
		dst = append(dst, int32(to))
	}
	return dst
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
