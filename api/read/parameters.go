package read

import (
	"cmp"
	"strings"

	"darkroom/api"
)

// Limits of a model's parameters.
const (
	maxParameters = 128
	maxValues     = 512
)

// parameterReader gathers a model's parameters: the properties of a schema, maps
// and arrays of descriptors, plain lists and defaults. Names that are the spec's
// are given in the spec's spelling.
type parameterReader struct {
	list   []api.Parameter
	byName map[string]int
}

func readParameters(n *node) []api.Parameter {
	p := &parameterReader{list: []api.Parameter{}, byName: map[string]int{}}
	for box := range n.boxes(innerModels) {
		for c := range box.children {
			if parameterNodes.has(c.name) {
				p.box(c, 0)
			}
		}
	}
	return p.list
}

// box reads the parameters in one node.
func (p *parameterReader) box(n *node, depth int) {
	if inner, ok := within(n); ok {
		n = inner
	}
	props := n.get("properties")
	for c := range cmp.Or(props, n).children {
		name := c.any(parameterNames)
		switch {
		case n.is(shapeArray) && c.is(shapeString):
			p.add(c.text, nil)
		case n.is(shapeArray):
			p.add(name.scalar(), c)
		case props == nil && parameterNodes.has(c.name) && c.is(shapeObject):
			if depth < 3 {
				p.box(c, depth+1)
			}
		default:
			p.add(c.key, c)
		}
	}
	for c := range n.get("required").children {
		if i, ok := p.byName[specName(c.scalar())]; ok {
			p.list[i].Required = true
		}
	}
}

// add reads one parameter from its descriptor, such as {type, enum, default,
// minimum}, its list of values, its type or its default.
func (p *parameterReader) add(name string, n *node) {
	q := api.Parameter{Name: specName(name), Values: []string{}}
	switch {
	case n == nil:
	case n.is(shapeArray):
		q.Values = values(n)
	case n.is(shapeObject):
		q.Type = n.get("type").clean(32)
		q.Default = first(n.each(defaultKeys), func(c *node) bool { return c.scalar() != "" }).clean(api.MaxIDText)
		if list := first(n.each(valueKeys), func(c *node) bool { return c.shape >= shapeArray && c.size > 0 }); list != nil {
			q.Values = values(list)
		}
		q.Min, q.Max = bound(n, minKeys), bound(n, maxKeys)
		q.Required = n.get("required").scalar() == "true"
	case n.is(shapeString) && typeNames.has(n.word()):
		q.Type = n.clean(api.MaxIDText)
	default:
		q.Type = map[shape]string{shapeBool: "boolean", shapeNumber: "number"}[n.shape]
		q.Default = n.clean(api.MaxIDText)
	}
	if _, known := p.byName[q.Name]; q.Name != "" && !known && len(p.list) < maxParameters {
		p.byName[q.Name] = len(p.list)
		p.list = append(p.list, q)
	}
}

func bound(n *node, keys row) *float64 {
	for c := range n.each(keys) {
		if f, ok := c.float(); ok {
			return &f
		}
	}
	return nil
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
			text = c.any(choiceKeys).clean(api.MaxIDText)
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
