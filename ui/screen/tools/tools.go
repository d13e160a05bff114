// Package tools is the screen of the service's tool-protocol entry: its tools,
// the arguments of the selected one, and what it answered.
package tools

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// Screen shows the tools on the left, and on the right the selected one with
// its arguments and its last answer.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int
	actions []action.Action

	list    toolList
	on      pane
	editors map[string]*editor
	answers map[string]*answer // the last one of each tool
	call    *call              // the one that is running, or nil
	calls   int                // the number of the last call; other answers are dropped
	checks  int                // of the last check of arguments, likewise

	shown   bool
	resized bool   // pictures have to be painted for the new size
	place   layout // where the parts of the selected tool stand
	drawn   struct {
		about  widget.Memo[aboutKey, [2][]string]
		list   widget.Memo[listKey, []string]
		beside widget.Beside
	}
}

// pane is the part of the screen that has the keys.
type pane int

const (
	onList pane = iota
	onForm
	onAnswer
)

// New makes the screen; it asks for nothing until it gets the focus.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, editors: map[string]*editor{}, answers: map[string]*answer{}}
	s.actions = action.Then(s.table(), s.arrange)
	return s
}

func (s *Screen) Actions() []action.Action { return s.actions }

// Typing reports whether the arguments have the keys.
func (s *Screen) Typing() bool { return s.on == onForm && !s.editor().takes.None }

// Ticking reports whether a running call shows its time.
func (s *Screen) Ticking() bool { return s.shown && s.call != nil }

func (s *Screen) Resize(w, h int) {
	s.w, s.h, s.resized = w, h, true
	s.list.rows.SetWindow(1, s.listRows())
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
	defer s.arrange()
	if s.list.asked {
		return s.paint()
	}
	s.list.asked = true
	return tea.Batch(s.readKnown(), s.readService())
}

func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	s.arrange()
	return nil
}

// Update takes answers, pastes, the mouse, and keys that nobody took.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	cmd := s.handle(message)
	if s.resized && s.shown {
		s.resized = false
		cmd = tea.Batch(cmd, s.paint())
	}
	s.arrange()
	return cmd
}

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	for _, a := range s.answers {
		a.update(message)
	}
	switch m := message.(type) {
	case toolsReadMsg:
		s.listed(m)
	case tea.KeyPressMsg:
		if s.on == onForm {
			cmd, _ := s.Edit(m)
			return cmd
		}
	case tea.PasteMsg:
		if s.on == onForm {
			s.editor().Paste(m.Content)
		}
	case msg.ClickMsg:
		return s.clicked(m)
	case msg.WheelMsg:
		s.wheeled(m)
	case msg.TickedMsg:
		s.call.tick(m.At)
	case checkedMsg:
		return s.checked(m)
	case callBeganMsg:
		s.began(m)
	case progressedMsg:
		return s.progressed(m)
	case answeredMsg:
		return s.answered(m)
	}
	return nil
}

// Edit gives a key to the arguments; tab goes on from them.
func (s *Screen) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	defer s.arrange()
	switch key.String() {
	case "esc":
		return s.back(), true
	case "tab":
		return s.step(1)(), true
	case "shift+tab":
		return s.step(-1)(), true
	}
	return nil, s.editor().Key(key)
}

// Cursor is in the arguments.
func (s *Screen) Cursor() *tea.Cursor {
	if s.on != onForm || s.place.formHigh == 0 {
		return nil
	}
	x, y, ok := s.editor().Cursor()
	if !ok {
		return nil
	}
	left, right := s.split()
	if right == 0 {
		left = 0
	}
	return tea.NewCursor(left+2+x, 1+s.place.formAt+y)
}

func (s *Screen) split() (left, right int) { return widget.SplitPanes(s.w, 36, 60) }

// answer is the last one of the selected tool, or nil.
func (s *Screen) answer() *answer { return s.answers[s.list.selected().Name] }

// running reports whether the selected tool is being called.
func (s *Screen) running() bool { return s.call != nil && s.call.name == s.list.selected().Name }

// arrange divides the pane of the selected tool and fits its answer into it.
// Every way into the screen that changes something ends with it, so that
// drawing changes nothing.
func (s *Screen) arrange() {
	if s.list.selected().Name == "" {
		s.place = layout{}
		return
	}
	s.place = s.divide()
	s.editor().Idle(s.on != onForm)
	if a := s.answer(); a != nil {
		a.fit(s.k, s.place.w, s.answerHeight(), s.pictureHeight())
	}
}

// Backend is what Tools needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error
}
