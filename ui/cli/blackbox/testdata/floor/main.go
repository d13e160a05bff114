// Floor is the least that a Bubble Tea program with a list does: rows drawn by
// hand, at 120 frames a second. TestSpeed measures it beside darkroom.
package main

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
)

const rows = 10_000

type list struct{ height, top, selected int }

func (l list) Init() tea.Cmd { return nil }

func (l list) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		l.height = m.Height
	case tea.KeyPressMsg:
		switch m.String() {
		case "j":
			l.selected = min(l.selected+1, rows-1)
		case "ctrl+q":
			return l, tea.Quit
		}
	}
	l.top = max(l.top, l.selected-l.height+1)
	return l, nil
}

func (l list) View() tea.View {
	var b strings.Builder
	for i := l.top; i < min(l.top+l.height, rows); i++ {
		mark := "  "
		if i == l.selected {
			mark = "> "
		}
		fmt.Fprintf(&b, "%s%06d harbour at dawn, the boats still asleep\n", mark, i)
	}
	v := tea.NewView(strings.TrimSuffix(b.String(), "\n"))
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(list{}, tea.WithFPS(120)).Run(); err != nil {
		panic(err)
	}
}
