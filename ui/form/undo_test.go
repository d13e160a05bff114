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

const tokenText = "【@图片1】"

// travel undoes or does again, as the form does for the key, and reports
// whether there was anything to do.
func travel(p *Prompt, key string) bool {
	do := p.history.undo
	if key == "alt+y" {
		do = p.history.redo
	}
	changed := do()
	for _, field := range changed {
		field.core().Edited()
		p.goal = -1
		p.follow()
	}
	return len(changed) > 0
}

// undoing edits a prompt at random, each edit a step of its own.
type undoing struct {
	*testing.T
	*Prompt
	r *rand.Rand
}

// check asks that the text is valid and the cursor between characters.
func (u undoing) check(did string) {
	u.Helper()
	text := u.Value()
	if !utf8.ValidString(text) {
		u.Fatalf("after %s the text is not valid UTF-8: %q", did, text)
	}
	if at := u.cursorByte(); !slices.Contains(borders(text), at) {
		u.Fatalf("after %s the cursor is in a character, at byte %d of %q", did, at, text)
	}
}

func (u undoing) step() {
	u.b.run = editOther // as a movement does: the next edit is a step of its own
	did := ""
	switch n := u.r.IntN(10); {
	case n < 4:
		did = pieces[u.r.IntN(len(pieces))]
		u.paste(did)
	case n == 4:
		did = "backspace"
		u.backspace()
	case n < 7:
		edits := []string{"delete", "ctrl+w", "alt+d", "ctrl+u", "enter"}
		did = edits[u.r.IntN(len(edits))]
		u.key(press(did))
	default:
		did = moves[u.r.IntN(len(moves))]
		if did != "alt+z" && did != "alt+y" {
			u.key(press(did))
		}
	}
	u.check(did)
}

// backspace asks that a token before the cursor goes as a whole.
func (u undoing) backspace() {
	before, at := u.Value(), u.cursorByte()
	from, to := u.b.selection()
	u.key(press("backspace"))
	rest, behind := strings.CutSuffix(before[:at], tokenText)
	if want := rest + before[at:]; behind && from == to && u.Value() != want {
		u.Fatalf("backspace behind a token made %q of %q", u.Value(), before)
	}
}

// travel presses a key until the text has been each of those wanted.
func (u undoing) travel(key string, want []string) {
	u.Helper()
	for _, text := range want {
		for before := u.Value(); u.Value() == before; {
			done := travel(u.Prompt, key)
			u.check(key)
			if !done {
				u.Fatalf("%s ended at %q, want %q", key, u.Value(), text)
			}
		}
		if got := u.Value(); got != text {
			u.Fatalf("%s gives %q, want %q", key, got, text)
		}
	}
}

// fuzzUndo asks that undo and redo come by exactly the texts there were.
func fuzzUndo(t *testing.T, seed uint64, steps int) {
	t.Helper()
	u := undoing{t, NewPrompt("prompt", "Prompt", 5000), rand.New(rand.NewPCG(seed, 11))}
	u.Marks = func(token string) Mark {
		if token == tokenText {
			return MarkToken
		}
		return MarkNone
	}
	texts := []string{""}
	for range steps {
		if u.step(); u.Value() != texts[len(texts)-1] {
			texts = append(texts, u.Value())
		}
	}
	back := slices.Clone(texts[:len(texts)-1])
	slices.Reverse(back)
	u.travel("alt+z", back)
	u.travel("alt+y", texts[1:])
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
