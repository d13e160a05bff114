package read

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// Left says that an answer has more results than are fetched.
var Left = api.Sentence("the response has %v results; only the first %v are saved")

// maxResults bounds the results of one answer.
const maxResults = 256

type extraction struct {
	*view
	kind  api.Kind // of the request
	seen  map[string]bool
	out   []api.Result
	count int  // of the outputs, also of those beyond maxResults
	loose bool // also addresses under weak names, as download_url
	done  bool // the status says succeeded
	any   bool // take addresses under any name
}

// outputs gives the job's results. It looks into one place after the other
// until one gives something: the result nodes of the job and of the objects
// around it, then those objects themselves, and last, if the job is finished, any
// address in its results that is not of a page or a call. loose also takes
// addresses that may belong to a result that does not exist yet.
func (v *view) outputs(kind api.Kind, loose bool) ([]api.Result, api.Reason) {
	done := classify(v.status.scalar()) == api.StatusSucceeded
	x := &extraction{view: v, kind: kind, seen: map[string]bool{}, loose: loose, done: done}
	var results, places []*node
	for _, s := range v.scopes {
		results = slices.AppendSeq(results, s.each(outputNodes))
		if s.parent.is(shapeArray) { // data[0] was looked into; the outputs are all of data
			s = s.parent
		}
		places = append(places, s)
	}
	for i, s := range slices.Concat(results, places, results) {
		x.any = done && i >= len(results)+len(places)
		if x.walk(s, ""); len(x.out) > 0 {
			break
		}
	}
	video := func(r api.Result) bool { return r.Kind == api.KindVideo }
	var left api.Reason
	if x.count > maxResults {
		left = Left.Reason(x.count, maxResults)
	}
	if x.kind != api.KindImage && slices.ContainsFunc(x.out, video) { // images next to videos are covers
		return slices.DeleteFunc(x.out, func(r api.Result) bool { return !video(r) }), left
	}
	return x.out, left
}

// walk collects below a node. under is the nearest key.
func (x *extraction) walk(n *node, under string) {
	under = cmp.Or(n.name, under)
	if inner, ok := within(n); ok {
		n = inner
	}
	if n.is(shapeString) {
		x.take(n, under)
	}
	best := n.any(bestAddresses) // among several addresses of one thing, as url, origin and raw, the best name wins
	for c := range n.children {
		if n.is(shapeArray) || !x.skip(c, n) && (c.shape != shapeString || best == nil || c == best || sibling(best, c)) {
			x.walk(c, under)
		}
	}
}

// sibling reports an output next to best, as an image_url next to a video_url.
func sibling(best, c *node) bool {
	have, kind := keyKind(best.name), keyKind(c.name)
	return kind != "" && kind != have && (have != "" || kind == api.KindVideo)
}

func (x *extraction) skip(c, parent *node) bool {
	return notOutputs.has(c.name) || echoNames.has(c.name) && x.echo(c, parent) ||
		earlyAddresses.has(c.name) && !x.loose && slices.Contains(x.scopes, parent)
}

// echo reports the request's own image_url and video_url, which some services
// repeat flat in the job: next to the prompt, or in a job without a status. Of a
// finished video an image next to the prompt is its input. A request's own fields
// are plain addresses; objects that describe a file, and an address next to the
// image's own id, are outputs.
func (x *extraction) echo(c, parent *node) bool {
	if !slices.Contains(x.scopes, parent) || c.single().is(shapeObject) || parent.any(assetIDs) != nil {
		return false
	}
	prompt := parent.get("prompt") != nil
	if x.done {
		return prompt && x.kind == api.KindVideo && keyKind(c.name) == api.KindImage
	}
	return prompt || x.status == nil && strings.HasSuffix(c.name, "url") && hasID(parent)
}

func (x *extraction) take(n *node, under string) {
	r, ok := readMedia(n, under, x.any || mediaKeys.has(under))
	if !ok || r.Data == nil && x.seen[r.URL] {
		return
	}
	x.seen[r.URL] = true
	x.count++
	// Services put an mp4 into "images": type and ending count before the kind.
	r.Kind = cmp.Or(TypeKind(r.MediaType), TypeKind(mediaSuffix(r.URL)), x.kind)
	r.ExpiresAt, r.Path = expiry(n), n.path()
	if len(x.out) < maxResults {
		x.out = append(x.out, r)
	}
}

func (n *node) owner() *node {
	if n.parent.is(shapeArray) {
		return n.parent.parent
	}
	return n.parent
}

// expiry reads when an address expires: a Unix time in s or ms, or an ISO time.
func expiry(n *node) time.Time {
	for c := range n.owner().each(expiryKeys) {
		f, _ := c.float()
		if f > 1e9 && f < 1e11 {
			f *= 1000
		}
		t, _ := time.Parse(time.RFC3339, c.scalar())
		if f > 1e11 && f < 1e14 {
			t = time.UnixMilli(int64(f))
		}
		return t.UTC()
	}
	return time.Time{}
}

func keyKind(name string) api.Kind {
	return oneKind(videoNames.has(name), imageNames.has(name))
}

func oneKind(video, image bool) api.Kind {
	switch {
	case video && !image:
		return api.KindVideo
	case image && !video:
		return api.KindImage
	}
	return ""
}
