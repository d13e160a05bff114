package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// reader shows a long text, wrapped and scrollable.
type reader struct {
	Passive
	k     *env.Env
	title string
	text  string
	lines Scroll
	table []action.Action
}

// NewReader makes a reader; text must be clean.
func NewReader(k *env.Env, title, text string) *reader {
	r := &reader{k: k, title: title, text: text}
	r.table = append([]action.Action{
		{Name: "back", Keys: []string{"esc", "q", "v"}, Display: "esc", Label: "back", Handler: msg.Back},
	}, r.lines.Actions()...)
	return r
}

// Pretty cleans a raw answer, hides what looks like a key and, when it is JSON, indents it.
func Pretty(raw []byte) string {
	return api.CleanLines(strings.ReplaceAll(api.HideKeys(string(api.Indent(raw))), "\t", "  "), 64<<10).String()
}

func (r *reader) Actions() []action.Action { return r.table }

func (r *reader) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := LayoutFor(m.Width, m.Height).Body
		inner := readerWidth(body.W) - 4
		r.lines.SetSize(inner, body.H-4)
		r.lines.SetLines(strings.Split(ansi.Hardwrap(r.text, max(inner, 1), true), "\n"))
	case msg.WheelMsg:
		r.lines.By(3 * m.By)
	}
	return nil
}

func readerWidth(w int) int { return min(100, w-2) }

func (r *reader) Box(w, h int) string {
	return Boxed(r.k, readerWidth(w), h-2, r.title, r.lines.Lines(), r.lines.Below())
}
