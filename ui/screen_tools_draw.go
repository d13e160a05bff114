package ui

import (
	"fmt"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/theme"
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
func (s *tools) listRows() int { return max(s.h-2-entryLines, 1) }

func (s *tools) view() string {
	version := int64(-1)
	if s.tool().Name != "" {
		version = s.sheet().form.Version()
	}
	d := &s.drawn
	if d.body != "" && d.version == version {
		return d.body
	}
	left, right := s.split()
	switch {
	case right > 0:
		list := s.listPane(left)
		d.body = beside(list, s.toolPane(right))
	case s.on == onTools || s.tool().Name == "":
		d.body = strings.Join(s.listPane(left), "\n")
	case s.on == onAnswer:
		d.body = strings.Join(s.answerPane(left), "\n")
	default:
		d.body = strings.Join(s.toolPane(left), "\n")
	}
	if s.tool().Name != "" {
		d.version = s.sheet().form.Version() // laying it out may have changed it
	}
	return d.body
}

// listPane is the tools, and below them the entry they come from.
func (s *tools) listPane(w int) []string {
	k, t := s.k, s.k.theme
	p := pane{w: w, h: s.h, title: k.say("Tools"), focus: s.on == onTools}
	if n := len(s.box.Tools); n > 0 {
		p.right = strconv.Itoa(n)
	}
	inner, _ := p.inner()
	rows := s.listRows()
	if !s.drawn.loose || s.at < s.top || s.at >= s.top+rows {
		s.top = max(min(s.top, s.at), s.at-rows+1, 0)
	}
	s.drawn.loose = false
	f := facts{w: inner, t: t}
	for i := s.top; i < min(s.top+rows, len(s.box.Tools)); i++ {
		f.lines = append(f.lines, s.toolLine(s.box.Tools[i], inner, i == s.at))
	}
	if len(s.box.Tools) == 0 {
		s.explainEmpty(&f)
	}
	for len(f.lines) < rows {
		f.lines = append(f.lines, "")
	}
	f.lines = append(f.lines[:rows], divide(k.say("Entry")))
	if s.box.Address != "" {
		f.painted(t.Text.Paint(theme.CutLeft(api.Clean(s.box.Address, 300).String(), inner)))
		f.painted(t.Muted.Paint(theme.Cut(s.box.Server.String(), inner)))
	}
	f.painted(s.entryLine(inner))
	return p.lines(t, f.lines)
}

func (s *tools) explainEmpty(f *facts) {
	k, t := s.k, s.k.theme
	switch {
	case s.asking:
		f.wrapped(t.Muted, k.say("Looking for the service's tool entry."))
	case s.failed != nil:
		f.wrapped(t.Text, sentence(k, s.failed))
		f.gap()
		f.wrapped(t.Muted, k.say("Press r to look again."))
	case s.asked:
		f.wrapped(t.Muted, k.say("The entry offers no tools."))
	}
}

// entryLine says whether the entry answers.
func (s *tools) entryLine(w int) string {
	k, t := s.k, s.k.theme
	switch {
	case s.asking:
		return t.Muted.Paint(k.say("asking …"))
	case s.failed != nil && len(s.box.Tools) > 0:
		return t.Warn.Paint(theme.Cut("✗ "+sentence(k, s.failed), w))
	case s.failed != nil:
		return t.Warn.Paint("✗ " + k.say("does not answer"))
	case !s.box.At.IsZero():
		return t.Good.Paint("✓ ") + t.Muted.Paint(k.say("answered at %s", k.stamp(s.box.At)))
	}
	return ""
}

func (s *tools) toolLine(tool mcp.Tool, w int, selected bool) string {
	k := s.k
	in, mark := &k.theme.Inks, "  "
	if selected {
		in, mark = &k.theme.Selected, "▸ "
	}
	tag, ink := k.say("may spend"), in.Warn
	if tool.ReadOnly {
		tag, ink = k.say("only reads"), in.Faint
	}
	if s.run != nil && s.run.name == tool.Name {
		tag, ink = "◐ "+k.say("calling"), in.Run
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
func (s *tools) lay(w, high int, wide bool) toolLayout {
	l := toolLayout{about: s.about(w, high)}
	room := high - len(l.about)
	if !wide {
		l.formHigh = room - 1
		if len(s.sheet().fields) > 0 {
			s.sheet().form.Resize(w, l.formHigh)
		}
		return l
	}
	l.formHigh = 2
	if sheet := s.sheet(); len(sheet.fields) > 0 {
		most := max(room-1-high*2/5, 4) // two fifths are the answer's at least
		sheet.form.Resize(w, most)
		l.formHigh = min(sheet.form.Height()+1, most)
	}
	l.answerHigh = max(room-l.formHigh-1, 1)
	return l
}

// about is what the tool does: as many lines as can be spared.
func (s *tools) about(w, high int) []string {
	t, tool := s.k.theme, s.tool()
	f := facts{w: w, t: t}
	f.wrapped(t.Text, tool.Description.String())
	if most := max(high/8, 2); len(f.lines) > most {
		f.lines = f.lines[:most]
		f.lines[most-1] = theme.Cut(f.lines[most-1], w-2) + t.Faint.Paint(" …")
	}
	if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
		f.painted(t.Faint.Paint(tool.Name))
	}
	return append(f.lines, "")
}

// toolPane is the selected tool.
func (s *tools) toolPane(w int) []string {
	k, t := s.k, s.k.theme
	p := pane{w: w, h: s.h, focus: s.on != onTools, title: k.say("Tools of the service")}
	tool := s.tool()
	d := &s.drawn
	d.formAt, d.formHigh, d.answerAt = 0, 0, 0
	if tool.Name == "" {
		p.focus = false
		return p.lines(t, s.explain(p))
	}
	p.title, p.right = tool.Label(), k.say("may spend credits")
	p.inked = t.Warn.Paint(p.right)
	if tool.ReadOnly {
		p.right = k.say("only reads")
		p.inked = t.Muted.Paint(p.right)
	}
	inner, high := p.inner()
	_, right := s.split()
	l := s.lay(inner, high, right > 0)
	f := facts{w: inner, t: t, lines: l.about}
	s.placeForm(&f, l)
	if right == 0 {
		s.narrowFoot(&p, &f, high)
		return p.lines(t, f.lines)
	}
	d.answerAt = len(f.lines)
	f.lines = append(f.lines, divide(k.say("Answer")))
	s.drawAnswer(&p, &f, inner, l.answerHigh)
	s.hangMenu(&f, l)
	return p.lines(t, f.lines)
}

// explain says what tools are, as long as there are none.
func (s *tools) explain(p pane) []string {
	k, t := s.k, s.k.theme
	w, _ := p.inner()
	f := facts{w: w, t: t}
	if s.asking || !s.asked {
		return nil
	}
	f.wrapped(t.Text, k.say("A service can offer tools over the same key: for instance to list its models, to make an image, to wait for a job. They can be called here, and by other programs."))
	f.gap()
	f.wrapped(t.Muted, k.say("Where such an entry is differs. The usual places under the base URL are tried once. If yours is elsewhere, write its path into the settings file:"))
	f.gap()
	if k.settings.ConfigFile != "" {
		f.painted(t.Faint.Paint(theme.CutLeft(tilde(k.settings.ConfigFile, k.home), w)))
	}
	f.painted(t.Text.Paint("[profile]"))
	f.painted(t.Text.Paint(`tools_path = "/api/v1/mcp"`))
	return f.lines
}

// hangMenu lets a list that is open in the form hang over the answer.
func (s *tools) hangMenu(f *facts, l toolLayout) {
	if !s.sheet().form.MenuOpen() {
		return
	}
	for i, line := range s.sheet().form.Lines()[l.formHigh:] {
		if line == "" {
			continue
		}
		at := s.drawn.formAt + l.formHigh + i
		for len(f.lines) <= at {
			f.lines = append(f.lines, "")
		}
		f.lines[at] = line
	}
}

func (s *tools) placeForm(f *facts, l toolLayout) {
	sheet := s.sheet()
	if len(sheet.fields) == 0 {
		f.painted(s.k.theme.Muted.Paint(s.k.say("It takes no arguments.")))
		f.lines = append(f.lines, "")
		return
	}
	sheet.form.Idle(s.on != onArgs)
	s.drawn.formAt, s.drawn.formHigh = len(f.lines), l.formHigh
	f.lines = append(f.lines, sheet.form.Lines()[:l.formHigh]...)
}

// narrowFoot is the last line of the form where the answer has no room.
func (s *tools) narrowFoot(p *pane, f *facts, high int) {
	for len(f.lines) < high-1 {
		f.lines = append(f.lines, "")
	}
	f.lines = f.lines[:min(len(f.lines), high-1)]
	line := s.hintLine()
	switch r := s.result(); {
	case s.running():
		line = s.progressLine(f.w)
	case r != nil:
		line = r.status(s.k) + s.k.theme.Faint.Paint("  "+s.k.say("tab to the answer"))
	}
	f.painted(line)
	s.more(p)
}

func (s *tools) more(p *pane) {
	if len(s.sheet().fields) == 0 {
		return
	}
	if _, below := s.sheet().form.More(); below > 0 {
		p.foot = s.k.say("↓ %d more lines", below)
	}
}

// answerPane is the answer with the whole body.
func (s *tools) answerPane(w int) []string {
	k := s.k
	p := pane{w: w, h: s.h, focus: true, title: k.say("%s: answer", s.tool().Label())}
	inner, high := p.inner()
	f := facts{w: inner, t: k.theme}
	s.drawn.formHigh, s.drawn.answerAt = 0, 0
	s.drawAnswer(&p, &f, inner, high)
	return p.lines(k.theme, f.lines)
}

// drawAnswer writes what the call is doing, or what it came to.
func (s *tools) drawAnswer(p *pane, f *facts, w, high int) {
	k, t := s.k, s.k.theme
	r := s.result()
	switch {
	case s.running():
		f.painted(s.progressLine(w))
		if text := s.run.progress.Text.String(); text != "" {
			f.wrapped(t.Muted, text)
		}
		if s.run.stopped {
			f.wrapped(t.Muted, k.say("Stopping."))
		}
		return
	case r == nil:
		f.painted(s.hintLine())
		return
	}
	_, room := s.pictureRoom()
	lines := r.body(k, w, room)
	r.top = max(min(r.top, len(lines)-high), 0)
	to := min(r.top+high, len(lines))
	f.lines = append(f.lines, lines[r.top:to]...)
	switch above, below := r.top, len(lines)-to; {
	case above > 0 && below > 0:
		p.foot = fmt.Sprintf("↑ %d  ↓ %d", above, below)
	case below > 0:
		p.foot = k.say("↓ %d more lines", below)
	case above > 0:
		p.foot = k.say("↑ %d more lines", above)
	}
}

// hintLine says what ctrl+s will do.
func (s *tools) hintLine() string {
	k, t := s.k, s.k.theme
	text := k.say("calls it; nothing is spent")
	if !s.tool().ReadOnly {
		text = k.say("asks first: it may spend credits")
	}
	return t.Key.Paint("ctrl+s") + " " + t.Muted.Paint(text)
}

// progressLine is the time a call takes, and how far the tool says it is.
func (s *tools) progressLine(w int) string {
	k, t, r := s.k, s.k.theme, s.run
	line := t.Run.Paint("◐ "+k.say("calling")) + t.Muted.Paint("  "+short(r.at.Sub(r.began)))
	switch {
	case r.told && r.progress.Total > 0:
		line += "  " + bar(t, r.progress.Done/r.progress.Total, min(20, w/4)) + t.Muted.Paint(fmt.Sprintf("  %g / %g", r.progress.Done, r.progress.Total))
	case r.told:
		line += t.Muted.Paint(fmt.Sprintf("  %g", r.progress.Done))
	}
	return theme.Cut(line, w)
}

// pictureRoom is how many cells a picture of the answer may take: the lines
// around it have to fit as well.
func (s *tools) pictureRoom() (w, h int) {
	const around = 6
	left, right := s.split()
	if right == 0 {
		return left - 4, max(s.h-2-around, 4)
	}
	return right - 4, max(s.lay(right-4, s.h-2, true).answerHigh-around, 4)
}
