package form

import (
	"slices"
	"strings"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Mark is how a part of the prompt is shown.
type Mark uint8

const (
	MarkNone    Mark = iota // ordinary text
	MarkToken               // names something that is there, or alternatives
	MarkUnknown             // names something that is not there
)

// Prompt is a field of many lines over an editor of its own: docs/architecture.md
// compares it with bubbles' textarea. It is edited by clusters, so a cursor never
// stands inside a character. Only the visible lines are drawn.
type Prompt struct {
	Core
	// Limit is how many characters are welcome; more are kept all the same.
	// Without one they are not counted.
	Limit int
	// Marks tells tokens and alternatives in braces from text; nil means that there are none.
	Marks func(token string) Mark
	// Offer gives what @ can insert; the option's Value is the token.
	Offer func() []Option
	// Add follows when an offered option without a Value is chosen.
	Add func()
	// Complete is handed at most 100 characters before the cursor. It gives what is begun
	// there, and the texts that can replace it; none if there is nothing to complete.
	Complete func(before string) (begun string, options []Option)
	Empty    string

	clusters []widget.Cluster
	at       int                        // the cursor stands before clusters[at]
	anchor   int                        // other end of the selection; the cursor where nothing is selected
	tail     bool                       // at a soft line end the cursor shows after the line, not before the next
	run      editKind                   // of the last edit: edits of one run are undone together
	value    widget.Memo[int64, string] // Value, made when asked for, by the count of edits

	wrap   widget.Lines
	height int
	top    int // first visible line
	goal   int // column that up and down aim at; -1: where the cursor is
}

func NewPrompt(name, label string, limit int) *Prompt {
	p := &Prompt{Core: Core{Name: name, Label: label, history: &history{}}, Limit: limit, height: 5, goal: -1}
	p.wrap.Wrap(nil, 40)
	return p
}

func (p *Prompt) Value() string {
	return p.value.Get(p.edits, func() string { return widget.JoinClusters(p.clusters) })
}

// SetValue replaces the text and forgets the history.
func (p *Prompt) SetValue(s string) {
	if s != p.Value() {
		*p.history = history{}
		s = api.CleanInput(s, true)
		p.put(s, len(s))
	}
}

// Replace puts another text in the place of all; undo brings the old one back.
func (p *Prompt) Replace(s string) {
	if s = api.CleanInput(s, true); s != p.Value() {
		p.history.edit(p, false)
		p.put(s, p.at)
	}
}

// Exchange puts a text in the place of a part, which is at an offset in bytes. The cursor
// stays where it is in the text.
func (p *Prompt) Exchange(at int, part, text string) {
	all, before := p.Value(), widget.JoinClusters(p.clusters[:p.at])
	if end := at + len(part); len(before) >= end {
		before = all[:at] + text + before[end:]
	}
	p.Replace(all[:at] + text + all[at+len(part):])
	p.CursorBehind(before)
}

func (p *Prompt) ToEnd() { p.CursorBehind(p.Value()) }

// CursorBehind puts the cursor behind the first part of the text.
func (p *Prompt) CursorBehind(part string) {
	p.move(len(widget.AppendClusters(nil, part)), false)
	p.moved()
}

// SelectAll selects the text, so that the next key replaces it.
func (p *Prompt) SelectAll() {
	p.move(0, false)
	p.move(len(p.clusters), true)
	p.moved()
}

func (p *Prompt) paste(s string) { p.insert(s, editOther) }

// promptEdge is its edge, and a cell for a blank or the cursor behind a full line.
const promptEdge = 3

func (p *Prompt) resize(width, height int) {
	if width = max(width-promptEdge, 8); width != p.wrap.Width() {
		p.wrap.Wrap(p.clusters, width)
		p.version++
	}
	if height = max(height, 2); height != p.height {
		p.height = height
		p.version++
	}
	p.follow()
}

// moved follows when the cursor moved by something else than up and down.
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

// counter is the last line of the well: how long the text is.
func (p *Prompt) counter(look *theme.Theme, width int) string {
	runes := utf8.RuneCountInString(p.Value())
	style := look.Bad.If(runes > p.Limit, look.Muted)
	text := (api.Credits(runes) * api.Credit).String() + " / " + (api.Credits(p.Limit) * api.Credit).String()
	if p.Limit == 0 {
		text, style = p.Note, look.Faint
	}
	text = theme.Cut(text, width-1) + " "
	return theme.Blank(width-theme.Width(text)) + style.Paint(text)
}

func (p *Prompt) draw(look *theme.Theme, width int, focus bool) drawing {
	line, total := p.line(), p.wrap.Len()
	d := drawing{x: 2 + p.column(), y: line - p.top, cursor: focus, lines: make([]string, p.height+1)}
	// The marks in view, also those that begin or end out of view.
	const longest = maxPlaceholder + len("{{}}")
	_, end, _ := p.wrap.Span(p.clusters, min(p.top+p.height, total)-1)
	marks := p.marks(max(p.wrap.Start(min(p.top, total-1))-longest, 0), min(end+longest, len(p.clusters)))
	for i := range d.lines {
		text := p.bar(look, i, total, focus)
		switch {
		case i == p.height:
			text += p.counter(look, width-2)
		case len(p.clusters) == 0:
			if words := widget.Wrap(p.Empty, width-promptEdge); i < len(words) {
				text += look.Faint.Paint(words[i])
			}
		case p.top+i < total:
			text += p.drawLine(look, p.top+i, marks)
		}
		if d.lines[i] = text; look.Grounds() {
			d.lines[i] = look.Element.Lay(fill(text, width))
		}
	}
	return d
}

// bar is the field's left edge; it shows which part of a long text is in view.
func (p *Prompt) bar(look *theme.Theme, row, total int, focus bool) string {
	size, bar := max(p.height*p.height/total, 1), "│ "
	from := p.top * (p.height - size) / max(total-p.height, 1)
	within := total <= p.height || row >= from && row < from+size
	switch {
	case focus || within && total > p.height:
		bar = look.Bar + " "
	case look.Grounds():
		bar = "  "
	}
	return look.Focus.If(focus && within, look.Border).Paint(bar)
}

// drawLine paints a line with those of the marks that are on it.
func (p *Prompt) drawLine(look *theme.Theme, line int, marks []marked) (text string) {
	from, to, _ := p.wrap.Span(p.clusters, line)
	selFrom, selTo := p.selection()
	for from < to {
		end, mark := to, MarkNone
		switch m, ok := api.Find(marks, func(m marked) bool { return from < m.to }); {
		case ok && from < m.from:
			end = min(end, m.from)
		case ok:
			end, mark = min(end, m.to), m.mark
		}
		style := [...]theme.Style{MarkNone: look.Text, MarkToken: look.Token, MarkUnknown: look.Bad}[mark]
		if from >= selFrom && from < selTo {
			end, style = min(end, selTo), look.Selected.Strong
		} else if from < selFrom {
			end = min(end, selFrom)
		}
		text += style.Paint(widget.JoinClusters(p.clusters[from:end]))
		from = end
	}
	return text
}

// Written is another text in lines of at most w cells, with its tokens and alternatives as in the prompt.
func (f *Form) Written(text string, w int) (lines []string) {
	p := Prompt{Marks: f.prompt.Marks, clusters: widget.AppendClusters(nil, api.CleanLines(text, len(text)).String())}
	p.wrap.Wrap(p.clusters, max(w-1, 1)) // a blank may stand behind a full line
	marks := p.marks(0, len(p.clusters))
	for i := range p.wrap.Len() {
		lines = append(lines, p.drawLine(f.look, i, marks))
	}
	return lines
}

// line is the visible line the cursor shows on.
func (p *Prompt) line() int {
	l := p.wrap.LineOf(p.at)
	if p.tail && l > 0 && p.wrap.Start(l) == p.at {
		l--
	}
	return l
}

func (p *Prompt) column() int {
	return widget.Cells(p.clusters[p.wrap.Start(p.line()):p.at])
}

// jump moves to a line, as near to the goal's column as can be.
func (p *Prompt) jump(line int, extend bool) {
	if p.goal < 0 {
		p.goal = p.column()
	}
	p.place(line, p.goal, extend)
}

func (p *Prompt) place(line, x int, extend bool) {
	from, to, soft := p.wrap.Span(p.clusters, line)
	if soft && to > from && p.clusters[to-1].Class == widget.ClassBlank {
		to, soft = to-1, false // before the blank that the line ends with
	}
	i := from
	for ; i < to && int(p.clusters[i].Cells) <= x; i++ {
		x -= int(p.clusters[i].Cells)
	}
	p.move(i, extend)
	p.tail = soft && i == to && i > from
}

func (p *Prompt) click(at pointer) {
	p.place(min(p.top+min(at.y, p.height-1), p.wrap.Len()-1), at.x-2, false)
	p.moved()
}

// wheel scrolls by lines and leaves the cursor where it is in view.
func (p *Prompt) wheel(by int) bool {
	was := p.top
	p.top = min(max(p.top+by, 0), max(p.wrap.Len()-p.height, 0))
	if p.top == was {
		return false
	}
	if l := min(max(p.line(), p.top), p.top+p.height-1); l != p.line() {
		p.jump(l, false)
	}
	p.version++
	return true
}

// In characters.
const (
	maxToken       = 16 // brackets included
	maxPlaceholder = 60 // of its name
)

// marked is a token or a placeholder among the clusters.
type marked struct {
	from, to int
	mark     Mark
}

// marks are the tokens and placeholders that lie whole in a part of the text.
func (p *Prompt) marks(from, to int) (out []marked) {
	for i := from; i < to; i++ {
		n, m := p.markAt(p.clusters[i:to])
		if m != MarkNone {
			out = append(out, marked{i, i + n, m})
		}
		i += max(n-1, 0)
	}
	return out
}

// markAt is the length and the mark of what clusters begin with; 0 is none.
func (p *Prompt) markAt(gs []widget.Cluster) (n int, m Mark) {
	switch {
	case gs[0].Text == "【" && p.Marks != nil:
		for n := 1; n < min(len(gs), maxToken) && gs[n].Text != "【"; n++ {
			if gs[n].Text == "】" {
				if m = p.Marks(widget.JoinClusters(gs[:n+1])); m == MarkNone && gs[1].Text == "@" {
					m = MarkUnknown // it is written like one
				}
				return n + 1, m
			}
		}
	case gs[0].Text == "@" && p.Marks != nil && len(gs) > 3:
		for n = 3; n < len(gs) && strings.Contains("0123456789", gs[n].Text); n++ {
		}
		if n > 3 && p.Marks("【"+widget.JoinClusters(gs[:n])+"】") != MarkNone {
			return n, MarkUnknown // it lacks brackets
		}
	case gs[0].Text == "{" && len(gs) > 4 && gs[1].Text == "{":
		name := slices.IndexFunc(gs[2:], func(g widget.Cluster) bool { return strings.Contains("{}|\n", g.Text) })
		if name > 0 && name <= maxPlaceholder && len(gs) > name+3 && gs[name+2].Text == "}" && gs[name+3].Text == "}" {
			return name + 4, MarkToken
		}
	case gs[0].Text == "{" && p.Marks != nil: // alternatives
		end := slices.IndexFunc(gs[1:], func(g widget.Cluster) bool { return strings.Contains("{}\n", g.Text) }) + 1
		if end > 1 && end <= maxPlaceholder && gs[end].Text == "}" {
			return end + 1, p.Marks(widget.JoinClusters(gs[:end+1]))
		}
	case gs[0].Text == `\`:
		return 2, MarkNone
	}
	return 0, MarkNone
}

// take writes a token, in the place of the @ that asked for it.
func (p *Prompt) take(o Option) {
	from := p.at
	if from > 0 && (p.clusters[from-1].Text == "@" || p.clusters[from-1].Text == "＠") {
		from--
		if from > 0 && p.clusters[from-1].Text == "【" {
			from--
		}
	}
	p.replace(from, p.at, o.Value, editOther)
	if o.Value == "" {
		p.Add()
	}
}

// placeholder is a gap of a saved prompt that is to be filled in: {{subject}}.
var placeholder = api.Pattern(`\{\{[^{}|\n]{1,60}\}\}`)

// Placeholders returns the placeholders of a text, each once.
func Placeholders(text string) []string {
	var out []string
	for _, p := range placeholder().FindAllString(text, -1) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// NextPlaceholder selects the next placeholder behind the cursor; false: there is none.
func (p *Prompt) NextPlaceholder() bool {
	_, from := p.selection()
	next, ok := api.Find(p.marks(from, len(p.clusters)), func(m marked) bool { return p.clusters[m.from+1].Text == "{" })
	if ok {
		p.move(next.from, false)
		p.move(next.to, true)
		p.moved()
	}
	return ok
}

// InsertSaved writes a saved prompt, and selects its first placeholder.
func (p *Prompt) InsertSaved(text string) {
	from, _ := p.selection()
	p.paste(text)
	end := p.at
	p.move(from, false)
	if !p.NextPlaceholder() || p.at > end {
		p.move(end, false)
		p.follow()
	}
}
