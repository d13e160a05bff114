package widget

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

func TestPickerMovesWithinItsRows(t *testing.T) {
	t.Parallel()
	var p Picker
	_, ok := p.Selected()
	expect.That(t, !ok && p.Below() == 0, "an empty picker has a row selected")
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
		expect.That(t, ok, i, "no row is selected")
		expect.Equal(t, [3]int{at, p.top, p.Below()}, [3]int{c.at, c.top, c.reported}, i, "after", c.key)
	}
	p.Select(9)
	p.SetWindow(3, 8)
	expect.Equal(t, p.top, 2, "the first row of a higher window")
	p.SetRows(2)
	at, ok := p.Selected()
	expect.That(t, at == 0 && ok, "of other rows number", at, "is selected")
	// While something is typed, letters, home and end belong to the line.
	for _, key := range []string{"j", "k", "g", "G", "home", "end", "left"} {
		expect.That(t, action.Find(p.Actions(true), key) == nil, key, "is a key of the list")
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
		row, ok := p.RowAt(y)
		expect.That(t, ok == (want >= 0) && (!ok || row == want), "line", y, "is row", row, ok, "want", want)
	}
	before := p
	expect.That(t, !p.Update(tea.PasteMsg{}) && !p.Update(msg.ClickMsg{Y: 1}) && p == before, "what is not its own changes it")
	expect.That(t, p.Update(msg.ClickMsg{X: 7, Y: 4}) && shown() == "0 false|1 false|2 true", "a click does not select its row:", shown())
	expect.That(t, !p.Update(msg.WheelMsg{By: 1}), "the wheel chooses a row")
	expect.Equal(t, shown(), "1 false|2 false|3 true", "after the wheel")
	p.SetRows(1)
	expect.Equal(t, shown(), "0 true||")
	p.Each = 2
	p.SetRows(9)
	p.SetWindow(2, 5)
	action.Find(p.Actions(false), "pgdown").Handler()
	expect.Equal(t, shown(), "1 false||2 true||", "after a page of rows of two lines")
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
	f.Editing = true
	other.Editing = true
	early, late := typeInto(&f, "k"), typeInto(&f, "oi")
	typeInto(&other, "koi")
	first, last := early().(FilterDueMsg), late().(FilterDueMsg)
	expect.Equal(t, [3]bool{f.Due(first), f.Due(last), other.Due(last)}, [3]bool{1: true}, "due for the first key, the last, another filter's")
	f.Reset()
	expect.That(t, !f.Due(last) && f.Text() == "" && !f.Editing, "after a reset it holds", f.Text(), "or is due, or edited")
}

func TestAFilterStandsInTheTitle(t *testing.T) {
	t.Parallel()
	var f Filter
	expect.Equal(t, f.Title(60, "Jobs"), "Jobs", "the title, unused")
	expect.That(t, f.Cursor(60) == nil, "it has a cursor, unused")
	f.Editing = true
	typeInto(&f, "纸船")
	got, c := f.Title(60, "Jobs"), f.Cursor(60)
	expect.That(t, got == "/ 纸船" && c != nil && c.X == 9, "title", got, "cursor", c)
	cmd, taken := f.Edit(context.Background(), tea.KeyPressMsg{Code: tea.KeyLeft})
	expect.That(t, cmd == nil && taken, "moving the cursor asks for the list, or is not taken")
	f.Edit(context.Background(), tea.KeyPressMsg{Code: tea.KeyEnter})
	expect.That(t, !f.Editing && f.Title(60, "Jobs") == "/ 纸船", "after enter: edited", f.Editing, "title", f.Title(60, "Jobs"))
}

func TestScrollStaysWithinItsText(t *testing.T) {
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("line %d 雪", i))
	}
	var s Scroll
	s.By(3)
	expect.That(t, s.Lines() == nil && s.Below() == 0 && s.Offset() == 0, "an empty text has lines")
	s.SetSize(12, 4)
	s.SetLines(lines)
	shown := func() string { return strings.TrimSpace(strings.Split(strings.Join(s.Lines(), "|"), "|")[0]) }
	for _, c := range [][2]int{{0, 0}, {2, 2}, {100, 6}, {1, 6}, {-100, 0}, {-1, 0}, {5, 5}} { // by, then first
		s.By(c[0])
		expect.Equal(t, shown(), lines[c[1]], "the first line, by", c[0])
		expect.Equal(t, [2]int{s.Below(), len(s.Lines())}, [2]int{6 - c[1], 4}, "below and in view, by", c[0])
	}
	s.SetLines(lines[:5])
	expect.That(t, s.Offset() == 1 && s.Below() == 0, "a shorter text", s.Offset(), "above", s.Below(), "below")
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
	got := Pretty([]byte("[" + strings.Repeat("1,", 4<<20) + "1]"))
	expect.That(t, !strings.Contains(got, "\n") && len(got) <= 70_000, "all of a large answer is read for", len(got), "bytes")
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
				var lines []string
				least = min(least, float64(simtest.Allocated(func() { lines = r.Write(60) })))
				for _, line := range lines {
					expect.Must(t, theme.Width(line) <= 60, unit, "a line of", theme.Width(line), "cells, want at most 60", line)
				}
			}
			return least
		}
		small, large := allocated(4<<10), allocated(16<<10)
		expect.That(t, large <= 6*small, unit, "16 KiB take", large/small, "times the memory of 4 KiB, want about 4")
	}
}

func TestReaderBeginsValuesBehindTheirLabels(t *testing.T) {
	lines := NewReader(nil, "t", "ID    x\n地址  "+strings.Repeat("u", 40)).Write(30)
	expect.List(t, lines, []string{"ID    x", "地址  " + strings.Repeat("u", 24), "      " + strings.Repeat("u", 16)})
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
		expect.Equal(t, l.Text(), c.text, c.name)
		expect.Equal(t, l.Column(), c.column, c.name, "the cursor")
	}
}

func TestLineTakesWhatIsAllowed(t *testing.T) {
	var l Line
	l.Insert("a\r\nb\rc\td\x1b[31m")
	got := l.Text()
	expect.That(t, strings.HasPrefix(got, "a b c d") && !strings.ContainsAny(got, "\r\n\t\x1b"), got)
	l.Set(strings.Repeat("雪", maxLine+5))
	expect.Equal(t, len([]rune(l.Text())), maxLine, "characters")
	expect.That(t, len([]rune(l.Window(10))) <= 5, "window", l.Window(10))
	l = Line{Allow: func(r rune) bool { return r >= '0' && r <= '9' }, Limit: 5}
	l.Insert("12a3\r\n4567")
	press(&l, tea.KeyPressMsg{Code: 'x', Text: "x"})
	expect.Equal(t, l.Text(), "12345")
	l = Line{Unseen: true}
	l.Insert("ak_雪")
	expect.Equal(t, l.Window(9)+" "+l.Window(3), "•••• ••", "shown, and in a window of 3 cells")
	expect.Equal(t, l.Column(), 4, "the cursor")
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
	expect.That(t, key.Text() == "ak_" && len(key.past) == 0, "the key is remembered", key.Text(), len(key.past))
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
		expect.That(t, at == shown && at < w, "in", w, "cells the cursor is at", at, "after", shown, "cells of text")
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
			expect.Must(t, l.Text() == before, "undo of", after, "gives", l.Text(), "want", before)
			intactLine(t, &l)
			press(&l, alt('y'))
			expect.Must(t, l.Text() == after, "redo gives", l.Text(), "want", after)
		}
	}
}

func intactLine(t *testing.T, l *Line) {
	t.Helper()
	text := l.Text()
	expect.Must(t, utf8.ValidString(text), "the text is not valid UTF-8", text)
	borders, n := []int{0}, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		n += len(g.Runes())
		borders = append(borders, n)
	}
	at := l.input.Position()
	expect.Must(t, slices.Contains(borders, at), "the cursor is in a character, at", at, "of", text)
	expect.Must(t, ansi.StringWidth(l.Window(12)) <= 12, "the window is wider than 12 cells", l.Window(12))
	x := l.Column() - l.Offset(12)
	expect.Must(t, x >= 0 && x < 12, "the cursor is at", x, "of 12 in", text)
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
		{"👨‍👩‍👧👨‍👩‍👧", 3, []string{"👨‍👩‍👧", "👨‍👩‍👧"}}, {"1️⃣1️⃣", 3, []string{"1️⃣", "1️⃣"}},
		{"雪", 1, []string{"雪", ""}},
	} {
		expect.List(t, Wrap(c.text, c.width), c.want, "Wrap", c.text, c.width)
	}
	for _, line := range Wrap(strings.Repeat("纸船 drifts，（下）。", 30), 17) {
		expect.That(t, ansi.StringWidth(line) <= 17, "more than 17 cells in", line)
	}
}
