package widget

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"darkroom/ui/env"
	"darkroom/ui/theme"

	"github.com/charmbracelet/x/ansi"
)

// Pane is a part of the screen with its titles: a surface, or a rounded frame if the
// theme has no grounds. Both take the same cells.
type Pane struct {
	Width, Height int
	Title         string       // left in the upper border, plain or painted
	Right         string       // right in the upper border, plain or painted
	Foot          string       // right in the lower border, plain
	Focus         bool         // it has the keys
	Raised        bool         // it lies over others, to its edges
	Quiet         bool         // what is in it says that it has the keys
	Inset         bool         // what is in it is text, which begins below the title
	Ground        theme.Ground // in place of the panel's
	bar, end      int          // lines with a bar at the right: the part that is in view
}

// Inset is how many cells stand left of the text of such a pane.
const Inset = 3

func (p Pane) Inner() (w, h int) {
	if p.Inset {
		p.Width -= 2
	}
	return max(p.Width-4, 0), max(p.Height-2, 0)
}

// Lines draws the frame around lines, which are cut to the width that Inner says, and
// may be painted. Missing lines stay blank, surplus ones are left out. A line
// made by Divide is drawn as a rule with a title. Over others the title of a surface
// stands on the first line, if that is blank.
func (p Pane) Lines(t *theme.Theme, body []string) []string { return p.Keep(new(Frame), t, body) }

// Frame keeps the drawn lines of one pane from frame to frame.
type Frame struct{ lines MemoLines[framedKey, string] }

type framedKey struct {
	theme *theme.Theme
	pane  Pane // without its words
	line  string
	bar   bool
}

// Keep is Lines for a pane most of whose lines stay: those are not drawn again.
func (p Pane) Keep(memo *Frame, t *theme.Theme, body []string) []string {
	p.Ground = cmp.Or(p.Ground, t.Panel)
	framed := p.Focus && !t.Grounds()
	edge, title := t.Focus.If(framed || p.Focus && !p.Quiet, t.Border), t.Accent.If(framed, t.Strong)
	left, right, w := p.sides(t, edge)
	upper, aside, lower := title.Paint(theme.Cut(p.Title, w-2)), t.Muted.Paint(p.Right), t.Muted.Paint(p.Foot)
	head := Between(upper, aside, w)
	if !p.Inset && !p.Raised {
		head = " " + Between(upper, aside, w-2) + " "
	}
	if t.Grounds() && p.Raised && len(body) > 0 && body[0] == "" {
		body, head = append([]string{head}, body[1:]...), theme.Blank(w)
	}
	bare := p
	bare.Height, bare.Title, bare.Right, bare.Foot, bare.bar, bare.end = 0, "", "", "", 0, 0
	lines := memo.lines.Get(max(p.Height-2, 0), func(i int) framedKey {
		key := framedKey{theme: t, pane: bare, bar: i >= p.bar && i < p.end}
		if i < len(body) {
			key.line = body[i]
		}
		return key
	}, func(k framedKey) string {
		left, right, w := left, right, w
		if line, ok := strings.CutPrefix(k.line, outdent); ok {
			outer := p
			k.line, outer.Inset = line, false
			left, right, w = outer.sides(t, edge)
		}
		if k.bar {
			right = p.Ground.Lay(theme.Blank(theme.Width(right)-2)+t.Border.Paint("▐")) + " "
		}
		rule, ok := strings.CutPrefix(k.line, divider)
		switch {
		case ok && !t.Grounds():
			return p.border(edge, t.Frame.MiddleLeft, t.Frame.Top, t.Frame.MiddleRight, t.Strong.Paint(theme.Cut(rule, w-2)), "")
		case ok && p.Inset:
			k.line = t.Strong.Paint(theme.Cut(rule, w))
		case ok:
			k.line = " " + t.Strong.Paint(theme.Cut(rule, w-1))
		}
		return left + p.Ground.Lay(theme.Fit(k.line, w)) + right
	})
	first, last := left+p.Ground.Lay(head)+right, left+p.Ground.Lay(Between("", lower, w))+right
	switch f := &t.Frame; {
	case !t.Grounds():
		first = p.border(edge, f.TopLeft, f.Top, f.TopRight, upper, aside)
		last = p.border(edge, f.BottomLeft, f.Bottom, f.BottomRight, "", lower)
	case p.Foot == "" && !p.Raised:
		last = " " + t.Page.Edge(p.Ground, p.Width-2) + " "
	}
	return slices.Concat([]string{first}, lines, []string{last})
}

// sides are what stands left and right of each line, with a bar at the left that tells
// which pane has the keys, and the width between them.
func (p Pane) sides(t *theme.Theme, edge theme.Style) (left, right string, w int) {
	w, _ = p.Inner()
	gap := " "
	if p.Inset {
		gap = "  "
	}
	if !t.Grounds() {
		return edge.Paint(t.Frame.Left) + gap, gap + edge.Paint(t.Frame.Right), w
	}
	bar := " "
	if p.Focus && !p.Quiet {
		bar = edge.Paint("▎")
	}
	if p.Raised {
		return p.Ground.Lay(bar + " "), p.Ground.Lay("  "), w
	}
	return " " + p.Ground.Lay(bar+gap[1:]), p.Ground.Lay(gap) + " ", w
}

// Between puts words at both ends of a width; those at the right are left out if there
// is no room.
func Between(left, right string, w int) string { return between(left, right, w, theme.Blank) }

func between(left, right string, w int, fill func(int) string) string {
	gap := w - theme.Width(left) - theme.Width(right)
	if gap < 1 && right != "" {
		return between(left, "", w, fill)
	}
	return left + fill(gap) + right
}

// border is a line of the frame with painted words at its ends.
func (p Pane) border(edge theme.Style, from, line, to, left, right string) string {
	for _, words := range [...]*string{&left, &right} {
		if *words != "" {
			*words = edge.Paint(" ") + *words + edge.Paint(" ")
		}
	}
	fill := func(n int) string { return edge.Paint(strings.Repeat(line, max(n, 0))) }
	return edge.Paint(from+line) + between(left, right, p.Width-4, fill) + edge.Paint(line+to)
}

// Segments names what can be chosen, and which one is.
func Segments(t *theme.Theme, at int, names ...string) (line string) {
	for i, name := range names {
		switch {
		case i != at:
			line += t.Muted.Paint(" " + name + " ")
		case t.Grounds():
			line += t.Chip(t.Strong.Paint(name))
		default:
			line += t.Strong.Paint("[" + name + "]")
		}
	}
	return line
}

// SegmentAt is which of the names that Segments draws lies at a column, or -1.
func SegmentAt(x int, names ...string) int {
	if x < 0 {
		return -1
	}
	return slices.IndexFunc(names, func(name string) bool { x -= theme.Width(name) + 2; return x < 0 })
}

const (
	divider = "\x00"
	outdent = "\x01"
)

// Divide is a line that a Pane draws as a rule with a title.
func Divide(title string) string { return divider + title }

// Outdent makes a line with a ground of its own begin and end a cell further out than a pane's text.
func Outdent(line string) string { return outdent + line }

// Scrolled shows that lines are out of view, as a bar at the right, or in words in the border.
func (p *Pane) Scrolled(k *env.Env, above, below int) {
	_, h := p.Inner()
	if above+below > 0 && k.Theme.Grounds() {
		p.end = max(h*h/(above+h+below), 1)
		p.bar = above * (h - p.end) / (above + below)
		p.end += p.bar
	} else if p.Foot = More(k, above, below); theme.Width(p.Foot)+8 > p.Width {
		p.Foot = "↑↓"
	}
}

// More says how many lines are out of view.
func More(k *env.Env, above, below int) string {
	switch {
	case above > 0 && below > 0:
		return "↑ " + strconv.Itoa(above) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		return k.Words.Count(below, "↓ %d more line", "↓ %d more lines")
	case above > 0:
		return k.Words.Count(above, "↑ %d more line", "↑ %d more lines")
	}
	return ""
}

// Beside joins up to four panes of the same height, and remembers the lines.
type Beside struct{ lines MemoLines[[4]string, string] }

// Join puts at most four panes of equal height side by side.
func (b *Beside) Join(panes ...[]string) []string {
	if len(panes) == 1 {
		return panes[0]
	}
	return b.lines.Get(len(panes[0]), func(i int) (parts [4]string) {
		for n, p := range panes {
			parts[n] = p[i]
		}
		return parts
	}, func(parts [4]string) string { return parts[0] + parts[1] + parts[2] + parts[3] })
}

func AlignRight(s string, w int) string { return theme.Blank(w-theme.Width(s)) + s }

// Boxed frames the lines of an overlay; more lie below those.
func Boxed(k *env.Env, w, h int, title string, lines []string, more int) string {
	return Pane{Width: w, Height: h, Title: title, Foot: More(k, 0, more)}.Over(k, lines)
}

// Over draws the pane over others, as high as its lines if there is room.
func (p Pane) Over(k *env.Env, lines []string) string {
	p.Focus, p.Raised, p.Height = true, true, min(len(lines)+2, p.Height)
	inner, _ := p.Inner()
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, inner, "…")
	}
	return strings.Join(p.Lines(k.Theme, lines), "\n")
}
