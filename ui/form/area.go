package form

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Area is a prompt over bubbles' textarea.Model. The widget keeps, wraps,
// scrolls and draws the text; what it lacks is done here: undo, tokens and
// clusters kept whole, words of Chinese, pasted text, colours of tokens.
type Area struct {
	Core
	// Limit is how many characters are welcome; more are kept all the same.
	Limit int
	// Lines is how many lines it takes; 0 is a share of the form.
	Lines int
	// Marks tells tokens from text; nil means that there are none.
	Marks func(token string) Mark
	// Offer gives what @ can insert; the option's Value is the token.
	Offer func() []Option
	// Empty is shown, dimmed, while there is no text.
	Empty string

	m          textarea.Model
	width      int
	height     int
	past, next []moment
	run        deed
	value      string // the text at valueOf
	valueOf    int64
	total      int // visible lines in all
	shown      widget.Memo[areaKey, drawing]
}

// moment is a text with its cursor, kept to go back to.
type moment struct {
	text string
	at   int
}

type areaKey struct {
	look          *Look
	version       int64
	width, height int
	focus         bool
}

// maxMoments bounds what is remembered for undoing: each holds the whole text.
const maxMoments = 500

// NewArea makes an empty prompt.
func NewArea(name, label string, limit int) *Area {
	m := textarea.New()
	m.Prompt, m.ShowLineNumbers, m.MaxHeight, m.MaxWidth = "", false, 0, 0
	m.SetVirtualCursor(false)
	plain := textarea.StyleState{}
	for _, s := range []*lipgloss.Style{&plain.Base, &plain.Text, &plain.CursorLine, &plain.EndOfBuffer, &plain.Placeholder, &plain.Prompt, &plain.Selection} {
		*s = lipgloss.NewStyle()
	}
	m.SetStyles(textarea.Styles{Focused: plain, Blurred: plain})
	m.Focus()
	a := &Area{Core: Core{Name: name, Label: label}, Limit: limit, m: m, height: 5, valueOf: -1, total: 1}
	a.resize(40)
	return a
}

func (a *Area) resize(width int) {
	a.width = max(width, 8)
	a.m.SetWidth(a.width)
	a.m.SetHeight(a.height)
	a.count()
}

// count asks the widget how many visible lines there are: it says so only as
// the height it would take.
func (a *Area) count() {
	a.m.DynamicHeight = true
	a.m.SetWidth(a.width)
	a.total = a.m.Height()
	a.m.DynamicHeight = false
	a.m.SetHeight(a.height)
}

// Value is the text.
func (a *Area) Value() string {
	if a.valueOf != a.edits {
		a.value, a.valueOf = a.m.Value(), a.edits
	}
	return a.value
}

// Count is the number of characters (runes), as the limit counts them.
func (a *Area) Count() int { return utf8.RuneCountInString(a.Value()) }

func (a *Area) changed() {
	a.edited()
	a.count()
}

// SetValue replaces the text and forgets what could be undone.
func (a *Area) SetValue(s string) {
	if s == a.Value() {
		return
	}
	a.past, a.next, a.run = nil, nil, deedNone
	a.m.SetValue(tidy(s, true))
	a.changed()
}

// Replace puts s in the place of the whole text; it can be undone.
func (a *Area) Replace(s string) {
	if s = tidy(s, true); s == a.Value() {
		return
	}
	at := a.at()
	a.remember(deedNone)
	a.put(s, at)
	a.changed()
}

// Insert writes s at the cursor.
func (a *Area) Insert(s string) { a.insert(s, deedNone) }

// SelectAll selects the text, so that the next key replaces it.
func (a *Area) SelectAll() {
	a.m.MoveToEnd()
	a.m.SelectAll()
	a.version++
}

func (a *Area) text() bool { return true }

func (a *Area) paste(s string) bool {
	a.insert(s, deedNone)
	return true
}

func (a *Area) fit(lines int) {
	if lines = max(lines, 2); lines != a.height {
		a.height = lines
		a.m.SetHeight(lines)
		a.version++
	}
}

// at is the cursor's rune in the whole text.
func (a *Area) at() int { return a.offset(a.m.Line(), a.m.Column()) }

func (a *Area) offset(row, col int) int {
	n, text := 0, a.Value()
	for range row {
		end := strings.IndexByte(text, '\n')
		n += utf8.RuneCountInString(text[:end]) + 1
		text = text[end+1:]
	}
	return n + col
}

// put makes text the widget's, with the cursor before rune at. The widget has
// no way to name a row: what stands behind the cursor is written first.
func (a *Area) put(text string, at int) {
	cut := runesEnd(text, at)
	a.m.SetValue(text[cut:])
	a.m.MoveToBegin()
	a.m.InsertString(text[:cut])
}

// to puts the cursor before rune at.
func (a *Area) to(at int) {
	a.m.ClearSelection()
	start := a.offset(a.m.Line(), 0)
	end := start
	for i, r := range []rune(a.Value())[start:] {
		if r == '\n' {
			break
		}
		end = start + i + 1
	}
	if at >= start && at <= end {
		a.m.SetCursorColumn(at - start)
		return
	}
	a.put(a.Value(), at)
}

// clusters are the characters of the text, and where the cursor is among them.
func (a *Area) clusters() (gs []glyph, at int) {
	gs = segment(nil, a.Value())
	runes, want := 0, a.at()
	for i := range gs {
		if runes >= want {
			return gs, i
		}
		runes += int(gs[i].runes)
	}
	return gs, len(gs)
}

func runesOf(gs []glyph) int {
	n := 0
	for i := range gs {
		n += int(gs[i].runes)
	}
	return n
}

// snap moves the cursor out of a character that the widget put it into.
func (a *Area) snap() {
	if a.m.HasSelection() {
		return
	}
	gs, at := a.clusters()
	if want := runesOf(gs[:at]); want != a.at() {
		a.to(want)
	}
}

func (a *Area) remember(d deed) {
	if d == deedNone || d != a.run {
		a.past = append(a.past, moment{a.Value(), a.at()})
		if len(a.past) > maxMoments {
			a.past = append(a.past[:0], a.past[maxMoments/4:]...)
		}
	}
	a.run, a.next = d, nil
}

func (a *Area) travel(from, to *[]moment) {
	if len(*from) == 0 {
		return
	}
	last := (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	*to = append(*to, moment{a.Value(), a.at()})
	a.put(last.text, last.at)
	a.run = deedNone
	a.changed()
}

func (a *Area) insert(text string, d deed) {
	text = tidy(text, true)
	if text == "" && !a.m.HasSelection() {
		return
	}
	if a.m.HasSelection() {
		d = deedNone
	}
	a.remember(d)
	a.m.DeleteSelection()
	a.m.InsertString(text)
	if d == deedType && (text == " " || text == "\n") {
		a.run = deedNone
	}
	a.changed()
	a.snap()
}

// erase deletes the clusters from one to another, or what is selected.
func (a *Area) erase(gs []glyph, from, to int) {
	a.remember(deedErase)
	if a.m.HasSelection() {
		a.m.DeleteSelection()
	} else if from < to {
		a.put(join(gs[:from])+join(gs[to:]), runesOf(gs[:from]))
	}
	a.changed()
	a.snap()
}

func (a *Area) key(k tea.KeyPressMsg) bool {
	key, edits := k.String(), a.edits
	used, vertical := a.vertical(k, key)
	if !vertical {
		used = a.motion(k, key) || a.change(k, key)
	}
	if used {
		a.version++
		if a.edits == edits {
			a.run = deedNone
		}
	}
	return used
}

func (a *Area) vertical(k tea.KeyPressMsg, key string) (used, vertical bool) {
	li := a.m.LineInfo()
	switch key {
	case "up", "ctrl+p":
		if a.m.Line() == 0 && li.RowOffset == 0 {
			if a.at() == 0 {
				return false, true
			}
			a.to(0)
			return true, true
		}
		a.m.ClearSelection()
		a.m.CursorUp()
	case "down", "ctrl+n":
		if a.m.Line() == a.m.LineCount()-1 && li.RowOffset+1 >= li.Height {
			if a.at() == a.Count() {
				return false, true
			}
			a.to(a.Count())
			return true, true
		}
		a.m.ClearSelection()
		a.m.CursorDown()
	case "pgup":
		a.m.ClearSelection()
		a.m.PageUp()
	case "pgdown":
		a.m.ClearSelection()
		a.m.PageDown()
	case "home":
		a.m.ClearSelection()
		a.m.SetCursorColumn(li.StartColumn)
	case "end":
		a.m.ClearSelection()
		a.m.SetCursorColumn(max(li.StartColumn+li.Width-1, li.StartColumn))
	case "shift+up", "shift+down":
		a.m, _ = a.m.Update(k)
	default:
		return false, false
	}
	a.snap()
	return true, true
}

func (a *Area) motion(k tea.KeyPressMsg, key string) bool {
	switch key {
	case "shift+left", "shift+right", "ctrl+shift+left", "ctrl+shift+right", "alt+shift+left", "alt+shift+right":
		a.extend(k)
		return true
	case "ctrl+home", "alt+<":
		a.to(0)
		return true
	case "ctrl+end", "alt+>":
		a.to(a.Count())
		return true
	case "ctrl+a":
		a.SelectAll()
		return true
	}
	start, end, selected := a.m.Selection()
	gs, at := a.clusters()
	switch key {
	case "left", "ctrl+b":
		if selected {
			a.to(a.offset(start.Row, start.Col))
			return true
		}
		at = max(at-1, 0)
	case "right", "ctrl+f":
		if selected {
			a.to(a.offset(end.Row, end.Col))
			return true
		}
		at = min(at+1, len(gs))
	case "ctrl+left", "alt+left", "alt+b":
		at = (&buffer{glyphs: gs}).wordLeft(at)
	case "ctrl+right", "alt+right", "alt+f":
		at = (&buffer{glyphs: gs}).wordRight(at)
	default:
		return false
	}
	a.to(runesOf(gs[:at]))
	return true
}

// extend lets the widget select, on to the next border of a character.
func (a *Area) extend(k tea.KeyPressMsg) {
	for {
		before := a.at()
		a.m, _ = a.m.Update(k)
		gs, at := a.clusters()
		if now := a.at(); now == before || runesOf(gs[:at]) == now {
			return
		}
	}
}

func (a *Area) change(k tea.KeyPressMsg, key string) bool {
	gs, at := a.clusters()
	from, to := at, at
	switch key {
	case "enter", "shift+enter", "alt+enter", "ctrl+j":
		a.insert("\n", deedType)
		return true
	case "alt+z", "ctrl+_", "ctrl+/":
		a.travel(&a.past, &a.next)
		return true
	case "alt+y", "alt+shift+z", "alt+Z":
		a.travel(&a.next, &a.past)
		return true
	case "backspace", "ctrl+h", "shift+backspace":
		if from > 0 {
			from = a.unit(gs, from)
		}
	case "delete", "ctrl+d":
		to = min(to+1, len(gs))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		from = (&buffer{glyphs: gs}).wordLeft(to)
	case "alt+d", "ctrl+delete", "alt+delete":
		to = (&buffer{glyphs: gs}).wordRight(from)
	case "ctrl+u":
		for from > 0 && gs[from-1].sort != sortBreak {
			from--
		}
	default:
		if !typed(k) {
			return false
		}
		a.insert(k.Text, deedType)
		return true
	}
	if from < to || a.m.HasSelection() {
		a.erase(gs, from, to)
	}
	return true
}

// unit is where the thing begins that one backspace takes before glyph i.
func (a *Area) unit(gs []glyph, i int) int {
	if a.Marks == nil || gs[i-1].text != "】" {
		return i - 1
	}
	for from := i - 2; from >= 0 && i-from <= maxToken && gs[from].text != "】"; from-- {
		if gs[from].text == "【" && a.Marks(join(gs[from:i])) != MarkNone {
			return from
		}
	}
	return i - 1
}

// complete writes a token, in the place of the @ that asked for it.
func (a *Area) complete(token string) {
	gs, at := a.clusters()
	from := at
	if from > 0 && (gs[from-1].text == "@" || gs[from-1].text == "＠") {
		from--
		if from > 0 && gs[from-1].text == "【" {
			from--
		}
	}
	a.remember(deedNone)
	a.put(join(gs[:from])+token+join(gs[at:]), runesOf(gs[:from])+utf8.RuneCountInString(token))
	a.changed()
}

func (a *Area) click(x, y int) {
	p := a.m.PositionAt(max(x-2, 0), max(y, 0))
	a.to(a.offset(p.Row, p.Col))
	a.snap()
	a.version++
}

// wheel scrolls; the widget cannot scroll but by its cursor.
func (a *Area) wheel(by int) bool {
	was := a.m.ScrollYOffset()
	to := min(max(was+by, 0), max(a.total-a.height, 0))
	if to == was {
		return false
	}
	y := was
	if c := a.m.Cursor(); c != nil {
		y += c.Y
	}
	if to > was {
		y = to + a.height - 1 - y
	} else {
		y = to - y
	}
	for ; y > 0; y-- {
		a.m.CursorDown()
	}
	for ; y < 0; y++ {
		a.m.CursorUp()
	}
	a.snap()
	a.version++
	return true
}

func (a *Area) heading(l *Look, width int, focus bool) string {
	ink := l.Theme.Muted
	if a.Count() > a.Limit {
		ink = l.Theme.Bad
	}
	return ink.Paint(grouped(a.Count()) + " / " + grouped(a.Limit))
}

func (a *Area) draw(l *Look, width int, focus bool) drawing {
	if w := width - 3; w != a.width {
		a.resize(w)
	}
	return a.shown.Get(areaKey{l, a.version, width, a.height, focus}, func() drawing { return a.paint(l, width, focus) })
}

func (a *Area) paint(l *Look, width int, focus bool) drawing {
	c := a.m.Cursor()
	if c.Y < 0 || c.Y >= a.height {
		_ = a.m.View() // the widget scrolls only over what it drew last
		a.m.SetHeight(a.height)
		c = a.m.Cursor()
	}
	view := strings.Split(a.m.View(), "\n")
	d := drawing{x: 2 + c.X, y: c.Y, cursor: focus, lines: make([]string, a.height)}
	rows := strings.Split(a.Value(), "\n")
	start, end, _ := a.m.Selection()
	var b strings.Builder
	for i := range d.lines {
		b.Reset()
		areaBar(&b, l, i, a.total, a.height, a.m.ScrollYOffset(), focus)
		if y := a.m.ScrollYOffset() + i; y < a.total {
			p := a.m.PositionAt(0, i)
			a.paintLine(&b, l, []rune(rows[p.Row]), []rune(strings.TrimRight(view[i], " ")), p, start, end)
		}
		if i == 0 && a.Value() == "" {
			l.Theme.Faint.Write(&b, theme.Cut(a.Empty, width-3))
		}
		d.lines[i] = b.String()
	}
	return d
}

// paintLine writes a visible line, which begins at p of row, with its tokens
// and what is selected.
func (a *Area) paintLine(b *strings.Builder, l *Look, row, line []rune, p, start, end textarea.Position) {
	gs := segment(nil, string(row))
	marks := make([]Mark, len(row)+1)
	for i, g := range gs {
		if g.text == "】" && a.Marks != nil {
			if from := a.unit(gs, i+1); from < i {
				m := a.Marks(join(gs[from : i+1]))
				for j := runesOf(gs[:from]); j < runesOf(gs[:i+1]); j++ {
					marks[j] = m
				}
			}
		}
	}
	selected := func(col int) bool {
		at := textarea.Position{Row: p.Row, Col: col}
		return !less(at, start) && less(at, end)
	}
	for i := 0; i < len(line); {
		j := i + 1
		mark, sel := marks[min(p.Col+i, len(row))], selected(p.Col+i)
		for j < len(line) && marks[min(p.Col+j, len(row))] == mark && selected(p.Col+j) == sel {
			j++
		}
		areaInk(l, mark, sel).Write(b, string(line[i:j]))
		i = j
	}
}

func less(p, q textarea.Position) bool { return p.Row < q.Row || p.Row == q.Row && p.Col < q.Col }

func areaInk(l *Look, m Mark, selected bool) theme.Ink {
	return (*Prompt)(nil).ink(l, m, selected)
}

func areaBar(b *strings.Builder, l *Look, row, total, height, top int, focus bool) {
	(&Prompt{height: height, top: top}).bar(b, l, row, total, focus)
}
