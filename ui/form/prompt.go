package form

import (
	"darkroom/api"
	"darkroom/ui/widget"
)

// Mark says what a 【…】 in the prompt is.
type Mark uint8

// Marks.
const (
	MarkNone  Mark = iota // ordinary text
	MarkToken             // names something that is there
	MarkStray             // names something that is not there
)

// Prompt is a field of many lines over an editor of its own: docs/architecture.md
// has the figures of bubbles' textarea beside it. A key costs little because only
// the paragraph edited is wrapped again and only the visible lines are drawn.
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
	// Add follows when an offered option without a Value is chosen.
	Add func()
	// Complete gives what can stand in the place of the last n characters of the
	// text before the cursor; none when nothing is to be completed.
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
	p := &Prompt{Core: Core{Name: name, Label: label}, Limit: limit, b: buffer{anchor: -1, textOf: -1, history: &history{}}, height: 5, goal: -1}
	p.b.field = p
	p.b.moved = func(from, oldTo, newTo int) { p.wrap.Edited(p.b.clusters, from, oldTo, newTo) }
	p.wrap.Wrap(nil, 40)
	return p
}

// Value is the text.
func (p *Prompt) Value() string { return p.b.String() }

// SetValue replaces the text and forgets what could be undone.
func (p *Prompt) SetValue(s string) {
	if s == p.Value() {
		return
	}
	p.b.reset(s)
	p.goal = -1
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
	p.goal = -1
	p.changed()
}

// ToEnd puts the cursor behind the text.
func (p *Prompt) ToEnd() {
	p.b.move(len(p.b.clusters), false)
	p.follow()
	p.version++
}

// CursorBehind puts the cursor behind the first part of the text.
func (p *Prompt) CursorBehind(part string) {
	p.b.move(len(widget.AppendClusters(nil, part)), false)
	p.follow()
	p.version++
}

// SelectAll selects the text, so that the next key replaces it.
func (p *Prompt) SelectAll() {
	p.b.motion("ctrl+a")
	p.follow()
	p.version++
}

func (p *Prompt) text() bool { return true }

func (p *Prompt) track(h *history) *history {
	if h != nil {
		p.b.history = h
	}
	return p.b.history
}

func (p *Prompt) restored() {
	p.goal = -1
	p.follow()
}

func (p *Prompt) paste(s string) bool {
	p.b.insert(s, editOther)
	p.goal = -1
	p.changed()
	return true
}

// promptEdge is the cells beside a prompt's text: its edge, and one for a blank
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

func (p *Prompt) changed() {
	p.follow()
	p.Edited()
}

// follow scrolls so that the cursor is in view and no line is wasted.
func (p *Prompt) follow() {
	line, total := p.line(), p.wrap.Len()
	p.top = min(p.top, max(total-p.height, 0), line)
	p.top = max(p.top, line-p.height+1)
}
