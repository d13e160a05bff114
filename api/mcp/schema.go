package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

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
}

var (
	typeText  = api.Sentence("text")
	typeTruth = api.Sentence("true or false")
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
	others := top.AdditionalProperties != nil && !a.closed() || len(top.AnyOf)+len(top.OneOf)+len(top.AllOf)+len(top.PatternProperties) > 0
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
		return api.Map(v, func(one any) any { return x.expand(one, depth+1, refs) })
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
		if !(depth == 0 && (name == "$defs" || name == "definitions")) && !(text && strings.HasPrefix(name, "$")) {
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
	kind := p.Type
	if others := slices.DeleteFunc(slices.Clone(p.Types), func(t string) bool { return t == "null" }); len(others) == 1 {
		kind = others[0]
	}
	a := Argument{Name: name, About: api.CleanLines(p.Description, 1000), Type: cmp.Or(argumentTypes[kind], api.Sentence("JSON")).Reason(),
		Default: api.Written(p.Default), Required: required}
	if a.Type == typeTruth.Reason() {
		a.Choices = []string{"true", "false"}
	}
	values := p.Enum
	if p.Const != nil {
		values = []any{*p.Const}
	}
	a.Choices = append(a.Choices, api.Pick(values, func(v any) (string, bool) {
		raw, _ := api.PlainJSON(v) // it was JSON
		return api.Written(raw), v != nil
	})...)
	return a
}

// JSON is a value as it is sent that a person wrote.
func (a *Argument) JSON(text string) string {
	if a.Type == typeText.Reason() || !json.Valid([]byte(text)) {
		return api.JSONString(text)
	}
	return text
}

var argumentTypes = map[string]api.Sentence{
	"string": typeText, "integer": api.Sentence("whole number"), "number": api.Sentence("number"), "boolean": typeTruth,
}

// FieldArguments names the arguments as a whole in problems.
const FieldArguments = "arguments"

var errSchema = api.Sentence("the tool's schema cannot be used, so its arguments were not checked: %v")

// Check says what is wrong with arguments that were written as JSON. An error
// says that the schema could not be used; the tool can be called all the same.
func Check(schema, args json.RawMessage) ([]api.Problem, error) {
	var values map[string]any
	if json.Unmarshal(args, &values) != nil || values == nil {
		return []api.Problem{api.NewProblem(FieldArguments, "tool_not_an_object")}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // a pattern can be slow
	defer cancel()
	var problems []api.Problem
	var err error
	switch ended, broken := api.Within(ctx, func() { problems, err = check(schema, values) }); {
	case !ended:
		return nil, api.Sentence("checking against the tool's schema takes too long, so its arguments were not checked").Fault(nil)
	case broken != nil:
		return nil, errSchema.Fault(nil, broken)
	}
	return problems, err
}

func check(schema json.RawMessage, values map[string]any) ([]api.Problem, error) {
	a := ReadSchema(schema)
	if a.err != nil {
		return nil, errSchema.Fault(nil, a.err)
	}
	problems := a.names(values)
	// One argument after the other, as the library stops at the first problem.
	each, err := (&jsonschema.Schema{Schema: a.root.Schema, Properties: plain(a.root).Properties}).Resolve(nil)
	if err != nil {
		return nil, errSchema.Fault(err, err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := each.Validate(map[string]any{name: values[name]}); err != nil {
			problems = append(problems, misfit(name, err))
		}
	}
	if len(problems) > 0 {
		return problems, nil
	}
	whole, err := a.root.Resolve(nil)
	if err != nil {
		return nil, errSchema.Fault(err, err)
	}
	if err := whole.Validate(values); err != nil {
		problems = append(problems, misfit(FieldArguments, err))
	}
	return problems, nil
}

// names looks for missing and for unknown arguments.
func (a *Arguments) names(values map[string]any) (problems []api.Problem) {
	add := func(name, code string, args ...any) {
		problems = append(problems, api.NewProblem(name, code, append([]any{api.Clean(name, 60)}, args...)...))
	}
	var known []string
	for _, one := range a.List {
		known = append(known, one.Name)
		if _, there := values[one.Name]; one.Required && !there {
			add(one.Name, "tool_required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !a.closed(), slices.Contains(known, name):
		case len(known) == 0:
			add(name, "tool_no_arguments")
		default:
			add(name, "tool_unknown_argument", api.Clean(strings.Join(known, ", "), 200))
		}
	}
	return problems
}

// closed reports whether the tool refuses arguments that it does not list.
func (a *Arguments) closed() bool {
	top := plain(a.root)
	more := top.AdditionalProperties
	return more != nil && len(top.PatternProperties) == 0 && reflect.DeepEqual(more.Not, &jsonschema.Schema{})
}

// plainNumbers undoes how the library writes whole numbers: 99/1 and 50.000000.
var plainNumbers = api.Pattern(`([0-9])(?:/1|\.0+)\b`)

// misfit is a problem in the library's words, without the way to the place.
func misfit(field string, err error) api.Problem {
	text := strings.ReplaceAll(err.Error(), "<invalid reflect.Value>", "null")
	for strings.HasPrefix(text, "validating ") {
		_, text, _ = strings.Cut(text, ": ")
	}
	text = plainNumbers().ReplaceAllString(text, "$1")
	return api.NewProblem(field, "tool_schema", api.Clean(field, 60), api.Clean(text, 200))
}
