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
	"darkroom/ui/widget"
)

// Backend is the part of the session that Tools needs; it is
// called from commands only.
type Backend interface {
	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error
}

// Screen shows the tools on the left, and on the right the selected one with
// its arguments and its last answer; if there is room for one pane only, the one
// that has the keys.
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
	asked   int                // counts checks and calls; answers to others than the last are dropped

	shown  bool
	place  layout // where the parts of the selected tool stand
	beside widget.Beside
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
	s.actions = s.table()
	for i, a := range s.actions {
		s.actions[i].Handler = func() tea.Cmd { return s.settle(a.Handler()) }
	}
	return s
}

func (s *Screen) Actions() []action.Action { return s.actions }

// Typing reports whether the arguments have the keys.
func (s *Screen) Typing() bool { return s.on == onForm && !s.editor().takes.None }

// Ticking reports whether a running call shows its time.
func (s *Screen) Ticking() bool { return s.shown && s.call != nil }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
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
	if s.list.asked {
		return s.settle(nil)
	}
	s.list.asked = true
	return s.settle(tea.Batch(s.readKnown(), s.readService()))
}

func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	return nil
}

// Update takes answers, pastes, the mouse, and keys that nobody took.
func (s *Screen) Update(message tea.Msg) tea.Cmd { return s.settle(s.handle(message)) }

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	for _, a := range s.answers {
		for i := range a.pictures {
			a.pictures[i].Update(message)
		}
	}
	switch m := message.(type) {
	case toolsReadMsg:
		s.listed(m)
	case tea.KeyPressMsg:
		if s.on == onForm {
			s.Edit(m)
		}
	case tea.PasteMsg:
		if s.on == onForm {
			s.editor().Paste(m.Content)
		}
	case msg.ClickMsg:
		s.clicked(m)
	case msg.WheelMsg:
		s.wheeled(m)
	case msg.TickedMsg:
		if s.call != nil {
			s.call.now = m.At
		}
	case checkedMsg:
		return s.checked(m)
	case reportedMsg:
		return s.reported(m)
	case answeredMsg:
		return s.answered(m)
	}
	return nil
}

// Edit gives a key to the arguments; tab goes on from them.
func (s *Screen) Edit(key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	switch key.String() {
	case "esc":
		s.back()
	case "tab":
		s.step(1)()
	case "shift+tab":
		s.step(-1)()
	default:
		used = s.editor().Key(key)
		return s.settle(nil), used
	}
	return s.settle(nil), true
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
	left, _ := s.toolPane()
	return tea.NewCursor(left+2+x, 1+s.place.formAt+y)
}

// View joins the panes, or shows the one that has the keys.
func (s *Screen) View() []string {
	x, w := s.toolPane()
	switch {
	case !s.narrow():
		return s.beside.Join(s.listLines(x), s.toolLines(w))
	case s.on == onList || s.list.selected().Name == "":
		return s.listLines(w)
	}
	return s.toolLines(w)
}

// narrow reports whether there is room for one pane.
func (s *Screen) narrow() bool { return s.w < widget.WideFrom }

// toolPane returns the left edge and the width of the selected tool's pane.
func (s *Screen) toolPane() (x, w int) {
	if s.narrow() {
		return 0, s.w
	}
	return widget.SplitPanes(s.w, 36, 60)
}

// answer is the last one of the selected tool, or nil.
func (s *Screen) answer() *answer { return s.answers[s.list.selected().Name] }

// running reports whether the selected tool is being called.
func (s *Screen) running() bool { return s.call != nil && s.call.tool.Name == s.list.selected().Name }

// settle ends every way into the screen that changes something and can have a
// command follow: pictures that have come into view are asked for.
func (s *Screen) settle(cmd tea.Cmd) tea.Cmd {
	s.arrange()
	return tea.Batch(cmd, s.paint())
}

// arrange divides the pane of the selected tool and fits its answer into it.
// Every change ends with it, so that drawing changes nothing.
func (s *Screen) arrange() {
	if s.list.selected().Name == "" {
		s.place = layout{}
		return
	}
	s.place = s.divide()
	s.editor().Idle(s.on != onForm)
	if a := s.answer(); a != nil && s.place.answerHigh > 0 {
		a.fit(s.k, s.place.w, s.place.answerHigh, s.pictureHeight())
	}
}
