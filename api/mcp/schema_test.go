package mcp

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
)

const paint = `{"type":"object","required":["prompt","n"],"additionalProperties":false,
 "$defs":{"Size":{"type":"string","enum":["1K","2K"],"description":"how large"}},
 "properties":{
  "size":{"$ref":"#/$defs/Size","default":"2K"},
  "prompt":{"type":"string","minLength":2,"maxLength":400,"description":"what\nto draw"},
  "n":{"type":["null","integer"],"minimum":1,"maximum":4},
  "scale":{"anyOf":[{"type":"number"},{"type":"null"}],"default":null},
  "safe":{"type":"boolean","default":false},
  "tags":{"type":"array","items":{"type":"string"},"maxItems":2},
  "dims":{"type":"array","items":{"type":"integer"}},
  "extra":{"type":"object"},
  "level":{"enum":[1,2,3,null]},
  "odd":true}}`

func TestSchemaListsItsArguments(t *testing.T) {
	t.Parallel()
	a := ReadSchema([]byte(paint))
	got := api.Map(a.List, func(one Argument) string {
		return fmt.Sprintf("%s %s %v %q %s", one.Name, one.Type, one.Required, one.Choices, one.Default)
	})
	want := []string{
		`prompt text true [] `, `n whole number true [] `, `dims JSON false [] `, `extra JSON false [] `,
		`level JSON false ["1" "2" "3"] `, `odd JSON false [] `, `safe true or false false ["true" "false"] false`, `scale number false [] `,
		`size text false ["1K" "2K"] 2K`, `tags JSON false [] `,
	}
	expect.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
	expect.That(t, !a.None && a.List[8].About.String() == "how large" && a.List[0].About.String() == "what\nto draw", a)
	for i, want := range map[int]string{0: `"5"`, 1: `5`, 4: `5`} {
		expect.Equal(t, a.List[i].JSON("5"), want, "5 for", a.List[i].Name)
	}
}

func TestOddSchemas(t *testing.T) {
	t.Parallel()
	for schema, none := range map[string]bool{
		``: false, `[]`: false, `"x"`: false, `{}`: true, `{"type":"object"}`: true, `{"type":"object","properties":{}}`: true,
		`{"type":"object","additionalProperties":{"type":"string"}}`:                  false,
		`{"$ref":"#/$defs/x/y","properties":{"a":{"$ref":"http://other.example/x"}}}`: false,
		`{"type":"object","properties":{},"additionalProperties":false}`:              true,
	} {
		expect.Equal(t, ReadSchema([]byte(schema)).None, none, schema, "takes nothing")
	}
}

func TestArgumentsAreCheckedByTheSchema(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"prompt":"fine","n":1}`: "", `{"prompt":"fine","n":2.0,"safe":true,"scale":null,"tags":[],"odd":{"x":1}}`: "",
		`{}`: "prompt: tool_required, n: tool_required", `[]`: "arguments: tool_not_an_object", `null`: "arguments: tool_not_an_object",
		`{"prompt":"fine","n":1} {}`: "arguments: tool_not_an_object",
		`{"prompt":1,"n":1}`:         "prompt: tool_schema", `{"prompt":"x","n":9}`: "n: tool_schema, prompt: tool_schema",
		`{"prompt":"fine","n":1,"tags":["a","b","c"]}`: "tags: tool_schema", `{"prompt":"fine","n":1,"dims":["x"]}`: "dims: tool_schema",
		`{"prompt":"fine","n":1,"size":"8K"}`: "size: tool_schema", `{"prompt":"fine","n":1,"level":7}`: "level: tool_schema",
		`{"promt":"x","n":1}`: "prompt: tool_required, promt: tool_unknown_argument",
	} {
		problems, err := Check([]byte(paint), []byte(args))
		got := strings.Join(api.Map(problems, api.Problem.String), ", ")
		expect.That(t, got == want && err == nil, args, got, err)
	}
	for args, want := range map[string]string{
		`{"prompt":"fine","n":1,"tags":["a",1]}`: `type: 1 has type "integer", want "string"`,
		`{"prompt":null,"n":1}`:                  `type: null has type "null", want "string"`,
		`{"prompt":"fine","n":99}`:               `maximum: 99 is greater than 4`,
	} {
		problems, _ := Check([]byte(paint), []byte(args))
		expect.That(t, len(problems) == 1 && fmt.Sprint(problems[0].Args[1]) == want, problems)
	}
	either := `{"properties":{"a":{},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`
	problems, err := Check([]byte(either), []byte(`{}`))
	expect.That(t, len(problems) == 1 && problems[0].Field == FieldArguments && err == nil, "a rule for all together", problems, err)
	problems, err = Check(nil, []byte(`{"a":1}`))
	expect.That(t, len(problems) == 0 && err == nil, "no schema", problems, err)
}

// TestSchemaThatCannotBeUsed: the tool can be called, and nothing else is read.
func TestSchemaThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`[]`, `{"type":5}`, `{"properties":5}`, `{"properties":{"a":{"pattern":"(?!x)y"}}}`, `{"properties":{"a":5}}`,
		`{"properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`, `{"$ref":"other.json#/a"}`, `{"$ref":"properties","properties":{}}`, `{"$ref":"#properties","properties":{}}`,
		`{"properties":{"a":{"allOf":[null]}}}`, `{"$ref":"#/$defs/gone"}`,
		`{"properties":{"a":` + strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70) + `}}`,
	} {
		problems, err := Check([]byte(schema), []byte(`{"a":"y"}`))
		expect.That(t, len(problems) == 0 && err != nil && strings.HasPrefix(err.Error(), "the tool's schema cannot be used"),
			schema, problems, err)
	}
}

// TestSchemasKeepPace checks by schemas that are made to be slow, or never to end.
func TestSchemasKeepPace(t *testing.T) {
	t.Parallel()
	var required, properties, doubling strings.Builder
	for i := range 12000 {
		fmt.Fprintf(&required, `"p%d",`, i)
		fmt.Fprintf(&properties, `"p%d":{},`, i)
	}
	for i := range 60 {
		fmt.Fprintf(&doubling, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]},`, i, i+1)
	}
	for name, schema := range map[string]string{
		"many required":   `{"required":[` + required.String() + `"z"],"properties":{` + properties.String() + `"z":{}}}`,
		"itself":          `{"$ref":"#"}`,
		"itself in turns": `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`,
		"itself in other case": `{"$REF":"#","properties":{"a":{"$Ref":"#/properties/a"}},"$ID":"http://x/","$DynamicRef":"#x",
			"allOf":[{"$anchor":"x","$dynamicAnchor":"x","$dynamicRef":"#x"}]}`,
		"a tree":        `{"properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#"}}}}`,
		"doubling":      `{"$ref":"#/$defs/d0","$defs":{` + doubling.String() + `"d60":{}}}`,
		"slow patterns": `{"properties":{"a":{"pattern":"((a{1,200}){1,5}x){1,1}` + strings.Repeat(`(a?){200}`, 3000) + `"}}}`,
	} {
		began := time.Now()
		_, err := Check([]byte(schema), []byte(`{"a":"`+strings.Repeat("a", 100_000)+`","below":[{"below":[{"name":1}]}]}`))
		took := time.Since(began)
		t.Logf("%-20s %4d KiB in %v: %v", name, len(schema)>>10, took.Round(time.Millisecond), err)
		expect.That(t, took <= 30*time.Second, name, "takes", took)
	}
	tree := `{"properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#"}}}}`
	problems, err := Check([]byte(tree), []byte(`{"below":[{"below":[{"name":1}]}]}`))
	expect.That(t, len(problems) == 1 && err == nil, "a schema that describes a tree", problems, err)
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(paint), []byte(`{"prompt":"a","n":3}`))
	f.Add([]byte(`{"properties":{"a":{"enum":["x","y"]}},"$ref":"#"}`), []byte(`{"a":"x"}`))
	f.Add([]byte(`{"properties":{"a":null,"b":{"allOf":[null]},"c":{"anyOf":null,"items":null,"enum":[null]}},"allOf":[null],"required":["a"]}`), []byte(`{"a":1,"b":2,"c":3}`))
	f.Add([]byte(`{"properties":{"a":{"type":"array","items":{"$ref":"#/properties/a"}}}}`), []byte(`{"a":[[[]]]}`))
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		a := ReadSchema(schema)
		problems, _ := Check(schema, args)
		for _, p := range problems {
			expect.That(t, strings.HasPrefix(p.Code, "tool_"), p)
		}
		for _, one := range a.List {
			expect.That(t, json.Valid([]byte(one.JSON(one.Default))), "it begins with", one.JSON(one.Default))
			expect.Equal(t, one.About, api.CleanLines(one.About.String(), 1000), "about")
		}
	})
}

// FuzzToolsPath: what a person sets as the tool entry's place stays at the
// base URL's origin, without a query and without steps upwards.
func FuzzToolsPath(f *testing.F) {
	for _, s := range []string{"/api/v1/mcp", "https://api.example.com/gw/mcp", "https://evil.example/mcp", "//evil.example/mcp", "/a/../b", "/%2e%2e/b", "/a?b", "/a#b", "mcp", "", " /x ", "/\\evil.example", "/" + strings.Repeat("\xa1", 900)} {
		f.Add(s)
	}
	base, _ := api.ParseBase("https://api.example.com/gw")
	f.Fuzz(func(t *testing.T, s string) {
		path, err := ParseEntryPath(base, s)
		if err != nil {
			expect.That(t, path == "" && !strings.Contains(err.Error(), "\n"), s, path, "beside", err)
			return
		}
		u, err := base.Parse(path)
		expect.That(t, err == nil && api.Origin(u) == api.Origin(base) && u.RawQuery == "" && u.Fragment == "" && strings.HasPrefix(path, "/"),
			s, "leads to", path, err)
		again, err := ParseEntryPath(&url.URL{Scheme: base.Scheme, Host: base.Host}, path)
		expect.That(t, err == nil && again == path, s, "becomes", path, "then", again, err)
	})
}
