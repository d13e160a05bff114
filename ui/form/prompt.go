package form

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// Mark says what a 【…】 in the prompt is.
type Mark uint8

// Marks.
const (
	MarkNone  Mark = iota // ordinary text
	MarkToken             // names something that is there
	MarkStray             // names something that is not there
)

// Prompt is a field of many lines. One key in a text of 5,000 characters costs
// far less than a millisecond: only the paragraph edited is wrapped again, only
// the visible lines are drawn.
type Prompt struct {
	Core
	// Limit is how many characters are welcome; more are kept all the same.
	// Without one they are not counted.
	Limit int
	// Lines is how many lines it takes; 0 is a share of the form.
	Lines int
	// Marks tells tokens from text; nil means that there are none.
	Marks func(token string) Mark
	// Offer gives what @ can insert; the option's Value is the token.
	Offer func() []Option
	// Empty is shown, dimmed, while there is no text.
	Empty string

	b      buffer
	wrap   wrapped
	height int
	top    int // first visible line
	goal   int // column that up and down aim at; -1: where the cursor is
}

// NewPrompt makes an empty prompt.
func NewPrompt(name, label string, limit int) *Prompt {
	p := &Prompt{Core: Core{Name: name, Label: label}, Limit: limit, b: newBuffer(true), height: 5, goal: -1}
	p.b.moved = func(from, oldTo, newTo int) { p.wrap.edited(p.b.glyphs, from, oldTo, newTo) }
	p.wrap.all(nil, 40)
	return p
}

// Value is the text.
func (p *Prompt) Value() string { return p.b.String() }

// Count is the number of characters (runes), as the limit counts them.
func (p *Prompt) Count() int { return p.b.runes }

// SetValue replaces the text and forgets what could be undone.
func (p *Prompt) SetValue(s string) {
	if s == p.Value() {
		return
	}
	p.b.reset(s)
	p.goal = -1
	p.edited()
}

// Replace puts s in the place of the whole text; it can be undone.
func (p *Prompt) Replace(s string) {
	if s = tidy(s, true); s == p.Value() {
		return
	}
	at := p.b.at
	p.b.replace(0, len(p.b.glyphs), s, deedNone)
	p.b.move(min(at, len(p.b.glyphs)), false)
	p.edited()
}

// Insert writes s at the cursor.
func (p *Prompt) Insert(s string) {
	p.b.insert(s, deedNone)
	p.goal = -1
	p.edited()
}

// SelectAll selects the text, so that the next key replaces it.
func (p *Prompt) SelectAll() {
	p.b.motion("ctrl+a")
	p.version++
}

func (p *Prompt) text() bool { return true }

func (p *Prompt) paste(s string) bool {
	p.b.insert(s, deedNone)
	p.goal = -1
	p.edited()
	return true
}

func (p *Prompt) fit(lines int) {
	if lines = max(lines, 2); lines != p.height {
		p.height = lines
		p.version++
	}
}

func (p *Prompt) key(k tea.KeyPressMsg) bool {
	key := k.String()
	before := p.b.version
	used := p.vertical(key)
	if !used {
		p.goal = -1
		used = p.b.motion(key)
	}
	if !used && (key == "enter" || key == "shift+enter" || key == "alt+enter" || key == "ctrl+j") {
		p.b.insert("\n", deedType)
		used = true
	}
	if !used {
		used = p.b.change(k, key, p.unit)
	}
	if used {
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
		if line == len(p.wrap.starts)-1 {
			if p.b.at == len(p.b.glyphs) && !extend {
				return false
			}
			p.b.move(len(p.b.glyphs), extend)
			return true
		}
		p.jump(line+1, extend)
	case "pgup":
		p.jump(max(line-p.height+1, 0), extend)
	case "pgdown":
		p.jump(min(line+p.height-1, len(p.wrap.starts)-1), extend)
	case "home":
		from, _ := p.wrap.span(p.b.glyphs, line)
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
	l := p.wrap.lineOf(p.b.at)
	if p.b.tail && l > 0 && int(p.wrap.starts[l]) == p.b.at {
		l--
	}
	return l
}

// column is the cell of its line the cursor shows in.
func (p *Prompt) column() int {
	return cellsOf(p.b.glyphs[p.wrap.starts[p.line()]:p.b.at])
}

// jump moves to a line, as near to the goal's column as can be.
func (p *Prompt) jump(line int, extend bool) {
	if p.goal < 0 {
		p.goal = p.column()
	}
	p.place(line, p.goal, extend)
}

func (p *Prompt) place(line, x int, extend bool) {
	from, to := p.wrap.span(p.b.glyphs, line)
	soft := p.wrap.soft(p.b.glyphs, line)
	if soft && to > from && p.b.glyphs[to-1].sort == sortBlank {
		to, soft = to-1, false // before the blank that the line ends with
	}
	i, cells := from, 0
	for i < to && cells+int(p.b.glyphs[i].cells) <= x {
		cells += int(p.b.glyphs[i].cells)
		i++
	}
	p.b.move(i, extend)
	p.b.tail = soft && i == to && i > from
}

func (p *Prompt) click(x, y int) {
	p.goal = -1
	p.place(min(max(p.top+y, 0), len(p.wrap.starts)-1), x-2, false)
	p.version++
}

// Wheel scrolls by lines and leaves the cursor where it is in view.
func (p *Prompt) wheel(by int) bool {
	was := p.top
	p.top = min(max(p.top+by, 0), max(len(p.wrap.starts)-p.height, 0))
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

// maxToken is how many characters a token may have, brackets included.
const maxToken = 16

// token finds the token that covers glyph i; to is behind it.
func (p *Prompt) token(i int) (from, to int, m Mark) {
	if p.Marks == nil {
		return i, i, MarkNone
	}
	gs := p.b.glyphs
	for from = i; from >= 0 && i-from < maxToken; from-- {
		if gs[from].text == "【" {
			break
		}
		if from < i && gs[from].text == "】" {
			return i, i, MarkNone
		}
	}
	if from < 0 || gs[from].text != "【" {
		return i, i, MarkNone
	}
	for to = from + 1; to < len(gs) && to-from < maxToken; to++ {
		if gs[to].text == "】" {
			if to < i {
				return i, i, MarkNone
			}
			return from, to + 1, p.Marks(join(gs[from : to+1]))
		}
	}
	return i, i, MarkNone
}

// unit is where the thing begins that one backspace takes before glyph i: a
// token goes as a whole.
func (p *Prompt) unit(i int) int {
	if p.b.glyphs[i-1].text == "】" {
		if from, to, m := p.token(i - 1); m != MarkNone && to == i {
			return from
		}
	}
	return i - 1
}

func (p *Prompt) heading(l *Look, width int, focus bool) string {
	if p.Limit == 0 {
		return l.Theme.Faint.Paint(theme.Cut(p.Note, width))
	}
	ink := l.Theme.Muted
	if p.b.runes > p.Limit {
		ink = l.Theme.Bad
	}
	return ink.Paint(grouped(p.b.runes) + " / " + grouped(p.Limit))
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
	if w := width - 3; w != p.wrap.width {
		p.wrap.all(p.b.glyphs, w)
		p.goal = -1
	}
	line, total := p.line(), len(p.wrap.starts)
	p.top = min(p.top, max(total-p.height, 0), line)
	p.top = max(p.top, line-p.height+1)
	d := drawing{x: 2 + p.column(), y: line - p.top, cursor: focus, lines: make([]string, p.height)}
	var b strings.Builder
	for i := range d.lines {
		b.Reset()
		p.bar(&b, l, i, total, focus)
		if p.top+i < total {
			p.drawLine(&b, l, p.top+i)
		}
		if i == 0 && len(p.b.glyphs) == 0 {
			l.Theme.Faint.Write(&b, theme.Cut(p.Empty, width-3))
		}
		d.lines[i] = b.String()
	}
	return d
}

// bar is the field's left edge; it shows which part of a long text is in view.
func (p *Prompt) bar(b *strings.Builder, l *Look, row, total int, focus bool) {
	ink := l.Theme.Border
	if focus {
		ink = l.Theme.Focus
	}
	bar := "┃ "
	if total > p.height {
		size := max(p.height*p.height/total, 1)
		from := p.top * (p.height - size) / (total - p.height)
		if row < from || row >= from+size {
			ink, bar = l.Theme.Border, "│ "
		}
	} else if !focus {
		bar = "│ "
	}
	ink.Write(b, bar)
}

func (p *Prompt) drawLine(b *strings.Builder, l *Look, line int) {
	gs := p.b.glyphs
	from, to := p.wrap.span(gs, line)
	selFrom, selTo := p.b.selection()
	tokTo, mark := 0, MarkNone
	if from < to {
		_, tokTo, mark = p.token(from)
	}
	for i := from; i < to; {
		if i >= tokTo {
			mark = MarkNone
			if gs[i].text == "【" {
				_, tokTo, mark = p.token(i)
			}
		}
		end := i + 1
		selected := i >= selFrom && i < selTo
		for end < to && (end >= selFrom && end < selTo) == selected {
			if mark != MarkNone && end >= tokTo || gs[end].text == "【" {
				break
			}
			end++
		}
		p.ink(l, mark, selected).Write(b, join(gs[i:end]))
		i = end
	}
}

func (p *Prompt) ink(l *Look, m Mark, selected bool) theme.Ink {
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
