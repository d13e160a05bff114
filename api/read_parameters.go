package api

import (
	"strings"
)

// Limits of a model's parameters.
const (
	maxParameters = 128
	maxValues     = 512
)

// parameters reads a model's parameters in whatever shape: JSON Schema, maps
// of descriptors, arrays of descriptors, parallel arrays, plain lists, ranges.
// Names that are the spec's are given in the spec's spelling.
func (m *modelReader) parameters(n *node) []Parameter {
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
	list   []Parameter
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
			} else if c.is(shapeString) && len(c.text) <= MaxIDText {
				p.put(Parameter{Name: specName(c.text)})
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
		if f := listedField(c.name); f != "" && f != FieldModel && f != FieldPrompt && !strings.HasPrefix(c.name, "default") &&
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
		p.list[i].Default = Clean(n.scalar(), MaxIDText).String()
	}
}

// add reads one parameter from its descriptor, list, range or default.
func (p *parameterReader) add(name string, n *node) {
	q := Parameter{Name: specName(name)}
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
		q.Default = Clean(n.text, MaxIDText).String()
		if typeWord(n.text) {
			q.Type, q.Default = q.Default, ""
		}
	}
	p.put(q)
}

func (p *parameterReader) put(q Parameter) {
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

// describe reads a descriptor such as {type, enum, default, minimum}.
func describe(q *Parameter, n *node) {
	q.Type = Clean(typeOf(n), 32).String()
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
				q.Values = append(q.Values, Clean(v, MaxIDText).String())
			}
			if q.Type == "" {
				q.Type = Clean(typeOf(c), 32).String()
			}
		}
	}
	bounds(q, n)
	for _, name := range [...]string{"default", "defaultvalue", "initial"} {
		if d := n.get(name); d != nil && q.Default == "" {
			q.Default = Clean(d.scalar(), MaxIDText).String()
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

func bounds(q *Parameter, n *node) {
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
		text := Clean(v.scalar(), MaxIDText).String()
		if n.is(shapeObject) {
			text = Clean(c.key, MaxIDText).String()
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
	if len(name) > 4*MaxIDText {
		return ""
	}
	if f, ok := specFields[fold(name)]; ok && fold(name) != "imagesize" {
		return f
	}
	return Clean(strings.TrimSpace(name), MaxIDText).String()
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
