package read

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"darkroom/api"
)

var errNoModels = errors.New("the answer lists no models that could be read")

// MaxModelsRead bounds how many models one listing gives.
const MaxModelsRead = 2000

// Models reads a models listing ("Model": an id, parameters and a default
// price; the shape is not shown). It fails when the answer is not JSON or no
// list of models can be found in it; an empty list is no failure.
func Models(raw []byte) ([]api.Model, []api.Found, error) { return words.readModels(raw) }

func (l *lexicon) readModels(raw []byte) ([]api.Model, []api.Found, error) {
	root, err := parseTree(raw)
	if err != nil {
		return nil, nil, errors.New(notReadable(raw, err))
	}
	m := &modelReader{lexicon: l, raw: raw, seen: map[string]bool{}, arrays: map[*node]bool{}}
	ok := m.listing(root, 0)
	if !ok {
		return nil, nil, errNoModels
	}
	return m.models, m.found, nil
}

type modelReader struct {
	*lexicon
	raw    []byte
	seen   map[string]bool
	arrays map[*node]bool // those that were read
	models []api.Model
	found  []api.Found
}

// listing finds the list: the root, the known nodes, one level of anything
// else. It reports whether there was a list, even an empty one.
func (m *modelReader) listing(n *node, depth int) bool {
	if depth > 4 {
		return false
	}
	if n.is(shapeArray) {
		return m.array(n, "")
	}
	if !n.is(shapeObject) {
		return false
	}
	for _, name := range m.list(listModels) {
		if c := n.get(name); c.is(shapeArray) && m.array(c, "") {
			return true
		}
	}
	for _, name := range m.list(listModels) {
		if c := n.get(name); c.is(shapeObject) && m.listing(c, depth+1) {
			return true
		}
	}
	if m.groups(n) || m.keyed(n) {
		return true
	}
	if depth == 0 && m.modelID(n) != nil && m.looksLikeModel(n) {
		m.add(n, "")
		return true
	}
	for c := range n.children {
		if c.shape >= shapeArray && !skipped[c.name] && c.name != "error" && m.listing(c, depth+2) {
			return true
		}
	}
	return false
}

// array reads a list of models: objects with an id, or bare ids. Each list is
// read once: it is come by on several ways, and lists within lists would double
// the work with every level.
func (m *modelReader) array(n *node, kind api.Kind) bool {
	if m.arrays[n] {
		return n.size == 0
	}
	m.arrays[n] = true
	before := len(m.models)
	for c := range n.children {
		if len(m.models) >= MaxModelsRead {
			break
		}
		if inner := c.get("node"); inner.is(shapeObject) { // an edge of a graph
			c = inner
		}
		switch {
		case c.get("models").is(shapeArray) && c.get("models").size > 0: // grouped by provider
			m.listing(c, 1)
		case c.is(shapeObject) && m.modelID(c) != nil:
			m.add(c, kind)
		case m.bareModel(c, kind):
			m.found = append(m.found, c.found("model id", c.text))
			m.keep(c, api.Model{ID: c.text, Kind: m.kind(c, kind)})
		case c.is(shapeArray), c.is(shapeObject) && c.get("models") != nil:
			m.listing(c, 1)
		}
	}
	return len(m.models) > before || n.size == 0
}

// bareModel tells an id by itself in a list: under a name of listings, at the
// root, or in a group of one kind.
func (m *modelReader) bareModel(c *node, kind api.Kind) bool {
	list := c.parent
	named := kind != "" || list.parent == nil || m.has(listModels, list.name) || strings.Contains(list.name, "model")
	return named && c.is(shapeString) && c.says() && len(c.text) <= api.MaxIDText && !strings.ContainsAny(c.text, " \n") && !strings.Contains(c.text, "://")
}

// groups reads {"image":[…],"video":[…]}: lists by kind.
func (m *modelReader) groups(n *node) bool {
	any := false
	for c := range n.children {
		k := keyKind(c.name)
		if k == "" || c.shape < shapeArray {
			continue
		}
		switch {
		case c.is(shapeArray):
			any = m.array(c, k) || any
		case c.get("models").is(shapeArray):
			any = m.array(c.get("models"), k) || any
		case c.first.is(shapeObject):
			any = m.keyedAs(c, k) || any
		}
	}
	return any
}

// keyed reads an object whose keys are the ids.
func (m *modelReader) keyed(n *node) bool { return m.keyedAs(n, "") }

func (m *modelReader) keyedAs(n *node, kind api.Kind) bool {
	if n.size == 0 {
		return false
	}
	for c := range n.children {
		if !c.is(shapeObject) || !m.looksLikeModel(c) {
			return false
		}
	}
	for c := range n.children {
		// The key is the id unless the model tells one: a name is a label then.
		if id := m.modelID(c); id != nil && (strings.Trim(c.key, "0123456789") == "" || id.name != "name" && id.name != "modelname") {
			m.add(c, kind)
			continue
		}
		m.keep(c, m.describe(c, c.key, kind))
	}
	return true
}

// looksLikeModel tells objects that have what a model has besides an id.
func (m *modelReader) looksLikeModel(n *node) bool {
	for c := range n.children {
		field := listedField(c.name)
		if m.has(listPrice, c.name) || m.has(listKind, c.name) || paramBox(c.name) || field != "" && field != api.FieldModel && c.shape >= shapeArray {
			return true
		}
	}
	return false
}

// modelID gives the id value of one model. A text with spaces is a label as
// long as there is another, and a UUID beside a name such as acme/pic belongs
// to the record.
func (m *modelReader) modelID(n *node) *node {
	var label *node
	for _, name := range m.list(listModelID) {
		c := n.get(name)
		if !c.is(shapeString) && !c.is(shapeNumber) || !c.says() || len(c.text) > maxID {
			continue
		}
		if other := n.get("name"); reUUID.MatchString(c.text) && other.is(shapeString) && strings.Contains(other.text, "/") && !strings.Contains(other.text, " ") {
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
	for _, end := range [...]string{"id", "slug", "name", "model"} { // names that nobody listed
		for c := range n.children {
			if c.is(shapeString) && c.says() && len(c.text) <= maxID && strings.HasSuffix(c.name, end) && !foreignID(c.name) {
				return c
			}
		}
	}
	return nil
}

var reUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)

// foreignID tells ids and names of other things than the model.
func foreignID(name string) bool {
	for _, w := range [...]string{"owner", "user", "provider", "org", "author", "vendor", "uuid", "price", "param", "display"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

func (m *modelReader) add(n *node, kind api.Kind) {
	id := m.modelID(n)
	text := strings.TrimSpace(id.text)
	if owner := n.get("owner"); id.name == "name" && owner.is(shapeString) && owner.says() && !strings.Contains(text, "/") {
		text = strings.TrimSpace(owner.text) + "/" + text
	}
	if m.seen[text] || len(m.models) >= MaxModelsRead {
		return
	}
	m.found = append(m.found, id.found("model id", text))
	m.keep(n, m.describe(n, text, kind))
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
	model := api.Model{ID: id}
	model.Kind = m.kind(n, kind)
	label := n.any(m.list(listLabel))
	for _, box := range [...]string{"info", "modelspec", "metadata", "meta"} {
		if c := n.get(box).any(m.list(listLabel)); c.is(shapeString) && (label == nil || label.text == id) {
			label = c
		}
	}
	if label.is(shapeString) && label.text != id {
		model.Label = api.Clean(label.text, api.MaxIDText).String()
	}
	price, at := m.price(n)
	if model.Price = price; price != nil {
		m.found = append(m.found, at.found("price", price.Credits.String()+" per "+price.Unit))
	}
	model.Parameters = m.parameters(n)
	return model
}
