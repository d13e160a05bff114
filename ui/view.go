package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type drawn struct {
	view  tea.View                // the latest
	frame widget.Memo[int, frame] // by the number of the message
	cover widget.Cover
	lines widget.MemoLines[lineKey, picture.Line]
}

type lineKey struct {
	text     string
	clusters bool
	theme    *theme.Theme // of the line above the body, which is drawn from the body's first
}

// View hands the lines to the display; without one it is the whole view.
func (a *App) View() tea.View {
	if a.screen != nil && !a.screen.Due() {
		return a.drawn.view
	}
	v, lines := a.view()
	if a.screen != nil {
		a.drawn.view = a.screen.Show(v, lines, a.env.Theme.Page.Lay(" "))
		return a.drawn.view
	}
	v.SetContent(strings.Join(lines, "\n"))
	return v
}

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
	above := make([]string, a.plan.Body.Y-1)
	copy(above, body)
	texts := slices.Concat([]string{a.header()}, above, body, a.lastLines())
	lines := a.drawn.lines.Get(len(texts), func(i int) lineKey {
		if i > 0 && i < a.plan.Body.Y {
			return lineKey{texts[i], a.clusters, a.env.Theme}
		}
		return lineKey{texts[i], a.clusters, nil}
	}, a.drawLine)
	for i := range lines {
		texts[i] = lines[i].Text
	}
	return frame{texts, picture.Place(lines), front}
}

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

func (a *App) drawLine(key lineKey) picture.Line {
	if key.theme != nil {
		return picture.Line{Text: widget.Above(key.theme, key.text)}
	}
	if !key.clusters {
		key.text = theme.Steady(key.text)
	}
	if a.loader == nil {
		return picture.Line{Text: key.text}
	}
	return picture.ReadLine(key.text, a.loader.Sixel)
}

func tooSmall(k *env.Env, w, h int) []string {
	text := k.Say("Terminal too small: needs %d × %d, has %d × %d.", widget.MinWidth, widget.MinHeight, w, h)
	lines := widget.Wrap(text, w)
	return lines[:min(len(lines), h)]
}

func (a *App) body() ([]string, widget.Rect) {
	r, body := a.plan.Body, a.screens[a.at].View()
	for i, o := range a.overlays {
		box := o.Box(r.W, r.H)
		at := widget.BoxAt(box, r.W, r.H)
		switch {
		case i == len(a.overlays)-1:
			return a.drawn.cover.Lay(a.env.Theme, body, box, at), at.Within(r)
		case at.W == r.W && at.H == r.H:
			body = strings.Split(box, "\n")
		}
	}
	return body, r
}

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
	at := a.surface().Cursor()
	if at == nil {
		return nil
	}
	moved, r := *at, a.frame().front
	moved.X += r.X
	moved.Y += r.Y
	return &moved
}
