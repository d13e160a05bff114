package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// help shows every key of a screen and of the program, from the tables that
// dispatch them.
type help struct {
	k      *kit
	groups []helpGroup
	table  []action
	top    int
	lines  []string
	drawn  string
	w, h   int
}

type helpGroup struct {
	title string
	table []action
}

func (a *App) openHelp() tea.Cmd {
	h := &help{k: a.kit, groups: []helpGroup{
		{a.kit.say("On this screen"), a.screens[a.at].actions()},
		{a.kit.say("Everywhere"), a.globals},
	}}
	h.table = []action{
		{keys: []string{"esc", "?", "f1", "q"}, show: "esc", label: "back", do: func() tea.Cmd { return closeTop }},
		{keys: []string{"down", "j"}, show: "j/k", label: "scroll", do: func() tea.Cmd { return h.scroll(1) }},
		{keys: []string{"up", "k"}, label: "scroll", quiet: true, do: func() tea.Cmd { return h.scroll(-1) }},
		{keys: []string{"pgdown", "space"}, label: "scroll", quiet: true, do: func() tea.Cmd { return h.scroll(10) }},
		{keys: []string{"pgup"}, label: "scroll", quiet: true, do: func() tea.Cmd { return h.scroll(-10) }},
	}
	return open(h)
}

func (h *help) actions() []action                    { return h.table }
func (h *help) typing() bool                         { return false }
func (h *help) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (h *help) restyle()                             { h.drawn, h.lines = "", nil }
func (h *help) cursor() *tea.Cursor                  { return nil }

func (h *help) update(message tea.Msg) tea.Cmd {
	if m, ok := message.(wheelMsg); ok {
		return h.scroll(3 * m.by)
	}
	return nil
}

func (h *help) scroll(by int) tea.Cmd {
	h.top = max(h.top+by, 0)
	h.drawn = ""
	return nil
}

func (h *help) box(w, height int) string {
	if h.drawn != "" && h.w == w && h.h == height {
		return h.drawn
	}
	h.w, h.h = w, height
	width := min(76, w)
	if w < wideFrom {
		width = w // a narrow rim around it would only disturb
	}
	if h.lines == nil {
		h.write(width - 4)
	}
	room := height - 2
	h.top = min(h.top, max(len(h.lines)-room, 0))
	shown := append([]string(nil), h.lines[h.top:min(h.top+room, len(h.lines))]...)
	h.drawn = boxedMore(h.k, width, height, h.k.say("Keys"), shown, len(h.lines)-h.top-len(shown))
	return h.drawn
}

func (h *help) write(w int) {
	t := h.k.theme
	for i, g := range h.groups {
		if i > 0 {
			h.lines = append(h.lines, "")
		}
		h.lines = append(h.lines, t.Strong.Paint(g.title))
		for j := range g.table {
			act := &g.table[j]
			if act.shown() == "" {
				continue // only in the list of actions
			}
			var b strings.Builder
			t.Key.Write(&b, theme.Fit("  "+strings.Join(keyNames(act), "  "), 24))
			b.WriteString(" ")
			t.Text.Write(&b, theme.Cut(h.k.say(act.label), w-26))
			h.lines = append(h.lines, b.String())
		}
	}
}

// keyNames are all keys of an action as people read them.
func keyNames(a *action) []string {
	if a.show != "" && len(a.keys) <= 1 {
		return []string{a.show}
	}
	return slices.DeleteFunc(slices.Clone(a.keys), func(key string) bool {
		return len(key) == len("shift+g") && strings.HasPrefix(key, "shift+") // G stands there
	})
}
