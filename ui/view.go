package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/state"
	"darkroom/ui/theme"
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
	boxAt     rect
	covered   string // body with box over it
}

type headerKey struct {
	at      place
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
	at    place
	depth int
	top   overlay
	ready uint64
	w     int
	first string // the label of the first action, which an overlay may change
}

type tabSpan struct {
	from, to int
	place    place
}

func (d *drawn) tabAt(x int) (place, bool) {
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
	if a.kit.active > 0 {
		v.ProgressBar = busyBar
	}
	v.Cursor = a.cursor()
	return v
}

var busyBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)

func (a *App) title() string {
	if a.kit.active == 0 {
		return "darkroom"
	}
	return "darkroom · " + a.kit.say("%d developing", a.kit.active)
}

func (a *App) content() string {
	if a.size.w == 0 {
		return ""
	}
	if a.plan.tooSmall {
		return tooSmall(a.kit, a.size.w, a.size.h)
	}
	a.drawHeader()
	a.drawFooter()
	body := a.drawBody()
	var b strings.Builder
	b.Grow(len(a.drawn.header) + len(body) + 2*len(a.drawn.footer) + 8)
	b.WriteString(a.drawn.header)
	b.WriteByte('\n')
	b.WriteString(body)
	own := a.plan.notice.y != a.plan.footer.y
	if own {
		b.WriteByte('\n')
		if a.notice.text != "" {
			b.WriteString(a.notice.line(a.kit.theme, a.plan.notice.w))
		}
	}
	b.WriteByte('\n')
	if !own && a.notice.text != "" {
		b.WriteString(a.notice.line(a.kit.theme, a.plan.notice.w))
	} else {
		b.WriteString(a.drawn.footer)
	}
	return b.String()
}

// tooSmall says one sentence in whatever room there is.
func tooSmall(k *kit, w, h int) string {
	text := k.say("darkroom needs %d × %d cells; there are %d × %d.", minWidth, minHeight, w, h)
	lines := strings.Split(ansi.Wrap(text, w, ""), "\n")
	if len(lines) > h {
		lines = lines[:h]
	}
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, w, "")
	}
	return strings.Join(lines, "\n")
}

func (a *App) drawBody() string {
	body := a.screens[a.at].view()
	top := a.top()
	if top == nil {
		return body
	}
	r := a.plan.body
	box := top.box(r.w, r.h)
	if body == a.drawn.body && box == a.drawn.box && a.drawn.covered != "" {
		return a.drawn.covered
	}
	a.drawn.body, a.drawn.box = body, box
	a.drawn.covered, a.drawn.boxAt = cover(a.kit.theme, body, box, r)
	return a.drawn.covered
}

// cover lays a box over the middle of the dimmed body.
func cover(t *theme.Theme, body, box string, r rect) (string, rect) {
	under := strings.Split(body, "\n")
	over := strings.Split(box, "\n")
	at := rect{w: theme.Width(over[0]), h: len(over)}
	at.x, at.y = max((r.w-at.w)/2, 0), max((r.h-at.h)/3, 0)
	var b strings.Builder
	b.Grow(len(body) + len(box))
	for i, line := range under {
		if i > 0 {
			b.WriteByte('\n')
		}
		plain := ansi.Strip(line)
		if i < at.y || i >= at.y+at.h {
			t.Faint.Write(&b, plain)
			continue
		}
		left := ansi.Truncate(plain, at.x, "")
		t.Faint.Write(&b, left+theme.Blank(at.x-theme.Width(left)))
		b.WriteString(over[i-at.y])
		t.Faint.Write(&b, rightOf(plain, at.x+at.w))
	}
	at.x, at.y = at.x+r.x, at.y+r.y
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

func (a *App) cursor() *tea.Cursor {
	if a.plan.tooSmall {
		return nil
	}
	var c *tea.Cursor
	x, y := a.plan.body.x, a.plan.body.y
	if top := a.top(); top != nil {
		c = top.cursor()
		x, y = a.drawn.boxAt.x, a.drawn.boxAt.y
	} else {
		c = a.screens[a.at].cursor()
	}
	if c == nil {
		return nil
	}
	moved := *c
	moved.X += x
	moved.Y += y
	return &moved
}
