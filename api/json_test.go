package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

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
		if err := json.Unmarshal(out, &after); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q: %v", raw, out, err)
		}
	})
}

func TestIndentSpoilsNoAddress(t *testing.T) {
	t.Parallel()
	if got := string(Indent([]byte(`{"u":"https://a/?b=1\u0026c=2"}`))); got != "{\n  \"u\": \"https://a/?b=1&c=2\"\n}" {
		t.Error(got)
	}
	if IsDocument("3") || IsDocument("") || IsDocument("{") || !IsDocument(" [] ") {
		t.Error("what is a document?")
	}
}

// TestIndentIsBounded: white space grows with the square of the depth, so that
// 64 KiB of brackets would fill a gigabyte.
func TestIndentIsBounded(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 32<<10) + strings.Repeat("]", 32<<10)
	if got := len(Indent([]byte(deep))); got != len(deep) {
		t.Errorf("%d bytes became %d", len(deep), got)
	}
	if got := string(Indent([]byte(`["[[\"[",{"a":1}]`))); got != "[\n  \"[[\\\"[\",\n  {\n    \"a\": 1\n  }\n]" {
		t.Error(got)
	}
}
