package widget

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
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

func BenchmarkLineKey(b *testing.B) {
	var l Line
	l.Set("a filter with some words 雪")
	x := tea.KeyPressMsg{Code: 'x', Text: "x"}
	for b.Loop() {
		l.Edit(x)
		_ = l.Window(40)
		l.Edit(backspace)
	}
}
