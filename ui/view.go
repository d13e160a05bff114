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
	header  widget.Memo[headerKey, string]
	footer  widget.Memo[footerKey, string]
	notice  widget.Memo[noticeKey, string]
	covered widget.Memo[coverKey, string]
	frame   widget.Memo[frameKey, frame]
	title   widget.Memo[int, string] // by the number of active jobs
}

type noticeKey struct {
	theme  *theme.Theme
	notice msg.NotifiedMsg
	w      int
}

// coverKey are a body and the box over it. To compare strings that are the same
// costs nothing.
type coverKey struct {
	theme     *theme.Theme
	body, box string
	at        widget.Rect
}

// frameKey are the parts of a frame. The notice may have a line of its own.
type frameKey struct {
	header, body, notice, footer string
	own, clusters                bool
}

// View joins the cached parts.
func (a *App) View() (v tea.View) {
	defer a.caught()
	if a.dead {
		return v
	}
	state.CrashAt("view")
	v = tea.NewView(a.content())
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
	return a.drawn.title.Get(a.kit.Active, func() string {
		if a.kit.Active == 0 {
			return "darkroom"
		}
		return "darkroom · " + a.kit.Say("%d developing", a.kit.Active)
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
		return frame{text: tooSmall(a.kit, a.size.W, a.size.H)}
	}
	key := frameKey{
		header: a.header(), body: a.body(), footer: a.footer(),
		own: a.plan.Notice.Y != a.plan.Footer.Y, clusters: a.clusters,
	}
	if a.notice.Text != "" {
		n := noticeKey{a.kit.Theme, a.notice.NotifiedMsg, a.noticeWidth()}
		key.notice = a.drawn.notice.Get(n, func() string { return a.notice.line(n.theme, n.w) })
	}
	return a.drawn.frame.Get(key, func() frame {
		f := frame{text: key.join()}
		if a.loader != nil {
			f.text, f.placed = picture.Place(f.text, a.loader.Sixel)
		}
		if !key.clusters {
			f.text = theme.Steady(f.text)
		}
		return f
	})
}

// join puts the parts below each other.
func (f frameKey) join() string {
	var b strings.Builder
	b.Grow(len(f.header) + len(f.body) + len(f.notice) + len(f.footer) + 3)
	b.WriteString(f.header)
	b.WriteByte('\n')
	b.WriteString(f.body)
	b.WriteByte('\n')
	b.WriteString(f.notice)
	if f.own {
		b.WriteByte('\n')
	}
	b.WriteString(f.footer)
	return b.String()
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

// body is the screen in view, under the top overlay if there is one.
func (a *App) body() string {
	body, top := a.screens[a.at].View(), a.top()
	if top == nil {
		return body
	}
	r := a.plan.Body
	key := coverKey{theme: a.kit.Theme, body: body, box: top.Box(r.W, r.H)}
	key.at = widget.BoxAt(key.box, r.W, r.H)
	return a.drawn.covered.Get(key, func() string { return widget.Cover(key.theme, key.body, key.box, key.at) })
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
