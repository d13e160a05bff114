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

func (s *Screen) refresh() tea.Cmd {
	if s.list.loading {
		return nil
	}
	s.list.loading = true
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		box, err := backend.Tools(ctx)
		return toolsReadMsg{box: box, err: err}
	}
}

// listed takes what was read over, unless the entry did not answer.
func (s *Screen) listed(m toolsReadMsg) {
	l := &s.list
	if !m.stored {
		l.loading, l.err = false, m.err
	}
	if m.err != nil || m.stored && !l.box.At.IsZero() {
		return // nothing is known, or the service was quicker
	}
	before := l.selected().Name
	l.box = m.box
	l.rows.KeepRows(len(l.box.Tools))
	at := slices.IndexFunc(l.box.Tools, func(t mcp.Tool) bool { return t.Name == before })
	if l.rows.Select(at); at < 0 {
		s.on = onList // the tool in hand is gone
	}
}

func (l *toolList) selected() (t mcp.Tool) {
	if row, ok := l.rows.Selected(); ok {
		t = l.box.Tools[row]
	}
	return t
}

// entryLines is how many lines the entry takes below the tools.
const entryLines = 4

// pitch is how many lines of the list a tool has: with what it does where there is room.
func (s *Screen) pitch() int {
	if n := (s.h - 3 - entryLines) / max(len(s.list.box.Tools), 1); n > 2 && !s.narrow() {
		return min(n, 4)
	}
	return 1
}

// listLines draws the pane of tools, and below them the entry they come from.
func (s *Screen) listLines(w int) []string {
	k, t, l := s.k, s.k.Theme, &s.list
	p := widget.Pane{Width: w, Height: s.h, Title: k.Say("Tools"), Right: strconv.Itoa(len(l.box.Tools)), Focus: s.on == onList}
	inner, _ := p.Inner()
	f := widget.Facts{Width: inner, Theme: t, Lines: []string{""}}
	rows := l.rows.Lines(func(row int, selected bool) string {
		line := s.toolLine(l.box.Tools[row], inner, selected)
		in, _ := t.Row(selected)
		about := append(widget.Wrap(api.OneLine(l.box.Tools[row].Description.String()), inner-2), "", "", "")
		for n := range s.pitch() - 2 {
			if n == s.pitch()-3 && about[n+1] != "" {
				about[n] += " …"
			}
			if line += "\n"; about[n] != "" {
				line += in.Muted.Paint(theme.Fit("  "+about[n], inner))
			}
		}
		return line + "\n"[:min(s.pitch()-1, 1)]
	})
	if at := len(l.box.Tools) + 1; s.narrow() && at < len(rows) { // what the other pane would say
		copy(rows[at:], widget.Muted(k, l.selected().Description.String(), inner))
	}
	f.Add(strings.Split(strings.Join(rows, "\n"), "\n")...)
	f.Lines = append(f.Lines, make([]string, s.h)...)[:max(s.h-2-entryLines, 0)]
	f.Add(widget.Divide(k.Say("Address")), t.Text.Paint(theme.CutLeft(api.Clean(l.box.Address, 300).String(), inner)))
	f.Painted(t.Muted.Paint(l.box.Server.String()))
	switch { // how the entry answered
	case l.loading:
		f.Painted(t.Muted.Paint(k.Say("loading")))
	case l.err != nil:
		f.Painted(t.Warn.Paint("✕ " + env.Sentence(k, l.err)))
	case !l.box.At.IsZero():
		f.Painted(t.Good.Paint("✓ ") + t.Muted.Paint(k.Say("answered at %s", k.Stamp(l.box.At))))
	}
	return p.Lines(t, f.Lines)
}

// emptyLines say on the whole screen why there are no tools, and which key looks again.
func (s *Screen) emptyLines() []string {
	k, t, why := s.k, s.k.Theme, s.k.Say("The entry offers no tools.")
	switch {
	case s.list.err != nil && !s.list.loading:
		why = env.Sentence(k, s.list.err)
	case s.list.loading || !s.list.asked:
		why = k.Say("Looking for the service's tool entry.")
	}
	f := widget.Facts{Width: min(64, s.w-4), Theme: t, Lines: make([]string, s.h/3)}
	f.Wrapped(t.Text, why)
	f.Painted("")
	f.Painted(t.Key.Paint(k.Key("refresh", "r")) + " " + t.Muted.Paint(k.Say("refresh")))
	for i := range f.Lines {
		f.Lines[i] = theme.Blank((s.w-4-f.Width)/2) + f.Lines[i]
	}
	return widget.Pane{Width: s.w, Height: s.h, Title: k.Say("Tools"), Focus: true, Quiet: true}.Lines(t, f.Lines)
}

// costs is what a tool may cost, if anything.
func (s *Screen) costs(tool mcp.Tool) string {
	return s.k.SayIf(!tool.ReadOnly, "may cost credits")
}

// minName is the least width of a tool's name before words beside it are cut.
const minName = 20

// toolLine draws a row of the list: the tool's name, and what it may cost.
func (s *Screen) toolLine(tool mcp.Tool, w int, selected bool) string {
	k := s.k
	in, mark := k.Theme.Row(selected)
	tag, style := s.costs(tool), in.Warn
	switch {
	case s.call != nil && s.call.tool.Name == tool.Name:
		tag, style = "◐ "+k.Say("calling"), in.Run
	case tag != "" && w-theme.Width(tag) < minName+3:
		tag = k.Say("may cost")
	}
	name := in.Text
	if selected {
		name = in.Strong
	}
	room := w - 2 - theme.Width(tag) - 1
	return in.Accent.Paint(mark) + name.Paint(theme.Fit(tool.Label(), room)) + in.Text.Paint(" ") + style.Paint(tag)
}
