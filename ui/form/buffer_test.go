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
	b := &p.b
	text := b.String()
	if !utf8.ValidString(text) {
		t.Fatalf("the text is not valid UTF-8: %q", text)
	}
	if got := utf8.RuneCountInString(text); got != b.runes {
		t.Fatalf("%d runes counted, there are %d", b.runes, got)
	}
	if strings.ContainsAny(text, "\r\x1b\u202e\ufeff") {
		t.Fatalf("text that should be left out came in: %q", text)
	}
	if b.at < 0 || b.at > len(b.clusters) || b.anchor > len(b.clusters) {
		t.Fatalf("cursor %d and anchor %d in %d characters", b.at, b.anchor, len(b.clusters))
	}
	if long := slices.ContainsFunc(b.clusters, func(g widget.Cluster) bool { return g.Runes > 8 }); !long {
		var want []string
		for g := uniseg.NewGraphemes(text); g.Next(); {
			want = append(want, g.Str())
		}
		var got []string
		for _, g := range b.clusters {
			got = append(got, g.Text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("characters are\n%q, want\n%q", got, want)
		}
	}
	var whole widget.Lines
	whole.Wrap(b.clusters, p.wrap.Width())
	if !slices.Equal(starts(&whole), starts(&p.wrap)) {
		t.Fatalf("wrapped piece by piece %v, at once %v\n%q", starts(&p.wrap), starts(&whole), text)
	}
	for l := range p.wrap.Len() {
		from, to := p.wrap.Span(b.clusters, l)
		if n := widget.Cells(b.clusters[from:to]); n > p.wrap.Width()+1 {
			t.Fatalf("line %d takes %d cells of %d: %q", l, n, p.wrap.Width(), widget.JoinClusters(b.clusters[from:to]))
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

func press(s string) tea.KeyPressMsg {
	named := map[string]tea.Key{
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace},
		"delete": {Code: tea.KeyDelete}, "enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "esc": {Code: tea.KeyEscape},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
		"shift+tab":  {Code: tea.KeyTab, Mod: tea.ModShift},
		"shift+left": {Code: tea.KeyLeft, Mod: tea.ModShift}, "shift+right": {Code: tea.KeyRight, Mod: tea.ModShift},
		"shift+up": {Code: tea.KeyUp, Mod: tea.ModShift}, "shift+down": {Code: tea.KeyDown, Mod: tea.ModShift},
		"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
		"alt+up": {Code: tea.KeyUp, Mod: tea.ModAlt}, "alt+down": {Code: tea.KeyDown, Mod: tea.ModAlt},
	}
	if k, ok := named[s]; ok {
		return tea.KeyPressMsg(k)
	}
	if rest, ok := strings.CutPrefix(s, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	if rest, ok := strings.CutPrefix(s, "alt+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModAlt}
	}
	r, _ := utf8.DecodeRuneInString(s)
	return tea.KeyPressMsg{Code: r, Text: s}
}

var moves = []string{
	"left", "right", "up", "down", "home", "end", "pgup", "pgdown", "backspace", "delete", "enter", "ctrl+left", "ctrl+right",
	"shift+left", "shift+right", "shift+up", "shift+down", "ctrl+w", "ctrl+u", "alt+d", "alt+z", "alt+y", "ctrl+a",
}

func fuzzPrompt(t *testing.T, seed uint64, steps int) {
	r := rand.New(rand.NewPCG(seed, 7))
	p := NewPrompt("prompt", "Prompt", 5000)
	p.Marks = func(string) Mark { return MarkToken }
	f := New(look())
	f.Add(false, p)
	f.Resize(20+r.IntN(40), 12)
	for range steps {
		switch n := r.IntN(10); {
		case n < 4:
			p.b.insert(pieces[r.IntN(len(pieces))], editType)
			p.changed()
		case n == 4:
			f.Paste(strings.Repeat(pieces[r.IntN(len(pieces))], 1+r.IntN(30)))
		case n == 5:
			f.Click(r.IntN(60), r.IntN(12))
		case n == 6 && r.IntN(10) == 0:
			f.Resize(20+r.IntN(40), 8+r.IntN(20))
		default:
			f.Key(press(moves[r.IntN(len(moves))]))
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
		intact(t, p)
	}
	for travel(p, "alt+z") {
	}
	intact(t, p)
	if p.Value() != "" && len(p.history.past) == 0 && steps < maxSteps/2 {
		t.Fatalf("undone to %q, want nothing left", p.Value())
	}
}

func TestPromptKeepsItsInvariants(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		fuzzPrompt(t, seed, 120)
	}
}

func FuzzPrompt(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, 200)
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps int) { fuzzPrompt(t, seed, steps%40) })
}

func TestBackspaceTakesWholeCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a👨‍👩‍👧‍👦": "a", "船é": "船", "x🇩🇪": "x", "一二": "一", "hi 【@图片1】": "hi ", "e\u0301": "",
	} {
		p := NewPrompt("prompt", "Prompt", 5000)
		p.Marks = func(s string) Mark {
			if s == "【@图片1】" {
				return MarkToken
			}
			return MarkNone
		}
		p.SetValue(text)
		p.key(press("backspace"))
		if got := p.Value(); got != want {
			t.Errorf("backspace in %q leaves %q, want %q", text, got, want)
		}
		travel(p, "alt+z")
		if got := p.Value(); got != text {
			t.Errorf("undo gives %q, want %q", got, text)
		}
	}
}

func TestUndoGoesByWords(t *testing.T) {
	t.Parallel()
	p := NewPrompt("prompt", "Prompt", 5000)
	for _, r := range "paper boat" {
		p.key(press(string(r)))
	}
	for _, want := range []string{"paper ", ""} {
		travel(p, "alt+z")
		if got := p.Value(); got != want {
			t.Errorf("undone to %q, want %q", got, want)
		}
	}
	travel(p, "alt+y")
	travel(p, "alt+y")
	if got := p.Value(); got != "paper boat" {
		t.Errorf("redone to %q", got)
	}
}

func TestPasteIsTidied(t *testing.T) {
	t.Parallel()
	p := NewPrompt("prompt", "Prompt", 5000)
	p.paste("one\r\ntwo\rthree\x1b[31m\u202efour\tfive\u2028six")
	if got, want := p.Value(), "one\ntwo\nthree[31mfour five\nsix"; got != want {
		t.Errorf("pasted %q, want %q", got, want)
	}
}
