package read

import (
	"cmp"
	"strings"

	"darkroom/api"
)

// describe reads a descriptor such as {type, enum, default, minimum}.
func describe(q *api.Parameter, n *node) {
	q.Type = typeOf(n)
	for c := range n.each(words().ValueKeys) {
		if c.name == "items" && c.is(shapeObject) {
			c = c.get("enum")
		}
		switch {
		case c == nil:
		case c.name == "range" && (c.is(shapeObject) || c.is(shapeArray) && c.size == 2 && c.first.is(shapeNumber)):
			bounds(q, c)
		case c.shape >= shapeArray && c.size > 0 && q.Values == nil:
			q.Values = values(c)
		}
	}
	for list := range n.each(words().VariantKeys) {
		for c := range list.children {
			q.Type = cmp.Or(q.Type, typeOf(c))
			if enum := c.get("enum"); q.Values == nil && enum.is(shapeArray) {
				q.Values = values(enum)
			}
			if v := c.get("const"); v.scalar() != "" && len(q.Values) < maxValues {
				q.Values = append(q.Values, v.clean(api.MaxIDText))
			}
		}
	}
	bounds(q, n)
	for d := range n.each(words().DefaultKeys) {
		q.Default = cmp.Or(q.Default, d.clean(api.MaxIDText))
	}
	q.Required = n.get("required").scalar() == "true" || n.get("isrequired").scalar() == "true" || n.get("optional").scalar() == "false"
}

func typeOf(n *node) string {
	t := n.get("type")
	if t.is(shapeArray) {
		t = first(t.children, func(c *node) bool { return c.scalar() != "null" })
	}
	return t.clean(32)
}

// bounds reads {min, max} and [min, max].
func bounds(q *api.Parameter, n *node) {
	if n.is(shapeArray) {
		low, ok1 := n.first.float()
		high, ok2 := n.first.next.float()
		if ok1 && ok2 && low <= high {
			q.Min, q.Max = &low, &high
		}
		return
	}
	set := func(bound **float64, names []string) {
		for c := range n.each(names) {
			if f, ok := c.float(); ok && *bound == nil {
				*bound = &f
			}
		}
	}
	set(&q.Min, words().MinKeys)
	set(&q.Max, words().MaxKeys)
}

// values reads choices: scalars, {value,label} objects, or the keys of a map.
func values(n *node) []string {
	var out []string
	seen := map[string]bool{"": true}
	for c := range n.children {
		text := ""
		switch {
		case n.is(shapeObject):
			text = api.Clean(c.key, api.MaxIDText).String()
		case c.is(shapeObject):
			text = c.any(words().ChoiceKeys).clean(api.MaxIDText)
		default:
			text = c.clean(api.MaxIDText)
		}
		if !seen[text] && len(out) < maxValues {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
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
	for _, prefix := range words().ListPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok && !words().WholeFields[name] {
			if f := singular(rest); f != "" {
				return f
			}
		}
	}
	return singular(name)
}

func singular(name string) string {
	for _, suffix := range words().ListSuffixes {
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
