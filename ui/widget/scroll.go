package widget

import (
	"strings"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// Scroll is a text of many lines in a window of few. The zero Scroll is empty.
type Scroll struct {
	view  viewport.Model
	lines []string
}

func (s *Scroll) SetSize(w, h int) {
	s.view.SetWidth(max(w, 0))
	s.view.SetHeight(max(h, 0))
	s.By(0) // within the bounds of the new height
}

// SetLines sets the text, lines as wide as the window. The position stays.
func (s *Scroll) SetLines(lines []string) {
	s.lines = lines
	s.view.SetContentLines(lines)
	s.By(0)
}

// By reports whether the window moved.
func (s *Scroll) By(lines int) bool {
	before := s.Offset()
	s.view.SetYOffset(before + lines)
	return s.Offset() != before
}

func (s *Scroll) ToTop() { s.view.GotoTop() }

// Offset is the number of lines above the window, Below that below it.
func (s *Scroll) Offset() int { return s.view.YOffset() }
func (s *Scroll) Below() int  { return max(len(s.lines)-s.Offset()-s.view.Height(), 0) }

// Lines gives the lines in the window as they were set, fewer than it is high
// when the text is shorter. viewport.View would wrap, align and fill up each of
// them again (a third of the time that drawing a pane takes), which Pane does.
func (s *Scroll) Lines() []string {
	if s.view.Width() == 0 {
		return nil
	}
	from := min(s.Offset(), len(s.lines))
	return s.lines[from:min(from+s.view.Height(), len(s.lines))]
}

// Actions are the keys that move the window where nothing is typed.
func (s *Scroll) Actions() []action.Action {
	by := func(lines int) func() tea.Cmd {
		return func() tea.Cmd { s.By(lines); return nil }
	}
	page := func(pages int) func() tea.Cmd {
		return func() tea.Cmd { s.By(pages * max(s.view.Height()-1, 1)); return nil }
	}
	return []action.Action{
		{Name: "scroll_down", Keys: "down j", Display: "j/k", Label: "scroll", Handler: by(1),
			Offer: func() bool { return s.Offset() > 0 || s.Below() > 0 }},
		Moving("scroll_up", "", "scroll up", by(-1), "up k"),
		Moving("next_page", "pgdown/pgup", "page", page(1), "pgdown space"),
		Moving("previous_page", "", "previous page", page(-1), "pgup"),
		Moving("top", "home/end", "first or last", by(-1<<20), "home g"),
		Moving("end", "", "end", by(1<<20), "end G shift+g"),
	}
}

// Reader is a text in a box, which is as wide and high as Fit says.
type Reader struct {
	Passive
	K     *env.Env
	Title string
	Fit   func(body Rect) (w, h int)
	Write func(w int) []string // the text in lines
	lines Scroll
	w, h  int
}

// NewReader makes a reader; text must be clean.
func NewReader(k *env.Env, title, text string) *Reader {
	r := &Reader{
		K: k, Title: title, Fit: func(body Rect) (w, h int) { return min(100, body.W-2), body.H - 2 },
		Write: func(w int) []string { return strings.Split(ansi.Hardwrap(text, max(w, 1), true), "\n") },
	}
	r.Close("esc q v")
	return r
}

// Close sets the keys that close it, besides those that scroll.
func (r *Reader) Close(keys action.Keys) {
	r.Table = append([]action.Action{{Name: "back", Keys: keys, Display: "esc", Label: "back", Closes: true}}, r.lines.Actions()...)
}

// Pretty is the beginning of a raw answer, cleaned, without keys, JSON indented.
func Pretty(raw []byte) string {
	raw = raw[:min(len(raw), 256<<10)]
	return api.CleanLines(strings.ReplaceAll(api.HideKeys(string(api.Indent(raw))), "\t", "  "), 64<<10).String()
}

func (r *Reader) Restyle() { r.lines.SetLines(r.Write(r.w - 4)) }

func (r *Reader) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = r.Fit(LayoutFor(m.Width, m.Height).Body)
		r.lines.SetSize(r.w-4, r.h-3)
		r.Restyle()
	case msg.WheelMsg:
		r.lines.By(3 * m.By)
	}
	return nil
}

func (r *Reader) Box(_, _ int) string {
	return Boxed(r.K, r.w, r.h, r.Title, append([]string{""}, r.lines.Lines()...), r.lines.Below())
}
