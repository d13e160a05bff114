// Package saved is the overlay of the prompts that a person keeps: one is
// inserted into the form, and the form's prompt is kept under a name.
package saved

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// Backend is what the overlay needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	Prompts() state.Prompts
}

// savedPrompts lists the prompts whose names or texts hold what is typed. What
// is typed is also the name under which the form's prompt is kept.
type savedPrompts struct {
	env     *env.Env
	backend Backend
	prompt  string // the form's
	line    widget.Line
	list    widget.Picker
	all     []state.SavedPrompt
	shown   []state.SavedPrompt // of all
	known   bool
	table   []action.Action
	w, h    int
}

// InsertedMsg hands a saved prompt to the form.
type InsertedMsg struct{ Text string }

// readMsg are the prompts that are kept. selected is the name that the cursor
// goes to.
type readMsg struct {
	all      []state.SavedPrompt
	selected string
	msg.FailedMsg
}

// Open opens the overlay for the form's prompt.
func Open(k *env.Env, b Backend, prompt string, body widget.Rect) tea.Cmd {
	o := &savedPrompts{env: k, backend: b, prompt: strings.TrimSpace(prompt)}
	o.resize(body.W, body.H)
	o.table = append([]action.Action{
		{Name: "insert", Keys: []string{"enter"}, Label: "insert", Handler: o.insert, Disabled: o.whyNone},
		{Name: "save", Keys: []string{"alt+s"}, Label: "save this prompt", Handler: o.save, Disabled: o.whyNotSaved},
		{Name: "remove", Keys: []string{"alt+x"}, Label: "remove", Handler: o.remove, Disabled: o.whyNone},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}, o.list.Actions(true)...)
	return msg.Sequence(msg.Open(o), o.read(""))
}

func (o *savedPrompts) read(selected string) tea.Cmd {
	ctx, b := o.env.Context, o.backend
	return func() tea.Msg {
		all, err := b.Prompts().Saved(ctx)
		return readMsg{all, selected, msg.FailedMsg{Err: err}}
	}
}

// find shows the prompts that hold what is typed.
func (o *savedPrompts) find(selected string) {
	o.shown = nil
	for _, p := range o.all {
		if holds(p.Name, o.line.Text()) || holds(p.Text, o.line.Text()) {
			o.shown = append(o.shown, p)
		}
	}
	o.list.SetRows(len(o.shown))
	for n, p := range o.shown {
		if p.Name == selected {
			o.list.Select(n)
		}
	}
}

func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(part)))
}

func (o *savedPrompts) selected() (state.SavedPrompt, bool) {
	n, ok := o.list.Selected()
	if !ok {
		return state.SavedPrompt{}, false
	}
	return o.shown[n], true
}

func (o *savedPrompts) whyNone() string {
	_, ok := o.selected()
	return o.env.SayIf(!ok, "No saved prompt matches.")
}

func (o *savedPrompts) insert() tea.Cmd {
	p, _ := o.selected()
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return InsertedMsg{p.Text} })
}

func (o *savedPrompts) name() string { return strings.TrimSpace(o.line.Text()) }

func (o *savedPrompts) whyNotSaved() string {
	switch {
	case o.prompt == "":
		return o.env.Say("Write a prompt first.")
	case o.name() == "":
		return o.env.Say("Type a name for the prompt.")
	case !state.PromptName(o.name()):
		return o.env.Say("A file cannot have this name.")
	}
	return ""
}

// save keeps the form's prompt, after a question when the name is taken.
func (o *savedPrompts) save() tea.Cmd {
	name := o.name()
	for _, p := range o.all {
		if strings.EqualFold(p.Name, name) && p.Text != o.prompt {
			return msg.Open(widget.NewConfirm(o.env, o.env.Say("Replace the saved prompt %s?", p.Name), p.Text, "y", "replace",
				func() tea.Cmd { return o.write(p.Name) }))
		}
	}
	return o.write(name)
}

func (o *savedPrompts) write(name string) tea.Cmd {
	ctx, b, text := o.env.Context, o.backend, o.prompt
	o.line.Set("")
	return msg.Sequence(then(func() error { return b.Prompts().Save(ctx, name, text) }, o.env.Say("Saved as %s.", name)), o.read(name))
}

// then does something and says that it is done, or why not.
func then(do func() error, done string) tea.Cmd {
	return func() tea.Msg {
		if err := do(); err != nil {
			return msg.FailedMsg{Err: err}
		}
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
	}
}

func (o *savedPrompts) remove() tea.Cmd {
	p, _ := o.selected()
	return msg.Open(widget.NewConfirm(o.env, o.env.Say("Remove the saved prompt %s?", p.Name), p.Text, "y", "remove", func() tea.Cmd {
		ctx, b := o.env.Context, o.backend
		return msg.Sequence(then(func() error { return b.Prompts().Remove(ctx, p.Name) }, o.env.Say("Removed.")), o.read(""))
	}))
}

func (o *savedPrompts) Actions() []action.Action { return o.table }
func (o *savedPrompts) Typing() bool             { return true }
func (o *savedPrompts) Restyle()                 {}

func (o *savedPrompts) Edit(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if key := k.String(); key == "ctrl+p" || key == "ctrl+n" {
		return nil, false
	}
	before := o.line.Text()
	if !o.line.Edit(k) {
		return nil, false
	}
	if o.line.Text() != before {
		o.find("")
	}
	return nil, true
}

func (o *savedPrompts) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		o.resize(body.W, body.H)
	case tea.PasteMsg:
		o.line.Insert(m.Content)
		o.find("")
	case readMsg:
		o.all, o.known = m.all, true
		o.find(m.selected)
	default:
		if o.list.Update(m) {
			return o.insert()
		}
	}
	return nil
}
