package widget

import (
	"cmp"
	"strconv"
	"strings"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/theme"

	"github.com/charmbracelet/x/ansi"
)

// Pane is a rounded frame with its titles in the border.
type Pane struct {
	Width, Height int
	Title         string // left in the upper border, plain
	Right         string // right in the upper border, plain
	Foot          string // right in the lower border, plain
	// Inked, when set, is right in several styles.
	Inked string
	Focus bool // it has the keys
	// Filled says that every line is as wide as there is room: none is measured.
	Filled bool
}

// Inner is the size between the borders, with one blank on either side.
func (p Pane) Inner() (w, h int) { return max(p.Width-4, 0), max(p.Height-2, 0) }

// Lines draws the frame around lines, which are w-4 cells wide or narrower and
// may be painted. Missing lines stay blank, surplus ones are left out. A line
// made by Divide is drawn as a rule with a title.
func (p Pane) Lines(t *theme.Theme, body []string) []string { return p.Keep(new(Frame), t, body) }

// line draws a line between the borders.
func (p Pane) line(t *theme.Theme, edge theme.Style, left, right, line string) string {
	if title, ok := strings.CutPrefix(line, Divider); ok {
		return p.rule(t, edge, title)
	}
	rest := ""
	if w, _ := p.Inner(); !p.Filled || line == "" {
		rest = theme.Blank(w - theme.Width(line))
	}
	return left + " " + line + rest + " " + right
}

// More says how many lines are out of view above and below, for a pane's foot.
func More(k *env.Env, above, below int) string {
	switch {
	case above > 0 && below > 0:
		return "↑ " + strconv.Itoa(above) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		return k.Say("↓ %d more lines", below)
	case above > 0:
		return k.Say("↑ %d more lines", above)
	}
	return ""
}

// Frame remembers the lines of a pane with the borders around them.
type Frame struct{ lines MemoLines[framedKey, string] }

type framedKey struct {
	theme  *theme.Theme
	w      int
	focus  bool
	filled bool
	line   string
}

// Keep is Lines for a pane most of whose lines stay: those are not drawn again.
func (p Pane) Keep(f *Frame, t *theme.Theme, body []string) []string {
	edge := t.Border
	if p.Focus {
		edge = t.Focus
	}
	left, right := edge.Paint(t.Frame.Left), edge.Paint(t.Frame.Right)
	_, h := p.Inner()
	lines := f.lines.Get(h, func(i int) framedKey {
		key := framedKey{theme: t, w: p.Width, focus: p.Focus, filled: p.Filled}
		if i < len(body) {
			key.line = body[i]
		}
		return key
	}, func(k framedKey) string { return p.line(t, edge, left, right, k.line) })
	out := make([]string, 0, p.Height)
	out = append(append(out, p.top(t, edge)), lines...)
	return append(out, p.bottom(t, edge))
}

// Divider marks a line of a pane as a rule across it.
const Divider = "\x00"

// Divide is a line that a Pane draws as a rule with a title.
func Divide(title string) string { return Divider + title }

func (p Pane) top(t *theme.Theme, edge theme.Style) string {
	f, room := &t.Frame, p.Width-2
	left, style := theme.Cut(p.Title, max(room-4, 0)), t.Strong
	if p.Focus {
		style = t.Accent
	}
	start, end := f.TopLeft, f.TopRight
	if left != "" {
		start += f.Top + " "
		room -= theme.Width(left) + 3
		left = style.Paint(left) + edge.Paint(" ")
	}
	right := ""
	if w := theme.Width(p.Right); p.Right != "" && w <= room-5 {
		room -= w + 3
		right = " " + cmp.Or(p.Inked, t.Muted.Paint(p.Right))
		end = " " + f.Top + end
	}
	return edge.Paint(start) + left + edge.Paint(repeat(f.Top, room)) + right + edge.Paint(end)
}

func (p Pane) rule(t *theme.Theme, edge theme.Style, title string) string {
	f, room := &t.Frame, p.Width-2
	title = theme.Cut(title, max(room-4, 0))
	if title == "" {
		return edge.Paint(f.MiddleLeft + repeat(f.Top, room) + f.MiddleRight)
	}
	return edge.Paint(f.MiddleLeft+f.Top+" ") + t.Strong.Paint(title) + edge.Paint(" "+repeat(f.Top, room-theme.Width(title)-3)+f.MiddleRight)
}

func (p Pane) bottom(t *theme.Theme, edge theme.Style) string {
	f, room := &t.Frame, p.Width-2
	if p.Foot == "" || theme.Width(p.Foot)+4 > room {
		return edge.Paint(f.BottomLeft + repeat(f.Bottom, room) + f.BottomRight)
	}
	start := f.BottomLeft + repeat(f.Bottom, room-theme.Width(p.Foot)-3) + " "
	return edge.Paint(start) + t.Muted.Paint(p.Foot) + edge.Paint(" "+f.Bottom+f.BottomRight)
}

// repeat is s n times, or nothing.
func repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }

// Beside joins up to three panes line by line, and remembers the lines: one is
// joined again when a part of it changed.
type Beside struct{ lines MemoLines[[3]string, string] }

// Join joins panes that have the same number of lines.
func (b *Beside) Join(panes ...[]string) []string {
	if len(panes) == 1 {
		return panes[0]
	}
	return b.lines.Get(len(panes[0]), func(i int) (parts [3]string) {
		for n, p := range panes {
			parts[n] = p[i]
		}
		return parts
	}, func(parts [3]string) string { return parts[0] + parts[1] + parts[2] })
}

func AlignRight(s string, w int) string { return theme.Blank(w-theme.Width(s)) + s }

// KeyLine writes all keys of a small table on one line.
func KeyLine(k *env.Env, table []action.Action) string {
	var keys []string
	for i := range table {
		if a := &table[i]; !a.Hidden && (a.Offer == nil || a.Offer()) {
			keys = append(keys, k.Theme.Key.Paint(a.KeyText())+" "+k.Theme.Muted.Paint(k.Say(a.Label)))
		}
	}
	return strings.Join(keys, "   ")
}

// Boxed frames the lines of an overlay, at most h high, and says how many more lie
// below those.
func Boxed(k *env.Env, w, h int, title string, lines []string, more int) string {
	p := Pane{Width: w, Height: min(len(lines)+2, h), Title: title, Focus: true}
	p.Foot = More(k, 0, more)
	inner, _ := p.Inner()
	for i, l := range lines {
		if theme.Width(l) > inner {
			lines[i] = ansi.Truncate(l, inner, "…")
		}
	}
	return strings.Join(p.Lines(k.Theme, lines), "\n")
}
