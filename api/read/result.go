package read

import (
	"strings"

	"darkroom/api"
)

// Bounds of one answer: results, and strings that are tried as JSON.
const (
	maxResults = 256
	maxWithin  = 32
)

// harvest is one search for outputs.
type harvest struct {
	*view
	kind  api.Kind // of the request
	seen  map[string]bool
	out   []harvested
	walks int // nodes visited
	// within counts the strings that were tried as JSON.
	within int
	loose  bool // also addresses under weak names, as download_url

	finished bool // the status says succeeded
	any      bool // take addresses under any name
}

// harvested is a result with the place it was read from.
type harvested struct {
	api.Result
	node *node
}

// outputs gives the job's results. loose also takes addresses that may belong
// to a result that does not exist yet.
func (v *view) outputs(kind api.Kind, loose bool) []harvested {
	h := &harvest{view: v, kind: kind, seen: map[string]bool{}, loose: loose}
	h.finished = v.status.is(shapeString) && v.classify(v.status.text) == api.StatusSucceeded || v.status.is(shapeBool) && v.status.text == "true"
	for _, s := range h.sources() {
		h.walk(s, "", 0)
		if len(h.out) > 0 {
			return h.choose()
		}
	}
	if h.finished { // any address in the result of a finished job that is not of a page or a call
		h.any = true
		for _, s := range append(h.results(), h.steps()...) {
			h.walk(s, "", 0)
		}
	}
	return h.choose()
}

// steps gives the results of a workflow's steps, the last resort.
func (h *harvest) steps() []*node {
	var out []*node
	for _, s := range h.scopes {
		for step := range s.get("steps").children {
			if c := step.any(resultNodes); c != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// resultNodes hold results by their name.
var resultNodes = []string{"result", "results", "output", "outputs"}

func (v *view) hasMedia() bool { return len(v.outputs("", true)) > 0 }

// sources are the nodes in which to look, one after the other until one gives
// something: the spec's job.result, the result nodes of the job and of the
// objects around it, then those objects themselves.
func (h *harvest) sources() []*node {
	out := h.results()
	scopes := h.scopes
	if h.job != nil {
		scopes = append([]*node{h.job}, scopes...)
	}
	for _, s := range scopes {
		if s.parent.is(shapeArray) { // data[0] was looked into; the outputs are all of data
			s = s.parent
		}
		out = append(out, s)
	}
	return out
}

// results are the nodes that hold results by their name.
func (h *harvest) results() []*node {
	var out []*node
	scopes := h.scopes
	if h.job != nil {
		scopes = append([]*node{h.job}, scopes...)
	}
	for _, s := range scopes {
		for _, name := range resultNodes {
			if c := s.get(name); c.says() {
				out = append(out, c)
			}
		}
	}
	return out
}

// walk collects below a node. under is the nearest key, which array elements
// take from their array.
func (h *harvest) walk(n *node, under string, depth int) {
	if h.walks++; h.walks > maxNodes || depth > maxDepth || len(h.out) >= maxResults || n == nil {
		return
	}
	if n.name != "" {
		under = n.name
	}
	switch n.shape {
	case shapeString:
		if h.within < maxWithin && depth < maxDepth/2 && strings.ContainsAny(n.text, "{[") {
			h.within++
			if inner, ok := parseWithin(n); ok {
				h.walk(inner, under, depth+maxDepth/3)
				return
			}
		}
		h.take(n, under)
	case shapeArray:
		for c := range n.children {
			h.walk(c, under, depth+1)
		}
	case shapeObject:
		h.object(n, under, depth)
	}
}

// object looks into the members. Among several addresses of one thing, as url,
// origin and raw, the best name wins.
func (h *harvest) object(n *node, under string, depth int) {
	best := h.bestAddress(n)
	for c := range n.children {
		switch {
		case h.leaveOut(c, n):
		case c.shape == shapeString && best != nil && c != best && !h.sibling(best, c):
		default:
			h.walk(c, under, depth+1)
		}
	}
}

// bestAddress is the string member with the best name, when there is one that
// names an address plainly.
func (h *harvest) bestAddress(n *node) *node {
	for _, name := range [...]string{"url", "imageurl", "videourl", "fileurl", "downloadurl", "src", "uri"} {
		if c := n.get(name); c.is(shapeString) && isAddress(c.text) {
			return c
		}
	}
	return nil
}

// sibling reports whether c is an output beside best: a video beside its
// cover, or an image_url beside a video_url.
func (h *harvest) sibling(best, c *node) bool {
	if keyKind(c.name) == api.KindVideo && keyKind(best.name) != api.KindVideo {
		return true
	}
	return keyKind(best.name) != "" && keyKind(c.name) != "" && keyKind(best.name) != keyKind(c.name)
}

// take keeps a string when it is an output.
func (h *harvest) take(n *node, under string) {
	known := h.any || h.has(listMedia, under) || mediaKey(under)
	r, ok := readMedia(n, under, known)
	if !ok {
		return
	}
	if r.Data == nil {
		if h.seen[r.URL] {
			return
		}
		h.seen[r.URL] = true
	}
	r.Kind = h.kindOf(n, r, under)
	r.ExpiresAt = expiry(n)
	r.Path = n.path()
	h.out = append(h.out, harvested{r, n})
}

// choose leaves out covers: images beside videos when a video was asked for,
// or when both stand in the same object.
func (h *harvest) choose() []harvested {
	videos := 0
	for _, r := range h.out {
		if r.Kind == api.KindVideo {
			videos++
		}
	}
	if videos == 0 || videos == len(h.out) || h.kind == api.KindImage {
		return h.out
	}
	var kept []harvested
	for _, r := range h.out {
		if r.Kind == api.KindVideo || h.kind == "" && !h.besideVideo(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

func (h *harvest) besideVideo(r harvested) bool {
	for _, o := range h.out {
		if o.Kind == api.KindVideo && o.node.parent == r.node.parent && r.node.parent.is(shapeObject) {
			return true
		}
	}
	return false
}

// kindOf: a type that is told, the address's ending, the request's kind, the
// key. Services put an mp4 into "images".
func (h *harvest) kindOf(n *node, r api.Result, under string) api.Kind {
	if k := TypeKind(r.MediaType); k != "" {
		return k
	}
	if r.URL != "" {
		if k := TypeKind(mediaSuffix(r.URL)); k != "" {
			return k
		}
	}
	own := keyKind(n.name)
	if own != "" && n.parent.is(shapeObject) {
		for c := range n.parent.children { // both are told: the names mean it
			if k := keyKind(c.name); k != "" && k != own && c.is(shapeString) && isAddress(c.text) {
				return own
			}
		}
	}
	if h.kind != "" {
		return h.kind
	}
	return keyKind(under)
}
