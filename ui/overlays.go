package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/sahilm/fuzzy"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const helpSigns = "● done · ◐ running · ○ queued · □ held · ✕ failed or rejected · ? outcome unknown · ▩ picture · " +
	"▶ video · ♥ favourite · ★ rating · • new · ↓ cheapest · ≈ not quoted · ! warning · {a|b} one request for each"

// helpGroups are the groups of actions, in their order; the first is the screen's own.
var helpGroups = [...]string{"", "Write", "Send", "Results", "Rate", "Make", "Copy"}

// helpSteps say how it goes, a line each.
const helpSteps = "Prompt Describe what to make: {a|b} varies it, @ adds a material. · " +
	"Price Shown as you type, with what is left of the budget. · " +
	"Review Check the request: nothing is spent before you confirm it. · " +
	"Look Results appear next to the prompt: rate, compare, send again."

type helpOverlay struct{ widget.Reader }

// openHelp lists the keys of what lies on top, then those of everywhere.
func (a *App) openHelp() tea.Cmd {
	k, table := a.env, a.surface().Actions()
	h := &helpOverlay{widget.Reader{K: k}}
	h.Fit = func(body widget.Rect) (w, high int) {
		if w = min(120, body.W); w > widget.WideFrom {
			w = min(w, body.W-2)
		}
		if high = min(len(h.Write(w-4))+3, body.H); body.H-high < 6 {
			high = body.H // rather than leave a rest of the screen
		}
		return w, high
	}
	var tables [][][2]string // each below its title
	add := func(title string, rows [][2]string) {
		if len(rows) > 0 {
			tables = append(tables, append([][2]string{{k.Say(title)}}, rows...))
		}
	}
	for _, group := range helpGroups {
		own := slices.DeleteFunc(slices.Clone(table), func(x action.Action) bool { return x.Group != group })
		add(cmp.Or(group, "On this screen"), helpRows(k, own))
	}
	everywhere, help := helpRows(k, a.globals), action.Named(a.globals, helpName)
	for i, r := range everywhere {
		if r[1] == k.Say(help.Label) && help.Display != "" && !a.surface().Typing() {
			everywhere[i][0] += "/" + help.Display
		} else if a.at == msg.PlaceCreate && theme.Width(r[0]) == 1 { // in the prompt it is typed
			everywhere[i][1] = k.Say("%s (not while typing)", r[1])
		}
	}
	add("Everywhere", everywhere)
	h.Write = func(w int) []string {
		t, lines := k.Theme, []string{""}
		for step := range strings.SplitSeq(k.Say(helpSteps), " · ") {
			word, text, _ := strings.Cut(step, " ")
			lines = append(lines, theme.Cut(t.Muted.Paint(theme.Fit(word, helpKeys))+t.Text.Paint(text), w))
		}
		colours := map[string]theme.Style{"●": t.Good, "◐": t.Run, "✕": t.Bad, "?": t.Warn, "♥": t.Warn, "★": t.Warn, "•": t.Accent,
			"↓": t.Good, "≈": t.Warn, "!": t.Warn, "{a|b}": t.Token} // as elsewhere
		line := t.Muted.Paint(theme.Fit(k.Say("Signs"), helpKeys))
		for said := range strings.SplitSeq(k.Say(helpSigns), " · ") {
			sign, word, _ := strings.Cut(said, " ")
			if theme.Width(line+said)+3 > w {
				lines, line = append(lines, line), theme.Blank(helpKeys)
			}
			line += cmp.Or(colours[sign], t.Muted).Paint(sign) + t.Text.Paint(" "+word+"   ")
		}
		h.Title = k.Say("Help") + "   " + t.Faint.Paint(strings.TrimSpace("darkroom "+a.opts.Version))
		return append(append(lines, line, ""), helpColumns(t, tables, w)...)
	}
	h.Close("esc q " + help.Keys)
	return msg.Open(a.env, h)
}

// helpRows are the actions that can be done now, each with the key that works everywhere.
func helpRows(k *env.Env, table []action.Action) [][2]string {
	table = slices.DeleteFunc(slices.Clone(table), func(a action.Action) bool { return !a.Listed() })
	return api.Pick(action.Rows(table), func(row []*action.Action) ([2]string, bool) {
		key := action.RowKey(row)
		return [2]string{key, k.Say(row[0].Label)}, key != "" // else it is only in the list of actions
	})
}

const helpKeys = 13 // cells of what the first lines and the first column begin with

// helpColumns sets blocks in their order below and beside one another, as few lines high as
// their widths and w allow. A row without a text is a title.
func helpColumns(t *theme.Theme, blocks [][][2]string, w int) []string {
	for high := 1; ; high++ {
		var columns [][][2]string
		for _, block := range blocks {
			if n := len(columns) - 1; n >= 0 && len(columns[n])+1+len(block) <= high {
				columns[n] = slices.Concat(columns[n], [][2]string{{}}, block)
			} else {
				columns = append(columns, block)
			}
		}
		keys, wide, spare := make([]int, len(columns)), make([]int, len(columns)), w
		keys[0] = helpKeys
		for i, column := range columns {
			for _, r := range column {
				if r[1] != "" {
					keys[i], wide[i] = max(keys[i], theme.Width(r[0])+2), max(wide[i], theme.Width(r[1]))
				}
			}
			wide[i] += keys[i]
			high, spare = max(high, len(column)), spare-wide[i]
		}
		if len(columns) > 1 && spare < 3*(len(columns)-1) {
			continue
		}
		lines, x := make([]string, high), 0
		for i, column := range columns {
			for y, r := range column {
				said := t.Strong.Paint(r[0])
				if r[1] != "" {
					said = t.Key.Paint(theme.Fit(r[0], keys[i])) + t.Muted.Paint(r[1])
				}
				lines[y] = theme.Cut(lines[y]+theme.Blank(x-theme.Width(lines[y]))+said, w)
			}
			x += wide[i] + max(spare, 0)/len(columns)
		}
		return lines
	}
}

type palette struct {
	widget.Finder
	a     *App
	all   []paletteEntry
	texts []string       // in which each is looked for
	found []paletteEntry // the rows
	width int
}

const (
	paletteKeys  = 12 // cells
	paletteGroup = 16
)

type paletteEntry struct {
	act        *action.Action
	row        int  // of a list of keys: of several with one row the best is shown
	first      bool // it stands for its row while nothing is typed, unless that is a pair of moves
	label, why string
	group      string
}

// openPalette lists all actions, to be found by their names and other words for them.
func (a *App) openPalette() tea.Cmd {
	p := &palette{a: a}
	p.Finder = widget.Finder{Room: func() int { return p.width - 6 }, Typed: p.search, Choose: p.pick}
	rows := action.Rows(a.surface().Actions())
	group := func(row []*action.Action) uint { return uint(slices.Index(helpGroups[1:], row[0].Group)) } // the screen's own last
	slices.SortStableFunc(rows, func(x, y []*action.Action) int { return cmp.Compare(group(x), group(y)) })
	own := len(rows)
	for i, row := range append(rows, action.Rows(a.globals)...) {
		first := true
		for _, act := range row {
			if act.Label == "" || act.Name == allActions {
				continue // an own command that there is not, or this list
			}
			e := paletteEntry{act: act, row: i, first: first && act.Listed() && len(row) != 2, why: act.Why()}
			e.label = env.Capital(a.env.Say(act.Label))
			if e.group = a.env.Say("Everywhere"); i < own {
				e.group = a.env.Say(cmp.Or(act.Group, "On this screen"))
			}
			p.texts = append(p.texts, strings.ToLower(e.label+" "+a.env.Say(act.Also)+" "+act.Label+" "+act.Also))
			p.all, first = append(p.all, e), first && !e.first
		}
	}
	p.search()
	p.Table = append([]action.Action{
		{Name: "perform", Keys: "enter", Label: "do it", Handler: p.pick},
		{Name: "back", Keys: "esc " + action.Named(a.globals, allActions).Keys, Label: "back", Closes: true},
	}, p.List.Actions(true)...)
	return msg.Open(a.env, p)
}

// search finds what is spelled like the text, disabled actions only if alone.
func (p *palette) search() tea.Cmd {
	typed, seen := strings.ToLower(strings.TrimSpace(p.Line.Text())), map[int]bool{}
	p.found = api.Map(fuzzy.Find(typed, p.texts), func(m fuzzy.Match) paletteEntry { return p.all[m.Index] })
	if typed == "" {
		p.found = slices.DeleteFunc(slices.Clone(p.all), func(e paletteEntry) bool { return !e.first })
	}
	if slices.ContainsFunc(p.found, func(e paletteEntry) bool { return e.why == "" }) {
		p.found = slices.DeleteFunc(p.found, func(e paletteEntry) bool { return e.why != "" })
	}
	p.found = slices.DeleteFunc(p.found, func(e paletteEntry) bool {
		was := seen[e.row]
		seen[e.row] = true
		return was
	})
	p.List.SetRows(len(p.found))
	return nil
}

func (p *palette) pick() tea.Cmd {
	row, ok := p.List.Selected()
	if !ok {
		return nil
	}
	p.a.closeTop()
	return p.a.perform(p.found[row].act)
}

func (p *palette) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.WindowSizeMsg); ok {
		p.width = min(76, m.Width)
		p.List.SetWindow(widget.FinderTop, min(18, m.Height-widget.FinderTop-2))
	}
	return p.Finder.Update(message)
}

func (p *palette) Box(_, h int) string {
	k, inner, above := p.a.env, p.width-4, ""
	rows := p.List.Lines(func(row int, selected bool) string {
		e := p.found[row]
		group := e.group
		if group == above { // said once
			group = ""
		}
		above = e.group
		in, mark := k.Theme.Row(selected)
		key := e.act.KeyText()
		label := theme.Fit(strings.Join(env.Said(e.label, e.why), " · "), inner-2-paletteGroup-max(theme.Width(key), paletteKeys))
		label = in.Accent.Paint(mark) + in.Faint.If(e.why != "", in.Text).Paint(label) + in.Muted.Paint(theme.Fit(group, paletteGroup))
		return label + in.Key.Paint(widget.AlignRight(key, paletteKeys))
	})
	if len(p.found) == 0 {
		rows[0] = k.Theme.Muted.Paint(theme.Cut(k.Say("No matching action."), inner))
	}
	return widget.Boxed(k, p.width, h, k.Say("All actions"), append(p.Head(k.Theme, ""), rows...), p.List.Below())
}

func (a *App) choice() theme.Choice {
	t := a.env.Settings.Theme
	return theme.Choice{Name: cmp.Or(a.trying, t.Name), Own: t.Own, Dark: t.Dark, Light: t.Light}
}

// shownBackground is the one of the settings, else the terminal's.
func (a *App) shownBackground() theme.Background {
	return cmp.Or(map[string]theme.Background{"dark": theme.Dark, "light": theme.Light}[a.env.Settings.Theme.Background], a.background)
}

// Restyle takes another background or colour profile of the terminal.
func (a *App) Restyle(on theme.Background, profile colorprofile.Profile) {
	if on != a.background || profile != a.env.Profile {
		a.background, a.env.Profile = on, profile
		a.restyle()
	}
}

func (a *App) restyle() {
	a.env.Theme = a.choice().Theme(a.shownBackground(), a.env.Profile)
	for _, s := range a.screens {
		s.Restyle()
	}
	for _, o := range a.overlays { // which show parts of screens
		o.Restyle()
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
	a      *App
	blocks []string // of each one's colours
	rows   widget.Picker
}

func (a *App) openThemes() tea.Cmd {
	o := &themesOverlay{a: a}
	c := a.choice()
	for _, c.Name = range theme.Names {
		t := c.Theme(a.env.Theme.On, a.env.Theme.Colours)
		o.blocks = append(o.blocks, " "+t.Accent.Paint("██")+t.Good.Paint("██")+t.Warn.Paint("██")+t.Run.Paint("██"))
	}
	o.rows.SetRows(len(theme.Names))
	o.rows.SetWindow(3, len(theme.Names))
	o.rows.Select(slices.Index(theme.Names, a.choice().Name))
	o.Table = append([]action.Action{
		{Name: "choose_theme", Keys: "enter", Label: "use this theme", Closes: true,
			Handler: func() tea.Cmd { return a.keepTheme(o.selected()) }},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true,
			Handler: func() tea.Cmd { a.try(""); return nil }},
	}, action.Then(o.rows.Actions(false), func() { a.try(o.selected()) })...)
	return msg.Open(a.env, o)
}

func (o *themesOverlay) selected() string { return widget.Chosen(&o.rows, theme.Names) }

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
		o.a.try(o.selected())
	}
	return nil
}

func (o *themesOverlay) Box(w, h int) string {
	width, t := min(54, w), o.a.env.Theme
	lines := append([]string{"", ""}, o.rows.Lines(func(row int, selected bool) string {
		in, mark := t.Row(selected)
		name := theme.Fit(o.a.env.Say(themeLabels[theme.Names[row]]), width-6-theme.Width(o.blocks[row]))
		return in.Accent.Paint(mark) + in.Text.Paint(name) + o.blocks[row]
	})...)
	return o.Keys().Boxed(width, h, o.a.env.Say("Theme"), lines, 0)
}

func (o *themesOverlay) Keys() widget.Keys { return widget.Keys{K: o.a.env, Table: o.Table} }

var themeLabels = map[string]string{
	"amber": "amber: warm, the usual one", "slate": "slate: cool",
	"mono": "mono: greys, with quiet signs", "contrast": "contrast: strong, for bright rooms",
}
