package tools

import (
	"slices"

	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// layout is where the parts of the selected tool stand in the inside of its
// pane. It depends on the tool, its form and the size, so that nothing moves
// when an answer comes.
type layout struct {
	w, h  int      // of the inside
	about []string // what the tool does

	formAt     int
	formHigh   int      // 0: the tool takes no arguments
	arguments  []string // below the form
	answerAt   int      // the line of its heading
	answerHigh int      // 0: it has a page of its own
}

// divide lays out the pane of the selected tool, and gives the form its size.
func (s *Screen) divide() layout {
	left, right := s.split()
	if right > 0 {
		left = right
	}
	var l layout
	l.w, l.h = widget.Pane{Width: left, Height: s.h}.Inner()
	about := s.about(l.w, l.h)
	l.about = about[0]
	l.formAt = len(l.about)
	room := l.h - l.formAt - 1 // the hint, or the heading of the answer
	if right > 0 {
		room = max(room-l.h*2/5, 4) // two fifths are the answer's at least
	}
	high := 2
	if e := s.editor(); !e.takes.None {
		most := max(room-1-min(len(about[1])+1, room/3), 3)
		e.Resize(l.w, most)
		l.formHigh = min(e.Height(), most)
		l.arguments = append(cutLines(s.k, about[1], max(room-l.formHigh-2, 0), l.w), "")
		high = l.formHigh + 1 + len(l.arguments)
	}
	if right > 0 {
		l.answerAt = l.formAt + high
		l.answerHigh = max(l.h-l.answerAt-1, 1)
	}
	return l
}

// cutLines are the first n lines, marked when there are more.
func cutLines(k *env.Env, lines []string, n, w int) []string {
	lines, more := slices.Clone(lines[:min(n, len(lines))]), len(lines) > n
	if more && n > 0 {
		lines[n-1] = theme.Cut(lines[n-1], w-2) + k.Theme.Faint.Paint(" …")
	}
	return lines
}

// answerHeight is how many lines of an answer are in view.
func (s *Screen) answerHeight() int {
	if s.place.answerHigh > 0 {
		return s.place.answerHigh
	}
	return s.place.h
}

// pictureHeight is how many lines a picture of an answer may take: some lines
// around it have to be in view as well.
func (s *Screen) pictureHeight() int { return max(s.answerHeight()-6, 4) }

// aboutKey is what the lines about a tool depend on.
type aboutKey struct {
	env.Look
	version int64
	rows    widget.Picker
	w, h    int
}

// about is what the selected tool does, as many lines as can be spared, and what
// its arguments are. The whole of it is shown with its schema.
func (s *Screen) about(w, h int) [2][]string {
	return s.drawn.about.Get(aboutKey{s.k.Look(), s.list.version, s.list.rows, w, h}, func() [2][]string {
		t, tool := s.k.Theme, s.list.selected()
		f := widget.Facts{Width: w, Theme: t}
		f.Wrapped(t.Text, tool.Description.String())
		f.Lines = cutLines(s.k, f.Lines, max(h/8, 2), w)
		if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
			f.Painted(t.Faint.Paint(tool.Name))
		}
		return [2][]string{append(f.Lines, ""), s.argumentLines(w)}
	})
}

// toolLines draws the pane of the selected tool.
func (s *Screen) toolLines(w int) []string {
	k, t := s.k, s.k.Theme
	p := widget.Pane{Width: w, Height: s.h, Focus: s.on != onList, Title: k.Say("Tools of the service")}
	tool := s.list.selected()
	if tool.Name == "" {
		p.Focus = false
		return p.Lines(t, s.explain(p))
	}
	p.Title, p.Right = tool.Label(), s.costs(tool)
	p.Inked = t.Warn.Paint(p.Right)
	if tool.ReadOnly {
		p.Inked = t.Muted.Paint(p.Right)
	}
	l := s.place
	f := &widget.Facts{Width: l.w, Theme: t, Lines: append([]string(nil), l.about...)}
	s.writeForm(f)
	if l.answerHigh == 0 {
		s.writeFoot(&p, f)
		return p.Lines(t, f.Lines)
	}
	f.Lines = append(f.Lines, widget.Divide(k.Say("Answer")))
	s.writeAnswer(&p, f)
	return p.Lines(t, f.Lines)
}

// answerLines draws the page of an answer.
func (s *Screen) answerLines(w int) []string {
	k := s.k
	p := widget.Pane{Width: w, Height: s.h, Focus: true, Title: k.Say("%s: answer", s.list.selected().Label())}
	f := &widget.Facts{Width: s.place.w, Theme: k.Theme}
	s.writeAnswer(&p, f)
	return p.Lines(k.Theme, f.Lines)
}

// explain says what tools are, as long as there are none.
func (s *Screen) explain(p widget.Pane) []string {
	k, t := s.k, s.k.Theme
	w, _ := p.Inner()
	f := widget.Facts{Width: w, Theme: t}
	if s.list.loading || !s.list.asked {
		return nil
	}
	f.Wrapped(t.Text, k.Say("A service can offer tools over the same key: for instance to list its models, to make an image, to wait for a job. They can be called here, and by other programs."))
	f.Gap()
	f.Wrapped(t.Muted, k.Say("Where such an entry is differs. The usual places under the base URL are tried once. If yours is elsewhere, write its path into the settings file:"))
	f.Gap()
	if k.Settings.ConfigFile != "" {
		f.Painted(t.Faint.Paint(theme.CutLeft(widget.Tilde(k.Settings.ConfigFile, k.Home), w)))
	}
	f.Painted(t.Text.Paint("[profile]"))
	f.Painted(t.Text.Paint(`tools_path = "/api/v1/mcp"`))
	return f.Lines
}

func (s *Screen) writeForm(f *widget.Facts) {
	if s.place.formHigh == 0 {
		f.Painted(s.k.Theme.Muted.Paint(s.k.Say("It takes no arguments.")))
		f.Lines = append(f.Lines, "")
		return
	}
	f.Lines = append(append(f.Lines, s.editor().Lines()[:s.place.formHigh]...), "")
	f.Lines = append(f.Lines, s.place.arguments...)
}

// writeFoot ends the form where the answer has a page of its own: its last line
// says how the call goes.
func (s *Screen) writeFoot(p *widget.Pane, f *widget.Facts) {
	for len(f.Lines) < s.place.h-1 {
		f.Lines = append(f.Lines, "")
	}
	f.Lines = f.Lines[:min(len(f.Lines), s.place.h-1)]
	line := s.hintLine()
	switch a := s.answer(); {
	case s.running():
		line = s.call.line(s.k, f.Width)
	case a != nil:
		line = a.status(s.k) + s.k.Theme.Faint.Paint("  "+s.k.Say("tab to the answer"))
	}
	f.Painted(line)
	if _, below := s.editor().More(); s.place.formHigh > 0 {
		p.Foot = widget.More(s.k, 0, below)
	}
}

// writeAnswer writes how the call goes, or what it came to.
func (s *Screen) writeAnswer(p *widget.Pane, f *widget.Facts) {
	k, t, a := s.k, s.k.Theme, s.answer()
	switch {
	case s.running():
		f.Painted(s.call.line(k, f.Width))
		if text := s.call.progress.Text.String(); text != "" {
			f.Wrapped(t.Muted, text)
		}
		if s.call.stopped {
			f.Wrapped(t.Muted, k.Say("Stopping."))
		}
		return
	case a == nil:
		f.Painted(s.hintLine())
		return
	}
	f.Lines = append(f.Lines, a.scroll.Lines()...)
	p.Foot = widget.More(k, a.scroll.Offset(), a.scroll.Below())
}

// hintLine says what ctrl+s will do.
func (s *Screen) hintLine() string {
	k, t := s.k, s.k.Theme
	text := k.Say("calls it; nothing is spent")
	if !s.list.selected().ReadOnly {
		text = k.Say("asks first: it may cost credits")
	}
	return t.Key.Paint("ctrl+s") + " " + t.Muted.Paint(text)
}
