package form

// wrapped knows where the lines of a text begin when it is wrapped to a width.
// Only the paragraphs that an edit touches are wrapped again.
type wrapped struct {
	width  int     // cells a line may take; a blank may hang one cell further
	starts []int32 // first glyph of each line; never empty
	spare  []int32
}

// all wraps everything.
func (w *wrapped) all(gs []glyph, width int) {
	w.width = max(width, 8)
	w.starts = w.lines(w.starts[:0], gs, 0, len(gs))
}

// edited wraps what the replacement of glyphs[from:oldTo] by glyphs[from:newTo]
// touched, and moves the rest.
func (w *wrapped) edited(gs []glyph, from, oldTo, newTo int) {
	if w.width == 0 || len(w.starts) == 0 {
		return
	}
	first := w.lineOf(from)
	for first > 0 && gs[w.starts[first]-1].sort != sortBreak {
		first--
	}
	begin := int(w.starts[first])
	end := newTo
	for end < len(gs) && gs[end].sort != sortBreak {
		end++
	}
	// Old lines that begin behind the touched paragraphs keep their places.
	keep, delta := len(w.starts), newTo-oldTo
	if end < len(gs) {
		for keep = first; keep < len(w.starts) && int(w.starts[keep])+delta <= end; keep++ {
		}
	}
	rest := append(w.spare[:0], w.starts[keep:]...)
	w.starts = w.lines(w.starts[:first], gs, begin, end)
	for _, s := range rest {
		w.starts = append(w.starts, s+int32(delta))
	}
	w.spare = rest
}

// lines appends where the lines of glyphs[from:to] begin; to is a line feed or
// the end of the text.
func (w *wrapped) lines(dst []int32, gs []glyph, from, to int) []int32 {
	for {
		end := from
		for end < to && gs[end].sort != sortBreak {
			end++
		}
		dst = w.paragraph(dst, gs, from, end)
		if end >= to {
			return dst
		}
		from = end + 1
	}
}

func (w *wrapped) paragraph(dst []int32, gs []glyph, from, to int) []int32 {
	dst = append(dst, int32(from))
	start, brk, cells := from, -1, 0
	for i := from; i < to; i++ {
		g := &gs[i]
		if i > start && mayBreak(gs[i-1].sort, g.sort) {
			brk = i
		}
		c := int(g.cells)
		if cells+c > w.width {
			if g.sort == sortBlank && cells <= w.width {
				cells++
				continue
			}
			if brk <= start {
				brk = i
			}
			dst = append(dst, int32(brk))
			start, cells, i, brk = brk, 0, brk-1, -1
			continue
		}
		cells += c
	}
	if cells > w.width {
		dst = append(dst, int32(to))
	}
	return dst
}

// mayBreak reports whether a line may end between two glyphs.
func mayBreak(a, b sort) bool {
	switch {
	case a == sortBlank:
		return true
	case b == sortBlank, b == sortCloser, a == sortOpener:
		return false
	case b == sortOpener, a == sortWide, b == sortWide, a == sortCloser && b != sortWord && b != sortMark:
		return true
	}
	return false
}

// lineOf is the line that glyph i stands on.
func (w *wrapped) lineOf(i int) int {
	lo, hi := 0, len(w.starts)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if int(w.starts[mid]) <= i {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// span is the range of glyphs of a line; a line feed at its end is left out.
func (w *wrapped) span(gs []glyph, line int) (from, to int) {
	from, to = int(w.starts[line]), len(gs)
	if line+1 < len(w.starts) {
		to = int(w.starts[line+1])
		if to > from && gs[to-1].sort == sortBreak {
			to--
		}
	}
	return from, to
}

// soft reports whether the line ends because it is full.
func (w *wrapped) soft(gs []glyph, line int) bool {
	return line+1 < len(w.starts) && w.starts[line+1] > 0 && gs[w.starts[line+1]-1].sort != sortBreak
}

// cellsOf adds up widths.
func cellsOf(gs []glyph) int {
	n := 0
	for i := range gs {
		n += int(gs[i].cells)
	}
	return n
}
