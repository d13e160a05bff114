package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"darkroom/ui/theme"
)

// palette finds any action by typing.
type palette struct {
	k     *kit
	all   []paletteEntry
	found []paletteEntry
	line  line
	at    int
	top   int
	rows  int
	table []action
	drawn string
	w, h  int
}

type paletteEntry struct {
	act   *action
	label string
	why   string
}

func (a *App) openPalette() tea.Cmd {
	if p, ok := a.top().(*palette); ok && p != nil {
		return closeTop
	}
	p := &palette{k: a.kit}
	for _, table := range [][]action{a.screens[a.at].actions(), a.globals} {
		for i := range table {
			act := &table[i]
			e := paletteEntry{act: act, label: a.kit.say(act.label)}
			if act.why != nil {
				e.why = act.why()
			}
			p.all = append(p.all, e)
		}
	}
	// What can be done now comes first.
	slices.SortStableFunc(p.all, func(a, b paletteEntry) int { return min(len(a.why), 1) - min(len(b.why), 1) })
	p.found = p.all
	p.table = []action{
		{keys: []string{"enter"}, label: "do it", do: p.pick},
		{keys: []string{"up", "ctrl+p"}, label: "previous", quiet: true, do: func() tea.Cmd { return p.move(-1) }},
		{keys: []string{"down", "ctrl+n"}, label: "next", quiet: true, do: func() tea.Cmd { return p.move(1) }},
		{keys: []string{"esc", "ctrl+k"}, label: "back", do: func() tea.Cmd { return closeTop }},
	}
	return open(p)
}

func (p *palette) actions() []action { return p.table }
func (p *palette) typing() bool      { return true }
func (p *palette) restyle()          { p.drawn = "" }

func (p *palette) edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if !p.line.edit(m) {
		return nil, false
	}
	p.search()
	return nil, true
}

func (p *palette) search() {
	p.drawn, p.at, p.top = "", 0, 0
	typed := strings.TrimSpace(p.line.text())
	if typed == "" {
		p.found = p.all
		return
	}
	p.found = nil
	for _, m := range fuzzy.FindFrom(typed, entries(p.all)) {
		p.found = append(p.found, p.all[m.Index])
	}
}

type entries []paletteEntry

func (e entries) String(i int) string { return e[i].label }
func (e entries) Len() int            { return len(e) }

func (p *palette) move(by int) tea.Cmd {
	p.at = max(min(p.at+by, len(p.found)-1), 0)
	p.drawn = ""
	return nil
}

func (p *palette) pick() tea.Cmd {
	if p.at >= len(p.found) {
		return nil
	}
	act := p.found[p.at].act
	return inOrder(closeTop, func() tea.Msg { return chosenMsg{act} })
}

// chosenMsg runs an action that was found in the palette.
type chosenMsg struct{ act *action }

func (p *palette) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		p.line.insert(m.Content)
		p.search()
	case wheelMsg:
		return p.move(m.by)
	case clickMsg:
		if row := p.top + m.y - 3; m.y >= 3 && row < len(p.found) && m.y < 3+p.rows {
			p.at = row
			return p.pick()
		}
	}
	return nil
}

func (p *palette) cursor() *tea.Cursor { return tea.NewCursor(4+p.line.column(), 1) }

func (p *palette) box(w, h int) string {
	if p.drawn != "" && p.w == w && p.h == h {
		return p.drawn
	}
	p.w, p.h = w, h
	t := p.k.theme
	width := min(76, w)
	inner := width - 4
	p.rows = max(min(12, h-5), 1)
	p.top = max(min(p.top, p.at), p.at-p.rows+1)
	lines := []string{t.Accent.Paint("›") + " " + p.line.window(inner-2), divide("")}
	for i := range p.rows {
		if n := p.top + i; n < len(p.found) {
			lines = append(lines, p.row(n, inner))
		} else if i == 0 {
			lines = append(lines, t.Muted.Paint(theme.Cut(p.k.say("Nothing is called that."), inner)))
		} else {
			lines = append(lines, "")
		}
	}
	p.drawn = boxedMore(p.k, width, h, p.k.say("All actions"), lines, len(p.found)-p.top-p.rows)
	return p.drawn
}

func (p *palette) row(n, w int) string {
	e := p.found[n]
	in, mark := &p.k.theme.Inks, "  "
	if n == p.at {
		in, mark = &p.k.theme.Selected, "▸ "
	}
	key := e.act.shown()
	label := e.label
	ink := in.Text
	if e.why != "" {
		ink = in.Faint
		label += " · " + e.why
	}
	var b strings.Builder
	in.Accent.Write(&b, mark)
	ink.Write(&b, theme.Fit(label, w-2-1-theme.Width(key)))
	in.Text.Write(&b, " ")
	in.Key.Write(&b, key)
	return b.String()
}
