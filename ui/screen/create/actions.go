package create

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/screen/create/history"
	"darkroom/ui/words"
)

// actions is the screen's table.
func (c *Screen) actions() []action.Action {
	return append(c.materialActions(), []action.Action{
		{Name: "review", Group: "Send", Keys: "ctrl+s", Label: "review and send", Handler: c.send, Disabled: c.whyNotSent, Always: true},
		{Name: "change_value", Display: "←/→", Label: "change", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyRight}), Offer: func() bool {
			_, radio := c.draft().Form.Focused().(*form.Radio)
			return radio || c.hasChoices()
		}},
		{Name: "open_choices", Display: "enter", Label: "all choices", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyEnter}),
			Offer: c.hasChoices},
		{Name: "results", Group: "Results", Keys: "alt+r", Label: "results", Also: "contact sheet, compare, favourite",
			Handler: c.enterRecent, Always: true,
			Disabled: func() string {
				return c.env.SayIf(c.recent.Empty() && !c.recent.Examples(), "There are no results yet.")
			}},
		{Name: "switch_kind", Keys: "ctrl+t", Label: "image or video", Handler: c.switchKind, Always: true},
		{Name: "insert_material", Group: "Write", Display: "@", Label: "insert material",
			Handler: c.on(func(d *draft.Draft) { d.Form.Focus(d.Prompt); d.Form.OfferTokens() }), Disabled: c.whyNoTokens, Offer: c.inPrompt},
		{Name: "history", Group: "Results", Keys: "ctrl+r", Label: "history", Always: true,
			Handler: func() tea.Cmd { return history.Open(c.env, c.backend, c.started, c.draft().Prompt.Value()) }},
		{Name: "saved_prompts", Group: "Write", Keys: "alt+s", Label: "saved prompts", Hidden: true, Handler: c.openSaved, Always: true},
		{Name: "paste_picture", Group: "Write", Keys: "alt+i", Label: "paste a picture", Hidden: true, Handler: c.pastePicture,
			Disabled: c.whyNotUploaded, Always: true},
		{Name: "cast", Group: "Write", Keys: "alt+m", Label: "named materials", Hidden: true, Handler: c.openCast, Always: true},
		{Name: "previous_draft", Group: "Write", Keys: "alt+p", Label: "draft before", Hidden: true, Always: true, Handler: c.previousDraft,
			Disabled: func() string { return c.env.SayIf(c.before[c.at] == nil, "There is no draft before this one.") }},
		{Name: "external_editor", Group: "Write", Keys: "ctrl+o", Label: "write in your editor",
			Handler: c.openEditor, Always: true, Offer: c.inPrompt},
		{Name: "materials", Group: "Write", Keys: "ctrl+e", Label: "go to the materials", Also: "reference images, first and last frames",
			Handler: c.focusMaterials, Hidden: true, Always: true},
		{Name: "variations", Group: "Write", Keys: "alt+v", Label: "try several variations",
			Handler: c.openVariations, Hidden: true, Always: true},
		{Name: "single", Group: "Send", Keys: "alt+c", Label: "one request, random seed", Handler: c.single, Hidden: true, Always: true,
			Disabled: func() string {
				return c.env.SayIf(!c.draft().Repeats(), "It is already one request with a random seed.")
			}},
		{Name: "more", Group: "Write", Label: "more settings", Also: "async", Hidden: true, Handler: c.on((*draft.Draft).ShowMore)},
		{Name: "next_field", Display: "tab", Label: "another field", Hidden: true, Handler: c.press(tea.KeyPressMsg{Code: tea.KeyTab})},
		{Name: "previous_field", Display: "shift+tab", Label: "previous field", Hidden: true,
			Handler: c.press(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})},
		{Name: "select_prompt", Group: "Write", Display: "ctrl+a", Label: "select the whole prompt", Hidden: true,
			Handler: c.on(func(d *draft.Draft) { d.Form.Focus(d.Prompt); d.Prompt.SelectAll() })},
		{Name: "undo", Group: "Write", Display: "alt+z", Label: "undo", Hidden: true,
			Handler: c.press(tea.KeyPressMsg{Code: 'z', Mod: tea.ModAlt})},
		{Name: "redo", Group: "Write", Display: "alt+y", Label: "redo", Hidden: true,
			Handler: c.press(tea.KeyPressMsg{Code: 'y', Mod: tea.ModAlt})},
		{Name: "check_links", Group: "Send", Keys: "ctrl+p", Label: "check that links are public", Hidden: true, Handler: c.checkPublic,
			Disabled: c.whyNothingToCheck, Always: true},
		{Name: "refresh_price", Group: "Send", Keys: "ctrl+g", Label: "refresh the price", Hidden: true, Handler: c.refreshPrice, Always: true},
	}...)
}

// press does what the key would do, for people who find it in the palette.
func (c *Screen) press(key tea.KeyPressMsg) func() tea.Cmd {
	return func() tea.Cmd {
		cmd, _ := c.Edit(key)
		return cmd
	}
}

// on is a handler that does something with the draft in view.
func (c *Screen) on(do func(d *draft.Draft)) func() tea.Cmd {
	return func() tea.Cmd {
		do(c.draft())
		return nil
	}
}

// switchKind shows the other draft.
func (c *Screen) switchKind() tea.Cmd {
	c.draft().Form.Rest()
	prompt := c.draft().Prompt.Value()
	c.at = 1 - c.at
	d := c.draft()
	d.Form.Focus(d.Prompt)
	return tea.Batch(c.carry(prompt), c.follow(quietFor), c.saveShown())
}

func (c *Screen) inPrompt() bool { return c.draft().Form.Focused() == form.Field(c.draft().Prompt) }

func (c *Screen) hasChoices() bool {
	choice, ok := c.draft().Form.Focused().(*form.Choice)
	return ok && choice.Choosable()
}

func (c *Screen) whyNoTokens() string {
	if !c.draft().References() {
		return c.env.Say("Only seedance2 takes materials.")
	}
	if c.draft().Frames() {
		return c.env.Say("The first and last frame need no name in the prompt.")
	}
	return ""
}

func (c *Screen) focusMaterials() tea.Cmd {
	c.draft().Form.Focus(c.draft().Materials)
	return nil
}

// materialActions are the keys of a row of the materials, which the list itself takes.
func (c *Screen) materialActions() []action.Action {
	table := []action.Action{
		{Name: "edit_material", Display: "enter", Label: "edit", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyEnter})},
		{Name: "remove_material", Display: "delete", Label: "remove", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyDelete})},
		{Name: "move_material_up", Display: "alt+↑/↓", Label: "move", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModAlt})},
		{Name: "move_material_down", Display: "alt+↓", Label: "move down", Hidden: true,
			Handler: c.press(tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModAlt})},
		{Name: "change_material_kind", Display: "←/→", Label: "kind", Handler: c.press(tea.KeyPressMsg{Code: tea.KeyRight})},
	}
	for i := range table {
		table[i].Disabled = func() string {
			_, ok := c.draft().Materials.Selected()
			return c.env.SayIf(!ok || c.draft().Form.Focused() != form.Field(c.draft().Materials), "Choose a material first.")
		}
	}
	return append(table, action.Action{Name: "upload_file", Keys: "alt+u", Label: "upload file", Handler: c.uploadFile,
		Disabled: c.whyNoUpload, Always: true})
}

// readRecent reads the results again; those of the draft's prompt come first.
func (c *Screen) readRecent() tea.Cmd {
	if !c.recent.Shown() {
		return nil // Focus reads them
	}
	return c.recent.Read(c.draft().Prompt.Value())
}

func (c *Screen) enterRecent() tea.Cmd {
	c.draft().Form.Rest()
	c.recent.Focus(true)
	c.draft().Form.Idle(true)
	return nil
}

func (c *Screen) leaveRecent() {
	c.recent.Focus(false)
	c.draft().Form.Idle(false)
}

func (c *Screen) recentActions() []action.Action {
	// The way back stands behind enter, so that the footer shows it.
	verbs := c.recent.Verbs()
	i := slices.IndexFunc(verbs, func(a action.Action) bool { return a.Name == "full_screen" }) + 1
	back := action.Action{Name: "back", Keys: "esc alt+r up", Label: "back to the prompt", Handler: c.back}
	table := slices.Insert(slices.Clone(verbs), i, back)
	return append(table, []action.Action{
		{Name: "next_result", Keys: "right l down", Display: "←/→", Label: "choose", Hidden: true, Handler: action.By(c.recent.Move, 1)},
		{Name: "previous_result", Keys: "left h", Label: "previous result", Hidden: true, Handler: action.By(c.recent.Move, -1)},
		{Name: "first_result", Keys: "home", Display: "home/end", Label: "first or last", Hidden: true, Handler: action.By(c.recent.Move, -1000)},
		{Name: "last_result", Keys: "end", Label: "last result", Hidden: true, Handler: action.By(c.recent.Move, 1000)},
		{Name: "review", Group: "Send", Keys: "ctrl+s", Label: "review and send", Hidden: true, Handler: c.send},
		{Name: "switch_kind", Keys: "ctrl+t", Label: "image or video", Hidden: true, Handler: c.switchKind},
	}...)
}

func (c *Screen) exampleActions() []action.Action {
	return []action.Action{
		{Name: "take_example", Keys: "enter", Label: "take it", Handler: c.recent.Take},
		{Name: "next_result", Keys: "right l down", Display: "←/→", Label: "choose", Handler: action.By(c.recent.Move, 1)},
		{Name: "previous_result", Keys: "left h", Label: "previous result", Hidden: true, Handler: action.By(c.recent.Move, -1)},
		{Name: "back", Keys: "esc alt+r up", Label: "back to the prompt", Handler: c.back},
	}
}

func (c *Screen) back() tea.Cmd {
	c.leaveRecent()
	return nil
}

// clickRecent chooses the result under the mouse; a second press shows it alone.
func (c *Screen) clickRecent(x, y int) tea.Cmd {
	cmd, hit, again := c.recent.Click(x, y)
	switch {
	case again && c.recent.Empty():
		return c.recent.Take()
	case again:
		return c.recent.Enter(false)
	case hit:
		return tea.Batch(cmd, c.enterRecent())
	}
	return nil
}

// openEditor opens $VISUAL or $EDITOR on the prompt.
func (c *Screen) openEditor() tea.Cmd {
	editor := cmp.Or(c.env.Getenv("VISUAL"), c.env.Getenv("EDITOR"))
	if editor == "" {
		return msg.Notify(msg.ToneHint, c.env.Say("Set VISUAL or EDITOR to the name of an editor first."))
	}
	text, words := c.draft().Prompt.Value(), c.env.Words
	return func() tea.Msg {
		// CreateTemp gives a file that only its owner reads.
		f, err := os.CreateTemp("", "darkroom-prompt-*.txt")
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			if f != nil {
				os.Remove(f.Name())
			}
			return msg.FailedMsg{Err: errors.New(words.Say("The prompt could not be written for the editor: %s", err))}
		}
		return edit(editor, f.Name(), words)()
	}
}

// edit gives the terminal to the editor.
func edit(editor, path string, words *words.Words) tea.Cmd {
	// The variable may hold arguments, so the shell takes it apart.
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout // themselves, not what darkroom reads keys and draws through
	cmd.Env = state.OthersEnviron()             // without the key: an editor has plugins
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return edited(path, words, err) })
}

// maxEdited is far more than a prompt may have, in bytes.
const maxEdited = 1 << 20

// edited takes over what the editor saved, and removes the file.
func edited(path string, words *words.Words, err error) tea.Msg {
	defer os.Remove(path)
	var text []byte
	if err == nil {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			text, err = io.ReadAll(io.LimitReader(f, maxEdited))
			f.Close()
		}
	}
	if err != nil {
		return msg.FailedMsg{Err: errors.New(words.Say("The editor ended with an error; the prompt is unchanged: %s", err))}
	}
	return thenMsg(func(s *Screen) tea.Cmd {
		s.draft().Form.Focus(s.draft().Prompt)
		return s.write(strings.TrimRight(string(text), "\r\n"))
	})
}
