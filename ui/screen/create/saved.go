package create

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// savedPrompts lists the prompts, or the cast, whose names or texts hold what is typed.
// What is typed is also the name under which the form's prompt, or material, is kept.
type savedPrompts struct {
	widget.Finder
	env     *env.Env
	backend Backend
	screen  *Screen
	folder  string
	say     savedWords
	text    string // the form's
	all     []state.SavedText
	shown   []state.SavedText // of all
	known   bool
	w, h    int
}

// promptsReadMsg are the prompts that are kept, and the name that the cursor goes to.
type promptsReadMsg struct {
	all      []state.SavedText
	selected string
	msg.FailedMsg
}

// savedWords are the sentences of a folder.
type savedWords struct{ title, save, hint, noText, badName, none, empty, replace, remove string }

func (c *Screen) openSaved() tea.Cmd {
	say := c.env.Say
	return c.openTexts(state.SavedPrompts, strings.TrimSpace(c.draft().Prompt.Value()), savedWords{
		say("Saved prompts"), "save this prompt", "search, or type a name and press %s to save the current prompt",
		say("Write a prompt first."), say("A file cannot have this name."), say("No saved prompt matches."),
		say("No prompt is saved yet. Use {{subject}} as a placeholder; tab jumps between placeholders."),
		"Replace the saved prompt %s?", "Remove the saved prompt %s?"})
}

// openCast lists the materials with names, which the chosen one, else the last, can get.
func (c *Screen) openCast() tea.Cmd {
	say, d := c.env.Say, c.draft()
	text, chosen := d.Materials.Selected()
	if all := d.Attached(); len(all) > 0 && (!chosen || d.Form.Focused() != form.Field(d.Materials)) {
		text = all[len(all)-1].Address
	}
	return c.openTexts(state.Cast, text, savedWords{
		say("Named materials"), "name this material", "search, or type a name and press %s to give it to the chosen material",
		say("Add a material first."), say("A name has letters, digits, - and _ only."), say("No named material matches."),
		say("No material has a name yet. In a prompt, @name stands for the material."),
		"Give the name %s to another material?", "Remove the name %s?"})
}

func (c *Screen) openTexts(folder, text string, words savedWords) tea.Cmd {
	o := &savedPrompts{env: c.env, backend: c.backend, screen: c, folder: folder, say: words, text: text}
	o.Finder = widget.Finder{Room: func() int { return o.inner() - 2 }, Typed: func() tea.Cmd { return o.find("") }, Choose: o.insert}
	o.Table = append([]action.Action{
		{Name: "insert", Keys: "enter", Label: "insert", Handler: o.insert, Disabled: o.whyNone},
		{Name: "save", Keys: "alt+s", Label: words.save, Handler: o.save, Disabled: o.whyNotSaved},
		{Name: "remove", Keys: "alt+x", Label: "remove", Handler: o.remove, Disabled: o.whyNone},
		{Name: "back", Keys: "esc", Label: "back", Closes: true},
	}, o.List.Actions(true)...)
	return tea.Batch(msg.Open(o.env, o), o.read(""))
}

func (o *savedPrompts) read(selected string) tea.Cmd {
	ctx, b, folder := o.env.Context, o.backend, o.folder
	return func() tea.Msg {
		all, err := b.Prompts().Saved(ctx, folder)
		return promptsReadMsg{all, selected, msg.FailedMsg{Err: err}}
	}
}

func (o *savedPrompts) find(selected string) tea.Cmd {
	o.shown = slices.DeleteFunc(slices.Clone(o.all), func(p state.SavedText) bool {
		return !holds(p.Name, o.Line.Text()) && !holds(p.Text, o.Line.Text())
	})
	o.List.SetRows(len(o.shown))
	o.List.Select(slices.IndexFunc(o.shown, func(p state.SavedText) bool { return p.Name == selected }))
	return nil
}

func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(part)))
}

func (o *savedPrompts) selected() (state.SavedText, bool) {
	if n, ok := o.List.Selected(); ok {
		return o.shown[n], true
	}
	return state.SavedText{}, false
}

func (o *savedPrompts) whyNone() string {
	if _, ok := o.selected(); ok {
		return ""
	}
	return o.say.none
}

// insert writes a prompt, or names a member of the cast, at the cursor of the form's
// prompt. Where that names none, the member becomes a material.
func (o *savedPrompts) insert() tea.Cmd {
	p, _ := o.selected()
	d, text := o.screen.draft(), p.Text
	if o.folder == state.Cast {
		text = "@" + p.Name + " "
	}
	if o.folder == state.Cast && d.Prompt.Offer() == nil {
		d.Materials.Add(text)
	} else {
		d.Form.Focus(d.Prompt)
		d.Prompt.InsertSaved(text)
	}
	d.Form.Settle()
	return tea.Batch(o.env.Do(msg.ClosedMsg{}), o.screen.settled(o.screen.changed()))
}

func (o *savedPrompts) whyNotSaved() string {
	switch name := strings.TrimSpace(o.Line.Text()); {
	case o.text == "":
		return o.say.noText
	case name == "":
		return o.env.Say("Type a name first.")
	case !state.SavedName(o.folder, name):
		return o.say.badName
	}
	return ""
}

// save keeps the form's prompt, after a question when the name is taken.
func (o *savedPrompts) save() tea.Cmd {
	name := strings.TrimSpace(o.Line.Text())
	for _, p := range o.all {
		if strings.EqualFold(p.Name, name) && p.Text != o.text {
			return msg.Open(o.env, widget.NewConfirm(o.env, o.env.Say(o.say.replace, p.Name), p.Text, "enter y", "replace",
				func() tea.Cmd { return o.write(p.Name) }))
		}
	}
	return o.write(name)
}

func (o *savedPrompts) write(name string) tea.Cmd {
	ctx, b, folder, text := o.env.Context, o.backend, o.folder, o.text
	o.Line.Set("")
	save := func(ctx context.Context) error {
		if folder == state.Cast { // the link of a result lasts for hours only
			if job, n, _, _ := b.Materials().Result(ctx, text); job != "" {
				text = fmt.Sprintf("job:%s/%d", job, n)
			}
		}
		return b.Prompts().Save(ctx, folder, name, text)
	}
	return msg.Sequence(result.Call(ctx, o.env.Say("Saved as %s.", name), save), o.read(name))
}

func (o *savedPrompts) remove() tea.Cmd {
	p, _ := o.selected()
	return msg.Open(o.env, widget.NewConfirm(o.env, o.env.Say(o.say.remove, p.Name), p.Text, "enter y", "remove", func() tea.Cmd {
		b := o.backend
		remove := func(ctx context.Context) error { return b.Prompts().Save(ctx, o.folder, p.Name, "") }
		return msg.Sequence(result.Call(o.env.Context, o.env.Say("Removed."), remove), o.read(""))
	}))
}

func (o *savedPrompts) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		o.w, o.h = result.BodySize(m)
		o.List.SetWindow(widget.FinderTop, min(max(o.h-2-widget.FinderTop-savedPreview, 1), savedLines))
	case promptsReadMsg:
		if o.all, o.known = m.all, true; o.folder == state.Cast {
			o.screen.public.Cast = m.all
		}
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
		why := o.say.empty
		if len(o.all) > 0 {
			why = o.say.none
		}
		copy(rows, widget.Muted(o.env, why, w))
	}
	p, _ := o.selected()
	preview := make([]string, savedPreview)
	copy(preview, api.Map(widget.WrapTo(p.Text, w-2, savedPreview), t.Text.Paint))
	lines := slices.Concat(o.Head(t, o.env.Say(o.say.hint, o.Table[1].KeyText())), rows, []string{widget.Divide("")}, preview)
	return widget.Boxed(o.env, w+4, o.h, o.say.title, lines, o.List.Below())
}

// findCast looks up the materials that the draft names, and puts them in their places.
func (c *Screen) findCast() tea.Cmd {
	var cmds []tea.Cmd
	ctx, b, d := c.env.Context, c.backend, c.draft()
	for _, name := range d.Named() {
		if c.public.Asking[name] {
			continue
		}
		c.public.Asking[name] = true
		cmds = append(cmds, func() tea.Msg {
			found, err := b.Materials().Find(ctx, name)
			return thenMsg(func(s *Screen) tea.Cmd {
				if err != nil { // it stays as it is, and is asked for again when it is written again
					return func() tea.Msg { return msg.FailedMsg{Err: err} }
				}
				delete(s.public.Asking, name)
				if found.Job != "" {
					s.ours[found.Address] = ownResult{found.Job, found.Path}
				}
				if why := d.Attach(name, found); why != "" {
					s.public.Asking[name] = true
					return msg.Notify(msg.ToneHint, why)
				}
				return tea.Batch(s.changed(), s.askHosts())
			})
		})
	}
	return tea.Batch(cmds...)
}
