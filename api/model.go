package api

import (
	"encoding/json"
	"slices"
	"strings"
)

// Model is one entry of GET /api/v1/models, read liberally ("Model").
type Model struct {
	ID         string          `json:"id"`
	Label      string          `json:"label,omitempty"`
	Kind       Kind            `json:"kind"` // empty: the listing does not say
	Price      *Price          `json:"price"`
	Parameters []Parameter     `json:"parameters"`
	Raw        json.RawMessage `json:"raw,omitempty"` // as received
}

// Parameter returns the listed parameter with a name, or with another name of that field
// of the spec, and whether there is one.
func (m Model) Parameter(name string) (Parameter, bool) {
	names := []string{name}
	if f := FieldNamed(name); f != nil {
		names = append([]string{f.Name}, f.Also...)
	}
	for _, name := range names {
		for _, p := range m.Parameters {
			if p.Name == name {
				return p, true
			}
		}
	}
	return Parameter{}, false
}

// Price is a model's default price as listed. Unit is "image", "second",
// "call" or "unknown".
type Price struct {
	Credits Credits `json:"credits"`
	Unit    string  `json:"unit"`
}

// Parameter is one listed parameter of a model. Values are its choices, if it
// lists any; Min and Max bound a number.
type Parameter struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	Default  string   `json:"default"`
	Type     string   `json:"type,omitempty"` // the listing's word, such as "enum" or "integer"
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// Source says where a figure comes from.
type Source string

// Sources of an estimate.
const (
	SourceService Source = "service" // the estimate endpoint
	SourceTable   Source = "table"   // the spec's rate table
	SourceNone    Source = "none"    // there is no figure
)

// Extra is a parameter that a model's listing names and the spec does not, with
// the JSON value that is sent.
type Extra struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// extraName is what an extra parameter may be called.
var extraName = Pattern(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// Extras gives the parameters of a listing that the spec does not name, in the
// listing's order.
func (m Model) Extras() []Parameter {
	var out []Parameter
	for _, p := range m.Parameters {
		ofModel := slices.Contains([]string{"kind", "type", "id"}, p.Name)
		if FieldNamed(p.Name) == nil && !ofModel && extraName().MatchString(p.Name) {
			out = append(out, p)
		}
	}
	return out
}

// JSON types of extra parameters.
const (
	TypeText    = "string"
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeBoolean = "boolean"
	TypeArray   = "array"
	TypeObject  = "object"
)

// JSONType is the type that the listing gives a parameter: a text when it gives
// none that JSON has.
func (p Parameter) JSONType() string {
	switch strings.ToLower(p.Type) {
	case "integer", "int", "int32", "int64", "long":
		return TypeInteger
	case "number", "float", "float32", "float64", "double", "decimal":
		return TypeNumber
	case "boolean", "bool":
		return TypeBoolean
	case "array", "list", "string[]", "url[]":
		return TypeArray
	case "object", "map", "json":
		return TypeObject
	}
	return TypeText
}

var (
	jsonInteger = Pattern(`^-?(0|[1-9][0-9]{0,17})$`)
	jsonNumber  = Pattern(`^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?$`)
)

// Extra makes the parameter with a typed value. False: the value is not of the
// type that the listing gives.
func (p Parameter) Extra(text string) (Extra, bool) {
	raw, ok := json.RawMessage(text), false
	switch p.JSONType() {
	case TypeInteger:
		ok = jsonInteger().MatchString(text)
	case TypeNumber:
		ok = jsonNumber().MatchString(text)
	case TypeBoolean:
		ok = text == "true" || text == "false"
	case TypeArray:
		ok = strings.HasPrefix(text, "[") && json.Valid(raw)
	case TypeObject:
		ok = strings.HasPrefix(text, "{") && json.Valid(raw)
	default:
		raw, ok = json.RawMessage(JSONString(text)), true
	}
	return Extra{p.Name, raw}, ok
}

// Text is the value as it is typed.
func (e Extra) Text() string {
	var s string
	if json.Unmarshal(e.Value, &s) == nil && strings.HasPrefix(string(e.Value), `"`) {
		return s
	}
	return string(e.Value)
}
