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
				raw, _ := api.PlainJSON(v)
				return string(raw)
			}
		}
		return strings.Join(lines, "\n")
	}
	raw, _ := api.PlainJSON(v)
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
	if f := bound(p, names...); f != nil && *f >= 0 && *f <= math.MaxInt32 {
		return int(*f)
	}
	return 0
}
