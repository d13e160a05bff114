package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

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
	extra, told := root["additionalProperties"].(bool)
	f := Form{Closed: told && !extra}
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

func schemaObject(raw json.RawMessage) (map[string]any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	return v, d.Decode(&v) == nil && v != nil
}

type schemaReader struct{ root map[string]any }

// resolve follows references within the schema, and of several forms takes the
// first that is not null.
func (s schemaReader) resolve(v map[string]any, depth int) map[string]any {
	if depth > maxSchemaDepth {
		return v
	}
	if ref, ok := v["$ref"].(string); ok {
		if to := s.at(ref); to != nil {
			return s.over(v, s.resolve(to, depth+1))
		}
	}
	for _, name := range [...]string{"anyOf", "oneOf", "allOf"} {
		list, _ := v[name].([]any)
		var forms []map[string]any
		for _, one := range list {
			if form, ok := one.(map[string]any); ok && form["type"] != "null" {
				forms = append(forms, form)
			}
		}
		if len(forms) == 1 {
			return s.over(v, s.resolve(forms[0], depth+1))
		}
	}
	return v
}

// over lays what the schema itself says over what it refers to.
func (s schemaReader) over(own, under map[string]any) map[string]any {
	out := maps.Clone(under)
	for k, v := range own {
		switch k {
		case "$ref", "anyOf", "oneOf", "allOf":
		default:
			out[k] = v
		}
	}
	return out
}

// pointer undoes the escapes of a step of a JSON pointer.
var pointer = strings.NewReplacer("~1", "/", "~0", "~")

// at is the schema at a reference such as #/$defs/size, or nil.
func (s schemaReader) at(ref string) map[string]any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var v any = s.root
	for step := range strings.SplitSeq(path, "/") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[pointer.Replace(step)]
	}
	m, _ := v.(map[string]any)
	return m
}

func (s schemaReader) field(name string, v any, required bool) Field {
	f := Field{Name: name, Label: api.Clean(name, 60), Type: FieldJSON, Required: required, Long: true}
	p, ok := v.(map[string]any)
	if !ok {
		return f
	}
	p = s.resolve(p, 0)
	if title, ok := p["title"].(string); ok && strings.TrimSpace(title) != "" {
		f.Label = api.Clean(strings.TrimSpace(title), 60)
	}
	if about, ok := p["description"].(string); ok {
		f.About = api.CleanLines(about, 1000)
	}
	f.Default = plainValue(p["default"])
	f.Type = s.typeOf(p)
	f.Choices = choices(p)
	f.Min, f.Max = bound(p, "minimum", "exclusiveMinimum"), bound(p, "maximum", "exclusiveMaximum")
	f.MinLen, f.MaxLen = length(p, "minLength", "minItems"), length(p, "maxLength", "maxItems")
	f.Long = f.Type == FieldJSON || f.Type == FieldLines || f.Type == FieldNumbers ||
		f.Type == FieldText && len(f.Choices) == 0 && (f.MaxLen >= longFrom || name == api.FieldPrompt)
	return f
}

func (s schemaReader) typeOf(p map[string]any) FieldType {
	switch kindOf(p) {
	case "string":
		return FieldText
	case "integer":
		return FieldWhole
	case "number":
		return FieldNumber
	case "boolean":
		return FieldYesNo
	case "array":
		items, _ := p["items"].(map[string]any)
		switch kindOf(s.resolve(items, 0)) {
		case "string":
			return FieldLines
		case "integer", "number":
			return FieldNumbers
		}
	}
	return FieldJSON
}

// kindOf is the schema's type, without null; of choices that name none it is
// the type of what can be chosen.
func kindOf(p map[string]any) string {
	kinds := texts(p["type"])
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" })
	if len(kinds) == 1 {
		return kinds[0]
	}
	list, _ := p["enum"].([]any)
	if len(kinds) > 1 || len(list) == 0 {
		return ""
	}
	kind := ""
	for _, v := range list {
		is := ""
		switch v.(type) {
		case string:
			is = "string"
		case json.Number:
			is = "number"
		case nil:
			continue
		}
		if is == "" || kind != "" && is != kind {
			return ""
		}
		kind = is
	}
	return kind
}

// texts reads one text or a list of them.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func choices(p map[string]any) []string {
	list, _ := p["enum"].([]any)
	if c, ok := p["const"]; ok {
		list = []any{c}
	}
	if len(list) > maxToolChoices {
		return nil // typed instead; the service checks it
	}
	var out []string
	for _, v := range list {
		if s := plainValue(v); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// plainValue writes a value as a person types it into its field.
func plainValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		lines := make([]string, len(v))
		for i, one := range v {
			switch one.(type) {
			case string, json.Number:
				lines[i] = plainValue(one)
			default:
				raw, _ := plainJSON(v)
				return string(raw)
			}
		}
		return strings.Join(lines, "\n")
	}
	raw, _ := plainJSON(v)
	return string(raw)
}

func bound(p map[string]any, names ...string) *float64 {
	for _, name := range names {
		if n, ok := p[name].(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				return &f
			}
		}
	}
	return nil
}

func length(p map[string]any, names ...string) int {
	for _, name := range names {
		if n, ok := p[name].(json.Number); ok {
			if f, err := n.Float64(); err == nil && f >= 0 && f <= math.MaxInt32 {
				return int(f)
			}
		}
	}
	return 0
}
