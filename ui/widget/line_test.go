package widget

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

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

func TestLineTakesAPasteAsOneLine(t *testing.T) {
	var l Line
	l.Insert("a\r\nb\rc\td\x1b[31m")
	if got := l.Text(); !strings.HasPrefix(got, "a b c d") || strings.ContainsAny(got, "\r\n\t\x1b") {
		t.Errorf("%q", got)
	}
	l.Set(strings.Repeat("雪", maxLine+5))
	if n := len([]rune(l.Text())); n != maxLine {
		t.Errorf("%d characters, want %d", n, maxLine)
	}
	if w := l.Window(10); len([]rune(w)) > 5 {
		t.Errorf("window %q", w)
	}
}

func TestAnUnseenLineShowsDots(t *testing.T) {
	l := Line{Unseen: true}
	l.Insert("ak_雪")
	if l.Shown() != "••••" || l.Column() != 4 || l.Window(3) != "••" {
		t.Errorf("%q, column %d, window %q", l.Shown(), l.Column(), l.Window(3))
	}
	if l.Edit(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}) {
		t.Error("alt+x was taken for text")
	}
}

func TestLineUndoesAndRedoes(t *testing.T) {
	undo, redo := tea.KeyPressMsg{Code: 'z', Mod: tea.ModAlt}, tea.KeyPressMsg{Code: 'y', Mod: tea.ModAlt}
	var l Line
	l.Set("start ")
	for _, r := range "two words" {
		press(&l, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	press(&l, home, eraseWord, end, eraseWord)
	for _, want := range []string{"start two words", "start two ", "start ", "start "} {
		press(&l, undo)
		if l.Text() != want {
			t.Errorf("undone to %q, want %q", l.Text(), want)
		}
	}
	for _, want := range []string{"start two ", "start two words", "start two ", "start two "} {
		press(&l, redo)
		if l.Text() != want {
			t.Errorf("redone to %q, want %q", l.Text(), want)
		}
	}
	press(&l, undo)
	l.Insert("x")
	press(&l, redo)
	if l.Text() != "start two wordsx" {
		t.Errorf("an edit left something to redo: %q", l.Text())
	}
	key := Line{Unseen: true}
	key.Insert("ak_1")
	press(&key, backspace, undo)
	if key.Text() != "ak_" || len(key.past) != 0 {
		t.Errorf("the key is remembered: %q, %d", key.Text(), len(key.past))
	}
}

func TestLineTakesWhatIsAllowed(t *testing.T) {
	l := Line{Allow: func(r rune) bool { return r >= '0' && r <= '9' }, Limit: 5}
	l.Insert("12a3\r\n4567")
	press(&l, tea.KeyPressMsg{Code: 'x', Text: "x"})
	if l.Text() != "12345" {
		t.Errorf("%q", l.Text())
	}
}

func TestLinePlacesTheCursorByCells(t *testing.T) {
	var l Line
	l.Set("雪x中" + strings.Repeat("雪", 10))
	for cell, want := range []int{0, 0, 2, 3, 3, 5} {
		if l.Place(cell); l.Column() != want {
			t.Errorf("placed at cell %d, the cursor is at %d, want %d", cell, l.Column(), want)
		}
	}
	if l.Place(99); l.Column() != 25 {
		t.Errorf("behind the end, the cursor is at %d", l.Column())
	}
	for w := 3; w < 12; w++ {
		at, shown := l.Column()-l.Offset(w), ansi.StringWidth(l.Window(w))
		if at != shown || at >= w {
			t.Errorf("in %d cells the cursor is at %d after %d cells of text", w, at, shown)
		}
	}
}
