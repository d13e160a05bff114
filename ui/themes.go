package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// colours are what decides about the theme, besides the settings.
type colours struct {
	background theme.Background // Unknown until the terminal says it, if it does
	profile    colorprofile.Profile
	trying     string // a theme in place of that of the settings
}

// choice is the theme that the settings name, or that is being tried.
func (a *App) choice() theme.Choice {
	t := a.env.Settings.Theme
	return theme.Choice{Name: cmp.Or(a.trying, t.Name), Own: t.Own, Dark: t.Dark, Light: t.Light}
}

// shownBackground is the terminal's background, or the one that was set in its
// place.
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
	if on == a.background && profile == a.profile {
		return
	}
	a.background, a.profile = on, profile
	a.restyle()
}

// restyle makes the theme again and has everything drawn in it.
func (a *App) restyle() {
	a.env.Theme = a.choice().Theme(a.shownBackground(), a.profile)
	for _, o := range a.overlays {
		o.Restyle()
	}
	for _, s := range a.screens {
		s.Restyle()
	}
}

// try shows everything in another theme, or in that of the settings again.
func (a *App) try(name string) {
	if name != a.trying {
		a.trying = name
		a.restyle()
	}
}

// themesOverlay lists the built-in themes. The selected one is tried on all that
// is on screen; it is kept when it is chosen.
type themesOverlay struct {
	widget.Passive
	k     *env.Env
	names []string
	table []action.Action
	rows  widget.Picker
	try   func(name string)
}

const (
	themesWidth = 54
	// themesTop is the line of the box on which the rows begin.
	themesTop = 1
)

// openThemes lets a theme be chosen.
func (a *App) openThemes() tea.Cmd {
	o := &themesOverlay{k: a.env, names: theme.Names(), try: a.try}
	o.rows.SetRows(len(o.names))
	o.rows.SetWindow(themesTop, len(o.names))
	for i, name := range o.names {
		if name == a.choice().Name {
			o.rows.Select(i)
		}
	}
	keep := func() tea.Cmd { return a.keepTheme(o.selected()) }
	o.table = append([]action.Action{
		{Name: "choose_theme", Keys: []string{"enter"}, Label: "use this theme", Handler: keep},
		{Name: "back", Keys: []string{"esc", "q"}, Display: "esc", Label: "back", Handler: o.back},
	}, action.Then(o.rows.Actions(false), func() { o.try(o.selected()) })...)
	return msg.Open(o)
}

func (o *themesOverlay) selected() string {
	row, _ := o.rows.Selected()
	return o.names[row]
}

func (o *themesOverlay) back() tea.Cmd {
	o.try("")
	return msg.CloseTop
}

// keepTheme writes the chosen theme into the settings file.
func (a *App) keepTheme(name string) tea.Cmd {
	file := a.opts.SettingsFile
	return msg.Sequence(msg.CloseTop, func() tea.Msg {
		return themeSavedMsg{name, msg.FailedMsg{Err: file.SaveTheme(name)}}
	})
}

// tookTheme says that a theme is kept. One that could not be written down is used
// until the end all the same.
func (a *App) tookTheme(m themeSavedMsg) tea.Cmd {
	a.env.Settings.Theme.Name, a.trying = m.name, ""
	a.restyle()
	if m.Err != nil {
		return nil // it is shown
	}
	return a.notice.set(a.env, msg.NotifiedMsg{Tone: msg.ToneGood, Text: a.env.Say("Theme kept in the settings file.")})
}

// themeSavedMsg says that a theme is written down, or why not.
type themeSavedMsg struct {
	name          string
	msg.FailedMsg // why it could not be written
}

func (o *themesOverlay) Actions() []action.Action { return o.table }

func (o *themesOverlay) Update(message tea.Msg) tea.Cmd {
	switch message.(type) {
	case msg.ClickMsg, msg.WheelMsg:
		o.rows.Update(message)
		o.try(o.selected())
	}
	return nil
}

func (o *themesOverlay) Box(w, h int) string {
	width := min(themesWidth, w)
	inner := width - 4
	lines := o.rows.Lines(func(row int, selected bool) string { return o.row(row, selected, inner) })
	lines = append(lines, widget.Divide(""))
	lines = append(lines, o.sample(inner)...)
	lines = append(lines, "", widget.KeyLine(o.k, o.table))
	return widget.Boxed(o.k, width, h, o.k.Say("Theme"), lines, 0)
}

func (o *themesOverlay) row(n int, selected bool, w int) string {
	in, mark := o.k.Theme.Row(selected)
	return in.Accent.Paint(mark) + in.Text.Paint(theme.Fit(o.k.Say(themeLabels[o.names[n]]), w-2))
}

var themeLabels = map[string]string{
	"amber": "amber: warm, the usual one", "slate": "slate: cool",
	"mono": "mono: greys, with quiet signs", "contrast": "contrast: strong, for bright rooms",
}

// sample shows the phases and weights of words in the theme in force.
func (o *themesOverlay) sample(w int) []string {
	t, k := o.k.Theme, o.k
	phase := func(p api.Phase) string {
		look := widget.PhaseLook(p)
		return widget.PhaseStyle(&t.Styles, p).Paint(look.Mark + " " + k.Say(look.Word))
	}
	first := phase(api.PhaseQueued) + "  " + phase(api.PhaseRunning) + "  " + phase(api.PhaseFetching)
	second := phase(api.PhaseDone) + "  " + phase(api.PhaseFailed) + "  " + phase(api.PhaseUnknown)
	words := t.Strong.Paint(k.Say("%s cr", "425")) + "  " + t.Muted.Paint("85 / s × 5 s") +
		"  " + t.Faint.Paint("1080p –") + "  " + t.Warn.Paint("! "+k.Say("%s cr", "12.5"))
	return []string{theme.Cut(first, w), theme.Cut(second, w), theme.Cut(words, w)}
}
