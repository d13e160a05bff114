package display

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// compare fails unless the terminal shows a frame as Bubble Tea reads it.
func compare(t *testing.T, e *vt.Emulator, f frame, what string) {
	t.Helper()
	want := uv.NewScreenBuffer(f.w, f.h)
	if f.clusters {
		want.Method = ansi.GraphemeWidth
	}
	uv.NewStyledString(strings.Join(f.lines, "\n")).Draw(want, want.Bounds())
	for y := range f.h {
		for x := range f.w {
			got, cell := e.CellAt(x, y), want.CellAt(x, y)
			if got == nil {
				got = uv.EmptyCell.Clone()
			}
			if page := uv.NewStyledString(f.page); f.page != "" && cell.Style.Bg == nil {
				one := uv.NewScreenBuffer(1, 1)
				page.Draw(one, one.Bounds())
				cell.Style.Bg, cell.Style.Fg = one.CellAt(0, 0).Style.Bg, cmp.Or(cell.Style.Fg, one.CellAt(0, 0).Style.Fg)
			}
			if blank(got) && blank(cell) {
				got.Style, cell.Style = uv.Style{Bg: got.Style.Bg}, uv.Style{Bg: cell.Style.Bg}
			}
			expect.Must(t, cell.Width == 0 || got.Equal(cell), what, x, y, "shows", got, "not", cell, "of", e)
		}
	}
	at := e.CursorPosition()
	expect.Must(t, f.cursor == nil || at.X == f.cursor.X && at.Y == f.cursor.Y, what, "the cursor is at", at, "not at", f.cursor)
}

// scribble makes lines of plain and wide characters in several styles.
func scribble(rng *rand.Rand, w int) string {
	styles := []string{"\x1b[m", "\x1b[1m", "\x1b[38;5;215m", "\x1b[48;5;236m", "\x1b[38;2;10;20;30m", "\x1b[4m"}
	signs := []string{"a", "b", " ", " ", "│", "港", "船", "…", "é", "▀", strings.Repeat(" ", manyBlanks+2)}
	var b strings.Builder
	for x := 0; x < w; {
		if rng.IntN(6) == 0 {
			b.WriteString(styles[rng.IntN(len(styles))])
		}
		sign := signs[rng.IntN(len(signs))]
		if rng.IntN(20) == 0 {
			break
		}
		if x += ansi.StringWidth(sign); x <= w {
			b.WriteString(sign)
		}
	}
	return b.String() + "\x1b[m"
}

// walkBytes is what the frames of TestFrames take. Who needs fewer bytes writes the
// new figure.
const walkBytes = 516643

// Whatever frames follow each other, the terminal shows the last one, its cursor only
// while it has one, and between marks if it knows them.
func TestFrames(t *testing.T) {
	t.Parallel()
	written, pages := 0, []string{"", " ", "\x1b[38;5;250;48;5;234m \x1b[m"}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w, h := 5+rng.IntN(40), 3+rng.IntN(20)
		e := vt.NewEmulator(w, h)
		var p painter
		visible := false // Display has hidden it
		lines := make([]string, h)
		f := frame{w: w, h: h, profile: colorprofile.TrueColor, sync: seed%2 == 0, page: pages[seed%3]}
		for step := range 60 {
			switch rng.IntN(8) {
			case 0: // another screen
				for y := range lines {
					lines[y] = scribble(rng, w)
				}
			case 1, 2, 3: // a part of it scrolls
				top, by := rng.IntN(h), rng.IntN(3)+1
				end := top + rng.IntN(h-top) + 1
				part := lines[top:end]
				if by = by % len(part); rng.IntN(2) == 0 {
					by = len(part) - by
				}
				moved := append(slices.Clone(part[by:]), part[:by]...)
				copy(part, moved)
			case 4:
				p.at = unknown
				_, _ = e.WriteString("\x1b[2;2H")
			case 5:
				p.fills = rng.IntN(2) == 0
				p.lines = nil
				_, _ = e.WriteString("\x1b[3;1Hxxxxx")
			case 6: // the terminal says something else of itself
				switch rng.IntN(3) {
				case 0:
					f.resized++
					_, _ = e.WriteString("\x1b[3;1Hxxxxx")
				case 1:
					f.clusters = !f.clusters
				default:
					f.page = pages[rng.IntN(3)]
				}
				p.at = unknown
			}
			for range rng.IntN(3) {
				lines[rng.IntN(h)] = scribble(rng, w)
			}
			f.cursor = nil
			if rng.IntN(2) == 0 {
				f.cursor = tea.NewCursor(rng.IntN(w), rng.IntN(h))
			}
			f.lines = slices.Clone(lines)
			text, what := p.paint(f), fmt.Sprint("seed ", seed, ", step ", step)
			_, _ = e.WriteString(text)
			compare(t, e, f, what)
			written += len(text)
			if on, off := strings.LastIndex(text, ansi.SetModeTextCursorEnable), strings.LastIndex(text, ansi.ResetModeTextCursorEnable); on != off {
				visible = on > off
			}
			expect.Must(t, visible == (f.cursor != nil), what, "the cursor is visible", visible)
			marked := strings.HasPrefix(text, ansi.SetModeSynchronizedOutput) && strings.HasSuffix(text, ansi.ResetModeSynchronizedOutput)
			expect.Must(t, text == "" || marked == f.sync, what, "in marks", marked, text)
			expect.Equal(t, p.paint(f), "", what, "the same frame again")
		}
	}
	expect.Equal(t, written, walkBytes, "bytes")
}

// What the terminal says of itself decides how it is written to.
func TestObserve(t *testing.T) {
	t.Parallel()
	for value, want := range map[ansi.ModeSetting]struct{ sync, clusters bool }{
		ansi.ModeNotRecognized: {}, ansi.ModePermanentlyReset: {},
		ansi.ModeReset: {true, true}, ansi.ModeSet: {false, true}, ansi.ModePermanentlySet: {false, true},
	} {
		d := New(nil, colorprofile.ANSI, true, func(f func()) { f() })
		d.Observe(nil, tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: value})
		expect.That(t, d.latest.sync == want.sync && !d.latest.clusters, "synchronized output is", value, d.latest)
		d.Observe(nil, tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: value})
		d.Observe(nil, tea.ModeReportMsg{Mode: ansi.ModeMouseNormal, Value: ansi.ModeSet})
		expect.That(t, d.latest.sync == want.sync && d.latest.clusters == want.clusters, "clusters are", value, d.latest)
		d.Observe(nil, tea.ColorProfileMsg{Profile: colorprofile.ANSI256})
		told := d.Observe(nil, tea.WindowSizeMsg{Width: 5, Height: 6})
		expect.Equal(t, told, tea.Msg(tea.WindowSizeMsg{Width: 1, Height: 1}), "Bubble Tea is told")
		expect.Equal(t, d.Size(), tea.WindowSizeMsg{Width: 5, Height: 6}, "the size")
		expect.Equal(t, [3]int{d.latest.w, d.latest.h, d.latest.resized}, [3]int{5, 6, 1}, "the frame's size, and how often it changed")
		expect.Equal(t, d.latest.profile, colorprofile.ANSI256, "the profile")
		d.drawn = time.Now().Add(time.Hour) // no timer asks for a view before the look at it
		sized, again := d.Due(), d.Due()
		d.Observe(nil, DueMsg{})
		expect.Equal(t, [3]bool{sized, again, d.Due()}, [3]bool{true, false, true}, "a view is due after a size, soon after it, when asked for")
		expect.That(t, !d.waiting, "it waits")
	}
}

// A frame is drawn again if its lines or its cursor are others.
func TestOnlyAnotherFrameIsDue(t *testing.T) {
	t.Parallel()
	at := func(x int) *tea.Cursor { return tea.NewCursor(x, 0) }
	for name, c := range map[string]struct {
		lines  []string
		cursor *tea.Cursor
		due    bool
	}{
		"the same": {[]string{"boat"}, at(1), false}, "another line": {[]string{"boats"}, at(1), true}, "a line more": {[]string{"boat", ""}, at(1), true},
		"another cursor": {[]string{"boat"}, at(2), true}, "no cursor": {[]string{"boat"}, nil, true}, "another cursor and line": {[]string{"x"}, at(3), true},
	} {
		d, _ := drawnOn(t)
		expect.That(t, d.changed([]string{"boat"}, at(1), "") && !d.writes, name, "the first frame waits")
		d.drawn = time.Now().Add(time.Hour) // no timer draws it before the look at it
		expect.That(t, !d.changed(c.lines, c.cursor, "") && d.writes == c.due, name, "due is", d.writes)
	}
}

// list is a list of rows, of which half have wide characters, from row top on.
func list(w, h, top, selected int) frame {
	rows := make([]string, h)
	for y := range rows {
		title := "harbour at dawn"
		if (top+y)%2 == 0 {
			title = "清晨的港口，船还在睡"
		}
		rows[y] = fmt.Sprintf("  %s %d", title, top+y)
		if top+y == selected {
			rows[y] = "\x1b[7m>" + rows[y][1:] + "\x1b[m"
		}
	}
	return frame{w: w, h: h, lines: rows, profile: colorprofile.TrueColor}
}

// A step in a list writes the rows that changed, and nothing of the others,
// whether they have wide characters or not.
func TestStepInList(t *testing.T) {
	t.Parallel()
	const w, h = 60, 30
	e := vt.NewEmulator(w, h)
	var p painter
	_, _ = e.WriteString(p.paint(list(w, h, 0, 0)))
	for selected := 1; selected < 3*h; selected++ {
		f := list(w, h, max(0, selected-h+1), selected)
		text := p.paint(f)
		_, _ = e.WriteString(text)
		compare(t, e, f, fmt.Sprint("row ", selected))
		expect.Must(t, len(text) <= 160, "row", selected, len(text), "bytes", text)
	}
	expect.Equal(t, p.paint(list(w, h, 2*h, 3*h-1)), "", "the same frame again")
	for _, middle := range []string{strings.Repeat("▀", 40), strings.Repeat(" ", 40), "a" + strings.Repeat(" ", 38) + "b"} { // a picture goes
		f := list(w, 2, 0, 0)
		f.lines[1] = "x" + middle + "│ y"
		p.lines = nil
		_, _ = e.WriteString(p.paint(f))
		f.lines = []string{f.lines[0], "x" + strings.Repeat(" ", 40) + "│ y"}
		text := p.paint(f)
		_, _ = e.WriteString(text)
		compare(t, e, f, middle)
		expect.That(t, len(text) <= 20, middle, "is erased by", text)
	}
}

// BenchmarkStep is a step in a list, here and as Bubble Tea draws it.
func BenchmarkStep(b *testing.B) {
	const w, h = 120, 40
	frames := []frame{list(w, h, 0, 4), list(w, h, 0, 5)}
	b.Run("display", func(b *testing.B) {
		var p painter
		for i := 0; b.Loop(); i++ {
			p.paint(frames[i%2])
		}
	})
	b.Run("bubbletea", func(b *testing.B) {
		scr := uv.NewTerminalRenderer(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
		scr.SetFullscreen(true)
		scr.SetScrollOptim(true)
		cells := uv.NewScreenBuffer(w, h)
		for i := 0; b.Loop(); i++ {
			cells.Clear()
			uv.NewStyledString(strings.Join(frames[i%2].lines, "\n")).Draw(cells, cells.Bounds())
			scr.Render(cells.RenderBuffer)
			_ = scr.Flush()
		}
	})
}

// A sign of which terminals disagree how wide it is has its line written whole, unless the
// terminal said that it counts as is done here. What does not fit is not written into the next
// line, and what follows two blanks has its column. Of an accent written by itself they agree.
func TestUnsteadyWidth(t *testing.T) {
	t.Parallel()
	for _, clusters := range []bool{false, true} {
		var p painter
		f := frame{w: 20, h: 3, clusters: clusters, profile: colorprofile.TrueColor, lines: []string{"\x1b[41m1", "👨‍👩‍👧 family  1", "cafe\u0301 1"}}
		p.paint(f)
		f.lines = []string{"\x1b[41m2", "👨‍👩‍👧 family  2", "cafe\u0301 2"}
		want := "\x1b[1H\x1b[41m2\x1b[2H\x1b[m\x1b[?7l\x1b[K👨‍👩‍👧 family  \x1b[12G2\x1b[K\x1b[?7h"
		if clusters {
			want = "\x1b[1H\x1b[41m2\x1b[2;12H\x1b[m2"
		}
		expect.Equal(t, p.paint(f), want+"\x1b[3;6H2", "clusters", clusters)
	}
}

// drawnOn is a Display whose output the test reads.
func drawnOn(t *testing.T) (*Display, func() string) {
	t.Helper()
	r, w, err := os.Pipe()
	simtest.NoError(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	d := New(w, colorprofile.TrueColor, true, func(f func()) { f() })
	return d, func() string {
		t.Helper()
		_ = r.SetReadDeadline(time.Now().Add(10 * time.Second))
		b := make([]byte, 1<<16)
		n := simtest.Must(r.Read(b))(t)
		return string(b[:n])
	}
}

// The first frame is written when it is shown, whatever came before the size of
// the terminal was known, and however narrow that is.
func TestFirstFrameAtOnce(t *testing.T) {
	simtest.Bubble(t, func(t *testing.T) {
		d, _ := drawnOn(t)
		view := tea.View{AltScreen: true, Cursor: tea.NewCursor(2, 1)}
		d.Show(view, nil, "")
		_, _ = io.WriteString(d, "title")
		d.Observe(nil, tea.WindowSizeMsg{Width: 1, Height: 3})
		d.Show(view, []string{"boat"}, "")
		expect.Must(t, d.painter.lines != nil, "the first frame waits for a later one")
		asked := make(chan time.Time)
		d.Ask = func() { asked <- time.Now() } // and then has a view drawn
		for ago, wait := range map[time.Duration]time.Duration{time.Hour: 3 * time.Millisecond, 0: time.Second / 120} {
			now := time.Now()
			d.asked, d.waiting, d.drawn = false, false, now.Add(-ago)
			expect.Must(t, !d.Due() && d.waiting && !d.Due(), "a change does not wait for its consequences")
			expect.Equal(t, (<-asked).Sub(now), wait, "how long a change waits when the last frame was drawn", ago, "ago")
		}
	})
}

// What Bubble Tea writes stays in order with the frames, its own erasing left out.
func TestBubbleTeaWrites(t *testing.T) {
	t.Parallel()
	const enter, leave = ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor
	d, read := drawnOn(t)
	write := func(text string) string {
		t.Helper()
		expect.Equal(t, simtest.Must(io.WriteString(d, text))(t), len(text), "bytes written")
		return read()
	}
	says := func(got string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			_, after, found := strings.Cut(got, text)
			expect.Must(t, found, text, "is missing, or not in order", got)
			got = after
		}
	}
	d.Observe(nil, tea.WindowSizeMsg{Width: 20, Height: 3})
	shown := tea.View{AltScreen: true, Cursor: tea.NewCursor(2, 1)}
	v := d.Show(shown, []string{"boat", "harbour"}, "")
	expect.Must(t, v.Content == " " && v.Cursor == nil && v.AltScreen, "Bubble Tea is given", v)
	says(read(), enter, erasure, "boat", "harbour", "\x1b[3G", ansi.SetModeTextCursorEnable)
	d.drawn = time.Now().Add(time.Second / 5) // it is too soon for another one, however slow the test is
	d.Show(shown, []string{"boat", "pier"}, "")
	got := read() // by itself, a moment later
	expect.Contains(t, got, "pier", "the second frame")
	expect.Lacks(t, got, enter, "the second frame")
	drawn := d.drawn
	says(write("moved"), "moved", "\x1b[2;3H")
	expect.Equal(t, d.drawn, drawn, "what is not a frame delays the next one")
	got = write(enter + "title" + erasure)
	for _, text := range []string{"\x1b[?1049h", erasure, "boat"} {
		expect.Lacks(t, got, text, "it entered again")
	}
	says(write("wipe"+erasure), "wipe", erasure, "boat", "\x1b[3G") // by tea.ClearScreen
	d.Observe(nil, tea.WindowSizeMsg{Width: 10, Height: 2})
	got = write("size" + erasure)
	expect.That(t, strings.Count(got, erasure) <= 1, "erased twice for a size", got)
	expect.Equal(t, write("bye"+leave), hideCursor+"bye"+leave, "it leaves by")
	d.Show(tea.View{AltScreen: true}, []string{"unseen", "\x1b[4mlines that fill"}, "")
	expect.Equal(t, write("still outside"), "still outside", "drawn outside")
	expect.Contains(t, write(enter+erasure), "unseen", "nothing is drawn after the return")
	d.Restore()
	says(read(), ansi.ResetStyle, leave, ansi.SetModeTextCursorEnable)
	d.Show(shown, []string{"late"}, "")
	expect.That(t, !d.on, "it draws after the terminal was given back")
}
