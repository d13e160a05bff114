package form

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// borders are the bytes at which a person's characters begin and end.
func borders(text string) []int {
	out := []int{0}
	for g := uniseg.NewGraphemes(text); g.Next(); {
		_, to := g.Positions()
		out = append(out, to)
	}
	return out
}

// cursorByte is the byte that the cursor stands before.
func (p *Prompt) cursorByte() int {
	n := 0
	for _, c := range p.b.clusters[:p.b.at] {
		n += len(c.Text)
	}
	return n
}

// fuzzUndo edits a prompt at random, each edit a step of its own, and takes all
// of it back and forth. It asks that the text stays valid, that the cursor
// stands between characters, that a token is never torn by backspace, and that
// undo and redo come by exactly the texts there were.
func fuzzUndo(t *testing.T, seed uint64, steps int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	p := NewPrompt("prompt", "Prompt", 5000)
	p.Marks = func(token string) Mark {
		if token == "【@图片1】" {
			return MarkToken
		}
		return MarkNone
	}
	check := func(did string) {
		t.Helper()
		text := p.Value()
		if !utf8.ValidString(text) {
			t.Fatalf("after %s the text is not valid UTF-8: %q", did, text)
		}
		if at := p.cursorByte(); !slices.Contains(borders(text), at) {
			t.Fatalf("after %s the cursor is in a character, at byte %d of %q", did, at, text)
		}
	}
	edits := []string{"backspace", "delete", "ctrl+w", "alt+d", "ctrl+u", "enter"}
	texts := []string{""}
	for range steps {
		p.b.run = editOther // as a movement does: the next edit is a step of its own
		did, tokens, before := "", strings.Count(p.Value(), "【@图片1】"), p.Value()
		switch n := r.IntN(10); {
		case n < 4:
			did = pieces[r.IntN(len(pieces))]
			p.paste(did)
		case n < 7:
			did = edits[r.IntN(len(edits))]
			from, to := p.b.selection()
			behind := strings.HasSuffix(p.Value()[:p.cursorByte()], "【@图片1】")
			p.key(press(did))
			if did == "backspace" && from == to && behind && p.Value() != before && strings.Count(p.Value(), "【@图片1】") != tokens-1 {
				t.Fatalf("backspace behind a token made %q of %q", p.Value(), before)
			}
		default:
			did = moves[r.IntN(len(moves))]
			if did == "alt+z" || did == "alt+y" {
				continue
			}
			p.key(press(did))
		}
		check(did)
		if now := p.Value(); now != texts[len(texts)-1] {
			texts = append(texts, now)
		}
	}
	travel := func(key string, want []string) {
		t.Helper()
		for _, text := range want {
			for before := p.Value(); p.Value() == before; {
				past, next := len(p.b.past), len(p.b.next)
				p.key(press(key))
				check(key)
				if len(p.b.past) == past && len(p.b.next) == next {
					t.Fatalf("%s ended at %q, want %q", key, p.Value(), text)
				}
			}
			if got := p.Value(); got != text {
				t.Fatalf("%s gives %q, want %q", key, got, text)
			}
		}
	}
	back := slices.Clone(texts[:len(texts)-1])
	slices.Reverse(back)
	travel("alt+z", back)
	travel("alt+y", texts[1:])
}

func TestUndoComesByEveryText(t *testing.T) {
	t.Parallel()
	for seed := range uint64(80) {
		fuzzUndo(t, seed, 100)
	}
}

func FuzzUndo(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, 100)
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps int) { fuzzUndo(t, seed, steps%60) })
}
