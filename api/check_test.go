package api

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// ruleCase is a row of testdata/rules.json: one sentence of the spec that is a
// rule, and a request that keeps or breaks it. The simulator's tests post the
// same rows.
type ruleCase struct {
	Name    string  `json:"name"`
	Section string  `json:"section"`
	Request Request `json:"request"`
	Repeat  int     `json:"repeat"` // the prompt stands so many times
	Model   Model   `json:"model"`
	Field   string  `json:"field"` // empty: the request is good
	Code    string  `json:"code"`
}

func ruleCases(t testing.TB) []ruleCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []ruleCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		cases[i].Request.Prompt = strings.Repeat(cases[i].Request.Prompt, max(1, cases[i].Repeat))
	}
	return cases
}

func TestRules(t *testing.T) {
	t.Parallel()
	codes := map[string]bool{}
	for _, c := range ruleCases(t) {
		codes[c.Code] = true
		t.Run(c.Name, func(t *testing.T) {
			got := Check(c.Request, c.Model, "")
			var want []string
			if c.Field != "" {
				want = []string{c.Field + " " + c.Code}
			}
			var have []string
			for _, p := range got {
				have = append(have, p.Field+" "+p.Code)
				if _, known := problems[p.Code]; !known {
					t.Errorf("problems misses %q", p.Code)
				}
			}
			if !slices.Equal(have, want) {
				t.Errorf("%s: problems %q, want %q", c.Section, have, want)
			}
			back, err := ParseBody(c.Request.Kind, c.Request.Body(c.Model))
			if err != nil {
				t.Fatal(err)
			}
			if again := Check(back, c.Model, ""); len(again) != len(got) {
				t.Errorf("the body's problems %v are not the request's %v", again, got)
			}
		})
	}
	if len(codes) < 24 {
		t.Errorf("the table shows %d codes only", len(codes))
	}
}

func TestCheckOrder(t *testing.T) {
	t.Parallel()
	seed := int64(1 << 60)
	r := Request{Kind: KindVideo, Model: Seedance2, Size: "1K", Quality: "x", Seed: &seed, Duration: "-1",
		AudioFiles: []string{""}, EndImageURL: "https://example.com", AspectRatio: " ", Resolution: "9p", VideoModel: "x"}
	var got []string
	for _, p := range Check(r, Model{}, "") {
		got = append(got, p.Field)
	}
	want := []string{"prompt", "end_image_url", "audio_files.1", "audio_files", "seed", "duration", "aspect_ratio", "video_model", "size", "quality"}
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
	if got := Check(Request{}, Model{}, ""); len(got) != 1 || got[0].Code != codeNoKind {
		t.Errorf("without a kind: %v", got)
	}
}

func TestApplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{Kind: KindImage, Model: "a/b"}, "model prompt size quality aspect_ratio image_url async"},
		{Request{Kind: KindVideo, Model: "a/b"}, "model prompt image_url duration aspect_ratio resolution async"},
		{Request{Kind: KindVideo, Model: Seedance2}, "model prompt image_url image_files video_url video_files audio_files functionMode seed duration aspect_ratio resolution video_model async"},
		{Request{Kind: KindVideo, Model: Seedance2, FunctionMode: ModeFirstLastFrame}, "model prompt image_url end_image_url functionMode seed duration aspect_ratio resolution video_model async"},
	} {
		if got := strings.Join(Applies(c.r), " "); got != c.want {
			t.Errorf("%s %s %s: %s", c.r.Kind, c.r.Model, c.r.FunctionMode, got)
		}
	}
}

// FuzzRules checks that no request can stop Check, and that a body tells
// everything that the request has.
func FuzzRules(f *testing.F) {
	f.Add("video", "seedance2", "【@图片1】", "https://example.com/a", "5", "720p", "fast", "", int64(7), uint8(3), "seed")
	f.Add("image", "a/b", "\xff", "http://[::1]", "05.10", "\u2028", "<&>", "first_last_frame", int64(-1), uint8(12), "ratio")
	f.Fuzz(func(t *testing.T, kind, model, prompt, address, duration, resolution, tier, mode string, seed int64, count uint8, listed string) {
		r := Request{Kind: Kind(kind), Model: model, Prompt: prompt, ImageURL: address, Duration: duration,
			Resolution: resolution, VideoModel: tier, FunctionMode: mode, Seed: &seed, AspectRatio: tier, Sync: count%2 == 0}
		for range count % 12 {
			r.ImageFiles = append(r.ImageFiles, address)
			r.AudioFiles = append(r.AudioFiles, duration)
		}
		low := float64(count)
		m := Model{Parameters: []Parameter{{Name: listed, Min: &low, Values: nil}, {Name: "ratio", Values: []string{tier}}}}
		for _, p := range Check(r, m, "") {
			if _, known := problems[p.Code]; p.Field == "" || !known {
				t.Errorf("%+v", p)
			}
		}
		body := r.Body(m)
		if !json.Valid(body) {
			t.Fatalf("body %q", body)
		}
		back, err := ParseBody(r.Kind, body)
		if err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if again := back.Body(m); string(again) != string(body) {
			t.Errorf("body %s, again %s", body, again)
		}
		TableEstimate(r)
		r.EstimateBody(m)
		r.EstimateQuery(m)
	})
}

// FuzzParseBody checks that no body stops the parser.
func FuzzParseBody(f *testing.F) {
	f.Add([]byte(`{"seed":"7","duration":5.5,"async":"false","image_files":["a",null]}`))
	f.Add([]byte(`{"seed":7e999999999}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := ParseBody(KindVideo, body)
		if err == nil && !json.Valid(r.Body(Model{})) {
			t.Errorf("body of %q", body)
		}
	})
}

// TestRowsOfFields sets each field of the table and finds it where it belongs.
func TestRowsOfFields(t *testing.T) {
	t.Parallel()
	for _, f := range Fields("") {
		if f.Label == "" || f.Help == "" && f.Name != FieldPrompt || FieldNamed(f.Name) != f {
			t.Errorf("%s lacks a part", f.Name)
		}
		if f.Name == FieldAsync {
			continue
		}
		kind := KindImage
		if !f.For(kind) {
			kind = KindVideo
		}
		r, want := Request{Kind: kind, Model: "a/b", Prompt: "p"}, []string{"7"}
		if !f.Set(&r, want...) {
			t.Errorf("%s does not take 7", f.Name)
		}
		again, err := ParseBody(kind, r.Body(Model{}))
		if err != nil || !slices.Equal(f.Texts(&again), want) {
			t.Errorf("%s comes back as %q (%v)", f.Name, f.Texts(&again), err)
		}
		if !f.Set(&r) || len(f.Texts(&r)) != 0 {
			t.Errorf("%s stays", f.Name)
		}
	}
}

// TestCodesOfProblemsStay lists the codes that --json prints: scripts know them.
func TestCodesOfProblemsStay(t *testing.T) {
	t.Parallel()
	const codes = `
		above_max audio_alone bad_text bad_token below_min empty_address first_frame first_last_frame_only
		fixed_resolution images_only impossible_pair model_form needs_image_model needs_video_model no_kind
		no_material no_model no_prompt no_such_material not_a_choice not_a_number not_listed not_positive not_utf8
		omini_only out_of_range required seedance2_only too_long too_many tool_no_arguments tool_not_an_object
		tool_required tool_schema tool_unknown_argument url_form url_host url_local url_private url_scheme
		url_spaces url_user videos_only`
	if have := slices.Sorted(maps.Keys(problems)); !slices.Equal(have, strings.Fields(codes)) {
		t.Errorf("the codes are\n%q", have)
	}
}
