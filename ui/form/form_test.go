package form

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

func look() *Look {
	return &Look{Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), Say: fmt.Sprintf}
}

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
	prompt *Prompt
	mode   *Radio
	list   *List
	tier   *Choice
	size   *Choice
	seed   *Choice
}

func newPaper(w, h int) *paper {
	p := &paper{Form: New(look())}
	p.prompt = NewPrompt("prompt", "Prompt", 5000)
	p.mode = NewRadio("mode", "Mode", Option{Value: "r", Label: "references"}, Option{Value: "f", Label: "first and last frame"})
	is := func(end string) func(string) bool { return func(a string) bool { return strings.HasSuffix(a, end) } }
	p.list = NewList("images", "Materials", ListKind{Label: "图片", Max: 2, Fits: is(".png")}, ListKind{Label: "音频", Max: 1, Fits: is(".mp3")})
	p.list.Show = func() bool { return p.mode.Value() == "r" }
	p.tier = NewChoice("tier", "Tier")
	p.tier.SetOptions([]Option{{Value: "fast"}, {Value: "standard"}, {Value: "fast_vip"}})
	p.tier.SetValue("fast")
	p.size = NewChoice("size", "Size")
	p.seed = NewNumber("seed", "Seed")
	p.seed.Empty = "random"
	p.Add(false, p.prompt)
	p.Add(true, p.mode)
	p.Add(false, p.list)
	p.Add(true, p.tier)
	p.Add(false, p.size, p.seed)
	p.Rules(func() []Problem {
		var out []Problem
		if p.prompt.Value() == "" {
			out = append(out, Problem{Field: "prompt", Text: "Write a prompt."})
		}
		if n := p.prompt.b.runes; n > 5000 {
			out = append(out, Problem{Field: "prompt", Text: "The prompt is too long.", Early: true})
		}
		if p.tier.Value() == "fast_vip" {
			out = append(out, Problem{Field: "tier", Text: "fast_vip cannot do this.", Early: true})
		}
		return out
	})
	p.Resize(w, h)
	p.Settle()
	return p
}

func (p *paper) keys(keys ...string) {
	for _, k := range keys {
		p.Key(press(k))
	}
}

func TestProblemsShowWhenTheFieldIsLeftOrAtOnce(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	if s := shown(p.Form); strings.Contains(s, "Write a prompt") {
		t.Errorf("complains before the field was left:\n%s", s)
	}
	p.keys("tab")
	if s := shown(p.Form); !strings.Contains(s, "✗ Write a prompt.") {
		t.Errorf("does not complain after the field was left:\n%s", s)
	}
	p.Focus(p.tier)
	p.keys("left")
	if s := shown(p.Form); !strings.Contains(s, "✗ fast_vip cannot do this.") {
		t.Errorf("an early problem waits:\n%s", s)
	}
	if p.Try() || p.Focused() != Field(p.prompt) {
		t.Errorf("the first problem did not get the focus")
	}
}

func TestHiddenFieldsAreSkippedAndKept(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	p.list.Add("https://a.example/1.png\nhttps://a.example/2.png")
	p.Focus(p.mode)
	p.keys("right")
	if s := shown(p.Form); strings.Contains(s, "Materials") {
		t.Errorf("the list still shows:\n%s", s)
	}
	p.keys("tab")
	if p.Focused() != Field(p.tier) {
		t.Errorf("tab went to %q", p.Focused().core().Name)
	}
	p.keys("shift+tab", "left")
	if got := len(p.list.Values(0)); got != 2 {
		t.Errorf("%d addresses kept, want 2", got)
	}
}

func TestListPastesMovesAndRemoves(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	var moved []string
	p.list.Renumbered = func(m []Moved) { moved = append(moved, fmt.Sprint(m)) }
	p.Focus(p.list)
	p.Paste("https://a.example/1.png\r\n\r\nhttps://a.example/s.mp3\r\nhttps://a.example/2.png\r\n")
	if got := fmt.Sprint(p.list.Values(0), p.list.Values(1)); got != "[https://a.example/1.png https://a.example/2.png] [https://a.example/s.mp3]" {
		t.Fatalf("pasted %s", got)
	}
	p.keys("up", "up", "alt+up")
	if got := p.list.Values(0)[0]; got != "https://a.example/2.png" {
		t.Errorf("moved up, the first is %s", got)
	}
	p.keys("delete")
	if got := fmt.Sprint(moved); got != "[[{{图片 1} {图片 2}} {{图片 2} {图片 1}}] [{{图片 1} {图片 0}} {{图片 2} {图片 1}}]]" {
		t.Errorf("renumbered %s", got)
	}
	if got := fmt.Sprint(p.list.Values(0)); got != "[https://a.example/1.png]" {
		t.Errorf("left over %s", got)
	}
	p.keys("down", "down", "h", "i", "tab")
	if got := fmt.Sprint(p.list.Values(0)); got != "[https://a.example/1.png hi]" {
		t.Errorf("typed text was lost on leaving: %s", got)
	}
}

func TestMenusOfferAndPick(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	p.prompt.Offer = func() []Option {
		return []Option{{Value: "【@图片1】", Label: "图片1"}, {Value: "【@音频1】", Label: "音频1"}}
	}
	p.keys("x", "@")
	if p.menu == nil || !strings.Contains(shown(p.Form), "▸ 图片1") {
		t.Fatalf("no offer:\n%s", shown(p.Form))
	}
	p.keys("down", "enter")
	if got := p.prompt.Value(); got != "x【@音频1】" {
		t.Errorf("picked %q", got)
	}
	p.keys("@", "y")
	if got := p.prompt.Value(); got != "x【@音频1】@y" || p.menu != nil {
		t.Errorf("typing on gives %q", got)
	}
	p.Focus(p.tier)
	p.keys("enter", "down", "enter")
	if got := p.tier.Value(); got != "standard" {
		t.Errorf("chose %q", got)
	}
}

// TestALongListSaysThatThereIsMore: choices out of view are counted in its edge.
func TestALongListSaysThatThereIsMore(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 14)
	var options []Option
	for n := range 20 {
		options = append(options, Option{Value: fmt.Sprint("choice ", n)})
	}
	p.tier.SetOptions(options)
	p.tier.SetValue("choice 0")
	p.Focus(p.tier)
	p.keys("enter")
	inView := strings.Count(shown(p.Form), " choice ") - 1 // one is the value itself
	if got := shown(p.Form); !strings.Contains(got, fmt.Sprintf("↓ %d ─╯", 20-inView)) || strings.Contains(got, "↑ ") {
		t.Errorf("of 20, %d are in view:\n%s", inView, got)
	}
	p.keys("end")
	if got := shown(p.Form); !strings.Contains(got, fmt.Sprintf("↑ %d ─╮", 20-inView)) || strings.Contains(got, "↓ ") {
		t.Errorf("at the end:\n%s", got)
	}
}

func TestClickGivesTheFocusAndPutsTheCursor(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	p.prompt.SetValue("纸船 boat")
	p.Click(2+4, 1)
	p.keys("X")
	if got := p.prompt.Value(); got != "纸船X boat" {
		t.Errorf("clicked, typed: %q", got)
	}
	for y, line := range strings.Split(shown(p.Form), "\n") {
		if strings.Contains(line, "○ first and last frame") {
			p.Click(width(line[:strings.Index(line, "○")])+3, y)
		}
	}
	if p.mode.Value() != "f" || p.Focused() != Field(p.mode) {
		t.Errorf("the click chose %q", p.mode.Value())
	}
}

func TestCursorStandsAfterWideCharacters(t *testing.T) {
	t.Parallel()
	p := newPaper(60, 24)
	p.Paste("一二三四五")
	if x, y, ok := p.Cursor(); x != 12 || y != 1 || !ok {
		t.Errorf("the cursor is at %d,%d (%v), want 12,1", x, y, ok)
	}
	p.Focus(p.size)
	p.Paste("大小")
	x, _, _ := p.Cursor()
	fx, _ := p.at(p.size)
	if x != fx+4 {
		t.Errorf("the cursor is at %d, want %d", x, fx+4)
	}
}

// counted is a field that counts how often it is drawn.
type counted struct {
	*Choice
	times *int
}

func (c counted) draw(l *Look, width int, focus bool) drawing {
	*c.times++
	return c.Choice.draw(l, width, focus)
}

func TestNothingIsDrawnAgainWithoutAChange(t *testing.T) {
	t.Parallel()
	p, times := newPaper(60, 24), 0
	field := counted{NewChoice("title", "Title"), &times}
	p.Add(false, field)
	p.Settle()
	p.Lines()
	was := times
	p.keys("c", "tab")
	p.Lines()
	p.Cursor()
	if times != was || was == 0 {
		t.Errorf("a field nobody touched was drawn %d times, then %d times", was, times)
	}
	field.SetValue("x")
	if s := shown(p.Form); times != was+1 || !strings.Contains(s, "Title      x") {
		t.Errorf("after a change it was drawn %d times more:\n%s", times-was, s)
	}
}

func TestALongPromptTakesTheLinesThatNothingElseNeeds(t *testing.T) {
	p := newPaper(60, 30)
	p.Lines()
	least := p.prompt.height
	p.Paste("short")
	p.Lines()
	if p.prompt.height != least {
		t.Errorf("a short text made the prompt %d lines high, want %d", p.prompt.height, least)
	}
	p.Paste(strings.Repeat("line\n", 12))
	if got := shown(p.Form); p.prompt.height != 13 || strings.Count(got, "line\n") < 12 || !strings.Contains(got, "Seed") {
		t.Errorf("the prompt is %d lines high:\n%s", p.prompt.height, got)
	}
	p.Paste(strings.Repeat("line\n", 100))
	if got := shown(p.Form); !strings.Contains(got, "Seed") || len(strings.Split(got, "\n")) > 30 {
		t.Errorf("the prompt pushed the other fields away:\n%s", got)
	}
	p.list.Add("https://a.example/1.png\nhttps://a.example/2.png")
	p.Settle()
	if got := shown(p.Form); !strings.Contains(got, "Seed") || !strings.Contains(got, "2.png") {
		t.Errorf("the prompt did not give way to materials:\n%s", got)
	}
	p.Resize(60, 12)
	if got := shown(p.Form); !strings.Contains(got, "Prompt") || p.prompt.height > 4 {
		t.Errorf("in a low form the prompt is %d lines high:\n%s", p.prompt.height, got)
	}
}

// TestPlaceholdersAreColoured: like tokens, also where a line breaks within one;
// what is none stays plain.
func TestPlaceholdersAreColoured(t *testing.T) {
	t.Parallel()
	p := newPaper(40, 20)
	p.prompt.SetValue(strings.Repeat("a ", 10) + "{{the subject of it}} at {{place}} {not} {{one}")
	p.Settle()
	token := p.look.Theme.Token.Paint("x")
	from, _, _ := strings.Cut(token, "x")
	var coloured strings.Builder
	for _, l := range p.Lines() {
		for _, part := range strings.Split(l, from)[1:] {
			text, _, _ := strings.Cut(part, "\x1b")
			coloured.WriteString(text)
		}
	}
	if got, want := coloured.String(), "{{the subject of it}}{{place}}"; got != want {
		t.Errorf("coloured %q, want %q", got, want)
	}
}

// TestADigitReplacesANumber: a number that was there when the focus came is
// replaced by what is typed, as elsewhere; every other key edits it.
func TestADigitReplacesANumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"1", "0"}, "10"},
		{[]string{"backspace", "1", "0"}, "10"},
		{[]string{"left", "1"}, "15"},
		{[]string{"-", "8"}, "5-8"},
		{[]string{"1", "tab", "shift+tab", "7"}, "7"},
	} {
		p := newPaper(60, 24)
		p.size.SetValue("5")
		p.seed.SetValue("5")
		for _, field := range []interface {
			Field
			Value() string
		}{p.size, p.seed} {
			p.Focus(field)
			if p.keys(c.keys...); field.Value() != c.want {
				t.Errorf("%v into 5: %q, not %q", c.keys, field.Value(), c.want)
			}
		}
	}
}
