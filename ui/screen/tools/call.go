package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type call struct {
	number   int
	name     string
	spends   bool
	began    time.Time
	now      time.Time
	progress mcp.Progress
	moved    bool // the tool said how far it is
	stopped  bool
	cancel   context.CancelFunc
	reports  chan mcp.Progress // holds the newest one; closed at the end
}

type callBeganMsg struct {
	call int
	at   time.Time
}

type progressedMsg struct {
	call     int
	progress mcp.Progress
}

type answeredMsg struct {
	call   int
	name   string
	answer state.ToolAnswer
	err    error
	at     time.Time
}

// Failed is a refused key, which is shown everywhere. Other errors are shown
// with the answer.
func (m answeredMsg) Failed() error {
	if errors.Is(m.err, state.ErrKeyRefused) {
		return m.err
	}
	return nil
}

func (c *call) tick(at time.Time) {
	if c != nil {
		c.now = at
	}
}

// line is how long the call takes, and how far the tool says it is.
func (c *call) line(k *env.Env, w int) string {
	t := k.Theme
	line := t.Run.Paint("◐ "+k.Say("calling")) + t.Muted.Paint("  "+env.Short(c.now.Sub(c.began)))
	switch p := c.progress; {
	case c.moved && p.Total > 0:
		line += "  " + widget.ProgressBar(t, p.Done/p.Total, min(20, w/4)) + t.Muted.Paint(fmt.Sprintf("  %g / %g", p.Done, p.Total))
	case c.moved:
		line += t.Muted.Paint(fmt.Sprintf("  %g", p.Done))
	}
	return theme.Cut(line, w)
}

func (s *Screen) whyNotCalled() string {
	switch {
	case s.call != nil:
		return s.k.Say("A tool is being called. Press %s to stop it.", s.k.Key("stop_call", "ctrl+x"))
	case len(s.list.box.Tools) == 0:
		return s.k.Say("There is no tool to choose.")
	}
	return ""
}

func (s *Screen) whyNotStopped() string { return s.k.SayIf(s.call == nil, "No tool is being called.") }

// checkedMsg brings what a tool's schema has against its arguments.
type checkedMsg struct {
	number int
	tool   mcp.Tool
	text   string // as it was written
	args   json.RawMessage
	found  []api.Problem
	err    error // why the schema could not be used
}

// review checks the arguments of the selected tool in a command: a schema can be
// slow.
func (s *Screen) review() tea.Cmd {
	e := s.editor()
	if e.Leave(); !e.Try() {
		s.on = onForm
		return msg.Notify(msg.ToneWarn, e.Problems()[0].Text)
	}
	s.checks++
	m := checkedMsg{number: s.checks, tool: s.list.selected(), text: e.text.Value(), args: e.arguments()}
	return func() tea.Msg {
		m.found, m.err = mcp.Check(m.tool.Schema, m.args)
		return m
	}
}

// checked calls the tool whose arguments were checked; one that may cost credits
// is asked about first.
func (s *Screen) checked(m checkedMsg) tea.Cmd {
	k, t, e := s.k, m.tool, s.editor()
	if m.number != s.checks || s.call != nil || t.Name != s.list.selected().Name || m.text != e.text.Value() {
		return nil
	}
	if len(m.found) > 0 {
		s.on = onForm
		e.refuse(m.found)
		return msg.Notify(msg.ToneWarn, e.Problems()[0].Text)
	}
	unchecked := ""
	if m.err != nil {
		unchecked = env.Sentence(k, m.err)
	}
	switch {
	case t.ReadOnly && m.err != nil:
		return tea.Batch(msg.Notify(msg.ToneWarn, unchecked), s.begin(t, m.args))
	case t.ReadOnly:
		return s.begin(t, m.args)
	case k.Settings.Budget > 0:
		return msg.Notify(msg.ToneWarn, k.Say("The cost of this tool is not known, so it is not called under a budget. Remove the budget to call it."))
	}
	text := strings.TrimSpace(k.Say("This tool may cost credits. The tool protocol states no price.")+" "+unchecked) + "\n\n" +
		beginning(api.CleanLines(string(api.Indent(m.args)), 600).String(), 8)
	return msg.Open(widget.NewConfirm(k, t.Label(), text, "enter", "call it", func() tea.Cmd {
		defer s.arrange()
		return s.begin(t, m.args)
	}))
}

// beginning is the first n lines of a text.
func beginning(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	if len(lines) > n {
		lines[n] = "…"
	}
	return strings.Join(lines, "\n")
}

// begin starts the call in commands: one makes it, one brings its progress.
func (s *Screen) begin(t mcp.Tool, args json.RawMessage) tea.Cmd {
	if s.call != nil {
		return nil
	}
	s.calls++
	ctx, cancel := context.WithCancel(s.k.Context)
	s.call = &call{number: s.calls, name: t.Name, spends: !t.ReadOnly, cancel: cancel, reports: make(chan mcp.Progress, 1)}
	if _, right := s.split(); right == 0 {
		s.on = onAnswer
	}
	number, backend, clock, reports := s.calls, s.backend, s.k.Clock, s.call.reports
	request := state.ToolCall{Name: t.Name, Args: args, Agreed: !t.ReadOnly, Progress: func(p mcp.Progress) { replace(reports, p) }}
	return tea.Batch(
		func() tea.Msg { return callBeganMsg{number, clock()} },
		awaitProgress(number, reports),
		func() tea.Msg {
			defer cancel()
			defer close(reports)
			answer, err := backend.CallTool(ctx, request)
			return answeredMsg{number, request.Name, answer, err, clock()}
		},
	)
}

// replace puts the newest report in the place of the one that nobody has taken
// yet. Reports come one at a time.
func replace(reports chan mcp.Progress, p mcp.Progress) {
	select {
	case <-reports:
	default:
	}
	reports <- p
}

func awaitProgress(number int, reports <-chan mcp.Progress) tea.Cmd {
	return func() tea.Msg {
		p, ok := <-reports
		if !ok {
			return nil
		}
		return progressedMsg{number, p}
	}
}

// stop gives the call up. What the tool does then is the service's.
func (s *Screen) stop() tea.Cmd {
	s.call.stopped = true
	s.call.cancel()
	return nil
}

func (s *Screen) began(m callBeganMsg) {
	if s.call == nil || s.call.number != m.call {
		return
	}
	s.call.began = m.at
	s.call.tick(m.at)
}

func (s *Screen) progressed(m progressedMsg) tea.Cmd {
	if s.call == nil || s.call.number != m.call {
		return nil
	}
	s.call.progress, s.call.moved = m.progress, true
	return awaitProgress(m.call, s.call.reports)
}

// answered keeps what the call came to in the place of the tool's last answer.
func (s *Screen) answered(m answeredMsg) tea.Cmd {
	if s.call == nil || s.call.number != m.call {
		return nil
	}
	a := newAnswer(m, s.call)
	s.call = nil
	var cmds []tea.Cmd
	if before := s.answers[m.name]; before != nil {
		for i := range before.pictures {
			cmds = append(cmds, before.pictures[i].Close())
		}
	}
	s.answers[m.name] = a
	if m.answer.Unsaved != nil {
		cmds = append(cmds, msg.Notify(msg.ToneBad, env.Sentence(s.k, m.answer.Unsaved)))
	}
	return tea.Batch(append(cmds, s.paint())...)
}
