package form

import (
	"fmt"
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

func (p *Prompt) heading(l *Look, width int, focus bool) string {
	if p.Limit == 0 {
		return l.Theme.Faint.Paint(theme.Cut(p.Note, width))
	}
	style := l.Theme.Muted
	if p.b.runes > p.Limit {
		style = l.Theme.Bad
	}
	return style.Paint(grouped(p.b.runes) + " / " + grouped(p.Limit))
}

// grouped writes a number with commas.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (p *Prompt) draw(l *Look, width int, focus bool) drawing {
	line, total := p.line(), p.wrap.Len()
	d := drawing{x: 2 + p.column(), y: line - p.top, cursor: focus, lines: make([]string, p.height)}
	var b strings.Builder
	gaps := p.gapsInView()
	for i := range d.lines {
		b.Reset()
		p.bar(&b, l, i, total, focus)
		if p.top+i < total {
			p.drawLine(&b, l, p.top+i, gaps)
		}
		if i == 0 && len(p.b.clusters) == 0 {
			l.Theme.Faint.Write(&b, theme.Cut(p.Empty, width-promptEdge))
		}
		d.lines[i] = b.String()
	}
	return d
}

// bar is the field's left edge; it shows which part of a long text is in view.
func (p *Prompt) bar(b *strings.Builder, l *Look, row, total int, focus bool) {
	style := l.Theme.Border
	if focus {
		style = l.Theme.Focus
	}
	bar := "┃ "
	if total > p.height {
		size := max(p.height*p.height/total, 1)
		from := p.top * (p.height - size) / (total - p.height)
		if row < from || row >= from+size {
			style, bar = l.Theme.Border, "│ "
		}
	} else if !focus {
		bar = "│ "
	}
	style.Write(b, bar)
}

// gapsInView are the placeholders in the lines in view, those that begin or end
// out of it included.
func (p *Prompt) gapsInView() [][2]int {
	const longest = 64 // characters
	total := p.wrap.Len()
	if total == 0 || p.height == 0 {
		return nil
	}
	from, _ := p.wrap.Span(p.b.clusters, min(p.top, total-1))
	_, to := p.wrap.Span(p.b.clusters, min(p.top+p.height, total)-1)
	return p.gaps(max(from-longest, 0), min(to+longest, len(p.b.clusters)))
}

// markAt is what stands at a cluster, and where it ends: a token, or a placeholder
// that is to be filled in.
func (p *Prompt) markAt(i int, gaps [][2]int) (to int, m Mark) {
	if _, to, m = p.token(i); m != MarkNone {
		return to, m
	}
	for _, g := range gaps {
		if i >= g[0] && i < g[1] {
			return g[1], MarkToken
		}
	}
	return i, MarkNone
}

func (p *Prompt) drawLine(b *strings.Builder, l *Look, line int, gaps [][2]int) {
	gs := p.b.clusters
	from, to := p.wrap.Span(gs, line)
	selFrom, selTo := p.b.selection()
	begins := func(i int) bool { return gs[i].Text == "【" || gs[i].Text == "{" && len(gaps) > 0 }
	markTo, mark := 0, MarkNone
	for i := from; i < to; {
		if i >= markTo {
			mark = MarkNone
			if i == from || begins(i) {
				markTo, mark = p.markAt(i, gaps)
			}
		}
		end := i + 1
		selected := i >= selFrom && i < selTo
		for end < to && (end >= selFrom && end < selTo) == selected {
			if mark != MarkNone && end >= markTo || mark == MarkNone && begins(end) || gs[end].Text == "【" {
				break
			}
			end++
		}
		p.style(l, mark, selected).Write(b, widget.JoinClusters(gs[i:end]))
		i = end
	}
}

func (p *Prompt) style(l *Look, m Mark, selected bool) theme.Style {
	switch {
	case selected:
		return l.Theme.Selected.Strong
	case m == MarkToken:
		return l.Theme.Token
	case m == MarkStray:
		return l.Theme.Bad
	}
	return l.Theme.Text
}
