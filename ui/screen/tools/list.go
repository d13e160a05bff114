package tools

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// toolList holds the entry's tools, and the selected one.
type toolList struct {
	box     state.Toolbox
	err     error // why the entry did not answer
	asked   bool  // the service was asked since the program began
	loading bool
	rows    widget.Picker // of its tools
}

// toolsReadMsg brings the entry's tools, from the store or from the service.
type toolsReadMsg struct {
	box    state.Toolbox
	err    error
	stored bool
}

func (s *Screen) readKnown() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg { return toolsReadMsg{box: backend.KnownTools(ctx), stored: true} }
}

func (s *Screen) readService() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	s.list.loading = true
	return func() tea.Msg {
		box, err := backend.Tools(ctx)
		return toolsReadMsg{box: box, err: err}
	}
}

func (s *Screen) refresh() tea.Cmd {
	if s.list.loading {
		return nil
	}
	return s.readService()
}

// listed takes what was read over. What was known stays when the entry does not
// answer.
func (s *Screen) listed(m toolsReadMsg) {
	l := &s.list
	if !m.stored {
		l.loading, l.err = false, m.err
	}
	if m.err != nil || m.stored && (len(m.box.Tools) == 0 || !l.box.At.IsZero()) {
		return // nothing is known, or the service was quicker
	}
	before := l.selected().Name
	l.box = m.box
	l.rows.KeepRows(len(l.box.Tools))
	at := slices.IndexFunc(l.box.Tools, func(t mcp.Tool) bool { return t.Name == before })
	l.rows.Select(at)
	if at < 0 {
		s.on = onList // the tool in hand is gone
	}
}

// selected is the selected tool, or none.
func (l *toolList) selected() mcp.Tool {
	row, ok := l.rows.Selected()
	if !ok {
		return mcp.Tool{}
	}
	return l.box.Tools[row]
}

// entryLines is how many lines the entry takes below the tools.
const entryLines = 4

// listRows is how many tools are in view.
func (s *Screen) listRows() int { return max(s.h-2-entryLines, 1) }

// listLines draws the pane of tools, w cells wide, and below them the entry they
// come from.
func (s *Screen) listLines(w int) []string {
	k, t, l := s.k, s.k.Theme, &s.list
	p := widget.Pane{Width: w, Height: s.h, Title: k.Say("Tools"), Focus: s.on == onList}
	if n := len(l.box.Tools); n > 0 {
		p.Right = strconv.Itoa(n)
	}
	inner, _ := p.Inner()
	f := widget.Facts{Width: inner, Theme: t}
	if len(l.box.Tools) == 0 {
		s.explainEmpty(&f)
	}
	f.Lines = append(f.Lines, l.rows.Lines(func(row int, selected bool) string { return s.toolLine(l.box.Tools[row], inner, selected) })...)
	f.Lines = append(f.Lines[:s.listRows()], widget.Divide(k.Say("Entry")))
	if l.box.Address != "" {
		f.Painted(t.Text.Paint(theme.CutLeft(api.Clean(l.box.Address, 300).String(), inner)))
		f.Painted(t.Muted.Paint(theme.Cut(l.box.Server.String(), inner)))
	}
	f.Painted(s.entryLine(inner))
	return p.Lines(t, f.Lines)
}

func (s *Screen) explainEmpty(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	switch {
	case s.list.loading:
		f.Wrapped(t.Muted, k.Say("Looking for the service's tool entry."))
	case s.list.err != nil:
		f.Wrapped(t.Text, env.Sentence(k, s.list.err))
		f.Gap()
		f.Wrapped(t.Muted, k.Say("Press %s to refresh.", k.Key("refresh", "r")))
	case s.list.asked:
		f.Wrapped(t.Muted, k.Say("The entry offers no tools."))
	}
}

func (s *Screen) entryLine(w int) string {
	k, t, l := s.k, s.k.Theme, &s.list
	switch {
	case l.loading:
		return t.Muted.Paint(k.Say("loading"))
	case l.err != nil && len(l.box.Tools) > 0:
		return t.Warn.Paint(theme.Cut("✗ "+env.Sentence(k, l.err), w))
	case l.err != nil:
		return t.Warn.Paint("✗ " + k.Say("does not answer"))
	case !l.box.At.IsZero():
		return t.Good.Paint("✓ ") + t.Muted.Paint(k.Say("answered at %s", k.Stamp(l.box.At)))
	}
	return ""
}

// costs says in words whether a tool may cost something.
func (s *Screen) costs(tool mcp.Tool) string {
	if tool.ReadOnly {
		return s.k.Say("read-only")
	}
	return s.k.Say("may cost credits")
}

// minName is the minimum width of a tool's name, before the words right of it
// are made shorter.
const minName = 20

func (s *Screen) toolLine(tool mcp.Tool, w int, selected bool) string {
	k := s.k
	in, mark := k.Theme.Row(selected)
	tag, style := s.costs(tool), in.Warn
	switch {
	case s.call != nil && s.call.tool.Name == tool.Name:
		tag, style = "◐ "+k.Say("calling"), in.Run
	case tool.ReadOnly:
		style = in.Faint
	case w-theme.Width(tag) < minName+3:
		tag = k.Say("may cost")
	}
	name := in.Text
	if selected {
		name = in.Strong
	}
	room := w - 2 - theme.Width(tag) - 1
	var b strings.Builder
	in.Accent.Write(&b, mark)
	name.Write(&b, theme.Fit(tool.Label(), room))
	in.Text.Write(&b, " ")
	style.Write(&b, tag)
	return b.String()
}
