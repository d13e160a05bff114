package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/sahilm/fuzzy"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	helpWidth   = 110
	helpColumns = 3
	helpGap     = "    "
	helpKeys    = 9 // cells; wider ones stand below, else all labels would be far from their keys
)

type helpOverlay struct{ widget.Reader }

func (a *App) openHelp() tea.Cmd {
	k := a.env
	h := &helpOverlay{widget.Reader{K: k, Title: k.Say("Keys"), Fit: helpBox}}
	here, everywhere := helpBindings(k, a.table()), helpBindings(k, a.globals)
	h.Write = func(w int) []string {
		lines := append([]string{""}, helpSection(k, k.Say("On this screen"), here, w)...)
		return slices.Concat(lines, []string{""}, helpSection(k, k.Say("Everywhere"), everywhere, w))
	}
	if a.opts.Version != "" {
		h.Title += " · darkroom " + a.opts.Version
	}
	h.Close("esc q " + action.Named(a.globals, helpName).Keys)
	return msg.Open(h)
}

func helpBindings(k *env.Env, table []action.Action) (bindings []key.Binding) {
	table = slices.DeleteFunc(slices.Clone(table), func(a action.Action) bool { return !a.Listed() })
	for _, row := range action.Rows(table) {
		if keys := strings.Join(action.RowKeys(row), "  "); keys != "" { // else it is only in the list of actions
			bindings = append(bindings, key.NewBinding(key.WithKeys(keys), key.WithHelp(keys, k.Say(row[0].Label))))
		}
	}
	return bindings
}

func helpBox(body widget.Rect) (w, h int) {
	if body.W < widget.WideFrom {
		return body.W, body.H // a narrow rim around it would only disturb
	}
	return min(helpWidth, body.W), body.H
}

func helpSection(k *env.Env, title string, bindings []key.Binding, w int) []string {
	lines := []string{k.Theme.Strong.Paint(title)}
	wide := func(b key.Binding) bool { return theme.Width(b.Help().Key) > helpKeys }
	for _, part := range [][]key.Binding{
		slices.DeleteFunc(slices.Clone(bindings), wide),
		slices.DeleteFunc(slices.Clone(bindings), func(b key.Binding) bool { return !wide(b) }),
	} {
		if len(part) == 0 {
			continue
		}
		for l := range strings.SplitSeq(helpTable(k.Theme, part, w-2), "\n") {
			lines = append(lines, theme.Cut("  "+l, w))
		}
	}
	return lines
}

// helpTable writes bindings in as many columns as fit into w cells.
func helpTable(t *theme.Theme, bindings []key.Binding, w int) string {
	plain := lipgloss.NewStyle()
	styles := help.Styles{FullKey: plain.Bold(t.Text.Ink != nil).Foreground(t.Key.Ink), FullDesc: plain.Foreground(t.Text.Ink)}
	m := help.Model{Styles: styles, FullSeparator: helpGap}
	for columns := helpColumns; ; columns-- {
		rows := (len(bindings) + columns - 1) / columns
		table := m.FullHelpView(slices.Collect(slices.Chunk(bindings, max(rows, 1))))
		if columns == 1 || lipgloss.Width(table) <= w {
			return table
		}
	}
}

type palette struct {
	widget.Finder
	k     *env.Env
	do    func(*action.Action) tea.Cmd // closes it first
	all   []paletteEntry
	texts []string       // in which each is looked for
	found []paletteEntry // the rows
	width int
}

const (
	paletteWidth = 76
	paletteRows  = 12
)

type paletteEntry struct {
	act        *action.Action
	row        int  // of a list of keys: of several with one row the best is shown
	first      bool // it stands for its row while nothing is typed
	label, why string
}

func (a *App) openPalette() tea.Cmd {
	p := &palette{k: a.env, do: func(act *action.Action) tea.Cmd {
		a.closeTop()
		return a.perform(act)
	}}
	p.Finder = widget.Finder{Room: func() int { return p.width - 6 }, Typed: p.search, Choose: p.pick}
	for i, row := range append(action.Rows(a.table()), action.Rows(a.globals)...) {
		first := true
		for _, act := range row {
			if act.Label == "" {
				continue // an own command that there is not
			}
			e := paletteEntry{act: act, row: i, first: first && act.Listed(), label: a.env.Say(act.Label), why: act.Why()}
			p.texts = append(p.texts, strings.ToLower(e.label+" "+a.env.Say(act.Also)+" "+act.Label+" "+act.Also))
			p.all, first = append(p.all, e), first && !e.first
		}
	}
	p.search()
	p.Table = append([]action.Action{
		{Name: "perform", Keys: "enter", Label: "do it", Handler: p.pick},
		{Name: "back", Keys: "esc " + action.Named(a.globals, allActions).Keys, Label: "back", Closes: true},
	}, p.List.Actions(true)...)
	return msg.Open(p)
}

// search finds what is spelled like the text, disabled actions only if alone.
func (p *palette) search() tea.Cmd {
	typed, seen := strings.ToLower(strings.TrimSpace(p.Line.Text())), map[int]bool{}
	p.found = nil
	for _, m := range fuzzy.Find(typed, p.texts) {
		p.found = append(p.found, p.all[m.Index])
	}
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
	return p.do(p.found[row].act)
}

func (p *palette) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.WindowSizeMsg); ok {
		body := widget.LayoutFor(m.Width, m.Height).Body
		p.width = min(paletteWidth, body.W)
		p.List.SetWindow(widget.FinderTop, min(paletteRows, body.H-widget.FinderTop-2))
	}
	return p.Finder.Update(message)
}

func (p *palette) Box(_, h int) string {
	t, inner := p.k.Theme, p.width-4
	rows := p.List.Lines(func(row int, selected bool) string {
		e := p.found[row]
		in, mark := p.k.Theme.Row(selected)
		key := e.act.KeyText()
		label, style := e.label, in.Text
		if e.why != "" {
			style = in.Faint
			label += " · " + e.why
		}
		return in.Accent.Paint(mark) + style.Paint(theme.Fit(label, inner-2-1-theme.Width(key))) + in.Text.Paint(" ") + in.Key.Paint(key)
	})
	if len(p.found) == 0 {
		rows[0] = t.Muted.Paint(theme.Cut(p.k.Say("No matching action."), inner))
	}
	return widget.Boxed(p.k, p.width, h, p.k.Say("All actions"), append(p.Head(t, ""), rows...), p.List.Below())
}
