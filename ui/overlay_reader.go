package ui

import (
	"bytes"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
)

// reader shows a long text, wrapped and scrollable.
type reader struct {
	k     *kit
	title string
	text  string
	lines []string
	top   int
	table []action
	drawn string
	w, h  int
}

// newReader makes a reader; text must be clean.
func newReader(k *kit, title, text string) *reader {
	r := &reader{k: k, title: title, text: text}
	by := func(n int) func() tea.Cmd { return func() tea.Cmd { return r.scroll(n) } }
	r.table = []action{
		{keys: []string{"esc", "q", "v"}, show: "esc", label: "back", do: func() tea.Cmd { return closeTop }},
		{keys: []string{"down", "j"}, show: "j/k", label: "scroll", do: by(1)},
		{keys: []string{"up", "k"}, label: "scroll", quiet: true, do: by(-1)},
		{keys: []string{"pgdown", "space"}, label: "next page", quiet: true, do: by(15)},
		{keys: []string{"pgup"}, label: "previous page", quiet: true, do: by(-15)},
		{keys: []string{"g", "home"}, show: "g/G", label: "top", quiet: true, do: by(-1 << 20)},
		{keys: []string{"G", "shift+g", "end"}, label: "end", quiet: true, do: by(1 << 20)},
	}
	return r
}

// pretty cleans a raw answer and, when it is JSON, indents it.
func pretty(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") == nil {
		raw = b.Bytes()
	}
	return api.CleanLines(strings.ReplaceAll(string(raw), "\t", "  "), 64<<10).String()
}

func (r *reader) actions() []action                    { return r.table }
func (r *reader) typing() bool                         { return false }
func (r *reader) edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (r *reader) restyle()                             { r.drawn = "" }
func (r *reader) cursor() *tea.Cursor                  { return nil }

func (r *reader) update(message tea.Msg) tea.Cmd {
	if m, ok := message.(wheelMsg); ok {
		return r.scroll(3 * m.by)
	}
	return nil
}

func (r *reader) scroll(by int) tea.Cmd {
	r.top = max(r.top+by, 0)
	r.drawn = ""
	return nil
}

func (r *reader) box(w, h int) string {
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
	r.drawn = boxed(r.k, width, h-2, r.title, shown)
	return r.drawn
}
