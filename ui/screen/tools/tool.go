package tools

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// layout holds the positions of the selected tool's parts inside its pane. It
// depends on the tool, its arguments and the size, so that nothing moves when an
// answer comes.
type layout struct {
	w, h int // of the inside

	about      []string // what the tool does
	formAt     int
	formHigh   int      // 0: the tool takes no arguments, or the answer has the page
	arguments  []string // what they are, below the form
	answerAt   int
	answerHigh int // 0: it has a page of its own
}

// divide lays out the pane of the selected tool, and gives the form its size.
func (s *Screen) divide() layout {
	_, width := s.toolPane()
	var l layout
	l.w, l.h = widget.Pane{Width: width, Height: s.h}.Inner()
	if s.narrow() && s.on == onAnswer {
		l.answerHigh = l.h
		return l
	}
	l.about = s.aboutLines(l.w, max(l.h/8, 2))
	l.formAt = len(l.about)
	room := l.h - l.formAt - 1 // the hint, or the heading of the answer
	if !s.narrow() {
		room = max(room-l.h*2/5, 4) // two fifths are the answer's at least
	}
	high := 2
	if e := s.editor(); !e.takes.None {
		arguments := s.argumentLines(l.w, l.h)
		most := max(room-1-min(len(arguments)+1, room/3), 3)
		e.Resize(l.w, most)
		l.formHigh = min(e.Height(), most)
		l.arguments = append(s.cutLines(arguments, max(room-l.formHigh-2, 0), l.w), "")
		high = l.formHigh + 1 + len(l.arguments)
	}
	if !s.narrow() {
		l.answerAt = l.formAt + high + 1
		l.answerHigh = max(l.h-l.answerAt, 1)
	}
	return l
}

// cutLines are the first n lines, marked when there are more.
func (s *Screen) cutLines(lines []string, n, w int) []string {
	if len(lines) > n && n > 0 {
		lines[n-1] = theme.Cut(lines[n-1], w-2) + s.k.Theme.Faint.Paint(" …")
	}
	return lines[:min(n, len(lines))]
}

// pictureHeight returns how many lines a picture of an answer may take: some lines
// around it have to be in view as well.
func (s *Screen) pictureHeight() int { return max(s.place.answerHigh-6, 4) }

// aboutLines says what the selected tool does, in n lines at most. The whole of it
// is shown with its schema.
func (s *Screen) aboutLines(w, n int) []string {
	t, tool := s.k.Theme, s.list.selected()
	f := widget.Facts{Width: w, Theme: t}
	f.Wrapped(t.Text, tool.Description.String())
	f.Lines = s.cutLines(f.Lines, n, w)
	if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
		f.Painted(t.Faint.Paint(tool.Name))
	}
	return append(f.Lines, "")
}

// argumentLines describe the arguments of the selected tool, n at most.
func (s *Screen) argumentLines(w, n int) []string {
	k, t := s.k, s.k.Theme
	f := widget.Facts{Width: w, Theme: t}
	list, column := s.editor().takes.List, 0
	list = list[:min(n, len(list))]
	for _, a := range list {
		column = max(column, min(theme.Width(api.Clean(a.Name, 60).String()), 20))
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
		name := theme.Fit(api.Clean(a.Name, 60).String(), column)
		f.Painted("  " + t.Text.Paint(name) + "  " + t.Muted.Paint(api.OneLine(api.Clean(takes, 300).String())))
	}
	return f.Lines
}

// toolLines draws the pane of the selected tool, or the page of its answer.
func (s *Screen) toolLines(w int) []string {
	k, t, l := s.k, s.k.Theme, s.place
	tool := s.list.selected()
	p := widget.Pane{Width: w, Height: s.h, Focus: s.on != onList && tool.Name != "", Title: tool.Label(), Right: s.costs(tool)}
	f := &widget.Facts{Width: l.w, Theme: t, Lines: slices.Clone(l.about)}
	switch {
	case tool.Name == "":
		p.Title, p.Right = k.Say("Tools of the service"), ""
		return p.Lines(t, s.explain(p))
	case l.answerHigh == l.h:
		p.Title, p.Right = k.Say("%s: answer", tool.Label()), ""
		s.writeAnswer(&p, f)
		return p.Lines(t, f.Lines)
	}
	p.Inked = t.Warn.Paint(p.Right)
	if tool.ReadOnly {
		p.Inked = t.Muted.Paint(p.Right)
	}
	if l.formHigh == 0 {
		f.Painted(t.Muted.Paint(k.Say("It takes no arguments.")))
	} else {
		f.Lines = append(f.Lines, s.editor().Lines()[:l.formHigh]...)
	}
	f.Lines = append(append(f.Lines, ""), l.arguments...)
	if l.answerHigh > 0 {
		f.Lines = append(f.Lines, widget.Divide(k.Say("Answer")))
		s.writeAnswer(&p, f)
		return p.Lines(t, f.Lines)
	}
	f.Lines = append(f.Lines, make([]string, l.h)...)[:l.h-1]
	status := s.status(l.w)
	if s.answer() != nil && !s.running() {
		status += t.Faint.Paint("  " + k.Say("tab to the answer"))
	}
	f.Painted(status)
	if _, below := s.editor().More(); l.formHigh > 0 {
		p.Foot = widget.More(k, 0, below)
	}
	return p.Lines(t, f.Lines)
}

// explain says what tools are while there are none.
func (s *Screen) explain(p widget.Pane) []string {
	k, t := s.k, s.k.Theme
	w, _ := p.Inner()
	f := widget.Facts{Width: w, Theme: t}
	if s.list.loading || !s.list.asked {
		return nil
	}
	f.Wrapped(t.Text, k.Say("A service can offer tools over the same key: for instance to list its models, to make an image, "+
		"to wait for a job. They can be called here, and by other programs."))
	f.Gap()
	f.Wrapped(t.Muted, k.Say("Where such an entry is differs. The usual places under the base URL are tried once. "+
		"If yours is elsewhere, write its path into the settings file:"))
	f.Gap()
	if k.Settings.ConfigFile != "" {
		f.Painted(t.Faint.Paint(theme.CutLeft(widget.Tilde(k.Settings.ConfigFile, k.Home), w)))
	}
	f.Painted(t.Text.Paint("[profile]"))
	f.Painted(t.Text.Paint(`tools_path = "/api/v1/mcp"`))
	return f.Lines
}

// writeAnswer writes the state of the call, or its result.
func (s *Screen) writeAnswer(p *widget.Pane, f *widget.Facts) {
	if a := s.answer(); a != nil && !s.running() {
		f.Lines = append(f.Lines, a.scroll.Lines()...)
		p.Foot = widget.More(s.k, a.scroll.Offset(), a.scroll.Below())
		return
	}
	f.Painted(s.status(f.Width))
	if s.running() && s.call.progress != nil {
		f.Wrapped(f.Theme.Muted, s.call.progress.Text.String())
	}
	if s.running() && s.call.stopped {
		f.Wrapped(f.Theme.Muted, s.k.Say("Stopping."))
	}
}

// status is one line: how the call goes, how the last one ended, or what ctrl+s
// will do.
func (s *Screen) status(w int) string {
	k, t := s.k, s.k.Theme
	text := k.Say("asks first: it may cost credits")
	switch {
	case s.running():
		return s.call.line(k, w)
	case s.answer() != nil:
		return s.answer().status(k)
	case s.list.selected().ReadOnly:
		text = k.Say("calls it; nothing is spent")
	}
	return t.Key.Paint("ctrl+s") + " " + t.Muted.Paint(text)
}
