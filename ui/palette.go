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
	k     *env.Env
	all   []paletteEntry
	found []paletteEntry
	line  widget.Line
	rows  widget.Picker // of found
	table []action.Action
}

const (
	paletteWidth = 76
	paletteRows  = 12
	// paletteTop is the line of the box on which the rows begin.
	paletteTop = 3
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
	}, p.rows.Actions(true)...)
	return msg.Open(p)
}

func (p *palette) Actions() []action.Action { return p.table }
func (p *palette) Typing() bool             { return true }
func (p *palette) Restyle()                 {}

func (p *palette) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if !p.line.Edit(m) {
		return nil, false
	}
	p.search()
	return nil, true
}

func (p *palette) search() {
	p.found = p.all
	if typed := strings.TrimSpace(p.line.Text()); typed != "" {
		p.found = nil
		for _, m := range fuzzy.FindFrom(typed, entries(p.all)) {
			p.found = append(p.found, p.all[m.Index])
		}
	}
	p.rows.SetRows(len(p.found))
}

type entries []paletteEntry

func (e entries) String(i int) string { return e[i].label }
func (e entries) Len() int            { return len(e) }

func (p *palette) pick() tea.Cmd {
	row, ok := p.rows.Selected()
	if !ok {
		return nil
	}
	act := p.found[row].act
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return chosenMsg{act} })
}

// chosenMsg runs an action that was found in the palette.
type chosenMsg struct{ act *action.Action }

func (p *palette) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		p.line.Insert(m.Content)
		p.search()
	case tea.WindowSizeMsg:
		h := widget.LayoutFor(m.Width, m.Height).Body.H
		p.rows.SetWindow(paletteTop, min(paletteRows, h-paletteTop-2))
	default:
		if p.rows.Update(message) {
			return p.pick()
		}
	}
	return nil
}

func (p *palette) Cursor() *tea.Cursor { return tea.NewCursor(4+p.line.Column(), 1) }

func (p *palette) Box(w, h int) string {
	t, width := p.k.Theme, min(paletteWidth, w)
	inner := width - 4
	rows := p.rows.Lines(func(row int, selected bool) string { return p.row(row, selected, inner) })
	if len(p.found) == 0 {
		rows[0] = t.Muted.Paint(theme.Cut(p.k.Say("Nothing is called that."), inner))
	}
	lines := append([]string{t.Accent.Paint("›") + " " + p.line.Window(inner-2), widget.Divide("")}, rows...)
	return widget.BoxedMore(p.k, width, h, p.k.Say("All actions"), lines, p.rows.Below())
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
