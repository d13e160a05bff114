package display

import (
	"bytes"
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// painter turns frames into output. It knows the screen's content.
type painter struct {
	shown frame
	lines []string // of shown; nil: the screen may show anything
	rooms [2]room  // for the cells of a line, before and now
	out   bytes.Buffer
	style uv.Style    // that the terminal writes in, before the profile
	page  uv.Style    // of cells without one
	at    uv.Position // of the terminal's cursor; unknown after other output
	fills bool        // the terminal erases cells with the colour that it writes on
}

// room holds a line's cells. Unlike a uv.ScreenBuffer it does not note which of them change.
type room struct{ *uv.Buffer }

// WidthMethod counts cells as theme.Width and theme.Steady do.
func (room) WidthMethod() uv.WidthMethod { return ansi.GraphemeWidth }

var unknown = uv.Pos(-1, -1)

// leave returns the sequences that restore the cursor and the style.
func (p *painter) leave() (text string) {
	if p.shown.cursor != nil {
		text = hideCursor
	}
	if p.style != (uv.Style{}) {
		text += ansi.ResetStyle
	}
	p.shown.cursor, p.style = nil, uv.Style{}
	return text
}

// The cursor is a blinking block while it is visible.
const (
	showCursor = "\x1b[1 q" + ansi.SetModeTextCursorEnable
	hideCursor = ansi.ResetModeTextCursorEnable + "\x1b[0 q"
)

// paint gives what makes the terminal show a visible frame.
func (p *painter) paint(f frame) string {
	p.out.Reset()
	p.shown.profile = f.profile
	if p.lines == nil || f.resized != p.shown.resized || f.clusters != p.shown.clusters || f.page != p.shown.page {
		p.lines = slices.Repeat([]string{erased}, f.h) // begin with a blank screen
		p.rooms = [2]room{{uv.NewBuffer(f.w, 1)}, {uv.NewBuffer(f.w, 1)}}
		uv.NewStyledString(f.page).Draw(p.rooms[0], p.rooms[0].Bounds())
		p.page = p.rooms[0].Lines[0][0].Style
		if f.clusters {
			p.out.WriteString(ansi.SetModeUnicodeCore)
		}
		p.out.WriteString(ansi.ResetStyle + erasure)
		p.at, p.style = uv.Pos(0, 0), uv.Style{}
	}
	lines := make([]string, f.h) // the painter's own: it moves them
	copy(lines, f.lines)
	p.scroll(lines)
	for y, line := range lines {
		if line != p.lines[y] {
			p.line(y, line, f.clusters)
		}
	}
	p.lines = lines
	if f.cursor != nil {
		p.move(f.cursor.X, f.cursor.Y)
	}
	text := p.wrapped(f)
	p.shown = f
	return text
}

// erased is a line of the screen without even the page.
const erased = "\x00"

// wrapped puts out into marks that make the terminal show it at once.
func (p *painter) wrapped(f frame) string {
	was, is := p.shown.cursor != nil, f.cursor != nil
	text := p.out.String()
	switch {
	case text == "" && was == is:
		return ""
	case was && !is:
		text = hideCursor + text
	case was && !f.sync:
		text = ansi.ResetModeTextCursorEnable + text + ansi.SetModeTextCursorEnable
	case is && !was:
		text += showCursor
	}
	if f.sync {
		text = ansi.SetModeSynchronizedOutput + text + ansi.ResetModeSynchronizedOutput
	}
	return text
}

func (p *painter) move(x, y int) {
	switch {
	case p.at == uv.Pos(x, y):
	case p.at.Y == y:
		p.out.WriteString(ansi.CursorHorizontalAbsolute(x + 1))
	case x == 0:
		p.out.WriteString(lineStart(y))
	default:
		p.out.WriteString(ansi.CursorPosition(x+1, y+1))
	}
	p.at = uv.Pos(x, y)
}

func lineStart(y int) string { return "\x1b[" + strconv.Itoa(y+1) + "H" }

// scroll moves lines that only moved, by the step that saves the most.
func (p *painter) scroll(lines []string) {
	if runtime.GOOS == "windows" { // its terminal moves the cursor out of the margins
		return
	}
	const least = 4
	changed := 0
	for y := range lines {
		if lines[y] != p.lines[y] {
			changed++
		}
	}
	if changed < least {
		return
	}
	best, from, to, step := least, 0, 0, 0
	for by := least - len(lines); by <= len(lines)-least; by++ {
		if top, end, saved := p.moved(lines, by); by != 0 && saved >= best {
			best, from, to, step = saved+1, top, end, by
		}
	}
	if step != 0 {
		p.shift(from, to, step)
	}
}

// moved returns the range in which lines moved up by a number of lines, and how many
// fewer lines have to be written if the terminal moves them.
func (p *painter) moved(lines []string, by int) (top, end, saved int) {
	top = len(lines)
	for y := max(0, -by); y < len(lines)-max(0, by); y++ {
		if lines[y] == p.lines[y+by] && lines[y] != p.lines[y] {
			top, end = min(top, y, y+by), max(end, y+1, y+by+1)
			saved++
		}
	}
	for y := top; y < end; y++ {
		if lines[y] == p.lines[y] && (y+by < top || y+by >= end || lines[y] != p.lines[y+by]) {
			saved--
		}
	}
	return top, end, saved
}

// shift moves the lines from top to before end up, or down by a negative number.
func (p *painter) shift(top, end, by int) {
	p.use(&uv.Cell{Width: 1}) // lines that come in have its background
	p.out.WriteString(ansi.SetTopBottomMargins(top+1, end))
	if by > 0 {
		p.out.WriteString(lineStart(end-1) + strings.Repeat("\n", by))
	} else {
		p.out.WriteString(lineStart(top) + strings.Repeat(ansi.ReverseIndex, -by))
	}
	p.out.WriteString("\x1b[r") // the margins end
	p.at = unknown
	lines := p.lines[top:end]
	rotated, blank := (by+len(lines))%len(lines), len(lines)-by
	if by < 0 {
		blank = 0
	}
	copy(lines, slices.Concat(lines[rotated:], lines[:rotated]))
	for i := range max(by, -by) {
		lines[blank+i] = erased
	}
}

// cells reads a line. To keep those of the screen would take half a MiB.
func (p *painter) cells(room int, text string) uv.Line {
	line := p.rooms[room].Lines[0]
	if text == erased {
		p.rooms[room].Fill(&uv.EmptyCell)
		return line
	}
	uv.NewStyledString(text).Draw(p.rooms[room], p.rooms[room].Bounds())
	for x := range line {
		c := &line[x]
		if c.Width > 0 && c.Style.Bg == nil {
			c.Style.Bg, c.Style.Fg = p.page.Bg, cmp.Or(c.Style.Fg, p.page.Fg)
		}
		if blank(c) {
			c.Style = uv.Style{Bg: c.Style.Bg}
		}
	}
	return line
}

// line puts another text into a line by writing the difference.
func (p *painter) line(y int, text string, clusters bool) {
	is, will := p.cells(0, p.lines[y]), p.cells(1, text)
	if odd := slices.IndexFunc(will, unsteady); !clusters && (odd >= 0 || slices.ContainsFunc(is, unsteady)) {
		p.move(0, y)
		p.use(&uv.EmptyCell)
		p.out.WriteString(ansi.ResetModeAutoWrap + ansi.EraseLineRight)
		p.put(will, y, 0, len(will), max(odd, 0))
		p.out.WriteString(ansi.SetModeAutoWrap)
		return
	}
	for x := 0; x < len(will); {
		if will[x] == is[x] {
			x++
			continue
		}
		from, to := whole(is, will, x, x+1)
		for x = to; x < min(to+6, len(will)); x++ { // moving over fewer takes as many bytes
			if will[x] != is[x] {
				_, to = whole(is, will, x, x+1)
			}
		}
		if to < len(will) && strings.ContainsAny(is[to-1].Content, "▀▄▆▎") { // some fonts draw them a pixel further, where it stays
			_, to = whole(is, will, to, to+1)
		}
		p.put(will, y, from, to, len(will))
	}
}

// whole widens a range so that it cuts no wide character, old or new.
func whole(is, will uv.Line, from, to int) (int, int) {
	for from > 0 && (is[from].Width == 0 || will[from].Width == 0) {
		from--
	}
	for to < len(will) && (is[to].Width == 0 || will[to].Width == 0) {
		to++
	}
	return from, to
}

// unsteady tells whether a cell has a sign that a terminal may give another number
// of cells than is counted here: what is written after it may be anywhere. For single
// code points they agree; looking up a width would fill a table of 2 MiB.
func unsteady(cell uv.Cell) bool {
	_, n := utf8.DecodeRuneInString(cell.Content)
	return n < len(cell.Content) && ansi.StringWidth(cell.Content) != ansi.StringWidthWc(cell.Content)
}

// manyBlanks is how many blank cells are erased instead of written: to erase them and to
// move over them takes as many bytes.
const manyBlanks = 10

// inks are the attributes that a blank does not show.
const inks = uv.AttrBold | uv.AttrFaint | uv.AttrItalic

// blank tells whether a cell shows its background alone.
func blank(c *uv.Cell) bool {
	return c.Content == " " && c.Style.Attrs&^inks == 0 && c.Style.Underline == 0 && c.Link.URL == ""
}

// erasable tells whether the terminal makes such a cell when it erases one.
func (p *painter) erasable(c *uv.Cell) bool { return blank(c) && (p.fills || c.Style.Bg == nil) }

// put writes the cells of a line between two columns. Blanks in a row are written as one
// erasure if that is shorter. After column odd the terminal may be in another one.
func (p *painter) put(line uv.Line, y, from, to, odd int) {
	end := len(line) // of the part before the blanks at the end
	for last := &line[len(line)-1]; end > from && p.erasable(last) && line[end-1] == *last; {
		end--
	}
	for x := from; x < min(to, end); x++ {
		c, n := &line[x], 0
		if x > odd+1 && !blank(c) && blank(&line[x-1]) && blank(&line[x-2]) { // no letter is lost
			p.at.X = -1
		}
		p.move(x, y)
		p.use(c)
		for p.erasable(c) && x+n < min(to, end) && line[x+n] == *c {
			n++
		}
		if n > manyBlanks {
			p.out.WriteString(ansi.EraseCharacter(n))
			x += n - 1
			continue
		}
		text := c.Content
		if x+c.Width == len(line) && y == len(p.lines)-1 { // some terminals would scroll here
			text = ansi.ResetModeAutoWrap + text + ansi.SetModeAutoWrap
		}
		p.out.WriteString(text)
		p.at.X++
	}
	if rest := to - max(from, end); rest > 0 {
		p.move(to-rest, y)
		p.use(&line[len(line)-1])
		if rest > len(ansi.EraseLineRight) {
			p.out.WriteString(ansi.EraseLineRight)
		} else {
			p.out.WriteString(strings.Repeat(" ", rest))
			p.at.X = to
		}
	}
	if p.at.X >= len(line) {
		p.at = unknown // it waits to wrap
	}
}

func (p *painter) use(c *uv.Cell) {
	style := c.Style
	if blank(c) && p.style.Attrs&^inks == 0 && p.style.Underline == 0 {
		style.Fg, style.Attrs = p.style.Fg, p.style.Attrs
	}
	if c.Width == 0 || style == p.style {
		return
	}
	was, is := uv.ConvertStyle(p.style, p.shown.profile), uv.ConvertStyle(style, p.shown.profile)
	p.out.WriteString(is.Diff(&was))
	p.style = style
}
