package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
	action.Named(s.Table, "call_tool").Hidden = s.editor().lacks != "" // the button says what it takes
	left, width := s.toolPane()
	pane := widget.Pane{Width: width, Height: s.h, Focus: s.on != onList, Quiet: s.on == onForm, Title: tool.Label(), Inset: true}
	pane.Right = t.Warn.Paint(k.SayIf(tool.Name != "", s.costs(tool))) + t.Faint.Paint("   "+tool.Name)
	s.page = page{}
	s.page.w, s.page.h = pane.Inner()
	f := &widget.Facts{Width: s.page.w, Theme: t}
	switch {
	case tool.Name == "":
	case s.narrow() && s.on == onAnswer:
		pane.Title = k.Say("%s: response", tool.Label())
		s.page.answerHigh = s.page.h
		f.Add(s.answerInView(&pane)...)
	default:
		s.page.form.X = left + widget.Inset - 1
		s.writeTool(&pane, f)
	}
	s.page.lines = pane.Lines(t, f.Lines)
}

// writeTool writes what the tool does, its arguments, and its answer or what would be sent.
func (s *Screen) writeTool(pane *widget.Pane, f *widget.Facts) {
	k, t, p, e := s.k, s.k.Theme, &s.page, s.editor()
	e.Idle(s.on != onForm)
	f.Add("")
	if about := s.list.selected().Description.String(); about != "" {
		f.Wrapped(t.Muted, about)
		f.Lines = append(s.cutLines(f.Lines, max(p.h/8, 2)+1), "")
	}
	p.form.Y = 1 + len(f.Lines)
	room := max(p.h-p.form.Y-widget.ButtonHeight-1, 3)
	if !s.narrow() {
		room = max(room-p.h/3+widget.ButtonHeight, 4) // a third is the answer's at least
	}
	var below []string // of the form's lines those over which a list lies
	if e.takes.None {
		f.Painted(t.Muted.Paint(k.Say("It takes no arguments.")))
	} else {
		p.form.W, p.form.H = p.w+2, room
		e.Resize(p.form.W, room)
		high, lines := min(e.Height(), room), e.Lines()
		f.Add(api.Map(lines[:high], widget.Outdent)...)
		below = lines[high:]
		above, below := e.More()
		pane.Scrolled(k, above, below)
	}
	under := len(f.Lines)
	f.Add("")
	s.writeCall(pane, f)
	for i, line := range below[:min(len(below), len(f.Lines)-under)] {
		if line != "" {
			f.Lines[under+i] = widget.Outdent(line)
		}
	}
}

// writeCall writes the button that calls the tool, and how that went or what would be sent.
func (s *Screen) writeCall(pane *widget.Pane, f *widget.Facts) {
	k, t, p, e, called := s.k, s.k.Theme, &s.page, s.editor(), s.answer() != nil || s.running()
	if !called || p.h >= 44 { // room for an answer below it
		p.keysAt = len(f.Lines) + 1
		f.Add(append(s.keys().Lines(p.w), "")...)
	}
	switch p.answerHigh = max(p.h-len(f.Lines)-1, 1); {
	case s.narrow() && called:
		f.Painted(s.status(p.w) + t.Faint.Paint("  "+k.SayIf(!s.running(), "tab to the response")))
	case called:
		p.answerHigh = max(p.answerHigh-1, 1)
		f.Add(widget.Divide(k.Say("Response")), "")
		f.Add(s.answerInView(pane)...)
	case p.answerHigh > 2 && (!e.raw || e.takes.None):
		title, args := "JSON", e.text.Value()
		if args == "{}" && e.example() != args {
			title, args = k.Say("For example"), e.example()
		}
		if e.takes.None {
			title, args = k.Say("In a shell"), ""
		}
		var line bytes.Buffer
		command := "darkroom tools call " + api.QuoteShell(s.list.selected().Name)
		if json.Compact(&line, []byte(args)) == nil {
			command += " " + api.QuoteShell(line.String())
		}
		lines := widget.Muted(k, strings.TrimSpace(args+"\n\n"+command), p.w-4)
		if len(lines) > p.answerHigh-2 { // without the same as a command
			lines = s.cutLines(widget.Muted(k, args, p.w-4), max(p.answerHigh-2, 1))
		}
		f.Add(widget.Divide(title))
		f.Add(widget.Block(t, t.Element, p.w, api.Map(lines, func(line string) string { return "  " + line })...)...)
	}
}

// example are the arguments that it cannot do without.
func (e *editor) example() string {
	var w api.Object
	for i, c := range e.fields {
		if a := &e.takes.List[i]; a.Required {
			w.Raw(a.Name, a.JSON(append(c.Options(), form.Option{Value: "…"})[0].Value))
		}
	}
	return string(api.Indent(w.JSON()))
}

// cutLines are the first n lines, marked when there are more.
func (s *Screen) cutLines(lines []string, n int) []string {
	if len(lines) > n && n > 0 {
		lines[n-1] = theme.Cut(lines[n-1], s.page.w-2) + s.k.Theme.Faint.Paint(" …")
	}
	return lines[:min(n, len(lines))]
}

// answerInView are the lines in view of the last answer, or how far the call is.
func (s *Screen) answerInView(p *widget.Pane) []string {
	if a := s.answer(); a != nil && !s.running() {
		// Its window has the size of now.
		key := fittedKey{s.k.Look(), s.page.w, s.page.answerHigh, s.thumbs.Edits}
		a.scroll.SetSize(key.w, key.h)
		a.scroll.SetLines(a.fitted.Get(key, func() []string { return s.answerLines(a) }))
		p.Scrolled(s.k, a.scroll.Offset(), a.scroll.Below())
		return a.scroll.Lines()
	}
	f := &widget.Facts{Width: s.page.w, Theme: s.k.Theme}
	f.Painted(s.status(f.Width))
	if progress := s.call.progress.Load(); progress != nil {
		f.Wrapped(f.Theme.Muted, progress.Text.String())
	}
	f.Wrapped(f.Theme.Muted, s.k.SayIf(s.call.stopped, "Stopping."))
	return f.Lines
}

// keys are the button that calls the tool, or says what that takes, and its effect below.
func (s *Screen) keys() widget.Keys {
	call := *action.Named(s.Table, "call_tool")
	if lacks := s.editor().lacks; lacks != "" { // the action shows what else is wrong
		call.Disabled = func() string { return s.k.Say("Fill in %s first", lacks) }
	}
	return widget.Keys{K: s.k, Table: []action.Action{call}, Words: env.Capital(s.k.Say(call.Label))}
}

// At is the action of the button at a cell, or nil.
func (s *Screen) At(x, y int) *action.Action {
	left, w := s.toolPane()
	if at := s.page.keysAt; at == 0 || s.inList(x) || s.keys().At(w-2, at+len(s.keys().Lines(s.page.w))+1, x-left-1, y) == nil {
		return nil
	}
	return action.Named(s.Table, "call_tool")
}

// status says how the call goes, or how the last ended.
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
	}
	return s.answer().status(k)
}

// editor edits the arguments of a tool: a field each, or all as one JSON object.
type editor struct {
	*form.Form
	k      *env.Env
	schema json.RawMessage // that takes was read from
	takes  *mcp.Arguments
	text   *form.Prompt // what is sent
	raw    bool         // the text is edited, else the fields
	answer *call        // the last one of the tool, or nil
	fields []*form.Choice

	checked string // the text that was last found wrong
	found   []api.Problem

	lacks  string       // the first required argument that is empty
	models *[]api.Model // for those that name one
}

// editor is the one of the selected tool; it is made once.
func (s *Screen) editor() *editor {
	t := s.list.selected()
	e := s.editors[t.Name]
	if e == nil {
		e = &editor{k: s.k, raw: true, models: &s.models, text: form.NewPrompt(mcp.FieldArguments, "", 0)}
		e.text.Show = func() bool { return e.raw }
		s.editors[t.Name] = e
	}
	if e.takes != nil && bytes.Equal(e.schema, t.Schema) {
		return e
	}
	// What was written stays, also under another schema.
	first := e.takes == nil
	e.schema, e.takes, e.fields = t.Schema, mcp.ReadSchema(t.Schema), nil
	e.Form = form.New(e.k.Theme, e.text, e.problems)
	for _, a := range e.takes.List {
		c := form.NewChoice(a.Name, "")
		c.Show = func() bool { return !e.raw }
		e.fields = append(e.fields, c)
		e.Add(0, c)
	}
	e.label()
	e.raw = !e.read() || len(e.fields) == 0
	for i := 0; first && i < len(e.fields); i++ {
		e.fields[i].SetValue(e.takes.List[i].Default)
	}
	e.Settle()
	return e
}

// read takes the fields' values from the text, if it is an object.
func (e *editor) read() bool {
	var given map[string]json.RawMessage
	if json.Unmarshal([]byte(cmp.Or(strings.TrimSpace(e.text.Value()), "{}")), &given) != nil || given == nil {
		return false
	}
	for _, c := range e.fields {
		c.SetValue(api.Written(given[c.Name]))
	}
	return true
}

// write makes the text from the fields' values; what has no field is in the text alone.
func (e *editor) write() {
	var w api.Object
	for i, c := range e.fields {
		if c.Value() != "" {
			w.Raw(c.Name, e.takes.List[i].JSON(c.Value()))
		}
	}
	e.text.SetValue(string(api.Indent(w.JSON())))
}

// asJSON shows the arguments as one JSON object, or as fields again.
func (s *Screen) asJSON() tea.Cmd {
	e := s.editor()
	if e.raw && !e.read() {
		return msg.Notify(msg.ToneWarn, env.AsSentence(s.k.Words.Problem(api.NewProblem(mcp.FieldArguments, "tool_not_an_object"))))
	}
	e.raw = !e.raw || len(e.fields) == 0
	e.Settle()
	return nil
}

func (e *editor) label() {
	k := e.k
	e.text.Note = "JSON"
	e.text.Empty = k.Say("one JSON object, such as %s", `{"id": "…"}`)
	for i, c := range e.fields {
		a := &e.takes.List[i]
		label, about := env.Capital(strings.ReplaceAll(api.Clean(a.Name, 60).String(), "_", " ")), api.OneLine(a.About.String())
		if f := api.FieldNamed(a.Name); f != nil {
			if label = k.Say(f.Label); k.Words.Lang != "en" {
				about = ""
			}
		}
		options := api.Map(a.Choices, func(v string) form.Option { return form.Option{Value: v} })
		if len(options) > 0 && !a.Required {
			options = append([]form.Option{{Label: k.Say("not set")}}, options...)
		}
		if c.Free = len(options) == 0 && strings.HasSuffix(a.Name, "model") && len(*e.models) > 0; c.Free {
			for _, m := range *e.models {
				options = append(options, form.Option{Value: m.ID, Label: api.Clean(m.ID, 80).String(), Note: k.Say(widget.KindWord(m.Kind))})
			}
		}
		c.Label, c.Must = label, a.Required
		c.SetOptions(options)
		c.Empty = cmp.Or(k.SayIf(a.Required, "required"), k.Words.Reason(a.Type))
		if c.Note = about; len(options) > 0 { // which stand there instead: what it says of them tends to repeat them
			c.Note = ""
		}
	}
}

// problems are those of the text: broken JSON at once, of the schema when checked.
func (e *editor) problems() (out []form.Problem) {
	if !e.raw {
		e.write()
	}
	text := e.text.Value()
	var broken *json.SyntaxError
	var given map[string]any
	err := json.Unmarshal([]byte(text), &given)
	e.lacks = ""
	for i, c := range e.fields {
		if e.takes.List[i].Required && err == nil && cmp.Or(given[c.Name], any("")) == "" && e.lacks == "" {
			e.lacks = c.Label
		}
	}
	switch {
	case text == e.checked:
		for _, p := range e.found {
			out = append(out, form.Problem{Field: p.Field, Text: env.AsSentence(e.k.Words.Problem(p))})
			if e.raw {
				out[len(out)-1].Field = mcp.FieldArguments
			}
		}
	case strings.TrimSpace(text) == "": // it stands for an object without members
	case errors.As(err, &broken):
		words := e.k.Say("Line %d is not JSON: look at its quotes, commas and brackets.", 1+strings.Count(text[:max(broken.Offset-1, 0)], "\n"))
		out = append(out, form.Problem{Field: mcp.FieldArguments, Text: words})
	}
	return out
}

// clients shows configurations of other programs for the service's tools.
type clients struct {
	widget.Passive
	k    *env.Env
	all  []state.ToolClient
	rows widget.Picker // of all
}

// openClients opens the overlay for an entry at an address.
func openClients(k *env.Env, address string) tea.Cmd {
	c := &clients{k: k, all: state.ToolClients(address)}
	c.rows.SetRows(len(c.all))
	c.rows.SetWindow(3, len(c.all))
	step := func(by int) {
		at, _ := c.rows.Selected()
		c.rows.Select((at + by + len(c.all)) % len(c.all))
	}
	c.Table = []action.Action{
		{Name: "next_client", Keys: "right tab l down j", Display: "↑/↓", Label: "another program", Handler: action.Do(step, 1)},
		{Name: "previous_client", Keys: "left shift+tab h up k", Label: "another program", Hidden: true, Handler: action.Do(step, -1)},
		{Name: "copy", Keys: "y", Label: "copy",
			Handler: func() tea.Cmd { return msg.Copy(widget.Chosen(&c.rows, c.all).Text+"\n", c.k.Say("Copied.")) }},
		{Name: "back", Keys: "esc q c", Display: "esc", Label: "back", Closes: true},
	}
	return msg.Open(k, c)
}

func (c *clients) Update(message tea.Msg) tea.Cmd {
	c.rows.Update(message)
	return nil
}

func (c *clients) Box(w, h int) string {
	at, _ := c.rows.Selected()
	k, t, most, one := c.k, c.k.Theme, 0, c.all[at]
	w = min(84, w)
	lines := []string{"", ""}
	for i, client := range c.all {
		most = max(most, strings.Count(client.Text, "\n")+1)
		in, mark := t.Row(i == at)
		way, risk := k.Say("through darkroom: it asks, you send"), ""
		if !client.Asks {
			way, risk = cmp.Or(client.File, k.Say("in a shell")), k.Say("with your key")
		}
		lines = append(lines, in.Accent.Paint(mark)+in.Text.Paint(theme.Fit(client.Name, 10))+
			in.Muted.Paint(theme.Fit(way, w-16-theme.Width(risk)))+in.Warn.Paint(risk))
	}
	key := k.Say("The key stays in the variable DARKROOM_API_KEY.")
	spends := k.Say("The other program spends with your key, past darkroom's budget.")
	if one.Asks {
		key, spends = k.Say("These print a configuration without a key."), k.Say("The other program can only ask, and you send.")
	}
	text := make([]string, most) // the box keeps its size
	for i, l := range strings.Split(one.Text, "\n") {
		text[i] = "  " + t.Text.Paint(theme.Cut(l, w-8))
	}
	lines = append(lines, "", t.Muted.Paint(key), t.Muted.Paint(spends))
	lines = append(lines, widget.Block(t, t.Element, w-4, text...)...)
	return c.Keys().Boxed(w, h, k.Say("Set up other programs"), lines, 0)
}

func (c *clients) Keys() widget.Keys { return widget.Keys{K: c.k, Table: c.Table} }
