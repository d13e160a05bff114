package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"darkroom/api"
)

// MaxModelsRead bounds how many models one listing gives.
const MaxModelsRead = 2000

var reUUID = api.Pattern(`^[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$`)

// Models reads a models listing ("Model": an id, parameters and a default
// price; the shape is not shown). An empty list is not a failure. incomplete
// says that the answer names a further page, which the spec does not have, or
// has more models than are read.
func Models(header http.Header, raw []byte) (models []api.Model, incomplete bool, err error) {
	root, err := parseWithin(raw, nil) // the only name may be the id of the only model
	if err != nil {
		return nil, false, &api.Fault{Reason: notReadable(raw, err)}
	}
	m := &modelReader{raw: bytes.TrimPrefix(raw, byteOrderMark), models: map[string]bool{}}
	if !m.listing(root, "") {
		return nil, false, api.Sentence("the response lists no models that could be read").Fault(nil)
	}
	return m.list, len(m.list) == MaxModelsRead || strings.Contains(header.Get("Link"), `rel="next"`) || morePages(root, len(m.list)), nil
}

// morePages reports whether a page with a number of models says that others follow.
func morePages(n *node, models int) bool {
	if c := first(n.each(moreMarks), func(c *node) bool { return c.is(shapeBool) }); c != nil {
		return c.says()
	}
	total, _ := n.any(totalKeys).float()
	pages, _ := n.any(pageCounts).float()
	return n.any(pageMarks) != nil || int(total) > models || pages > 1 ||
		first(n.each(pageNodes), func(c *node) bool { return morePages(c, models) }) != nil
}

type modelReader struct {
	raw    []byte
	models map[string]bool
	list   []api.Model
}

// listing reads the models in a node: a list of them, an object whose keys are
// the ids, or what holds one of these. It reports whether there was a list.
func (m *modelReader) listing(n *node, kind api.Kind) (found bool) {
	if n.shape < shapeArray || notJobs.has(n.name) || n.name == "error" {
		return false
	}
	if n.is(shapeArray) || n.size > 0 && first(n.children, func(c *node) bool { return !looksLikeModel(c) }) == nil {
		return m.elements(n, kind)
	}
	before := len(m.list)
	for _, known := range [...]bool{true, false} {
		for c := range n.children {
			group := keyKind(c.name) // {"image": […], "video": […]}
			if modelNodes.has(c.name) == known && (len(m.list) == before || group != "") {
				found = m.listing(c, cmp.Or(group, kind)) || found
			}
		}
	}
	return found
}

// elements reads a list of models, of bare ids, or of groups by provider, or an
// object whose keys are the ids, where a name is a label. Bare ids stand under a
// name of listings, at the root, or in a group of one kind.
func (m *modelReader) elements(n *node, kind api.Kind) bool {
	before, keyed := len(m.list), n.is(shapeObject)
	bare := n.parent == nil || modelNodes.has(n.name) || keyKind(n.name) != ""
	for c := range n.children {
		id := modelID(c)
		switch {
		case c.get("models").is(shapeArray):
			m.listing(c, kind)
		case keyed && (id == nil || id.name == "name"):
			m.add(c, &node{shape: shapeString, text: c.key}, kind)
		case id != nil:
			m.add(c, id, kind)
		case bare && c.is(shapeString) && !strings.ContainsAny(c.text, " \n"):
			m.add(c, c, kind)
		}
	}
	return len(m.list) > before || n.size == 0
}

func looksLikeModel(n *node) bool {
	return first(n.children, func(c *node) bool {
		return specFields[c.name] != "" && c.shape >= shapeArray || priceKeys.has(c.name) || kindKeys.has(c.name)
	}) != nil
}

// modelID gives the id value of one model. A text with spaces is a label as
// long as there is another, and a UUID next to a name such as acme/pic belongs
// to the record.
func modelID(n *node) *node {
	if name := n.get("name"); strings.Contains(name.scalar(), "/") && reUUID().MatchString(n.get("id").scalar()) {
		return name
	}
	id := func(c *node) bool {
		return c.says() && c.shape < shapeArray && c.shape != shapeBool && len(c.text) <= maxID
	}
	return cmp.Or(first(n.each(modelIDs), func(c *node) bool { return id(c) && !strings.Contains(c.text, " ") }),
		first(n.each(modelIDs), id))
}

func (m *modelReader) add(n, id *node, kind api.Kind) {
	model := api.Model{ID: strings.TrimSpace(id.text)}
	if owner := n.get("owner").scalar(); id.name == "name" && owner != "" {
		model.ID = owner + "/" + model.ID
	}
	if model.ID == "" || m.models[model.ID] || len(m.list) >= MaxModelsRead {
		return
	}
	m.models[model.ID] = true
	model.Raw = json.RawMessage(api.JSONString(n.text))
	if n.is(shapeObject) {
		model.Raw = json.RawMessage(m.raw[n.start:n.end])
	}
	n = cmp.Or(n.get("attributes"), n) // a resource around the model
	model.Price, model.Parameters = listedPrice(n), []api.Parameter{}
	for box := range n.boxes(innerModels) {
		if label := box.any(labelKeys); label.scalar() != id.text {
			model.Label = cmp.Or(model.Label, label.clean(api.MaxIDText))
		}
		for c := range box.like(kindKeys) {
			model.Kind = cmp.Or(model.Kind, outKind(c, 0))
		}
		for c := range box.like(parameterNodes) {
			model.Parameters = parametersIn(model.Parameters, c)
		}
	}
	// Its words, the group it stands in, a direction or one kind in its id; the spec has "one video model, seedance2".
	model.Kind = cmp.Or(model.Kind, kind, outKind(id, 0), map[string]api.Kind{api.Seedance2: api.KindVideo}[model.ID])
	m.list = append(m.list, model)
}

// Directions such as text-to-video name what comes out last.
var (
	reToVideo = api.Pattern(`(to|2)video|[ti]2v\b|\b[tivr]2v|videogen|videosgen|图生视频|文生视频`)
	reToImage = api.Pattern(`(to|2)image|\b[ti]2i|imagegen|imagesgen|imageedit|文生图|图生图`)
)

// outKind reads a word, or a list or flags that agree.
func outKind(n *node, depth int) api.Kind {
	switch out := n.any(outKeys); {
	case depth > 2:
		return ""
	case n.is(shapeString):
		f := foldWord(n.text)
		return cmp.Or(oneKind(reToVideo().MatchString(f), reToImage().MatchString(f)), keyKind(n.word()))
	case out != nil:
		return outKind(out, depth+1)
	}
	video, image := false, false
	for c := range n.children {
		k := outKind(c, depth+1)
		video, image = video || k == api.KindVideo, image || k == api.KindImage
	}
	return oneKind(video, image)
}

// maxParameters bounds how many parameters one model has.
const maxParameters = 128

// parametersIn adds to a model's parameters: the properties of a schema, maps
// and arrays of descriptors, plain lists and defaults.
func parametersIn(list []api.Parameter, n *node) []api.Parameter {
	props := n.get("properties")
	for c := range cmp.Or(props, n).children {
		q := api.Parameter{Values: []string{}}
		switch {
		case c.get("properties") != nil:
			list = parametersIn(list, c)
		case n.is(shapeArray) && c.is(shapeString):
			q.Name = specName(c.text)
		case n.is(shapeArray):
			q = parameter(c.any(parameterNames).scalar(), c)
		default:
			q = parameter(c.key, c)
		}
		if q.Name != "" && len(list) < maxParameters && named(list, q.Name) < 0 {
			list = append(list, q)
		}
	}
	for c := range n.get("required").children {
		if i := named(list, specName(c.scalar())); i >= 0 {
			list[i].Required = true
		}
	}
	return list
}

func named(list []api.Parameter, name string) int {
	return slices.IndexFunc(list, func(q api.Parameter) bool { return q.Name == name })
}

// parameter reads a descriptor such as {type, enum}, or a list, type or default.
func parameter(name string, n *node) api.Parameter {
	q := api.Parameter{Name: specName(name), Values: []string{}}
	switch {
	case n.is(shapeArray):
		q.Values = values(n)
	case n.is(shapeObject):
		q.Type = n.get("type").clean(32)
		q.Default = first(n.each(defaultKeys), func(c *node) bool { return c.scalar() != "" }).clean(api.MaxIDText)
		q.Values = values(first(n.each(valueKeys), func(c *node) bool { return c.is(shapeArray) }))
		q.Min, q.Max = bound(n, minKeys), bound(n, maxKeys)
		q.Required = n.get("required").scalar() == "true"
	case n.is(shapeString) && typeNames.has(n.word()):
		q.Type = n.clean(api.MaxIDText)
	default:
		q.Type = map[shape]string{shapeBool: "boolean", shapeNumber: "number"}[n.shape]
		q.Default = n.clean(api.MaxIDText)
	}
	return q
}

func bound(n *node, keys terms) *float64 {
	for c := range n.each(keys) {
		if f, ok := c.float(); ok {
			return &f
		}
	}
	return nil
}

// values reads choices: scalars or {value,label} objects.
func values(n *node) []string {
	out := []string{}
	for c := range n.children {
		if v := cmp.Or(c.any(choiceKeys), c).clean(api.MaxIDText); v != "" && len(out) < api.MaxValues && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func specName(name string) string {
	if f, ok := specFields[fold(name)]; ok && fold(name) != "imagesize" {
		return f
	}
	return api.Clean(strings.TrimSpace(name), api.MaxIDText).String()
}
