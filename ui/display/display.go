// Package display writes frames to the terminal. Bubble Tea keeps the modes, the
// title and the questions; the cells of the view that it is given stay blank.
//
// Bubble Tea's own renderer reads every cell of every frame again, on a ticker,
// and takes every line as changed; its library then writes all lines that hold a
// wide character. Here only the lines whose text changed are read, compared and
// written, and the first frame after a pause does not wait for a tick.
package display

import (
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

const (
	// interval is the minimum time between two frames.
	interval = time.Second / 120
	// gather is how long a change waits for its consequences.
	gather = 3 * time.Millisecond
)

// Display is the terminal's output: what Bubble Tea writes, and Show's frames.
type Display struct {
	term.File // the terminal, whose size Bubble Tea reads

	// Ask sends the program a DueMsg.
	Ask func()
	// Questions to the terminal are written with the first frame: what Bubble Tea is told
	// to write waits for a tick.
	Questions string

	guard func(func()) // runs what draws a frame

	mu      sync.Mutex
	latest  frame
	waiting bool      // DueMsg is on its way
	asked   bool      // the next view is to have its lines
	writes  bool      // a frame is about to be written
	drawn   time.Time // when the last one began

	writing sync.Mutex // guards the fields below and the order of writes
	on      bool       // the alternate screen is in view
	entered bool       // it was, before Bubble Tea entered it
	cleared int        // the latest change of size for which Bubble Tea erased the screen
	painter painter
}

// DueMsg has a frame drawn of all that changed in the last milliseconds. It changes nothing.
type DueMsg struct{}

// frame is the wanted content of the terminal.
type frame struct {
	lines   []string // unchanged ones are the same strings, so comparing them reads nothing
	page    string   // a blank in the style of cells that have none
	cursor  *tea.Cursor
	w, h    int
	resized int // how often
	profile colorprofile.Profile
	// clusters: it counts the cells of a grapheme cluster, not of its characters.
	clusters bool
	// sync: it shows everything between two marks at once.
	sync bool
}

// visible tells whether there is something to draw, and a size to draw it in.
func (f *frame) visible() bool { return f.w > 0 && len(f.lines) > 0 }

// New makes the Display of a terminal. guard may end panics of frames. fills tells whether
// the terminal erases with the background that is set.
func New(out term.File, profile colorprofile.Profile, fills bool, guard func(func())) *Display {
	return &Display{File: out, guard: guard, latest: frame{profile: profile}, painter: painter{fills: fills}}
}

// Observe is a filter that learns from messages what Bubble Tea's renderer does. The renderer is told
// that the terminal has one cell, because it would keep two buffers of all cells and compare them.
func (d *Display) Observe(_ tea.Model, message tea.Msg) tea.Msg {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch m := message.(type) {
	case DueMsg:
		d.waiting, d.asked = false, true
	case tea.WindowSizeMsg:
		d.latest.w, d.latest.h = min(m.Width, 1000), min(m.Height, 1000) // no terminal is larger
		d.latest.resized++
		d.asked = true
		return tea.WindowSizeMsg{Width: 1, Height: 1}
	case tea.ColorProfileMsg:
		d.latest.profile = m.Profile
	case tea.ModeReportMsg:
		switch m.Mode {
		case ansi.ModeSynchronizedOutput:
			d.latest.sync = m.Value == ansi.ModeReset
		case ansi.ModeUnicodeCore:
			d.latest.clusters = m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet
		}
	}
	return message
}

// Size is the terminal's size. It takes no lock: call it only where Observe is called.
func (d *Display) Size() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: d.latest.w, Height: d.latest.h}
}

// Due tells whether the next view is drawn. The first one is, and one in a while: a frame
// takes as long as ten messages, and few of those between two frames are ever seen.
func (d *Display) Due() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked || d.drawn.IsZero() {
		d.asked = false
		return true
	}
	if !d.waiting {
		d.waiting = true
		time.AfterFunc(max(gather, time.Until(d.drawn.Add(interval))), d.Ask)
	}
	return false
}

// Show draws lines in the place of a view's content, and the view's cursor. The lines are
// not written to later. Cells without a style get that of page, a painted blank.
func (d *Display) Show(v tea.View, lines []string, page string) tea.View {
	if !v.AltScreen {
		return v
	}
	if d.changed(lines, v.Cursor, page) {
		d.flushDue()
	}
	v.Content, v.Cursor = " ", nil // an empty one would be erased at every tick
	return v
}

// changed takes a frame, and says that it is to be written, or has it written in time.
func (d *Display) changed(lines []string, cursor *tea.Cursor, page string) (now bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := &d.latest
	still := f.cursor == cursor || f.cursor != nil && cursor != nil && f.cursor.Position == cursor.Position
	if slices.Equal(f.lines, lines) && still && f.page == page {
		return false
	}
	f.lines, f.cursor, f.page = lines, cursor, page
	wait := time.Until(d.drawn.Add(interval))
	if wait > 0 && !d.writes {
		d.writes = true
		time.AfterFunc(wait, d.flushDue)
	}
	return wait <= 0
}

func (d *Display) flushDue() {
	d.writing.Lock()
	defer d.writing.Unlock()
	_ = d.flush("") // as with Bubble Tea: the end of a terminal comes as a signal
}

// flush writes the latest frame, after something else that is to be written.
func (d *Display) flush(before string) error {
	d.mu.Lock()
	f := d.latest
	d.writes = false
	if f.visible() && before == "" { // nothing delays the first one, and modes delay none
		d.drawn = time.Now()
	}
	d.mu.Unlock()
	if f.visible() && !d.entered {
		d.entered, d.on = true, true
		before += ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable
	}
	if d.on && f.visible() {
		d.guard(func() { before += d.painter.paint(f) })
	}
	if before == "" {
		return nil
	}
	if d.painter.lines != nil {
		before, d.Questions = before+d.Questions, ""
	}
	_, err := io.WriteString(d.File, before)
	return err
}

// erasure is how Bubble Tea erases the screen.
const erasure = ansi.CursorHomePosition + ansi.EraseEntireScreen

// Write is Bubble Tea's. If it erases the screen, the frame is drawn again; for
// another size that happens with the first frame of that size.
func (d *Display) Write(p []byte) (int, error) {
	d.writing.Lock()
	defer d.writing.Unlock()
	text := string(p)
	if strings.Contains(text, ansi.ResetModeAltScreenSaveCursor) {
		d.on = false
		_, err := io.WriteString(d.File, d.painter.leave()+text)
		return len(p), err
	}
	if strings.Contains(text, ansi.SetModeAltScreenSaveCursor) {
		if d.on {
			text = strings.ReplaceAll(text, ansi.SetModeAltScreenSaveCursor, "")
		} else {
			d.painter.lines = nil
		}
		d.entered, d.on = true, true
	}
	if strings.Contains(text, erasure) {
		text = strings.ReplaceAll(text, erasure, "")
		d.mu.Lock()
		resized := d.latest.resized
		d.mu.Unlock()
		if resized == d.cleared {
			d.painter.lines = nil
		}
		d.cleared = resized
	}
	d.painter.at = unknown
	return len(p), d.flush(text)
}

// Restore gives the terminal back if Bubble Tea ended before it entered the screen.
func (d *Display) Restore() {
	d.writing.Lock()
	defer d.writing.Unlock()
	if d.on {
		d.on = false
		_, _ = io.WriteString(d.File, d.painter.leave()+ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable)
	}
}
