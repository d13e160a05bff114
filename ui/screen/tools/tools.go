package tools

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Screen shows what the service's tool-protocol entry offers: its tools on the
// left, and on the right a form made from the schema of the selected one and
// what it answered.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int

	box    state.Toolbox
	failed error // why the entry did not answer
	asked  bool  // the service was asked since the program began
	asking bool
	shown  bool

	On      toolPane
	at, top int
	sheets  map[string]*toolSheet
	results map[string]*toolResult // the last answer of each tool
	run     *toolRun               // the call under way, or nil
	seq     int

	table   []action.Action
	drawn   toolsDrawn
	repaint bool // the size is another one: pictures have to be painted anew
}

// toolPane is who has the keys.
type toolPane int

const (
	OnTools toolPane = iota
	OnArgs
	OnAnswer
)

func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, sheets: map[string]*toolSheet{}, results: map[string]*toolResult{}}
	s.table = s.makeTable()
	return s
}

func (s *Screen) makeTable() []action.Action {
	key := func(k ...string) []string { return k }
	return []action.Action{
		{Keys: key("ctrl+x"), Label: "stop the call", Handler: s.stop, Disabled: s.whyNotStopped, Always: true},
		{Keys: key("ctrl+s"), Label: "call the tool", Handler: s.call, Disabled: s.whyNotCalled, Always: true},
		{Keys: key("enter"), Label: "fill in", Handler: s.open, Disabled: s.whyNotOpened},
		{Keys: key("tab"), Label: "next field or pane", Handler: s.step(1), Disabled: s.whyNoTool, Hidden: true},
		{Keys: key("shift+tab"), Label: "previous field or pane", Handler: s.step(-1), Disabled: s.whyNoTool, Hidden: true},
		{Keys: key("y"), Label: "copy the answer", Handler: s.copyAnswer, Disabled: s.whyNoAnswer},
		{Keys: key("o"), Label: "open the file", Handler: s.openFile, Disabled: s.whyNoFile},
		{Keys: key("c"), Label: "set up other programs", Handler: s.clients, Disabled: s.whyNoEntry},
		{Keys: key("v"), Label: "arguments and schema", Handler: s.schema, Disabled: s.whyNoTool, Hidden: true},
		{Keys: key("r"), Label: "ask the service again", Handler: s.refresh, Hidden: true},
		{Keys: key("down", "j"), Display: "j/k", Label: "next", Hidden: true, Handler: s.move(1)},
		{Keys: key("up", "k"), Label: "previous", Hidden: true, Handler: s.move(-1)},
		{Keys: key("pgdown", "space"), Label: "next page", Hidden: true, Handler: s.move(10)},
		{Keys: key("pgup"), Label: "previous page", Hidden: true, Handler: s.move(-10)},
		{Keys: key("g", "home"), Label: "first", Hidden: true, Handler: s.move(-1 << 20)},
		{Keys: key("G", "shift+g", "end"), Label: "last", Hidden: true, Handler: s.move(1 << 20)},
		{Keys: key("esc"), Label: "back", Hidden: true, Handler: s.back},
	}
}

func (s *Screen) Actions() []action.Action { return s.table }

// Typing: the form has every key, also on a choice, so that 1 to 4 do not leave
// the screen in the middle of it.
func (s *Screen) Typing() bool { return s.On == OnArgs && len(s.Sheet().Fields) > 0 }

// Ticking: a call under way shows its time.
func (s *Screen) Ticking() bool { return s.shown && s.run != nil }

func (s *Screen) dirty() { s.drawn.body = "" }

func (s *Screen) Resize(w, h int) {
	s.w, s.h, s.repaint = w, h, true
	s.drawn = toolsDrawn{}
	for _, r := range s.results {
		r.forget()
	}
}

func (s *Screen) Restyle() {
	for _, sheet := range s.sheets {
		sheet.label()
		sheet.Form.Restyle(sheet.look())
	}
	for _, r := range s.results {
		r.forget()
	}
	s.drawn = toolsDrawn{}
}

func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.dirty()
	if s.asked {
		return s.paint()
	}
	s.asked = true
	return tea.Batch(s.readKnown(), s.readService())
}

func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	if s.On == OnArgs {
		s.Sheet().Form.Rest()
	}
	return nil
}

// ToolsMsg brings what the entry offers.
type ToolsMsg struct {
	Box    state.Toolbox
	Err    error
	stored bool
}

func (s *Screen) readKnown() tea.Cmd {
	ctx, d := s.k.Context, s.backend
	return func() tea.Msg { return ToolsMsg{Box: d.KnownTools(ctx), stored: true} }
}

func (s *Screen) readService() tea.Cmd {
	ctx, d := s.k.Context, s.backend
	s.asking = true
	return func() tea.Msg {
		box, err := d.Tools(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return ToolsMsg{Box: box, Err: err}
	}
}

func (s *Screen) refresh() tea.Cmd {
	s.dirty()
	if s.asking {
		return nil
	}
	return s.readService()
}

func (s *Screen) listed(m ToolsMsg) {
	s.dirty()
	switch {
	case m.stored:
		if len(m.Box.Tools) == 0 || !s.box.At.IsZero() {
			return // nothing is known, or the service was quicker
		}
	default:
		s.asking = false
		s.failed = m.Err
		if m.Err != nil {
			return // what was known stays
		}
	}
	was := s.Tool().Name
	s.box, s.at = m.Box, 0
	for i, t := range s.box.Tools {
		if t.Name == was {
			s.at = i
		}
	}
	if _, ok := s.box.Find(was); was != "" && !ok && s.On != OnTools {
		s.On = OnTools // the tool in hand is gone
	}
}

// Tool is the selected one, or none.
func (s *Screen) Tool() mcp.Tool {
	if s.at < len(s.box.Tools) {
		return s.box.Tools[s.at]
	}
	return mcp.Tool{}
}

func (s *Screen) result() *toolResult { return s.results[s.Tool().Name] }

// running reports whether the selected tool is being called.
func (s *Screen) running() bool { return s.run != nil && s.run.name == s.Tool().Name }

func (s *Screen) Update(message tea.Msg) tea.Cmd {
	cmd := s.answer(message)
	if s.repaint && s.shown {
		s.repaint = false
		return tea.Batch(cmd, s.paint())
	}
	return cmd
}

func (s *Screen) answer(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case ToolsMsg:
		s.listed(m)
	case tea.KeyPressMsg:
		if s.On == OnArgs {
			cmd, _ := s.Edit(m)
			return cmd
		}
	case tea.PasteMsg:
		if s.On == OnArgs {
			s.Sheet().Form.Paste(m.Content)
		}
	case msg.ClickMsg:
		return s.clicked(m)
	case msg.WheelMsg:
		s.wheeled(m)
	case msg.TickedMsg:
		if s.run != nil {
			s.run.tick(m.At)
			s.dirty()
		}
	case toolBeganMsg, toolProgressMsg, toolAnsweredMsg:
		return s.told(message)
	case result.PaintedMsg:
		return s.painted(m)
	case msg.ArrivedMsg:
		for _, r := range s.results {
			if r.arrived(m) {
				s.dirty()
			}
		}
	}
	return nil
}

func (s *Screen) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	sheet := s.Sheet()
	if !sheet.Form.MenuOpen() {
		switch key.String() {
		case "esc":
			return s.back(), true
		case "tab":
			if sheet.Form.Ends(1) {
				return s.step(1)(), true
			}
		case "shift+tab":
			if sheet.Form.Ends(-1) {
				return s.step(-1)(), true
			}
		}
	}
	return nil, sheet.Form.Key(key)
}

// open goes to the form of the selected tool.
func (s *Screen) open() tea.Cmd {
	if s.On != OnTools {
		return nil
	}
	s.On = OnArgs
	s.Sheet().Form.FocusEnd(1)
	s.dirty()
	return s.paint()
}

// step goes over the list, the fields and the answer.
func (s *Screen) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		if s.On == OnArgs {
			s.Sheet().Form.Rest()
		}
		ring := []toolPane{OnTools, OnArgs}
		if s.result() != nil || s.running() {
			ring = append(ring, OnAnswer)
		}
		for i, p := range ring {
			if p == s.On {
				s.On = ring[(i+by+len(ring))%len(ring)]
				break
			}
		}
		if s.On == OnArgs {
			s.Sheet().Form.FocusEnd(by)
		}
		return s.paint()
	}
}

func (s *Screen) back() tea.Cmd {
	s.dirty()
	switch s.On {
	case OnArgs:
		s.Sheet().Form.Rest()
		s.On = OnTools
	case OnAnswer:
		s.On = OnArgs
		if _, right := s.split(); right > 0 || len(s.Sheet().Fields) == 0 {
			s.On = OnTools
		}
	}
	return nil
}

func (s *Screen) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		switch s.On {
		case OnArgs: // the form takes what moves by one
			if _, right := s.split(); right == 0 {
				return nil
			}
			fallthrough
		case OnAnswer:
			if r := s.result(); r != nil {
				r.top = max(r.top+by, 0)
			}
		case OnTools:
			to := max(min(s.at+by, len(s.box.Tools)-1), 0)
			if to != s.at {
				s.at = to
				return s.paint()
			}
		}
		return nil
	}
}

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	left, right := s.split()
	s.dirty()
	if m.X < left && (right > 0 || s.On == OnTools) {
		row := s.top + m.Y - 1
		if m.Y < 1 || m.Y > s.listRows() || row >= len(s.box.Tools) {
			return nil
		}
		same := row == s.at && s.On == OnTools
		if s.On == OnArgs {
			s.Sheet().Form.Rest()
		}
		s.at, s.On = row, OnTools
		if same && right == 0 {
			return s.open()
		}
		return s.paint()
	}
	x, y := m.X, m.Y-1
	if right > 0 {
		x -= left
	}
	if s.Tool().Name == "" {
		return nil
	}
	switch at := s.drawn; {
	case y >= at.formAt && y < at.formAt+at.formHigh && s.Sheet().Form.Click(x-2, y-at.formAt):
		s.On = OnArgs
	case at.answerAt > 0 && y >= at.answerAt && s.result() != nil:
		s.On = OnAnswer
	}
	return nil
}

func (s *Screen) wheeled(m msg.WheelMsg) {
	left, right := s.split()
	s.dirty()
	if right > 0 && m.X < left || right == 0 && s.On == OnTools {
		s.top = max(min(s.top+m.By, len(s.box.Tools)-s.listRows()), 0)
		s.drawn.loose = true
		return
	}
	y := m.Y - 1
	if at := s.drawn; y >= at.formAt && y < at.formAt+at.formHigh {
		s.Sheet().Form.Wheel(m.X-left-2, y-at.formAt, m.By)
		return
	}
	if r := s.result(); r != nil {
		r.top = max(r.top+3*m.By, 0)
	}
}

func (s *Screen) Cursor() *tea.Cursor {
	if s.On != OnArgs || s.drawn.formHigh == 0 {
		return nil
	}
	x, y, ok := s.Sheet().Form.Cursor()
	if !ok {
		return nil
	}
	left, right := s.split()
	if right == 0 {
		left = 0
	}
	return tea.NewCursor(left+2+x, 1+s.drawn.formAt+y)
}

func (s *Screen) split() (left, right int) { return widget.SplitPanes(s.w, 36, 60) }

func (s *Screen) whyNoTool() string {
	if len(s.box.Tools) == 0 {
		return s.k.Say("There is no tool to choose.")
	}
	return ""
}

func (s *Screen) whyNotOpened() string {
	if s.On != OnTools {
		return s.k.Say("Press esc to go back to the tools.")
	}
	return s.whyNoTool()
}

// whyTyping: letters are for the field being written in.
func (s *Screen) whyTyping() string {
	if s.Typing() {
		return s.k.Say("Press esc to leave the form first.")
	}
	return ""
}

func (s *Screen) whyNoEntry() string {
	if why := s.whyTyping(); why != "" {
		return why
	}
	if s.box.Address == "" {
		return s.k.Say("The tool entry was not found yet.")
	}
	return ""
}

// clients shows how other programs are set up for the same tools.
func (s *Screen) clients() tea.Cmd { return msg.Open(newClients(s.k, s.box.Address)) }

// schema shows the arguments as they would be sent, and the tool's schema.
func (s *Screen) schema() tea.Cmd {
	args, _ := s.Sheet().Args()
	t := s.Tool()
	text := s.k.Say("Arguments as they stand") + "\n\n" + widget.Pretty(api.Indent(args)) + "\n\n" + s.k.Say("Schema") + "\n\n" + widget.Pretty(api.Indent(t.Schema))
	return msg.Open(widget.NewReader(s.k, t.Label(), text))
}
