package expand

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

func promptsOf(t *testing.T, prompt string, lists Lists) []string {
	t.Helper()
	set, err := Requests(api.Request{Kind: api.KindImage, Prompt: prompt}, lists, MaxRequests)
	expect.Must(t, err == nil, prompt, err)
	return api.Map(set.All, func(v Variation) string { return v.Request.Prompt })
}

// TestPrompts names each form of the syntax.
func TestPrompts(t *testing.T) {
	t.Parallel()
	lists := Lists{"colour": {"red", "blue"}, "สี": {"แดง"}, "thing": {"a {big|small} boat", "__colour__ koi"}}
	for _, c := range []struct {
		prompt string
		want   []string
	}{
		{"a boat", []string{"a boat"}},
		{"", []string{""}},
		{"a {red|blue} boat", []string{"a red boat", "a blue boat"}},
		{"{a|b}{c|d}", []string{"ac", "ad", "bc", "bd"}},
		{"{a {b|c}|d}", []string{"a b", "a c", "d"}},
		{"{very |}big", []string{"very big", "big"}},
		{"{a|a|b}", []string{"a", "b"}},
		{"{2$$a|b|c}", []string{"a, b", "a, c", "b, c"}},
		{"{2$$ red | blue | green }", []string{"red, blue", "red, green", "blue, green"}},
		{"{3$$a|b|c}", []string{"a, b, c"}},
		{"{1$$a|b}", []string{"a", "b"}},
		{"{2$${a|b}|c}", []string{"a, c", "b, c"}},
		{"{4$$a|b|c} {99999999999999999999$$a|b}", []string{"{4$$a|b|c} {99999999999999999999$$a|b}"}},
		{"{0$$a|b}", []string{"{0$$a|b}"}},
		{`\{a|b\}`, []string{"{a|b}"}},
		{`{a\|b|c}`, []string{"a|b", "c"}},
		{`{a\}|c}`, []string{"a}", "c"}},
		{`\\{a|b}`, []string{`\a`, `\b`}},
		{`\\\{a|b}`, []string{`\{a|b}`}},
		{`{a\\|b\\} c`, []string{`a\ c`, `b\ c`}},
		{`{a\\\|b|c} \\__colour__`, []string{`a\|b \red`, `a\|b \blue`, `c \red`, `c \blue`}},
		{`C:\pictures\n`, []string{`C:\pictures\n`}},
		{"}|{", []string{"}|{"}},
		{"{}", []string{"{}"}},
		{"{a}", []string{"{a}"}},
		{"{a|b", []string{"{a|b"}},
		{"{a|{b|c}", []string{"{a|b", "{a|c"}},
		{`{"text": "__colour__ \\__a__"}`, []string{`{"text": "__colour__ \\__a__"}`}},
		{`{"text": "{a|b}", "n": [1, {"}": 2}]} {c|d}`, []string{`{"text": "{a|b}", "n": [1, {"}": 2}]} c`, `{"text": "{a|b}", "n": [1, {"}": 2}]} d`}},
		{`{ "a": "\{" }`, []string{`{ "a": "{" }`}}, // no JSON: its escape is none
		{strings.Repeat(`{"a" `, 19) + `{"a": "b|c"}`, []string{strings.Repeat(`{"a" `, 19) + `{"a": "b|c"}`}},
		{strings.Repeat(`{"a" `, 20) + `{"a": "b|c"}`, []string{strings.Repeat(`{"a" `, 20) + `"a": "b`, strings.Repeat(`{"a" `, 20) + `c"`}}, // few are tried
		{strings.Repeat(`{a} `, 20) + `{ "a": "b|c"}`, []string{strings.Repeat(`{a} `, 20) + `{ "a": "b|c"}`}},
		{`{color: red; width: 3}`, []string{`{color: red; width: 3}`}},
		{"a __colour__ boat", []string{"a red boat", "a blue boat"}},
		{"__สี__", []string{"แดง"}},
		{"__thing__", []string{"a big boat", "a small boat", "red koi", "blue koi"}},
		{"__init__", []string{"__init__"}},
		{`\__colour__`, []string{"__colour__"}},
		{"____", []string{"____"}},
		{"{红|蓝}船", []string{"红船", "蓝船"}},
		{"{【@图片1】|【@图片2】} sails", []string{"【@图片1】 sails", "【@图片2】 sails"}},
	} {
		expect.List(t, promptsOf(t, c.prompt, lists), c.want, c.prompt)
	}
}

func TestBegun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a __": "", "a __co": "co", "__a__ and __b": "b", "__a____": "", "__light-in": "light-in", "纸船 __颜": "颜", "__a_b_": "a_b_",
	} {
		got, ok := Begun(text)
		expect.That(t, ok && got == want, text, "ends in", got, ok, "want", want)
	}
	for _, text := range []string{"", "a", "a _", "__co lour", "__colour__", "__a__ b", "__a__!"} {
		got, ok := Begun(text)
		expect.That(t, !ok, text, "begins the name", got)
	}
}

func TestFieldsMultiply(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	pattern := api.Request{
		Kind: api.KindVideo, Model: api.Seedance2, Prompt: "{a|b} boat", Seed: &seed,
		Vary: map[string][]string{api.FieldSeed: {"41", "42", "041"}, api.FieldVideoModel: {"fast", "standard"}},
	}
	set := simtest.Must(Requests(pattern, nil, DefaultLimit))(t)
	expect.That(t, slices.Equal(set.Factors, []int{2, 2, 2}) && set.Count == 8 && len(set.All) == 8,
		"factors", set.Factors, len(set.All), "requests")
	var labels []string
	for i := range set.All {
		before, last := SplitLabel(set.All[i].Label)
		labels = append(labels, JoinLabel(before, last))
		r := set.All[i].Request
		expect.That(t, r.Vary == nil && fmt.Sprint("seed ", *r.Seed) == last && strings.Contains(before, r.VideoModel), labels[i], r)
	}
	expect.That(t, labels[3] == "a · standard · seed 42" && labels[7] == "b · standard · seed 42" &&
		slices.Equal(Axis(labels[:4]), []string{"seed 41", "seed 42"}), labels, "axis", Axis(labels[:4]))
	expect.Equal(t, seed, 7, "the pattern's own seed was changed")
	before, last := SplitLabel("ink")
	expect.All(t, " ink [] true", before, last, Axis([]string{"ink"}), set.Several())
	one, err := Requests(api.Request{Prompt: "a"}, nil, 1)
	expect.That(t, err == nil && !one.Several() && (&Set{Factors: []int{2}}).Several(), "one request", one, err)
	pattern.Prompt, pattern.Vary = "{"+strings.Repeat("x", 41)+"| }", map[string][]string{api.FieldSeed: {"9"}}
	one, err = Requests(pattern, nil, 2)
	expect.That(t, err == nil && slices.Equal(one.Factors, []int{2, 1}) && *one.All[0].Request.Seed == 9 &&
		one.All[0].Label == strings.Repeat("x", 39)+"… · seed 9" && one.All[1].Label == "– · seed 9", one, err)
	for labels, want := range map[string][]string{
		"a · 1,a · 2,b · 1": {"1", "2"}, "a · 1,b · 1,b · 2,c · 3": {"1", "2", "3"}, "a · x · 2,a · y · 1,a · y · 2": {"1", "2"}, "a · 1,b": nil,
	} {
		expect.List(t, Axis(strings.Split(labels, ",")), want, labels, "the columns")
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	request := func(prompt string, vary map[string][]string) api.Request {
		return api.Request{Kind: api.KindImage, Prompt: prompt, Vary: vary}
	}
	expect.Fails(t, expect.Err(Requests(request("{a|b|c|d|e}{a|b|c|d|e}", nil), nil, 24)), "these are 25 requests, and at most 24", "25 of 24")
	expect.Fails(t, expect.Err(Requests(request(strings.Repeat("{a|b}", 500), nil), nil, 24)), "> 1,000,000,000 requests", "2^500")
	const ten = "{0|1|2|3|4|5|6|7|8|9}"
	for limit, prompt := range map[int]string{100: ten + ten, 1000: ten + ten + ten} {
		expect.Equal(t, len(simtest.Must(Requests(request(prompt, nil), nil, limit))(t).All), limit)
	}
	// Equal ones are dropped before they are counted.
	set, err := Requests(request("{a|a|a|a|a}{b|b|b|b|b}", nil), nil, 1)
	expect.That(t, err == nil && len(set.All) == 1 && set.Equal() == 24, "25 equal ones", len(set.All), err)
	lists := Lists{"a": {"x", "__b__"}, "b": {"__d__ __c__"}, "c": {"__b__"}, "d": {"y"}}
	_, err = Requests(request("__a__", nil), lists, 24)
	expect.That(t, errors.Is(err, ErrCycle) && err.Error() == "the list b names itself: b → c → b", "a cycle", err)
	for _, vary := range []map[string][]string{{"seed": {"1"}}, {"prompt": {"a"}}, {"resolution": {"720p"}}} {
		expect.Equal(t, api.ReasonOf(expect.Err(Requests(request("a", vary), nil, 24))).Format(), whyField, vary)
	}
	set, _ = Requests(request("__colours__ __colours__", nil), nil, 24)
	expect.That(t, slices.Equal(set.Missing, []string{"colours"}), "missing", set.Missing)
	at, rest := Unclosed("纸 {a|b} {{c|d {e}")
	expect.All(t, "10 {c|d {e}", at, rest)
}

// TestExpandingIsBounded: the work follows the prompt and the limit, not what lists
// hold or how often they name each other.
func TestExpandingIsBounded(t *testing.T) {
	t.Parallel()
	chain, long := Lists{"l24": {"a", "b"}}, strings.Repeat("x", 1<<20)
	for i := range 24 {
		next := fmt.Sprintf("__l%d__ __l%d__", i+1, i+1)
		chain[fmt.Sprint("l", i)] = []string{next, next}
	}
	names := make([]string, 1_000_000)
	if testing.Short() {
		names = names[:100_000]
	}
	for i := range names {
		names[i] = fmt.Sprintf("__none%d__", i)
	}
	deep := Lists{"l40": {"{2$$__l39__|__l39__}"}}
	for i := range 40 {
		deep[fmt.Sprint("l", i)] = []string{strings.Repeat(fmt.Sprintf("__l%d__", i-1), 40)}
	}
	delete(deep, "l0")
	for name, c := range map[string]struct {
		prompt string
		lists  Lists
		count  int // 0: it can be sent
	}{
		"lists that name a list twice": {"__l0__", chain, maxCount},
		"one text of many mentions":    {"__l40__", deep, 0},
		"as many entries as are read":  {"__l__", Lists{"l": slices.Repeat([]string{"{a|b}"}, 2*MaxRequests)}, 4 * MaxRequests},
		"one more":                     {"__l__", Lists{"l": slices.Repeat([]string{"{a|b}"}, 2*MaxRequests+1)}, 2*MaxRequests + 1},
		"a large list":                 {"__l__", Lists{"l": slices.Repeat([]string{"{a|b} __m__"}, 500000), "m": {"c"}}, 500000},
		"names without a list":         {strings.Join(names, ""), nil, 1},
		"long entries":                 {"__l__{a|b|c}__l____l__", Lists{"l": slices.Repeat([]string{long}, 6)}, 0},
	} {
		done := make(chan Set)
		go func() {
			set, _ := Requests(api.Request{Kind: api.KindImage, Prompt: c.prompt}, c.lists, MaxRequests)
			done <- set
		}()
		select {
		case set := <-done:
			expect.That(t, (c.lists != nil || len(set.Missing) == 100) && (c.count <= 0 || set.Count == c.count) && (c.count != 0 || len(set.All) > 0),
				name, set.Count, "requests,", len(set.All), "can be sent, want", c.count)
			for _, v := range set.All {
				n := len(v.Request.Prompt)
				expect.Must(t, n == 4*api.MaxPrompt+1 || n <= 4*api.MaxPrompt && name != "long entries", name, n, "bytes of a prompt")
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: not within a minute", name)
		}
	}
}

// TestCountIsTrue: for random patterns the count is that of the texts, each
// text stands in the Set exactly once, and the limit holds.
func TestCountIsTrue(t *testing.T) {
	t.Parallel()
	g := newGenerator(20260301)
	several := 0
	for range 8000 {
		prompt := g.pattern(4)
		p := &parser{read: map[string]*part{}}
		parts := simtest.Must(p.parse(prompt))(t)
		n := count(parts)
		if n > MaxRequests {
			continue
		}
		all := texts(parts)
		expect.That(t, len(all) == n, prompt, "counted", n, "made", len(all))
		set := simtest.Must(Requests(api.Request{Prompt: prompt}, nil, MaxRequests))(t)
		if n > 1 {
			several++
		}
		distinct := map[string]bool{}
		for _, one := range all {
			distinct[one.text] = true
		}
		expect.Must(t, len(distinct) == len(set.All) && set.Count == n,
			prompt, len(distinct), "distinct texts", len(set.All), "of", set.Count, "in the Set")
		if len(set.All) > 3 {
			cut, err := Requests(api.Request{Prompt: prompt}, nil, 3)
			expect.Must(t, err != nil && cut.All == nil, prompt, len(cut.All), "requests with a limit of 3", err)
		}
	}
	expect.That(t, several >= 2000, "only", several, "of the patterns had alternatives")
}

// TestEscape: an escaped text expands to itself alone.
func TestEscape(t *testing.T) {
	t.Parallel()
	g := newGenerator(7)
	for range 20000 {
		text, lists := g.pattern(3), Lists{"a": {"1", "2"}}
		got := promptsOf(t, Escape(text), lists)
		expect.Must(t, len(got) == 1 && got[0] == text, text, "escaped is", Escape(text), "and expands to", got)
		literal := Literal(text, lists)
		got = promptsOf(t, literal, lists)
		expect.That(t, len(got) == 1 && got[0] == text, text, "is", literal, "as a literal, and expands to", got)
		expect.That(t, strings.ContainsAny(text, "{}|") || strings.Contains(text, "__") || literal == text, text, "is escaped without need")
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, text, want, written string }{
		{api.FieldSeed, "41-44", "41 42 43 44", "41-44"},
		{api.FieldSeed, "41–43, 7, 7，9..10", "41 42 43 7 9 10", "41-43, 7, 9, 10"},
		{api.FieldSeed, "9223372036854775806-9223372036854775807", "9223372036854775806 9223372036854775807", "9223372036854775806, 9223372036854775807"},
		{api.FieldSize, " 1K, 2K ,,1K", "1K 2K", "1K, 2K"},
		{api.FieldAspectRatio, "16:9、1:1", "16:9 1:1", "16:9, 1:1"},
	} {
		got, err := Values(api.FieldNamed(c.field), c.text, 24)
		expect.That(t, err == nil && strings.Join(got, " ") == c.want && Text(api.FieldNamed(c.field), got) == c.written,
			c.field, c.text, got, "written", Text(api.FieldNamed(c.field), got), err)
		again, err := Values(api.FieldNamed(c.field), Text(api.FieldNamed(c.field), got), 24)
		expect.That(t, err == nil && slices.Equal(again, got), c.field, got, "does not come back from", Text(api.FieldNamed(c.field), got), err)
	}
	for _, bad := range []string{"x", "44-41", "-3", "1-x", "-", "1-9223372036854775807", "0-1000", "99999999999999999999"} {
		expect.Fails(t, expect.Err(Values(api.FieldNamed(api.FieldSeed), bad, 24)), "", "seed", bad)
	}
	for _, text := range []string{"5-1005", "0-999, 7"} {
		expect.Fails(t, expect.Err(Values(api.FieldNamed(api.FieldSeed), text, 24)), "these are 1001 requests, and at most 24", "1001 seeds")
	}
	expect.Equal(t, len(simtest.Must(Values(api.FieldNamed(api.FieldSeed), "5-1004", 24))(t)), 1000, "1000 seeds")
}

// FuzzRequests: no prompt breaks it, the count holds, nothing is made twice and
// an escaped prompt is itself.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{"a {b|c}", "{2$$a|b|c}", `\{a|b\}`, "__a__", `{"a":"{b|c}"}`, "{a|{b|c}", `\\{a|b}`, "{{{|||}}}", "____a__", "{1$$__a__|}", "{\"{\"{\"|}"} {
		f.Add(s, "red\n{x|y}\n__b__", "b\n__a__")
	}
	f.Fuzz(func(t *testing.T, prompt, a, b string) {
		lists := Lists{"a": strings.Split(a, "\n"), "b": strings.Split(b, "\n")}
		set, err := Requests(api.Request{Prompt: prompt}, lists, DefaultLimit)
		if err == nil {
			expect.That(t, len(set.All) >= 1 && len(set.All) <= DefaultLimit && len(set.All) <= set.Count, len(set.All), "requests of", set.Count)
			product := 1
			for _, n := range set.Factors {
				product *= n
			}
			expect.Equal(t, product, set.Count, "the product of", set.Factors)
		}
		seen := map[string]bool{}
		for _, v := range set.All {
			expect.That(t, !seen[v.Request.Prompt], v.Request.Prompt, "twice")
			seen[v.Request.Prompt] = true
		}
		self, err := Requests(api.Request{Prompt: Escape(prompt)}, lists, 1)
		expect.That(t, err == nil && len(self.All) == 1 && self.All[0].Request.Prompt == prompt,
			prompt, "escaped is", Escape(prompt), self.All, err)
	})
}

// generator makes random patterns, valid and broken ones.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 1))} }

func (g generator) pattern(depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		switch n := g.IntN(12); {
		case n < 4 && depth > 0:
			b.WriteByte('{')
			if g.IntN(3) == 0 {
				fmt.Fprintf(&b, "%d$$", g.IntN(4))
			}
			for i := range 1 + g.IntN(3) {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(g.pattern(depth - 1))
			}
			b.WriteByte('}')
		case n == 4:
			b.WriteByte("{}|"[g.IntN(3)])
		case n == 5:
			b.WriteString(strings.Repeat(`\`, 1+g.IntN(3)))
		case n == 6:
			b.WriteString([]string{"__a__", "__", `{"k": "v|w"}`, "_"}[g.IntN(4)])
		default:
			b.WriteString([]string{"a", "b", "红", " "}[g.IntN(4)])
		}
	}
	return b.String()
}

// TestExpansionsStay: what random patterns expand to, and what each is as a literal,
// is as it was. Who changes the syntax looks at the lines that differ.
func TestExpansionsStay(t *testing.T) {
	t.Parallel()
	g := newGenerator(42)
	var b strings.Builder
	for range 150 {
		prompt := g.pattern(3)
		lists := Lists{"a": {"1", "{x|y}", ""}}
		set, err := Requests(api.Request{Kind: api.KindImage, Prompt: prompt, Vary: map[string][]string{api.FieldSize: {"1K", "2K"}}}, lists, 24)
		fmt.Fprintf(&b, "%q\t%d equal %d %v\t%q", prompt, set.Count, set.Equal(), set.Factors, Literal(prompt, lists))
		for _, v := range set.All {
			fmt.Fprintf(&b, "\t%q %s", v.Request.Prompt, v.Label)
		}
		fmt.Fprintf(&b, "\t%v\n", err)
	}
	golden.RequireEqual(t, []byte(b.String()))
}
