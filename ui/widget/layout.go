package widget

import (
	"image/color"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"darkroom/ui/action"
	"darkroom/ui/theme"
)

// Below this size the program says one sentence instead of drawing.
const (
	MinWidth  = 60
	MinHeight = 16
	// WideFrom is the width from which two panes stand side by side.
	WideFrom = 100
)

// Rect is a part of the screen in cells, its upper left corner first.
type Rect struct{ X, Y, W, H int }

func (r Rect) Holds(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Layout divides the screen among the frame and what it shows.
type Layout struct {
	TooSmall bool
	Header   Rect
	Body     Rect
	Notice   Rect // the footer's line on low screens: then a notice takes its place
	Footer   Rect
}

// LayoutFor depends on nothing but the size, so that nothing moves.
func LayoutFor(w, h int) Layout {
	if w < MinWidth || h < MinHeight {
		return Layout{TooSmall: true, Body: Rect{0, 0, max(w, 1), max(h, 1)}}
	}
	p := Layout{Header: Rect{0, 0, w, 1}, Footer: Rect{0, h - 1, w, 1}}
	p.Notice = p.Footer
	top, bottom := 1, h-1
	if h >= 30 { // the notice has a line of its own
		bottom--
		p.Notice = Rect{0, bottom, w, 1}
	}
	if h >= 24 { // one stays free below the header
		top = 2
	}
	p.Body = Rect{0, top, w, bottom - top}
	return p
}

// SplitPanes divides a width; right is 0 when one pane fits.
func SplitPanes(w, leftShare, minRight int) (left, right int) {
	if w < WideFrom {
		return w, 0
	}
	right = max(w*(100-leftShare)/100, minRight)
	return w - right, right
}

// Overlay lays lines of equal width over a body, which it changes, from x, y on. A
// wide character of which they cover one half becomes a blank.
func Overlay(body, box []string, x, y int) []string {
	for i, over := range box {
		if at := y + i; at >= 0 && at < len(body) {
			body[at] = laid(body[at], over, x, theme.Width(over))
		}
	}
	return body
}

// BoxAt is where a box lies over a body of w×h cells: a little above the middle.
func BoxAt(box string, w, h int) Rect {
	first, _, _ := strings.Cut(box, "\n")
	at := Rect{W: theme.Width(first), H: strings.Count(box, "\n") + 1}
	at.X, at.Y = max((w-at.W)/2, 0), max((h-at.H)/3, 0)
	return at
}

// Cover lays boxes with a rim over the lines of a body, of which the rest is dimmed.
type Cover struct{ lines MemoLines[coverKey, string] }

type coverKey struct {
	theme      *theme.Theme
	line, over string
	x, w       int // of the box; w is 0 where there is none
}

func (c *Cover) Lay(t *theme.Theme, body []string, box string, at Rect) []string {
	over, rim := strings.Split(box, "\n"), min(at.X, 2)
	right := rim
	if at.X > 0 && at.X < 8 || 2*at.X < at.W && !t.Grounds() { // of what is beside it too little could be seen, or only scraps
		rim, right = at.X, max(theme.Width(body[0])-at.X-at.W, at.X)
	}
	return c.lines.Get(len(body), func(i int) coverKey {
		key := coverKey{theme: t, line: body[i]}
		if row := i - at.Y; row >= -1 && row <= at.H || rim == at.X && !t.Grounds() { // nor of its boxes above and below
			key.x, key.w = at.X-rim, rim+at.W+right
			key.over = t.Page.Lay(theme.Blank(key.w))
			if row >= 0 && row < at.H {
				key.over = t.Page.Lay(theme.Blank(rim)) + over[row] + t.Page.Lay(theme.Blank(right))
			}
		}
		return key
	}, func(k coverKey) string {
		line := Dimmed(k.theme, k.line)
		if k.w == 0 {
			return line
		}
		return laid(line, k.over, k.x, k.w)
	})
}

// Dimmed is a line in veiled letters, its grounds and the blocks of its pictures further back.
func Dimmed(t *theme.Theme, line string) string {
	var b, words strings.Builder
	b.Grow(len(line) + 64)
	ground, under := t.Page, color.Color(nil) // of the words
	styles, colored := "", false              // what a picture that follows is drawn in; it was written
	pen, parser := uv.Style{}, ansi.GetParser()
	defer ansi.PutParser(parser)
	write := func(part string) {
		b.WriteString(ground.Lay(t.Veiled.Paint(words.String())))
		words.Reset()
		b.WriteString(part)
	}
	for state := byte(0); len(line) > 0; {
		part, width, n, next := ansi.DecodeSequence(line, state, parser)
		state, line = next, line[n:]
		switch blocks := strings.Contains("▀▌▚▘▝▖▗", part); {
		case width > 0 && (blocks || strings.HasPrefix(part, string(kitty.Placeholder))): // of a picture
			if blocks && styles != "" && t.Grounds() {
				styles = ansi.Style{}.ForegroundColor(t.Behind(pen.Fg).Colour).BackgroundColor(t.Behind(pen.Bg).Colour).String()
			}
			write(styles + part)
			styles, colored = "", true
		case width > 0:
			if colored {
				b.WriteString(ansi.ResetStyle)
				colored = false
			}
			if pen.Bg != under {
				write("")
				under, ground = pen.Bg, t.Behind(pen.Bg)
			}
			words.WriteString(part)
		case !strings.HasPrefix(part, "\x1b[") || !strings.HasSuffix(part, "m"): // the mark of a picture in pixels
			write(part)
		case part == ansi.ResetStyle || part == "\x1b[0m":
			styles, pen = "", uv.Style{}
		default:
			styles += part
			uv.ReadStyle(parser.Params(), &pen)
		}
	}
	write("")
	if colored {
		b.WriteString(ansi.ResetStyle)
	}
	return b.String()
}

// Above is the line above those that panes begin with: its lower half has their grounds, so that
// their titles do not touch its upper one.
func Above(t *theme.Theme, line string) string {
	var b strings.Builder
	var ground color.Color // of the pane
	pen, parser := uv.Style{}, ansi.GetParser()
	defer ansi.PutParser(parser)
	for state := byte(0); t.Grounds() && len(line) > 0; {
		part, width, n, next := ansi.DecodeSequence(line, state, parser)
		state, line = next, line[n:]
		switch {
		case width > 0 && pen.Bg == nil:
			ground = nil
			b.WriteString(theme.Blank(width))
		case width > 0:
			if ground == nil { // chips do not rise
				ground = pen.Bg
				b.WriteString(ansi.Style{}.BackgroundColor(ground).ForegroundColor(t.Page.Colour).String())
			}
			b.WriteString(strings.Repeat("▀", width))
		case strings.HasPrefix(part, "\x1b[") && strings.HasSuffix(part, "m"):
			uv.ReadStyle(parser.Params(), &pen)
		}
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String()+" ", "▀ ", "▀"+ansi.ResetStyle+" "), " ")
}

// Under puts half a row of the ground of what stands below panes, w cells wide, into
// their last line, unless that has words.
func Under(t *theme.Theme, panes []string, w int) []string {
	if at := len(panes) - 1; at >= 0 && t.Grounds() && len(strings.Split(panes[at], "▀")) > w-6 {
		panes[at] = theme.Fit(" "+t.Panel.Edge(t.Page, w-2)+" ", w)
	}
	return panes
}

// laid is a line under w cells of another one, from x on.
func laid(line, over string, x, w int) string {
	over = theme.Fit(ansi.Truncate(line, x, ""), x) + over
	rest := theme.Width(line) - x - w
	if rest <= 0 {
		return over
	}
	right := ansi.TruncateLeft(line, x+w, "")
	if theme.Width(right) > rest { // it keeps a character that it cuts in half
		right = ansi.TruncateLeft(line, x+w+1, "")
	}
	return over + AlignRight(right, rest)
}

// Passive is embedded by overlays: by itself nothing is typed, and nothing answers.
type Passive struct{ Table []action.Action }

func (p Passive) Actions() []action.Action           { return p.Table }
func (Passive) Typing() bool                         { return false }
func (Passive) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (Passive) Update(tea.Msg) tea.Cmd               { return nil }
func (Passive) Restyle()                             {}
func (Passive) Cursor() *tea.Cursor                  { return nil }
