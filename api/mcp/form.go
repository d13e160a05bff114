package mcp

import (
	"encoding/json"
	"maps"
	"slices"

	"darkroom/api"
)

// Form is a tool's JSON Schema as fields to fill in. A schema may say
// anything; what is not understood becomes a field for JSON, never a lost one.
type Form struct {
	// Fields are the required ones first, in the schema's order, then the
	// others by name.
	Fields []Field
	// Closed says that the tool refuses arguments that are no field.
	Closed bool
	// Free says that the schema names no fields although it takes arguments:
	// they are written as one JSON object.
	Free bool
}

// FieldType is what a field of a tool holds.
type FieldType string

// Types of fields.
const (
	FieldText    FieldType = "text"
	FieldWhole   FieldType = "whole"   // a whole number
	FieldNumber  FieldType = "number"  // any number
	FieldYesNo   FieldType = "yes_no"  // true or false
	FieldLines   FieldType = "lines"   // a list of texts, one a line
	FieldNumbers FieldType = "numbers" // a list of numbers, one a line
	FieldJSON    FieldType = "json"    // anything else
)

// Field is one argument of a tool.
type Field struct {
	Name     string // as it is sent: data, not text
	Label    api.Text
	About    api.Text
	Type     FieldType
	Choices  []string // as JSON texts or numbers are written by people
	Default  string
	Required bool
	Long     bool // wants several lines
	Min, Max *float64
	MinLen   int // characters, or entries of a list
	MaxLen   int // 0: none
}

// Limits of what is read of a schema.
const (
	maxToolFields  = 60
	maxToolChoices = 200
	maxSchemaDepth = 8
	longFrom       = 300 // a text that may be longer wants several lines
)

// ReadForm reads the schema of a tool's arguments.
func ReadForm(schema json.RawMessage) Form {
	root, ok := schemaObject(schema)
	if !ok {
		return Form{Free: true}
	}
	s := schemaReader{root}
	root = s.resolve(root, 0)
	properties, _ := root["properties"].(map[string]any)
	extra, given := root["additionalProperties"].(bool)
	f := Form{Closed: given && !extra}
	if len(properties) == 0 {
		f.Free = !f.Closed && (root["additionalProperties"] != nil || root["anyOf"] != nil || root["oneOf"] != nil || root["allOf"] != nil)
		return f
	}
	var names []string
	listed := map[string]bool{}
	for _, name := range texts(root["required"]) {
		if _, there := properties[name]; there && !listed[name] {
			listed[name] = true
			names = append(names, name)
		}
	}
	required := len(names)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !listed[name] {
			names = append(names, name)
		}
	}
	for i, name := range names {
		if len(f.Fields) == maxToolFields {
			f.Closed = false // what has no field may still be an argument
			break
		}
		f.Fields = append(f.Fields, s.field(name, properties[name], i < required))
	}
	return f
}
