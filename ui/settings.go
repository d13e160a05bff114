package ui

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
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

// settingsChanged takes over settings that were changed while the program runs,
// and says what of them cannot be used.
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
	notice := msg.NotifiedMsg{Tone: msg.ToneGood, Text: a.env.Say("The settings file was read again.")}
	if len(now.Problems) > 0 {
		notice = a.settingsProblem()
	}
	cmds := []tea.Cmd{a.notice.set(a.env, notice)}
	if now.Pictures != before.Pictures {
		a.setPictures()
		cmds = append(cmds, a.askGraphics(), a.repaint())
	}
	return tea.Batch(cmds...)
}

// settingsProblem says the first thing that is wrong with the settings.
func (a *App) settingsProblem() msg.NotifiedMsg {
	set := &a.env.Settings
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

// firstProblem says what of the settings cannot be used at the start.
func (a *App) firstProblem() tea.Cmd {
	if len(a.env.Settings.Problems) == 0 {
		return nil
	}
	m := a.settingsProblem()
	return func() tea.Msg { return m }
}

// reread reads the settings file now, because a person asks for it.
func (a *App) reread() tea.Cmd {
	file, same := a.opts.SettingsFile, a.env.Say("The settings file has not changed.")
	return func() tea.Msg {
		if file.Reread(true) {
			return nil // it is told as a change
		}
		return msg.NotifiedMsg{Tone: msg.ToneHint, Text: same}
	}
}

func (a *App) whyNoFile() string {
	return a.env.SayIf(a.opts.SettingsFile == nil, "There is no settings file.")
}

// bindingsOf are the keys of the settings by the names of actions, those of the
// person's own commands among them.
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
