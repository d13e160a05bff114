package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// help shows every key of a screen and of the program, from the tables that
// dispatch them.
type help struct {
	k      *env.Env
	groups []helpGroup
	table  []action.Action
	top    int
	lines  []string
	drawn  string
	w, h   int
}

type helpGroup struct {
	title string
	table []action.Action
}

func (a *App) openHelp() tea.Cmd {
	h := &help{k: a.kit, groups: []helpGroup{
		{a.kit.Say("On this screen"), a.screens[a.at].Actions()},
		{a.kit.Say("Everywhere"), a.globals},
	}}
	h.table = []action.Action{
		{Keys: []string{"esc", "?", "f1", "q"}, Display: "esc", Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
		{Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Handler: func() tea.Cmd { return h.scroll(1) }},
		{Keys: []string{"up", "k"}, Label: "scroll", Hidden: true, Handler: func() tea.Cmd { return h.scroll(-1) }},
		{Keys: []string{"pgdown", "space"}, Label: "scroll", Hidden: true, Handler: func() tea.Cmd { return h.scroll(10) }},
		{Keys: []string{"pgup"}, Label: "scroll", Hidden: true, Handler: func() tea.Cmd { return h.scroll(-10) }},
	}
	return msg.Open(h)
}

func (h *help) Actions() []action.Action             { return h.table }
func (h *help) Typing() bool                         { return false }
func (h *help) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (h *help) Restyle()                             { h.drawn, h.lines = "", nil }
func (h *help) Cursor() *tea.Cursor                  { return nil }

func (h *help) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(msg.WheelMsg); ok {
		return h.scroll(3 * m.By)
	}
	return nil
}

func (h *help) scroll(by int) tea.Cmd {
	h.top = max(h.top+by, 0)
	h.drawn = ""
	return nil
}

func (h *help) Box(w, height int) string {
	if h.drawn != "" && h.w == w && h.h == height {
		return h.drawn
	}
	h.w, h.h = w, height
	width := min(76, w)
	if w < widget.WideFrom {
		width = w // a narrow rim around it would only disturb
	}
	if h.lines == nil {
		h.write(width - 4)
	}
	room := height - 2
	h.top = min(h.top, max(len(h.lines)-room, 0))
	shown := append([]string(nil), h.lines[h.top:min(h.top+room, len(h.lines))]...)
	h.drawn = widget.BoxedMore(h.k, width, height, h.k.Say("Keys"), shown, len(h.lines)-h.top-len(shown))
	return h.drawn
}

func (h *help) write(w int) {
	t := h.k.Theme
	for i, g := range h.groups {
		if i > 0 {
			h.lines = append(h.lines, "")
		}
		h.lines = append(h.lines, t.Strong.Paint(g.title))
		for j := range g.table {
			act := &g.table[j]
			if act.KeyText() == "" {
				continue // only in the list of actions
			}
			var b strings.Builder
			t.Key.Write(&b, theme.Fit("  "+strings.Join(keyNames(act), "  "), 24))
			b.WriteString(" ")
			t.Text.Write(&b, theme.Cut(h.k.Say(act.Label), w-26))
			h.lines = append(h.lines, b.String())
		}
	}
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
