package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"darkroom/api"
)

func formOf(t *testing.T, schema string) Form {
	t.Helper()
	if !json.Valid([]byte(schema)) {
		t.Fatal("the test's schema is no JSON")
	}
	return ReadForm(json.RawMessage(schema))
}

const paint = `{"type":"object","required":["prompt","n"],"additionalProperties":false,
 "$defs":{"Size":{"type":"string","enum":["1K","2K"],"description":"how large"}},
 "properties":{
  "size":{"$ref":"#/$defs/Size","default":"2K"},
  "prompt":{"type":"string","minLength":2,"maxLength":400,"title":"Prompt text","description":"what\nto draw"},
  "n":{"type":["null","integer"],"minimum":1,"maximum":4},
  "scale":{"anyOf":[{"type":"number"},{"type":"null"}]},
  "safe":{"type":"boolean"},
  "tags":{"type":"array","items":{"type":"string"},"maxItems":2},
  "dims":{"type":"array","items":{"type":"integer"}},
  "extra":{"type":"object"},
  "level":{"enum":[1,2,3]},
  "odd":true}}`

func TestToolFormReadsASchema(t *testing.T) {
	t.Parallel()
	f := formOf(t, paint)
	var got []string
	for _, field := range f.Fields {
		got = append(got, fmt.Sprintf("%s %s %v %v %q", field.Name, field.Type, field.Required, field.Long, field.Choices))
	}
	want := []string{
		`prompt text true true []`, `n whole true false []`, `dims numbers false true []`, `extra json false true []`,
		`level number false false ["1" "2" "3"]`, `odd json false true []`, `safe yes_no false false []`, `scale number false false []`,
		`size text false false ["1K" "2K"]`, `tags lines false true []`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !f.Closed || f.Free || f.Fields[0].Label.String() != "Prompt text" || f.Fields[8].Default != "2K" || f.Fields[8].About.String() != "how large" {
		t.Errorf("%+v", f)
	}
}

func TestToolFormsOfOddSchemas(t *testing.T) {
	t.Parallel()
	for schema, free := range map[string]bool{
		``: true, `null`: true, `[]`: true, `"x"`: true, `{}`: false, `{"type":"object"}`: false, `{"type":"object","properties":{}}`: false,
		`{"type":"object","additionalProperties":{"type":"string"}}`:                  true,
		`{"$ref":"#/a","a":{"$ref":"#/a"}}`:                                           false,
		`{"$ref":"#/$defs/x/y","properties":{"a":{"$ref":"http://other.example/x"}}}`: false,
		`{"type":"object","properties":{},"additionalProperties":false}`:              false,
	} {
		if f := ReadForm(json.RawMessage(schema)); f.Free != free {
			t.Errorf("%s: free %v", schema, f.Free)
		}
	}
	many := `{"properties":{` + strings.TrimSuffix(strings.Repeat(`"%d":{},`, 200), ",") + `},"additionalProperties":false}`
	var n []any
	for i := range 200 {
		n = append(n, i)
	}
	if f := formOf(t, fmt.Sprintf(many, n...)); len(f.Fields) != maxToolFields || f.Closed {
		t.Errorf("%d fields, closed %v", len(f.Fields), f.Closed)
	}
}

func TestToolArgsFromFields(t *testing.T) {
	t.Parallel()
	f := formOf(t, paint)
	args, problems := f.Args(map[string]string{
		"prompt": "a <kettle> \"n\"\n字", "n": "3", "scale": "-2.5e1", "safe": "false", "tags": " a \n\nb", "dims": "1\n2",
		"extra": `{"a": [1]}`, "level": "2", "size": "1K", "nobody": "x",
	})
	want := `{"prompt":"a <kettle> \"n\"\n字","n":3,"dims":[1,2],"extra":{"a": [1]},"level":2,"safe":false,"scale":-2.5e1,"size":"1K","tags":["a","b"]}`
	if string(args) != want || len(problems) != 0 {
		t.Errorf("%s %v", args, problems)
	}
	if again := f.Check(args); len(again) != 0 {
		t.Errorf("what was built is refused: %v", again)
	}
	for field, bad := range map[string]string{
		"prompt": "x", "n": "9", "scale": "1,5", "safe": "yes", "tags": "a\nb\nc", "dims": "1\nx", "extra": "{", "level": "7", "size": "8K",
	} {
		values := map[string]string{"prompt": "fine", "n": "1"}
		values[field] = bad
		if _, problems := f.Args(values); len(problems) != 1 || problems[0].Field != field || !ofArguments(problems[0].Code) {
			t.Errorf("%s %q: %v", field, bad, problems)
		}
	}
	if _, problems := f.Args(nil); len(problems) != 2 {
		t.Errorf("two fields are required: %v", problems)
	}
	if args, problems := (Form{Free: true}).Args(nil); string(args) != "{}" || len(problems) != 0 {
		t.Errorf("%s %v", args, problems)
	}
	if _, problems := (Form{Free: true}).Args(map[string]string{FreeField: "[1]"}); len(problems) != 1 {
		t.Errorf("a list passed for an object: %v", problems)
	}
}

// ofArguments reports whether a code is one of a tool's arguments.
func ofArguments(code string) bool {
	return strings.HasPrefix(code, "tool_") || code == api.CodeNotAChoice
}

func TestToolArgsWrittenAsJSON(t *testing.T) {
	t.Parallel()
	f := formOf(t, paint)
	for args, n := range map[string]int{
		`{"prompt":"fine","n":1}`: 0, `{"prompt":"fine","n":2.0,"safe":true,"size":null,"tags":[],"odd":{"x":1}}`: 0,
		`{}`: 2, `[]`: 1, `{"prompt":1,"n":1}`: 1, `{"prompt":"fine","n":"1"}`: 1, `{"prompt":"fine","n":1,"safe":"true"}`: 1,
		`{"prompt":"fine","n":1,"tags":"a"}`: 1, `{"prompt":"fine","n":1,"promt":"x"}`: 1, `{"prompt":"fine","n":[1]}`: 1,
		`{"prompt":"fine","n":1,"dims":["x"]}`: 1, `{"prompt":"fine","n":1} {}`: 1, `{"prompt":"fine","n":1,"tags":{"a":1}}`: 1,
	} {
		problems := f.Check(json.RawMessage(args))
		if len(problems) != n {
			t.Errorf("%s: %v", args, problems)
		}
		for _, p := range problems {
			if !ofArguments(p.Code) {
				t.Errorf("%s: %s", args, p)
			}
		}
	}
}

func FuzzToolForm(f *testing.F) {
	f.Add([]byte(paint), "prompt", "a", "n", "3")
	f.Add([]byte(`{"properties":{"a":{"enum":["x","y"]}},"$ref":"#"}`), "a", "x", "b", "")
	f.Add([]byte(`{"properties":{"a":{"type":"array","items":{"type":"number"}},"b":{"type":["string","null"],"maxLength":2}}}`), "a", "1\n2", "b", "abc")
	f.Fuzz(func(t *testing.T, schema []byte, a, av, b, bv string) {
		form := ReadForm(schema)
		args, problems := form.Args(map[string]string{a: av, b: bv})
		if len(problems) == 0 && !json.Valid(args) {
			t.Errorf("%q from %q", args, schema)
		}
		for _, p := range append(problems, form.Check(args)...) {
			if !ofArguments(p.Code) {
				t.Errorf("%q", p)
			}
		}
		for _, field := range form.Fields {
			if field.Label.String() != api.Clean(field.Label.String(), 60).String() {
				t.Errorf("label %q", field.Label)
			}
		}
	})
}
