package fault

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// These change the service's answer before it is written.

func lateStatus(f Fault, a *Answer) {
	a.Status, a.Type, a.Body = f.Status, "application/json", []byte(f.Body)
}

func empty(f Fault, a *Answer) { a.Status, a.Body = cmp.Or(f.Status, http.StatusOK), nil }

func otherBody(f Fault, a *Answer) {
	a.Status, a.Type, a.Body = cmp.Or(f.Status, http.StatusOK), "application/json", []byte(f.Body)
}

func garbage(_ Fault, a *Answer) {
	a.Body = []byte("{\"id\": \"\x1b[31m\x00\xff\xfe\u202e" + strings.Repeat("[{", 400) + "\x07\x9b2J")
}

func binaryBody(_ Fault, a *Answer) { a.Type, a.Body = a.File() }

func wrongType(_ Fault, a *Answer) { a.Type = "text/html; charset=utf-8" }

// withoutID takes the job's id out of a JSON answer, at any depth.
func withoutID(_ Fault, a *Answer) {
	var v any
	if a.JobID == "" || json.Unmarshal(a.Body, &v) != nil {
		return
	}
	if out, err := json.Marshal(prune(v, a.JobID)); err == nil {
		a.Body = out
	}
}

// prune drops every member and element whose text holds id.
func prune(v any, id string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if s, ok := member.(string); ok && strings.Contains(s, id) {
				delete(v, name)
			} else {
				v[name] = prune(member, id)
			}
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i], id)
		}
	case string:
		return strings.ReplaceAll(v, id, "")
	}
	return v
}

// set adds headers, over what the answer has.
func (a *Answer) set(h http.Header) {
	if len(h) == 0 {
		return
	}
	if a.Header = maps.Clone(a.Header); a.Header == nil {
		a.Header = http.Header{}
	}
	maps.Copy(a.Header, h)
}
