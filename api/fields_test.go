package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
)

func everyField() Request {
	seed := int64(-7)
	return Request{Kind: KindVideo, Model: Seedance2, Prompt: "纸船 <b>&\u2028\"\n", ImageURL: "https://example.com/?a=1&b=2",
		EndImageURL: "https://e.com/e", ImageFiles: []string{"https://e.com/1", "https://e.com/2"}, VideoURL: "https://e.com/v",
		VideoFiles: []string{"https://e.com/v1"}, AudioFiles: []string{"https://e.com/a"}, FunctionMode: ModeOmini, Seed: &seed,
		Duration: "5", AspectRatio: "16:9", Resolution: "720p", VideoModel: TierFast, Sync: true}
}

func TestBody(t *testing.T) {
	t.Parallel()
	listing := func(names ...string) Model {
		var m Model
		for _, n := range names {
			m.Parameters = append(m.Parameters, Parameter{Name: n})
		}
		return m
	}
	other := listing("ratio")
	other.ID = "another"
	short := func(duration string) Request {
		return Request{Kind: KindVideo, Model: "m", Prompt: "p", Duration: duration, AspectRatio: "1:1"}
	}
	for name, c := range map[string]struct {
		r    Request
		m    Model
		want string
	}{
		"every field": {everyField(), Model{}, `{"model":"seedance2","prompt":"纸船 <b>&\u2028\"\n","image_url":"https://example.com/?a=1&b=2","end_image_url":"https://e.com/e","image_files":["https://e.com/1","https://e.com/2"],"video_url":"https://e.com/v","video_files":["https://e.com/v1"],"audio_files":["https://e.com/a"],"functionMode":"omini","seed":-7,"duration":5,"aspect_ratio":"16:9","resolution":"720p","video_model":"fast","async":false}`},
		"image": {Request{Kind: KindImage, Model: "a/b", Prompt: "p", Size: "2K", Quality: "low", AspectRatio: "1:1", ImageURL: "https://e.com"}, Model{},
			`{"model":"a/b","prompt":"p","size":"2K","quality":"low","aspect_ratio":"1:1","image_url":"https://e.com","async":true}`},
		"misplaced fields are told": {Request{Kind: KindImage, Model: "a/b", Prompt: "p", Duration: "5"}, Model{},
			`{"model":"a/b","prompt":"p","duration":5,"async":true}`},
		"least":         {Request{Kind: KindVideo}, Model{}, `{"model":"","prompt":"","async":true}`},
		"decimal":       {short("5.50"), Model{}, `{"model":"m","prompt":"p","duration":5.50,"aspect_ratio":"1:1","async":true}`},
		"leading zeros": {short("005"), Model{}, `{"model":"m","prompt":"p","duration":5,"aspect_ratio":"1:1","async":true}`},
		"zero":          {short("00.5"), Model{}, `{"model":"m","prompt":"p","duration":0.5,"aspect_ratio":"1:1","async":true}`},
		"words":         {short("5s"), Model{}, `{"model":"m","prompt":"p","duration":"5s","aspect_ratio":"1:1","async":true}`},
		"no async":      {Request{Kind: KindImage, Model: "a/b", Prompt: "p", NoAsync: true}, Model{}, `{"model":"a/b","prompt":"p"}`},
		"extra": {Request{Kind: KindImage, Model: "a/b", Prompt: "p", Extra: []Extra{{"style", []byte(`"ink"`)}, {"steps", []byte("30")}, {`a"b`, []byte("1")}, {"x", []byte("1}")}, {"size", []byte(`"4K"`)}}}, Model{},
			`{"model":"a/b","prompt":"p","async":true,"style":"ink","steps":30}`},
		"ratio listed":  {short(""), listing("ratio"), `{"model":"m","prompt":"p","ratio":"1:1","async":true}`},
		"both listed":   {short(""), listing("ratio", "aspect_ratio"), `{"model":"m","prompt":"p","aspect_ratio":"1:1","async":true}`},
		"other listing": {short(""), other, `{"model":"m","prompt":"p","aspect_ratio":"1:1","async":true}`},
	} {
		expect.Equal(t, string(c.r.Body(c.m)), c.want, name)
	}
}

func TestParseBody(t *testing.T) {
	t.Parallel()
	want := everyField()
	got, err := ParseBody(KindVideo, want.Body(Model{Parameters: []Parameter{{Name: "ratio"}}}))
	expect.That(t, err == nil && reflect.DeepEqual(got, want), got, err, "want", want)
	seventeen := int64(17)
	got, err = ParseBody(KindVideo, []byte(`{"model":"m","prompt":null,"seed":"17.0","duration":"5","size":1024,"ratio":"1:1","aspect_ratio":"2:1","async":"false","more":{}}`))
	want = Request{Kind: KindVideo, Model: "m", Seed: &seventeen, Duration: "5", Size: "1024", AspectRatio: "2:1", Sync: true}
	expect.That(t, err == nil && reflect.DeepEqual(got, want), got, err, "want", want)
	for body, want := range map[string]string{
		`{"prompt":[]}`: "prompt has to be text", `{"image_files":"x"}`: "image_files has to be a list of texts",
		`{"image_files":["a",null]}`: "image_files has to be a list of texts", `{"seed":[]}`: "seed has to be an integer",
		`{"seed":1.5}`: "seed has to be an integer", `{"seed":"x"}`: "seed has to be an integer", `{"seed":9007199254740991.0}`: "",
		`{"seed":9007199254740992.0}`: "seed has to be an integer", `{"seed":1e999999999}`: "seed has to be an integer",
		`{"async":1}`: "async has to be true or false", `{"async":"true"}`: "", `{"ratio":{}}`: "ratio has to be text",
		``: errNotObject.Error(), `[]`: errNotObject.Error(), `null`: errNotObject.Error(), `{} {}`: errNotObject.Error(), `{`: errNotObject.Error(),
	} {
		expect.Equal(t, ReasonOf(expect.Err(ParseBody(KindVideo, []byte(body)))).String(), want, body)
	}
}

func TestPathAndEstimate(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]string{
		KindImage: "/api/v1/images/generations 268435456 true", KindVideo: "/api/v1/videos/generations 4294967296 true", "": " 4294967296 false",
	} {
		expect.Equal(t, fmt.Sprint((Request{Kind: kind}).Path(), " ", MaxBytes(kind), kind.Known()), want, kind)
	}
	video, image := everyField(), Request{Kind: KindImage, Model: "a/b", Size: "2K", Quality: "low", AspectRatio: "1:1", Prompt: "p"}
	listed := Model{Parameters: []Parameter{{Name: "image_size"}, {Name: "ratio"}}}
	for _, c := range []struct {
		r           Request
		m           Model
		query, body string
	}{
		{video, Model{}, "aspect_ratio=16%3A9&duration=5&model=seedance2&resolution=720p&video_model=fast",
			`{"model":"seedance2","duration":5,"video_model":"fast","resolution":"720p","aspect_ratio":"16:9"}`},
		{image, listed, "image_size=2K&model=a%2Fb&quality=low&ratio=1%3A1", `{"model":"a/b","image_size":"2K","quality":"low","ratio":"1:1"}`},
		{image, Model{}, "aspect_ratio=1%3A1&model=a%2Fb&quality=low&size=2K",
			`{"model":"a/b","size":"2K","quality":"low","aspect_ratio":"1:1"}`},
	} {
		query, body, key := c.r.EstimateQuery(c.m).Encode(), string(c.r.EstimateBody(c.m)), c.r.EstimateKey(c.m)
		expect.That(t, query == c.query && body == c.body && key == string(c.r.Kind)+"?"+query,
			"query", query, "want", c.query, "body", body, "want", c.body, "key", key)
	}
}

func TestTableEstimate(t *testing.T) {
	t.Parallel()
	want := map[string]string{"fast/720p": "425", "standard/720p": "425", "fast_vip/480p": "250", "fast_vip/720p": "500",
		"standard_vip/480p": "425", "standard_vip/720p": "500", "standard_vip/1080p": "1,000", "fast/": "425", "standard/": "425"}
	for _, tier := range append(VideoModels(), "", "turbo") {
		for _, res := range []string{"", "480p", "720p", "1080p", "4k"} {
			e := TableEstimate(Request{Kind: KindVideo, Model: Seedance2, VideoModel: tier, Resolution: res, Duration: "5"})
			amount, ok := want[tier+"/"+res]
			expect.That(t, e.Known() == ok && (!ok || e.Credits.String() == amount && e.Source == SourceTable),
				tier, "at", res, e.Credits, "from", e.Source, "want", amount)
		}
	}
	r := Request{Kind: KindVideo, Model: Seedance2, VideoModel: TierFast, Duration: "5.5"}
	expect.Equal(t, TableEstimate(r).Credits.String(), "467.5", "5.5 s")
	r.Duration = "1000000"
	expect.Equal(t, TableEstimate(r).Credits, 85_000_000*Credit, "the longest")
	for _, d := range []string{"", "0", "-1", "auto", "5s", "1e3", "1000000.000001", "999999999999999999"} {
		r.Duration = d
		e := TableEstimate(r)
		expect.That(t, !e.Known() && e.Credits == 0, "duration", d, e.Credits)
	}
	r.Duration, r.Model = "5", "SEEDANCE2"
	expect.Equal(t, TableEstimate(r).Credits.String(), "425", "in capitals")
	r.Model = "other"
	expect.That(t, !TableEstimate(r).Known(), "another model has a table estimate")
	expect.Equal(t, len(Rates()), 12, "cells")
}

func FuzzIndentKeepsTheValue(f *testing.F) {
	f.Add([]byte(`{"a":"x\u0026y\\u0026","b":["\u003c","\u003E\u00e9"]}`))
	f.Add([]byte(`"\\\u0026"`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out := Indent(raw)
		var before, after any
		if json.Unmarshal(raw, &before) != nil {
			return
		}
		err := json.Unmarshal(out, &after)
		expect.That(t, err == nil && reflect.DeepEqual(before, after), raw, "became", out, err)
	})
}

// TestIndent: addresses are as they were written, and the white space, which grows with
// the square of the depth, is bounded: 64 KiB of brackets would fill a gigabyte.
func TestIndent(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 32<<10) + strings.Repeat("]", 32<<10)
	for in, want := range map[string]string{
		`{"u":"https://a/?b=1\u0026c=2"}`: "{\n  \"u\": \"https://a/?b=1&c=2\"\n}",
		`["[[\"[",{"a":1}]`:               "[\n  \"[[\\\"[\",\n  {\n    \"a\": 1\n  }\n]",
		deep:                              deep,
	} {
		expect.Equal(t, string(Indent([]byte(in))), want, in)
	}
	nested := func(n int, open, end string) string { return strings.Repeat(open, n) + "1" + strings.Repeat(end, n) }
	for text, raw := range map[string]bool{
		nested(64, "[", "]"): false, nested(65, "[", "]"): true, nested(64, `{"a":`, "}"): false, nested(65, `{"a":`, "}"): true,
		"[" + strings.Repeat("[],{},", 70) + "1]": false, "[1e999," + nested(70, "[", "]") + "]": true,
	} {
		expect.Equal(t, string(Indent([]byte(text))) == text, raw, text)
	}
	expect.That(t, IsDocument("{}") && !IsDocument(`"a"`) && !IsDocument("3") && !IsDocument("") && !IsDocument("{") && IsDocument(" [] "), "a document")
}

func TestExtraHasTheListedType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, text, want string }{
		{"integer", "30", "30"}, {"integer", "3.5", ""}, {"int", "-4", "-4"}, {"integer", "007", ""},
		{"number", "0.5", "0.5"}, {"number", "1e9", ""}, {"float", "NaN", ""},
		{"boolean", "true", "true"}, {"boolean", "1", ""}, {"boolean", "T", ""},
		{"string", "30", `"30"`}, {"", "true", `"true"`}, {"enum", `a"b`, `"a\"b"`},
		{"array", `["a",1]`, `["a",1]`}, {"array", `"a"`, ""}, {"object", `{"a":1}`, `{"a":1}`}, {"object", `[]`, ""},
	} {
		e, ok := Parameter{Name: "style", Type: c.kind}.Extra(c.text)
		expect.That(t, ok == (c.want != "") && (!ok || string(e.Value) == c.want), c.kind, c.text, "gives", string(e.Value), ok, "want", c.want)
		expect.That(t, !ok || e.Text() == c.text, string(e.Value), "is typed as", e.Text(), "want", c.text)
	}
	m := Model{Parameters: []Parameter{{Name: "prompt"}, {Name: "image_size"}, {Name: "style"}, {Name: "ratio"}, {Name: `a"b`}, {Name: "steps"}}}
	got := m.Extras()
	expect.That(t, len(got) == 2 && got[0].Name == "style" && got[1].Name == "steps", "extra parameters", got)
}

func TestReadRequest(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	video := Request{Kind: KindVideo, Model: Seedance2, Prompt: "it's a boat", Duration: "5", Seed: &seed}
	image := Request{Kind: KindImage, Model: "acme/brush", Prompt: "a boat", Size: "2K"}
	plain := Request{Model: "acme/brush", Prompt: "a boat"}
	for text, want := range map[string]Request{
		`{"job":"7f3a","kind":"video","model":"seedance2","request":{"kind":"video","model":"seedance2","prompt":"it's a boat","duration":"5","seed":7},"files":[]}`: video,
		" \n" + `{"model":"seedance2","prompt":"it's a boat","duration":5,"seed":7,"async":true}` + "\n":                                                             video,
		`{"model":"acme/brush","prompt":"a boat","size":"2K"}`:                                                                                                       image,
		`{"prompt":"a boat","size":"2K","model":"acme/brush"}`:                                                                                                       image,
		`{"model":"acme/brush","prompt":"a boat"}`:                                                                                                                   plain,
		`{"kind":"video","request":{"prompt":"a"}}`:                                                                                                                  {Kind: KindVideo, Prompt: "a"}, `{"prompt":"a","ratio":"1:1"}`: {Prompt: "a", AspectRatio: "1:1"},
		`{"prompt":"a","resolution":"1p"}`: {Kind: KindVideo, Prompt: "a", Resolution: "1p"}, `{"model":"seedance2","prompt":"a"}`: {Kind: KindVideo, Model: Seedance2, Prompt: "a"},
		strings.Repeat(" ", 1<<20) + `{"prompt":"a"}`: {Prompt: "a"}, `{"prompt":"a"` + strings.Repeat(" ", 1<<20-len(`{"prompt":"a"}`)) + "}": {Prompt: "a"},
		`curl https://a.example/api/v1/images/generations -d '{"prompt":"a"}'`: {Kind: KindImage, Prompt: "a"},
		"curl --request POST 'https://api.example.com/api/v1/videos/generations' \\\n  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n  --data-raw '{\"model\":\"seedance2\",\"prompt\":\"it'\\''s a boat\",\"duration\":5,\"seed\":7}'\n": video,
		`curl -X POST https://api.example.com/api/v1/images/generations -d "{\"model\":\"acme/brush\",\"prompt\":\"a boat\",\"size\":\"2K\"}"`:                                                                                                       image,
		`curl https://api.example.com/x --json={"model":"acme/brush","prompt":"a" }`:                                                                                                                                                                 {},
	} {
		got, ok := ReadRequest(text)
		expect.That(t, ok == (want.Prompt != "") && (!ok || reflect.DeepEqual(got, want)), text, "is", got, ok, "want", want)
	}
	for _, text := range []string{
		"", "{", "{}", "a boat", "curl", "curl -d", "curling stones on ice", "curl of smoke", `{"scene":"a boat"}`, `{"prompt":"a boat","scene":"harbour"}`,
		`{"prompt":5,"mood":"calm"}`, `{"kind":"video","request":{}}`, `{"kind":"poem","request":{"prompt":"a"}}`, `[{"prompt":"a","model":"b"}]`,
		`{"prompt":"","size":"2K"}`, `{"model":"a","prompt":"b","image_files":5}`, `curled -d '{"model":"a","prompt":"b"}'`, `wget -d '{"model":"a","prompt":"b"}'`,
		`{"prompt":"a"` + strings.Repeat(" ", 1<<20) + "}", `{"prompt":"a","image_size":"2K"}`, `{"model":"a","prompt":"b"} and more`, `{"model":"seedance2","prompt":["a"]}`,
	} {
		r, ok := ReadRequest(text)
		expect.That(t, !ok, text, "is read as", r)
	}
}

// FuzzReadRequest checks that no text stops the reader, and that what it takes for a request can be written as one.
func FuzzReadRequest(f *testing.F) {
	f.Add(`{"kind":"image","request":{"prompt":"a","model":"b"}}`)
	f.Add(`curl -d '{"model":"a","prompt":"b"}' "https://x/api/v1/images/generations"`)
	f.Add(`curl --json "{\"prompt\":\"\\u0000\"}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := ReadRequest(text)
		if !ok {
			return
		}
		expect.That(t, r.Prompt != "" && (r.Kind == "" || r.Kind.Known()) && json.Valid(r.Body(Model{})), text, "is read as", r)
	})
}

// TestWhatIsReadIsBounded: a file of any size gives a form that can be edited, and that says what is too many.
func TestWhatIsReadIsBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, 40000)
	for i := range many {
		many[i] = "https://a.example/" + strconv.Itoa(i)
	}
	large := Request{Kind: KindVideo, Model: Seedance2, Prompt: "p", ImageFiles: many, VideoFiles: many[:5], AudioFiles: many[:1],
		Vary: map[string][]string{FieldSeed: many}}
	for name, write := range map[string]func(Request) any{
		"recipe": func(r Request) any { return map[string]any{"kind": r.Kind, "request": r} },
		"body":   func(r Request) any { return json.RawMessage(r.Body(Model{})) },
	} {
		for _, n := range []int{10, 5000} {
			large.ImageFiles, large.Vary[FieldSeed] = many[:n], many[:n]
			text, err := json.Marshal(write(large))
			expect.Is(t, err, nil)
			r, ok := ReadRequest(string(text))
			expect.All(t, "true 10 4 1", ok, len(r.ImageFiles), len(r.VideoFiles), len(r.AudioFiles))
			expect.That(t, len(r.Vary[FieldSeed]) <= min(n, 1001), name, "of", n, "has", len(r.Vary[FieldSeed]), "seeds")
			found := Check(r, Model{}, "")
			expect.That(t, len(found) == 2 && found[0].Code == "too_many", name, "of", n, found)
		}
	}
}

func TestCurlIsQuotedForAShell(t *testing.T) {
	t.Parallel()
	got := Curl("https://api.example.com/api/v1/images/generations", []byte(`{"prompt":"it's $HOME; `+"`id`"+`"}`))
	for _, want := range []string{`'{"prompt":"it'\''s $HOME; ` + "`id`" + `"}'`, `"Authorization: Bearer $DARKROOM_API_KEY"`, "'https://api.example.com/api/v1/images/generations'"} {
		expect.Contains(t, got, want, "curl")
	}
}

func TestShellWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		``: nil, `jobs`: {"jobs"}, "  job \t ab  ": {"job", "ab"}, `image --size "2 K"`: {"image", "--size", "2 K"},
		`job 'a "b" \c' ""`: {"job", `a "b" \c`, ""}, `a\ b "c\"d" 纸船`: {"a b", `c"d`, "纸船"},
		`--image-files=https://a.b/c"d"e`: {"--image-files=https://a.b/cde"}, "a\x00b\tc\rd\ne": {"a\x00b", "c", "d", "e"},
		"a\\\nb \"c\\\nd\"": {"ab", "cd"}, `"\x \$'" 'a\' x''`: {`\x $'`, `a\`, "x"}, `a\'`: {"a'"}, `\  x`: {" ", "x"},
	} {
		got, whole := ShellWords(line)
		expect.That(t, whole && slices.Equal(got, want), line, got, whole, "want", want)
	}
	for _, line := range []string{`"`, `a 'b`, `a\`} {
		got, whole := ShellWords(line)
		expect.That(t, !whole, line, got)
	}
}

func TestQuoteShell(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"estimate_price": "estimate_price", "": "''", "查询": "'查询'", "x; touch y": "'x; touch y'", "$(id)": "'$(id)'", "`id`": "'`id`'",
		"a|b": "'a|b'", "a>b": "'a>b'", "~": "'~'", "a'; id '": `'a'\''; id '\'''`, "a\nid": "'a\nid'",
	} {
		expect.Equal(t, QuoteShell(text), want, text)
		words, whole := ShellWords(want)
		expect.That(t, whole && slices.Equal(words, []string{text}), text, "is read as", words)
	}
}

func TestATotalFromARate(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		unit, duration string
		kind           Kind
		rate, want     Credits // want 0: unknown
	}{
		{"second", "5", KindVideo, 85 * Credit, 425 * Credit}, {"second", "2.5", KindVideo, 500_000, 1_250_000},
		{"second", "0.3", KindVideo, 1, 1}, // rounded up: a price is never less than it is
		{"second", "auto", KindVideo, 85 * Credit, 0}, {"second", "", KindVideo, 85 * Credit, 0}, {"second", "0", KindVideo, 85 * Credit, 0},
		{"second", "5", KindImage, 85 * Credit, 0}, {"second", "1.5", KindVideo, 3, 5},
		{"second", "5", KindVideo, MaxCredits / 1_000_000, MaxCredits / 1_000_000 * 5}, {"second", "5", KindVideo, MaxCredits/1_000_000 + 1, 0},
		{"minute", "5", KindVideo, 85 * Credit, 0}, {"USD", "5", KindVideo, 85 * Credit, 0},
	} {
		e := Estimate{Credits: row.rate, Source: SourceService, Unit: row.unit}.Total(Request{Kind: row.kind, Duration: row.duration})
		expect.That(t, e.Known() == (row.want > 0) && (row.want <= 0 || e.Credits == row.want), row, e)
	}
}

func TestTheHigherOfServiceAndTable(t *testing.T) {
	t.Parallel()
	r := Request{Kind: KindVideo, Model: Seedance2, Duration: "10", VideoModel: TierFastVIP, Resolution: "720p"} // 1,000
	for _, row := range []struct {
		service, want Credits
		source        Source
		differs       bool
	}{
		{0, 1000 * Credit, SourceTable, true}, {999 * Credit, 1000 * Credit, SourceTable, true},
		{1000 * Credit, 1000 * Credit, SourceService, false}, {1200 * Credit, 1200 * Credit, SourceService, true},
	} {
		e := Estimate{Credits: row.service, Source: SourceService}.WithTable(r).WithTable(r)
		expect.That(t, e.Credits == row.want && e.Source == row.source && e.Differs == row.differs && (!e.Differs || e.Service == row.service &&
			e.Table == 1000*Credit), row.service, e)
		raw, _ := json.Marshal(e)
		var again Estimate
		err := json.Unmarshal(raw, &again)
		expect.That(t, err == nil && again.Differs == e.Differs && again.Service == e.Service && again.Table == e.Table, raw, again, err)
	}
	own, other := Estimate{Credits: 1, Source: SourceTable}, r
	other.Model = "another"
	e, none := own.WithTable(r), (Estimate{Source: SourceService}).WithTable(other)
	expect.That(t, !e.Differs && e.Credits == 1 && !none.Differs && none.Credits == 0, e, none)
	sum := own.Plus(own)
	expect.All(t, "2 table false false", int(sum.Credits), sum.Source, own.Plus(Estimate{}).Known(), Estimate{}.Plus(own).Known())
}

// A request that leaves tier, resolution or duration to the service costs at
// least what the cheapest that it may mean does.
func TestAnOpenPriceHasALeast(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		tier, resolution, duration string
		service, want              Credits
	}{
		{"", "", "5", 0, 250 * Credit}, {"", "", "5", 249 * Credit, 250 * Credit}, {"", "", "5", 251 * Credit, 251 * Credit},
		{"", "1080p", "5", 0, 1000 * Credit}, {"standard_vip", "", "4", Credit, 340 * Credit},
		{"", "", "", 0, 50 * Credit}, {"", "", "long", 0, 50 * Credit}, {"", "", "0.0000001", 0, 50 * Credit}, {"cheap", "", "5", 0, 0},
	} {
		r := Request{Kind: KindVideo, Model: Seedance2, Duration: row.duration, VideoModel: row.tier, Resolution: row.resolution}
		e := Estimate{Credits: row.service, Source: SourceService}.WithTable(r).WithTable(r)
		expect.That(t, e.Credits == row.want && e.Differs == (row.service != row.want), row, e)
	}
}

func TestAnOldFigureDoesNotCount(t *testing.T) {
	t.Parallel()
	now := time.Now()
	e := Estimate{Credits: Credit, Source: SourceService, At: now.Add(-FreshFor - time.Second)}
	got, fresh := e.Current(Request{}, now)
	expect.That(t, !fresh && !got.Known(), got)
	r := Request{Kind: KindVideo, Model: Seedance2, Duration: "10", VideoModel: TierFastVIP, Resolution: "720p"}
	got, fresh = e.Current(r, now)
	expect.That(t, !fresh && got.Credits == 1000*Credit, got)
	for at, want := range map[time.Duration]bool{0: true, -FreshFor: true, -FreshFor - 1: false, 1: false} {
		e.At = now.Add(at)
		table, both := e, e
		table.Source, both.Source, both.Differs = SourceTable, SourceTable, true
		got, fresh := e.Current(r, now)
		expect.That(t, fresh == want && (!fresh || got.At.Equal(e.At)), "at", at, "it is fresh:", fresh, "of", got.At)
		expect.That(t, both.Fresh(now) == want && table.Fresh(now), "at", at, "with the table's, or the table's alone", both, table)
	}
	e.Sent, e.SentAt = Credit-1, now
	same, never := e, e
	same.Sent, never.SentAt = Credit, time.Time{}
	expect.All(t, "true false false", e.Dearer(), same.Dearer(), never.Dearer())
}

// TestEstimateKeyFollowsTheEstimate changes every field of a request: the key
// changes exactly when the question to the service, or the table's figure, does.
func TestEstimateKeyFollowsTheEstimate(t *testing.T) {
	t.Parallel()
	base := Request{Kind: KindVideo, Model: Seedance2, Prompt: "boat", VideoModel: TierFast, Resolution: "720p", Duration: "5"}
	for _, f := range Fields("") {
		other := base
		other.Sync = f.Set(&other, "7")
		asked := string(other.EstimateBody(Model{})) != string(base.EstimateBody(Model{}))
		differs := other.EstimateKey(Model{}) != base.EstimateKey(Model{})
		expect.That(t, differs == asked && differs == Estimated(f.Name), f.Name, "the key differs:", differs, "the question:", asked)
	}
	image := base
	image.Kind = KindImage
	expect.That(t, image.EstimateKey(Model{}) != base.EstimateKey(Model{}),
		"an image has the key of a video, whose figure the rate table knows")
}

func TestParseCredits(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"425": "425", "0": "0", "0.6": "0.6", "6.251": "6.251", " 12.0 ": "12", "1.2e3": "1,200", "1E-3": "0.001",
		"0.0000005": "0.000001", "0.00000041": "0", "0.0": "0", " 0e5 ": "0", "-0": "0", "+5": "5", ".5": "0.5", "5.": "5", "9000000000000": "9,000,000,000,000",
		"0e999999": "0", "1E-3000": "0", "1e-9": "0",
		"1e3000": "!", "1e999999999": "!", "9000000000001": "!", "-1": "!", "": "!", "abc": "!", "NaN": "!", "inf": "!",
		"0x10": "!", "1_000": "!", "1/3": "!", "1,5": "!", "1e-999999999": "0", "1e-999999": "0", "5 credits": "!", strings.Repeat("0", 40): "0", strings.Repeat("0", 41): "!", "1e-7": "0", "0.0000006": "0.000001",
		"12.4999999": "12.5", "12.600000000000001": "12.6", "8999999999999.9999999": "9,000,000,000,000",
	} {
		got, err := ParseCredits(in)
		limit, refused := ParseLimit(in)
		wrong := want == "!"
		expect.That(t, (err != nil) == wrong && (wrong || got.String() == want), "ParseCredits", in, got, err, "want", want)
		// A price is rounded up, but for the noise of binary fractions.
		price, failed := ParsePrice(in)
		up := map[string]string{"0.00000041": "0.000001", "1e-7": "0.000001", "1e-9": "0.000001"}
		expect.That(t, (failed != nil) == wrong && (wrong || price.String() == cmp.Or(up[in], want)), "ParsePrice", in, price, failed)
		// A limit is rounded down, and one of which nothing is left is not read as none.
		down := map[string]string{"0.0000005": "!", "0.0000006": "!", "12.4999999": "12.499999", "8999999999999.9999999": "8,999,999,999,999.999999"}
		want = cmp.Or(down[in], want)
		expect.That(t, (refused != nil) == (want == "!" || (want == "0" && strings.Contains(in, "1"))) &&
			(refused != nil || limit.String() == want), "ParseLimit", in, limit, refused)
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for credits, want := range map[Credits]string{0: "", 1: " (0.01 EUR)", Credit: " (0.01 EUR)", 12_500_000: " (0.13 EUR)", 425 * Credit: " (4.25 EUR)", 1_840_000 * Credit: " (18,400.00 EUR)"} {
		got := (Money{Credit / 100, "EUR"}).Of(credits)
		expect.That(t, got == want && (Money{}).Of(credits) == "", credits, got, "want", want)
	}
	for given, want := range map[string]string{"726.666667": "727", "0.354": "0.354", "12.444": "12.4", "18432.4": "18,432", "999.9": "1,000", "0": "0"} {
		c, err := ParseCredits(given)
		expect.That(t, err == nil && c.Round().String() == want, given, "is rounded to", c.Round(), err)
	}
}

func TestCreditsJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"12.5": "12.5", "1e2": "100", `"0.6"`: "0.6"} {
		var c Credits
		err := json.Unmarshal([]byte(in), &c)
		out, _ := json.Marshal(c)
		expect.That(t, err == nil && string(out) == want, in, "becomes", string(out), err)
	}
	var c Credits
	for _, in := range []string{"-1", "true", `"x"`, "1e400", "[]"} {
		expect.That(t, json.Unmarshal([]byte(in), &c) != nil, in, "is read as", c)
	}
	for c, want := range map[Credits]string{-12_500_000: "-12.5 credits", -1_234_567 * Credit: "-1,234,567 credits", -123 * Credit: "-123 credits",
		100_000 * Credit: "100,000 credits", Credit: "1 credit"} {
		expect.Equal(t, c.Amount().String(), want, "as it is printed")
	}
}

func FuzzParseCredits(f *testing.F) {
	for _, s := range []string{"1e3000", "0.0000005", "1e-999999999", "425", "1.2e3", "0e99999999", "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCredits(s)
		if err != nil {
			return
		}
		back, err := ParseCredits(c.Digits())
		expect.That(t, err == nil && back == c && c >= 0, s, "is", c, "printed", c, "again", back)
		exact, ok := new(big.Rat).SetString(strings.TrimSpace(s))
		if !ok {
			return
		}
		off := exact.Sub(exact, big.NewRat(int64(c), int64(Credit)))
		expect.That(t, off.Abs(off).Cmp(big.NewRat(1, 2*int64(Credit))) <= 0, s, "is", c, "more than half a millionth off")
	})
}

// A service may ask for any rest: the sentence names the one that is kept.
func TestErrorsSayWhatHappenedAndWhatToDo(t *testing.T) {
	t.Parallel()
	text, why := Clean("bad luck.", 20), Sentence("it is so").Reason()
	for want, e := range map[string]Error{
		"too many calls for this key (429); wait 1h0m0s, then try again":                                      {Class: ClassRate, Status: 429, RetryAfter: 10 * 365 * 24 * time.Hour},
		"too many calls for this key (429); wait 3s, then try again":                                          {Class: ClassRate, Status: 429, RetryAfter: 2*time.Second + 1},
		"too many calls for this key (429); wait a minute, then try again":                                    {Class: ClassRate, Status: 429},
		"no credits or quota left (402); add credits, or raise the key's quota on the service's API key page": {Class: ClassCredits, Status: 402, RetryAfter: 1},
		"the service reports a fault of its own (500): bad luck; try again later":                             {Class: "odd", Status: 500, Text: text},
		"the service reports a fault of its own (500): it is so; leave it":                                    {Class: ClassServer, Status: 500, Text: text, Reason: why, Do: Sentence("leave it").Reason()},
		"the service reports a fault of its own (502); try again later":                                       {Class: ClassServer, Status: 502},
		"the service is not reachable; check the network and the service's address":                           {Class: ClassNetwork},
		"it is so": {Class: ClassNetwork, Status: 502, Reason: why, Final: true},
		"it is so; check the service's address, or look at the raw response": {Class: ClassUnreadable, Status: 200, Reason: why},
		"the service refused the API key (401): No. Ask us":                  {Class: ClassKey, Status: 401, Text: Clean("No. Ask us", 20)},
		"No. Add some":                  {Class: ClassCredits, Text: Clean("No. Add some", 20)},
		"No. Add some; try again later": {Class: ClassServer, Text: Clean("No. Add some", 20)},
		"it is so; type the key again, or check it on the service's API key page": {Class: ClassKey, Text: Clean("No. Add some", 20), Reason: why},
		"No; type the key again, or check it on the service's API key page":       {Class: ClassKey, Text: Clean("No", 20)},
		"it is so; change it and send it again":                                   {Class: ClassInvalid, Reason: why},
	} {
		expect.Equal(t, e.Error(), want)
		expect.Equal(t, e.Class.UsedUp(), e.Class == "credits" || e.Class == "calls", e.Class, "used up")
	}
	within := Sentence("not saved: %v").Reason(Sentence("no room for %v").Fault(nil, "a"))
	said := within.In(func(format string) string { return "(" + format + ")" }) // also what an error in it says
	back := ParseReason(within.Stored(), "")
	expect.That(t, back == within && said == "(not saved: (no room for a))", "stored as", back, "translated as", said)
}
