package mcp

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"darkroom/api"
)

// Limits of what references stand for: a schema can name itself without end.
const (
	maxSchemaBytes = 512 << 10
	maxSchemaDepth = 64
	maxSchemaRefs  = 4 // within each other
)

// Arguments are a tool's arguments, as its schema describes them.
type Arguments struct {
	// List has the required ones first, in the schema's order.
	List []Argument
	None bool

	root *jsonschema.Schema
	err  error // why the schema cannot be used
}

// Argument is one argument of a tool.
type Argument struct {
	Name     string // as it is sent: data, not text
	About    api.Text
	Type     api.Reason // a text, a number …
	Choices  []string   // as JSON texts or numbers are written by people
	Default  string     // written in the same way; "" for none
	Required bool

	blank string // what it begins with, as JSON
}

var (
	typeText   = api.Sentence("text")
	typeWhole  = api.Sentence("whole number")
	typeNumber = api.Sentence("number")
	typeJSON   = api.Sentence("JSON")
)

// ReadSchema reads the schema of a tool's arguments; of an unusable one it lists nothing.
func ReadSchema(raw json.RawMessage) *Arguments {
	if raw == nil {
		return &Arguments{root: &jsonschema.Schema{}}
	}
	root, err := parse(raw)
	if err != nil {
		return &Arguments{err: err}
	}
	a, top, listed := &Arguments{root: root}, plain(root), map[string]bool{}
	for i, name := range slices.Concat(top.Required, slices.Sorted(maps.Keys(top.Properties))) {
		if p := top.Properties[name]; p != nil && !listed[name] {
			listed[name] = true
			a.List = append(a.List, argument(name, plain(p), i < len(top.Required)))
		}
	}
	others := top.AdditionalProperties != nil && !a.closed() ||
		len(top.AnyOf)+len(top.OneOf)+len(top.AllOf)+len(top.PatternProperties) > 0
	a.None = len(a.List) == 0 && !others
	return a
}

// parse reads a schema with its references replaced by their targets. The result refers to
// nothing, so that checking by it ends and reads nothing else.
func parse(raw json.RawMessage) (*jsonschema.Schema, error) {
	var top map[string]any
	if err := json.Unmarshal(raw, &top); err != nil {
		return nil, err
	}
	x := &expansion{root: top, left: maxSchemaBytes}
	flat, err := json.Marshal(x.expand(top, 0, 0))
	if err = cmp.Or(x.err, err); err != nil {
		return nil, err
	}
	root := &jsonschema.Schema{}
	if err := json.Unmarshal(flat, root); err != nil {
		return nil, err
	}
	if version, _ := top["$schema"].(string); strings.Contains(version, "draft-07") {
		root.Schema = "http://json-schema.org/draft-07/schema#"
	}
	return root, nil
}

type expansion struct {
	root map[string]any
	left int // bytes that may still be written
	err  error
}

// expand copies a part of a schema without its references: the target of one is
// added as a form that has to fit too. References deeper in each other than
// maxSchemaRefs fit anything, as in a schema that describes a tree by itself.
func (x *expansion) expand(v any, depth, refs int) any {
	if x.left--; x.left < 0 || depth > maxSchemaDepth {
		x.err = api.Sentence("it is too large or too deeply nested").Fault(nil)
	}
	if x.err != nil {
		return nil
	}
	switch v := v.(type) {
	case string:
		x.left -= len(v)
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = x.expand(one, depth+1, refs)
		}
		return out
	case map[string]any:
		return x.members(v, depth, refs)
	}
	return v
}

func (x *expansion) members(v map[string]any, depth, refs int) any {
	out := make(map[string]any, len(v))
	for name, one := range v {
		x.left -= len(name)
		// Keywords of references, names and versions begin with a dollar sign and
		// have a text; properties have an object. The library ignores case.
		_, text := one.(string)
		definitions := depth == 0 && (name == "$defs" || name == "definitions")
		if !definitions && !(text && strings.HasPrefix(name, "$")) {
			out[name] = x.expand(one, depth+1, refs)
		}
	}
	ref, ok := v["$ref"].(string)
	if !ok || refs == maxSchemaRefs {
		return out
	}
	all, _ := out["allOf"].([]any)
	out["allOf"] = append(all, x.expand(x.at(ref), depth+1, refs+1))
	return out
}

// at returns the target of a reference within the schema, such as #/$defs/size.
func (x *expansion) at(ref string) (v any) {
	steps := strings.Split(ref, "/")
	v = x.root
	for _, step := range steps[1:] {
		m, _ := v.(map[string]any)
		v = m[pointer.Replace(step)]
	}
	if steps[0] != "#" || v == nil {
		x.err = api.Sentence("it refers to %v").Fault(nil, ref)
	}
	return v
}

var pointer = strings.NewReplacer("~1", "/", "~0", "~")

// plain returns the one form of a schema that is not null, if the schema itself
// does not restrict its values.
func plain(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type != "" || s.Types != nil || s.Properties != nil || s.Enum != nil {
		return s
	}
	null := func(f *jsonschema.Schema) bool { return f == nil || f.Type == "null" }
	forms := slices.DeleteFunc(slices.Concat(s.AllOf, s.AnyOf, s.OneOf), null)
	if len(forms) != 1 {
		return s
	}
	out := *plain(forms[0])
	out.Description = cmp.Or(s.Description, out.Description)
	if s.Default != nil {
		out.Default = s.Default
	}
	return &out
}

func argument(name string, p *jsonschema.Schema, required bool) Argument {
	t := typeOf(p)
	a := Argument{Name: name, About: api.CleanLines(p.Description, 1000), Type: t.name.Reason(),
		Default: written(p.Default), Required: required, blank: cmp.Or(string(p.Default), t.blank)}
	values := p.Enum
	if p.Const != nil {
		values = []any{*p.Const}
	}
	for _, v := range values {
		if v != nil {
			raw, _ := api.PlainJSON(v) // it was JSON
			a.Choices = append(a.Choices, written(raw))
		}
	}
	return a
}

// written is a value as people write it: a text without its quotes.
func written(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// argumentType is the name of a type and what an argument of it begins with.
type argumentType struct {
	name  api.Sentence
	blank string
}

var argumentTypes = map[string]argumentType{
	"string":  {typeText, `""`},
	"integer": {typeWhole, "null"},
	"number":  {typeNumber, "null"},
	"boolean": {api.Sentence("true or false"), "null"},
	"array":   {typeJSON, "[]"},
	"object":  {typeJSON, "{}"},
}

func typeOf(p *jsonschema.Schema) argumentType {
	kind := p.Type
	if others := slices.DeleteFunc(slices.Clone(p.Types), func(t string) bool { return t == "null" }); len(others) == 1 {
		kind = others[0]
	}
	t := cmp.Or(argumentTypes[kind], argumentType{typeJSON, "null"})
	if kind == "array" && p.Items != nil {
		switch typeOf(plain(p.Items)).name {
		case typeText:
			t.name = api.Sentence("list of texts")
		case typeWhole, typeNumber:
			t.name = api.Sentence("list of numbers")
		}
	}
	return t
}

// Blank returns the arguments to begin with, as indented JSON: the required
// ones and the ones with a default.
func (a *Arguments) Blank() string {
	var w api.Object
	for _, one := range a.List {
		if one.Required || one.Default != "" {
			w.Raw(one.Name, one.blank)
		}
	}
	return string(api.Indent(w.JSON()))
}
