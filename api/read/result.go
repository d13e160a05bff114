package read

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// Said is an error that the service reports beside results.
var Said = api.Sentence("the service reports: %v")

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
	if x.kind != api.KindImage && slices.ContainsFunc(x.out, video) { // images next to videos are covers
		x.out = slices.DeleteFunc(x.out, func(r api.Result) bool { return !video(r) })
	}
	if x.count > maxResults {
		return x.out, Left.Reason(x.count, maxResults)
	}
	return x.out, api.Reason{}
}

// walk collects below a node. under is the nearest key.
func (x *extraction) walk(n *node, under string) {
	under = cmp.Or(n.name, under)
	n = within(n)
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
	text := x.any && mediaKeys.has(under) && strings.HasPrefix(r.MediaType, "text/") // nothing else is the result
	if !ok && !text || r.Data == nil && x.seen[r.URL] {
		return
	}
	x.seen[r.URL] = true
	x.count++
	// Services put an mp4 into "images": type and ending count before the kind.
	r.Kind = cmp.Or(TypeKind(r.MediaType), TypeKind(mediaSuffix(r.URL)), x.kind)
	r.ExpiresAt = expiry(n)
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
	c := n.owner().any(expiryKeys)
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

// maxURL is the longest address that is kept; signed ones reach some KiB.
const maxURL = 16 << 10

// mediaTypes are the types by the ending of an address.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif", ".avif": "image/avif",
	".bmp": "image/bmp", ".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
	".mkv": "video/x-matroska",
}

// readMedia reads one string as an output: an address or the bytes. Unless the key
// is known for media, only an address that ends like a media file is taken.
func readMedia(n *node, under string, known bool) (api.Result, bool) {
	s := strings.TrimSpace(n.text)
	switch {
	case len(s) > 5 && strings.EqualFold(s[:5], "data:"):
		head, body, _ := strings.Cut(s[5:], ",")
		mediaType, _, _ := strings.Cut(strings.ToLower(head), ";")
		data, ok := decodeBase64(body)
		if text, err := url.PathUnescape(body); err == nil && TypeKind(mediaType) == "" && !strings.HasSuffix(head, ";base64") {
			data = []byte(text)
		}
		return api.Result{Data: data, MediaType: mediaType}, ok && len(data) > 0 && TypeKind(mediaType) != ""
	case isAddress(s), isRelative(s):
		r := api.Result{URL: s, MediaType: typeBeside(n)}
		return r, (known || mediaSuffix(s) != "") && !soundEndings.has(ending(s)) && !strings.HasPrefix(r.MediaType, "audio/")
	}
	// Under a name that says so any base64 is taken; elsewhere the bytes must begin
	// like a media file.
	data, ok := decodeBase64(s)
	r := api.Result{Data: data, MediaType: Sniff(data)}
	return r, ok && len(data) > 0 && (strings.Contains(under, "b64") || strings.Contains(under, "base64") || known && r.MediaType != "")
}

func isAddress(s string) bool {
	if len(s) > maxURL {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// isRelative accepts addresses of media relative to the base: /files/1.mp4, files/1.mp4.
func isRelative(s string) bool {
	if len(s) > maxURL || mediaSuffix(s) == "" || !strings.Contains(s, "/") || strings.ContainsAny(s, " \t\r\n<>{}\"\\") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "" && u.User == nil
}

// ending gives the ending of an address before its query, in lower case.
func ending(s string) string {
	s, _, _ = strings.Cut(s, "?")
	s, _, _ = strings.Cut(s, "#")
	return strings.ToLower(path.Ext(s))
}

func mediaSuffix(s string) string { return mediaTypes[ending(s)] }

// typeBeside is the type next to an address, as "video/mp4".
func typeBeside(n *node) string {
	for c := range n.owner().each(typeKeys) {
		if t := strings.ToLower(c.clean(64)); TypeKind(t) != "" || strings.HasPrefix(t, "audio/") {
			return t
		}
	}
	return ""
}

// TypeKind gives the kind of a media type such as "video/mp4", else "".
func TypeKind(mediaType string) api.Kind {
	return oneKind(strings.HasPrefix(mediaType, "video/"), strings.HasPrefix(mediaType, "image/"))
}

// Base64Letter maps a character of either base64 alphabet to the standard one,
// and line ends and padding, which are left out, to -1.
func Base64Letter(r rune) rune {
	switch r {
	case '\n', '\r', '=':
		return -1
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
}

// decodeBase64 decodes either alphabet, with or without padding and line ends.
func decodeBase64(s string) ([]byte, bool) {
	data, err := base64.RawStdEncoding.DecodeString(strings.Map(Base64Letter, s))
	return data, err == nil
}

// Sniff gives image/… or video/… by magic bytes, else "".
func Sniff(b []byte) string {
	if len(b) >= 12 && string(b[4:8]) == "ftyp" {
		switch string(b[8:12]) {
		case "avif", "avis":
			return "image/avif"
		case "qt  ":
			return "video/quicktime"
		case "M4A ":
			return ""
		}
		return "video/mp4"
	}
	if t := http.DetectContentType(b); TypeKind(t) != "" {
		return t
	}
	return ""
}
