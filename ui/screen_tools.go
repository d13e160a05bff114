package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
)

// tools shows what the service's tool-protocol entry offers: its tools on the
// left, and on the right a form made from the schema of the selected one and
// what it answered.
type tools struct {
	k       *kit
	backend toolsBackend
	w, h    int

	box    state.Toolbox
	failed error // why the entry did not answer
	asked  bool  // the service was asked since the program began
	asking bool
	shown  bool

	on      toolPane
	at, top int
	sheets  map[string]*toolSheet
	results map[string]*toolResult // the last answer of each tool
	run     *toolRun               // the call under way, or nil
	seq     int

	table   []action
	drawn   toolsDrawn
	repaint bool // the size is another one: pictures have to be painted anew
}

// toolPane is who has the keys.
type toolPane int

const (
	onTools toolPane = iota
	onArgs
	onAnswer
)

func newTools(k *kit, b toolsBackend) *tools {
	s := &tools{k: k, backend: b, sheets: map[string]*toolSheet{}, results: map[string]*toolResult{}}
	s.table = s.makeTable()
	return s
}

func (s *tools) makeTable() []action {
	key := func(k ...string) []string { return k }
	return []action{
		{keys: key("ctrl+x"), label: "stop the call", do: s.stop, why: s.whyNotStopped, always: true},
		{keys: key("ctrl+s"), label: "call the tool", do: s.call, why: s.whyNotCalled, always: true},
		{keys: key("enter"), label: "fill in", do: s.open, why: s.whyNotOpened},
		{keys: key("tab"), label: "next field or pane", do: s.step(1), why: s.whyNoTool, quiet: true},
		{keys: key("shift+tab"), label: "previous field or pane", do: s.step(-1), why: s.whyNoTool, quiet: true},
		{keys: key("y"), label: "copy the answer", do: s.copyAnswer, why: s.whyNoAnswer},
		{keys: key("o"), label: "open the file", do: s.openFile, why: s.whyNoFile},
		{keys: key("c"), label: "set up other programs", do: s.clients, why: s.whyNoEntry},
		{keys: key("v"), label: "arguments and schema", do: s.schema, why: s.whyNoTool, quiet: true},
		{keys: key("r"), label: "ask the service again", do: s.refresh, quiet: true},
		{keys: key("down", "j"), show: "j/k", label: "next", quiet: true, do: s.move(1)},
		{keys: key("up", "k"), label: "previous", quiet: true, do: s.move(-1)},
		{keys: key("pgdown", "space"), label: "next page", quiet: true, do: s.move(10)},
		{keys: key("pgup"), label: "previous page", quiet: true, do: s.move(-10)},
		{keys: key("g", "home"), label: "first", quiet: true, do: s.move(-1 << 20)},
		{keys: key("G", "shift+g", "end"), label: "last", quiet: true, do: s.move(1 << 20)},
		{keys: key("esc"), label: "back", quiet: true, do: s.back},
	}
}

func (s *tools) actions() []action { return s.table }

// typing: the form has every key, also on a choice, so that 1 to 4 do not leave
// the screen in the middle of it.
func (s *tools) typing() bool { return s.on == onArgs && len(s.sheet().fields) > 0 }

// ticking: a call under way shows its time.
func (s *tools) ticking() bool { return s.shown && s.run != nil }

func (s *tools) dirty() { s.drawn.body = "" }

func (s *tools) resize(w, h int) {
	s.w, s.h, s.repaint = w, h, true
	s.drawn = toolsDrawn{}
	for _, r := range s.results {
		r.forget()
	}
}

func (s *tools) restyle() {
	for _, sheet := range s.sheets {
		sheet.label()
		sheet.form.Restyle(sheet.look())
	}
	for _, r := range s.results {
		r.forget()
	}
	s.drawn = toolsDrawn{}
}

func (s *tools) focus() tea.Cmd {
	s.shown = true
	s.dirty()
	if s.asked {
		return s.paint()
	}
	s.asked = true
	return tea.Batch(s.readKnown(), s.readService())
}

func (s *tools) blur() tea.Cmd {
	s.shown = false
	if s.on == onArgs {
		s.sheet().form.Rest()
	}
	return nil
}

// toolsMsg brings what the entry offers.
type toolsMsg struct {
	box    state.Toolbox
	err    error
	stored bool
}

func (s *tools) readKnown() tea.Cmd {
	ctx, d := s.k.ctx, s.backend
	return func() tea.Msg { return toolsMsg{box: d.KnownTools(ctx), stored: true} }
}

func (s *tools) readService() tea.Cmd {
	ctx, d := s.k.ctx, s.backend
	s.asking = true
	return func() tea.Msg {
		box, err := d.Tools(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return toolsMsg{box: box, err: err}
	}
}

func (s *tools) refresh() tea.Cmd {
	s.dirty()
	if s.asking {
		return nil
	}
	return s.readService()
}

func (s *tools) listed(m toolsMsg) {
	s.dirty()
	switch {
	case m.stored:
		if len(m.box.Tools) == 0 || !s.box.At.IsZero() {
			return // nothing is known, or the service was quicker
		}
	default:
		s.asking = false
		s.failed = m.err
		if m.err != nil {
			return // what was known stays
		}
	}
	was := s.tool().Name
	s.box, s.at = m.box, 0
	for i, t := range s.box.Tools {
		if t.Name == was {
			s.at = i
		}
	}
	if _, ok := s.box.Find(was); was != "" && !ok && s.on != onTools {
		s.on = onTools // the tool in hand is gone
	}
}

// tool is the selected one, or none.
func (s *tools) tool() mcp.Tool {
	if s.at < len(s.box.Tools) {
		return s.box.Tools[s.at]
	}
	return mcp.Tool{}
}

func (s *tools) result() *toolResult { return s.results[s.tool().Name] }

// running reports whether the selected tool is being called.
func (s *tools) running() bool { return s.run != nil && s.run.name == s.tool().Name }

func (s *tools) update(message tea.Msg) tea.Cmd {
	cmd := s.answer(message)
	if s.repaint && s.shown {
		s.repaint = false
		return tea.Batch(cmd, s.paint())
	}
	return cmd
}

func (s *tools) answer(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case toolsMsg:
		s.listed(m)
	case tea.KeyPressMsg:
		if s.on == onArgs {
			cmd, _ := s.edit(m)
			return cmd
		}
	case tea.PasteMsg:
		if s.on == onArgs {
			s.sheet().form.Paste(m.Content)
		}
	case clickMsg:
		return s.clicked(m)
	case wheelMsg:
		s.wheeled(m)
	case tickedMsg:
		if s.run != nil {
			s.run.tick(m.at)
			s.dirty()
		}
	case toolBeganMsg, toolProgressMsg, toolAnsweredMsg:
		return s.told(message)
	case paintedMsg:
		return s.painted(m)
	case arrivedMsg:
		for _, r := range s.results {
			if r.arrived(m) {
				s.dirty()
			}
		}
	}
	return nil
}

func (s *tools) edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	sheet := s.sheet()
	if !sheet.form.MenuOpen() {
		switch key.String() {
		case "esc":
			return s.back(), true
		case "tab":
			if sheet.form.Ends(1) {
				return s.step(1)(), true
			}
		case "shift+tab":
			if sheet.form.Ends(-1) {
				return s.step(-1)(), true
			}
		}
	}
	return nil, sheet.form.Key(key)
}

// open goes to the form of the selected tool.
func (s *tools) open() tea.Cmd {
	if s.on != onTools {
		return nil
	}
	s.on = onArgs
	s.sheet().form.FocusEnd(1)
	s.dirty()
	return s.paint()
}

// step goes over the list, the fields and the answer.
func (s *tools) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		if s.on == onArgs {
			s.sheet().form.Rest()
		}
		ring := []toolPane{onTools, onArgs}
		if s.result() != nil || s.running() {
			ring = append(ring, onAnswer)
		}
		for i, p := range ring {
			if p == s.on {
				s.on = ring[(i+by+len(ring))%len(ring)]
				break
			}
		}
		if s.on == onArgs {
			s.sheet().form.FocusEnd(by)
		}
		return s.paint()
	}
}

func (s *tools) back() tea.Cmd {
	s.dirty()
	switch s.on {
	case onArgs:
		s.sheet().form.Rest()
		s.on = onTools
	case onAnswer:
		s.on = onArgs
		if _, right := s.split(); right > 0 || len(s.sheet().fields) == 0 {
			s.on = onTools
		}
	}
	return nil
}

func (s *tools) move(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		switch s.on {
		case onArgs: // the form takes what moves by one
			if _, right := s.split(); right == 0 {
				return nil
			}
			fallthrough
		case onAnswer:
			if r := s.result(); r != nil {
				r.top = max(r.top+by, 0)
			}
		case onTools:
			to := max(min(s.at+by, len(s.box.Tools)-1), 0)
			if to != s.at {
				s.at = to
				return s.paint()
			}
		}
		return nil
	}
}

func (s *tools) clicked(m clickMsg) tea.Cmd {
	left, right := s.split()
	s.dirty()
	if m.x < left && (right > 0 || s.on == onTools) {
		row := s.top + m.y - 1
		if m.y < 1 || m.y > s.listRows() || row >= len(s.box.Tools) {
			return nil
		}
		same := row == s.at && s.on == onTools
		if s.on == onArgs {
			s.sheet().form.Rest()
		}
		s.at, s.on = row, onTools
		if same && right == 0 {
			return s.open()
		}
		return s.paint()
	}
	x, y := m.x, m.y-1
	if right > 0 {
		x -= left
	}
	if s.tool().Name == "" {
		return nil
	}
	switch at := s.drawn; {
	case y >= at.formAt && y < at.formAt+at.formHigh && s.sheet().form.Click(x-2, y-at.formAt):
		s.on = onArgs
	case at.answerAt > 0 && y >= at.answerAt && s.result() != nil:
		s.on = onAnswer
	}
	return nil
}

func (s *tools) wheeled(m wheelMsg) {
	left, right := s.split()
	s.dirty()
	if right > 0 && m.x < left || right == 0 && s.on == onTools {
		s.top = max(min(s.top+m.by, len(s.box.Tools)-s.listRows()), 0)
		s.drawn.loose = true
		return
	}
	y := m.y - 1
	if at := s.drawn; y >= at.formAt && y < at.formAt+at.formHigh {
		s.sheet().form.Wheel(m.x-left-2, y-at.formAt, m.by)
		return
	}
	if r := s.result(); r != nil {
		r.top = max(r.top+3*m.by, 0)
	}
}

func (s *tools) cursor() *tea.Cursor {
	if s.on != onArgs || s.drawn.formHigh == 0 {
		return nil
	}
	x, y, ok := s.sheet().form.Cursor()
	if !ok {
		return nil
	}
	left, right := s.split()
	if right == 0 {
		left = 0
	}
	return tea.NewCursor(left+2+x, 1+s.drawn.formAt+y)
}

func (s *tools) split() (left, right int) { return splitPanes(s.w, 36, 60) }

func (s *tools) whyNoTool() string {
	if len(s.box.Tools) == 0 {
		return s.k.say("There is no tool to choose.")
	}
	return ""
}

func (s *tools) whyNotOpened() string {
	if s.on != onTools {
		return s.k.say("Press esc to go back to the tools.")
	}
	return s.whyNoTool()
}

// whyTyping: letters are for the field being written in.
func (s *tools) whyTyping() string {
	if s.typing() {
		return s.k.say("Press esc to leave the form first.")
	}
	return ""
}

func (s *tools) whyNoEntry() string {
	if why := s.whyTyping(); why != "" {
		return why
	}
	if s.box.Address == "" {
		return s.k.say("The tool entry was not found yet.")
	}
	return ""
}

// clients shows how other programs are set up for the same tools.
func (s *tools) clients() tea.Cmd { return open(newClients(s.k, s.box.Address)) }

// schema shows the arguments as they would be sent, and the tool's schema.
func (s *tools) schema() tea.Cmd {
	args, _ := s.sheet().args()
	t := s.tool()
	text := s.k.say("Arguments as they stand") + "\n\n" + pretty(api.Indent(args)) + "\n\n" + s.k.say("Schema") + "\n\n" + pretty(api.Indent(t.Schema))
	return open(newReader(s.k, t.Label(), text))
}
