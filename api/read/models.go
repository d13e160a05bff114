package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"darkroom/api"
)

// MaxModelsRead bounds how many models one listing gives.
const MaxModelsRead = 2000

var (
	reUUID = api.Pattern(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)

	errNoModels = api.Sentence("the answer lists no models that could be read").Fault(nil)
)

// Models reads a models listing ("Model": an id, parameters and a default
// price; the shape is not shown). It fails when the answer is not JSON or no
// list of models can be found in it; an empty list is not a failure. incomplete
// says that the answer names a further page: the spec has none ("sends: only the
// authorization header"), so it is not asked for.
func Models(header http.Header, raw []byte) (models []api.Model, incomplete bool, err error) {
	root, err := parseTree(raw)
	if err != nil {
		return nil, false, &api.Fault{Reason: notReadable(raw, err)}
	}
	m := &modelReader{raw: bytes.TrimPrefix(raw, byteOrderMark), read: map[*node]bool{}, models: map[string]bool{}}
	if !m.listing(root, "", 0) {
		return nil, false, errNoModels
	}
	return m.list, strings.Contains(header.Get("Link"), `rel="next"`) || morePages(root, len(m.list)), nil
}

// morePages reports whether the first page of a listing, with a number of models,
// says that there are others.
func morePages(n *node, models int) bool {
	if c := first(n.each(moreMarks), func(c *node) bool { return c.is(shapeBool) }); c != nil {
		return c.says()
	}
	total, _ := n.any(totalKeys).float()
	pages, _ := n.any(pageCounts).float()
	if next := n.any(pageMarks); next != nil && next.shape >= shapeString || int(total) > models || pages > 1 {
		return true
	}
	return first(n.each(pageNodes), func(c *node) bool { return c != n && morePages(c, models) }) != nil
}

type modelReader struct {
	raw    []byte
	read   map[*node]bool // lists within lists would double the work with every level
	models map[string]bool
	list   []api.Model
}

// listing reads the models in a node: a list of them, an object whose keys are
// the ids, and whatever holds one of these, by kind or not. It reports whether
// there was a list, even an empty one.
func (m *modelReader) listing(n *node, kind api.Kind, depth int) bool {
	if depth > maxInner || n.shape < shapeArray || m.read[n] || notJobs.has(n.name) || n.name == "error" {
		return false
	}
	m.read[n] = true
	if n.is(shapeArray) {
		return m.array(n, kind, depth)
	}
	for _, want := range [...]shape{shapeArray, shapeObject} {
		for c := range n.each(modelNodes) {
			if c.is(want) && m.listing(c, kind, depth+1) {
				return true
			}
		}
	}
	if m.keyed(n, kind) {
		return true
	}
	if depth == 0 && modelID(n) != nil && looksLikeModel(n) {
		m.add(n, modelID(n), kind)
		return true
	}
	found := false
	for c := range n.children {
		group := keyKind(c.name) // {"image": […], "video": […]}
		if m.listing(c, cmp.Or(group, kind), depth+1) {
			if found = true; group == "" {
				break
			}
		}
	}
	return found
}

// array reads a list of models, of bare ids, or of groups by provider. Bare ids
// stand under a name of listings, at the root, or in a group of one kind.
func (m *modelReader) array(n *node, kind api.Kind, depth int) bool {
	before := len(m.list)
	bare := keyKind(n.name) != "" || n.parent == nil || modelNodes.has(n.name) || strings.Contains(n.name, "model")
	for c := range n.children {
		id := modelID(c)
		switch {
		case c.get("models").is(shapeArray), c.is(shapeArray):
			m.listing(c, kind, depth+1)
		case id != nil:
			m.add(c, id, kind)
		case bare && c.is(shapeString) && len(c.text) <= api.MaxIDText && !strings.ContainsAny(c.text, " \n") && !strings.Contains(c.text, "://"):
			m.add(c, c, kind)
		}
	}
	return len(m.list) > before || n.size == 0
}

// keyed reads an object whose keys are the ids. A model may give its id as well;
// a name is a label then.
func (m *modelReader) keyed(n *node, kind api.Kind) bool {
	if first(n.children, func(c *node) bool { return !c.is(shapeObject) || !looksLikeModel(c) }) != nil {
		return false
	}
	for c := range n.children {
		id := modelID(c)
		if id == nil || (id.name == "name" || id.name == "modelname") && strings.Trim(c.key, "0123456789") != "" {
			id = &node{shape: shapeString, text: c.key}
		}
		m.add(c, id, kind)
	}
	return n.size > 0
}

// looksLikeModel reports objects that have what a model has besides an id.
func looksLikeModel(n *node) bool {
	return first(n.children, func(c *node) bool {
		field := specFields[c.name]
		choices := field != "" && field != api.FieldModel && c.shape >= shapeArray
		return choices || priceKeys.has(c.name) || kindKeys.has(c.name) || parameterNodes.has(c.name)
	}) != nil
}

// modelID gives the id value of one model. A text with spaces is a label as
// long as there is another, and a UUID next to a name such as acme/pic belongs
// to the record.
func modelID(n *node) *node {
	var label *node
	for c := range n.each(modelIDs) {
		name := n.get("name")
		switch {
		case !c.is(shapeString) && !c.is(shapeNumber), !c.says(), len(c.text) > maxID:
		case strings.Contains(name.scalar(), "/") && reUUID().MatchString(c.text):
			return name
		case !strings.Contains(strings.TrimSpace(c.text), " "):
			return c
		default:
			label = cmp.Or(label, c)
		}
	}
	return cmp.Or(label, first(n.children, func(c *node) bool { // model_slug and the like
		return c.is(shapeString) && c.says() && len(c.text) <= maxID && modelIDEnds.has(c.name) && !foreignModels.has(c.name)
	}))
}

// add keeps the model of a node.
func (m *modelReader) add(n, id *node, kind api.Kind) {
	model := api.Model{ID: strings.TrimSpace(id.text), Parameters: []api.Parameter{}}
	if owner := n.get("owner").scalar(); id.name == "name" && owner != "" && !strings.Contains(model.ID, "/") {
		model.ID = strings.TrimSpace(owner) + "/" + model.ID
	}
	if model.ID == "" || m.models[model.ID] || len(m.list) >= MaxModelsRead {
		return
	}
	m.models[model.ID] = true
	model.Raw = json.RawMessage(api.JSONString(n.text))
	if n.is(shapeObject) {
		model.Raw = json.RawMessage(m.raw[n.start:n.end])
	}
	if !json.Valid(model.Raw) {
		model.Raw = nil
	}
	if inner := n.get("attributes"); inner.is(shapeObject) { // a resource around the model
		n = inner
	}
	for box := range n.boxes(innerModels) {
		if label := box.any(labelKeys); model.Label == "" && label.is(shapeString) && label.text != model.ID {
			model.Label = label.clean(api.MaxIDText)
		}
	}
	model.Kind, model.Price, model.Parameters = modelKind(n, id, kind), listedPrice(n), readParameters(n)
	if model.Kind == "" && model.ID == api.Seedance2 {
		model.Kind = api.KindVideo // the spec: "one video model, seedance2"
	}
	m.list = append(m.list, model)
}

// Directions such as text-to-video name what comes out last.
var (
	reToVideo   = api.Pattern(`(to|2)video|[ti]2v\b|\b[tivr]2v|videogen|videosgen|图生视频|文生视频`)
	reVideoWord = api.Pattern(`\bvideos?\b`)
	reImageWord = api.Pattern(`\bimages?\b`)
	reToImage   = api.Pattern(`(to|2)image|\b[ti]2i|imagegen|imagesgen|imageedit|文生图|图生图`)
)

// modelKind reads what a model makes: the words of its type, modality and
// category; the group it stands in; a direction or one kind in its id.
func modelKind(n, id *node, group api.Kind) (kind api.Kind) {
	for box := range n.boxes(innerModels) {
		for c := range box.each(kindKeys) {
			kind = cmp.Or(kind, outKind(c, 0))
		}
	}
	kind = cmp.Or(kind, group)
	for c := range n.children { // supported_output, task_category and the like
		if kindKeys.has(c.name) && !strings.Contains(c.name, "input") {
			kind = cmp.Or(kind, outKind(c, 0))
		}
	}
	for c := range n.each(modelIDs) {
		kind = cmp.Or(kind, directionKind(c.scalar()))
	}
	text := strings.ToLower(id.text)
	return cmp.Or(kind, directionKind(text), oneKind(reVideoWord().MatchString(text), reImageWord().MatchString(text)))
}

// outKind reads a word, a list of words, or an object of flags. Words that
// disagree give nothing.
func outKind(n *node, depth int) api.Kind {
	switch {
	case depth > 2:
		return ""
	case n.is(shapeString):
		return wordKind(n.text)
	case n.any(outKeys) != nil:
		return outKind(n.any(outKeys), depth+1)
	case n.get("name").is(shapeString):
		return wordKind(n.get("name").text)
	}
	video, image := false, false
	for c := range n.children {
		k := outKind(c, depth+1)
		if n.is(shapeObject) && c.is(shapeBool) && c.says() { // {"text_to_video": true}
			k = directionKind(c.name)
		}
		video, image = video || k == api.KindVideo, image || k == api.KindImage
	}
	return oneKind(video, image)
}

func wordKind(s string) api.Kind {
	f := foldWord(s)
	if i := strings.LastIndex(s, "->"); i >= 0 && f != "" { // text+image->video
		f = fold(s[i+2:])
	}
	return cmp.Or(directionKind(f), keyKind(f))
}

func directionKind(word string) api.Kind {
	f := foldWord(word)
	return oneKind(reToVideo().MatchString(f), reToImage().MatchString(f))
}

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

func bound(n *node, keys terms) *float64 {
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
