package sim

import (
	"darkroom/api"
	"fmt"
	"net/http"
	"strings"
)

// refusal is an answer that says no.
type refusal struct {
	status  int
	code    string
	message string
	fields  []fieldRefusal
}

// fieldRefusal is a refusal of one field of the request.
type fieldRefusal struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// refuse answers with a refusal, in the words of the dialect.
func (x *exchange) refuse(r refusal) answer {
	status, body := x.s.speak.refusal(r, x.id)
	return x.json(status, body)
}

// plainRefusal is the shape of a refusal in the spec's own words. (The spec
// shows none: "Error response shape, error codes and status codes".)
func plainRefusal(r refusal, requestID string) (int, any) {
	e := map[string]any{"code": r.code, "message": r.message}
	if len(r.fields) > 0 {
		e["field"], e["fields"] = r.fields[0].Field, r.fields
	}
	return r.status, map[string]any{"error": e, "request_id": requestID}
}

// checkKey refuses a call without a usable key and one beyond its call quota.
// Both kinds of refusal do not count as calls of the key.
func (x *exchange) checkKey() *refusal {
	word, key, _ := strings.Cut(x.r.Header.Get("Authorization"), " ")
	switch {
	case word == "":
		return &refusal{status: http.StatusUnauthorized, code: "missing_api_key",
			message: "An API key is needed: Authorization: Bearer ak_…"}
	case !strings.EqualFold(word, "Bearer") || !wellShaped(key),
		!x.s.takes(key):
		return &refusal{status: http.StatusUnauthorized, code: "invalid_api_key",
			message: "This API key is not valid. Copy it again from the API access page."}
	}
	x.key = key
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if limit := x.s.o.Calls; limit > 0 && x.s.byKey[key] >= limit {
		return &refusal{status: http.StatusForbidden, code: "call_quota_exceeded",
			message: fmt.Sprintf("This key has used its quota of %d calls. Raise it on the API key page.", limit)}
	}
	x.s.byKey[key]++
	return nil
}

// takes reports whether a key is accepted.
func (s *Server) takes(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.gone[key] && (s.o.Key == "" || key == s.o.Key)
}

// Rebuild does what the API key page offers for a leaked key ("Authentication"
// 4): the old one is refused from now on, and its jobs are the new one's.
func (s *Server) Rebuild(old, fresh string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[old] = true
	if s.o.Key == old {
		s.o.Key = fresh
	}
	for _, j := range s.jobs {
		if j.key == old {
			j.key = fresh
		}
	}
}

// wellShaped reports whether text is a key ("Authentication" 2) with nothing
// around it.
func wellShaped(text string) bool {
	key, err := api.ParseKey(text)
	return err == nil && key.Reveal() == text
}
