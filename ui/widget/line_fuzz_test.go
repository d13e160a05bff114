package widget

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// TestLineKeepsItsInvariants edits a line at random: the text stays valid, the
// cursor stands between characters and inside its window, and undo and redo give
// exactly the texts there were.
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
