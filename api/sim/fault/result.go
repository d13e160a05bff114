package fault

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// These change what an answer says of a job and its results.

// withoutID leaves out every member and element whose text holds the job's id.
func withoutID(_ Fault, a *Answer) {
	if a.JobID == "" {
		return
	}
	a.rewrite(func(_ string, v any) (any, bool) {
		text, ok := v.(string)
		return v, !ok || !strings.Contains(text, a.JobID)
	})
}

// otherID names another job; addresses stay as they are.
func otherID(f Fault, a *Answer) {
	a.rewrite(func(_ string, v any) (any, bool) {
		if v == a.JobID && a.JobID != "" {
			v = cmp.Or(f.Body, "job_of_somebody_else")
		}
		return v, true
	})
}

// httpResult gives the result an address without TLS at a public host.
func httpResult(f Fault, a *Answer) {
	if a.Result == nil {
		return
	}
	name, _, _ := strings.Cut(path.Base(a.Result.URL), "?")
	address := cmp.Or(f.Body, "http://media.example.com/"+name)
	a.rewrite(func(_ string, v any) (any, bool) {
		if text, ok := v.(string); ok {
			v = strings.ReplaceAll(text, a.Result.URL, address)
		}
		return v, true
	})
}

// htmlResult adds a page to a list of results.
func htmlResult(_ Fault, a *Answer) {
	if a.Result != nil {
		a.listResults(a.Result.URL, a.Result.Link("viewer.html"))
	}
}

// shuffledResults lists three results, each call beginning with the next one.
func shuffledResults(f Fault, a *Answer) {
	if a.Result == nil {
		return
	}
	urls := []string{a.Result.URL, a.Result.Link("image-2.png"), a.Result.Link("image-3.png")}
	first := f.call % len(urls)
	a.listResults(slices.Concat(urls[first:], urls[:first])...)
}

// listResults puts results in the place of the one that an array of the answer
// holds, each in the same shape.
func (a *Answer) listResults(urls ...string) {
	done := false
	a.rewrite(func(_ string, v any) (any, bool) {
		list, ok := v.([]any)
		if !ok || done {
			return v, true
		}
		for i, element := range list {
			shape := string(encode(element))
			if !strings.Contains(shape, a.Result.URL) {
				continue
			}
			var all []any
			for _, u := range urls {
				all = append(all, json.RawMessage(strings.ReplaceAll(shape, a.Result.URL, u)))
			}
			done = true
			return slices.Replace(list, i, i+1, all...), true
		}
		return v, true
	})
}
