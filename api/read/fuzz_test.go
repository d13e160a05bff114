package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
)

// seeds gives every fixture body and some hostile ones to a fuzz target.
func seeds(f *testing.F, add func(raw []byte)) {
	for _, d := range dialects(f) {
		for _, raw := range []json.RawMessage{d.Create, d.Pending, d.Running, d.Image, d.Video, d.Failed, d.Models, d.Estimate} {
			if present(raw) {
				add(raw)
			}
		}
		for _, e := range d.Errors {
			add(e.raw())
		}
	}
	for _, s := range hostile() {
		add([]byte(s))
	}
}

// hostile are answers made to hurt.
func hostile() []string {
	return []string{
		"", " ", "{", "[", `"`, "nul", "truefalse", "{}{}", "[1,]", `{"a":}`, "\ufeff{}", "\x00", "\xff\xfe",
		strings.Repeat("[", 100), strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70),
		`{"id":"a","id":"b","status":"COMPLETED","status":"FAILED"}`,
		`{"id":"\u001b]0;x\u0007","status":"\u202ecompleted","error":"\u009b31m\n\r\t"}`,
		"{\"id\":\"\xc3\x28\",\"status\":\"\xed\xa0\x80\"}", `{"id":"\ud800","status":"\udc00\ud800"}`,
		`{"job":{"job":{"job":{"job":{"job":{"id":1}}}}}}`, `{"status":{"status":{"status":{"status":"done"}}}}`,
		`{"result":"{\"result\":\"{\\\"result\\\":\\\"[]\\\"}\"}"}`, `{"result":{"url":"javascript:alert(1)"},"status":"done"}`,
		`{"status":"done","url":"http://"}`, `{"status":"done","url":"data:image/png;base64,AAAA"}`, `{"status":"done","url":"gs://a/b.png"}`,
		`{"progress":1e999,"eta":-1,"status":"running"}`, `{"models":[{"id":1e309,"price":1e400}]}`, `{"credits":-1}`, `{"credits":"NaN"}`,
		`[[[[[[]]]]]]`, `{"data":[[{"id":"m"}]]}`, `{"models":{"a":{"price":{"price":{"price":{"price":1}}}}}}`,
		`{"models":[{"id":"m","parameters":{"properties":{"properties":{"properties":{}}}}}]}`, `{"parameters":"{\"a\":[1]}","id":"m"}`,
	}
}

func wantClean(t *testing.T, texts ...api.Text) {
	t.Helper()
	for _, x := range texts {
		s := x.String()
		expect.That(t, utf8.ValidString(s) && api.CleanLines(s, len(s)+1) == x, "not clean", s)
	}
}

func checkAnswer(t *testing.T, a api.JobAnswer, raw []byte) {
	t.Helper()
	expect.That(t, bytes.Equal(a.Raw, raw), "the raw answer was not kept")
	wantClean(t, a.Status, a.Reason)
	expect.That(t, len(a.Candidates) <= 8 && len(a.Results) <= 256 && a.Progress <= 1 && !math.IsNaN(a.Progress), "out of bounds", a)
	for _, r := range a.Results {
		expect.That(t, r.URL != "" || len(r.Data) != 0, "an empty result", r)
		expect.That(t, r.URL == "" || isAddress(r.URL) || isRelative(r.URL), "an address that cannot be fetched", r.URL)
	}
	if a.Refusal != nil {
		checkError(t, a.Refusal)
	}
}

func checkError(t *testing.T, e *api.Error) {
	t.Helper()
	expect.That(t, e.Class != "", "no class", e)
	wantClean(t, e.Text, e.Code, e.RequestID)
	for _, f := range e.Fields {
		wantClean(t, f.Text)
		expect.Equal(t, api.Clean(f.Field, 1000).String(), f.Field, "not clean")
	}
}

func FuzzReadJob(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(200, raw, true); f.Add(404, raw, false) })
	f.Fuzz(func(t *testing.T, status int, raw []byte, video bool) {
		kind := api.KindImage
		if video {
			kind = api.KindVideo
		}
		a := Job(status, nil, raw, kind)
		checkAnswer(t, a, raw)
		expect.That(t, status == 200 || !a.Ended(), status, "ended the job", a.Class)
		if a.Ended() {
			known := classify(a.Status.String()) == a.Class || a.Status.String() == "true" || a.Status.IsZero() && len(a.Results) > 0
			expect.That(t, known || len(a.Status.String()) >= api.MaxStatusText, "the word", a.Status, "ended the job", a.Class)
		}
	})
}

func FuzzReadCreate(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(200, "application/json", raw); f.Add(202, "", raw) })
	f.Fuzz(func(t *testing.T, status int, mediaType string, raw []byte) {
		a := Create(status, http.Header{"Content-Type": {mediaType}}, raw, api.KindVideo)
		checkAnswer(t, a, raw)
		expect.That(t, a.Refusal == nil || a.ID == "" && len(a.Results) == 0, "a refusal beside something usable", a)
		expect.That(t, status == 200 || status == 201 || !a.Ended(), status, "told of a finished job", a.Class)
	})
}

func FuzzReadError(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(400, "3", raw); f.Add(200, "", raw) })
	f.Fuzz(func(t *testing.T, status int, wait string, raw []byte) {
		e := Error(status, http.Header{"Retry-After": {wait}, "X-Request-Id": {wait}}, raw)
		checkError(t, e)
		expect.That(t, len(e.Raw) <= 64<<10 && bytes.HasPrefix(raw, e.Raw), "the raw answer was not kept")
	})
}

func FuzzReadModels(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(raw) })
	f.Fuzz(func(t *testing.T, raw []byte) {
		models, _, err := Models(nil, raw)
		expect.That(t, err == nil || len(models) == 0, "models beside an error")
		for _, m := range models {
			expect.That(t, m.ID != "" && api.Clean(m.Label, 1000).String() == m.Label, "id", m.ID, "label", m.Label)
			expect.That(t, m.Raw == nil || bytes.Contains(raw, m.Raw), "the raw model is not of the answer")
			for _, p := range m.Parameters {
				expect.That(t, p.Name != "" && p.Values != nil && api.Clean(p.Name, 1000).String() == p.Name &&
					api.Clean(p.Default, 1000).String() == p.Default, p)
			}
		}
		expect.Is(t, expect.Err(json.Marshal(models)), nil, "the models cannot be kept")
	})
}

func FuzzReadEstimate(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(raw) })
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Estimate(raw, nil)
		expect.That(t, (e.Known() || e.Unit != "") == (err == nil) && e.Credits >= 0 && e.Unit == api.Clean(e.Unit, 32).String(), e, err)
		expect.Is(t, expect.Err(json.Marshal(e)), nil, "the estimate cannot be kept")
	})
}

// plainValue is the tree as encoding/json decodes it.
func plainValue(n *node) any {
	switch n.shape {
	case shapeNull:
		return nil
	case shapeBool:
		return n.text == "true"
	case shapeNumber:
		return json.Number(n.text)
	case shapeString:
		return n.text
	case shapeArray:
		list := []any{}
		for c := range n.children {
			list = append(list, plainValue(c))
		}
		return list
	}
	object := map[string]any{}
	for c := range n.children {
		object[c.key] = plainValue(c)
	}
	return object
}

// FuzzTree holds the parser against encoding/json: what it takes must be JSON,
// with the same values, and what it refuses must not be, but for its limits.
func FuzzTree(f *testing.F) {
	seeds(f, func(raw []byte) { f.Add(raw) })
	f.Fuzz(func(t *testing.T, raw []byte) {
		root, err := parseWithin(raw, nil)
		valid := json.Valid(bytes.TrimPrefix(raw, []byte("\ufeff")))
		expect.That(t, err == nil || !valid || err == errDeep || err == errMany, string(raw), "is refused though it is JSON", err)
		if err == nil {
			span := bytes.TrimPrefix(raw, byteOrderMark)[root.start:root.end]
			expect.That(t, valid && json.Valid(span), string(raw), "is taken though it is not JSON, or its span is not", string(span))
			dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\ufeff"))))
			dec.UseNumber()
			var want any
			err := dec.Decode(&want)
			expect.That(t, err == nil && (!utf8.Valid(raw) || reflect.DeepEqual(plainValue(root), want)), string(raw), plainValue(root), "want", want, err)
			readAll(raw)
		}
	})
}

// filled makes an answer of about 8 MiB around one repeated element.
func filled(head, element, tail string) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < 8<<20-len(element); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, element, i)
	}
	b.WriteString(tail)
	return []byte(b.String())
}

func BenchmarkReadJob(b *testing.B) {
	small := []byte(`{"job":{"id":"j1","status":"COMPLETED","result":{"videos":[{"url":"https://cdn.example.com/v.mp4"}]},"error":null}}`)
	large := filled(`{"job":{"id":"j1","status":"COMPLETED","result":{"images":[`, `{"url":"https://cdn.example.com/%d.png","note":"`+strings.Repeat("x", 200)+`"}`, `]}}}`)
	for name, raw := range map[string][]byte{"small": small, "8MiB": large} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				Job(200, nil, raw, api.KindVideo)
			}
		})
	}
}
