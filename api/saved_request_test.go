package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

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
		"curl --request POST 'https://api.example.com/api/v1/videos/generations' \\\n  --header \"Authorization: Bearer $DARKROOM_API_KEY\" \\\n  --data-raw '{\"model\":\"seedance2\",\"prompt\":\"it'\\''s a boat\",\"duration\":5,\"seed\":7}'\n": video,
		`curl -X POST https://api.example.com/api/v1/images/generations -d "{\"model\":\"acme/brush\",\"prompt\":\"a boat\",\"size\":\"2K\"}"`:                                                                                                       image,
		`curl https://api.example.com/x --json={"model":"acme/brush","prompt":"a" }`:                                                                                                                                                                 {},
	} {
		got, ok := ReadRequest(text)
		if wanted := want.Prompt != ""; ok != wanted || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nis %+v, %t; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "{", "{}", "a boat", "curl", "curling stones on ice", "curl of smoke", `{"scene":"a boat"}`, `{"prompt":"a boat","scene":"harbour"}`,
		`{"prompt":5,"mood":"calm"}`, `{"kind":"video","request":{}}`, `{"kind":"poem","request":{"prompt":"a"}}`, `[{"prompt":"a","model":"b"}]`,
		`{"model":"a","prompt":"b"} and more`, `{"model":"seedance2","prompt":["a"]}`,
	} {
		if r, ok := ReadRequest(text); ok {
			t.Errorf("%q is read as %+v", text, r)
		}
	}
}

// FuzzReadRequest checks that no text stops the reader, and that what it takes
// for a request can be written as one.
func FuzzReadRequest(f *testing.F) {
	f.Add(`{"kind":"image","request":{"prompt":"a","model":"b"}}`)
	f.Add(`curl -d '{"model":"a","prompt":"b"}' "https://x/api/v1/images/generations"`)
	f.Add(`curl --json "{\"prompt\":\"\\u0000\"}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := ReadRequest(text)
		if !ok {
			return
		}
		if r.Prompt == "" || r.Kind != "" && !r.Kind.known() || !json.Valid(r.Body(Model{})) {
			t.Errorf("%q is read as %+v", text, r)
		}
	})
}

func TestCurlIsQuotedForAShell(t *testing.T) {
	t.Parallel()
	got := Curl("https://api.example.com/api/v1/images/generations", []byte(`{"prompt":"it's $HOME; `+"`id`"+`"}`))
	for _, want := range []string{`'{"prompt":"it'\''s $HOME; ` + "`id`" + `"}'`, `"Authorization: Bearer $DARKROOM_API_KEY"`, "'https://api.example.com/api/v1/images/generations'"} {
		if !strings.Contains(got, want) {
			t.Errorf("curl lacks %s:\n%s", want, got)
		}
	}
}
