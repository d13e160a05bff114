package form

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/rivo/uniseg"

	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/widget"
)

// pieces are what the fuzzers type: text whose characters grow together.
var pieces = []string{
	"a", "boat", " ", "  ", "\n", "船", "纸船顺流而下", "，", "。", "【@图片1】", "【", "】", "é", "e", "\u0301", "👨‍👩‍👧‍👦", "👩", "\u200d",
	"🇩🇪", "🇩", "각", "ᄀ", "ᅡ", "\r\n", "\u202e", "\x1b[31m", "\ufeff", "क्षि", "\xff", "Ａ", "supercalifragilistic-expialidocious-word-that-is-long",
}

func intact(t *testing.T, p *Prompt) {
	t.Helper()
	text := p.Value()
	expect.Must(t, utf8.ValidString(text), "not valid", text)
	expect.Must(t, !strings.ContainsAny(text, "\r\x1b\u202e\ufeff"), "text that should be left out came in", text)
	expect.Must(t, p.at >= 0 && p.at <= len(p.clusters), "cursor", p.at, "in", len(p.clusters), "characters")
	expect.Must(t, p.anchor <= len(p.clusters), "anchor", p.anchor, "in", len(p.clusters), "characters")
	if long := slices.ContainsFunc(p.clusters, func(g widget.Cluster) bool { return g.Runes > 8 }); !long {
		var want []string
		for g := uniseg.NewGraphemes(text); g.Next(); {
			want = append(want, g.Str())
		}
		same := slices.EqualFunc(p.clusters, want, func(g widget.Cluster, s string) bool { return g.Text == s })
		expect.Must(t, same, "characters are", p.clusters, "want", want)
	}
	var whole widget.Lines
	whole.Wrap(p.clusters, p.wrap.Width())
	expect.List(t, starts(&p.wrap), starts(&whole), "wrapped piece by piece, not at once", text)
	for l := range p.wrap.Len() {
		from, to, _ := p.wrap.Span(p.clusters, l)
		n := widget.Cells(p.clusters[from:to])
		expect.Must(t, n <= p.wrap.Width()+1, "line", l, "takes", n, "cells of", p.wrap.Width(), text)
	}
}

// starts is where the lines begin.
func starts(w *widget.Lines) []int {
	out := make([]int, w.Len())
	for i := range out {
		out[i] = w.Start(i)
	}
	return out
}

// press is the key of a name, such as "shift+left" or "船".
func press(s string) tea.KeyPressMsg {
	named := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": ' ',
	}
	var k tea.KeyPressMsg
	for name, mod := range map[string]tea.KeyMod{"shift+": tea.ModShift, "ctrl+": tea.ModCtrl, "alt+": tea.ModAlt} {
		if rest := strings.Replace(s, name, "", 1); rest != s {
			s, k.Mod = rest, k.Mod|mod
		}
	}
	code, ok := named[s]
	if k.Code = code; !ok {
		k.Code, _ = utf8.DecodeRuneInString(s)
	}
	if k.Mod == 0 && (!ok || s == "space") {
		k.Text = string(k.Code)
	}
	return k
}

var moves = []string{
	"left", "right", "up", "down", "home", "end", "pgup", "pgdown", "backspace", "delete", "enter", "ctrl+left", "ctrl+right",
	"shift+left", "shift+right", "shift+up", "shift+down", "ctrl+w", "ctrl+u", "alt+d", "ctrl+a",
}

const tokenText = "【@图片1】"

func newMarked() *Prompt {
	p := NewPrompt("prompt", "Prompt", 5000)
	p.Marks = func(token string) Mark { return map[string]Mark{tokenText: MarkToken}[token] }
	return p
}

// travel undoes or does again, as a form does for the key, and reports whether there was anything to do.
func travel(p *Prompt, key string) bool {
	none := func() []Problem { return nil }
	f := &Form{look: look(), fields: []Field{p}, focus: p, prompt: p, rules: none, width: 60, height: 20, history: *p.history}
	before := len(f.history.past)
	f.travel(key)
	*p.history = f.history
	return len(f.history.past) != before
}

// pass presses a key until the text has been each of those wanted.
func pass(t *testing.T, p *Prompt, key string, want []string) {
	t.Helper()
	for _, text := range want {
		for before := p.Value(); p.Value() == before; {
			expect.Must(t, travel(p, key), key, "ended at", p.Value(), "want", text)
			intact(t, p)
		}
		expect.Must(t, p.Value() == text, key, "gives", p.Value(), "want", text)
	}
}

// fuzzPrompt edits at random, each edit a step of its own, and asks that the text stays
// whole, a token goes as a whole, and undo and redo come by exactly the texts there were.
func fuzzPrompt(t *testing.T, seed uint64, steps int) {
	r := rand.New(rand.NewPCG(seed, 7))
	p := newMarked()
	f := New(look(), p, func() []Problem { return nil })
	f.Resize(20+r.IntN(40), 12)
	texts := []string{""}
	for range steps {
		p.run = editOther
		before, at := p.Value(), len(widget.JoinClusters(p.clusters[:p.at]))
		from, to := p.selection()
		rest, behind := strings.CutSuffix(before[:at], tokenText)
		switch n := r.IntN(10); {
		case n < 4:
			p.insert(pieces[r.IntN(len(pieces))], editType)
		case n == 4:
			f.Paste(strings.Repeat(pieces[r.IntN(len(pieces))], 1+r.IntN(30)))
		case n == 5:
			f.Click(r.IntN(60), r.IntN(12))
		case n == 6 && r.IntN(10) == 0:
			f.Resize(20+r.IntN(40), 8+r.IntN(20))
		default:
			key := moves[r.IntN(len(moves))]
			f.Key(press(key))
			token := key == "backspace" && behind && from == to
			expect.Must(t, !token || p.Value() == rest+before[at:], "backspace behind a token made", p.Value(), "of", before)
		}
		lines := f.Lines()
		for _, l := range lines {
			expect.Must(t, width(fill(l, f.width)) <= f.width, "a line is", width(l), "cells wide of", f.width, l)
		}
		x, y, ok := f.Cursor()
		inside := ok && x >= 0 && x < f.width && y >= 0 && y < len(lines)
		expect.Must(t, inside, "the cursor is at", x, y, ok, "of", f.width, len(lines))
		if intact(t, p); p.Value() != texts[len(texts)-1] {
			texts = append(texts, p.Value())
		}
	}
	back := slices.Clone(texts[:len(texts)-1])
	slices.Reverse(back)
	pass(t, p, "alt+z", back)
	pass(t, p, "alt+y", texts[1:])
}

func FuzzPrompt(f *testing.F) {
	for seed := range uint64(25) {
		f.Add(seed, 120)
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps int) { fuzzPrompt(t, seed, steps%121) })
}

func TestBackspaceTakesWholeCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a👨‍👩‍👧‍👦": "a", "船é": "船", "x🇩🇪": "x", "一二": "一", "hi 【@图片1】": "hi ", "e\u0301": "",
	} {
		p := newMarked()
		p.SetValue(text)
		p.key(press("backspace"))
		got := p.Value()
		travel(p, "alt+z")
		expect.Equal(t, got, want, "backspace in", text, "leaves")
		expect.Equal(t, p.Value(), text, "undone")
	}
}

func TestUndoGoesByWords(t *testing.T) {
	t.Parallel()
	p := NewPrompt("prompt", "Prompt", 5000)
	for _, r := range "paper boat" {
		p.key(press(string(r)))
	}
	for _, step := range [][2]string{{"alt+z", "paper "}, {"alt+z", ""}, {"alt+y", "paper "}, {"alt+y", "paper boat"}} {
		travel(p, step[0])
		expect.Equal(t, p.Value(), step[1], step[0])
	}
	p.Replace("paper\r\nboat\x1b") // one step, as a person's
	expect.Equal(t, p.Value(), "paper\nboat", "replaced")
	travel(p, "alt+z")
	expect.Equal(t, p.Value(), "paper boat", "undone")
}

const page13k = "纸船顺着雨水沟漂流而下，微距镜头，浅景深；雨滴的节奏由音乐决定。"

// BenchmarkPromptKey is one typed key with the form drawn after it, each key a text that was not there before.
func BenchmarkPromptKey(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"latin-200", strings.Repeat("A paper boat drifts down a rain gutter, macro lens. ", 4)[:200]},
		{"mixed-200", string([]rune(strings.Repeat("纸船顺着雨水沟漂流而下 paper boat, macro lens 【@图片1】；", 10))[:200])},
		{"cjk-1000", string([]rune(strings.Repeat(page13k, 200))[:1000])},
		{"cjk-5000", string([]rune(strings.Repeat(page13k, 200))[:5000])},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, key := newPaper(70, 30), press("字")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%25 == 0 {
					b.StopTimer()
					p.prompt.SetValue(c.text)
					p.Settle()
					p.keys("up", "up", "up")
					b.StartTimer()
				}
				p.Key(key)
				p.Lines()
				p.Cursor()
			}
		})
	}
}

// TestAClickChoosesWhatIsThere, from the edge before a choice to the blank behind it.
func TestAClickChoosesWhatIsThere(t *testing.T) {
	r, end := newPaper(60, 20).size, 1
	for i, o := range r.options {
		begin := end
		end += width(o.shown()) + 3
		for x, there := range map[int]bool{begin - 1: i == 0, begin: true, end - 1: true, end: false} {
			r.Choose(r.options[(i+1)%3].Value) // which a click on it would change to the one behind
			r.click(pointer{x: x, width: 60})
			expect.That(t, (r.Value() == o.Value) == there, "a click at", x, "chooses", r.Value())
		}
	}
}
