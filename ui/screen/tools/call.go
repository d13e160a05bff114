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

// call is a call of a tool that is running.
type call struct {
	number     int
	tool       mcp.Tool
	began, now time.Time
	progress   *mcp.Progress // nil until the tool reported some
	stopped    bool
	cancel     context.CancelFunc
	reports    chan reportedMsg // holds the newest one; closed at the end
}

// reportedMsg says when a call began and how far it is.
type reportedMsg struct {
	number   int
	began    time.Time
	progress *mcp.Progress
}

type answeredMsg struct {
	number  int
	request state.ToolCall
	answer  state.ToolAnswer
	err     error
	at      time.Time
}

// Failed is a refused key, which is shown everywhere. Other errors are shown
// with the answer.
func (m answeredMsg) Failed() error {
	if errors.Is(m.err, state.ErrKeyRefused) {
		return m.err
	}
	return nil
}

// line says how long the call takes, and the tool's progress.
func (c *call) line(k *env.Env, w int) string {
	t := k.Theme
	line := t.Run.Paint("◐ "+k.Say("calling")) + t.Muted.Paint("  "+env.Short(c.now.Sub(c.began)))
	switch p := c.progress; {
	case p == nil:
	case p.Total > 0:
		line += "  " + widget.ProgressBar(t, p.Done/p.Total, min(20, w/4)) + t.Muted.Paint(fmt.Sprintf("  %g / %g", p.Done, p.Total))
	default:
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

// checkedMsg brings the problems that a schema finds in arguments.
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
	s.asked++
	m := checkedMsg{number: s.asked, tool: s.list.selected(), text: e.text.Value(), args: e.arguments()}
	return func() tea.Msg {
		m.found, m.err = mcp.Check(m.tool.Schema, m.args)
		return m
	}
}

// checked calls the tool whose arguments were checked; one that may cost credits
// is asked about first.
func (s *Screen) checked(m checkedMsg) tea.Cmd {
	k, t, e := s.k, m.tool, s.editor()
	if m.number != s.asked || t.Name != s.list.selected().Name || m.text != e.text.Value() {
		return nil
	}
	call := state.ToolCall{Name: t.Name, Args: m.args, Agreed: !t.ReadOnly}
	var unchecked string
	if m.err != nil {
		unchecked = env.Sentence(k, m.err)
	}
	switch {
	case len(m.found) > 0:
		s.on = onForm
		e.refuse(m.found)
		return msg.Notify(msg.ToneWarn, e.Problems()[0].Text)
	case t.ReadOnly && m.err != nil:
		return tea.Batch(msg.Notify(msg.ToneWarn, unchecked), s.begin(t, call))
	case t.ReadOnly:
		return s.begin(t, call)
	case k.Settings.Budget > 0:
		return msg.Notify(msg.ToneWarn, k.Say("The cost of this tool is not known, so it is not called under a budget. "+
			"Remove the budget to call it."))
	}
	return s.ask(t, call, strings.TrimSpace(k.Say("This tool may cost credits. The tool protocol states no price.")+" "+unchecked))
}

// ask shows what would be called with, and calls it when the person agrees.
func (s *Screen) ask(t mcp.Tool, call state.ToolCall, why string) tea.Cmd {
	const most = 8
	lines := strings.SplitN(api.CleanLines(string(api.Indent(call.Args)), 600).String(), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	return msg.Open(widget.NewConfirm(s.k, t.Label(), why+"\n\n"+strings.Join(lines, "\n"), "enter", "call it", func() tea.Cmd {
		return s.settle(s.begin(t, call))
	}))
}

// begin starts the call in commands: one makes it, one brings its progress.
func (s *Screen) begin(t mcp.Tool, request state.ToolCall) tea.Cmd {
	if s.call != nil {
		return nil
	}
	s.asked++
	if s.narrow() {
		s.on = onAnswer
	}
	ctx, cancel := context.WithCancel(s.k.Context)
	number, backend, clock, reports := s.asked, s.backend, s.k.Clock, make(chan reportedMsg, 1)
	s.call = &call{number: number, tool: t, cancel: cancel, reports: reports}
	return tea.Batch(awaitReport(reports), func() tea.Msg {
		defer cancel()
		defer close(reports)
		began := clock()
		reports <- reportedMsg{number, began, nil}
		request.Progress = func(p mcp.Progress) {
			select {
			case <-reports: // nobody has taken it yet
			default:
			}
			reports <- reportedMsg{number, began, &p}
		}
		answer, err := backend.CallTool(ctx, request)
		return answeredMsg{number, request, answer, err, clock()}
	})
}

func awaitReport(reports <-chan reportedMsg) tea.Cmd {
	return func() tea.Msg {
		if m, ok := <-reports; ok {
			return m
		}
		return nil
	}
}

// stop gives the call up. What the tool does then is the service's.
func (s *Screen) stop() tea.Cmd {
	s.call.stopped = true
	s.call.cancel()
	return nil
}

func (s *Screen) reported(m reportedMsg) tea.Cmd {
	c := s.call
	if c == nil || c.number != m.number {
		return nil
	}
	if c.began.IsZero() {
		c.now = m.began
	}
	c.began, c.progress = m.began, m.progress
	return awaitReport(c.reports)
}

// answered keeps the result of the call in the place of the tool's last answer.
func (s *Screen) answered(m answeredMsg) tea.Cmd {
	c := s.call
	if c == nil || c.number != m.number {
		return nil
	}
	s.call = nil
	var refusal *state.Refusal
	if errors.As(m.err, &refusal) && refusal.Code == state.CodeAskTool {
		s.on = min(s.on, onForm)
		m.request.UnderBudget = true
		return s.ask(c.tool, m.request, env.Sentence(s.k, m.err))
	}
	var cmds []tea.Cmd
	if before := s.answers[c.tool.Name]; before != nil {
		for i := range before.pictures {
			cmds = append(cmds, before.pictures[i].Close())
		}
	}
	s.answers[c.tool.Name] = newAnswer(m, c)
	if m.answer.Unsaved != nil {
		cmds = append(cmds, msg.Notify(msg.ToneBad, env.Sentence(s.k, m.answer.Unsaved)))
	}
	return tea.Batch(cmds...)
}
