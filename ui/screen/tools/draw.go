package tools

import (
	"fmt"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// toolsDrawn is what the screen drew last, and where its parts stand in the
// pane's own lines.
type toolsDrawn struct {
	body             string
	version          int64 // of the form in it
	formAt, formHigh int
	answerAt         int
	loose            bool // the wheel moved the list away from the selection
}

const entryLines = 4

// listRows is how many tools are in view.
func (s *Screen) listRows() int { return max(s.h-2-entryLines, 1) }

func (s *Screen) View() string {
	version := int64(-1)
	if s.Tool().Name != "" {
		version = s.Sheet().Form.Version()
	}
	d := &s.drawn
	if d.body != "" && d.version == version {
		return d.body
	}
	left, right := s.split()
	switch {
	case right > 0:
		list := s.listPane(left)
		d.body = widget.Beside(list, s.toolPane(right))
	case s.On == OnTools || s.Tool().Name == "":
		d.body = strings.Join(s.listPane(left), "\n")
	case s.On == OnAnswer:
		d.body = strings.Join(s.answerPane(left), "\n")
	default:
		d.body = strings.Join(s.toolPane(left), "\n")
	}
	if s.Tool().Name != "" {
		d.version = s.Sheet().Form.Version() // laying it out may have changed it
	}
	return d.body
}

// listPane is the tools, and below them the entry they come from.
func (s *Screen) listPane(w int) []string {
	k, t := s.k, s.k.Theme
	p := widget.Pane{Width: w, Height: s.h, Title: k.Say("Tools"), Focus: s.On == OnTools}
	if n := len(s.box.Tools); n > 0 {
		p.Right = strconv.Itoa(n)
	}
	inner, _ := p.Inner()
	rows := s.listRows()
	if !s.drawn.loose || s.at < s.top || s.at >= s.top+rows {
		s.top = max(min(s.top, s.at), s.at-rows+1, 0)
	}
	s.drawn.loose = false
	f := widget.Facts{Width: inner, Theme: t}
	for i := s.top; i < min(s.top+rows, len(s.box.Tools)); i++ {
		f.Lines = append(f.Lines, s.toolLine(s.box.Tools[i], inner, i == s.at))
	}
	if len(s.box.Tools) == 0 {
		s.explainEmpty(&f)
	}
	for len(f.Lines) < rows {
		f.Lines = append(f.Lines, "")
	}
	f.Lines = append(f.Lines[:rows], widget.Divide(k.Say("Entry")))
	if s.box.Address != "" {
		f.Painted(t.Text.Paint(theme.CutLeft(api.Clean(s.box.Address, 300).String(), inner)))
		f.Painted(t.Muted.Paint(theme.Cut(s.box.Server.String(), inner)))
	}
	f.Painted(s.entryLine(inner))
	return p.Lines(t, f.Lines)
}

func (s *Screen) explainEmpty(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	switch {
	case s.asking:
		f.Wrapped(t.Muted, k.Say("Looking for the service's tool entry."))
	case s.failed != nil:
		f.Wrapped(t.Text, env.Sentence(k, s.failed))
		f.Gap()
		f.Wrapped(t.Muted, k.Say("Press r to look again."))
	case s.asked:
		f.Wrapped(t.Muted, k.Say("The entry offers no tools."))
	}
}

// entryLine says whether the entry answers.
func (s *Screen) entryLine(w int) string {
	k, t := s.k, s.k.Theme
	switch {
	case s.asking:
		return t.Muted.Paint(k.Say("asking …"))
	case s.failed != nil && len(s.box.Tools) > 0:
		return t.Warn.Paint(theme.Cut("✗ "+env.Sentence(k, s.failed), w))
	case s.failed != nil:
		return t.Warn.Paint("✗ " + k.Say("does not answer"))
	case !s.box.At.IsZero():
		return t.Good.Paint("✓ ") + t.Muted.Paint(k.Say("answered at %s", k.Stamp(s.box.At)))
	}
	return ""
}

func (s *Screen) toolLine(tool mcp.Tool, w int, selected bool) string {
	k := s.k
	in, mark := &k.Theme.Inks, "  "
	if selected {
		in, mark = &k.Theme.Selected, "▸ "
	}
	tag, ink := k.Say("may spend"), in.Warn
	if tool.ReadOnly {
		tag, ink = k.Say("only reads"), in.Faint
	}
	if s.run != nil && s.run.name == tool.Name {
		tag, ink = "◐ "+k.Say("calling"), in.Run
	}
	room := w - 2 - theme.Width(tag) - 1
	var b strings.Builder
	in.Accent.Write(&b, mark)
	if selected {
		in.Strong.Write(&b, theme.Fit(tool.Label(), room))
	} else {
		in.Text.Write(&b, theme.Fit(tool.Label(), room))
	}
	in.Text.Write(&b, " ")
	ink.Write(&b, tag)
	return b.String()
}

// toolLayout is how the right pane divides: what the tool does, its form, and
// its answer where there is room for it below.
type toolLayout struct {
	about      []string
	formHigh   int
	answerHigh int // 0: it has a page of its own
}

// lay divides a pane of inner size w×high. It depends on the tool and the size
// alone, so that nothing moves when an answer comes.
func (s *Screen) lay(w, high int, wide bool) toolLayout {
	l := toolLayout{about: s.about(w, high)}
	room := high - len(l.about)
	if !wide {
		l.formHigh = room - 1
		if len(s.Sheet().Fields) > 0 {
			s.Sheet().Form.Resize(w, l.formHigh)
		}
		return l
	}
	l.formHigh = 2
	if sheet := s.Sheet(); len(sheet.Fields) > 0 {
		most := max(room-1-high*2/5, 4) // two fifths are the answer's at least
		sheet.Form.Resize(w, most)
		l.formHigh = min(sheet.Form.Height()+1, most)
	}
	l.answerHigh = max(room-l.formHigh-1, 1)
	return l
}

// about is what the tool does: as many lines as can be spared.
func (s *Screen) about(w, high int) []string {
	t, tool := s.k.Theme, s.Tool()
	f := widget.Facts{Width: w, Theme: t}
	f.Wrapped(t.Text, tool.Description.String())
	if most := max(high/8, 2); len(f.Lines) > most {
		f.Lines = f.Lines[:most]
		f.Lines[most-1] = theme.Cut(f.Lines[most-1], w-2) + t.Faint.Paint(" …")
	}
	if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
		f.Painted(t.Faint.Paint(tool.Name))
	}
	return append(f.Lines, "")
}

// toolPane is the selected tool.
func (s *Screen) toolPane(w int) []string {
	k, t := s.k, s.k.Theme
	p := widget.Pane{Width: w, Height: s.h, Focus: s.On != OnTools, Title: k.Say("Tools of the service")}
	tool := s.Tool()
	d := &s.drawn
	d.formAt, d.formHigh, d.answerAt = 0, 0, 0
	if tool.Name == "" {
		p.Focus = false
		return p.Lines(t, s.explain(p))
	}
	p.Title, p.Right = tool.Label(), k.Say("may spend credits")
	p.Inked = t.Warn.Paint(p.Right)
	if tool.ReadOnly {
		p.Right = k.Say("only reads")
		p.Inked = t.Muted.Paint(p.Right)
	}
	inner, high := p.Inner()
	_, right := s.split()
	l := s.lay(inner, high, right > 0)
	f := widget.Facts{Width: inner, Theme: t, Lines: l.about}
	s.placeForm(&f, l)
	if right == 0 {
		s.narrowFoot(&p, &f, high)
		return p.Lines(t, f.Lines)
	}
	d.answerAt = len(f.Lines)
	f.Lines = append(f.Lines, widget.Divide(k.Say("Answer")))
	s.drawAnswer(&p, &f, inner, l.answerHigh)
	s.hangMenu(&f, l)
	return p.Lines(t, f.Lines)
}

// explain says what tools are, as long as there are none.
func (s *Screen) explain(p widget.Pane) []string {
	k, t := s.k, s.k.Theme
	w, _ := p.Inner()
	f := widget.Facts{Width: w, Theme: t}
	if s.asking || !s.asked {
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

// hangMenu lets a list that is open in the form hang over the answer.
func (s *Screen) hangMenu(f *widget.Facts, l toolLayout) {
	if !s.Sheet().Form.MenuOpen() {
		return
	}
	for i, line := range s.Sheet().Form.Lines()[l.formHigh:] {
		if line == "" {
			continue
		}
		at := s.drawn.formAt + l.formHigh + i
		for len(f.Lines) <= at {
			f.Lines = append(f.Lines, "")
		}
		f.Lines[at] = line
	}
}

func (s *Screen) placeForm(f *widget.Facts, l toolLayout) {
	sheet := s.Sheet()
	if len(sheet.Fields) == 0 {
		f.Painted(s.k.Theme.Muted.Paint(s.k.Say("It takes no arguments.")))
		f.Lines = append(f.Lines, "")
		return
	}
	sheet.Form.Idle(s.On != OnArgs)
	s.drawn.formAt, s.drawn.formHigh = len(f.Lines), l.formHigh
	f.Lines = append(f.Lines, sheet.Form.Lines()[:l.formHigh]...)
}

// narrowFoot is the last line of the form where the answer has no room.
func (s *Screen) narrowFoot(p *widget.Pane, f *widget.Facts, high int) {
	for len(f.Lines) < high-1 {
		f.Lines = append(f.Lines, "")
	}
	f.Lines = f.Lines[:min(len(f.Lines), high-1)]
	line := s.hintLine()
	switch r := s.result(); {
	case s.running():
		line = s.progressLine(f.Width)
	case r != nil:
		line = r.status(s.k) + s.k.Theme.Faint.Paint("  "+s.k.Say("tab to the answer"))
	}
	f.Painted(line)
	s.more(p)
}

func (s *Screen) more(p *widget.Pane) {
	if len(s.Sheet().Fields) == 0 {
		return
	}
	if _, below := s.Sheet().Form.More(); below > 0 {
		p.Foot = s.k.Say("↓ %d more lines", below)
	}
}

// answerPane is the answer with the whole body.
func (s *Screen) answerPane(w int) []string {
	k := s.k
	p := widget.Pane{Width: w, Height: s.h, Focus: true, Title: k.Say("%s: answer", s.Tool().Label())}
	inner, high := p.Inner()
	f := widget.Facts{Width: inner, Theme: k.Theme}
	s.drawn.formHigh, s.drawn.answerAt = 0, 0
	s.drawAnswer(&p, &f, inner, high)
	return p.Lines(k.Theme, f.Lines)
}

// drawAnswer writes what the call is doing, or what it came to.
func (s *Screen) drawAnswer(p *widget.Pane, f *widget.Facts, w, high int) {
	k, t := s.k, s.k.Theme
	r := s.result()
	switch {
	case s.running():
		f.Painted(s.progressLine(w))
		if text := s.run.progress.Text.String(); text != "" {
			f.Wrapped(t.Muted, text)
		}
		if s.run.stopped {
			f.Wrapped(t.Muted, k.Say("Stopping."))
		}
		return
	case r == nil:
		f.Painted(s.hintLine())
		return
	}
	_, room := s.pictureRoom()
	lines := r.body(k, w, room)
	r.top = max(min(r.top, len(lines)-high), 0)
	to := min(r.top+high, len(lines))
	f.Lines = append(f.Lines, lines[r.top:to]...)
	switch above, below := r.top, len(lines)-to; {
	case above > 0 && below > 0:
		p.Foot = fmt.Sprintf("↑ %d  ↓ %d", above, below)
	case below > 0:
		p.Foot = k.Say("↓ %d more lines", below)
	case above > 0:
		p.Foot = k.Say("↑ %d more lines", above)
	}
}

// hintLine says what ctrl+s will do.
func (s *Screen) hintLine() string {
	k, t := s.k, s.k.Theme
	text := k.Say("calls it; nothing is spent")
	if !s.Tool().ReadOnly {
		text = k.Say("asks first: it may spend credits")
	}
	return t.Key.Paint("ctrl+s") + " " + t.Muted.Paint(text)
}

// progressLine is the time a call takes, and how far the tool says it is.
func (s *Screen) progressLine(w int) string {
	k, t, r := s.k, s.k.Theme, s.run
	line := t.Run.Paint("◐ "+k.Say("calling")) + t.Muted.Paint("  "+env.Short(r.at.Sub(r.began)))
	switch {
	case r.told && r.progress.Total > 0:
		line += "  " + widget.ProgressBar(t, r.progress.Done/r.progress.Total, min(20, w/4)) + t.Muted.Paint(fmt.Sprintf("  %g / %g", r.progress.Done, r.progress.Total))
	case r.told:
		line += t.Muted.Paint(fmt.Sprintf("  %g", r.progress.Done))
	}
	return theme.Cut(line, w)
}

// pictureRoom is how many cells a picture of the answer may take: the lines
// around it have to fit as well.
func (s *Screen) pictureRoom() (w, h int) {
	const around = 6
	left, right := s.split()
	if right == 0 {
		return left - 4, max(s.h-2-around, 4)
	}
	return right - 4, max(s.lay(right-4, s.h-2, true).answerHigh-around, 4)
}
