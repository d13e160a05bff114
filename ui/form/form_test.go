package form

import (
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/theme"
)

func look() *theme.Theme { return theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor) }

func width(s string) int { return ansi.StringWidth(s) }

// shown is what the form looks like to a person.
func shown(f *Form) string {
	lines := f.Lines()
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

type paper struct {
	*Form
	prompt           *Prompt
	mode             *Choice
	list             *List
	tier, size, seed *Choice
}

func newPaper(w, h int) *paper {
	p := &paper{prompt: NewPrompt("prompt", "Prompt", 5000)}
	p.Form = New(look(), p.prompt, p.rules)
	p.prompt.Complete = func(string) (string, []Option) { return "", nil }
	p.mode = NewChoice("mode", "Mode")
	p.mode.SetOptions([]Option{{Value: "r", Label: "references"}, {Value: "f", Label: "first and last frame"}})
	p.mode.SetValue("r")
	p.mode.Undoes = true
	is := func(end string) func(string) bool { return func(a string) bool { return strings.HasSuffix(a, end) } }
	p.list = NewList("images", "Materials", ListKind{Label: "图片", Max: 2, Fits: is(".png")}, ListKind{Label: "音频", Max: 1, Fits: is(".mp3")})
	p.list.Empty, p.list.Picture = "add a URL, or paste several", func(string) string { return "" }
	p.list.Title = func(address string) string { return address }
	p.list.Show = func() bool { return p.mode.Value() == "r" }
	p.tier = NewChoice("tier", "Tier")
	p.tier.SetOptions([]Option{{Value: "fast"}, {Value: "standard"}, {Value: "fast_vip"}})
	p.tier.SetValue("fast")
	p.size = NewChoice("size", "Size")
	p.seed = NewNumber("seed", "Seed")
	p.seed.Empty = "random"
	p.Add(1, p.mode)
	p.Add(0, p.list)
	p.Add(1, p.tier)
	p.Add(0, p.size)
	p.Add(0, p.seed)
	p.Resize(w, h)
	p.Settle()
	return p
}

func (p *paper) rules() (out []Problem) {
	if p.prompt.Value() == "" {
		out = append(out, Problem{Field: "prompt", Text: "Write a prompt."})
	}
	if n := utf8.RuneCountInString(p.prompt.Value()); n > 5000 {
		out = append(out, Problem{Field: "prompt", Text: "The prompt is too long.", Early: true})
	}
	for kind := range p.list.Kinds {
		if slices.Contains(p.list.Values(kind), "y") {
			out = append(out, Problem{Field: "images", Text: "A material is no address."})
		}
	}
	if p.tier.Value() == "fast_vip" {
		out = append(out, Problem{Field: "tier", Text: "fast_vip cannot do this, but fast and standard can with all that is set here.", Early: true})
	}
	return out
}

func (p *paper) keys(keys ...string) {
	for _, k := range keys {
		p.Key(press(k))
	}
}

// counted is a field that counts how often it is drawn.
type counted struct {
	*Choice
	times *int
}

func (c counted) draw(l *theme.Theme, width int, focus bool) drawing {
	*c.times++
	return c.Choice.draw(l, width, focus)
}

func TestNothingIsDrawnAgainWithoutAChange(t *testing.T) {
	t.Parallel()
	p, times := newPaper(60, 24), 0
	field := counted{NewChoice("title", "Title"), &times}
	p.Add(0, field)
	p.Settle()
	p.Lines()
	was := times
	p.keys("c", "tab")
	p.Lines()
	p.Cursor()
	expect.That(t, times == was && was != 0, "a field nobody touched was drawn", was, "times, then", times, "times")
	field.SetValue("x")
	s := shown(p.Form)
	expect.That(t, times == was+1 && strings.Contains(s, "Title         x"), "after a change it was drawn", times-was, "times more", s)
}

// TestStepsReachEveryField in both directions, stop at the ends and go round.
func TestStepsReachEveryField(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	all := []Field{p.prompt, p.mode, p.list, p.tier, p.size, p.seed}
	for _, by := range []int{1, -1} {
		p.Focus(all[0])
		for _, field := range all[1:] {
			expect.That(t, p.Step(by, false) && p.Focused() == field, "a step of", by, "comes to", p.Focused().core().Name)
		}
		expect.That(t, !p.Step(by, false) && p.Focused() == all[len(all)-1], "a step of", by, "leaves the end")
		expect.That(t, p.Step(by, true) && p.Focused() == all[0], "round with", by, "comes to", p.Focused().core().Name)
		slices.Reverse(all)
	}
}

// TestWhatIsBegunIsCompleted, however many code points its characters have.
func TestWhatIsBegunIsCompleted(t *testing.T) {
	t.Parallel()
	for _, begun := range []string{"__", "__c", "__สี", "__e\u0301"} {
		p := newPaper(60, 24)
		p.prompt.Offer = func() []Option { return nil }
		p.prompt.Complete = func(string) (string, []Option) { return begun, []Option{{Value: "__list__"}} }
		_, last := utf8.DecodeLastRuneInString(begun)
		p.prompt.SetValue("a " + begun[:len(begun)-last])
		p.keys(begun[len(begun)-last:], "enter")
		expect.Equal(t, p.prompt.Value(), "a __list__", begun)
	}
}

// TestMaterialsStandInTheOrderOfTheirKinds, in whichever order they came. The cursor stays in the form, however narrow.
func TestMaterialsStandInTheOrderOfTheirKinds(t *testing.T) {
	t.Parallel()
	one, two, sound := "https://a.example/1.png", "https://a.example/2.png", "https://a.example/s.mp3"
	for _, given := range [][]string{{sound, one, two}, {one, sound, two}, {one, two, sound}} {
		p := newPaper(60, 24)
		p.Focus(p.list)
		for _, address := range given {
			p.Paste(address)
		}
		p.Settle()
		text := shown(p.Form)
		at := []int{0, strings.Index(text, one), strings.Index(text, two), strings.Index(text, sound)}
		expect.That(t, at[1] > 0 && slices.IsSorted(at), given, "stand as", text)
		p.list.Kinds[0].Name = "Images of the beginning"
		p.Resize(20, 24)
		x, _, _ := p.Cursor()
		expect.Equal(t, x, 19, "the cursor's column")
	}
}

func TestColumnsBesideThePromptAreNotTheForms(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	p.Beside(20, false)
	for _, s := range p.page().spots {
		expect.Equal(t, s.W, map[bool]int{true: 40, false: 60}[s.field == Field(p.prompt)], s.field.core().Name)
	}
	p.Beside(20, true)
	late := NewChoice("late", "Late")
	late.SetOptions([]Option{{Value: "one"}, {Value: "two"}, {Value: "three"}})
	p.Tail(late)
	expect.Lacks(t, shown(p.Form), "three", "other values of a field that came later stand where something else does")
}

// TestHalfARemarkIsNone: a remark stands beside its value as a whole, wherever there is room for it.
func TestHalfARemarkIsNone(t *testing.T) {
	t.Parallel()
	const note = "the same each time"
	first := 0
	for w := 24; w <= 80; w++ {
		p := newPaper(w, 24)
		p.seed.Note = note
		p.Focus(p.seed)
		p.Settle()
		_, line, _ := strings.Cut(shown(p.Form), "Seed")
		line, _, _ = strings.Cut(line, "\n")
		if whole := strings.Contains(line, note); whole && first == 0 {
			first = w
		} else {
			expect.That(t, whole == (first > 0) && (whole || !strings.Contains(line, note[:3])), "at", w, "columns:", line)
		}
	}
	expect.That(t, first > 24 && first < 60, "it stands from", first, "columns")
}

// TestPlaceholdersAreColoured: like tokens, also where a line breaks within one; what is none stays plain.
func TestPlaceholdersAreColoured(t *testing.T) {
	t.Parallel()
	p := newPaper(40, 20)
	p.prompt.SetValue(strings.Repeat("a ", 10) + "{{the subject of it}} at {{place}} {not} {{one}")
	p.Settle()
	token := p.look.Token.Paint("x")
	from, _, _ := strings.Cut(token, "x")
	var coloured strings.Builder
	for _, l := range p.Lines() {
		for _, part := range strings.Split(l, from)[1:] {
			text, _, _ := strings.Cut(part, "\x1b")
			coloured.WriteString(text)
		}
	}
	expect.Equal(t, coloured.String(), "{{the subject of it}}{{place}}", "coloured")
}

// TestAPasteIsBounded: what is pasted is cut, so that no key after it has much to do.
func TestAPasteIsBounded(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	lines := strings.Repeat("https://a.example/1.png\n", 20_000)
	for _, field := range []Field{p.prompt, p.list, p.size, p.list} {
		p.Focus(field)
		p.Paste(lines)
		p.Paste(strings.ReplaceAll(lines, "\n", " "))
	}
	p.prompt.SelectAll()
	p.Focus(p.prompt)
	p.Paste("instead")
	expect.Equal(t, len(p.list.Values(0)), maxEntries, "entries")
	expect.That(t, len(p.size.Value()) <= maxText, len(p.size.Value()), "bytes are typed")
	expect.Equal(t, p.prompt.Value(), "instead", "the prompt")
}

// story is a form with every kind of field, and what a person saw of it.
type story struct {
	*paper
	free, only *Choice
	fold       *Fold
	strings.Builder
	lines  []string // as they were seen last
	values string
}

func newStory() *story {
	s := &story{paper: newPaper(56, 22), free: NewChoice("model", "Model"), only: NewChoice("only", "Only"), fold: &Fold{Core: Core{Name: "more", Label: "More"}}}
	s.list.Kinds = []ListKind{
		{Label: "图片", Name: "Image", Max: 1, ByHand: true}, {Label: "图片", Tag: "ref", Max: 2},
		{Label: "音频", Sign: "♪", Max: 1, Fits: func(a string) bool { return strings.HasSuffix(a, ".mp3") }}, {Label: "视频", Tag: "single", Max: 1, ByHand: true},
		{Label: "图片", Name: "First", Max: 1, Unused: true}, {Label: "图片", Name: "Last", Max: 1, Unused: true},
	}
	s.list.Picture = func(address string) string { return map[bool]string{true: "▣"}[strings.Contains(address, "seen")] }
	s.list.Title = func(address string) string { return strings.TrimPrefix(address, "https://") }
	s.list.Renumbered = func(moved map[string]string) {
		text := s.prompt.Value()
		for from, to := range moved {
			text = strings.ReplaceAll(text, "【@"+from+"】", "【@@"+to+"】")
		}
		s.prompt.Replace(strings.ReplaceAll(text, "@@", "@"))
	}
	s.prompt.Marks = func(token string) Mark {
		return map[string]Mark{"【@图片1】": MarkToken, "【@音频1】": MarkToken, "【@图片9】": MarkUnknown}[token]
	}
	s.prompt.Offer = func() []Option {
		if len(s.list.Values(1)) == 0 {
			return []Option{{Label: "add a material"}}
		}
		return []Option{{Value: "【@图片1】", Label: "图片1"}, {Value: "【@音频1】", Label: "音频1", Note: "a sound"}}
	}
	s.prompt.Add = func() { s.Focus(s.list) }
	s.prompt.Complete = func(before string) (string, []Option) {
		if !strings.HasSuffix(before, "__") {
			return "", nil
		}
		return "__", []Option{{Value: "__animals__", Label: "animals", Note: "3"}, {Value: "__colours__", Label: "colours"}}
	}
	s.prompt.Empty = "What should it show?"
	s.free.Free, s.free.Empty = true, "such as provider/name"
	s.free.SetOptions([]Option{{Value: "acme/pix", Note: "12 credits"}, {Value: "acme/rush"}, {Value: "zed/still", Label: "Still"}})
	s.size.SetOptions([]Option{{Value: "1K"}, {Value: "2K", Note: "slow"}, {Value: "4K", Note: "not with fast"}})
	s.only.SetOptions([]Option{{Value: "1K"}})
	s.only.Show = s.fold.Open
	s.fold.Closed = "Only"
	s.Add(1, s.free)
	s.Add(0, s.fold)
	s.Add(0, s.only)
	return s
}

func (s *story) see(step string) {
	s.Settle()
	raw := strings.Join(s.Lines(), "\n")
	x, y, ok := s.Cursor()
	above, below := s.More()
	fmt.Fprintf(s, "=== %s\n", step)
	lines := strings.Split(shown(s.Form), "\n")
	for i, line := range lines {
		if i >= len(s.lines) || s.lines[i] != line {
			fmt.Fprintf(s, "%2d %s\n", i, line)
		}
	}
	s.lines = lines
	fmt.Fprintf(s, "cursor %d,%d %t  focus %s typing %t  lines %d more %d %d  edits %d  styled %08x\n", x, y, ok,
		s.Focused().core().Name, s.Typing(), len(lines), above, below, s.Edits(), crc32.ChecksumIEEE([]byte(raw)))
	selected, _ := s.list.Selected()
	values := fmt.Sprintf("values %q %q %q %q %q %q %q %q\n", s.prompt.Value(), s.mode.Value(), s.tier.Value(), s.size.Value(), s.seed.Value(), s.free.Value(), s.only.Value(), selected)
	for k := range s.list.Kinds {
		values += fmt.Sprintf("%q ", s.list.Drafted(k))
	}
	if values != s.values {
		fmt.Fprintln(s, values)
	}
	s.values = values
	for _, problem := range s.Problems() {
		fmt.Fprintf(s, "problem %s: %s\n", problem.Field, problem.Text)
	}
}

// do takes a step of the story: a word, and what it needs.
func (s *story) do(step string) {
	word, rest, _ := strings.Cut(step, " ")
	args := strings.Fields(rest)
	n := func(i int) int { number, _ := strconv.Atoi(args[i]); return number }
	text, _ := strconv.Unquote(`"` + rest + `"`)
	map[string]func(){
		"keys":  func() { s.keys(args...) },
		"paste": func() { s.Paste(text) },
		"click": func() { fmt.Fprintln(s, "hit", s.Click(n(0), n(1))) },
		"wheel": func() { s.Wheel(n(0), n(1)) },
		"size":  func() { s.Resize(n(0), n(1)) },
		"focus": func() {
			s.Focus(map[string]Field{"prompt": s.prompt, "mode": s.mode, "list": s.list, "tier": s.tier, "size": s.size,
				"seed": s.seed, "model": s.free, "more": s.fold}[rest])
		},
		"idle":    func() { s.Idle(rest == "on") },
		"try":     func() { fmt.Fprintln(s, "tried", s.Try()) },
		"fresh":   s.Fresh,
		"rest":    s.Rest,
		"leave":   s.Leave,
		"several": func() { s.tier.Several = text; s.tier.Note = "a note" },
		"notes": func() {
			for n := range s.list.Values(1) {
				s.list.SetEntryNote(1, n, []string{"not used", "not used in the prompt", "link has expired"}[n%3], n%3 > 0)
			}
			s.list.Note = "ctrl+e"
		},
		"frames": func() { s.list.Use(func(kind int) bool { return (kind >= 4) == (rest == "on") }) },
		"list":   func() { s.list.SetValues(strings.Split(args[0], ","), args[1:]) },
		"first":  func() { s.list.Put(4, text) },
		"replace": func() {
			if len(s.list.Values(4)) > 0 {
				s.list.Put(4, text)
			}
			s.list.Change("https://a.example/x.png", "https://b.example/y.png")
		},
		"saved":  func() { s.prompt.InsertSaved(text) },
		"prompt": func() { s.prompt.SetValue(text); s.prompt.ToEnd() },
		"offer":  func() { fmt.Fprintln(s, "offered", s.OfferTokens()) },
		"mode":   func() { s.mode.SetValue(rest) },
		"forget": s.ForgetUndo,
		"many": func() {
			var options []Option
			for n := range 20 {
				options = append(options, Option{Value: fmt.Sprint("choice ", n)})
			}
			s.tier.SetOptions(options)
			s.tier.SetValue("choice 0")
		},
		"tail": func() {
			s.Tail(NewNumber("extra", "Extra"), NewChoice("other", "Other"))
			if rest == "off" {
				s.Tail()
			}
		},
	}[word]()
}

// TestAFormIsFilledIn writes which lines a person sees change in each step of testdata/story.txt, with cursor, values
// and a sum of the styled lines. A change that is meant is drawn again by -update.
func TestAFormIsFilledIn(t *testing.T) {
	t.Parallel()
	steps := simtest.Must(os.ReadFile("testdata/story.txt"))(t)
	s := newStory()
	for step := range strings.Lines(string(steps)) {
		if step = strings.TrimSpace(step); step != "" && !strings.HasPrefix(step, "#") {
			s.do(step)
			s.see(step)
		}
	}
	golden.RequireEqual(t, []byte(s.String()))
}
