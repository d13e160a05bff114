package read

import (
	"strings"

	"darkroom/api"
)

// describe reads a descriptor such as {type, enum, default, minimum}.
func describe(q *api.Parameter, n *node) {
	q.Type = api.Clean(typeOf(n), 32).String()
	for _, name := range [...]string{"values", "enum", "options", "choices", "allowed", "allowedvalues", "supported", "supportedvalues", "items", "range", "list", "enums", "validvalues"} {
		c := n.get(name)
		if c.is(shapeObject) && name == "items" {
			c = c.get("enum")
		}
		if name == "range" && (c.is(shapeObject) || c.is(shapeArray) && c.size == 2 && c.first.is(shapeNumber)) {
			bounds(q, c)
			continue
		}
		if (c.is(shapeArray) || c.is(shapeObject)) && c.size > 0 && q.Values == nil {
			q.Values = values(c)
		}
	}
	for _, name := range [...]string{"anyof", "oneof", "allof"} {
		for c := range n.get(name).children {
			if q.Values == nil && c.get("enum").is(shapeArray) {
				q.Values = values(c.get("enum"))
			}
			if v := c.get("const").scalar(); v != "" && len(q.Values) < maxValues {
				q.Values = append(q.Values, api.Clean(v, api.MaxIDText).String())
			}
			if q.Type == "" {
				q.Type = api.Clean(typeOf(c), 32).String()
			}
		}
	}
	bounds(q, n)
	for _, name := range [...]string{"default", "defaultvalue", "initial"} {
		if d := n.get(name); d != nil && q.Default == "" {
			q.Default = api.Clean(d.scalar(), api.MaxIDText).String()
		}
	}
	q.Required = n.get("required").scalar() == "true" || n.get("isrequired").scalar() == "true" || n.get("optional").scalar() == "false"
}

func typeOf(n *node) string {
	t := n.get("type")
	if t.is(shapeArray) {
		for c := range t.children {
			if c.scalar() != "null" {
				return c.scalar()
			}
		}
	}
	return t.scalar()
}

func bounds(q *api.Parameter, n *node) {
	if n.is(shapeArray) {
		low, ok1 := n.first.float()
		high, ok2 := n.first.next.float()
		if ok1 && ok2 && low <= high {
			q.Min, q.Max = &low, &high
		}
		return
	}
	for _, name := range [...]string{"min", "minimum", "minvalue", "from", "lower"} {
		if f, ok := n.get(name).float(); ok && q.Min == nil {
			q.Min = &f
		}
	}
	for _, name := range [...]string{"max", "maximum", "maxvalue", "to", "upper"} {
		if f, ok := n.get(name).float(); ok && q.Max == nil {
			q.Max = &f
		}
	}
}

// values reads choices: scalars, {value,label} objects, or the keys of a map.
func values(n *node) []string {
	var out []string
	seen := map[string]bool{}
	for c := range n.children {
		v := c
		if c.is(shapeObject) {
			v = c.any([]string{"value", "id", "key", "name", "label"})
		}
		text := api.Clean(v.scalar(), api.MaxIDText).String()
		if n.is(shapeObject) {
			text = api.Clean(c.key, api.MaxIDText).String()
		}
		if text != "" && !seen[text] && len(out) < maxValues {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

func typeWord(s string) bool {
	switch fold(s) {
	case "string", "integer", "int", "number", "float", "boolean", "bool", "enum", "url", "array", "object", "text", "file":
		return true
	}
	return false
}

// specName gives the spec's spelling of a name that is the spec's, else the
// listing's own, cleaned.
func specName(name string) string {
	if len(name) > 4*api.MaxIDText {
		return ""
	}
	if f, ok := specFields[fold(name)]; ok && fold(name) != "imagesize" {
		return f
	}
	return api.Clean(strings.TrimSpace(name), api.MaxIDText).String()
}

// listedField matches supportedResolutions, aspect_ratios and allowed_sizes to
// the spec's fields; "" when there is none.
func listedField(name string) string {
	for _, prefix := range [...]string{"supported", "available", "allowed", "valid", "possible", "output", "video", "image"} {
		if rest := strings.TrimPrefix(name, prefix); rest != name && singular(rest) != "" {
			if name != "videomodel" && name != "videomodels" && name != "imageurl" && name != "videourl" {
				return singular(rest)
			}
		}
	}
	return singular(name)
}

func singular(name string) string {
	for _, suffix := range [...]string{"", "options", "values", "list", "choices", "enum", "range"} {
		rest, ok := strings.CutSuffix(name, suffix)
		if !ok {
			continue
		}
		for _, one := range [...]string{rest, strings.TrimSuffix(rest, "s"), strings.TrimSuffix(rest, "ies") + "y", strings.TrimSuffix(rest, "es")} {
			if f, known := specFields[one]; known {
				return f
			}
		}
	}
	return ""
}
