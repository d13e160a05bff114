package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"darkroom/ui/theme"
)

// Overlay lays the lines of a box, which are all equally wide, over the lines of
// a body, from column x and line y on. A wide character of which the box covers
// one half becomes a blank. It changes body and returns it.
func Overlay(body, box []string, x, y int) []string {
	for i, over := range box {
		if at := y + i; at >= 0 && at < len(body) {
			left, right := around(body[at], x, theme.Width(over))
			body[at] = left + over + right
		}
	}
	return body
}

// BoxAt is where a box lies over a body of w×h cells: in the middle, a little
// above the half.
func BoxAt(box string, w, h int) Rect {
	first, _, _ := strings.Cut(box, "\n")
	at := Rect{W: theme.Width(first), H: strings.Count(box, "\n") + 1}
	at.X, at.Y = max((w-at.W)/2, 0), max((h-at.H)/3, 0)
	return at
}

// Cover lays boxes over the lines of a body, of which the rest is dimmed. Lines
// that did not change are not drawn again.
type Cover struct{ lines MemoLines[coverKey, string] }

// coverKey is what a line is drawn from: to compare strings that are the same
// costs nothing.
type coverKey struct {
	theme      *theme.Theme
	line, over string
	x, w       int // of the box; w is 0 where there is none
}

// Lay lays a box over a body.
func (c *Cover) Lay(t *theme.Theme, body []string, box string, at Rect) []string {
	over := strings.Split(box, "\n")
	return c.lines.Get(len(body), func(i int) coverKey {
		key := coverKey{theme: t, line: body[i]}
		if i >= at.Y && i < at.Y+at.H {
			key.over, key.x, key.w = over[i-at.Y], at.X, at.W
		}
		return key
	}, coverKey.draw)
}

func (k coverKey) draw() string {
	line := dimmed(k.theme, k.line)
	if k.w == 0 {
		return line
	}
	left, right := around(line, k.x, k.w)
	return left + k.over + right
}

// dimmed is a line in faint letters. The pictures in it keep their colours.
func dimmed(t *theme.Theme, line string) string {
	var b, words strings.Builder
	b.Grow(len(line) + 64)
	var state byte
	styles, colored := "", false // what a picture that follows is drawn in; it was written
	for len(line) > 0 {
		part, width, n, next := ansi.DecodeSequence(line, state, nil)
		state, line = next, line[n:]
		isPicture := part == "▀" || strings.HasPrefix(part, string(kitty.Placeholder))
		switch {
		case width > 0 && !isPicture:
			if colored {
				b.WriteString(ansi.ResetStyle)
				colored = false
			}
			words.WriteString(part)
		case width > 0:
			t.Faint.Write(&b, words.String())
			words.Reset()
			b.WriteString(styles)
			b.WriteString(part)
			styles, colored = "", true
		case !strings.HasPrefix(part, "\x1b[") || !strings.HasSuffix(part, "m"): // the mark of a picture in pixels
			t.Faint.Write(&b, words.String())
			words.Reset()
			b.WriteString(part)
		case part == ansi.ResetStyle || part == "\x1b[0m":
			styles = ""
		default:
			styles += part
		}
	}
	t.Faint.Write(&b, words.String())
	if colored {
		b.WriteString(ansi.ResetStyle)
	}
	return b.String()
}

// around is what a line has left of column x, filled up to it, and right of
// column x+w.
func around(line string, x, w int) (left, right string) {
	left = ansi.Truncate(line, x, "")
	left += theme.Blank(x - theme.Width(left))
	rest := theme.Width(line) - x - w
	if rest <= 0 {
		return left, ""
	}
	right = ansi.TruncateLeft(line, x+w, "")
	if theme.Width(right) > rest { // it keeps a character that it cuts in half
		right = ansi.TruncateLeft(line, x+w+1, "")
	}
	return left, theme.Blank(rest-theme.Width(right)) + right
}

// Passive is what an overlay has in which nothing is typed, and which keeps
// nothing that it drew.
type Passive struct{}

func (Passive) Typing() bool { return false }

func (Passive) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

func (Passive) Restyle() {}

func (Passive) Cursor() *tea.Cursor { return nil }
