package api

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
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

func (m Model) Parameter(name string) (Parameter, bool) {
	names := []string{name}
	if f := FieldNamed(name); f != nil {
		names = append([]string{f.Name}, f.Also...)
	}
	for _, name := range names {
		if i := slices.IndexFunc(m.Parameters, func(p Parameter) bool { return p.Name == name }); i >= 0 {
			return m.Parameters[i], true
		}
	}
	return Parameter{}, false
}

// magnitude takes apart a value such as "auto_2K", "720p" or "1024x768".
var magnitude = Pattern(`^[^0-9]*([0-9]+(?:\.[0-9]+)?)([kK]?)(?:[xX*×]([0-9.]+))?`)

// Rising puts listed values in order of their size, "2K" before "auto_2K". What has no
// number, and ratios, keep their order behind all.
func Rising(values []string) []string {
	size := func(v string) float64 {
		if at := slices.Index(FieldNamed(FieldQuality).Values, v); at >= 0 {
			return float64(at)
		}
		m := magnitude().FindStringSubmatch(v)
		if m == nil || strings.Contains(v, ":") {
			return math.MaxFloat64
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		if m[2] != "" {
			n *= 1024
		}
		if height, err := strconv.ParseFloat(m[3], 64); err == nil {
			n *= height
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(values), func(a, b string) int {
		if of := size(a); of < math.MaxFloat64 {
			return cmp.Or(cmp.Compare(of, size(b)), len(a)-len(b))
		}
		return cmp.Compare(math.MaxFloat64, size(b))
	})
}

// Price is a listed price. Unit is "image", "second", "call" or "unknown".
type Price struct {
	Credits Credits `json:"credits"`
	Unit    string  `json:"unit"`
}

// Parameter is one listed parameter of a model; Min and Max bound a number.
type Parameter struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	Default  string   `json:"default"`
	Type     string   `json:"type,omitempty"` // the listing's word, such as "enum" or "integer"
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

type Source string

const (
	SourceService Source = "service" // the estimate endpoint
	SourceTable   Source = "table"   // the spec's rate table
	SourceNone    Source = "none"    // there is no figure
)

// Extra is a parameter that the spec does not name, with the JSON value that is sent.
type Extra struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

var extraName = Pattern(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// Extras gives the parameters of a listing that the spec does not name.
func (m Model) Extras() []Parameter {
	ofModel := []string{"kind", "type", "id"}
	return slices.DeleteFunc(slices.Clone(m.Parameters), func(p Parameter) bool {
		return FieldNamed(p.Name) != nil || slices.Contains(ofModel, p.Name) || !extraName().MatchString(p.Name)
	})
}

const (
	TypeText    = "string"
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeBoolean = "boolean"
	TypeArray   = "array"
	TypeObject  = "object"
)

// typeWords are the listings' words for the types that are not a text.
var typeWords = map[string]string{
	"integer": TypeInteger, "int": TypeInteger, "int32": TypeInteger, "int64": TypeInteger, "long": TypeInteger,
	"number": TypeNumber, "float": TypeNumber, "float32": TypeNumber, "float64": TypeNumber, "double": TypeNumber, "decimal": TypeNumber,
	"boolean": TypeBoolean, "bool": TypeBoolean, "array": TypeArray, "list": TypeArray, "string[]": TypeArray, "url[]": TypeArray,
	"object": TypeObject, "map": TypeObject, "json": TypeObject,
}

// JSONType is the type that the listing gives a parameter, else a text.
func (p Parameter) JSONType() string { return cmp.Or(typeWords[strings.ToLower(p.Type)], TypeText) }

// typeForms are how a value of a type begins that is typed as JSON; of a number, all of it.
var typeForms = map[string]func() *regexp.Regexp{
	TypeInteger: Pattern(`^-?[0-9]{1,18}$`),
	TypeNumber:  Pattern(`^-?[0-9]{1,18}(\.[0-9]{1,17})?$`),
	TypeBoolean: Pattern(`^(true|false)$`),
	TypeArray:   Pattern(`^\[`),
	TypeObject:  Pattern(`^\{`),
}

// Extra makes the parameter with a typed value, if that is of the listed type.
func (p Parameter) Extra(text string) (Extra, bool) {
	form := typeForms[p.JSONType()]
	if form == nil {
		return Extra{p.Name, json.RawMessage(JSONString(text))}, true
	}
	return Extra{p.Name, json.RawMessage(text)}, form().MatchString(text) && json.Valid([]byte(text))
}

func (e Extra) Text() string {
	var s string
	if json.Unmarshal(e.Value, &s) == nil && strings.HasPrefix(string(e.Value), `"`) {
		return s
	}
	return string(e.Value)
}
