package mcp

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"darkroom/api"
)

// FieldArguments names the arguments as a whole in problems.
const FieldArguments = "arguments"

// maxSchemaTime is how long checking may take: a pattern can be slow.
const maxSchemaTime = time.Second

var errSchema = api.Sentence("the tool's schema cannot be used, so its arguments were not checked: %v")

// Check says what is wrong with arguments that were written as JSON. An error
// says that the schema could not be used; the tool can be called all the same.
func Check(schema, args json.RawMessage) ([]api.Problem, error) {
	var values map[string]any
	if json.Unmarshal(args, &values) != nil || values == nil {
		return []api.Problem{api.NewProblem(FieldArguments, "tool_not_an_object")}, nil
	}
	var problems []api.Problem
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if broken := recover(); broken != nil {
				err = errSchema.Fault(nil, broken)
			}
		}()
		problems, err = check(schema, values)
	}()
	select {
	case <-done:
		return problems, err
	case <-time.After(maxSchemaTime):
		return nil, api.Sentence("the tool's schema takes too long to check by, so its arguments were not checked").Fault(nil)
	}
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
	text := err.Error()
	for strings.HasPrefix(text, "validating ") {
		_, text, _ = strings.Cut(text, ": ")
	}
	text = plainNumbers().ReplaceAllString(text, "$1")
	return api.NewProblem(field, "tool_schema", api.Clean(field, 60), api.Clean(text, 200))
}
