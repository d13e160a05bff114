package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	// helpWidth is how wide the help is at most.
	helpWidth = 110
	// helpColumns is how many columns of keys stand next to each other at most.
	helpColumns = 3
	// helpGap stands between two columns.
	helpGap = "    "
)

// helpOverlay shows every key of a screen and of the program, from the tables
// that dispatch them.
type helpOverlay struct {
	widget.Passive
	k        *env.Env
	title    string
	sections []helpSection
	table    []action.Action
	body     widget.Rect
	lines    widget.Scroll
}

type helpSection struct {
	title    string
	bindings []key.Binding
}

func (a *App) openHelp() tea.Cmd {
	k := a.env
	h := &helpOverlay{k: k, title: k.Say("Keys"), sections: []helpSection{
		{k.Say("On this screen"), helpBindings(k, a.table())},
		{k.Say("Everywhere"), helpBindings(k, a.globals)},
	}}
	if a.opts.Version != "" {
		h.title += " · darkroom " + a.opts.Version
	}
	h.table = append([]action.Action{
		{Name: "back", Keys: append([]string{"esc", "q"}, action.Named(a.globals, helpName).Keys...),
			Display: "esc", Label: "back", Handler: msg.Back},
	}, h.lines.Actions()...)
	return msg.Open(h)
}

// helpBindings are a table's bindings with all keys, in the language of k.
func helpBindings(k *env.Env, table []action.Action) []key.Binding {
	out := make([]key.Binding, 0, len(table))
	for i := range table {
		if keys := keyNames(&table[i]); len(keys) > 0 { // else it is only in the list of actions
			out = append(out, shownBinding(k, &table[i], strings.Join(keys, "  ")))
		}
	}
	return out
}

// keyNames are all keys of an action as people read them.
func keyNames(a *action.Action) []string {
	if a.Display != "" && len(a.Keys) <= 1 {
		return []string{a.Display}
	}
	return slices.DeleteFunc(slices.Clone(a.Keys), func(key string) bool {
		return len(key) == len("shift+g") && strings.HasPrefix(key, "shift+") // G stands there
	})
}

func (h *helpOverlay) Actions() []action.Action { return h.table }
func (h *helpOverlay) Restyle()                 { h.write() }

func (h *helpOverlay) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		h.body = widget.LayoutFor(m.Width, m.Height).Body
		h.write()
	case msg.WheelMsg:
		h.lines.By(3 * m.By)
	}
	return nil
}

// helpBox is the box's width in a body of w cells.
func helpBox(w int) int {
	if w < widget.WideFrom {
		return w // a narrow rim around it would only disturb
	}
	return min(helpWidth, w)
}

func (h *helpOverlay) Box(w, height int) string {
	return widget.Boxed(h.k, helpBox(w), height, h.title, h.lines.Lines(), h.lines.Below())
}

// write sets the lines again, for another size or theme.
func (h *helpOverlay) write() {
	w := helpBox(h.body.W) - 4
	var lines []string
	for i, s := range h.sections {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, h.k.Theme.Strong.Paint(s.title))
		for l := range strings.SplitSeq(helpTable(h.k.Theme, s.bindings, w-2), "\n") {
			lines = append(lines, theme.Cut("  "+l, w))
		}
	}
	h.lines.SetSize(w, h.body.H-2)
	h.lines.SetLines(lines)
}

// helpTable writes bindings in as many columns as fit into w cells.
func helpTable(t *theme.Theme, bindings []key.Binding, w int) string {
	m := help.Model{Styles: t.Help(), FullSeparator: helpGap}
	for columns := helpColumns; ; columns-- {
		rows := (len(bindings) + columns - 1) / columns
		table := m.FullHelpView(slices.Collect(slices.Chunk(bindings, max(rows, 1))))
		if columns == 1 || lipgloss.Width(table) <= w {
			return table
		}
	}
}
