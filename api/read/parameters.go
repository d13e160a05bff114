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

// parameters reads a model's parameters in whatever shape: JSON Schema, maps
// of descriptors, arrays of descriptors, parallel arrays, plain lists, ranges.
// Names that are the spec's are given in the spec's spelling.
func (m *modelReader) parameters(n *node) []api.Parameter {
	p := &parameterReader{byName: map[string]int{}}
	p.boxes(n, 0)
	p.parallel(n)
	for _, box := range [...]string{"modelspec", "capabilities", "metadata", "info", "supported", "limits", "constraints"} {
		if c := n.get(box); c.is(shapeObject) {
			p.boxes(c, 1)
			p.parallel(c)
			p.parallel(c.get("constraints"))
		}
	}
	p.defaults(n)
	for i := range p.list {
		if p.list[i].Values == nil {
			p.list[i].Values = []string{}
		}
	}
	return p.list
}

type parameterReader struct {
	list   []api.Parameter
	byName map[string]int
}

// paramBox tells the names under which parameters stand.
func paramBox(name string) bool {
	switch name {
	case "parameters", "params", "supportedparameters", "supportedparams", "inputschema", "schema", "inputs", "input",
		"inputparameters", "inputparams", "options", "constraints", "arguments", "args", "fields", "properties", "settings",
		"openapischema", "parameterschema", "paramschema", "requestschema", "openapi", "parameter", "config", "configuration",
		"capabilities", "limits", "optionsschema", "modelparameters", "modelparams", "generationparameters", "requestparameters":
		return true
	}
	return strings.HasSuffix(name, "parameters") || strings.HasSuffix(name, "schema")
}

func (p *parameterReader) boxes(n *node, depth int) {
	for c := range n.children {
		if paramBox(c.name) && !strings.HasPrefix(c.name, "allowedpassthrough") {
			p.box(c, depth)
		}
	}
}

// box reads one container of parameters.
func (p *parameterReader) box(n *node, depth int) {
	if depth > 6 {
		return
	}
	if inner, ok := parseWithin(n); ok {
		n = inner
	}
	switch {
	case n.is(shapeArray):
		for c := range n.children {
			if name := c.any([]string{"name", "key", "param", "parameter", "field", "id", "parametername", "fieldname"}); name.is(shapeString) {
				p.add(name.text, c)
			} else if c.is(shapeString) && len(c.text) <= api.MaxIDText {
				p.put(api.Parameter{Name: specName(c.text)})
			} else if c.is(shapeObject) && c.size == 1 {
				p.add(c.first.key, c.first)
			}
		}
	case n.is(shapeObject):
		if props := findProperties(n, 0); props != nil {
			p.properties(props)
			return
		}
		for c := range n.children {
			switch {
			case paramBox(c.name) && c.shape >= shapeArray && listedField(c.name) == "":
				p.box(c, depth+1)
			case c.name == "modeltype" || strings.HasSuffix(c.name, "limit"): // tells of the model, not of a request
			case strings.HasPrefix(c.name, "default") && listedField(c.name[len("default"):]) != "":
			case listedField(c.name) != "":
				p.add(listedField(c.name), c)
			default:
				p.add(c.key, c)
			}
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
		if props := findProperties(c, depth+1); props != nil {
			known := 0
			for f := range props.children {
				if listedField(f.name) != "" {
					known++
				}
			}
			if known > most {
				best, most = props, known
			}
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
// other.
func (p *parameterReader) parallel(n *node) {
	for c := range n.children {
		if f := listedField(c.name); f != "" && f != api.FieldModel && f != api.FieldPrompt && !strings.HasPrefix(c.name, "default") &&
			(c.is(shapeArray) || c.is(shapeObject) && describes(c)) {
			p.add(f, c)
		}
	}
}

// describes tells descriptors from tables of prices.
func describes(n *node) bool {
	return n.any([]string{"values", "enum", "options", "min", "max", "default", "choices", "allowed", "minimum", "maximum", "type"}) != nil
}

// defaults reads default_resolution, defaultRatio and a map of defaults.
func (p *parameterReader) defaults(n *node) {
	for _, o := range []*node{n, n.get("modelspec").get("constraints"), n.get("constraints"), n.get("modelspec"), n.get("capabilities"), n.get("parameters")} {
		for c := range o.children {
			if rest, ok := strings.CutPrefix(c.name, "default"); ok && c.shape < shapeArray {
				p.setDefault(listedField(rest), c)
			}
		}
		for _, box := range [...]string{"defaults", "defaultparameters", "defaultparams", "default"} {
			for c := range o.get(box).children {
				p.setDefault(specName(c.key), c)
			}
		}
	}
}

func (p *parameterReader) setDefault(name string, n *node) {
	if i, ok := p.byName[name]; ok && p.list[i].Default == "" {
		p.list[i].Default = api.Clean(n.scalar(), api.MaxIDText).String()
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
	case n.is(shapeString):
		q.Default = api.Clean(n.text, api.MaxIDText).String()
		if typeWord(n.text) {
			q.Type, q.Default = q.Default, ""
		}
	}
	p.put(q)
}

func (p *parameterReader) put(q api.Parameter) {
	if q.Name == "" {
		return
	}
	if i, ok := p.byName[q.Name]; ok {
		if len(p.list[i].Values) == 0 && p.list[i].Min == nil && p.list[i].Max == nil {
			required := p.list[i].Required
			p.list[i] = q
			p.list[i].Required = q.Required || required
		}
		return
	}
	if len(p.list) < maxParameters {
		p.byName[q.Name] = len(p.list)
		p.list = append(p.list, q)
	}
}
