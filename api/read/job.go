package read

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"darkroom/api"
)

// Create reads the answer to a generation call. An id means a job, media
// without one a finished call ("POST /api/v1/images/generations": the shape is
// not shown). Only 200 and 201 can tell of a finished job.
func Create(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	return words.readCreate(status, header, raw, kind)
}

// Job reads the answer to GET /api/v1/jobs/{id}. Only a 200 with an exact
// known status word ends a job.
func Job(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	return words.readJob(status, header, raw, kind)
}

func (l *lexicon) readCreate(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	a, v := l.open(status, header, raw, kind)
	if v == nil || status < 200 || status > 299 {
		return a
	}
	l.fill(&a, v, status, kind)
	if status != http.StatusOK && status != http.StatusCreated {
		unend(&a, api.StatusWaiting)
	}
	if a.ID == "" && len(a.Results) == 0 {
		idFromLocation(&a, header)
	}
	if a.ID != "" && len(a.Results) == 0 && a.Class == api.StatusSucceeded {
		a.Class = api.StatusWaiting // the call succeeded; the job has still to be asked for
	}
	if a.Class != api.StatusSucceeded {
		l.refuse(&a, v, status, header, raw)
	}
	return a
}

func (l *lexicon) readJob(status int, header http.Header, raw []byte, kind api.Kind) api.JobAnswer {
	a, v := l.open(status, header, raw, kind)
	if v == nil {
		return a
	}
	l.fill(&a, v, status, kind)
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
		l.refuse(&a, v, status, header, raw)
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
func (l *lexicon) open(status int, header http.Header, raw []byte, kind api.Kind) (api.JobAnswer, *view) {
	a := api.JobAnswer{Raw: json.RawMessage(raw), Progress: -1}
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if t := TypeKind(mediaType); t != "" || TypeKind(Sniff(raw)) != "" {
		a.Binary = true
		a.NotReadable = "not JSON: the body is media"
		return a, nil
	}
	root, err := parseTree(raw)
	if err != nil {
		a.NotReadable = notReadable(raw, err)
		return a, nil
	}
	return a, l.view(root)
}

// notReadable says why, in a few words.
func notReadable(raw []byte, err error) string {
	head := strings.ToLower(strings.TrimSpace(string(raw[:min(len(raw), 512)])))
	switch {
	case errors.Is(err, errEmpty):
		return "not JSON: the answer is empty"
	case strings.HasPrefix(head, "<!doctype html"), strings.HasPrefix(head, "<html"):
		return "not JSON: HTML"
	case strings.HasPrefix(head, "<"):
		return "not JSON: XML or HTML"
	case errors.Is(err, errSyntax):
		return "not JSON"
	}
	return "not JSON: " + err.Error()
}

// fill reads every concept of a job.
func (l *lexicon) fill(a *api.JobAnswer, v *view, status int, kind api.Kind) {
	ids := v.ids()
	for i, id := range ids {
		if i == 0 {
			a.ID = id.id
			note(a, id.node, "id", id.id)
			continue
		}
		if len(a.Candidates) < MaxCandidates {
			a.Candidates = append(a.Candidates, id.id)
			note(a, id.node, "candidate", id.id)
		}
	}
	if v.status != nil {
		a.Status = api.Clean(v.status.scalar(), api.MaxStatusText)
		a.Class = v.class()
		note(a, v.status, "status", v.status.scalar())
	}
	if r := v.resultNode(); r != nil {
		a.HasResult = true
	}
	l.fillResults(a, v, kind)
	if reason := v.reason(a.Class); !reason.text.IsZero() {
		a.Reason = reason.text
		note(a, reason.node, "reason", reason.text.String())
	}
	v.progress(a)
}

func (l *lexicon) fillResults(a *api.JobAnswer, v *view, kind api.Kind) {
	if a.Class == api.StatusWaiting || a.Class == api.StatusRunning {
		return // echoes of the request, or addresses that do not exist yet
	}
	for _, r := range v.outputs(kind, a.Class == api.StatusSucceeded || a.ID == "") {
		a.Results = append(a.Results, r.Result)
		value := r.URL
		if r.Data != nil {
			value = "(bytes)"
		}
		note(a, r.node, "result", value)
	}
	a.HasResult = a.HasResult || len(a.Results) > 0
}

func note(a *api.JobAnswer, n *node, concept, value string) {
	a.Found = append(a.Found, n.found(concept, value))
}

// resultNode gives the result object, when there is one that is not empty.
func (v *view) resultNode() *node {
	for _, s := range v.scopes {
		for _, name := range v.list(listResults) {
			if c := s.get(name); c.says() && c.shape != shapeBool && c != v.job && !toldError(c) && !(name == "data" && v.isScope(c)) {
				return c
			}
		}
	}
	return nil
}

func (v *view) isScope(n *node) bool {
	for _, s := range v.scopes {
		if s == n || n.is(shapeArray) && n.first == s {
			return true
		}
	}
	return false
}

// progress reads how far the job is and how long it is expected to take.
func (v *view) progress(a *api.JobAnswer) {
	for _, s := range v.scopes {
		for _, name := range v.list(listProgress) {
			if n := s.get(name); a.Progress < 0 && n != nil {
				if f, ok := fraction(n); ok {
					a.Progress = f
					note(a, n, "progress", n.scalar())
				}
			}
		}
		for _, o := range []*node{s, s.get("taskinfo"), s.get("meta")} {
			for _, name := range v.list(listExpected) {
				n := o.get(name)
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
	text := strings.TrimSpace(n.scalar())
	percent := strings.HasSuffix(text, "%")
	f, ok := (&node{shape: shapeString, text: strings.TrimSuffix(text, "%")}).float()
	if !ok || n.shape == shapeBool || f < 0 || f > 100 {
		return 0, false
	}
	if percent || f > 1 || f == 1 && !strings.Contains(text, ".") {
		f /= 100
	}
	return f, true
}

// idFromLocation takes the id from a Location header as the last resort.
func idFromLocation(a *api.JobAnswer, header http.Header) {
	if id := IDInURL(header.Get("Location")); id != "" {
		a.ID = id
		a.Found = append(a.Found, api.Found{Concept: "id", Path: "(header Location)", Value: api.Clean(id, api.MaxIDText).String()})
	}
}

// refuse tells a refusal inside a 2xx: nothing usable and a plain mark of an
// error. The class says whether it proves anything; words alone, without a
// mark, are no refusal, since the call may have been taken.
func (l *lexicon) refuse(a *api.JobAnswer, v *view, status int, header http.Header, raw []byte) {
	if status < 200 || status > 299 || a.ID != "" || len(a.Results) > 0 || !markedError(v.root) {
		return
	}
	a.Refusal = l.readTreeError(status, header, v.root)
	a.Refusal.Raw = KeepRaw(raw)
	a.Found = append(a.Found, a.Refusal.Found...)
}
