// Package tools is the screen of the service's tool-protocol entry: its tools,
// the arguments of the selected one, and its answer.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Backend is the part of the session that Tools needs, in commands.
type Backend interface {
	KnownModels(ctx context.Context) state.Listing
	KnownTools(ctx context.Context) state.Toolbox
	Tools(ctx context.Context) (state.Toolbox, error)
	CallTool(ctx context.Context, c state.ToolCall) (state.ToolAnswer, error)
	OpenPath(ctx context.Context, path string) error
}

// Screen shows the tools, and right of them the selected one with its arguments and
// its last answer; if there is room for one pane, the one that has the keys.
type Screen struct {
	widget.Passive
	k       *env.Env
	backend Backend
	w, h    int

	list    toolList
	on      int
	editors map[string]*editor
	models  []api.Model    // the known ones, for arguments that name one
	call    *call          // the one that is running, or nil
	checks  int            // how many were begun; what others than the last find is dropped
	thumbs  *result.Thumbs // of the answers' pictures

	shown  bool
	page   page
	beside widget.Beside
}

// What has the keys.
const (
	onList = iota
	onForm
	onAnswer
)

// New makes the screen; it asks for nothing until it gets the focus.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, editors: map[string]*editor{}, thumbs: result.NewThumbs(k)}
	s.Table = action.After(s.table(), func() tea.Cmd { return s.settle(nil) })
	return s
}

func (s *Screen) Typing() bool { return s.on == onForm && !s.editor().takes.None }

func (s *Screen) Calling() bool { return s.call != nil }

func (s *Screen) Ticking() bool { return s.shown && s.Calling() }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrangeList()
	s.arrange()
}

// arrangeList gives a tool a line, another one for what it does, and if there is room a blank one.
func (s *Screen) arrangeList() {
	l, lines := &s.list, s.h-3-s.footLines()
	l.rows.Each = max(min(lines/max(len(l.box.Tools), 1), 3), 2)
	l.rows.SetWindow(2, lines)
}

func (s *Screen) Restyle() {
	for _, e := range s.editors {
		e.label()
		e.Restyle(e.k.Theme)
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
	known := func() tea.Msg {
		box := backend.KnownTools(ctx)
		return thenMsg(func(screen *Screen) tea.Cmd {
			if screen.list.box.At.IsZero() { // else the service was quicker
				screen.listed(box)
			}
			return nil
		})
	}
	return s.settle(tea.Batch(known, func() tea.Msg { return backend.KnownModels(ctx) }, s.refresh()))
}

func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	return nil
}

func (s *Screen) Update(message tea.Msg) (then tea.Cmd) {
	s.thumbs.Update(message)
	switch m := message.(type) {
	case thenMsg:
		then = m(s)
	case state.Listing:
		s.models = m.Models
		for _, e := range s.editors {
			e.label()
		}
	case tea.PasteMsg:
		if s.on == onForm {
			e := s.editor()
			if e.raw || !strings.HasPrefix(strings.TrimSpace(m.Content), "{") || !json.Valid([]byte(m.Content)) {
				e.Paste(m.Content)
				break
			}
			e.raw = true // they are all arguments
			e.text.SetValue(m.Content)
			e.Settle()
		}
	case msg.ClickMsg:
		s.clicked(m)
	case msg.WheelMsg:
		s.wheeled(m)
	case msg.TickedMsg:
		if c := s.call; c != nil {
			c.now, c.began = m.At, cmp.Or(c.began, m.At)
		}
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
	return widget.SplitPanes(s.w, 36, 64)
}

// answer is the last one of the selected tool, or nil.
func (s *Screen) answer() *call { return s.editor().answer }

func (s *Screen) running() bool { return s.call != nil && s.call.tool.Name == s.list.selected().Name }

// settle asks for pictures that have come into view.
func (s *Screen) settle(cmd tea.Cmd) tea.Cmd {
	s.arrange()
	var visible []result.Thumb
	if a := s.answer(); a != nil && s.shown && s.page.answerHigh > 0 {
		visible = api.Pick(a.Files, func(f state.File) (result.Thumb, bool) { return s.thumb(f), isPicture(f) })
	}
	return tea.Batch(cmd, s.thumbs.Want(visible))
}

// toolList holds the entry's tools, and the selected one.
type toolList struct {
	box     state.Toolbox
	err     error // why the entry did not answer
	asked   bool  // the service was asked since the program began
	loading bool
	rows    widget.Picker // of its tools
}

// thenMsg is what follows in Update when a command has its answer.
type thenMsg func(s *Screen) tea.Cmd

func (s *Screen) refresh() tea.Cmd {
	if s.list.loading {
		return nil
	}
	s.list.loading = true
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		box, err := backend.Tools(ctx)
		return thenMsg(func(screen *Screen) tea.Cmd {
			if screen.list.loading, screen.list.err = false, err; err == nil {
				screen.listed(box)
			}
			return nil
		})
	}
}

// listed takes over what was read.
func (s *Screen) listed(box state.Toolbox) {
	l := &s.list
	before := l.selected().Name
	l.box = box
	l.rows.KeepRows(len(l.box.Tools))
	s.arrangeList()
	at := slices.IndexFunc(l.box.Tools, func(t mcp.Tool) bool { return t.Name == before })
	if l.rows.Select(at); at < 0 {
		s.on = onList // the tool in hand is gone
	}
}

func (l *toolList) selected() mcp.Tool { return widget.Chosen(&l.rows, l.box.Tools) }

// footLines is how many lines the entry takes below the tools, and if there is room who else can use them.
func (s *Screen) footLines() int {
	if s.h < 18 || s.narrow() {
		return 3
	}
	return 7
}

// listLines draws the pane of tools, and below them the entry they come from.
func (s *Screen) listLines(w int) []string {
	k, t, l := s.k, s.k.Theme, &s.list
	p := widget.Pane{Width: w, Height: s.h, Title: k.Say("Tools"), Focus: s.on == onList, Quiet: true}
	inner, _ := p.Inner()
	f := widget.Facts{Width: inner, Theme: t, Lines: []string{""}}
	f.Add(l.rows.Lines(func(row int, selected bool) string { return s.toolLine(row, inner, selected) })...)
	f.Lines = append(f.Lines, make([]string, s.h)...)[:max(s.h-2-s.footLines(), 0)]
	if s.footLines() > 3 {
		others := k.Say("Agents and other programs can call these tools too: %s sets them up.", k.Key("clients", "c"))
		about := append(append(make([]string, 3), s.cutLines(widget.Muted(k, others, inner-2), 3)...), "")
		f.Add(api.Map(about[len(about)-4:], func(line string) string { return " " + line })...)
	}
	head, how := widget.Divide(k.Say("Address")), ""
	switch { // the entry answered
	case l.loading:
		how = t.Muted.Paint(k.Say("loading"))
	case l.err != nil:
		how = t.Warn.Paint("✕ " + env.Sentence(k, l.err))
	case !l.box.At.IsZero():
		how = t.Good.Paint("✓ ") + t.Muted.Paint(k.Say("answered at %s", k.Stamp(l.box.At)))
	}
	if l.err == nil { // else it takes a line
		head, how = widget.Between(head, how, inner-2), t.Muted.Paint(theme.Cut(l.box.Server.String(), inner-2))
	}
	f.Add(head, " "+t.Text.Paint(theme.CutLeft(api.Clean(l.box.Address, 300).String(), inner-2)), " "+how)
	return p.Lines(t, f.Lines)
}

// emptyLines say on the whole screen why there are no tools, and which key looks again.
func (s *Screen) emptyLines() []string {
	k, t := s.k, s.k.Theme
	f := widget.Facts{Width: min(64, s.w-4), Theme: t}
	if s.list.err != nil && !s.list.loading {
		f.Wrapped(t.Warn, "✕ "+env.Sentence(k, s.list.err))
	} else {
		looking := k.SayIf(s.list.loading || !s.list.asked, "Looking for the service's tool entry.")
		f.Wrapped(t.Text, cmp.Or(looking, k.Say("The entry offers no tools.")))
	}
	f.Painted("")
	f.Painted(t.Key.Paint(k.Key("refresh", "r")) + " " + t.Muted.Paint(k.Say("refresh")))
	p := widget.Pane{Width: s.w, Height: s.h, Title: k.Say("Tools"), Focus: true, Quiet: true}
	return p.Lines(t, result.Centred(f.Lines, s.w-4, s.h*2/3))
}

// costs is what a tool may cost, if anything.
func (s *Screen) costs(tool mcp.Tool) string {
	return s.k.SayIf(!tool.ReadOnly, "may cost credits")
}

// toolLine draws a row of the list: the tool's name with what it may cost, and if there is room what it does.
func (s *Screen) toolLine(row, w int, selected bool) string {
	k, tool := s.k, s.list.box.Tools[row]
	in, mark := k.Theme.Row(selected)
	tag, style := s.costs(tool), in.Warn
	if s.call != nil && s.call.tool.Name == tool.Name {
		tag, style = "◐ "+k.Say("calling"), in.Run
	}
	name := in.Strong.If(selected, in.Text)
	room, gap := w-3-theme.Width(tag)-1, in.Text.Paint(" ")
	does := in.Muted.Paint(theme.Fit("  "+api.OneLine(tool.Description.String()), w-1))
	return in.Accent.Paint(mark) + name.Paint(theme.Fit(tool.Label(), room)) + gap + style.Paint(tag) + gap + "\n" + does + gap + "\n"
}

// table is what can be done on the screen, the most important first.
func (s *Screen) table() []action.Action {
	const far = 1 << 20
	by := action.Do
	return []action.Action{
		{Name: "stop_call", Keys: "ctrl+x", Label: "stop the call", Always: true, // what the tool does then is the service's
			Handler:  func() tea.Cmd { s.call.stopped = true; s.call.cancel(); return nil },
			Disabled: func() string { return s.k.SayIf(s.call == nil, "No tool is being called.") }},
		{Name: "call_tool", Keys: "ctrl+s", Label: "call the tool", Handler: s.review, Always: true, Confirms: true, Disabled: func() string {
			return cmp.Or(s.k.SayIf(s.call != nil, "A tool is being called. Press %s to stop it.", s.k.Key("stop_call", "ctrl+x")), s.whyNoTool())
		}},
		{Name: "fill_in", Keys: "enter", Label: "fill in",
			Handler: by(s.step, 1), Disabled: func() string {
				return cmp.Or(s.k.SayIf(s.on != onList, "Press esc to go back to the tools."), s.whyNoTool())
			}},
		{Name: "as_json", Keys: "ctrl+t", Label: "fields or JSON", Handler: s.asJSON, Always: true, Disabled: s.whyNoTool,
			Offer: func() bool { return s.on == onForm && len(s.editor().fields) > 0 }},
		{Name: "next_field", Keys: "tab", Label: "next field", Offer: func() bool { return s.on == onForm },
			Handler: by(s.step, 1), Disabled: s.whyNoTool, Always: true},
		{Name: "previous_field", Keys: "shift+tab", Label: "previous field or pane",
			Handler: by(s.step, -1), Disabled: s.whyNoTool, Hidden: true, Always: true},
		{Name: "back", Keys: "esc", Label: "back", Handler: s.back, Offer: func() bool { return s.on != onList }, Always: true},
		{Name: "copy_answer", Keys: "y", Label: "copy the response",
			Disabled: s.whyNoAnswer, Handler: func() tea.Cmd { return msg.Copy(s.answer().text, s.k.Say("Copied.")) }},
		{Name: "open_file", Keys: "o", Label: "open the file", Disabled: s.whyNoFile, Handler: func() tea.Cmd {
			ctx, backend, path := s.k.Context, s.backend, s.answer().file()
			return func() tea.Msg { return msg.FailedMsg{Err: backend.OpenPath(ctx, path)} }
		}},
		{Name: "clients", Keys: "c", Label: "set up other programs",
			Handler: func() tea.Cmd { return openClients(s.k, s.list.box.Address) }, Disabled: func() string {
				return cmp.Or(s.whyTyping(), s.k.SayIf(s.list.box.Address == "", "The tool entry was not found yet."))
			}},
		{Name: "schema", Keys: "v", Label: "arguments and schema",
			Handler: s.showSchema, Disabled: s.whyNoTool, Hidden: true},
		{Name: "refresh", Keys: "r", Label: "refresh", Handler: s.refresh, Hidden: true},
		widget.Moving("next", "j/k", "choose", by(s.move, 1), "down j"),
		widget.Moving("previous", "", "previous", by(s.move, -1), "up k"),
		widget.Moving("next_page", "pgdown/pgup", "page", by(s.move, 10), "pgdown space"),
		widget.Moving("previous_page", "", "previous page", by(s.move, -10), "pgup"),
		widget.Moving("first", "home/end", "first or last", by(s.move, -far), "g home"),
		widget.Moving("last", "", "last", by(s.move, far), "G shift+g end"),
	}
}

// step goes over the list, the arguments and the answer.
func (s *Screen) step(by int) {
	if s.on == onForm && s.editor().Step(by, false) {
		return
	}
	panes := onAnswer
	if s.answer() != nil || s.running() {
		panes++
	}
	s.on = (s.on + by + panes) % panes
}

// back goes to the list; in a narrow window from the answer to the arguments first.
func (s *Screen) back() tea.Cmd {
	if esc := (tea.KeyPressMsg{Code: tea.KeyEscape}); s.on == onForm && s.editor().Key(esc) {
		return nil // it closed a list
	}
	inAnswer := s.on == onAnswer && s.narrow() && !s.editor().takes.None
	if s.on = onList; inAnswer {
		s.on = onForm
	}
	return nil
}

// move goes over the tools, or scrolls the answer.
func (s *Screen) move(by int) {
	if s.on == onList {
		s.list.rows.Move(by)
	} else {
		s.scroll(by)
	}
}

func (s *Screen) scroll(by int) {
	if a := s.answer(); a != nil && s.page.answerHigh > 0 {
		a.scroll.By(by)
	}
}

func (s *Screen) inList(x int) bool {
	left, _ := s.toolPane()
	return x < left || s.narrow() && s.on == onList
}

func (s *Screen) clicked(m msg.ClickMsg) {
	switch p := s.page; {
	case s.inList(m.X):
		if row, ok := s.list.rows.RowAt(m.Y); ok {
			same := !s.list.rows.Select(row) && s.on == onList
			s.on = onList
			if same && s.narrow() { // a second click opens its page
				s.on = onForm
			}
		}
	case p.form.Holds(m.X, m.Y):
		if s.editor().Click(m.X-p.form.X, m.Y-p.form.Y) {
			s.on = onForm
		}
	case m.Y >= p.h-p.answerHigh && s.answer() != nil:
		s.on = onAnswer
	}
}

func (s *Screen) wheeled(m msg.WheelMsg) {
	switch form := s.page.form; {
	case s.inList(m.X):
		s.list.rows.Scroll(m.By)
	case form.Holds(m.X, m.Y):
		s.editor().Wheel(m.Y-form.Y, m.By)
	default:
		s.scroll(3 * m.By)
	}
}

func (s *Screen) whyNoTool() string {
	return s.k.SayIf(len(s.list.box.Tools) == 0, "There is no tool to choose.")
}

// Letters are for the field being written in.
func (s *Screen) whyTyping() string {
	return s.k.SayIf(s.Typing(), "Press esc to leave the form first.")
}

// showSchema shows the whole description, the arguments to send, and the schema.
func (s *Screen) showSchema() tea.Cmd {
	k, t, args := s.k, s.list.selected(), widget.Pretty([]byte(s.editor().text.Value()))
	text := strings.Join([]string{t.Description.String(), k.Say("Current arguments"), args, k.Say("Schema"), widget.Pretty(t.Schema)}, "\n\n")
	return msg.Open(k, widget.NewReader(k, t.Label(), strings.TrimLeft(text, "\n"))) // there may be no description
}
