package sim

import (
	"fmt"
	"net/http"
	"strings"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/fault"
)

// refuse answers with a refusal, in the words of the dialect.
func (x *exchange) refuse(r dialect.Refusal) fault.Answer {
	status, body := x.s.dialect.Refusal(r, x.id)
	return x.json(status, body)
}

// checkKey refuses a call without a usable key and one beyond its call quota.
// Both kinds of refusal do not count as calls of the key.
func (x *exchange) checkKey() *dialect.Refusal {
	word, key, _ := strings.Cut(x.r.Header.Get("Authorization"), " ")
	switch {
	case word == "":
		return &dialect.Refusal{Status: http.StatusUnauthorized, Code: "missing_api_key",
			Message: "An API key is needed: Authorization: Bearer ak_…"}
	case !strings.EqualFold(word, "Bearer") || !wellShaped(key),
		!x.s.accepts(key):
		return &dialect.Refusal{Status: http.StatusUnauthorized, Code: "invalid_api_key",
			Message: "This API key is not valid. Copy it again from the API access page."}
	}
	x.key = key
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if limit := x.s.o.Calls; limit > 0 && x.s.byKey[key] >= limit {
		return &dialect.Refusal{Status: http.StatusForbidden, Code: "call_quota_exceeded",
			Message: fmt.Sprintf("This key has used its quota of %d calls. Raise it on the API key page.", limit)}
	}
	x.s.byKey[key]++
	return nil
}

func (s *Server) accepts(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.rebuilt[key] && (s.o.Key == "" || key == s.o.Key)
}

// Rebuild does what the API key page offers for a leaked key ("Authentication"
// 4): the old one is refused from now on, and its jobs are the new one's.
func (s *Server) Rebuild(old, fresh string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rebuilt[old] = true
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

// ruleTexts are the service's words for the rules of the specification.
var ruleTexts = map[string]string{
	"model_form":            "give an id of the form provider/name",
	"bad_text":              "no space at the ends and no control characters",
	"not_utf8":              "give UTF-8",
	"not_a_choice":          "choose one of the values of the specification",
	"first_frame":           "first_last_frame needs its first frame",
	"too_many":              "more than the specification allows",
	"audio_alone":           "add an image or a video to the audio",
	"bad_token":             "a reference counts from 1",
	"no_material":           "a reference names a material that was not given",
	"no_such_material":      "a reference names a material that was not given",
	"seedance2_only":        "for seedance2 only",
	"omini_only":            "not in first_last_frame mode",
	"first_last_frame_only": "only in first_last_frame mode",
	"required":              "the model requires it",
	"not_listed":            "choose one of the listed values",
	"not_a_number":          "give a number",
	"not_positive":          "give a number above 0",
	"below_min":             "below the listed minimum",
	"above_max":             "above the listed maximum",
	"out_of_range":          "give an integer that JSON keeps exactly",
	"url_spaces":            "an address has no spaces",
	"url_user":              "give an address without a user name",
}

// ruleText says which rule a request breaks.
func ruleText(code string) string {
	if text := ruleTexts[code]; text != "" {
		return text
	}
	if strings.HasPrefix(code, "url_") {
		return "give a publicly reachable http or https address"
	}
	return "breaks the rule " + code
}
