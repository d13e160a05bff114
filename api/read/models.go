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

var (
	reUUID = api.Pattern(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)

	errNoModels = api.Declare("read_no_models", "the answer lists no models that could be read").Fault(nil)
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
	m := &modelReader{raw: bytes.TrimPrefix(raw, byteOrderMark), seen: map[string]bool{}, arrays: map[*node]bool{}}
	if !m.listing(unwrapped(root), 0) {
		return nil, false, errNoModels
	}
	return m.models, len(m.models) == MaxModelsRead || strings.Contains(header.Get("Link"), `rel="next"`) || morePages(root, 0), nil
}

// morePages reports whether a listing says that it goes on.
func morePages(n *node, depth int) bool {
	if c := first(n.each(moreMarks), func(c *node) bool { return c.is(shapeBool) }); c != nil {
		return c.says()
	}
	if c := n.any(pageMarks); c != nil && c.shape >= shapeString {
		return true
	}
	number := func(r row) float64 {
		f, _ := n.any(r).float()
		return f
	}
	total, size := number(totalKeys), number(pageSizes)
	switch {
	case number(pageNumbers) >= 1 && number(pageNumbers) < number(pageCounts):
		return true
	case size > 0 && max(number(pageNumbers)*size, number(pageOffsets)+size) < total:
		return true
	}
	return depth < 2 && first(n.each(pageNodes), func(c *node) bool { return morePages(c, depth+1) }) != nil
}

type modelReader struct {
	raw    []byte
	seen   map[string]bool
	arrays map[*node]bool // those that were read
	models []api.Model
}

// listing finds the list: the root, the known nodes, one level of anything
// else. It reports whether there was a list, even an empty one.
func (m *modelReader) listing(n *node, depth int) bool {
	if depth > 4 || !n.is(shapeObject) {
		return depth <= 4 && n.is(shapeArray) && m.array(n, "")
	}
	for _, want := range [...]shape{shapeArray, shapeObject} {
		for c := range n.each(modelNodes) {
			if c.is(want) && m.listing(c, depth+int(want-shapeArray)) {
				return true
			}
		}
	}
	if m.groups(n) || m.keyed(n, "") {
		return true
	}
	if depth == 0 && modelID(n) != nil && looksLikeModel(n) {
		m.add(n, "")
		return true
	}
	for c := range n.children {
		if !notJobs.has(c.name) && c.name != "error" && m.listing(c, depth+2) {
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
	bare := kind != "" || n.parent == nil || modelNodes.has(n.name) || strings.Contains(n.name, "model")
	for c := range n.children {
		switch models := c.get("models"); {
		case len(m.models) >= MaxModelsRead:
			return true
		case models.is(shapeArray) && models.size > 0: // grouped by provider
			m.listing(c, 1)
		case c.is(shapeObject) && modelID(c) != nil:
			m.add(c, kind)
		case bare && c.is(shapeString) && c.says() && len(c.text) <= api.MaxIDText && !strings.ContainsAny(c.text, " \n") && !strings.Contains(c.text, "://"):
			m.keep(c, api.Model{ID: c.text, Kind: cmp.Or(kind, directionKind(c.text))})
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
	if first(n.children, func(c *node) bool { return !c.is(shapeObject) || !looksLikeModel(c) }) != nil {
		return false
	}
	for c := range n.children {
		// The key is the id unless the model gives one: a name is a label then.
		if id := modelID(c); id != nil && (strings.Trim(c.key, "0123456789") == "" || id.name != "name" && id.name != "modelname") {
			m.add(c, kind)
			continue
		}
		m.keep(c, describe(c, c.key, kind))
	}
	return n.size > 0
}

// looksLikeModel reports objects that have what a model has besides an id.
func looksLikeModel(n *node) bool {
	return first(n.children, func(c *node) bool {
		field := specFields[c.name]
		return priceKeys.has(c.name) || kindKeys.has(c.name) || parameterNodes.has(c.name) || field != "" && field != api.FieldModel && c.shape >= shapeArray
	}) != nil
}

// modelID gives the id value of one model. A text with spaces is a label as
// long as there is another, and a UUID next to a name such as acme/pic belongs
// to the record.
func modelID(n *node) *node {
	var label *node
	for c := range n.each(modelIDs) {
		if c.shape != shapeString && c.shape != shapeNumber || !c.says() || len(c.text) > maxID {
			continue
		}
		if other := n.get("name"); other.is(shapeString) && strings.Contains(other.text, "/") && !strings.Contains(other.text, " ") && reUUID().MatchString(c.text) {
			return other
		}
		if !strings.Contains(strings.TrimSpace(c.text), " ") {
			return c
		}
		label = cmp.Or(label, c)
	}
	for _, end := range modelIDs.names {
		label = cmp.Or(label, first(n.children, func(c *node) bool {
			return c.is(shapeString) && strings.HasSuffix(c.name, end) && c.says() && len(c.text) <= maxID && !foreignIDs.has(c.name)
		}))
	}
	return label
}

func (m *modelReader) add(n *node, kind api.Kind) {
	id := modelID(n)
	text := strings.TrimSpace(id.text)
	if owner := n.get("owner"); id.name == "name" && owner.is(shapeString) && owner.says() && !strings.Contains(text, "/") {
		text = strings.TrimSpace(owner.text) + "/" + text
	}
	if !m.seen[text] && len(m.models) < MaxModelsRead {
		m.keep(n, describe(n, text, kind))
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
	if n.is(shapeString) {
		model.Raw = json.RawMessage(api.JSONString(n.text))
	} else if raw := m.raw[n.start:n.end]; json.Valid(raw) {
		model.Raw = json.RawMessage(raw)
	}
	m.models = append(m.models, model)
}

func describe(n *node, id string, kind api.Kind) api.Model {
	if inner := n.get("attributes"); inner.is(shapeObject) { // a resource around the model
		n = inner
	}
	label := n.any(labelKeys)
	for box := range n.each(innerModels) {
		if c := box.any(labelKeys); c.is(shapeString) && (label == nil || label.text == id) {
			label = c
		}
	}
	model := api.Model{ID: id, Kind: modelKind(n, kind), Price: listedPrice(n), Parameters: readParameters(n)}
	if label.is(shapeString) && label.text != id {
		model.Label = label.clean(api.MaxIDText)
	}
	return model
}

// Directions such as text-to-video name what comes out last.
var (
	reToVideo = api.Pattern(`(to|2)video|[ti]2v\b|\b[tivr]2v|videogen|videosgen|图生视频|文生视频`)
	reToImage = api.Pattern(`(to|2)image|\b[ti]2i|imagegen|imagesgen|imageedit|文生图|图生图`)
)

// modelKind reads what a model makes: the words of its type, modality and
// category; the group it stands in; a direction in its id.
func modelKind(n *node, group api.Kind) (kind api.Kind) {
	boxes := append([]*node{n}, slices.Collect(n.each(innerModels))...)
	for _, box := range boxes {
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
	id := strings.ToLower(modelID(n).scalar()) // one whose own words name one kind: acme-image-1
	return cmp.Or(kind, oneKind(reVideoWord().MatchString(id), reImageWord().MatchString(id)))
}

var (
	reVideoWord = api.Pattern(`\bvideos?\b`)
	reImageWord = api.Pattern(`\bimages?\b`)
)

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
