package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/widget"
)

func (p *Prompt) key(k tea.KeyPressMsg) bool {
	key := k.String()
	before := p.b.version
	used := p.vertical(key)
	if !used {
		p.goal = -1
		used = p.b.motion(key)
	}
	if !used && (key == "enter" || key == "shift+enter" || key == "alt+enter" || key == "ctrl+j") {
		p.b.insert("\n", editType)
		used = true
	}
	if !used {
		used = p.b.change(k, key, p.unit)
	}
	if used {
		p.follow()
		p.version++
	}
	if p.b.version != before {
		p.edits++
	}
	return used
}

// vertical takes keys that move by visible lines. At the first and last line
// they are handed back when there is nowhere left to go.
func (p *Prompt) vertical(key string) bool {
	extend := strings.HasPrefix(key, "shift+")
	line := p.line()
	switch strings.TrimPrefix(key, "shift+") {
	case "up", "ctrl+p":
		if line == 0 {
			if p.b.at == 0 && !extend {
				return false
			}
			p.b.move(0, extend)
			return true
		}
		p.jump(line-1, extend)
	case "down", "ctrl+n":
		if line == p.wrap.Len()-1 {
			if p.b.at == len(p.b.clusters) && !extend {
				return false
			}
			p.b.move(len(p.b.clusters), extend)
			return true
		}
		p.jump(line+1, extend)
	case "pgup":
		p.jump(max(line-p.height+1, 0), extend)
	case "pgdown":
		p.jump(min(line+p.height-1, p.wrap.Len()-1), extend)
	case "home":
		from, _ := p.wrap.Span(p.b.clusters, line)
		p.b.move(from, extend)
		p.goal = -1
	case "end":
		p.place(line, 1<<20, extend)
		p.goal = -1
	default:
		return false
	}
	return true
}

// line is the visible line the cursor shows on.
func (p *Prompt) line() int {
	l := p.wrap.LineOf(p.b.at)
	if p.b.tail && l > 0 && p.wrap.Start(l) == p.b.at {
		l--
	}
	return l
}

// column is the cell of its line the cursor shows in.
func (p *Prompt) column() int {
	return widget.Cells(p.b.clusters[p.wrap.Start(p.line()):p.b.at])
}

// jump moves to a line, as near to the goal's column as can be.
func (p *Prompt) jump(line int, extend bool) {
	if p.goal < 0 {
		p.goal = p.column()
	}
	p.place(line, p.goal, extend)
}

func (p *Prompt) place(line, x int, extend bool) {
	from, to := p.wrap.Span(p.b.clusters, line)
	soft := p.wrap.Soft(p.b.clusters, line)
	if soft && to > from && p.b.clusters[to-1].Class == widget.ClassBlank {
		to, soft = to-1, false // before the blank that the line ends with
	}
	i, cells := from, 0
	for i < to && cells+int(p.b.clusters[i].Cells) <= x {
		cells += int(p.b.clusters[i].Cells)
		i++
	}
	p.b.move(i, extend)
	p.b.tail = soft && i == to && i > from
}

func (p *Prompt) click(at pointer) {
	p.goal = -1
	p.place(min(max(p.top+at.y, 0), p.wrap.Len()-1), at.x-2, false)
	p.follow()
	p.version++
}

// wheel scrolls by lines and leaves the cursor where it is in view.
func (p *Prompt) wheel(by int) bool {
	was := p.top
	p.top = min(max(p.top+by, 0), max(p.wrap.Len()-p.height, 0))
	if p.top == was {
		return false
	}
	if l := p.line(); l < p.top {
		p.jump(p.top, false)
	} else if l >= p.top+p.height {
		p.jump(p.top+p.height-1, false)
	}
	p.version++
	return true
}
