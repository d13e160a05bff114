package widget

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

func TestPickerMovesWithinItsRows(t *testing.T) {
	t.Parallel()
	var p Picker
	if _, ok := p.Selected(); ok || p.Below() != 0 {
		t.Error("an empty picker has a row selected")
	}
	p.SetRows(10)
	p.SetWindow(3, 4)
	keys := p.Actions(false)
	for i, c := range []struct {
		key      string
		at, top  int
		reported int // rows below
	}{
		{"up", 0, 0, 6}, {"down", 1, 0, 6}, {"pgdown", 5, 2, 4}, {"j", 6, 3, 3}, {"G", 9, 6, 0}, {"down", 9, 6, 0},
		{"pgup", 5, 5, 1}, {"k", 4, 4, 2}, {"home", 0, 0, 6}, {"end", 9, 6, 0}, {"g", 0, 0, 6}, {"ctrl+n", 1, 0, 6}, {"ctrl+p", 0, 0, 6},
	} {
		action.Find(keys, c.key).Handler()
		at, ok := p.Selected()
		if !ok || at != c.at || p.top != c.top || p.Below() != c.reported {
			t.Fatalf("%d: after %s row %d is selected, %d the first, %d below; want %+v", i, c.key, at, p.top, p.Below(), c)
		}
	}
	p.Select(9)
	p.SetWindow(3, 8)
	expect.Equal(t, p.top, 2, "the first row of a higher window")
	p.SetRows(2)
	if at, ok := p.Selected(); at != 0 || !ok {
		t.Errorf("of other rows number %d is selected", at)
	}
	// While something is typed, letters, home and end belong to the line.
	for _, key := range []string{"j", "k", "g", "G", "home", "end", "left"} {
		if a := action.Find(p.Actions(true), key); a != nil {
			t.Errorf("%s is %s", key, a.Name)
		}
	}
}

func TestPickerDrawsItsWindowAndKnowsTheMouse(t *testing.T) {
	t.Parallel()
	var p Picker
	p.SetRows(5)
	p.SetWindow(2, 3)
	shown := func() string {
		return strings.Join(p.Lines(func(row int, selected bool) string { return fmt.Sprint(row, selected) }), "|")
	}
	expect.Equal(t, shown(), "0 true|1 false|2 false")
	for y, want := range map[int]int{1: -1, 2: 0, 4: 2, 5: -1} {
		if row, ok := p.RowAt(y); ok != (want >= 0) || ok && row != want {
			t.Errorf("line %d is row %d, %t; want %d", y, row, ok, want)
		}
	}
	before := p
	if p.Update(tea.PasteMsg{}) || p.Update(msg.ClickMsg{Y: 1}) || p != before {
		t.Error("what is not its own changes it")
	}
	if !p.Update(msg.ClickMsg{X: 7, Y: 4}) || shown() != "0 false|1 false|2 true" {
		t.Error("a click does not select its row:", shown())
	}
	if p.Update(msg.WheelMsg{By: 1}) || shown() != "1 false|2 false|3 true" {
		t.Error("the wheel does not move the selection:", shown())
	}
	p.SetRows(1)
	expect.Equal(t, shown(), "0 true||")
}

func typeInto(f *Filter, text string) (last tea.Cmd) {
	for _, r := range text {
		last, _ = f.Edit(context.Background(), tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return last
}

func TestAFilterIsDueForItsLastTextAlone(t *testing.T) {
	t.Parallel()
	var f, other Filter
	f.Start()
	other.Start()
	early, late := typeInto(&f, "k"), typeInto(&f, "oi")
	typeInto(&other, "koi")
	first, last := early().(FilterDueMsg), late().(FilterDueMsg)
	if f.Due(first) || !f.Due(last) || other.Due(last) {
		t.Errorf("due for the first key: %v, for the last: %v, for another filter's: %v", f.Due(first), f.Due(last), other.Due(last))
	}
	f.Reset()
	if f.Due(last) || f.Text() != "" || f.Editing() {
		t.Errorf("after a reset it is due: %v, holds %q, is edited: %v", f.Due(last), f.Text(), f.Editing())
	}
}

func TestAFilterStandsInTheTitle(t *testing.T) {
	t.Parallel()
	var f Filter
	if got := f.Title(60, "Jobs"); got != "Jobs" || f.Cursor(60) != nil {
		t.Errorf("unused, its title is %q", got)
	}
	f.Start()
	typeInto(&f, "纸船")
	if got, c := f.Title(60, "Jobs"), f.Cursor(60); got != "/ 纸船" || c == nil || c.X != 9 {
		t.Errorf("title %q, cursor %v", got, c)
	}
	if cmd, taken := f.Edit(context.Background(), tea.KeyPressMsg{Code: tea.KeyLeft}); cmd != nil || !taken {
		t.Error("moving the cursor asks for the list, or is not taken")
	}
	f.Edit(context.Background(), tea.KeyPressMsg{Code: tea.KeyEnter})
	if f.Editing() || f.Title(60, "Jobs") != "/ 纸船" {
		t.Errorf("after enter: edited %v, title %q", f.Editing(), f.Title(60, "Jobs"))
	}
}

func TestScrollStaysWithinItsText(t *testing.T) {
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("line %d 雪", i))
	}
	var s Scroll
	if s.By(3); s.Lines() != nil || s.Below() != 0 || s.Offset() != 0 {
		t.Error("an empty text has lines")
	}
	s.SetSize(12, 4)
	s.SetLines(lines)
	shown := func() string { return strings.TrimSpace(strings.Split(strings.Join(s.Lines(), "|"), "|")[0]) }
	for _, c := range [][2]int{{0, 0}, {2, 2}, {100, 6}, {1, 6}, {-100, 0}, {-1, 0}, {5, 5}} { // by, then first
		if s.By(c[0]); shown() != lines[c[1]] || s.Below() != 6-c[1] || len(s.Lines()) != 4 {
			t.Errorf("by %d: first %q, %d below, %d lines", c[0], shown(), s.Below(), len(s.Lines()))
		}
	}
	s.SetLines(lines[:5])
	if s.Offset() != 1 || s.Below() != 0 {
		t.Errorf("a shorter text: %d above, %d below", s.Offset(), s.Below())
	}
	s.SetSize(12, 5)
	expect.Equal(t, s.Offset(), 0, "lines above a higher window")
	s.SetSize(12, 9)
	expect.Equal(t, len(s.Lines()), 5, "lines of a window higher than the text")
	s.SetSize(10, 4)
	s.SetLines(make([]string, 20))
	for i, c := range []struct {
		key string
		top int
	}{{"j", 1}, {"down", 2}, {"pgdown", 5}, {"k", 4}, {"up", 3}, {"pgup", 0}, {"G", 16}, {"home", 0}, {"end", 16}, {"g", 0}, {"space", 3}} {
		action.Find(s.Actions(), c.key).Handler()
		expect.Equal(t, s.Offset(), c.top, i, "after", c.key, "lines are above")
	}
	s.SetLines(make([]string, 3))
	expect.That(t, !s.Actions()[0].Offered(), "a text that fits is said to scroll")
	if got := Pretty([]byte("[" + strings.Repeat("1,", 4<<20) + "1]")); strings.Contains(got, "\n") || len(got) > 70_000 {
		t.Errorf("all of a large answer is read for %d bytes", len(got))
	}
}

func press(l *Line, keys ...tea.KeyPressMsg) {
	for _, k := range keys {
		l.Edit(k)
	}
}

var (
	left      = tea.KeyPressMsg{Code: tea.KeyLeft}
	right     = tea.KeyPressMsg{Code: tea.KeyRight}
	backspace = tea.KeyPressMsg{Code: tea.KeyBackspace}
	del       = tea.KeyPressMsg{Code: tea.KeyDelete}
	home      = tea.KeyPressMsg{Code: tea.KeyHome}
	end       = tea.KeyPressMsg{Code: tea.KeyEnd}
	eraseWord = tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl}
	eraseLine = tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}
)

// TestReaderWrapsInLinearTime: four times the text takes about four times the memory,
// whatever the text is; a window stands still while a reader wraps.
func TestReaderWrapsInLinearTime(t *testing.T) {
	for _, unit := range []string{"x", "a b ", "  key  value ", "\x1b[31mred\x1b[m ", "汉字", "é-"} {
		allocated := func(size int) float64 {
			least := math.Inf(1)
			for range 5 { // whatever else runs in this process allocates too
				r := NewReader(nil, "t", strings.Repeat(unit, size/len(unit)))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				lines := r.Write(60)
				runtime.ReadMemStats(&after)
				for _, line := range lines {
					if theme.Width(line) > 60 {
						t.Fatalf("%q: a line of %d cells, want at most 60: %q", unit, theme.Width(line), line)
					}
				}
				least = min(least, float64(after.TotalAlloc-before.TotalAlloc))
			}
			return least
		}
		if small, large := allocated(4<<10), allocated(16<<10); large > 6*small {
			t.Errorf("%q: 16 KiB take %.1f times the memory of 4 KiB, want about 4", unit, large/small)
		}
	}
}

func TestLineKeepsClustersWhole(t *testing.T) {
	const family, flag, accent = "👨‍👩‍👧", "🇨🇳", "e\u0301"
	for _, c := range []struct {
		name   string
		start  string
		keys   []tea.KeyPressMsg
		text   string
		column int
	}{
		{"backspace takes a family", "a" + family, []tea.KeyPressMsg{backspace}, "a", 1},
		{"backspace takes a flag", flag + flag, []tea.KeyPressMsg{backspace}, flag, 2},
		{"backspace takes letter and accent", "x" + accent, []tea.KeyPressMsg{backspace}, "x", 1},
		{"delete takes a family", family + "b", []tea.KeyPressMsg{home, del}, "b", 0},
		{"left passes a family", "a" + family + "b", []tea.KeyPressMsg{left, left}, "a" + family + "b", 1},
		{"right passes a family", "a" + family + "b", []tea.KeyPressMsg{home, right, right}, "a" + family + "b", 3},
		{"wide characters take two cells", "雪中", []tea.KeyPressMsg{left}, "雪中", 2},
		{"ends", "雪中", []tea.KeyPressMsg{home, left, backspace, end, right, del}, "雪中", 4},
		{"a word goes", "one two  ", []tea.KeyPressMsg{eraseWord}, "one ", 4},
		{"all before the cursor goes", "one two", []tea.KeyPressMsg{left, left, eraseLine}, "wo", 0},
	} {
		var l Line
		l.Set(c.start)
		press(&l, c.keys...)
		if l.Text() != c.text || l.Column() != c.column {
			t.Errorf("%s: %q with the cursor at %d, want %q at %d", c.name, l.Text(), l.Column(), c.text, c.column)
		}
	}
}

func TestLineTakesWhatIsAllowed(t *testing.T) {
	var l Line
	l.Insert("a\r\nb\rc\td\x1b[31m")
	if got := l.Text(); !strings.HasPrefix(got, "a b c d") || strings.ContainsAny(got, "\r\n\t\x1b") {
		t.Errorf("%q", got)
	}
	l.Set(strings.Repeat("雪", maxLine+5))
	expect.Equal(t, len([]rune(l.Text())), maxLine, "characters")
	if w := l.Window(10); len([]rune(w)) > 5 {
		t.Errorf("window %q", w)
	}
	l = Line{Allow: func(r rune) bool { return r >= '0' && r <= '9' }, Limit: 5}
	l.Insert("12a3\r\n4567")
	press(&l, tea.KeyPressMsg{Code: 'x', Text: "x"})
	expect.Equal(t, l.Text(), "12345")
	l = Line{Unseen: true}
	l.Insert("ak_雪")
	if l.Shown() != "••••" || l.Column() != 4 || l.Window(3) != "••" {
		t.Errorf("%q, column %d, window %q", l.Shown(), l.Column(), l.Window(3))
	}
	expect.That(t, !l.Edit(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}), "alt+x was taken for text")
}

func TestLineUndoesAndRedoes(t *testing.T) {
	undo, redo := tea.KeyPressMsg{Code: 'z', Mod: tea.ModAlt}, tea.KeyPressMsg{Code: 'y', Mod: tea.ModAlt}
	var l Line
	l.Set("start ")
	for _, r := range "two words" {
		press(&l, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	press(&l, home, eraseWord, end, eraseWord)
	for i, want := range []string{"start two words", "start two ", "start ", "start ",
		"start two ", "start two words", "start two ", "start two "} {
		press(&l, []tea.KeyPressMsg{undo, redo}[i/4])
		expect.Equal(t, l.Text(), want, "step", i)
	}
	press(&l, undo)
	l.Insert("x")
	press(&l, redo)
	expect.Equal(t, l.Text(), "start two wordsx", "an edit left something to redo")
	key := Line{Unseen: true}
	key.Insert("ak_1")
	press(&key, backspace, undo)
	if key.Text() != "ak_" || len(key.past) != 0 {
		t.Errorf("the key is remembered: %q, %d", key.Text(), len(key.past))
	}
}

func TestLinePlacesTheCursorByCells(t *testing.T) {
	var l Line
	l.Set("雪x中" + strings.Repeat("雪", 10))
	for cell, want := range []int{0, 0, 2, 3, 3, 5} {
		l.Place(cell)
		expect.Equal(t, l.Column(), want, "placed at cell", cell, "the cursor is at")
	}
	l.Place(99)
	expect.Equal(t, l.Column(), 25, "behind the end, the cursor is at")
	for w := 3; w < 12; w++ {
		at, shown := l.Column()-l.Offset(w), ansi.StringWidth(l.Window(w))
		if at != shown || at >= w {
			t.Errorf("in %d cells the cursor is at %d after %d cells of text", w, at, shown)
		}
	}
}

// TestLineKeepsItsInvariants edits a line at random: the text stays valid, the cursor stands between characters and
// inside its window, and undo and redo give exactly the texts there were.
func TestLineKeepsItsInvariants(t *testing.T) {
	pieces := []string{"a", "boat ", "船", "纸船，", "é", "e", "\u0301", "👨‍👩‍👧‍👦", "🇩🇪", "🇩", "각", "\r\n", "\x1b[31m", "\xff", "https://a.example/b.png"}
	alt := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModAlt} }
	keys := []tea.KeyPressMsg{left, right, home, end, backspace, del, eraseWord, eraseLine, alt('b'), alt('f'), alt('d')}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		var l Line
		for range 120 {
			before := l.Text()
			if r.IntN(2) == 0 {
				l.Place(r.IntN(40))
				l.Insert(pieces[r.IntN(len(pieces))])
			} else {
				press(&l, keys[r.IntN(len(keys))])
			}
			after := l.Text()
			intactLine(t, &l)
			if before == after {
				continue
			}
			press(&l, left, alt('z'))
			if l.Text() != before {
				t.Fatalf("undo of %q gives %q, want %q", after, l.Text(), before)
			}
			intactLine(t, &l)
			if press(&l, alt('y')); l.Text() != after {
				t.Fatalf("redo gives %q, want %q", l.Text(), after)
			}
		}
	}
}

func intactLine(t *testing.T, l *Line) {
	t.Helper()
	text := l.Text()
	if !utf8.ValidString(text) {
		t.Fatalf("the text is not valid UTF-8: %q", text)
	}
	borders, n := []int{0}, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		n += len(g.Runes())
		borders = append(borders, n)
	}
	if at := l.input.Position(); !slices.Contains(borders, at) {
		t.Fatalf("the cursor is in a character, at %d of %q", at, text)
	}
	if w := ansi.StringWidth(l.Window(12)); w > 12 {
		t.Fatalf("the window is %d cells wide", w)
	}
	if x := l.Column() - l.Offset(12); x < 0 || x >= 12 {
		t.Fatalf("the cursor is at %d of 12 in %q", x, text)
	}
}

func TestWrapKeepsWordsClustersAndPunctuationWhole(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"a paper boat drifts", 10, []string{"a paper", "boat", "drifts"}}, {"boat纸船", 6, []string{"boat纸", "船"}},
		{"纸船顺流而下，很远。", 12, []string{"纸船顺流而", "下，很远。"}}, {"（纸船）顺流", 7, []string{"（纸", "船）顺", "流"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}}, {"a wide-angle lens", 10, []string{"a", "wide-angle", "lens"}},
		{"use damaged-20260301", 9, []string{"use", "damaged-", "20260301"}}, {"use --new-store", 11, []string{"use", "--new-store"}},
		{"one\r\n\ntwo", 8, []string{"one", "", "two"}},
		{"👨‍👩‍👧👨‍👩‍👧", 3, []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
		{"雪", 1, []string{"雪", ""}},
	} {
		expect.List(t, Wrap(c.text, c.width), c.want, "Wrap", c.text, c.width)
	}
	for _, line := range Wrap(strings.Repeat("纸船 drifts，（下）。", 30), 17) {
		if n := ansi.StringWidth(line); n > 17 {
			t.Errorf("%d cells in %q", n, line)
		}
	}
}
