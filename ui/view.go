package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// drawn is what App drew last. A frame is drawn once for each message; of its
// lines those that did not change stay.
type drawn struct {
	frame  widget.Memo[int, frame] // by the number of the message
	cover  widget.Cover
	lines  widget.MemoLines[lineKey, picture.Line]
	footer widget.Memo[footerKey, string]
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

// frame is what is written to the terminal, the pictures that are drawn over it
// in pixels, and where whoever has the cursor lies in it.
type frame struct {
	lines  []string
	placed []picture.Placed
	front  widget.Rect
}

func (a *App) frame() frame {
	if a.size.W == 0 {
		return frame{}
	}
	if a.plan.TooSmall {
		return frame{lines: tooSmall(a.env, a.size.W, a.size.H)}
	}
	return a.drawn.frame.Get(a.handled, a.drawFrame)
}

func (a *App) drawFrame() frame {
	body, front := a.body()
	texts := slices.Concat([]string{a.header()}, body, a.lastLines())
	lines := a.drawn.lines.Get(len(texts), func(i int) lineKey { return lineKey{texts[i], a.clusters} }, a.drawLine)
	for i := range lines {
		texts[i] = lines[i].Text
	}
	return frame{texts, picture.Place(lines), front}
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
// overlay if there is one, and where the front of them lies in the frame.
func (a *App) body() ([]string, widget.Rect) {
	r, body, top := a.plan.Body, a.screens[a.at].View(), a.top()
	if top == nil {
		return body, r
	}
	for _, below := range a.overlays[:len(a.overlays)-1] {
		box := below.Box(r.W, r.H)
		if at := widget.BoxAt(box, r.W, r.H); at.W == r.W && at.H == r.H {
			body = strings.Split(box, "\n")
		}
	}
	box := top.Box(r.W, r.H)
	at := widget.BoxAt(box, r.W, r.H)
	return a.drawn.cover.Lay(a.env.Theme, body, box, at), at.Within(r)
}

// front is where whoever has the mouse lies in the frame: the top overlay's box,
// or the body.
func (a *App) front() widget.Rect {
	r, top := a.plan.Body, a.top()
	if top == nil {
		return r
	}
	return widget.BoxAt(top.Box(r.W, r.H), r.W, r.H).Within(r)
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
	moved, r := *c, a.frame().front
	moved.X += r.X
	moved.Y += r.Y
	return &moved
}
