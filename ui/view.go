package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// drawn is what App drew last: an unchanged part is not drawn again.
type drawn struct {
	header widget.Memo[headerKey, string]
	footer widget.Memo[footerKey, string]
	notice widget.Memo[noticeKey, string]
	cover  widget.Cover
	lines  widget.MemoLines[lineKey, picture.Line]
	frame  widget.Memo[int, frame]  // by the version of the lines
	title  widget.Memo[int, string] // by the number of active jobs
}

type noticeKey struct {
	theme  *theme.Theme
	notice msg.NotifiedMsg
	w      int
}

// lineKey is what a line of the frame is made from.
type lineKey struct {
	text     string
	clusters bool
}

// View joins the cached parts.
func (a *App) View() (v tea.View) {
	defer a.caught()
	if a.dead.Load() {
		return v
	}
	state.CrashAt("view")
	v = tea.NewView(a.content())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.WindowTitle = a.title()
	v.ProgressBar = a.progressBar()
	v.Cursor = a.Cursor()
	return v
}

func (a *App) title() string {
	return a.drawn.title.Get(a.env.Active, func() string {
		if a.env.Active == 0 {
			return "darkroom"
		}
		return "darkroom · " + a.env.Say("%d developing", a.env.Active)
	})
}

// frame is what is written to the terminal, and the pictures that are drawn
// over it in pixels.
type frame struct {
	text   string
	placed []picture.Placed
}

func (a *App) content() string { return a.frame().text }

func (a *App) frame() frame {
	if a.size.W == 0 {
		return frame{}
	}
	if a.plan.TooSmall {
		return frame{text: tooSmall(a.env, a.size.W, a.size.H)}
	}
	body, last := a.body(), a.lastLines()
	lines, version := a.drawn.lines.Get(1+len(body)+len(last), func(i int) lineKey {
		key := lineKey{clusters: a.clusters}
		switch {
		case i == 0:
			key.text = a.header()
		case i <= len(body):
			key.text = body[i-1]
		default:
			key.text = last[i-1-len(body)]
		}
		return key
	}, a.drawLine)
	return a.drawn.frame.Get(version, func() frame { return joinLines(lines) })
}

// lastLines are the notice and the footer, which may share a line.
func (a *App) lastLines() []string {
	notice := ""
	if a.notice.Text != "" {
		n := noticeKey{a.env.Theme, a.notice.NotifiedMsg, a.noticeWidth()}
		notice = a.drawn.notice.Get(n, func() string { return a.notice.line(n.theme, n.w) })
	}
	footer := a.footer()
	if a.plan.Notice.Y == a.plan.Footer.Y {
		return []string{notice + footer}
	}
	return []string{notice, footer}
}

// drawLine makes a line ready for the terminal.
func (a *App) drawLine(key lineKey) picture.Line {
	if !key.clusters {
		key.text = theme.Steady(key.text)
	}
	if a.loader == nil {
		return picture.Line{Text: key.text}
	}
	return picture.ReadLine(key.text, a.loader.Sixel)
}

// joinLines puts the lines below each other: the one time that the whole of a
// frame is copied.
func joinLines(lines []picture.Line) frame {
	size := 0
	for _, l := range lines {
		size += len(l.Text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.Text)
	}
	return frame{b.String(), picture.Place(lines)}
}

// tooSmall says one sentence in whatever room there is.
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

// body is the screen in view, or the overlay that covers all of it, under the top
// overlay if there is one.
func (a *App) body() []string {
	body, top := a.screens[a.at].View(), a.top()
	if top == nil {
		return body
	}
	r := a.plan.Body
	for _, below := range a.overlays[:len(a.overlays)-1] {
		box := below.Box(r.W, r.H)
		if at := widget.BoxAt(box, r.W, r.H); at.W == r.W && at.H == r.H {
			body = strings.Split(box, "\n")
		}
	}
	box := top.Box(r.W, r.H)
	return a.drawn.cover.Lay(a.env.Theme, body, box, widget.BoxAt(box, r.W, r.H))
}

// front is where whoever has the mouse and the cursor lies in the frame: the
// top overlay's box, or the body.
func (a *App) front() widget.Rect {
	r := a.plan.Body
	top := a.top()
	if top == nil {
		return r
	}
	at := widget.BoxAt(top.Box(r.W, r.H), r.W, r.H)
	at.X, at.Y = at.X+r.X, at.Y+r.Y
	return at
}

// Cursor is where the terminal's cursor belongs, or nil.
func (a *App) Cursor() *tea.Cursor {
	if a.plan.TooSmall {
		return nil
	}
	var c *tea.Cursor
	if top := a.top(); top != nil {
		c = top.Cursor()
	} else {
		c = a.screens[a.at].Cursor()
	}
	if c == nil {
		return nil
	}
	moved, r := *c, a.front()
	moved.X += r.X
	moved.Y += r.Y
	return &moved
}
