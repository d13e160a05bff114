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
	p := &parameterReader{byName: map[string]int{}}
	boxes := []*node{n}
	for c := range n.each(innerModels) {
		boxes = append(boxes, c)
	}
	for _, box := range boxes {
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
	if depth > 3 {
		return
	}
	if inner, ok := within(n); ok {
		n = inner
	}
	if props := n.get("properties"); props.is(shapeObject) {
		for c := range props.children {
			p.add(c.key, c)
		}
		for c := range n.get("required").children {
			if i, ok := p.byName[specName(c.scalar())]; ok {
				p.list[i].Required = true
			}
		}
		return
	}
	for c := range n.children {
		name := c.any(parameterNames)
		switch {
		case n.is(shapeArray) && name.is(shapeString):
			p.add(name.text, c)
		case n.is(shapeArray) && c.is(shapeString) && len(c.text) <= api.MaxIDText:
			p.put(api.Parameter{Name: specName(c.text)})
		case n.is(shapeArray):
		case parameterNodes.has(c.name) && c.is(shapeObject):
			p.box(c, depth+1)
		default:
			p.add(c.key, c)
		}
	}
}

// add reads one parameter from its descriptor, list, range or default.
func (p *parameterReader) add(name string, n *node) {
	q := api.Parameter{Name: specName(name)}
	switch {
	case n.is(shapeArray):
		q.Values = values(n)
	case n.is(shapeObject):
		describeParameter(&q, n)
	case n.is(shapeBool):
		q.Type, q.Default = "boolean", n.text
	case n.is(shapeNumber):
		q.Type, q.Default = "number", n.text
	case n.is(shapeString) && typeNames.has(n.word()):
		q.Type = n.clean(api.MaxIDText)
	default:
		q.Default = n.clean(api.MaxIDText)
	}
	p.put(q)
}

func (p *parameterReader) put(q api.Parameter) {
	if q.Values == nil {
		q.Values = []string{}
	}
	if _, ok := p.byName[q.Name]; q.Name != "" && !ok && len(p.list) < maxParameters {
		p.byName[q.Name] = len(p.list)
		p.list = append(p.list, q)
	}
}

// describeParameter reads a descriptor such as {type, enum, default, minimum}.
func describeParameter(q *api.Parameter, n *node) {
	q.Type = typeOf(n)
	for c := range n.each(valueKeys) {
		if c.shape >= shapeArray && c.size > 0 && q.Values == nil {
			q.Values = values(c)
		}
	}
	q.Min, q.Max = bound(n, minKeys), bound(n, maxKeys)
	for d := range n.each(defaultKeys) {
		q.Default = cmp.Or(q.Default, d.clean(api.MaxIDText))
	}
	q.Required = n.get("required").scalar() == "true" || n.get("optional").scalar() == "false"
}

func typeOf(n *node) string {
	t := n.get("type")
	if t.is(shapeArray) {
		t = first(t.children, func(c *node) bool { return c.scalar() != "null" })
	}
	return t.clean(32)
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
