package draft

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/ui/env"
	"darkroom/ui/form"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

var boat = api.Request{
	Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat 【@图片1】", VideoModel: api.TierFast, Resolution: "720p", Duration: "5",
	ImageFiles: []string{"https://a.example/1.png", "https://a.example/2.png"}, AudioFiles: []string{"https://a.example/3.mp3"},
}

func newEnv(t *testing.T) *env.Env {
	return &env.Env{
		Context: t.Context(), Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor),
		At: time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC),
	}
}

func TestRequestHoldsOnlyWhatApplies(t *testing.T) {
	t.Parallel()
	d := New(newEnv(t), api.KindVideo, &Links{})
	d.Load(boat, false)
	d.Mode.SetValue(api.ModeFirstLastFrame)
	d.Form.Settle()
	expect.Equal(t, len(d.Request.ImageFiles)+len(d.Request.AudioFiles), 0, "materials that do not apply")
	expect.Equal(t, d.Request.FunctionMode, api.ModeFirstLastFrame, "the mode")
	d.Mode.SetValue(api.ModeOmini)
	d.Form.Settle()
	expect.Len(t, d.Request.ImageFiles, 2, "images were not kept")
	expect.Len(t, d.Request.AudioFiles, 1, "audio was not kept")
	expect.Equal(t, d.Request.FunctionMode, "", "the mode")
	d.Model.SetValue("other/model")
	d.Form.Settle()
	r := d.Request
	expect.That(t, len(r.ImageFiles) == 0 && r.VideoModel == "" && r.Seed == nil, "another model is sent fields of seedance2", r)
}

func TestALoadedRequestKeepsWhatIsNotListed(t *testing.T) {
	t.Parallel()
	d := New(newEnv(t), api.KindImage, &Links{})
	size := api.Parameter{Name: api.FieldSize, Values: []string{"1K"}, Default: "1K"}
	d.List([]api.Model{{ID: "acme/other"}, {ID: "acme/ink", Parameters: []api.Parameter{size}}})
	two := "https://a.example/1.png\nhttps://a.example/2.png"
	d.Load(api.Request{Kind: api.KindImage, Model: "acme/ink", Prompt: "boat", Size: "4K", ImageURL: two}, false)
	d.List(d.models)
	expect.Equal(t, d.Request.Size, "4K", "a size that the model has no more, after another model, listed again")
	expect.Equal(t, fmt.Sprint(len(d.Materials.Values(singleImage)), d.Saved().ImageURL), "2"+two, "rows, saved, where one can be sent")
	d = New(newEnv(t), api.KindVideo, &Links{})
	d.Touched = true // something was typed before the first listing came
	d.List([]api.Model{{ID: api.Seedance2, Parameters: []api.Parameter{{Name: api.FieldDuration, Values: []string{"4", "8"}, Default: "8"}}}})
	expect.Equal(t, d.Request.Duration, "8", "a duration that nobody has chosen")
}

// named is a key by its name.
func named(key string) tea.KeyPressMsg {
	codes := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter,
		"delete": tea.KeyDelete, "backspace": tea.KeyBackspace, "home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace}
	if rest, ok := strings.CutPrefix(key, "alt+"); ok {
		k := named(rest)
		k.Mod, k.Text = tea.ModAlt, ""
		return k
	}
	if code, ok := codes[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	r := []rune(key)[0]
	return tea.KeyPressMsg{Code: r, Text: key}
}

// meaning is the prompt with each token replaced by the address it names, and
// the addresses that the tokens name; "" where there is none.
func (d *Draft) meaning() (text string, named []string) {
	var b strings.Builder
	prompt, done := d.Prompt.Value(), 0
	all := map[api.MaterialKind][]string{}
	for _, r := range d.Attached() {
		k := api.MaterialKind(d.Materials.Kinds[r.Kind].Label)
		all[k] = append(all[k], r.Address)
	}
	for _, t := range api.Tokens(prompt) {
		address := ""
		if all := all[t.Kind]; t.Number >= 1 && t.Number <= len(all) {
			address = all[t.Number-1]
		}
		b.WriteString(prompt[done:t.Start] + "<" + address + ">")
		named, done = append(named, address), t.End
	}
	return b.String() + prompt[done:], named
}

// state is everything that undo is about.
func (d *Draft) state() string {
	text, _ := d.meaning()
	s := text + "\x00" + d.Mode.Value()
	for kind := range d.Materials.Kinds {
		s += fmt.Sprint("\x00", kind, d.Materials.Values(kind))
	}
	return s
}

// TestUndoneRemovalBringsTheMaterialBack is what went wrong: of three images
// the first was removed, and undo in the prompt gave the token its number back
// without the image, so that it named the second.
func TestUndoneRemovalBringsTheMaterialBack(t *testing.T) {
	t.Parallel()
	r := boat
	r.ImageFiles = []string{"https://a.example/1.png", "https://a.example/2.png", "https://a.example/3.png"}
	d := New(newEnv(t), api.KindVideo, &Links{})
	d.Form.Resize(80, 30)
	d.Load(r, false)
	before, _ := d.meaning()
	d.Form.Focus(d.Materials)
	for _, key := range []string{"up", "up", "up", "up", "delete"} {
		d.Form.Key(named(key))
	}
	expect.Len(t, d.Materials.Values(images), 2, "the first of three removed leaves")
	expect.Equal(t, d.Prompt.Value(), "boat 【@图片0】", "the prompt")
	frame := ansi.Strip(strings.Join(d.Form.Lines(), "\n"))
	expect.Contains(t, frame, "✗ 【@图片0】 named a material that was removed", "the token that names nothing")
	d.Form.Focus(d.Prompt)
	d.Form.Key(named("alt+z"))
	after, _ := d.meaning()
	expect.Equal(t, after, before, "undone in the prompt")
	expect.Len(t, d.Materials.Values(images), 3, "undone in the prompt")
	expect.That(t, d.Form.Focused() == d.Materials, "the row that came back is not shown")
	d.Form.Key(named("alt+y"))
	after, _ = d.meaning()
	expect.Equal(t, after, "boat <>", "done again")
}

// randomEdit is one edit of a person, and how it may change what a token names.
type randomEdit struct {
	*testing.T
	*Draft
	r     *rand.Rand
	fresh int // addresses used
}

func (e *randomEdit) address() string {
	e.fresh++
	return fmt.Sprintf("https://a.example/%d%s", e.fresh, [...]string{".png", ".mp4", ".mp3"}[e.r.IntN(3)])
}

func (e *randomEdit) keys(keys ...string) {
	for _, k := range keys {
		e.Form.Key(named(k))
	}
}

// onRow goes to a row of the list, and reports whether there is one.
func (e *randomEdit) onRow() bool {
	n := len(e.Attached())
	if n == 0 {
		return false
	}
	e.Form.Focus(e.Materials)
	e.keys(slices.Repeat([]string{"down"}, n)...)
	e.Form.Focus(e.Materials)
	e.keys(slices.Repeat([]string{"up"}, 1+e.r.IntN(n))...)
	return true
}

// write edits the prompt.
func (e *randomEdit) write() {
	e.Form.Focus(e.Prompt)
	switch kind := materialKinds[e.r.IntN(3)]; e.r.IntN(4) {
	case 0:
		e.Form.Paste(api.TokenText(kind, 1+e.r.IntN(4)))
	case 1:
		e.keys("backspace")
	case 2:
		e.keys("home")
	default:
		e.keys("a", "b", "space")
	}
}

// arrange edits the list. allowed says what a token that named one address may
// name now.
func (e *randomEdit) arrange() (did string, allowed func(before, after string) bool) {
	same := func(before, after string) bool { return before == after }
	ahead := func(before, after string) bool { return before == after || before == "" } // a number that was typed ahead
	if !e.onRow() || e.r.IntN(4) == 0 {
		address := e.address()
		e.Form.Focus(e.Materials)
		e.keys(slices.Repeat([]string{"down"}, len(e.Attached()))...)
		e.Form.Focus(e.Materials)
		e.Form.Paste(address)
		return "add " + address, ahead
	}
	switch e.r.IntN(5) {
	case 0:
		before := e.addresses()
		e.keys("delete")
		gone := func(address string) bool { return !slices.Contains(e.addresses(), address) }
		expect.Must(e, len(e.addresses()) == len(before)-1, len(e.addresses()), "rows of", len(before), "after removing one")
		return "remove", func(before, after string) bool { return before == after || after == "" && gone(before) }
	case 1:
		e.keys("alt+up")
		return "up", same
	case 2:
		e.keys("alt+down")
		return "down", same
	case 3:
		e.keys("right")
		return "kind", ahead
	}
	address := e.address()
	e.keys("enter", "x")
	e.Form.Paste(address)
	e.keys("enter")
	return "edit", func(before, after string) bool { return before == after || strings.HasSuffix(after, address) }
}

func (e *randomEdit) addresses() []string {
	return api.Map(e.Attached(), func(r Material) string { return r.Address })
}

// sentAsShown asks that the numbers of the rows are those of the request, unless
// there are more rows of a kind than can be sent, which is a problem.
func (e *randomEdit) sentAsShown() {
	if len(e.overfull()) > 0 {
		return
	}
	for _, r := range e.Attached() {
		token := api.Tokens(tokenOf(e.Materials.EntryName(r.Kind, r.N)))[0]
		all := e.Request.Materials(token.Kind)
		expect.Must(e, token.Number <= len(all) && all[token.Number-1] == r.Address, token, "is shown as", r.Address, "sent are", all)
	}
}

// TestATokenKeepsItsMaterial makes random edits of prompt, materials and mode.
// An edit of the list changes what a token names only as it says: the material
// is gone, has another address, or one was added under a number that was typed
// ahead. Undo and redo come by states there were, materials and prompt alike.
func TestATokenKeepsItsMaterial(t *testing.T) {
	t.Parallel()
	for seed := range uint64(75) {
		d := New(newEnv(t), api.KindVideo, &Links{})
		d.Form.Resize(80, 30)
		e := &randomEdit{T: t, Draft: d, r: rand.New(rand.NewPCG(seed, 5))}
		seen := map[string]bool{d.state(): true}
		for step := range 60 {
			did, undoing := "", false
			_, before := d.meaning()
			var allowed func(before, after string) bool
			switch n := e.r.IntN(12); {
			case n < 4:
				e.write()
			case n < 8:
				did, allowed = e.arrange()
			case n == 8:
				d.Form.Focus(d.Mode)
				e.keys("right")
			default:
				did, undoing = [...]string{"alt+z", "alt+z", "alt+y"}[e.r.IntN(3)], true
				e.keys(did)
			}
			_, after := d.meaning()
			e.sentAsShown()
			now := d.state()
			expect.Must(t, !undoing || seen[now], "seed", seed, "step", step, did, "gives what never was", now)
			seen[now] = true
			if allowed == nil {
				continue
			}
			expect.Must(t, len(before) == len(after), "seed", seed, "step", step, did, "leaves", len(after), "tokens of", len(before))
			for i := range before {
				expect.Must(t, allowed(before[i], after[i]), "seed", seed, "step", step, did, "a token names", after[i], "before", before[i])
			}
		}
	}
}

func TestAlternativesAreMarkedIfTheyAreSentApart(t *testing.T) {
	d := New(newEnv(t), api.KindImage, &Links{})
	for text, want := range map[string]form.Mark{"{a|b}": form.MarkToken, `{"scene": "a|b"}`: form.MarkNone, "{x}": form.MarkNone} {
		expect.Equal(t, d.mark(text), want, text)
	}
}
