package tools

import (
	"strings"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// page is the pane of the selected tool as it is drawn, with the places that the
// mouse and the cursor need. They depend on the tool, its arguments and the
// size, so that nothing moves when an answer comes.
type page struct {
	lines      []string
	w, h       int // of the inside
	formAt     int
	formHigh   int // 0: the tool takes no arguments, or the answer has the page
	answerHigh int // of the lowest lines; 0: it has a page of its own
}

// arrange draws the pane of the selected tool, or the page of its answer. Every
// change ends with it, so that View changes nothing.
func (s *Screen) arrange() {
	k, t, tool := s.k, s.k.Theme, s.list.selected()
	_, width := s.toolPane()
	pane := widget.Pane{Width: width, Height: s.h, Focus: s.on != onList, Title: tool.Label()}
	s.page = page{}
	s.page.w, s.page.h = pane.Inner()
	f := &widget.Facts{Width: s.page.w, Theme: t}
	switch {
	case tool.Name == "":
		pane.Title, pane.Focus = k.Say("Tools of the service"), false
		s.explain(f)
	case s.narrow() && s.on == onAnswer:
		pane.Title = k.Say("%s: response", tool.Label())
		s.page.answerHigh = s.page.h
		s.writeAnswer(&pane, f)
	default:
		style := t.Warn
		if tool.ReadOnly {
			style = t.Muted
		}
		pane.Inked = style.Paint(s.costs(tool))
		s.writeTool(&pane, f)
	}
	s.page.lines = pane.Lines(t, f.Lines)
}

// writeTool writes what the tool does, its arguments, and its answer.
func (s *Screen) writeTool(pane *widget.Pane, f *widget.Facts) {
	k, t, p, e := s.k, s.k.Theme, &s.page, s.editor()
	e.Idle(s.on != onForm)
	s.writeAbout(f, max(p.h/8, 2))
	p.formAt = len(f.Lines)
	room := p.h - p.formAt - 1 // the hint, or the heading of the answer
	if !s.narrow() {
		room = max(room-p.h*2/5, 4) // two fifths are the answer's at least
	}
	if e.takes.None {
		f.Painted(t.Muted.Paint(k.Say("It takes no arguments.")))
		f.Lines = append(f.Lines, "")
	} else {
		arguments := s.argumentLines()
		most := max(room-1-min(len(arguments)+1, room/3), 3)
		e.Resize(p.w, most)
		p.formHigh = min(e.Height(), most)
		f.Lines = append(f.Lines, e.Lines()[:p.formHigh]...)
		f.Lines = append(f.Lines, "")
		f.Lines = append(f.Lines, s.cutLines(arguments, max(room-p.formHigh-2, 0))...)
		f.Lines = append(f.Lines, "")
	}
	if !s.narrow() {
		f.Lines = append(f.Lines, widget.Divide(k.Say("Response")))
		p.answerHigh = max(p.h-len(f.Lines), 1)
		s.writeAnswer(pane, f)
		return
	}
	f.Lines = append(f.Lines, make([]string, p.h)...)[:p.h-1]
	status := s.status(p.w)
	if s.answer() != nil && !s.running() {
		status += t.Faint.Paint("  " + k.Say("tab to the response"))
	}
	f.Painted(status)
	if _, below := e.More(); p.formHigh > 0 {
		pane.Foot = widget.More(k, 0, below)
	}
}

// cutLines are the first n lines, marked when there are more.
func (s *Screen) cutLines(lines []string, n int) []string {
	if len(lines) > n && n > 0 {
		lines[n-1] = theme.Cut(lines[n-1], s.page.w-2) + s.k.Theme.Faint.Paint(" …")
	}
	return lines[:min(n, len(lines))]
}

// writeAbout says what the selected tool does, in n lines at most.
func (s *Screen) writeAbout(f *widget.Facts, n int) {
	t, tool := s.k.Theme, s.list.selected()
	f.Wrapped(t.Text, tool.Description.String())
	f.Lines = s.cutLines(f.Lines, n)
	if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
		f.Painted(t.Faint.Paint(tool.Name))
	}
	f.Lines = append(f.Lines, "")
}

// argumentLines describe as many arguments as there is room for.
func (s *Screen) argumentLines() []string {
	k, t := s.k, s.k.Theme
	f := widget.Facts{Width: s.page.w, Theme: t}
	list, column := s.editor().takes.List, 0
	list = list[:min(s.page.h, len(list))]
	name := func(a mcp.Argument) string { return api.Clean(a.Name, 60).String() }
	for _, a := range list {
		column = max(column, min(theme.Width(name(a)), 20))
	}
	for _, a := range list {
		takes := k.Words.Reason(a.Type)
		if len(a.Choices) > 0 {
			takes = strings.Join(a.Choices, ", ")
		}
		if a.Required {
			takes += k.Say(", required")
		}
		if a.Default != "" {
			takes += k.Say(", default %s", a.Default)
		}
		if !a.About.IsZero() {
			takes += " · " + a.About.String()
		}
		takes = api.OneLine(api.Clean(takes, 300).String())
		line := "  " + t.Text.Paint(theme.Fit(name(a), column))
		f.Painted(line + "  " + t.Muted.Paint(takes))
	}
	return f.Lines
}

// explain says what tools are, and how darkroom finds them.
func (s *Screen) explain(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	if s.list.loading || !s.list.asked {
		return
	}
	f.Wrapped(t.Text, k.Say("A service can offer tools over the same key: for instance to list its models, to make an image, "+
		"to wait for a job. They can be called here, and by other programs."))
	f.Gap()
	f.Wrapped(t.Muted, k.Say("Where such an entry is differs. The usual places under the base URL are tried once. "+
		"If yours is elsewhere, write its path into the settings file:"))
	f.Gap()
	if k.Settings.ConfigFile != "" {
		f.Painted(t.Faint.Paint(theme.CutLeft(widget.Tilde(k.Settings.ConfigFile, k.Home), f.Width)))
	}
	f.Painted(t.Text.Paint("[profile]"))
	f.Painted(t.Text.Paint(`tools_path = "/api/v1/mcp"`))
}

// writeAnswer writes the last answer, or how far the call is.
func (s *Screen) writeAnswer(p *widget.Pane, f *widget.Facts) {
	if a := s.answer(); a != nil && !s.running() {
		s.fit(a)
		f.Lines = append(f.Lines, a.scroll.Lines()...)
		p.Foot = widget.More(s.k, a.scroll.Offset(), a.scroll.Below())
		return
	}
	f.Painted(s.status(f.Width))
	if !s.running() {
		return
	}
	if progress := s.call.progress.Load(); progress != nil {
		f.Wrapped(f.Theme.Muted, progress.Text.String())
	}
	f.Wrapped(f.Theme.Muted, s.k.SayIf(s.call.stopped, "Stopping."))
}

// status says how the call goes, how the last ended, or what ctrl+s will do.
func (s *Screen) status(w int) string {
	k, t := s.k, s.k.Theme
	text := k.Say("asks first: it may cost credits")
	switch {
	case s.running():
		return s.call.line(k, w)
	case s.answer() != nil:
		return s.answer().status(k)
	case s.list.selected().ReadOnly:
		text = k.Say("calls it (not charged)")
	}
	return t.Key.Paint(k.Key("call_tool", "ctrl+s")) + " " + t.Muted.Paint(text)
}
