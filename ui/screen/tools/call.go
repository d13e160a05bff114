package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// toolRun is the call under way. There is one at a time.
type toolRun struct {
	seq      int
	name     string
	spends   bool
	began    time.Time
	at       time.Time
	progress mcp.Progress
	told     bool
	stopped  bool
	cancel   context.CancelFunc
	news     chan mcp.Progress // the newest one; closed at the end
}

type toolBeganMsg struct {
	seq int
	at  time.Time
}

type toolProgressMsg struct {
	seq      int
	progress mcp.Progress
}

type toolAnsweredMsg struct {
	seq    int
	name   string
	answer state.ToolAnswer
	err    error
	at     time.Time
}

// Failed: the answer pane shows it. A refused key is shown everywhere.
func (m toolAnsweredMsg) Failed() error {
	if errors.Is(m.err, state.ErrKeyRefused) {
		return m.err
	}
	return nil
}

func (r *toolRun) tick(at time.Time) { r.at = at }

func (s *Screen) whyNotCalled() string {
	switch {
	case s.run != nil:
		return s.k.Say("A tool is being called. Press ctrl+x to stop it.")
	case len(s.box.Tools) == 0:
		return s.k.Say("There is no tool to choose.")
	}
	return ""
}

func (s *Screen) whyNotStopped() string {
	if s.run == nil {
		return s.k.Say("No tool is being called.")
	}
	return ""
}

// call calls the selected tool; one that may spend asks first.
func (s *Screen) call() tea.Cmd {
	s.dirty()
	sheet, t, k := s.Sheet(), s.Tool(), s.k
	sheet.Form.Leave()
	if !sheet.Form.Try() {
		s.On = OnArgs
		return msg.Notify(msg.ToneWarn, sheet.Form.Problems()[0].Text)
	}
	args, problems := sheet.Args()
	if len(problems) > 0 {
		return msg.Notify(msg.ToneWarn, k.Problem(problems[0]))
	}
	if t.ReadOnly {
		return s.begin(t, args)
	}
	if k.Settings.Budget > 0 {
		return msg.Notify(msg.ToneWarn, k.Say("A budget is set, and what this tool costs is not known: it is not called. Remove the budget to call it."))
	}
	text := k.Say("This tool may spend credits. The tool protocol names no price, so nobody knows how many.") + "\n\n" +
		beginning(api.CleanLines(string(api.Indent(args)), 600).String(), 8)
	return msg.Open(widget.NewConfirm(k, t.Label(), text, "enter", "call it", func() tea.Cmd { return s.begin(t, args) }))
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
	if s.run != nil {
		return nil
	}
	s.seq++
	ctx, cancel := context.WithCancel(s.k.Context)
	r := &toolRun{seq: s.seq, name: t.Name, spends: !t.ReadOnly, cancel: cancel, news: make(chan mcp.Progress, 1)}
	s.run = r
	if _, right := s.split(); right == 0 {
		s.On = OnAnswer
	}
	s.dirty()
	seq, d, clock, news := r.seq, s.backend, s.k.Clock, r.news
	return tea.Batch(
		func() tea.Msg { return toolBeganMsg{seq, clock()} },
		awaitProgress(seq, news),
		func() tea.Msg {
			defer cancel()
			defer close(news)
			answer, err := d.CallTool(ctx, state.ToolCall{Name: t.Name, Args: args, Agreed: !t.ReadOnly, Progress: func(p mcp.Progress) {
				select { // only the newest is of interest
				case <-news:
				default:
				}
				news <- p
			}})
			return toolAnsweredMsg{seq, t.Name, answer, err, clock()}
		},
	)
}

func awaitProgress(seq int, news <-chan mcp.Progress) tea.Cmd {
	return func() tea.Msg {
		p, ok := <-news
		if !ok {
			return nil
		}
		return toolProgressMsg{seq, p}
	}
}

// stop gives the call up. What the tool does then is the service's.
func (s *Screen) stop() tea.Cmd {
	s.run.stopped = true
	s.run.cancel()
	s.dirty()
	return nil
}

// told takes what a call tells.
func (s *Screen) told(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case toolBeganMsg:
		if s.run != nil && s.run.seq == m.seq {
			s.run.began, s.run.at = m.at, m.at
		}
	case toolProgressMsg:
		if s.run == nil || s.run.seq != m.seq {
			return nil
		}
		s.run.progress, s.run.told = m.progress, true
		s.dirty()
		return awaitProgress(m.seq, s.run.news)
	case toolAnsweredMsg:
		return s.answered(m)
	}
	s.dirty()
	return nil
}

func (s *Screen) answered(m toolAnsweredMsg) tea.Cmd {
	if s.run == nil || s.run.seq != m.seq {
		return nil
	}
	r := &toolResult{answer: m.answer, err: m.err, at: m.at, spends: s.run.spends, stopped: s.run.stopped}
	s.run = nil
	s.dirty()
	var gone []tea.Cmd
	if was := s.results[m.name]; was != nil {
		for i := range was.pictures {
			gone = append(gone, s.k.Erase(was.pictures[i].ID()))
		}
	}
	for i, f := range m.answer.Files {
		if strings.HasPrefix(f.MediaType, "image/") {
			r.pictures = append(r.pictures, result.Preview{})
			r.paths = append(r.paths, m.answer.Files[i].Path)
		}
	}
	s.results[m.name] = r
	if m.answer.Unsaved != nil {
		gone = append(gone, msg.Notify(msg.ToneBad, env.Sentence(s.k, m.answer.Unsaved)))
	}
	return tea.Batch(append(gone, s.paint())...)
}

// paint asks for the pictures of the answer in view.
func (s *Screen) paint() tea.Cmd {
	r := s.result()
	if r == nil || !s.shown {
		return nil
	}
	w, h := s.pictureRoom()
	var cmds []tea.Cmd
	for i := range r.pictures {
		cmds = append(cmds, r.pictures[i].Want(s.k, r.paths[i], w, h))
	}
	return tea.Batch(cmds...)
}

func (s *Screen) painted(m result.PaintedMsg) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range s.results {
		for i := range r.pictures {
			cmd, mine := r.pictures[i].Painted(m)
			if mine {
				r.forget()
				s.dirty()
				cmds = append(cmds, cmd)
			}
		}
	}
	return tea.Batch(cmds...)
}

func (s *Screen) whyNoAnswer() string {
	if why := s.whyTyping(); why != "" {
		return why
	}
	if r := s.result(); r == nil || r.text(s.k) == "" {
		return s.k.Say("There is no answer yet.")
	}
	return ""
}

func (s *Screen) copyAnswer() tea.Cmd {
	return tea.Batch(tea.SetClipboard(s.result().text(s.k)), msg.Notify(msg.ToneGood, s.k.Say("Copied.")))
}

func (s *Screen) whyNoFile() string {
	if why := s.whyTyping(); why != "" {
		return why
	}
	if r := s.result(); r == nil || r.file() == "" {
		return s.k.Say("The answer holds no file.")
	}
	return ""
}

// openFile opens the answer's first file with the system's program.
func (s *Screen) openFile() tea.Cmd {
	ctx, d, path := s.k.Context, s.backend, s.result().file()
	return func() tea.Msg { return msg.FailedMsg{Err: d.OpenPath(ctx, path)} }
}
