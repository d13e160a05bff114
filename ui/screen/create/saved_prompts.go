package create

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// savedPrompts lists the prompts whose names or texts hold what is typed. What
// is typed is also the name under which the form's prompt is kept.
type savedPrompts struct {
	widget.Finder
	env     *env.Env
	backend Backend
	screen  *Screen
	prompt  string // the form's
	all     []state.SavedPrompt
	shown   []state.SavedPrompt // of all
	known   bool
	w, h    int
}

// promptsReadMsg are the prompts that are kept, and the name that the cursor goes to.
type promptsReadMsg struct {
	all      []state.SavedPrompt
	selected string
	msg.FailedMsg
}

func (c *Screen) openSaved() tea.Cmd {
	o := &savedPrompts{env: c.env, backend: c.backend, screen: c, prompt: strings.TrimSpace(c.draft().Prompt.Value())}
	o.Finder = widget.Finder{Room: func() int { return o.inner() - 2 }, Typed: func() tea.Cmd { return o.find("") }, Choose: o.insert}
	o.Table = append([]action.Action{
		{Name: "insert", Keys: "enter", Label: "insert", Handler: o.insert, Disabled: o.whyNone},
		{Name: "save", Keys: "alt+s", Label: "save this prompt", Handler: o.save, Disabled: o.whyNotSaved},
		{Name: "remove", Keys: "alt+x", Label: "remove", Handler: o.remove, Disabled: o.whyNone},
		{Name: "back", Keys: "esc", Label: "back", Closes: true},
	}, o.List.Actions(true)...)
	return msg.Sequence(msg.Open(o), o.read(""))
}

func (o *savedPrompts) read(selected string) tea.Cmd {
	ctx, b := o.env.Context, o.backend
	return func() tea.Msg {
		all, err := b.Prompts().Saved(ctx)
		return promptsReadMsg{all, selected, msg.FailedMsg{Err: err}}
	}
}

func (o *savedPrompts) find(selected string) tea.Cmd {
	o.shown = nil
	for _, p := range o.all {
		if holds(p.Name, o.Line.Text()) || holds(p.Text, o.Line.Text()) {
			o.shown = append(o.shown, p)
		}
	}
	o.List.SetRows(len(o.shown))
	for n, p := range o.shown {
		if p.Name == selected {
			o.List.Select(n)
		}
	}
	return nil
}

func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(part)))
}

func (o *savedPrompts) selected() (state.SavedPrompt, bool) {
	if n, ok := o.List.Selected(); ok {
		return o.shown[n], true
	}
	return state.SavedPrompt{}, false
}

func (o *savedPrompts) whyNone() string {
	_, ok := o.selected()
	return o.env.SayIf(!ok, "No saved prompt matches.")
}

func (o *savedPrompts) insert() tea.Cmd {
	p, _ := o.selected()
	return msg.Sequence(msg.CloseTop, o.screen.settled(o.screen.insertSaved(p.Text)))
}

func (o *savedPrompts) whyNotSaved() string {
	switch name := strings.TrimSpace(o.Line.Text()); {
	case o.prompt == "":
		return o.env.Say("Write a prompt first.")
	case name == "":
		return o.env.Say("Type a name for the prompt.")
	case !state.PromptName(name):
		return o.env.Say("A file cannot have this name.")
	}
	return ""
}

// save keeps the form's prompt, after a question when the name is taken.
func (o *savedPrompts) save() tea.Cmd {
	name := strings.TrimSpace(o.Line.Text())
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
	o.Line.Set("")
	save := func(ctx context.Context) error { return b.Prompts().Save(ctx, name, text) }
	return msg.Sequence(result.Call(ctx, o.env.Say("Saved as %s.", name), save), o.read(name))
}

func (o *savedPrompts) remove() tea.Cmd {
	p, _ := o.selected()
	return msg.Open(widget.NewConfirm(o.env, o.env.Say("Remove the saved prompt %s?", p.Name), p.Text, "y", "remove", func() tea.Cmd {
		b := o.backend
		remove := func(ctx context.Context) error { return b.Prompts().Remove(ctx, p.Name) }
		return msg.Sequence(result.Call(o.env.Context, o.env.Say("Removed."), remove), o.read(""))
	}))
}

func (o *savedPrompts) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		o.w, o.h = result.BodySize(m)
		o.List.SetWindow(widget.FinderTop, min(max(o.h-2-widget.FinderTop-savedPreview, 1), savedLines))
	case promptsReadMsg:
		o.all, o.known = m.all, true
		return o.find(m.selected)
	}
	return o.Finder.Update(message)
}

const (
	savedWidth   = 100
	savedLines   = 14 // of the list
	savedPreview = 5
	savedName    = 24
)

func (o *savedPrompts) inner() int { return max(min(savedWidth, o.w)-4, 1) }

func (o *savedPrompts) Box(int, int) string {
	t, w := o.env.Theme, o.inner()
	hint := o.env.Say("search, or type a name and press %s to save the current prompt", o.Table[1].KeyText())
	rows := o.List.Lines(func(n int, selected bool) string {
		p := o.shown[n]
		in, mark := o.env.Theme.Row(selected)
		name, text := in.Text, in.Muted
		if selected {
			name = in.Strong
		}
		return name.Paint(mark+theme.Fit(p.Name, savedName)) + text.Paint(theme.Fit(" "+api.OneLine(p.Text), max(w-savedName-2, 1)))
	})
	if o.List.Rows() == 0 && o.known {
		for i, l := range widget.Wrap(o.whyEmpty(), w) {
			if i < len(rows) {
				rows[i] = t.Muted.Paint(l)
			}
		}
	}
	lines := slices.Concat(o.Head(t, hint), rows, []string{widget.Divide("")}, o.preview(w))
	return widget.Boxed(o.env, w+4, o.h, o.env.Say("Saved prompts"), lines, o.List.Below())
}

func (o *savedPrompts) whyEmpty() string {
	if len(o.all) > 0 {
		return o.env.Say("No saved prompt matches.")
	}
	return o.env.Say("No prompt is saved yet. Use {{subject}} as a placeholder; tab jumps between placeholders.")
}

func (o *savedPrompts) preview(w int) []string {
	out := make([]string, savedPreview)
	p, _ := o.selected()
	lines := widget.Wrap(api.CleanLines(p.Text, len(p.Text)+1).String(), w-2)
	for i := range min(len(lines), savedPreview) {
		if i == savedPreview-1 && len(lines) > savedPreview {
			lines[i] = strings.TrimRight(lines[i], " ") + " …"
		}
		out[i] = o.env.Theme.Text.Paint(lines[i])
	}
	return out
}

func (c *Screen) insertSaved(text string) tea.Cmd {
	d := c.draft()
	d.Form.Focus(d.Prompt)
	d.Prompt.InsertSaved(text)
	d.Form.Settle()
	return c.changed()
}
