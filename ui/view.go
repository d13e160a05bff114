package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// drawn is what App drew last, each part with what it was drawn from, so that
// an unchanged part is not drawn again.
type drawn struct {
	header    string
	headerKey headerKey
	tabs      []tabSpan
	footer    string
	footerKey footerKey
	body      string // the body under the overlays
	box       string // the top overlay
	boxAt     widget.Rect
	covered   string // body with box over it
}

type headerKey struct {
	at      msg.Place
	w       int
	active  int
	hint    string
	base    string
	today   string
	trouble bool
	near    bool // most of the budget is spent
	stuck   bool // nothing can be sent
	demo    bool
}

type footerKey struct {
	at    msg.Place
	depth int
	top   msg.Overlay
	ready uint64
	w     int
	first string // the label of the first action, which an overlay may change
}

type tabSpan struct {
	from, to int
	place    msg.Place
}

func (d *drawn) tabAt(x int) (msg.Place, bool) {
	for _, s := range d.tabs {
		if x >= s.from && x < s.to {
			return s.place, true
		}
	}
	return 0, false
}

// View joins the cached parts.
func (a *App) View() (v tea.View) {
	defer a.caught()
	if a.dead {
		return v
	}
	state.CrashAt("view")
	frame := a.content()
	if !a.clusters {
		frame = theme.Steady(frame)
	}
	v = tea.NewView(frame)
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.WindowTitle = a.title()
	if a.kit.Active > 0 {
		v.ProgressBar = busyBar
	}
	v.Cursor = a.Cursor()
	return v
}

var busyBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)

func (a *App) title() string {
	if a.kit.Active == 0 {
		return "darkroom"
	}
	return "darkroom · " + a.kit.Say("%d developing", a.kit.Active)
}

func (a *App) content() string {
	if a.size.W == 0 {
		return ""
	}
	if a.plan.TooSmall {
		return tooSmall(a.kit, a.size.W, a.size.H)
	}
	a.drawHeader()
	a.drawFooter()
	body := a.drawBody()
	var b strings.Builder
	b.Grow(len(a.drawn.header) + len(body) + 2*len(a.drawn.footer) + 8)
	b.WriteString(a.drawn.header)
	b.WriteByte('\n')
	b.WriteString(body)
	own := a.plan.Notice.Y != a.plan.Footer.Y
	if own {
		b.WriteByte('\n')
		if a.notice.Text != "" {
			b.WriteString(a.notice.line(a.kit.Theme, a.plan.Notice.W))
		}
	}
	b.WriteByte('\n')
	if !own && a.notice.Text != "" {
		b.WriteString(a.notice.line(a.kit.Theme, a.plan.Notice.W))
	} else {
		b.WriteString(a.drawn.footer)
	}
	return b.String()
}

// TooSmall says one sentence in whatever room there is.
func tooSmall(k *env.Env, w, h int) string {
	text := k.Say("darkroom needs %d × %d cells; there are %d × %d.", widget.MinWidth, widget.MinHeight, w, h)
	lines := widget.Wrap(text, w)
	if len(lines) > h {
		lines = lines[:h]
	}
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, w, "")
	}
	return strings.Join(lines, "\n")
}

func (a *App) drawBody() string {
	body := a.screens[a.at].View()
	top := a.top()
	if top == nil {
		return body
	}
	r := a.plan.Body
	box := top.Box(r.W, r.H)
	if body == a.drawn.body && box == a.drawn.box && a.drawn.covered != "" {
		return a.drawn.covered
	}
	a.drawn.body, a.drawn.box = body, box
	a.drawn.covered, a.drawn.boxAt = cover(a.kit.Theme, body, box, r)
	return a.drawn.covered
}

// cover lays a box over the middle of the dimmed body.
func cover(t *theme.Theme, body, box string, r widget.Rect) (string, widget.Rect) {
	under := strings.Split(body, "\n")
	over := strings.Split(box, "\n")
	at := widget.Rect{W: theme.Width(over[0]), H: len(over)}
	at.X, at.Y = max((r.W-at.W)/2, 0), max((r.H-at.H)/3, 0)
	var b strings.Builder
	b.Grow(len(body) + len(box))
	for i, line := range under {
		if i > 0 {
			b.WriteByte('\n')
		}
		plain := ansi.Strip(line)
		if i < at.Y || i >= at.Y+at.H {
			t.Faint.Write(&b, plain)
			continue
		}
		left := ansi.Truncate(plain, at.X, "")
		t.Faint.Write(&b, left+theme.Blank(at.X-theme.Width(left)))
		b.WriteString(over[i-at.Y])
		t.Faint.Write(&b, rightOf(plain, at.X+at.W))
	}
	at.X, at.Y = at.X+r.X, at.Y+r.Y
	return b.String(), at
}

// rightOf is what stands right of the first n cells; half of a wide character
// becomes a blank.
func rightOf(plain string, n int) string {
	rest := theme.Width(plain) - n
	if rest <= 0 {
		return ""
	}
	right := ansi.TruncateLeft(plain, n, "")
	if theme.Width(right) > rest {
		right = ansi.TruncateLeft(plain, n+1, "")
	}
	return theme.Blank(rest-theme.Width(right)) + right
}

func (a *App) Cursor() *tea.Cursor {
	if a.plan.TooSmall {
		return nil
	}
	var c *tea.Cursor
	x, y := a.plan.Body.X, a.plan.Body.Y
	if top := a.top(); top != nil {
		c = top.Cursor()
		x, y = a.drawn.boxAt.X, a.drawn.boxAt.Y
	} else {
		c = a.screens[a.at].Cursor()
	}
	if c == nil {
		return nil
	}
	moved := *c
	moved.X += x
	moved.Y += y
	return &moved
}
