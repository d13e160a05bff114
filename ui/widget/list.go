package widget

import (
	"cmp"
	"context"
	"strings"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// Picker is a list of rows of which one is selected, and the window of rows that
// is shown. It knows the rows by their numbers alone. The zero Picker is empty.
//
// Its owner calls SetRows when the rows change and SetWindow when the size
// does, puts Actions into its table, and hands messages to Update.
type Picker struct {
	Each      int // lines of a row; 0 is one
	rows, at  int
	top       int // the first row in the window
	y, height int // where the window lies in its box, and how high it is
}

// SetRows says that there are n other rows now; the first one is selected.
func (p *Picker) SetRows(n int) { p.rows, p.at, p.top = n, 0, 0 }

// KeepRows says that there are n rows now; the selection stays if it can.
func (p *Picker) KeepRows(n int) {
	p.rows = n
	p.Select(p.at)
}

// SetWindow says which lines of the screen show rows.
func (p *Picker) SetWindow(y, height int) {
	p.y, p.height = y, max(height, p.each())
	p.show()
}

func (p *Picker) Selected() (int, bool) { return p.at, p.at < p.rows }

// Select brings a row into the window, and reports whether it is another one.
func (p *Picker) Select(row int) (moved bool) {
	before := p.at
	p.at = max(min(row, p.rows-1), 0)
	p.show()
	return p.at != before
}

func (p *Picker) Move(by int) (moved bool) { return p.Select(p.at + by) }
func (p *Picker) Scroll(by int)            { p.top = max(min(p.top+by, p.rows-p.shown()), 0) }
func (p *Picker) each() int                { return max(p.Each, 1) }
func (p *Picker) shown() int               { return p.height / p.each() } // rows

// show moves the window to the selected row, without blank rows.
func (p *Picker) show() {
	p.top = max(min(p.top, p.at), p.at-p.shown()+1)
	p.top = max(min(p.top, p.rows-p.shown()), 0)
}

func (p *Picker) Below() int { return max(p.rows-p.top-p.shown(), 0) }

// RowAt is the row on a line of the screen, if one is shown there.
func (p *Picker) RowAt(y int) (int, bool) {
	row := p.top + (y-p.y)/p.each()
	return row, y >= p.y && row < min(p.top+p.shown(), p.rows)
}

// Lines draws the rows in the window, of each the first lines; those without a row are empty.
func (p *Picker) Lines(draw func(row int, selected bool) string) []string {
	lines, each := make([]string, p.height), p.each()
	for row := p.top; row < min(p.top+p.shown(), p.rows); row++ {
		drawn := strings.Split(draw(row, row == p.at), "\n")
		copy(lines[(row-p.top)*each:], drawn[:min(each, len(drawn))])
	}
	return lines
}

// Update takes the mouse, and reports whether a row was clicked and so selected.
func (p *Picker) Update(message tea.Msg) (clicked bool) {
	switch m := message.(type) {
	case msg.WheelMsg:
		p.Move(m.By)
	case msg.ClickMsg:
		var row int
		if row, clicked = p.RowAt(m.Y); clicked {
			p.Select(row)
		}
	}
	return clicked
}

// Chosen returns the selected one of all, the rows of a list, or the zero value if none
// is selected.
func Chosen[T any](p *Picker, all []T) (one T) {
	if row, ok := p.Selected(); ok {
		one = all[row]
	}
	return one
}

// Actions are the keys that move the selection. While something is typed they
// are those that a line of text does not take.
func (p *Picker) Actions(typing bool) []action.Action {
	do, by, page := action.Do, func(rows int) { p.Move(rows) }, func(pages int) { p.Move(pages * p.shown()) }
	var up, down action.Keys = "up ctrl+p", "down ctrl+n"
	if !typing {
		up, down = up+" k", down+" j"
	}
	table := []action.Action{
		Moving("previous", "↑/↓", "choose", do(by, -1), up),
		Moving("next", "", "next", do(by, 1), down),
		Moving("previous_page", "pgup/pgdown", "page", do(page, -1), "pgup"),
		Moving("next_page", "", "next page", do(page, 1), "pgdown"),
	}
	if typing {
		return table
	}
	return append(table,
		Moving("first", "home/end", "first or last", do(by, -1<<20), "home g"),
		Moving("last", "", "last", do(by, 1<<20), "end G shift+g"),
	)
}

// Moving is an action that everybody tries, and that the footer leaves out.
func Moving(name, display, label string, do func() tea.Cmd, keys action.Keys) action.Action {
	return action.Action{Name: name, Keys: keys, Display: display, Label: label, Hidden: true, Handler: do}
}

// Finder is a line of text that narrows the list below it, for overlays to embed.
type Finder struct {
	Passive
	Line   Line
	List   Picker
	Room   func() int     // how many cells the line may take
	Typed  func() tea.Cmd // follows when the text is another one
	Choose func() tea.Cmd // follows when a row is clicked
}

const FinderTop = 5

func (f *Finder) Typing() bool { return true }

func (f *Finder) Edit(key tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	before := f.Line.Text()
	if used = f.Line.Edit(key); f.Line.Text() != before {
		cmd = f.Typed()
	}
	return cmd, used
}

// Update takes a paste and the mouse.
func (f *Finder) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.PasteMsg); ok {
		f.Line.Insert(m.Content)
		return f.Typed()
	}
	if f.List.Update(message) {
		return f.Choose()
	}
	return nil
}

func (f *Finder) Cursor() *tea.Cursor { return f.Line.Cursor(4, 3, f.Room()) }

// Well is one line of text on the ground of what is written into, w cells wide.
func Well(t *theme.Theme, text string, w int) string {
	return t.Element.Lay(t.Accent.Paint("›") + " " + theme.Fit(text, w-2))
}

// Head is the text, or a hint while there is none, above a rule.
func (f *Finder) Head(t *theme.Theme, hint string) []string {
	text := cmp.Or(f.Line.Window(f.Room()), t.Faint.Paint(theme.Cut(hint, f.Room())))
	return []string{"", "", Well(t, text, f.Room()+2), Divide("")}
}

// Filter is the line of text that narrows a list, in the border of its pane. A
// FilterDueMsg comes once the typing pauses.
type Filter struct {
	Line
	Editing bool
	seq     int // of the last change of the text
}

type FilterDueMsg struct {
	of  *Filter
	seq int
}

// Reset empties and stops the filter. A FilterDueMsg that is to come is void.
func (f *Filter) Reset() {
	f.Line.Set("")
	f.seq++
	f.Editing = false
}

// Clear is Reset for a person: the list is due.
func (f *Filter) Clear(ctx context.Context) tea.Cmd {
	f.Reset()
	return f.changed(ctx)
}

func (f *Filter) Edit(ctx context.Context, key tea.KeyPressMsg) (tea.Cmd, bool) {
	switch key.String() {
	case "enter", "down", "up":
		f.Editing = false
		return nil, true
	case "esc":
		return f.Clear(ctx), true
	}
	before := f.Text()
	used := f.Line.Edit(key)
	if f.Text() == before {
		return nil, used
	}
	return f.changed(ctx), true
}

// Change gives the filter another text.
func (f *Filter) Change(ctx context.Context, text string) tea.Cmd {
	f.Line.Set(text)
	return f.changed(ctx)
}

func (f *Filter) Paste(ctx context.Context, text string) tea.Cmd {
	f.Line.Insert(text)
	return f.changed(ctx)
}

func (f *Filter) changed(ctx context.Context) tea.Cmd {
	f.seq++
	return env.Later(ctx, 60*time.Millisecond, FilterDueMsg{f, f.seq})
}

func (f *Filter) Due(m FilterDueMsg) bool { return m == FilterDueMsg{f, f.seq} }

func (f *Filter) Title(w int, title string) string {
	if !f.Editing && f.Line.Empty() {
		return title
	}
	return "/ " + f.Line.Window(filterRoom(w))
}

// Cursor is the cell of the cursor in a pane of w cells, or nil.
func (f *Filter) Cursor(w int) *tea.Cursor {
	if !f.Editing {
		return nil
	}
	return f.Line.Cursor(5, 0, filterRoom(w)) // after "╭─ / "
}

func filterRoom(w int) int { return max(w-24, 10) }

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

func (s *Scroll) By(lines int) { s.view.SetYOffset(s.Offset() + lines) }
func (s *Scroll) ToTop()       { s.view.GotoTop() }

// Offset is the number of lines above the window, Below that below it.
func (s *Scroll) Offset() int { return s.view.YOffset() }
func (s *Scroll) Below() int  { return max(len(s.lines)-s.Offset()-s.view.Height(), 0) }

// Lines gives the lines in the window as they were set, fewer than it is high
// when the text is shorter. viewport.View would wrap, align and fill up each of
// them again (a third of the time that drawing a pane takes), which Pane does.
func (s *Scroll) Lines() []string {
	from := min(s.Offset(), len(s.lines))
	return s.lines[from:min(from+s.view.Height(), len(s.lines))]
}

// Actions are the keys that move the window where nothing is typed.
func (s *Scroll) Actions() []action.Action {
	do, page := action.Do, func(pages int) { s.By(pages * max(s.view.Height()-1, 1)) }
	return []action.Action{
		{Name: "scroll_down", Keys: "down j", Display: "j/k", Label: "scroll", Handler: do(s.By, 1),
			Offer: func() bool { return s.Offset() > 0 || s.Below() > 0 }},
		Moving("scroll_up", "", "scroll up", do(s.By, -1), "up k"),
		Moving("next_page", "pgdown/pgup", "page", do(page, 1), "pgdown space"),
		Moving("previous_page", "", "previous page", do(page, -1), "pgup"),
		Moving("top", "home/end", "first or last", do(s.By, -1<<20), "home g"),
		Moving("end", "", "end", do(s.By, 1<<20), "end G shift+g"),
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
		Write: func(w int) (out []string) {
			for line := range strings.SplitSeq(text, "\n") {
				at := min(theme.Width(upToValue().FindString(ansi.Strip(line))), w/2)
				value := lipgloss.Wrap(ansi.TruncateLeft(line, at, ""), max(w, 8)-at, "")
				value = strings.ReplaceAll(value, "\n", "\n"+theme.Blank(at))
				out = append(out, strings.Split(ansi.Truncate(line, at, "")+value, "\n")...)
			}
			return out
		},
	}
	r.Close("esc q v")
	return r
}

// upToValue is what stands before a line's value, or indents it.
var upToValue = api.Pattern(`^ *(?:\S.*?  +)?`)

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
		r.w, r.h = r.Fit(Rect{W: m.Width, H: m.Height})
		r.lines.SetSize(r.w-4, r.h-3)
		r.Restyle()
	case msg.WheelMsg:
		r.lines.By(3 * m.By)
	}
	return nil
}

func (r *Reader) Box(_, _ int) string {
	lines := append([]string{""}, r.lines.Lines()...) // nothing of the screen is left below it
	return Boxed(r.K, r.w, r.h, r.Title, append(lines, make([]string, max(r.h-2-len(lines), 0))...), r.lines.Below())
}
