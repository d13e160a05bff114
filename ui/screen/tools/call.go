package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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

// call is a call of a tool, and how it ended.
type call struct {
	tool       mcp.Tool
	began, now time.Time // of the first and the last tick
	progress   atomic.Pointer[mcp.Progress]
	stopped    bool
	cancel     context.CancelFunc

	state.ToolAnswer
	err    error
	at     time.Time
	text   string // the answer as it is copied
	scroll widget.Scroll
	fitted widget.Memo[fittedKey, []string]
}

type answeredMsg struct {
	request state.ToolCall
	answer  state.ToolAnswer
	err     error
	at      time.Time
}

// Failed is a refused key; other errors are shown with the answer.
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
	switch p := c.progress.Load(); {
	case p == nil:
	case p.Total > 0:
		line += "  " + widget.Bar(t, min(20, w/4), widget.Share{Part: p.Done / p.Total, Style: t.Run, Mark: "━"})
		line += t.Muted.Paint(fmt.Sprintf("  %g / %g", p.Done, p.Total))
	default:
		line += t.Muted.Paint(fmt.Sprintf("  %g", p.Done))
	}
	return theme.Cut(line, w)
}

func (s *Screen) whyNotCalled() string {
	if s.call != nil {
		return s.k.Say("A tool is being called. Press %s to stop it.", s.k.Key("stop_call", "ctrl+x"))
	}
	return s.whyNoTool()
}

func (s *Screen) whyNotStopped() string { return s.k.SayIf(s.call == nil, "No tool is being called.") }

type checkedMsg struct {
	number int
	tool   mcp.Tool
	text   string // as it was written
	args   json.RawMessage
	found  []api.Problem
	err    error // why the schema could not be used
}

// review checks the arguments in a command: a schema can be slow.
func (s *Screen) review() tea.Cmd {
	e := s.editor()
	if e.Leave(); !e.Try() {
		return s.refused()
	}
	s.checks++
	m := checkedMsg{number: s.checks, tool: s.list.selected(), text: e.text.Value(), args: e.arguments()}
	return func() tea.Msg {
		m.found, m.err = mcp.Check(m.tool.Schema, m.args)
		return m
	}
}

// refused goes to the arguments, and says what is wrong with them.
func (s *Screen) refused() tea.Cmd {
	s.on = onForm
	return msg.Notify(msg.ToneWarn, s.editor().Problems()[0].Text)
}

// checked calls the checked tool; one that may cost credits is asked about first.
func (s *Screen) checked(m checkedMsg) tea.Cmd {
	k, t, e := s.k, m.tool, s.editor()
	if m.number != s.checks || t.Name != s.list.selected().Name || m.text != e.text.Value() {
		return nil
	}
	request := state.ToolCall{Name: t.Name, Args: m.args, Agreed: !t.ReadOnly}
	why := k.Say("This tool may cost credits. The tool protocol states no price.")
	var unchecked tea.Cmd
	if m.err != nil {
		said := env.Sentence(k, m.err)
		why += " " + said
		unchecked = msg.Notify(msg.ToneWarn, said)
	}
	switch {
	case len(m.found) > 0:
		e.checked, e.found = m.text, m.found
		e.Try()
		return s.refused()
	case t.ReadOnly:
		return tea.Batch(unchecked, s.begin(t, request))
	case k.Settings.Budget > 0:
		return msg.Notify(msg.ToneWarn, k.Say("The cost of this tool is not known, so it is not called under a budget. "+
			"Remove the budget to call it."))
	}
	return s.ask(t, request, why)
}

// ask shows what would be called with, and calls it when the person agrees.
func (s *Screen) ask(t mcp.Tool, request state.ToolCall, why string) tea.Cmd {
	const most = 8
	lines := strings.SplitN(api.CleanLines(string(api.Indent(request.Args)), 600).String(), "\n", most+1)
	if len(lines) > most {
		lines[most] = "…"
	}
	text := why + "\n\n" + strings.Join(lines, "\n")
	agreed := func() tea.Cmd { return s.settle(s.begin(t, request)) }
	return msg.Open(widget.NewConfirm(s.k, t.Label(), text, "enter", "call it", agreed))
}

func (s *Screen) begin(t mcp.Tool, request state.ToolCall) tea.Cmd {
	if s.call != nil {
		return nil
	}
	if s.narrow() {
		s.on = onAnswer
	}
	ctx, cancel := context.WithCancel(s.k.Context)
	backend, clock, c := s.backend, s.k.Clock, &call{tool: t, cancel: cancel}
	s.call = c
	request.Progress = func(p mcp.Progress) { c.progress.Store(&p) }
	return func() tea.Msg {
		defer cancel()
		answer, err := backend.CallTool(ctx, request)
		return answeredMsg{request, answer, err, clock()}
	}
}

// stop gives the call up. What the tool does then is the service's.
func (s *Screen) stop() tea.Cmd {
	s.call.stopped = true
	s.call.cancel()
	return nil
}

// answered keeps the result of the call in the place of the tool's last answer.
func (s *Screen) answered(m answeredMsg) tea.Cmd {
	c := s.call
	s.call = nil
	var refusal *state.Refusal
	if errors.As(m.err, &refusal) && refusal.Code == state.CodeAskTool {
		s.on = min(s.on, onForm)
		m.request.UnderBudget = true
		return s.ask(c.tool, m.request, env.Sentence(s.k, m.err))
	}
	c.ToolAnswer, c.err, c.at = m.answer, m.err, m.at
	c.text = c.copied()
	s.answers[c.tool.Name] = c
	if m.answer.Unsaved != nil {
		return msg.Notify(msg.ToneBad, env.Sentence(s.k, m.answer.Unsaved))
	}
	return nil
}
