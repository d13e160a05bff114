package read

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// Bounds of one answer: results, and strings that are tried as JSON.
const (
	maxResults = 256
	maxWithin  = 32
)

// extraction is one search for outputs.
type extraction struct {
	*view
	kind   api.Kind // of the request
	seen   map[string]bool
	out    []api.Result
	walks  int  // nodes visited
	within int  // strings that were tried as JSON
	loose  bool // also addresses under weak names, as download_url
	done   bool // the status says succeeded
	any    bool // take addresses under any name
}

// outputs gives the job's results. It looks into one place after the other
// until one gives something: the result nodes of the job and of the objects
// around it, then those objects themselves. loose also takes addresses that may
// belong to a result that does not exist yet.
func (v *view) outputs(kind api.Kind, loose bool) []api.Result {
	done := v.status != nil && v.status.shape != shapeNumber && (v.status.text == "true" || classify(v.status.text) == api.StatusSucceeded)
	x := &extraction{view: v, kind: kind, seen: map[string]bool{}, loose: loose, done: done}
	var results, places []*node
	for _, s := range v.scopes {
		for c := range s.each(outputNodes) {
			if c.says() {
				results = append(results, c)
			}
		}
		if s.parent.is(shapeArray) { // data[0] was looked into; the outputs are all of data
			s = s.parent
		}
		places = append(places, s)
	}
	for _, s := range append(slices.Clip(results), places...) {
		if x.walk(s, "", 0); len(x.out) > 0 {
			return x.choose()
		}
	}
	if x.done { // any address in the result of a finished job that is not of a page or a call
		x.any = true
		for _, s := range results {
			x.walk(s, "", 0)
		}
	}
	return x.choose()
}

// walk collects below a node. under is the nearest key, which array elements
// take from their array.
func (x *extraction) walk(n *node, under string, depth int) {
	if x.walks++; x.walks > maxNodes || depth > maxDepth || len(x.out) >= maxResults || n == nil {
		return
	}
	under = cmp.Or(n.name, under)
	switch n.shape {
	case shapeString:
		if x.within < maxWithin && depth < maxDepth/2 && strings.ContainsAny(n.text, "{[") {
			x.within++
			if inner, ok := within(n); ok {
				x.walk(inner, under, depth+maxDepth/3)
				return
			}
		}
		x.take(n, under)
	case shapeArray:
		for c := range n.children {
			x.walk(c, under, depth+1)
		}
	case shapeObject: // among several addresses of one thing, as url, origin and raw, the best name wins
		best := first(n.each(bestAddresses), func(c *node) bool { return c.is(shapeString) && isAddress(c.text) })
		for c := range n.children {
			if !x.skip(c, n) && (c.shape != shapeString || best == nil || c == best || sibling(best, c)) {
				x.walk(c, under, depth+1)
			}
		}
	}
}

// sibling reports whether c is an output next to best: a video next to its
// cover, or an image_url next to a video_url.
func sibling(best, c *node) bool {
	have, kind := keyKind(best.name), keyKind(c.name)
	return kind != "" && kind != have && (have != "" || kind == api.KindVideo)
}

// skip reports whether a member is not an output.
func (x *extraction) skip(c, parent *node) bool {
	name := c.name
	switch {
	case notJobs.has(name), sideAssets.has(name), notOutputs.has(name):
		return true
	case messageNodes.has(name) && c.is(shapeString): // of a finished job it may be the address of a file
		return !x.done || !isAddress(c.text) || mediaSuffix(c.text) == ""
	case echoNames.has(name) && x.echo(c, parent):
		return true
	}
	return earlyAddresses.has(name) && !x.loose && parent == x.root && mediaSuffix(c.scalar()) == ""
}

// echo reports the request's own image_url and video_url, which some services
// repeat flat in the job: next to the prompt, or in a job without a status. Of a
// finished video an image next to the prompt is its input. A request's own fields
// are plain addresses; objects that describe a file, and an address next to the
// image's own id, are outputs.
func (x *extraction) echo(c, parent *node) bool {
	if !slices.Contains(x.scopes, parent) || c.is(shapeObject) || c.first.is(shapeObject) || parent.any(assetIDs) != nil {
		return false
	}
	prompt := parent.get("prompt") != nil
	if x.done {
		return prompt && x.kind == api.KindVideo && keyKind(c.name) == api.KindImage
	}
	return prompt || x.status == nil && (ownID(parent) != nil || parent.any(requestIDKeys) != nil) && strings.HasSuffix(c.name, "url")
}

// take keeps a string when it is an output.
func (x *extraction) take(n *node, under string) {
	r, ok := readMedia(n, under, x.any || mediaKeys.has(under))
	if !ok || r.Data == nil && x.seen[r.URL] {
		return
	}
	x.seen[r.URL] = true
	// Services put an mp4 into "images": the type and the ending count before the
	// request's kind, and the key last.
	r.Kind = cmp.Or(TypeKind(r.MediaType), TypeKind(mediaSuffix(r.URL)), x.kind, keyKind(under))
	r.ExpiresAt = expiry(n)
	r.Path = n.path()
	x.out = append(x.out, r)
}

// choose drops covers: images next to videos unless an image was asked for.
func (x *extraction) choose() []api.Result {
	video := func(r api.Result) bool { return r.Kind == api.KindVideo }
	if x.kind != api.KindImage && slices.ContainsFunc(x.out, video) {
		return slices.DeleteFunc(x.out, func(r api.Result) bool { return !video(r) })
	}
	return x.out
}

// owner is the object around a node, through an array.
func (n *node) owner() *node {
	if n.parent.is(shapeArray) {
		return n.parent.parent
	}
	return n.parent
}

// expiry reads when the address next to it expires: a Unix time in s or ms, or
// an ISO time.
func expiry(n *node) time.Time {
	for c := range n.owner().each(expiryKeys) {
		if f, ok := c.float(); ok && f > 1e9 && f < 1e14 {
			if f < 1e11 {
				f *= 1000
			}
			return time.UnixMilli(int64(f)).UTC()
		}
		for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
			if t, err := time.Parse(layout, c.clean(64)); err == nil {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}

// keyKind gives the kind that the name of a key speaks of.
func keyKind(name string) api.Kind {
	return oneKind(videoNames.has(name), imageNames.has(name))
}

// oneKind gives the kind when the words are for one of them alone.
func oneKind(video, image bool) api.Kind {
	switch {
	case video && !image:
		return api.KindVideo
	case image && !video:
		return api.KindImage
	}
	return ""
}
