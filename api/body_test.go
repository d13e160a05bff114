package api

import (
	"errors"
	"reflect"
	"strings"
	"testing"
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
		"extra": {Request{Kind: KindImage, Model: "a/b", Prompt: "p", Extra: []Extra{{"style", []byte(`"ink"`)}, {"steps", []byte("30")}, {`a"b`, []byte("1")}, {"x", []byte("1}")}}}, Model{},
			`{"model":"a/b","prompt":"p","async":true,"style":"ink","steps":30}`},
		"ratio listed":  {short(""), listing("ratio"), `{"model":"m","prompt":"p","ratio":"1:1","async":true}`},
		"both listed":   {short(""), listing("ratio", "aspect_ratio"), `{"model":"m","prompt":"p","aspect_ratio":"1:1","async":true}`},
		"other listing": {short(""), other, `{"model":"m","prompt":"p","aspect_ratio":"1:1","async":true}`},
	} {
		if got := string(c.r.Body(c.m)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestParseBody(t *testing.T) {
	t.Parallel()
	want := everyField()
	got, err := ParseBody(KindVideo, want.Body(Model{Parameters: []Parameter{{Name: "ratio"}}}))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	seven := int64(7)
	got, err = ParseBody(KindVideo, []byte(`{"model":"m","prompt":null,"seed":"7.0","duration":"5","size":1024,"async":"false","more":{}}`))
	if want := (Request{Kind: KindVideo, Model: "m", Seed: &seven, Duration: "5", Size: "1024", Sync: true}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for body, field := range map[string]string{
		`{"prompt":[]}`: "prompt", `{"image_files":"x"}`: "image_files", `{"image_files":["a",null]}`: "image_files",
		`{"seed":1.5}`: "seed", `{"seed":"x"}`: "seed", `{"seed":1e999999999}`: "seed", `{"async":1}`: "async", `{"ratio":{}}`: "ratio",
		``: "", `[]`: "", `null`: "", `{} {}`: "", `{`: "", `"x"`: "",
	} {
		_, err := ParseBody(KindVideo, []byte(body))
		if err == nil || errors.Is(err, errNotObject) != (field == "") || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: %v, want field %q", body, err, field)
		}
	}
}

func TestPathAndEstimate(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]string{KindImage: "/api/v1/images/generations", KindVideo: "/api/v1/videos/generations", "": ""} {
		if got := (Request{Kind: kind}).Path(); got != want {
			t.Errorf("path of %q: %q", kind, got)
		}
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
		{image, listed, "image_size=2K&model=a%2Fb&quality=low&ratio=1%3A1",
			`{"model":"a/b","image_size":"2K","quality":"low","ratio":"1:1"}`},
		{image, Model{}, "aspect_ratio=1%3A1&model=a%2Fb&quality=low&size=2K",
			`{"model":"a/b","size":"2K","quality":"low","aspect_ratio":"1:1"}`},
	} {
		if got := c.r.EstimateQuery(c.m).Encode(); got != c.query {
			t.Errorf("query %s, want %s", got, c.query)
		}
		if got := string(c.r.EstimateBody(c.m)); got != c.body {
			t.Errorf("body %s, want %s", got, c.body)
		}
	}
}

func TestTableEstimate(t *testing.T) {
	t.Parallel()
	want := map[string]string{"fast/720p": "425", "standard/720p": "425", "fast_vip/480p": "250", "fast_vip/720p": "500",
		"standard_vip/480p": "425", "standard_vip/720p": "500", "standard_vip/1080p": "1000", "fast/": "425", "standard/": "425"}
	for _, tier := range append(VideoModels(), "", "turbo") {
		for _, res := range []string{"", "480p", "720p", "1080p", "4k"} {
			e := TableEstimate(Request{Kind: KindVideo, Model: Seedance2, VideoModel: tier, Resolution: res, Duration: "5"})
			amount, ok := want[tier+"/"+res]
			if e.Known() != ok || ok && (e.Credits.String() != amount || e.Source != SourceTable) {
				t.Errorf("%s at %q: %s from %s, want %q", tier, res, e.Credits, e.Source, amount)
			}
		}
	}
	r := Request{Kind: KindVideo, Model: Seedance2, VideoModel: TierFast, Duration: "5.5"}
	if e := TableEstimate(r); e.Credits.String() != "467.5" {
		t.Errorf("5.5 s: %s", e.Credits)
	}
	for _, d := range []string{"", "0", "-1", "auto", "5s", "1e3", "999999999999999999"} {
		r.Duration = d
		if e := TableEstimate(r); e.Known() || e.Credits != 0 {
			t.Errorf("duration %q: %s", d, e.Credits)
		}
	}
	r.Duration, r.Model = "5", "other"
	if TableEstimate(r).Known() {
		t.Error("another model has a table estimate")
	}
	if n := len(Rates()); n != 12 {
		t.Errorf("%d cells", n)
	}
	if same := SamePrice(TierFast, ""); len(same) != 2 || same[0].VideoModel != TierStandard || same[1].Resolution != "480p" {
		t.Errorf("as dear as fast: %v", same)
	}
}
