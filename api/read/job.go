package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// Why an answer cannot be read.
var (
	whyMedia   = api.Sentence("not JSON: the body is media")
	whyEmpty   = api.Sentence("not JSON: the answer is empty")
	whyHTML    = api.Sentence("not JSON: HTML")
	whyXML     = api.Sentence("not JSON: XML or HTML")
	whyNotJSON = api.Sentence("not JSON")
	whyTree    = api.Sentence("not JSON: %v")
)

// Create reads the answer to a generation call. An id means a job, media
// without one a finished call ("POST /api/v1/images/generations": the shape is
// not shown). Only 200 and 201 can report a finished job.
func Create(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	a, v := open(header, raw)
	if v == nil || status < 200 || status > 299 {
		return a
	}
	v.fill(&a, kind)
	if status != http.StatusOK && status != http.StatusCreated {
		unend(&a, api.StatusWaiting)
	}
	if id := idInURL(header.Get("Location")); a.ID == "" && len(a.Results) == 0 && id != "" {
		a.ID, a.IDPath = id, "(header Location)"
	}
	if a.ID != "" && len(a.Results) == 0 && a.Class == api.StatusSucceeded {
		a.Class = api.StatusWaiting // the call succeeded; the job has still to be asked for
	}
	if a.Class != api.StatusSucceeded {
		v.refuse(&a, status, header)
	}
	return a
}

// Job reads the answer to GET /api/v1/jobs/{id}. Only a 200 with an exact
// known status word ends a job.
func Job(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	a, v := open(header, raw)
	if v == nil {
		return a
	}
	v.fill(&a, kind)
	if v.status == nil && len(a.Results) > 0 && !markedError(v.root) && (a.Progress < 0 || a.Progress == 1) {
		a.Class = api.StatusSucceeded // media and nothing that says otherwise
	}
	if status != http.StatusOK {
		unend(&a, api.StatusRunning)
		if status < 200 || status > 299 {
			a.Class = api.StatusNone
		}
	}
	if !a.Ended() {
		v.refuse(&a, status, header)
	}
	return a
}

// unend keeps an answer from ending its job.
func unend(a *api.JobAnswer, instead api.StatusClass) {
	if a.Ended() {
		a.Class = instead
	}
	if a.Class != api.StatusNone && a.Class != api.StatusUnlisted {
		a.Results = nil
	}
}

// open makes the answer and its view; there is no view when the body is media
// or not JSON.
func open(header http.Header, raw []byte) (api.JobAnswer, *view) {
	a := api.JobAnswer{Raw: json.RawMessage(raw), Progress: -1}
	root, err := parseTree(raw)
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	// The header does not prove that JSON or a page is media.
	declared := TypeKind(mediaType) != "" && err != nil && !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<"))
	switch {
	case declared || TypeKind(Sniff(raw)) != "":
		a.Binary, a.NotReadable = true, whyMedia.Reason()
	case err != nil:
		a.NotReadable = notReadable(raw, err)
	default:
		return a, newView(root)
	}
	return a, nil
}

// notReadable says why, in a few words.
func notReadable(raw []byte, err error) api.Reason {
	head := strings.ToLower(strings.TrimSpace(string(raw[:min(len(raw), 512)])))
	switch {
	case err == errEmpty:
		return whyEmpty.Reason()
	case strings.HasPrefix(head, "<!doctype html"), strings.HasPrefix(head, "<html"):
		return whyHTML.Reason()
	case strings.HasPrefix(head, "<"):
		return whyXML.Reason()
	case err == errSyntax:
		return whyNotJSON.Reason()
	}
	return whyTree.Reason(err)
}

// Bounds of the search for objects in which a job's fields may stand.
const (
	maxScopes = 24
	maxInner  = 5 // how deep within one another
)

// view is an answer about one job: the objects in which its fields may stand,
// the one that is the job first, else inner before outer.
type view struct {
	whole  *node
	root   *node // without wrappers
	scopes []*node
	job    *node // the scope that has the status, else nil
	status *node // the status value, else nil
}

// newView finds the objects. The spec's job.status comes first, since "job" is
// the first of the names and the innermost status wins.
func newView(root *node) *view {
	v := &view{whole: root, root: unwrapped(root)}
	v.gather(v.root, 0)
	for i, s := range v.scopes {
		if v.status = statusIn(s); v.status != nil {
			v.job = s
			v.scopes = slices.Insert(slices.Delete(v.scopes, i, i+1), 0, s)
			break
		}
	}
	return v
}

// unwrapped goes through wrappers of unknown names around all that an answer
// says.
func unwrapped(root *node) *node {
	for depth := 0; root.is(shapeObject) && root.size == 1 && depth < maxInner; depth++ {
		c := root.first
		known := slices.ContainsFunc([]terms{stops, amountKeys, notJobs, fieldPlaces}, func(r terms) bool { return r.has(c.name) })
		if known || c.shape < shapeArray || !c.single().is(shapeObject) {
			break
		}
		root = c
	}
	return root
}

// gather lists the objects within a node and then the node itself. An object
// under an unknown name comes before the object around it only if that one has
// less of a job.
func (v *view) gather(n *node, depth int) {
	n = representative(n)
	if !n.is(shapeObject) || depth > maxInner || len(v.scopes) >= maxScopes || slices.Contains(v.scopes, n) {
		return
	}
	inner := slices.Collect(n.each(boxes))
	for c := range n.children {
		if c.shape >= shapeArray && !boxes.has(c.name) && len(inner) < maxScanned {
			inner = append(inner, c)
		}
	}
	var later []*node
	for _, c := range inner {
		switch box := jobIn(c, n); {
		case boxes.has(c.name), !ownStatus(n) && (ownID(n) == nil || ownStatus(box)):
			v.gather(box, depth+1)
		case ownID(n) == nil:
			later = append(later, box)
		}
	}
	v.scopes = append(v.scopes, n)
	for _, c := range later {
		v.gather(c, depth+1)
	}
}

// jobIn gives the object in a member of n that may be the job: one that has a
// job's id or status or stands under a name for it, also behind the call's name.
// With a result node both count, since results have ids and states too.
func jobIn(c, n *node) *node {
	name, own := c.name, ownStatus(n)
	parts := c.is(shapeArray) && (own || ownID(n) != nil && !boxes.has(name)) // of this job
	if parts || notJobs.has(name) || sideAssets.has(name) || errorKeys.has(name) {
		return nil
	}
	if inner, ok := within(c); ok {
		c = inner
	}
	c = representative(c)
	for !boxes.has(name) && c.is(shapeObject) && c.size == 1 && c.first.shape >= shapeArray && !notJobs.has(c.first.name) {
		c = representative(c.first)
	}
	deep := first(c.each(boxes), func(inner *node) bool { return describesJob(representative(inner)) }) != nil
	switch {
	case !c.is(shapeObject):
	case holders.has(name), boxes.has(name) && (describesJob(c) || deep && !own && ownID(n) == nil):
		return c
	case resultNodes.has(name) && (statusIn(c) == nil || ownID(c) == nil):
	case describesJob(c), deep && !resultNodes.has(name):
		return c
	}
	return nil
}

// describesJob reports whether an object has a status or an id.
func describesJob(n *node) bool {
	return statusIn(n) != nil || ownID(n) != nil || n.any(requestIDKeys) != nil || unlistedIDIn(n) != nil
}

// representative gives the one of several jobs whose status stands for all:
// the first that has not ended, else the first.
func representative(n *node) *node {
	if !n.is(shapeArray) {
		return n
	}
	return cmp.Or(first(n.children, func(c *node) bool {
		class := classify(statusIn(c).scalar())
		return class == api.StatusWaiting || class == api.StatusRunning || class == api.StatusUnlisted
	}), n.first)
}

// statusIn gives the status value of one object, which may be a boolean under
// "done". Of keys that are not listed a number counts only when the key speaks of
// a job.
func statusIn(n *node) *node {
	if c := first(n.each(statusKeys), func(c *node) bool { return statusValue(c) != nil }); c != nil {
		return statusValue(c)
	}
	c := first(n.children, func(c *node) bool {
		s := statusValue(c)
		return s != nil && statusKeys.has(c.name) && !foreignStatus.has(c.name) && (s.is(shapeString) || jobNames.has(c.name))
	})
	return cmp.Or(statusValue(c), first(n.each(doneKeys), func(c *node) bool { return c.is(shapeBool) }))
}

// statusValue gives the word or number of a status, also of one that is an
// object.
func statusValue(n *node) *node {
	switch {
	case n.is(shapeString) && n.says():
		return n
	case n.is(shapeNumber):
		if f, _ := n.float(); f < 100 || f >= 600 { // else an HTTP status, not a job's
			return n
		}
	case n.is(shapeObject):
		c := first(n.each(statusParts), func(c *node) bool { return c.shape < shapeArray && statusValue(c) != nil })
		return statusValue(c)
	}
	return nil
}

// ownStatus reports whether the object has a status that is about a job and
// not the call.
func ownStatus(n *node) bool {
	s := statusIn(n)
	return s.is(shapeBool) || s.is(shapeString) && !envelopeWords.has(s.word())
}

// classify says what a status word means. Only an exact known word has a
// class of its own.
func classify(word string) api.StatusClass {
	if strings.TrimSpace(word) == "" {
		return api.StatusNone
	}
	f := foldWord(word)
	for _, prefix := range append([]string{""}, statusPrefixes...) {
		for class, known := range statusWords {
			if rest, ok := strings.CutPrefix(f, prefix); ok && known.has(rest) {
				return class
			}
		}
	}
	return api.StatusUnlisted
}

// class is the class of the answer's status. An envelope's word around a job
// says nothing about the job.
func (v *view) class() api.StatusClass {
	switch {
	case v.status == nil:
		return api.StatusNone
	case v.status.shape == shapeBool && v.status.text != "true":
		return api.StatusRunning
	case v.status.shape == shapeBool && v.job.get("error").says():
		return api.StatusFailed
	case v.status.shape == shapeBool:
		return api.StatusSucceeded
	case v.status.shape == shapeNumber:
		return api.StatusUnlisted // 1 means done here and queued there
	case v.envelopeStatus():
		return api.StatusNone
	}
	return classify(v.status.text)
}

// envelopeStatus reports whether the status is about the call: an envelope's
// word, outside of the object that has the id, or with no id at all.
func (v *view) envelopeStatus() bool {
	word := v.status.word()
	switch {
	case !envelopeWords.has(word) || v.job == v.root.get("job"):
		return false
	case word == "nok":
		return true
	case (ownID(v.job) != nil || v.job.any(requestIDKeys) != nil) && word != "ok":
		return false
	case classify(word) == api.StatusSucceeded:
		return len(v.outputs("", true)) == 0
	}
	return v.job == v.root
}

// fill reads every concept of a job.
func (v *view) fill(a *api.JobAnswer, kind api.Kind) {
	ids := v.ids()
	for i, n := range ids {
		if i == 0 {
			a.ID, a.IDPath, a.NamesJob = n.id, n.path(), v.certain(n.node) && len(ids) <= MaxCandidates
		} else if i <= MaxCandidates {
			a.Candidates = append(a.Candidates, n.id)
		}
	}
	if v.status != nil {
		a.Status, a.Class = api.Clean(v.status.text, api.MaxStatusText), v.class()
	}
	a.HasResult = v.hasResult()
	// A job that has not ended has echoes of the request, or addresses of what does not exist yet.
	if a.Class != api.StatusWaiting && a.Class != api.StatusRunning {
		for _, r := range v.outputs(kind, a.Class == api.StatusSucceeded || a.ID == "") {
			a.Results, a.HasResult = append(a.Results, r), true
		}
	}
	a.Reason = v.reason(a.Class)
	v.progress(a)
}

// hasResult reports whether there is a result object that is not empty.
func (v *view) hasResult() bool {
	return slices.ContainsFunc(v.scopes, func(s *node) bool {
		return first(s.each(resultNodes), func(c *node) bool {
			return c.says() && c.shape != shapeBool && c != v.job && !hasError(c) && !(c.name == "data" && slices.Contains(v.scopes, c.single()))
		}) != nil
	})
}

// progress reads how far the job is and how long it is expected to take.
func (v *view) progress(a *api.JobAnswer) {
	for _, s := range v.scopes {
		for n := range s.each(progressKeys) {
			if f, ok := fraction(n); ok && a.Progress < 0 {
				a.Progress = f
			}
		}
		for n := range s.each(expectedKeys) {
			if f, ok := n.float(); ok && a.Expected == 0 && f > 0 && f < 86400 {
				a.Expected = time.Duration(f * float64(time.Second))
			}
		}
	}
}

// fraction reads 0..1, 0..100 and "30%". 1 is taken for all of it when it is
// written as a fraction, and for a hundredth otherwise.
func fraction(n *node) (float64, bool) {
	text, percent := strings.CutSuffix(strings.TrimSpace(n.scalar()), "%")
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 100) {
		return 0, false
	}
	if percent || f > 1 || f == 1 && !strings.Contains(text, ".") {
		f /= 100
	}
	return f, true
}

// refuse reads a refusal inside a 2xx: nothing usable and a plain mark of an
// error. The class says whether it proves anything; words alone, without a
// mark, are not a refusal, since the call may have been taken.
func (v *view) refuse(a *api.JobAnswer, status int, header http.Header) {
	if status >= 200 && status <= 299 && a.ID == "" && len(a.Results) == 0 && markedError(v.whole) {
		a.Refusal = treeError(status, header, a.Raw, v.root)
	}
}

// maxAhead is the highest place in a queue that is believed, and placeDepth how
// far below the top of an answer a job says its place.
const (
	maxAhead   = 1_000_000
	placeDepth = 3
)

// ReadPlace reads the place in the service's queue of a job that waits, from an
// answer about it; 0 when it says none. Services name it queue_position,
// position_in_queue or queue.position; position alone counts only next to the
// status of the job, since results have positions too.
func ReadPlace(raw []byte) int {
	root, err := parseTree(raw)
	if err != nil {
		return 0
	}
	return placeIn(root.single(), 0)
}

func placeIn(n *node, depth int) int {
	if !n.is(shapeObject) || depth > placeDepth {
		return 0
	}
	inner := 0
	for c := range n.children {
		own := (c.name == "position" || c.name == "place") && (strings.HasPrefix(n.name, "queue") || n.get("status") != nil)
		if place, err := strconv.Atoi(c.text); (own || queuePlaces.has(c.name)) && err == nil && place > 0 && place <= maxAhead {
			return place
		}
		inner = cmp.Or(inner, placeIn(c, depth+1))
	}
	return inner
}
