package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// Create reads the answer to a generation call. An id means a job, media
// without one a finished call ("POST /api/v1/images/generations": the shape is
// not shown). Only 200 and 201 can report a finished job.
func Create(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	a, v := open(header, raw, kind)
	if v == nil {
		return a
	}
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

// Job reads GET /api/v1/jobs/{id}. Only a 200 with a known status word ends a job.
func Job(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	a, v := open(header, raw, kind)
	if v == nil {
		return a
	}
	if v.status == nil && len(a.Results) > 0 && !markedError(v.root) {
		a.Class = api.StatusSucceeded // media and nothing that says otherwise
	}
	if status != http.StatusOK {
		unend(&a, api.StatusRunning)
		if status >= 300 {
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
		a.Class, a.Results = instead, nil
	}
}

// open reads every concept of a job. Without JSON there is no view.
func open(header http.Header, raw []byte, kind api.Kind) (api.JobAnswer, *view) {
	a := api.JobAnswer{Raw: json.RawMessage(raw), Progress: -1}
	root, err := parseTree(raw)
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	// The header does not prove that JSON or a page is media.
	declared := TypeKind(mediaType) != "" && err != nil && !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<"))
	switch {
	case declared || Sniff(raw) != "":
		a.Binary, a.NotReadable = true, api.Sentence("not JSON: the body is media").Reason()
		return a, nil
	case err != nil:
		a.NotReadable = notReadable(raw, err)
		return a, nil
	}
	v := newView(root)
	v.fill(&a, kind)
	return a, v
}

func notReadable(raw []byte, err error) api.Reason {
	head := strings.ToLower(strings.TrimSpace(string(raw[:min(len(raw), 512)])))
	switch {
	case !strings.HasPrefix(head, "<"):
		return api.ReasonOf(err)
	case strings.Contains(head, "html"):
		return api.Sentence("it is a web page (HTML), not JSON").Reason()
	}
	return api.Sentence("not JSON: XML or HTML").Reason()
}

// Bounds of the search for objects in which a job's fields may stand.
const (
	maxScopes = 24
	maxInner  = 5 // how deep within one another
)

// view is an answer about one job: the objects in which its fields may stand,
// the one that is the job first, else inner before outer.
type view struct {
	root   *node
	scopes []*node
	job    *node // the scope that has the status, else nil
	status *node // the status value, else nil
}

// newView finds the objects. The innermost status wins.
func newView(root *node) *view {
	v := &view{root: root}
	v.gather(root, 0)
	if i := slices.IndexFunc(v.scopes, func(s *node) bool { return statusIn(s) != nil }); i >= 0 {
		v.job, v.status = v.scopes[i], statusIn(v.scopes[i])
		v.scopes = slices.Insert(slices.Delete(v.scopes, i, i+1), 0, v.job)
	}
	return v
}

// gather lists the objects within a node that may be the job, and then the node
// itself. Results have ids and states too, and so have listed files and the parts of a job.
func (v *view) gather(n *node, depth int) {
	if depth > maxInner || len(v.scopes) >= maxScopes {
		return
	}
	n = within(n)
	if n.is(shapeArray) { // of several jobs the first that has not ended, else the first
		n = cmp.Or(first(n.children, func(c *node) bool {
			return slices.Contains([]api.StatusClass{api.StatusWaiting, api.StatusRunning, api.StatusUnlisted}, classify(statusIn(c).scalar()))
		}), n.first)
	}
	if !n.is(shapeObject) {
		return
	}
	status, id := ownStatus(n), hasID(n)
	for c := range n.each(boxes) {
		if !status || !c.is(shapeArray) {
			v.gather(c, depth+1)
		}
	}
	for c := range n.children {
		file := c.is(shapeArray) && c.first.get("id") != nil && c.first.any(bestAddresses) != nil && !ownStatus(c.first)
		part := status || id && !ownStatus(c) || file
		if !part && !boxes.has(c.name) && !notOutputs.has(c.name) && (!resultNodes.has(c.name) || ownStatus(c) && hasID(c)) {
			v.gather(c, depth+1)
		}
	}
	v.scopes = append(v.scopes, n)
}

// statusIn gives the status of one object, which may be a boolean under "done".
func statusIn(n *node) *node {
	return cmp.Or(first(n.each(statusKeys), saysStatus), first(n.like(statusKeys), saysStatus),
		first(n.each(doneKeys), func(c *node) bool { return c.is(shapeBool) }))
}

// saysStatus reports whether a value is a word, or a number not of HTTP.
func saysStatus(n *node) bool {
	f, _ := n.float()
	return n.is(shapeString) && n.says() || n.is(shapeNumber) && (f < 100 || f >= 600)
}

// ownStatus reports whether an object has a status of a job, not of the call.
func ownStatus(n *node) bool {
	s := statusIn(n)
	return s.is(shapeBool) || s.is(shapeString) && !envelopeWords.has(s.word())
}

// classify says what a status word means. Only an exact known word ends a job.
func classify(word string) api.StatusClass {
	f := foldWord(word)
	if word == "" {
		return api.StatusNone
	}
	for _, prefix := range append([]string{""}, statusPrefixes...) {
		for class, known := range statusWords {
			if known.has(strings.TrimPrefix(f, prefix)) {
				return class
			}
		}
	}
	return api.StatusUnlisted
}

func (v *view) class() api.StatusClass {
	switch {
	case v.envelopeStatus():
		return api.StatusNone
	case !v.status.is(shapeBool): // of numbers none has a class: 1 means done here and queued there
		return classify(v.status.scalar())
	case !v.status.says():
		return api.StatusRunning
	case v.job.get("error").says():
		return api.StatusFailed
	}
	return api.StatusSucceeded
}

// envelopeStatus reports whether the status is about the call: an envelope's
// word, outside of the object that has the id, or with no id at all.
func (v *view) envelopeStatus() bool {
	word := v.status.word()
	switch {
	case !envelopeWords.has(word), (hasID(v.job) || v.job.any(requestIDKeys) != nil) && word != "ok":
		return false
	case classify(word) == api.StatusSucceeded:
		results, _ := v.outputs("", true)
		return len(results) == 0
	}
	return v.job == v.root
}

func (v *view) fill(a *api.JobAnswer, kind api.Kind) {
	if ids := v.ids(); len(ids) > 0 {
		a.ID, a.IDPath, a.NamesJob = ids[0].id, ids[0].path(), v.certain(ids[0].node)
		a.Candidates = api.Map(ids[1:], func(n identity) string { return n.id })
	}
	a.Status, a.Class = api.Clean(v.status.scalar(), api.MaxStatusText), v.class()
	// A job that has not ended has echoes of the request, or addresses of what does not exist yet.
	if a.Class != api.StatusWaiting && a.Class != api.StatusRunning {
		a.Results, a.Left = v.outputs(kind, a.Class == api.StatusSucceeded || a.ID == "")
	}
	a.Reason = v.reason(a.Class)
	if a.Class == api.StatusSucceeded && len(a.Results) > 0 && !a.Reason.IsZero() {
		a.Left = cmp.Or(a.Left, Said.Reason(a.Reason))
	}
	v.progress(a)
}

// progress reads 0..1, 0..100 and "30%". 1.0 is all of it, 1 a hundredth.
func (v *view) progress(a *api.JobAnswer) {
	for _, s := range v.scopes {
		for n := range s.each(progressKeys) {
			text := strings.TrimSuffix(n.scalar(), "%")
			f, err := strconv.ParseFloat(text, 64)
			if f > 1 || f == 1 && !strings.Contains(text, ".") {
				f /= 100
			}
			if a.Progress < 0 && err == nil && f >= 0 && f <= 1 {
				a.Progress = f
			}
		}
	}
}

// refuse reads a refusal inside a 2xx: nothing usable, no result object, and a
// plain mark of an error. Words alone are not, nor is a mark within an object of an
// unknown name: the call may have been taken.
func (v *view) refuse(a *api.JobAnswer, status int, header http.Header) {
	result := slices.ContainsFunc(v.scopes, func(s *node) bool {
		return first(s.each(resultNodes), func(c *node) bool {
			return c.says() && !hasError(c) && (c.name != "data" || !slices.Contains(v.scopes, c.single()))
		}) != nil
	})
	if a.ID == "" && len(a.Results) == 0 && !result && v.root.parent == nil && markedError(v.root) {
		a.Refusal = treeError(status, header, a.Raw, v.root)
	}
}

// ReadPlace reads the place of a waiting job in the service's queue; 0 when none
// is said. Results have positions too: one counts only next to a status.
func ReadPlace(raw []byte) (place int) {
	root, _ := parseTree(raw)
	root.below(func(n *node) {
		named := queuePlaces.has(n.name)
		if n.name == "position" || n.name == "place" {
			named = strings.HasPrefix(n.parent.name, "queue") || n.parent.get("status") != nil
		}
		if at, err := strconv.ParseUint(n.text, 10, 64); named && err == nil && place == 0 && at <= 1_000_000 {
			place = int(at)
		}
	})
	return place
}

const (
	// MaxCandidates bounds the ids that are offered or probed.
	MaxCandidates = 8
	// maxID is the longest id that is taken for one.
	maxID = 512
)

// PollableID reports whether a job id can be asked for: not empty, not "." or
// "..", which a path would swallow, and at most 128 bytes.
func PollableID(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= api.MaxIDText
}

type identity struct {
	*node
	id string
}

// ids gives the distinct ids of the answer, best first: by class of key over all
// scopes, within a class the job's own scope first.
func (v *view) ids() (found []identity) {
	add := func(n *node, id string) {
		if id != "" && len(found) <= MaxCandidates && !slices.ContainsFunc(found, func(have identity) bool { return have.id == id }) {
			found = append(found, identity{n, id})
		}
	}
	listed := func(keys terms) {
		for _, scope := range v.scopes {
			for c := range scope.each(keys) {
				add(c, idText(c))
			}
		}
	}
	for _, keys := range idKeys {
		listed(keys)
	}
	// Of a call that was refused the request's id is a trace, and so are others.
	if refused := !v.status.is(shapeString) && markedError(v.root); len(found) == 0 && !refused {
		listed(requestIDKeys)
		for _, names := range [...]terms{jobNames, idEnds} {
			for _, scope := range v.scopes {
				c := first(scope.like(names), func(c *node) bool { return idEnds.has(c.name) && idText(c) != "" })
				add(c, idText(c))
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	// An operation's name, plain strings where an object should be, poll addresses.
	for _, scope := range append(v.scopes, v.root) {
		if n := scope.get("name"); strings.Contains(n.scalar(), "operations/") {
			add(n, idText(n))
		}
		for c := range scope.boxes(bareIDs) {
			s := idText(c)
			if strings.ContainsAny(s, "0123456789") && oneToken(s, "-_:") && classify(s) == api.StatusUnlisted {
				add(c, s)
			}
		}
	}
	for _, scope := range v.scopes {
		for box := range scope.boxes(pollBoxes) {
			for c := range box.like(pollKeys) {
				add(c, idInURL(c.scalar()))
			}
		}
	}
	return found
}

// oneToken reports whether a text has only letters, digits and the given joints.
func oneToken(s, joints string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') && !strings.ContainsRune(joints, r)
	}) < 0
}

// idInURL gives the id in a poll address: in its query, or near its end.
func idInURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || !strings.Contains(s, "/") || mediaSuffix(s) != "" {
		return ""
	}
	keys := []string{"id", "task_id", "taskId", "job_id", "jobId", "request_id"}
	if id := cmp.Or(api.Map(keys, u.Query().Get)...); id != "" {
		return id
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	last := strings.ToLower(parts[len(parts)-1])
	if len(parts) > 1 && (resultNodes.has(last) || last == "status" || last == "cancel") {
		parts = parts[:len(parts)-1]
	}
	if id := parts[len(parts)-1]; len(id) <= maxID && strings.ContainsAny(id, "0123456789") {
		return id
	}
	return ""
}

// idText gives the id in a value: a text, an address or an integer.
func idText(n *node) string {
	switch {
	case n.is(shapeString):
		if s := strings.TrimSpace(n.text); isAddress(s) {
			return idInURL(s)
		} else if len(s) <= maxID && s != "0" && !strings.ContainsAny(s, " \t\n") {
			return s
		}
	case n.is(shapeNumber) && n.says() && strings.Trim(n.text, "0123456789") == "":
		return n.text
	case n.is(shapeArray):
		return idText(n.first)
	}
	return ""
}

// hasID reports whether an object has an id that is not a trace of the call.
func hasID(n *node) bool {
	return first(n.each(allIDKeys), func(c *node) bool { return idText(c) != "" }) != nil
}

// certain reports whether an id stands where only the job's own can stand: under
// a key that names the job, or next to its status, and not in a list of several.
func (v *view) certain(n *node) bool {
	for p := n; p != nil; p = p.parent {
		if p.is(shapeArray) && p.size > 1 {
			return false
		}
	}
	return idKeys[0].has(n.name) || idKeys[1].has(n.name) || n.name == "id" && (n.parent == v.job || n.parent.name == "job")
}

// spokenID finds in a sentence a UUID, and what follows the word "job" or "task". What
// is said to be a request's is none of a job.
var spokenID = api.Pattern(`(?i)((?:request|trace)[ _-]?(?:id)?\W{0,4})?\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\b` +
	`|\b(?:job|task)[ _-]?(?:id)?\W{1,4}([\w-]*\d[\w-]*)`)

// spokenIDs gives the ids in a sentence. Short ones may be anything: "at most 5 jobs".
func spokenIDs(text string) []string {
	return api.Pick(spokenID().FindAllStringSubmatch(text[:min(len(text), 64<<10)], -1), func(found []string) (string, bool) {
		id := found[2] + found[3]
		return id, found[1] == "" && len(id) >= 8 && PollableID(id)
	})
}

// ScanIDs gives the values that may be a job's id in an answer that was cut short
// or proves nothing, best first, in the Location of its header, if any, and in its
// message. The id of a request counts only if accepted.
func ScanIDs(header http.Header, raw []byte, accepted bool) (ids []string) {
	root, _ := parseTree(raw)
	ranks := make([][]string, len(idKeys)+2)
	if id := idInURL(header.Get("Location")); PollableID(id) {
		ranks[len(idKeys)] = []string{id}
	}
	said := string(raw)
	if root.is(shapeObject) || root.is(shapeArray) {
		_, said = errorTexts(root)
	}
	ranks[len(idKeys)+1] = spokenIDs(said)
	root.below(func(n *node) {
		rank := slices.IndexFunc(idKeys[:], func(keys terms) bool { return keys.has(n.name) })
		if accepted && requestIDKeys.has(n.name) {
			rank = len(idKeys)
		}
		if rank >= 0 && n.shape != shapeBool && PollableID(n.text) {
			ranks[rank] = append(ranks[rank], n.text)
		}
	})
	for _, id := range slices.Concat(ranks...) {
		if !slices.Contains(ids, id) && len(ids) < MaxCandidates {
			ids = append(ids, id)
		}
	}
	return ids
}

// IDAt gives the id at a path as JobAnswer.IDPath writes it, or "".
func IDAt(raw []byte, path string) (id string) {
	root, err := parseTree(raw)
	if err != nil {
		return ""
	}
	root.below(func(n *node) {
		if !n.is(shapeArray) && n.path() == path {
			id = idText(n)
		}
	})
	return id
}
