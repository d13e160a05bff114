package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// palette finds any action by typing.
type palette struct {
	widget.Finder
	k     *env.Env
	all   []paletteEntry
	found []paletteEntry // the rows
	table []action.Action
	width int
}

const (
	paletteWidth = 76
	paletteRows  = 12
)

type paletteEntry struct {
	act   *action.Action
	label string
	why   string
}

func (a *App) openPalette() tea.Cmd {
	if p, ok := a.top().(*palette); ok && p != nil {
		return msg.CloseTop
	}
	p := &palette{k: a.env}
	p.Finder = widget.Finder{Room: func() int { return p.width - 6 }, Typed: p.search, Choose: p.pick}
	for _, table := range [][]action.Action{a.table(), a.globals} {
		for i := range table {
			act := &table[i]
			if act.Label == "" {
				continue // an own command that there is not
			}
			e := paletteEntry{act: act, label: a.env.Say(act.Label)}
			if act.Disabled != nil {
				e.why = act.Disabled()
			}
			p.all = append(p.all, e)
		}
	}
	// What can be done now comes first.
	slices.SortStableFunc(p.all, func(a, b paletteEntry) int { return min(len(a.why), 1) - min(len(b.why), 1) })
	p.search()
	p.table = append([]action.Action{
		{Name: "perform", Keys: []string{"enter"}, Label: "do it", Handler: p.pick},
		{Name: "back", Keys: append([]string{"esc"}, action.Named(a.globals, allActions).Keys...), Label: "back", Handler: msg.Back},
	}, p.List.Actions(true)...)
	return msg.Open(p)
}

func (p *palette) Actions() []action.Action { return p.table }

func (p *palette) search() tea.Cmd {
	p.found = p.all
	if typed := strings.TrimSpace(p.Line.Text()); typed != "" {
		p.found = nil
		for _, m := range fuzzy.FindFrom(typed, entries(p.all)) {
			p.found = append(p.found, p.all[m.Index])
		}
	}
	p.List.SetRows(len(p.found))
	return nil
}

type entries []paletteEntry

func (e entries) String(i int) string { return e[i].label }
func (e entries) Len() int            { return len(e) }

func (p *palette) pick() tea.Cmd {
	row, ok := p.List.Selected()
	if !ok {
		return nil
	}
	act := p.found[row].act
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return chosenMsg{act} })
}

// chosenMsg runs an action that was found in the palette.
type chosenMsg struct{ act *action.Action }

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
	rows := p.List.Lines(func(row int, selected bool) string { return p.row(row, selected, inner) })
	if len(p.found) == 0 {
		rows[0] = t.Muted.Paint(theme.Cut(p.k.Say("Nothing is called that."), inner))
	}
	return widget.Boxed(p.k, p.width, h, p.k.Say("All actions"), append(p.Head(t, ""), rows...), p.List.Below())
}

func (p *palette) row(n int, selected bool, w int) string {
	e := p.found[n]
	in, mark := p.k.Theme.Row(selected)
	key := e.act.KeyText()
	label, style := e.label, in.Text
	if e.why != "" {
		style = in.Faint
		label += " · " + e.why
	}
	return in.Accent.Paint(mark) + style.Paint(theme.Fit(label, w-2-1-theme.Width(key))) + in.Text.Paint(" ") + in.Key.Paint(key)
}
