package form

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/rivo/uniseg"

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
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x1b\u202e\ufeff") {
		t.Fatalf("not valid, or text that should be left out came in: %q", text)
	}
	if p.at < 0 || p.at > len(p.clusters) || p.anchor > len(p.clusters) {
		t.Fatalf("cursor %d and anchor %d in %d characters", p.at, p.anchor, len(p.clusters))
	}
	if long := slices.ContainsFunc(p.clusters, func(g widget.Cluster) bool { return g.Runes > 8 }); !long {
		var want []string
		for g := uniseg.NewGraphemes(text); g.Next(); {
			want = append(want, g.Str())
		}
		if !slices.EqualFunc(p.clusters, want, func(g widget.Cluster, s string) bool { return g.Text == s }) {
			t.Fatalf("characters are\n%+v, want\n%q", p.clusters, want)
		}
	}
	var whole widget.Lines
	whole.Wrap(p.clusters, p.wrap.Width())
	if !slices.Equal(starts(&whole), starts(&p.wrap)) {
		t.Fatalf("wrapped piece by piece %v, at once %v\n%q", starts(&p.wrap), starts(&whole), text)
	}
	for l := range p.wrap.Len() {
		from, to := p.wrap.Span(p.clusters, l)
		if n := widget.Cells(p.clusters[from:to]); n > p.wrap.Width()+1 {
			t.Fatalf("line %d takes %d cells of %d: %q", l, n, p.wrap.Width(), widget.JoinClusters(p.clusters[from:to]))
		}
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

// travel undoes or does again, as the form does for the key, and reports whether there was anything to do.
func travel(p *Prompt, key string) bool {
	h := p.history
	if key == "alt+y" {
		return len(h.travel(&h.next, &h.past)) > 0
	}
	return len(h.travel(&h.past, &h.next)) > 0
}

// pass presses a key until the text has been each of those wanted.
func pass(t *testing.T, p *Prompt, key string, want []string) {
	t.Helper()
	for _, text := range want {
		for before := p.Value(); p.Value() == before; {
			if done := travel(p, key); !done {
				t.Fatalf("%s ended at %q, want %q", key, p.Value(), text)
			}
			intact(t, p)
		}
		if got := p.Value(); got != text {
			t.Fatalf("%s gives %q, want %q", key, got, text)
		}
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
			if want := rest + before[at:]; key == "backspace" && behind && from == to && p.Value() != want {
				t.Fatalf("backspace behind a token made %q of %q", p.Value(), before)
			}
		}
		lines := f.Lines()
		for _, l := range lines {
			if fitted := fill(l, f.width); width(fitted) > f.width {
				t.Fatalf("a line is %d cells wide of %d: %q", width(l), f.width, l)
			}
		}
		x, y, ok := f.Cursor()
		if !ok || x < 0 || x >= f.width || y < 0 || y >= len(lines) {
			t.Fatalf("the cursor is at %d,%d (%v) of %d×%d", x, y, ok, f.width, len(lines))
		}
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
		if travel(p, "alt+z"); got != want || p.Value() != text {
			t.Errorf("backspace in %q leaves %q, want %q; undone it is %q", text, got, want, p.Value())
		}
	}
}

func TestUndoGoesByWords(t *testing.T) {
	t.Parallel()
	p := NewPrompt("prompt", "Prompt", 5000)
	for _, r := range "paper boat" {
		p.key(press(string(r)))
	}
	for _, step := range [][2]string{{"alt+z", "paper "}, {"alt+z", ""}, {"alt+y", "paper "}, {"alt+y", "paper boat"}} {
		if travel(p, step[0]); p.Value() != step[1] {
			t.Errorf("%s gives %q, want %q", step[0], p.Value(), step[1])
		}
	}
	p.Replace("paper\r\nboat\x1b") // one step, as a person's
	replaced := p.Value()
	if travel(p, "alt+z"); replaced != "paper\nboat" || p.Value() != "paper boat" {
		t.Errorf("replaced it is %q, undone %q", replaced, p.Value())
	}
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

// TestAClickChoosesWhatIsThere, from the blank before an option to the one behind it.
func TestAClickChoosesWhatIsThere(t *testing.T) {
	r, end := newPaper(60, 20).mode, 0
	for i, o := range r.options {
		begin := end
		end += width(" ◉ ") + width(o.shown()) + 2
		for x, there := range map[int]bool{begin - 1: false, begin: true, end - 1: true, end: false} {
			r.Choose(r.options[1-i].Value)
			if r.click(pointer{x: x, width: 60}); (r.Value() == o.Value) != there && x >= 0 {
				t.Errorf("a click at %d chooses %q", x, r.Value())
			}
		}
	}
}
