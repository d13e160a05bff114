package form

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Mark classifies a 【…】 in the prompt.
type Mark uint8

// Marks.
const (
	MarkNone    Mark = iota // ordinary text
	MarkToken               // names something that is there
	MarkUnknown             // names something that is not there
)

// Prompt is a field of many lines over an editor of its own: docs/architecture.md
// compares it with bubbles' textarea. A key costs little because only
// the visible lines are drawn.
type Prompt struct {
	Core
	// Limit is how many characters are welcome; more are kept all the same.
	// Without one they are not counted.
	Limit int
	// Marks tells tokens from text; nil means that there are none.
	Marks func(token string) Mark
	// Offer gives what @ can insert; the option's Value is the token.
	Offer func() []Option
	// Add follows when an offered option without a Value is chosen.
	Add func()
	// Complete gives the texts that can replace the last n characters before the
	// cursor; none if there is nothing to complete.
	Complete func(before string) (n int, options []Option)
	// Empty is shown, dimmed, while there is no text.
	Empty string

	b      buffer
	wrap   widget.Lines
	height int
	top    int // first visible line
	goal   int // column that up and down aim at; -1: where the cursor is
}

// NewPrompt makes an empty prompt.
func NewPrompt(name, label string, limit int) *Prompt {
	p := &Prompt{Core: Core{Name: name, Label: label, history: &history{}}, Limit: limit, height: 5, goal: -1}
	p.b = buffer{anchor: -1, textOf: -1, field: p, wrap: &p.wrap}
	p.wrap.Wrap(nil, 40)
	return p
}

// Value is the text.
func (p *Prompt) Value() string { return p.b.String() }

// SetValue replaces the text and forgets the history.
func (p *Prompt) SetValue(s string) {
	if s == p.Value() {
		return
	}
	p.b.reset(s)
	p.changed()
}

// Replace puts s in the place of the whole text; it can be undone.
func (p *Prompt) Replace(s string) {
	if s = api.CleanInput(s, true); s == p.Value() {
		return
	}
	at := p.b.at
	p.b.replace(0, len(p.b.clusters), s, editOther)
	p.b.move(min(at, len(p.b.clusters)), false)
	p.changed()
}

// Insert writes s at the cursor.
func (p *Prompt) Insert(s string) {
	p.b.insert(s, editOther)
	p.changed()
}

// ToEnd puts the cursor behind the text.
func (p *Prompt) ToEnd() { p.CursorBehind(p.Value()) }

// CursorBehind puts the cursor behind the first part of the text.
func (p *Prompt) CursorBehind(part string) {
	p.b.move(len(widget.AppendClusters(nil, part)), false)
	p.moved()
}

// SelectAll selects the text, so that the next key replaces it.
func (p *Prompt) SelectAll() {
	p.b.motion("ctrl+a")
	p.moved()
}

func (p *Prompt) text() bool { return true }

func (p *Prompt) paste(s string) bool {
	p.Insert(s)
	return true
}

// promptEdge is the cells next to a prompt's text: its edge, and one for a blank
// or the cursor at the end of a full line.
const promptEdge = 3

func (p *Prompt) resize(width, height int) {
	if width = max(width-promptEdge, 8); width != p.wrap.Width() {
		p.wrap.Wrap(p.b.clusters, width)
		p.goal = -1
		p.version++
	}
	if height = max(height, 2); height != p.height {
		p.height = height
		p.version++
	}
	p.follow()
}

// changed follows when the text changed, moved when the cursor did.
func (p *Prompt) changed() {
	p.moved()
	p.edits++
}

func (p *Prompt) moved() {
	p.goal = -1
	p.follow()
	p.version++
}

// follow scrolls so that the cursor is in view and no line is wasted.
func (p *Prompt) follow() {
	line, total := p.line(), p.wrap.Len()
	p.top = min(p.top, max(total-p.height, 0), line)
	p.top = max(p.top, line-p.height+1)
}

func (p *Prompt) heading(l *Look, width int) string {
	text, style := p.Note, l.Theme.Faint
	if p.Limit > 0 {
		text, style = grouped(p.b.runes)+" / "+grouped(p.Limit), l.Theme.Muted
	}
	if p.Limit > 0 && p.b.runes > p.Limit {
		style = l.Theme.Bad
	}
	text = theme.Cut(text, width)
	return theme.Blank(width-theme.Width(text)) + style.Paint(text)
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
	marks := p.marksInView()
	for i := range d.lines {
		b.Reset()
		p.bar(&b, l, i, total, focus)
		if p.top+i < total {
			p.drawLine(&b, l, p.top+i, marks)
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

// marksInView returns the tokens and placeholders in the lines in view, also ones
// that begin or end out of view.
func (p *Prompt) marksInView() []marked {
	total := p.wrap.Len()
	if total == 0 || p.height == 0 {
		return nil
	}
	const longest = maxPlaceholder + len("{{}}")
	from, _ := p.wrap.Span(p.b.clusters, min(p.top, total-1))
	_, to := p.wrap.Span(p.b.clusters, min(p.top+p.height, total)-1)
	return p.marks(max(from-longest, 0), min(to+longest, len(p.b.clusters)))
}

func (p *Prompt) drawLine(b *strings.Builder, l *Look, line int, marks []marked) {
	from, to := p.wrap.Span(p.b.clusters, line)
	selFrom, selTo := p.b.selection()
	for from < to {
		end, mark := to, MarkNone
		for _, m := range marks {
			if from < m.from {
				end = min(end, m.from)
				break
			}
			if from < m.to {
				end, mark = min(end, m.to), m.mark
				break
			}
		}
		selected := from >= selFrom && from < selTo
		if selected {
			end = min(end, selTo)
		} else if from < selFrom {
			end = min(end, selFrom)
		}
		p.style(l, mark, selected).Write(b, widget.JoinClusters(p.b.clusters[from:end]))
		from = end
	}
}

func (p *Prompt) style(l *Look, m Mark, selected bool) theme.Style {
	switch {
	case selected:
		return l.Theme.Selected.Strong
	case m == MarkToken:
		return l.Theme.Token
	case m == MarkUnknown:
		return l.Theme.Bad
	}
	return l.Theme.Text
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
// they are handed back if there is no line left.
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
	p.place(min(max(p.top+at.y, 0), p.wrap.Len()-1), at.x-2, false)
	p.moved()
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
