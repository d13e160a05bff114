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
	at    int
	top   int
	rows  int
	table []action.Action
	drawn string
	w, h  int
}

type paletteEntry struct {
	act   *action.Action
	label string
	why   string
}

func (a *App) openPalette() tea.Cmd {
	if p, ok := a.top().(*palette); ok && p != nil {
		return msg.CloseTop
	}
	p := &palette{k: a.kit}
	for _, table := range [][]action.Action{a.screens[a.at].Actions(), a.globals} {
		for i := range table {
			act := &table[i]
			e := paletteEntry{act: act, label: a.kit.Say(act.Label)}
			if act.Disabled != nil {
				e.why = act.Disabled()
			}
			p.all = append(p.all, e)
		}
	}
	// What can be done now comes first.
	slices.SortStableFunc(p.all, func(a, b paletteEntry) int { return min(len(a.why), 1) - min(len(b.why), 1) })
	p.found = p.all
	p.table = []action.Action{
		{Keys: []string{"enter"}, Label: "do it", Handler: p.pick},
		{Keys: []string{"up", "ctrl+p"}, Label: "previous", Hidden: true, Handler: func() tea.Cmd { return p.move(-1) }},
		{Keys: []string{"down", "ctrl+n"}, Label: "next", Hidden: true, Handler: func() tea.Cmd { return p.move(1) }},
		{Keys: []string{"esc", "ctrl+k"}, Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
	}
	return msg.Open(p)
}

func (p *palette) Actions() []action.Action { return p.table }
func (p *palette) Typing() bool             { return true }
func (p *palette) Restyle()                 { p.drawn = "" }

func (p *palette) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if !p.line.Edit(m) {
		return nil, false
	}
	p.search()
	return nil, true
}

func (p *palette) search() {
	p.drawn, p.at, p.top = "", 0, 0
	typed := strings.TrimSpace(p.line.Text())
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
	return msg.Sequence(msg.CloseTop, func() tea.Msg { return chosenMsg{act} })
}

// chosenMsg runs an action that was found in the palette.
type chosenMsg struct{ act *action.Action }

func (p *palette) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.PasteMsg:
		p.line.Insert(m.Content)
		p.search()
	case msg.WheelMsg:
		return p.move(m.By)
	case msg.ClickMsg:
		if row := p.top + m.Y - 3; m.Y >= 3 && row < len(p.found) && m.Y < 3+p.rows {
			p.at = row
			return p.pick()
		}
	}
	return nil
}

func (p *palette) Cursor() *tea.Cursor { return tea.NewCursor(4+p.line.Column(), 1) }

func (p *palette) Box(w, h int) string {
	if p.drawn != "" && p.w == w && p.h == h {
		return p.drawn
	}
	p.w, p.h = w, h
	t := p.k.Theme
	width := min(76, w)
	inner := width - 4
	p.rows = max(min(12, h-5), 1)
	p.top = max(min(p.top, p.at), p.at-p.rows+1)
	lines := []string{t.Accent.Paint("›") + " " + p.line.Window(inner-2), widget.Divide("")}
	for i := range p.rows {
		if n := p.top + i; n < len(p.found) {
			lines = append(lines, p.row(n, inner))
		} else if i == 0 {
			lines = append(lines, t.Muted.Paint(theme.Cut(p.k.Say("Nothing is called that."), inner)))
		} else {
			lines = append(lines, "")
		}
	}
	p.drawn = widget.BoxedMore(p.k, width, h, p.k.Say("All actions"), lines, len(p.found)-p.top-p.rows)
	return p.drawn
}

func (p *palette) row(n, w int) string {
	e := p.found[n]
	in, mark := &p.k.Theme.Inks, "  "
	if n == p.at {
		in, mark = &p.k.Theme.Selected, "▸ "
	}
	key := e.act.KeyText()
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
