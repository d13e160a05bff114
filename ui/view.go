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

// drawn is what App drew last. A frame and the top overlay are drawn once for each
// message; of the lines of a frame those that did not change stay.
type drawn struct {
	frame  widget.Memo[frameKey, frame]
	box    widget.Memo[boxKey, string]
	header widget.Memo[headerKey, string]
	footer widget.Memos[footerKey, struct{}, string]
	cover  widget.Cover
	lines  widget.MemoLines[lineKey, picture.Line]
	placed widget.Memo[int, frame] // by the version of the lines
}

// frameKey and boxKey tell the drawings of messages apart.
type frameKey struct {
	handled int
	theme   *theme.Theme
}

type boxKey struct {
	frameKey
	overlay msg.Overlay
}

// lineKey is what a line of the frame is made from.
type lineKey struct {
	text     string
	clusters bool
}

// View is the whole view in one string; Run has its lines drawn by a display.
func (a *App) View() tea.View {
	v, lines := a.view()
	v.SetContent(strings.Join(lines, "\n"))
	return v
}

// view is everything but the content, and the lines of that.
func (a *App) view() (v tea.View, lines []string) {
	defer a.caught()
	if a.dead.Load() {
		return v, nil
	}
	state.CrashAt("view")
	lines = a.frame().lines
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.WindowTitle = a.title()
	v.ProgressBar, v.ProgramStatus = a.progressBar(), a.programStatus()
	v.Cursor = a.Cursor()
	return v, lines
}

func (a *App) title() string {
	if a.env.Active == 0 {
		return "darkroom"
	}
	return "darkroom · " + a.env.Say("%d developing", a.env.Active)
}

// frame is what is written to the terminal, and the pictures that are drawn
// over it in pixels.
type frame struct {
	lines  []string
	placed []picture.Placed
}

func (a *App) frame() frame {
	if a.size.W == 0 {
		return frame{}
	}
	if a.plan.TooSmall {
		return frame{lines: tooSmall(a.env, a.size.W, a.size.H)}
	}
	return a.drawn.frame.Get(frameKey{a.handled, a.env.Theme}, a.drawFrame)
}

func (a *App) drawFrame() frame {
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
	return a.drawn.placed.Get(version, func() frame {
		texts := make([]string, len(lines))
		for i := range lines {
			texts[i] = lines[i].Text
		}
		return frame{texts, picture.Place(lines)}
	})
}

// lastLines are the notice and the footer, which may share a line.
func (a *App) lastLines() []string {
	notice := ""
	if a.notice.Text != "" {
		notice = a.notice.line(a.env.Theme, a.noticeWidth())
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

// tooSmall says one sentence in whatever room there is.
func tooSmall(k *env.Env, w, h int) []string {
	text := k.Say("darkroom needs %d × %d cells; there are %d × %d.", widget.MinWidth, widget.MinHeight, w, h)
	lines := widget.Wrap(text, w)
	if len(lines) > h {
		lines = lines[:h]
	}
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, w, "")
	}
	return lines
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
	box := a.box(top)
	return a.drawn.cover.Lay(a.env.Theme, body, box, widget.BoxAt(box, r.W, r.H))
}

// box is the drawing of the top overlay.
func (a *App) box(top msg.Overlay) string {
	return a.drawn.box.Get(boxKey{frameKey{a.handled, a.env.Theme}, top}, func() string { return top.Box(a.plan.Body.W, a.plan.Body.H) })
}

// front is where whoever has the mouse and the cursor lies in the frame: the
// top overlay's box, or the body.
func (a *App) front() widget.Rect {
	r := a.plan.Body
	top := a.top()
	if top == nil {
		return r
	}
	at := widget.BoxAt(a.box(top), r.W, r.H)
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
