// Package tools is the screen of the service's tool-protocol entry: its tools,
// the arguments of the selected one, and its answer.
package tools

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Backend is the part of the session that Tools needs, in commands.
type Backend interface {
	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error
}

// Screen shows the tools, and right of them the selected one with its arguments and
// its last answer; if there is room for one pane, the one that has the keys.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int
	actions []action.Action

	list    toolList
	on      pane
	editors map[string]*editor
	answers map[string]*call // of each tool the last that ended
	call    *call            // the one that is running, or nil
	checks  int              // how many were begun; what others than the last find is dropped
	thumbs  *result.Thumbs   // of the answers' pictures

	shown  bool
	page   page
	beside widget.Beside
}

type pane int

const (
	onList pane = iota
	onForm
	onAnswer
)

// New makes the screen; it asks for nothing until it gets the focus.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, editors: map[string]*editor{}, answers: map[string]*call{}, thumbs: result.NewThumbs(k)}
	s.actions = action.After(s.table(), func() tea.Cmd { return s.settle(nil) })
	return s
}

func (s *Screen) Actions() []action.Action { return s.actions }

func (s *Screen) Typing() bool { return s.on == onForm && !s.editor().takes.None }

func (s *Screen) Calling() bool { return s.call != nil }

func (s *Screen) Ticking() bool { return s.shown && s.Calling() }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

func (s *Screen) Restyle() {
	for _, e := range s.editors {
		e.label()
		e.Restyle(e.look())
	}
	s.arrange()
}

// Focus asks for the tools when the screen is seen first.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	if s.list.asked {
		return s.settle(nil)
	}
	s.list.asked = true
	ctx, backend := s.k.Context, s.backend
	known := func() tea.Msg { return toolsReadMsg{box: backend.KnownTools(ctx), stored: true} }
	return s.settle(tea.Batch(known, s.refresh()))
}

func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	return nil
}

func (s *Screen) Update(message tea.Msg) (then tea.Cmd) {
	s.thumbs.Update(message)
	switch m := message.(type) {
	case toolsReadMsg:
		s.listed(m)
	case tea.PasteMsg:
		if s.on == onForm {
			s.editor().Paste(m.Content)
		}
	case msg.ClickMsg:
		s.clicked(m)
	case msg.WheelMsg:
		s.wheeled(m)
	case msg.TickedMsg:
		if c := s.call; c != nil {
			if c.now = m.At; c.began.IsZero() {
				c.began = m.At
			}
		}
	case checkedMsg:
		then = s.checked(m)
	case answeredMsg:
		then = s.answered(m)
	}
	return s.settle(then)
}

// Edit gives a key to the arguments.
func (s *Screen) Edit(key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	used = s.editor().Key(key)
	return s.settle(nil), used
}

func (s *Screen) Cursor() *tea.Cursor {
	at := s.page.form
	if s.on != onForm || at.H == 0 {
		return nil
	}
	if x, y, ok := s.editor().Cursor(); ok {
		return tea.NewCursor(at.X+x, at.Y+y)
	}
	return nil
}

// View joins the panes, or shows the one that has the keys.
func (s *Screen) View() []string {
	x, w := s.toolPane()
	switch {
	case len(s.list.box.Tools) == 0:
		return s.emptyLines()
	case !s.narrow():
		return s.beside.Join(s.listLines(x), s.page.lines)
	case s.on == onList:
		return s.listLines(w)
	}
	return s.page.lines
}

func (s *Screen) narrow() bool { return s.w < widget.WideFrom }

func (s *Screen) toolPane() (x, w int) {
	if s.narrow() {
		return 0, s.w
	}
	return widget.SplitPanes(s.w, 36, 60)
}

// answer is the last one of the selected tool, or nil.
func (s *Screen) answer() *call { return s.answers[s.list.selected().Name] }

func (s *Screen) running() bool { return s.call != nil && s.call.tool.Name == s.list.selected().Name }

// settle asks for pictures that have come into view.
func (s *Screen) settle(cmd tea.Cmd) tea.Cmd {
	s.arrange()
	return tea.Batch(cmd, s.paint())
}
