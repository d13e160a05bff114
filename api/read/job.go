package read

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// body is an answer's body with the tree that was built from it, or why there
// is none.
type body struct {
	raw  []byte
	root *node
	err  error
}

func parseBody(raw []byte) body {
	root, err := parseTree(raw)
	return body{raw, root, err}
}

// Create reads the answer to a generation call. An id means a job, media
// without one a finished call ("POST /api/v1/images/generations": the shape is
// not shown). Only 200 and 201 can report a finished job.
func Create(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	return words().readCreate(status, header, parseBody(raw), kind)
}

// Job reads the answer to GET /api/v1/jobs/{id}. Only a 200 with an exact
// known status word ends a job.
func Job(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	return words().readJob(status, header, parseBody(raw), kind)
}

func (l *vocabulary) readCreate(status int, header http.Header, b body, kind api.Kind) api.JobAnswer {
	a, v := l.open(header, b)
	if v == nil || status < 200 || status > 299 {
		return a
	}
	v.fill(&a, kind)
	if status != http.StatusOK && status != http.StatusCreated {
		unend(&a, api.StatusWaiting)
	}
	if id := idInURL(header.Get("Location")); a.ID == "" && len(a.Results) == 0 && id != "" {
		a.ID = id
		a.Found = append(a.Found, api.Found{Concept: "id", Path: "(header Location)", Value: api.Clean(id, api.MaxIDText).String()})
	}
	if a.ID != "" && len(a.Results) == 0 && a.Class == api.StatusSucceeded {
		a.Class = api.StatusWaiting // the call succeeded; the job has still to be asked for
	}
	if a.Class != api.StatusSucceeded {
		l.refuse(&a, status, header, b)
	}
	return a
}

func (l *vocabulary) readJob(status int, header http.Header, b body, kind api.Kind) api.JobAnswer {
	a, v := l.open(header, b)
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
		l.refuse(&a, status, header, b)
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
func (l *vocabulary) open(header http.Header, b body) (api.JobAnswer, *jobView) {
	a := api.JobAnswer{Raw: json.RawMessage(b.raw), Progress: -1}
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	// Of JSON and pages the header is no proof.
	declared := TypeKind(mediaType) != "" && b.err != nil && !bytes.HasPrefix(bytes.TrimSpace(b.raw), []byte("<"))
	switch {
	case declared || TypeKind(Sniff(b.raw)) != "":
		a.Binary, a.NotReadable = true, whyMedia.Reason()
	case b.err != nil:
		a.NotReadable = notReadable(b.raw, b.err)
	default:
		return a, l.view(b.root)
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

// fill reads every concept of a job.
func (v *jobView) fill(a *api.JobAnswer, kind api.Kind) {
	ids := v.ids()
	for i, id := range ids {
		switch {
		case i == 0:
			a.ID, a.NamesJob = id.id, v.certain(id) && len(ids) <= MaxCandidates
			note(a, id.node, "id", id.id)
		case len(a.Candidates) < MaxCandidates:
			a.Candidates = append(a.Candidates, id.id)
			note(a, id.node, "candidate", id.id)
		}
	}
	if v.status != nil {
		a.Status, a.Class = api.Clean(v.status.scalar(), api.MaxStatusText), v.class()
		note(a, v.status, "status", v.status.scalar())
	}
	a.HasResult = v.hasResult()
	if a.Class != api.StatusWaiting && a.Class != api.StatusRunning { // there are only echoes of the request, or addresses that do not exist yet
		for _, r := range v.outputs(kind, a.Class == api.StatusSucceeded || a.ID == "") {
			a.Results, a.HasResult = append(a.Results, r.Result), true
			value := r.URL
			if r.Data != nil {
				value = "(bytes)"
			}
			note(a, r.node, "result", value)
		}
	}
	if reason := v.reason(a.Class); reason.node != nil {
		a.Reason = reason.text
		note(a, reason.node, "reason", reason.text.String())
	}
	v.progress(a)
}

func note(a *api.JobAnswer, n *node, concept, value string) {
	a.Found = append(a.Found, n.found(concept, value))
}

// hasResult reports whether there is a result object that is not empty.
func (v *jobView) hasResult() bool {
	return slices.ContainsFunc(v.scopes, func(s *node) bool {
		return first(s.each(v.ResultNodes), func(c *node) bool {
			return c.says() && c.shape != shapeBool && c != v.job && !hasError(c, words().ErrorKeys) && !(c.name == "data" && v.isScope(c))
		}) != nil
	})
}

// progress reads how far the job is and how long it is expected to take.
func (v *jobView) progress(a *api.JobAnswer) {
	for _, s := range v.scopes {
		for n := range s.each(v.ProgressKeys) {
			if f, ok := fraction(n); ok && a.Progress < 0 {
				a.Progress = f
				note(a, n, "progress", n.scalar())
			}
		}
		for _, path := range [...]string{"", "taskinfo", "meta"} {
			for n := range s.at(path).each(v.ExpectedKeys) {
				if f, ok := n.float(); ok && a.Expected == 0 && f > 0 && f < 86400 {
					a.Expected = time.Duration(f * float64(time.Second))
					note(a, n, "expected", n.scalar())
				}
			}
		}
	}
}

// fraction reads 0..1, 0..100 and "30%". 1 is taken for all of it when it is
// written as a fraction, and for a hundredth otherwise.
func fraction(n *node) (float64, bool) {
	if n == nil || n.shape == shapeBool {
		return 0, false
	}
	text, percent := strings.CutSuffix(strings.TrimSpace(n.scalar()), "%")
	f, ok := parseFloat(text)
	if !ok || f < 0 || f > 100 {
		return 0, false
	}
	if percent || f > 1 || f == 1 && !strings.Contains(text, ".") {
		f /= 100
	}
	return f, true
}

// refuse reads a refusal inside a 2xx: nothing usable and a plain mark of an
// error. The class says whether it proves anything; words alone, without a
// mark, are no refusal, since the call may have been taken.
func (l *vocabulary) refuse(a *api.JobAnswer, status int, header http.Header, b body) {
	if status < 200 || status > 299 || a.ID != "" || len(a.Results) > 0 || !markedError(b.root) {
		return
	}
	a.Refusal = l.readTreeError(status, header, b)
	a.Found = append(a.Found, a.Refusal.Found...)
}

// class is the class of the answer's status. An envelope's word around a job
// says nothing about the job.
func (v *jobView) class() api.StatusClass {
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
	return v.classify(v.status.text)
}

// envelopeStatus reports whether the status is about the call: an envelope's
// word, outside of the object that has the id, or with no id at all.
func (v *jobView) envelopeStatus() bool {
	word := foldWord(v.status.text)
	switch {
	case !words().EnvelopeWords[word] || v.job == v.root.get("job"):
		return false
	case word == "nok":
		return true
	case v.idIn(v.job) != nil && word != "ok":
		return false
	case v.classify(v.status.text) == api.StatusSucceeded:
		return len(v.outputs("", true)) == 0
	}
	return v.job == v.root
}

// certain reports whether an id stands where only the job's own can stand:
// under a key that names the job, or as the id of the object that has the
// job's status; and not in one of several elements of a list.
func (v *jobView) certain(id identity) bool {
	for p := id.node; p != nil; p = p.parent {
		if p.is(shapeArray) && p.size > 1 {
			return false
		}
	}
	name, parent := id.node.name, id.node.parent
	if name == "job" || slices.Contains(v.JobIDKeys, name) || slices.Contains(v.TaskIDKeys, name) {
		return true
	}
	return slices.Contains(v.PlainIDKeys, name) && parent != nil && (parent == v.job || parent.name == "job")
}
