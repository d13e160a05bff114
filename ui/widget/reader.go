package widget

import (
	"bytes"
	"encoding/json"
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
	k     *env.Env
	title string
	text  string
	lines []string
	top   int
	table []action.Action
	drawn string
	w, h  int
}

// NewReader makes a reader; text must be clean.
func NewReader(k *env.Env, title, text string) *reader {
	r := &reader{k: k, title: title, text: text}
	by := func(n int) func() tea.Cmd { return func() tea.Cmd { return r.scroll(n) } }
	r.table = []action.Action{
		{Keys: []string{"esc", "q", "v"}, Display: "esc", Label: "back", Handler: func() tea.Cmd { return msg.CloseTop }},
		{Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Handler: by(1)},
		{Keys: []string{"up", "k"}, Label: "scroll", Hidden: true, Handler: by(-1)},
		{Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: by(15)},
		{Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: by(-15)},
		{Keys: []string{"g", "home"}, Display: "g/G", Label: "top", Hidden: true, Handler: by(-1 << 20)},
		{Keys: []string{"G", "shift+g", "end"}, Label: "end", Hidden: true, Handler: by(1 << 20)},
	}
	return r
}

// Pretty cleans a raw answer and, when it is JSON, indents it.
func Pretty(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") == nil {
		raw = b.Bytes()
	}
	return api.CleanLines(strings.ReplaceAll(string(raw), "\t", "  "), 64<<10).String()
}

func (r *reader) Actions() []action.Action             { return r.table }
func (r *reader) Typing() bool                         { return false }
func (r *reader) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (r *reader) Restyle()                             { r.drawn = "" }
func (r *reader) Cursor() *tea.Cursor                  { return nil }

func (r *reader) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(msg.WheelMsg); ok {
		return r.scroll(3 * m.By)
	}
	return nil
}

func (r *reader) scroll(by int) tea.Cmd {
	r.top = max(r.top+by, 0)
	r.drawn = ""
	return nil
}

func (r *reader) Box(w, h int) string {
	if r.drawn != "" && r.w == w && r.h == h {
		return r.drawn
	}
	width := min(100, w-2)
	if r.w != w || r.lines == nil {
		r.lines = strings.Split(ansi.Hardwrap(r.text, width-4, true), "\n")
	}
	r.w, r.h = w, h
	room := h - 4
	r.top = max(min(r.top, len(r.lines)-room), 0)
	shown := append([]string(nil), r.lines[r.top:min(r.top+room, len(r.lines))]...)
	r.drawn = Boxed(r.k, width, h-2, r.title, shown)
	return r.drawn
}
