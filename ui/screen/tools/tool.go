package tools

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// roomyFrom is the height from which the button stays above an answer.
const roomyFrom = 44

// page is the pane of the selected tool as it is drawn, with the places that the
// mouse and the cursor need. They depend on the tool, its arguments and the
// size, so that nothing moves when an answer comes.
type page struct {
	lines      []string
	w, h       int         // of the inside
	form       widget.Rect // empty: the tool takes no arguments, or the answer has the page
	answerHigh int         // of the lowest lines; 0: it has a page of its own
	keysAt     int         // line of the button in the pane; 0: there is none
}

// arrange draws the pane of the selected tool, or the page of its answer. Every
// change ends with it, so that View changes nothing.
func (s *Screen) arrange() {
	k, t, tool := s.k, s.k.Theme, s.list.selected()
	s.list.rows.SetWindow(2, (s.h-3-entryLines)/s.pitch())
	left, width := s.toolPane()
	pane := widget.Pane{Width: width, Height: s.h, Focus: s.on != onList, Quiet: s.on == onForm, Title: tool.Label()}
	s.page = page{}
	s.page.w, s.page.h = pane.Inner()
	f := &widget.Facts{Width: s.page.w, Theme: t}
	switch {
	case tool.Name == "":
	case s.narrow() && s.on == onAnswer:
		pane.Title = k.Say("%s: response", tool.Label())
		s.page.answerHigh = s.page.h
		s.writeAnswer(&pane, f)
	default:
		s.page.form.X = left + 2
		s.writeTool(&pane, f)
	}
	s.page.lines = pane.Lines(t, f.Lines)
}

// writeTool writes what the tool does, its arguments, and its answer.
func (s *Screen) writeTool(pane *widget.Pane, f *widget.Facts) {
	k, t, p, e := s.k, s.k.Theme, &s.page, s.editor()
	e.Idle(s.on != onForm)
	f.Add("")
	tool := s.list.selected()
	f.Wrapped(t.Text, tool.Description.String())
	f.Lines = s.cutLines(f.Lines, max(p.h/8, 2)+1)
	if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
		f.Painted(t.Faint.Paint(tool.Name))
	}
	f.Add("")
	p.form.Y = 1 + len(f.Lines)
	room := p.h - p.form.Y // the hint, or the heading of the answer
	if !s.narrow() {
		room = max(room-p.h/3, 4) // a third is the answer's at least
	}
	if e.takes.None {
		f.Painted(t.Muted.Paint(k.Say("It takes no arguments.")))
		f.Add("")
	} else {
		arguments := s.argumentLines()
		most := max(room-1-min(len(arguments)+1, room/2), 3)
		if s.narrow() {
			most = max(most/2, 3)
		}
		e.Resize(p.w, most)
		p.form.W, p.form.H = p.w, min(e.Height(), most)
		f.Add(e.Lines()[:p.form.H]...)
		f.Add("")
		f.Add(s.cutLines(arguments, max(room-p.form.H-2, 0))...)
		f.Add("")
	}
	if !s.narrow() {
		if s.answer() == nil && !s.running() || p.h >= roomyFrom {
			p.keysAt = len(f.Lines) + 1
			keys := append(s.keys().Lines(p.w), "")
			keys[1] = theme.Cut(keys[1]+"   "+cmp.Or(t.Warn.Paint(s.costs(tool)), t.Good.Paint(k.Say("free"))), p.w)
			f.Add(keys...)
		}
		f.Add(widget.Divide(k.Say("Response")))
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
	if _, below := e.More(); p.form.H > 0 {
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

// argumentLines describe as many arguments as there is room for, required ones first.
func (s *Screen) argumentLines() (lines []string) {
	k, t, list, name, kind := s.k, s.k.Theme, s.editor().takes.List, 0, 0
	list = list[:min(s.page.h, len(list))]
	for _, a := range list {
		name = max(name, min(theme.Width(api.Clean(a.Name, 60).String()), 20)+2)
		kind = max(kind, theme.Width(k.Words.Reason(a.Type))+2)
	}
	for _, a := range list {
		about := a.About.String()
		if f := api.FieldNamed(a.Name); f != nil && k.Words.Lang() != "en" {
			about = k.Say(f.Label)
		}
		if slices.ContainsFunc(a.Choices, func(c string) bool { return strings.Contains(about, c) }) {
			about = ""
		}
		takes := []string{k.SayIf(a.Required, "required"), strings.Join(a.Choices, ", "), "", about}
		if a.Default != "" {
			takes[2] = k.Say("default: %s", a.Default)
		}
		takes = slices.DeleteFunc(takes, func(s string) bool { return s == "" })
		line := "  " + t.Text.Paint(theme.Fit(api.Clean(a.Name, 60).String(), name)) + t.Muted.Paint(theme.Fit(k.Words.Reason(a.Type), kind))
		lines = append(lines, theme.Cut(line+t.Muted.Paint(api.OneLine(api.Clean(strings.Join(takes, " · "), 300).String())), s.page.w))
	}
	return lines
}

// writeAnswer writes the last answer, or how far the call is.
func (s *Screen) writeAnswer(p *widget.Pane, f *widget.Facts) {
	if a := s.answer(); a != nil && !s.running() {
		s.fit(a)
		f.Add(a.scroll.Lines()...)
		p.Foot = widget.More(s.k, a.scroll.Offset(), a.scroll.Below())
		return
	}
	if !s.running() && !s.narrow() { // the place that it will have
		for _, line := range result.Centred([]string{f.Theme.Muted.Paint(s.k.Say("The response appears here."))}, f.Width, s.page.answerHigh) {
			f.Add(f.Theme.Page.Lay(line))
		}
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

// keys are the button that calls the tool, or says what that takes, and its effect below.
func (s *Screen) keys() widget.Keys {
	call := *action.Named(s.actions, "call_tool")
	if lacks := s.editor().lacks; lacks != "" { // the action shows what else is wrong
		call.Disabled = func() string { return s.k.Say("Fill in %s first", lacks) }
	}
	return widget.Keys{K: s.k, Table: []action.Action{call}, Words: env.Capital(s.k.Say(call.Label))}
}

// At is the action of the button at a cell, or nil.
func (s *Screen) At(x, y int) *action.Action {
	left, w := s.toolPane()
	if at := s.page.keysAt; at == 0 || s.keys().At(w, at+len(s.keys().Lines(w-4))+1, x-left, y) == nil {
		return nil
	}
	return action.Named(s.actions, "call_tool")
}

// status says how the call goes, how the last ended, or what ctrl+s will do.
func (s *Screen) status(w int) string {
	k, t := s.k, s.k.Theme
	switch {
	case s.running():
		return s.call.line(k, w)
	case s.answer() != nil:
		return s.answer().status(k)
	}
	effect := cmp.Or(k.SayIf(s.list.selected().ReadOnly, "Nothing is charged."), k.Say("It may cost credits: you are asked first."))
	return t.Key.Paint(k.Key("call_tool", "ctrl+s")) + " " + t.Muted.Paint(k.Say("call the tool")+"   "+effect)
}
