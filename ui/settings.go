package ui

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

// SettingsFile is the settings file as the screens change it; *settings.Current
// is one. It is called from commands only.
type SettingsFile interface {
	// Reread reads the file if it has changed, or always when asked to, and reports
	// whether that changed the settings.
	Reread(always bool) bool
	SaveTheme(name string) error
}

func (a *App) settingsChanged(now state.Settings) tea.Cmd {
	before := a.env.Settings
	if now.Version <= before.Version {
		return nil
	}
	a.env.Settings = now
	if now.Lang != before.Lang {
		a.env.Words = words.For(now.Lang)
	}
	a.bindings = bindingsOf(now)
	a.rebind(a.globals)
	a.restyle()
	cmds := []tea.Cmd{a.note(a.settingsNotice())}
	if now.Pictures != before.Pictures {
		a.setPictures()
		if query := a.detector.Query(); query != "" {
			cmds = append(cmds, tea.Raw(query), readCellSize)
		}
		cmds = append(cmds, a.repaint())
	}
	return tea.Batch(cmds...)
}

// settingsNotice says what is wrong with the settings, else that they were read.
func (a *App) settingsNotice() msg.NotifiedMsg {
	set := &a.env.Settings
	if len(set.Problems) == 0 {
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: a.env.Say("The settings file was read again.")}
	}
	// The whole path would push what is wrong out of the line.
	text := env.AsSentence(strings.ReplaceAll(a.env.Words.Reason(set.Problems[0]), set.ConfigFile, filepath.Base(set.ConfigFile)))
	if more := len(set.Problems) - 1; more > 0 {
		text += " " + a.env.Say("(%d more: darkroom doctor)", more)
	}
	if set.Refused {
		text = a.env.Say("Settings unchanged.") + " " + text
	}
	return msg.NotifiedMsg{Tone: msg.ToneWarn, Text: text}
}

func (a *App) reread() tea.Cmd {
	file, same := a.opts.SettingsFile, a.env.Say("The settings file has not changed.")
	return func() tea.Msg {
		if file.Reread(true) {
			return nil // it is told as a change
		}
		return msg.NotifiedMsg{Tone: msg.ToneHint, Text: same}
	}
}

func (a *App) sayLanguage() tea.Cmd {
	file := filepath.Base(a.env.Settings.ConfigFile)
	return msg.Notify(msg.ToneHint, a.env.Say("Set lang to en or zh in %s. It is read again at once.", file))
}

func bindingsOf(set state.Settings) map[string]action.Binding {
	if len(set.Keys)+len(set.Commands) == 0 {
		return nil
	}
	all := make(map[string]action.Binding, len(set.Keys)+len(set.Commands))
	for name, keys := range set.Keys {
		all[name] = action.Binding{Keys: keys}
	}
	for i, c := range set.Commands {
		b := action.Binding{Label: strings.ReplaceAll(c.Name, "%", "%%")} // a label is a format
		if c.Key != "" {
			b.Keys = []string{c.Key}
		}
		all[result.CommandName(i)] = b
	}
	return all
}

type colours struct {
	background theme.Background // Unknown until the terminal says it, if it does
	profile    colorprofile.Profile
	trying     string // a theme in place of that of the settings
}

func (a *App) choice() theme.Choice {
	t := a.env.Settings.Theme
	return theme.Choice{Name: cmp.Or(a.trying, t.Name), Own: t.Own, Dark: t.Dark, Light: t.Light}
}

func (a *App) shownBackground() theme.Background {
	switch a.env.Settings.Theme.Background {
	case "dark":
		return theme.Dark
	case "light":
		return theme.Light
	}
	return a.background
}

// Restyle takes another background or colour profile of the terminal.
func (a *App) Restyle(on theme.Background, profile colorprofile.Profile) {
	if on != a.background || profile != a.profile {
		a.background, a.profile = on, profile
		a.restyle()
	}
}

func (a *App) restyle() {
	a.env.Theme = a.choice().Theme(a.shownBackground(), a.profile)
	for _, o := range a.overlays {
		o.Restyle()
	}
	for _, s := range a.screens {
		s.Restyle()
	}
}

func (a *App) try(name string) {
	if name != a.trying {
		a.trying = name
		a.restyle()
	}
}

// themesOverlay lists the built-in themes and tries the selected one.
type themesOverlay struct {
	widget.Passive
	k      *env.Env
	names  []string
	blocks []string // of each one's colours
	rows   widget.Picker
	try    func(name string)
}

const (
	themesWidth  = 54
	themesTop    = 3
	themesBlocks = 9 // cells of four colours
)

func (a *App) openThemes() tea.Cmd {
	o := &themesOverlay{k: a.env, names: theme.Names, try: a.try}
	c := a.choice()
	for _, c.Name = range o.names {
		t := c.Theme(a.env.Theme.On, a.env.Theme.Colours)
		o.blocks = append(o.blocks, " "+t.Accent.Paint("██")+t.Good.Paint("██")+t.Warn.Paint("██")+t.Run.Paint("██"))
	}
	o.rows.SetRows(len(o.names))
	o.rows.SetWindow(themesTop, len(o.names))
	o.rows.Select(slices.Index(o.names, a.choice().Name))
	o.Table = append([]action.Action{
		{Name: "choose_theme", Keys: "enter", Label: "use this theme", Closes: true,
			Handler: func() tea.Cmd { return a.keepTheme(o.selected()) }},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true,
			Handler: func() tea.Cmd { o.try(""); return nil }},
	}, action.Then(o.rows.Actions(false), func() { o.try(o.selected()) })...)
	return msg.Open(a.env, o)
}

func (o *themesOverlay) selected() string {
	row, _ := o.rows.Selected()
	return o.names[row]
}

func (a *App) keepTheme(name string) tea.Cmd {
	a.env.Settings.Theme.Name = name // until the end, if it cannot be written
	a.try("")
	file, done := a.opts.SettingsFile, a.env.Say("Theme kept in the settings file.")
	return result.Call(a.env.Context, done, func(context.Context) error { return file.SaveTheme(name) })
}

func (o *themesOverlay) Update(message tea.Msg) tea.Cmd {
	switch message.(type) {
	case msg.ClickMsg, msg.WheelMsg:
		o.rows.Update(message)
		o.try(o.selected())
	}
	return nil
}

func (o *themesOverlay) Box(w, h int) string {
	width, t := min(themesWidth, w), o.k.Theme
	lines := append([]string{"", ""}, o.rows.Lines(func(row int, selected bool) string {
		in, mark := t.Row(selected)
		return in.Accent.Paint(mark) + in.Text.Paint(theme.Fit(o.k.Say(themeLabels[o.names[row]]), width-6-themesBlocks)) + o.blocks[row]
	})...)
	return widget.Boxed(o.k, width, h, o.k.Say("Theme"), append(append(lines, ""), o.Keys().Lines(width-4)...), 0)
}

func (o *themesOverlay) Keys() widget.Keys { return widget.Keys{K: o.k, Table: o.Table} }

var themeLabels = map[string]string{
	"amber": "amber: warm, the usual one", "slate": "slate: cool",
	"mono": "mono: greys, with quiet signs", "contrast": "contrast: strong, for bright rooms",
}

const maxRunning = 4

const stopCommands = "stop_commands"

type commands struct {
	running []*running
	name    string // of the last one; "" before the first
	output  string
}

type running struct {
	msg.CommandMsg
	stop context.CancelFunc
}

func (a *App) runCommand(m msg.CommandMsg) tea.Cmd {
	same := func(r *running) bool {
		return r.Command.Name == m.Command.Name && slices.Equal(r.IDs, m.IDs) && r.File == m.File
	}
	switch {
	case slices.ContainsFunc(a.commands.running, same):
		return msg.Notify(msg.ToneHint, a.env.Say("%s is running on it already.", m.Command.Name))
	case len(a.commands.running) >= maxRunning:
		return msg.Notify(msg.ToneHint, a.env.Say("%d commands are running already.", maxRunning))
	}
	ctx, stop := context.WithCancel(a.env.Context)
	r := &running{m, stop}
	a.commands.running = append(a.commands.running, r)
	backend := a.opts.Session
	run := func() tea.Msg {
		var all []string
		var err error
		done := 0
		for _, id := range m.IDs {
			written, failed := backend.Results().Run(ctx, m.Command, id, m.File)
			if text := written.String(); text != "" {
				all = append(all, text)
			}
			if err = failed; err != nil {
				break
			}
			done++
		}
		output := strings.Join(all, "\n")
		return thenMsg(func(app *App) tea.Cmd { return app.commandEnded(r, done, output, err) })
	}
	text := a.env.Say("%s is running. %s stops it.", m.Command.Name, a.env.Key(stopCommands, "alt+x"))
	return tea.Batch(run, a.note(msg.NotifiedMsg{Tone: msg.ToneHint, Text: text, Mark: "◐"}))
}

// commandEnded says how a command ended, with the last line that it wrote, and on
// how many results it went well.
func (a *App) commandEnded(of *running, done int, output string, err error) tea.Cmd {
	of.stop()
	k, name := a.env, of.Command.Name
	a.commands.running = slices.DeleteFunc(a.commands.running, func(r *running) bool { return r == of })
	a.commands.name, a.commands.output = name, output
	notice := msg.NotifiedMsg{Tone: msg.ToneGood, Text: k.Say("%s is done", name)}
	if err != nil {
		notice = msg.NotifiedMsg{Tone: msg.ToneBad, Text: env.Sentence(k, err)}
		if len(of.IDs) > 1 {
			notice.Text += " " + k.Say("%d of %d are done.", done, len(of.IDs))
		}
		return a.note(notice)
	}
	if done > 1 {
		notice.Text = k.Say("%s: %d done", name, done)
	}
	if output != "" {
		notice.Text += " · " + output[strings.LastIndexByte(output, '\n')+1:]
	}
	return a.note(notice)
}

func (a *App) stopRunning() tea.Cmd {
	for _, r := range a.commands.running {
		r.stop()
	}
	return nil // each says itself that it was stopped
}

func (a *App) showOutput() tea.Cmd {
	return msg.Open(a.env, widget.NewReader(a.env, a.commands.name, cmp.Or(a.commands.output, a.env.Say("The command printed nothing."))))
}
