package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// roomyFrom is the height from which the button stays above an answer.
const roomyFrom = 44

// page is the pane of the selected tool as it is drawn, with the places that the
// mouse and the cursor need. They depend on the tool, its arguments and the
// size, so that nothing moves when an answer comes.
type page struct {
	lines      []string
	w, h       int         // of the inside
	form       widget.Rect // empty: the tool takes no arguments, or the answer has the page
	answerHigh int         // of the lowest lines; 0: it has a page of its own
	keysAt     int         // line of the button in the pane; 0: there is none
}

// arrange draws the pane of the selected tool, or the page of its answer. Every
// change ends with it, so that View changes nothing.
func (s *Screen) arrange() {
	k, t, tool := s.k, s.k.Theme, s.list.selected()
	s.list.rows.SetWindow(2, (s.h-3-entryLines)/s.pitch())
	left, width := s.toolPane()
	pane := widget.Pane{Width: width, Height: s.h, Focus: s.on != onList, Quiet: s.on == onForm, Title: tool.Label()}
	s.page = page{}
	s.page.w, s.page.h = pane.Inner()
	f := &widget.Facts{Width: s.page.w, Theme: t}
	switch {
	case tool.Name == "":
	case s.narrow() && s.on == onAnswer:
		pane.Title = k.Say("%s: response", tool.Label())
		s.page.answerHigh = s.page.h
		s.writeAnswer(&pane, f)
	default:
		s.page.form.X = left + 2
		s.writeTool(&pane, f)
	}
	s.page.lines = pane.Lines(t, f.Lines)
}

// writeTool writes what the tool does, its arguments, and its answer.
func (s *Screen) writeTool(pane *widget.Pane, f *widget.Facts) {
	k, t, p, e := s.k, s.k.Theme, &s.page, s.editor()
	e.Idle(s.on != onForm)
	f.Add("")
	tool := s.list.selected()
	f.Wrapped(t.Text, tool.Description.String())
	f.Lines = s.cutLines(f.Lines, max(p.h/8, 2)+1)
	if !tool.Title.IsZero() && tool.Title.String() != tool.Name {
		f.Painted(t.Faint.Paint(tool.Name))
	}
	f.Add("")
	p.form.Y = 1 + len(f.Lines)
	room := p.h - p.form.Y // the hint, or the heading of the answer
	if !s.narrow() {
		room = max(room-p.h/3, 4) // a third is the answer's at least
	}
	if e.takes.None {
		f.Painted(t.Muted.Paint(k.Say("It takes no arguments.")))
		f.Add("")
	} else {
		arguments := s.argumentLines()
		most := max(room-1-min(len(arguments)+1, room/2), 3)
		if s.narrow() {
			most = max(most/2, 3)
		}
		e.Resize(p.w, most)
		p.form.W, p.form.H = p.w, min(e.Height(), most)
		f.Add(e.Lines()[:p.form.H]...)
		f.Add("")
		f.Add(s.cutLines(arguments, max(room-p.form.H-2, 0))...)
		f.Add("")
	}
	if !s.narrow() {
		if s.answer() == nil && !s.running() || p.h >= roomyFrom {
			p.keysAt = len(f.Lines) + 1
			keys := append(s.keys().Lines(p.w), "")
			keys[1] = theme.Cut(keys[1]+"   "+cmp.Or(t.Warn.Paint(s.costs(tool)), t.Good.Paint(k.Say("free"))), p.w)
			f.Add(keys...)
		}
		if p.answerHigh = max(p.h-len(f.Lines)-1, 1); s.answer() != nil || s.running() {
			f.Add(widget.Divide(k.Say("Response")))
			s.writeAnswer(pane, f)
		}
		return
	}
	f.Lines = append(f.Lines, make([]string, p.h)...)[:p.h-1]
	status := s.status(p.w)
	if s.answer() != nil && !s.running() {
		status += t.Faint.Paint("  " + k.Say("tab to the response"))
	}
	f.Painted(status)
	if _, below := e.More(); p.form.H > 0 {
		pane.Foot = widget.More(k, 0, below)
	}
}

// cutLines are the first n lines, marked when there are more.
func (s *Screen) cutLines(lines []string, n int) []string {
	if len(lines) > n && n > 0 {
		lines[n-1] = theme.Cut(lines[n-1], s.page.w-2) + s.k.Theme.Faint.Paint(" …")
	}
	return lines[:min(n, len(lines))]
}

// argumentLines describe as many arguments as there is room for, required ones first.
func (s *Screen) argumentLines() (lines []string) {
	k, t, list, name, kind := s.k, s.k.Theme, s.editor().takes.List, 0, 0
	list = list[:min(s.page.h, len(list))]
	for _, a := range list {
		name = max(name, min(theme.Width(api.Clean(a.Name, 60).String()), 20)+2)
		kind = max(kind, theme.Width(k.Words.Reason(a.Type))+2)
	}
	for _, a := range list {
		about := a.About.String()
		if f := api.FieldNamed(a.Name); f != nil && k.Words.Lang() != "en" {
			about = k.Say(f.Label)
		}
		if slices.ContainsFunc(a.Choices, func(c string) bool { return strings.Contains(about, c) }) {
			about = ""
		}
		takes := []string{k.SayIf(a.Required, "required"), strings.Join(a.Choices, ", "), "", about}
		if a.Default != "" {
			takes[2] = k.Say("default: %s", a.Default)
		}
		takes = slices.DeleteFunc(takes, func(s string) bool { return s == "" })
		line := "  " + t.Text.Paint(theme.Fit(api.Clean(a.Name, 60).String(), name)) + t.Muted.Paint(theme.Fit(k.Words.Reason(a.Type), kind))
		lines = append(lines, theme.Cut(line+t.Muted.Paint(api.OneLine(api.Clean(strings.Join(takes, " · "), 300).String())), s.page.w))
	}
	return lines
}

// writeAnswer writes the last answer, or how far the call is.
func (s *Screen) writeAnswer(p *widget.Pane, f *widget.Facts) {
	if a := s.answer(); a != nil && !s.running() {
		// Its window has the size of now.
		key := fittedKey{s.k.Look(), s.page.w, s.page.answerHigh, s.thumbs.Edits()}
		a.scroll.SetSize(key.w, key.h)
		a.scroll.SetLines(a.fitted.Get(key, func() []string { return s.answerLines(a) }))
		f.Add(a.scroll.Lines()...)
		p.Foot = widget.More(s.k, a.scroll.Offset(), a.scroll.Below())
		return
	}
	f.Painted(s.status(f.Width))
	if !s.running() {
		return
	}
	if progress := s.call.progress.Load(); progress != nil {
		f.Wrapped(f.Theme.Muted, progress.Text.String())
	}
	f.Wrapped(f.Theme.Muted, s.k.SayIf(s.call.stopped, "Stopping."))
}

// keys are the button that calls the tool, or says what that takes, and its effect below.
func (s *Screen) keys() widget.Keys {
	call := *action.Named(s.actions, "call_tool")
	if lacks := s.editor().lacks; lacks != "" { // the action shows what else is wrong
		call.Disabled = func() string { return s.k.Say("Fill in %s first", lacks) }
	}
	return widget.Keys{K: s.k, Table: []action.Action{call}, Words: env.Capital(s.k.Say(call.Label))}
}

// At is the action of the button at a cell, or nil.
func (s *Screen) At(x, y int) *action.Action {
	left, w := s.toolPane()
	if at := s.page.keysAt; at == 0 || s.keys().At(w, at+len(s.keys().Lines(w-4))+1, x-left, y) == nil {
		return nil
	}
	return action.Named(s.actions, "call_tool")
}

// status says how the call goes, how the last ended, or what ctrl+s will do.
func (s *Screen) status(w int) string {
	k, t := s.k, s.k.Theme
	if c := s.call; s.running() { // how long it takes, and the tool's progress
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
	} else if s.answer() != nil {
		return s.answer().status(k)
	}
	effect := cmp.Or(k.SayIf(s.list.selected().ReadOnly, "Nothing is charged."), k.Say("It may cost credits: you are asked first."))
	return t.Key.Paint(k.Key("call_tool", "ctrl+s")) + " " + t.Muted.Paint(k.Say("call the tool")+"   "+effect)
}

// editor edits the arguments of a tool as one JSON object.
type editor struct {
	*form.Form
	k      *env.Env
	schema json.RawMessage // that takes was read from
	takes  *mcp.Arguments
	text   *form.Prompt
	blank  string // the text it began with

	checked string // the text that was last found wrong
	found   []api.Problem

	lacks string // the first required argument that is empty
}

// editor is the one of the selected tool; it is made once.
func (s *Screen) editor() *editor {
	t := s.list.selected()
	e := s.editors[t.Name]
	if e == nil {
		e = &editor{k: s.k, text: form.NewPrompt(mcp.FieldArguments, "", 0)}
		e.Form = form.New(e.look(), e.text, e.problems)
		e.label()
		s.editors[t.Name] = e
	}
	if e.takes != nil && bytes.Equal(e.schema, t.Schema) {
		return e
	}
	// It begins with the arguments of another schema. What was written stays.
	untouched := e.text.Value() == e.blank
	e.schema, e.takes = t.Schema, mcp.ReadSchema(t.Schema)
	e.blank = e.takes.Blank()
	if untouched {
		e.text.SetValue(e.blank)
		if before, _, ok := strings.Cut(e.blank, `""`); ok {
			e.text.CursorBehind(before + `"`)
		}
	}
	e.Settle()
	return e
}

func (e *editor) look() *form.Look { return &form.Look{Theme: e.k.Theme, Say: e.k.Say} }

func (e *editor) label() {
	e.text.SetLabel(e.k.Say("Arguments"))
	e.text.SetNote("JSON")
	e.text.Empty = e.k.Say("one JSON object, such as %s", `{"id": "…"}`)
}

// problems are those of the text: broken JSON at once, of the schema when checked.
func (e *editor) problems() (out []form.Problem) {
	text := e.text.Value()
	add := func(words string) { out = append(out, form.Problem{Field: mcp.FieldArguments, Text: words}) }
	var broken *json.SyntaxError
	var given map[string]any
	err := json.Unmarshal([]byte(text), &given)
	e.lacks = ""
	for i := 0; e.takes != nil && i < len(e.takes.List) && e.lacks == ""; i++ {
		if a := &e.takes.List[i]; a.Required && err == nil && cmp.Or(given[a.Name], any("")) == "" {
			e.lacks = api.Clean(a.Name, 60).String()
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
	case errors.As(err, &broken):
		line := 1 + strings.Count(text[:max(broken.Offset-1, 0)], "\n")
		add(e.k.Say("Line %d is not JSON: look at its quotes, commas and brackets.", line))
	case text == e.checked:
		for _, p := range e.found {
			add(env.AsSentence(e.k.Problem(p)))
		}
	}
	return out
}

// clients shows configurations of other programs for the service's tools.
type clients struct {
	widget.Passive
	k   *env.Env
	all []state.ToolClient
	at  int
}

// openClients opens the overlay for an entry at an address.
func openClients(k *env.Env, address string) tea.Cmd {
	c := &clients{k: k, all: state.ToolClients(address)}
	c.Table = []action.Action{
		{Name: "copy", Keys: "y", Label: "copy", Handler: func() tea.Cmd {
			return tea.Batch(tea.SetClipboard(c.all[c.at].Text+"\n"), msg.Notify(msg.ToneGood, c.k.Say("Copied.")))
		}},
		{Name: "next_client", Keys: "right tab l down j", Display: "↑/↓", Label: "another program", Handler: action.By(c.step, 1)},
		{Name: "previous_client", Keys: "left shift+tab h up k", Label: "another program", Hidden: true,
			Handler: action.By(c.step, -1)},
		{Name: "back", Keys: "esc q c", Display: "esc", Label: "back", Closes: true},
	}
	return msg.Open(c)
}

func (c *clients) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(msg.WheelMsg); ok {
		return c.step(m.By)
	}
	return nil
}

func (c *clients) step(by int) tea.Cmd {
	c.at = (c.at + by + len(c.all)) % len(c.all)
	return nil
}

func (c *clients) Box(w, h int) string {
	k, t, most, one := c.k, c.k.Theme, 0, c.all[c.at]
	w = min(84, w)
	lines := []string{"", ""}
	for i, client := range c.all {
		most = max(most, strings.Count(client.Text, "\n"))
		in, mark := t.Row(i == c.at)
		way := k.Say("through darkroom: it asks, you send")
		if !client.Asks {
			way = cmp.Or(client.File, k.Say("in a shell")) + " · " + k.Say("with your key")
		}
		lines = append(lines, in.Accent.Paint(mark)+in.Text.Paint(theme.Fit(client.Name, 10))+in.Muted.Paint(theme.Fit(way, w-16)))
	}
	lines = append(lines, "")
	for l := range strings.SplitSeq(one.Text, "\n") {
		lines = append(lines, t.Text.Paint(l))
	}
	lines = append(lines, make([]string, most+5+len(c.all)-len(lines))...) // the box keeps its size
	key := k.Say("The key stays in the variable DARKROOM_API_KEY.")
	spends := k.Say("The other program spends with your key, past darkroom's budget.")
	if one.Asks {
		key, spends = k.Say("These print a configuration without a key."), k.Say("The other program can only ask, and you send.")
	}
	lines = append(lines, t.Muted.Paint(key), t.Muted.Paint(spends), "")
	return widget.Boxed(k, w, h, k.Say("Set up other programs"), append(lines, c.Keys().Lines(w-4)...), 0)
}

func (c *clients) Keys() widget.Keys { return widget.Keys{K: c.k, Table: c.Table} }
