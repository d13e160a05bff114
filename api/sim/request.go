package sim

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/sim/paint"
)

// maxPrompt is the longest prompt in characters ("Limits").
const maxPrompt = 5000

// read reads the body of a generation call, or says why it is refused.
func (s *Server) read(kind api.Kind, body []byte) (api.Request, *Refusal) {
	var fields map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &fields) != nil || fields == nil {
		return api.Request{}, notJSON
	}
	async := fields[api.FieldAsync]
	shapes := shapesOf(kind)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch shape := shapes[name]; {
		case shape == "":
			return api.Request{}, invalid(name, "unknown", "the "+string(kind)+" endpoint has no such field")
		case string(fields[name]) != "null" && !hasShape(fields[name], shape):
			return api.Request{}, invalid(name, "shape", "give a value of the shape: "+shape)
		}
	}
	o, err := api.ParseBody(kind, body)
	if err != nil {
		return o, refusal(http.StatusUnprocessableEntity, "invalid_request", err.Error())
	}
	o.NoAsync = async == nil || string(async) == "null"
	if bad := s.check(o); bad != nil {
		return o, bad
	}
	return o, s.checkAsClient(o)
}

// shapesOf are the JSON shapes of the fields that a kind's body may have.
func shapesOf(kind api.Kind) map[string]string {
	out := map[string]string{}
	for _, f := range api.Fields(kind) {
		if !f.For(kind) {
			continue
		}
		shape := cmp.Or(string(f.Shape), "string")
		if f.Max > 0 {
			shape += "s"
		}
		out[f.Name] = shape
		if f.Name == api.FieldAspectRatio && kind == api.KindVideo {
			out[api.FieldRatio] = shape
		}
	}
	return out
}

func hasShape(raw json.RawMessage, shape string) bool {
	var into any
	switch shape {
	case "string", "url":
		into = new(string)
	case "urls":
		into = new([]string)
	case "boolean":
		into = new(bool)
	case "integer":
		into = new(int64)
	default: // a duration
		_, bad := seconds(api.Request{Duration: strings.Trim(string(raw), `"`)})
		return bad == nil && string(raw) != `""`
	}
	return json.Unmarshal(raw, into) == nil
}

// checkAsClient refuses what the client's form refuses.
func (s *Server) checkAsClient(o api.Request) *Refusal {
	m, _ := s.model(o.Model)
	problems := api.Check(o, asClient(m), s.URL())
	if len(problems) == 0 {
		return nil
	}
	text := func(p api.Problem) string { return "breaks the rule: " + strings.ReplaceAll(p.Code, "_", " ") }
	bad := invalid(problems[0].Field, problems[0].Code, text(problems[0]))
	for _, p := range problems[1:] {
		bad.Fields = append(bad.Fields, FieldRefusal{Field: p.Field, Code: p.Code, Message: text(p)})
	}
	return bad
}

// input is the part of a request that decides how its file looks.
func input(o api.Request) paint.Input {
	in := paint.Input{Kind: o.Kind, Prompt: o.Prompt, Image: o.ImageURL, Size: o.Size, Quality: o.Quality, Ratio: o.AspectRatio}
	if o.Seed != nil {
		in.Seed = *o.Seed
	}
	if o.Kind == api.KindVideo {
		in.Seconds, _ = seconds(o)
	}
	return in
}

// check applies the service's own rules to a request whose shapes are right;
// checkAsClient applies the specification's.
func (s *Server) check(o api.Request) *Refusal {
	if _, bad := s.price(o); bad != nil {
		return bad
	}
	switch m, _ := s.model(o.Model); {
	case m.Type != o.Kind:
		return invalid(api.FieldModel, "kind", "this model makes "+string(m.Type)+"s")
	case strings.TrimSpace(o.Prompt) == "":
		return invalid(api.FieldPrompt, "required", "write a prompt")
	case utf8.RuneCountInString(o.Prompt) > maxPrompt:
		return invalid(api.FieldPrompt, "too_long", "at most 5000 characters")
	case strings.Contains(o.Prompt, "[nsfw]"):
		return refusal(http.StatusBadRequest, "content_policy_violation", "The prompt was refused by the content policy.")
	}
	return nil
}
