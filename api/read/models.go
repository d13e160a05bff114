package read

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"darkroom/api"
)

// MaxModelsRead bounds how many models one listing gives.
const MaxModelsRead = 2000

var (
	reUUID = api.Pattern(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)
)

// Models reads a models listing ("Model": an id, parameters and a default
// price; the shape is not shown). It fails when the answer is not JSON or no
// list of models can be found in it; an empty list is no failure.
func Models(raw []byte) ([]api.Model, []api.Found, error) { return words().readModels(parseBody(raw)) }

func (l *vocabulary) readModels(b body) ([]api.Model, []api.Found, error) {
	if b.err != nil {
		return nil, nil, &api.Fault{Reason: notReadable(b.raw, b.err)}
	}
	m := &modelReader{vocabulary: l, raw: b.raw, seen: map[string]bool{}, arrays: map[*node]bool{}}
	if !m.listing(b.root, 0) {
		return nil, nil, errNoModels
	}
	return m.models, m.found, nil
}

type modelReader struct {
	*vocabulary
	raw    []byte
	seen   map[string]bool
	arrays map[*node]bool // those that were read
	models []api.Model
	found  []api.Found
}

// listing finds the list: the root, the known nodes, one level of anything
// else. It reports whether there was a list, even an empty one.
func (m *modelReader) listing(n *node, depth int) bool {
	if depth <= 4 && n.is(shapeArray) {
		return m.array(n, "")
	}
	if depth > 4 || !n.is(shapeObject) {
		return false
	}
	for _, want := range [...]shape{shapeArray, shapeObject} {
		for c := range n.each(m.ModelNodes) {
			if c.is(want) && m.listing(c, depth+int(want-shapeArray)) {
				return true
			}
		}
	}
	if m.groups(n) || m.keyed(n, "") {
		return true
	}
	if depth == 0 && m.modelID(n) != nil && m.looksLikeModel(n) {
		m.add(n, "")
		return true
	}
	for c := range n.children {
		if !words().NotJobs[c.name] && c.name != "error" && m.listing(c, depth+2) {
			return true
		}
	}
	return false
}

// array reads a list of models: objects with an id, or bare ids. Each list is
// read once: it is reached in several ways, and lists within lists would double
// the work with every level.
func (m *modelReader) array(n *node, kind api.Kind) bool {
	if m.arrays[n] {
		return n.size == 0
	}
	m.arrays[n] = true
	before := len(m.models)
	// Bare ids stand under a name of listings, at the root, or in a group of one kind.
	bare := kind != "" || n.parent == nil || slices.Contains(m.ModelNodes, n.name) || strings.Contains(n.name, "model")
	for c := range n.children {
		if len(m.models) >= MaxModelsRead {
			break
		}
		if inner := c.get("node"); inner.is(shapeObject) { // an edge of a graph
			c = inner
		}
		switch models := c.get("models"); {
		case models.is(shapeArray) && models.size > 0: // grouped by provider
			m.listing(c, 1)
		case c.is(shapeObject) && m.modelID(c) != nil:
			m.add(c, kind)
		case bare && c.is(shapeString) && c.says() && len(c.text) <= api.MaxIDText && !strings.ContainsAny(c.text, " \n") && !strings.Contains(c.text, "://"):
			m.found = append(m.found, c.found("model id", c.text))
			m.keep(c, api.Model{ID: c.text, Kind: m.kind(c, kind)})
		case c.is(shapeArray), models != nil:
			m.listing(c, 1)
		}
	}
	return len(m.models) > before || n.size == 0
}

// groups reads {"image":[…],"video":[…]}: lists by kind.
func (m *modelReader) groups(n *node) bool {
	any := false
	for c := range n.children {
		k := keyKind(c.name)
		if list := c.get("models"); list.is(shapeArray) {
			c = list
		}
		switch {
		case k == "":
		case c.is(shapeArray):
			any = m.array(c, k) || any
		case c.first.is(shapeObject):
			any = m.keyed(c, k) || any
		}
	}
	return any
}

// keyed reads an object whose keys are the ids.
func (m *modelReader) keyed(n *node, kind api.Kind) bool {
	for c := range n.children {
		if !c.is(shapeObject) || !m.looksLikeModel(c) {
			return false
		}
	}
	for c := range n.children {
		// The key is the id unless the model gives one: a name is a label then.
		if id := m.modelID(c); id != nil && (strings.Trim(c.key, "0123456789") == "" || id.name != "name" && id.name != "modelname") {
			m.add(c, kind)
			continue
		}
		m.keep(c, m.describe(c, c.key, kind))
	}
	return n.size > 0
}

// looksLikeModel reports objects that have what a model has besides an id.
func (m *modelReader) looksLikeModel(n *node) bool {
	return first(n.children, func(c *node) bool {
		field := listedField(c.name)
		return slices.Contains(m.PriceKeys, c.name) || slices.Contains(m.KindKeys, c.name) || words().ParameterNodes.match(c.name) || field != "" && field != api.FieldModel && c.shape >= shapeArray
	}) != nil
}

// modelID gives the id value of one model. A text with spaces is a label as
// long as there is another, and a UUID beside a name such as acme/pic belongs
// to the record.
func (m *modelReader) modelID(n *node) *node {
	var label *node
	for c := range n.each(m.ModelIDKeys) {
		if c.shape != shapeString && c.shape != shapeNumber || !c.says() || len(c.text) > maxID {
			continue
		}
		if other := n.get("name"); other.is(shapeString) && strings.Contains(other.text, "/") && !strings.Contains(other.text, " ") && reUUID().MatchString(c.text) {
			return other
		}
		if !strings.Contains(strings.TrimSpace(c.text), " ") {
			return c
		}
		if label == nil {
			label = c
		}
	}
	if label != nil {
		return label
	}
	for _, end := range words().UnlistedIDEnds {
		label = cmp.Or(label, first(n.children, func(c *node) bool {
			return c.is(shapeString) && strings.HasSuffix(c.name, end) && c.says() && len(c.text) <= maxID && !words().ForeignIDs.match(c.name)
		}))
	}
	return label
}

func (m *modelReader) add(n *node, kind api.Kind) {
	id := m.modelID(n)
	text := strings.TrimSpace(id.text)
	if owner := n.get("owner"); id.name == "name" && owner.is(shapeString) && owner.says() && !strings.Contains(text, "/") {
		text = strings.TrimSpace(owner.text) + "/" + text
	}
	if !m.seen[text] && len(m.models) < MaxModelsRead {
		m.found = append(m.found, id.found("model id", text))
		m.keep(n, m.describe(n, text, kind))
	}
}

func (m *modelReader) keep(n *node, model api.Model) {
	if model.Kind == "" && model.ID == api.Seedance2 {
		model.Kind = api.KindVideo // the spec: "one video model, seedance2"
	}
	if model.ID == "" || m.seen[model.ID] || len(m.models) >= MaxModelsRead {
		return
	}
	m.seen[model.ID] = true
	if raw := n.span(m.raw); json.Valid(raw) {
		model.Raw = json.RawMessage(raw)
	}
	m.models = append(m.models, model)
}

func (m *modelReader) describe(n *node, id string, kind api.Kind) api.Model {
	if inner := n.get("attributes"); inner.is(shapeObject) { // a resource around the model
		n = inner
	}
	model := api.Model{ID: id, Kind: m.kind(n, kind)}
	labels := m.LabelKeys
	label := n.any(labels)
	for box := range n.each(words().LabelNodes) {
		if c := box.any(labels); c.is(shapeString) && (label == nil || label.text == id) {
			label = c
		}
	}
	if label.is(shapeString) && label.text != id {
		model.Label = label.clean(api.MaxIDText)
	}
	price, at := m.price(n)
	if model.Price = price; price != nil {
		m.found = append(m.found, at.found("price", price.Credits.String()+" per "+price.Unit))
	}
	model.Parameters = readParameters(n)
	return model
}
