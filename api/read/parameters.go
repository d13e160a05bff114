package read

import (
	"strings"

	"darkroom/api"
)

// Limits of a model's parameters.
const (
	maxParameters = 128
	maxValues     = 512
)

// parameterReader gathers a model's parameters in whatever shape: JSON Schema,
// maps of descriptors, arrays of descriptors, parallel arrays, plain lists,
// ranges. Names that are the spec's are given in the spec's spelling.
type parameterReader struct {
	list   []api.Parameter
	byName map[string]int
}

func readParameters(n *node) []api.Parameter {
	p := &parameterReader{byName: map[string]int{}}
	p.read(n, 0)
	for c := range n.each(words().InnerParameters) {
		p.read(c, 1)
		p.parallel(c.get("constraints"))
	}
	for _, o := range append([]*node{n}, n.places(words().DefaultPlaces...)...) {
		p.defaults(o)
	}
	for i := range p.list {
		if p.list[i].Values == nil {
			p.list[i].Values = []string{}
		}
	}
	return p.list
}

func (p *parameterReader) read(n *node, depth int) {
	for c := range n.children {
		if words().ParameterNodes.match(c.name) && !strings.HasPrefix(c.name, "allowedpassthrough") {
			p.box(c, depth)
		}
	}
	p.parallel(n)
}

func (p *parameterReader) box(n *node, depth int) {
	if depth > 6 {
		return
	}
	if inner, ok := parseWithin(n); ok {
		n = inner
	}
	if props := findProperties(n, 0); props != nil {
		p.properties(props)
		return
	}
	for c := range n.children {
		name := listedField(c.name)
		switch {
		case n.is(shapeArray) && c.any(words().ParameterNames).is(shapeString):
			p.add(c.any(words().ParameterNames).text, c)
		case n.is(shapeArray) && c.is(shapeString) && len(c.text) <= api.MaxIDText:
			p.put(api.Parameter{Name: specName(c.text)})
		case n.is(shapeArray) && c.is(shapeObject) && c.size == 1:
			p.add(c.first.key, c.first)
		case n.is(shapeArray):
		case words().ParameterNodes.match(c.name) && c.shape >= shapeArray && name == "":
			p.box(c, depth+1)
		case c.name == "modeltype" || strings.HasSuffix(c.name, "limit"): // of the model, not of a request
		case strings.HasPrefix(c.name, "default") && listedField(c.name[len("default"):]) != "":
		case name != "":
			p.add(name, c)
		default:
			p.add(c.key, c)
		}
	}
}

// findProperties finds the properties of a JSON Schema, also inside an OpenAPI
// document: the object that names the most of the spec's fields.
func findProperties(n *node, depth int) *node {
	if !n.is(shapeObject) || depth > 8 {
		return nil
	}
	if props := n.get("properties"); props.is(shapeObject) && props.first.is(shapeObject) {
		return props
	}
	var best *node
	most := 0
	for c := range n.children {
		known := 0
		props := findProperties(c, depth+1)
		for f := range props.children {
			if listedField(f.name) != "" {
				known++
			}
		}
		if known > most {
			best, most = props, known
		}
	}
	return best
}

func (p *parameterReader) properties(props *node) {
	required := map[string]bool{}
	for c := range props.parent.get("required").children {
		required[c.scalar()] = true
	}
	for c := range props.children {
		p.add(c.key, c)
		if i, ok := p.byName[specName(c.key)]; ok && required[c.key] {
			p.list[i].Required = true
		}
	}
}

// parallel reads supported_resolutions, aspectRatios, durations beside each
// other. Objects without a key of a descriptor are tables of prices.
func (p *parameterReader) parallel(n *node) {
	for c := range n.children {
		if c.is(shapeArray) || c.is(shapeObject) && c.any(words().DescribingKeys) != nil {
			if f := listedField(c.name); f != "" && f != api.FieldModel && f != api.FieldPrompt && !strings.HasPrefix(c.name, "default") {
				p.add(f, c)
			}
		}
	}
}

// defaults reads default_resolution, defaultRatio and a map of defaults.
func (p *parameterReader) defaults(n *node) {
	set := func(name string, c *node) {
		if i, ok := p.byName[name]; ok && p.list[i].Default == "" {
			p.list[i].Default = c.clean(api.MaxIDText)
		}
	}
	for c := range n.children {
		if rest, ok := strings.CutPrefix(c.name, "default"); ok && c.shape < shapeArray {
			set(listedField(rest), c)
		}
	}
	for box := range n.each(words().DefaultNodes) {
		for c := range box.children {
			set(specName(c.key), c)
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
		describe(&q, n)
	case n.is(shapeBool):
		q.Type, q.Default = "boolean", n.text
	case n.is(shapeNumber):
		q.Type, q.Default = "number", n.text
	case n.is(shapeString) && words().TypeNames[foldWord(n.text)]:
		q.Type = n.clean(api.MaxIDText)
	default:
		q.Default = n.clean(api.MaxIDText)
	}
	p.put(q)
}

func (p *parameterReader) put(q api.Parameter) {
	i, ok := p.byName[q.Name]
	switch {
	case q.Name == "":
	case ok && len(p.list[i].Values) == 0 && p.list[i].Min == nil && p.list[i].Max == nil:
		q.Required = q.Required || p.list[i].Required
		p.list[i] = q
	case !ok && len(p.list) < maxParameters:
		p.byName[q.Name] = len(p.list)
		p.list = append(p.list, q)
	}
}
