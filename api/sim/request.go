package sim

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/paint"
)

// maxPrompt is the longest prompt in characters ("Limits").
const maxPrompt = 5000

// request is a generation request that was understood.
type request struct {
	kind    api.Kind
	model   string
	prompt  string
	async   bool
	size    string
	quality string
	ratio   string
	image   string // image_url
	seed    int64
	seconds int
	variant string // video_model
	sharp   string // resolution
}

// fieldShapes are the JSON shapes of a request's fields, by kind
// ("Generation request: image" and "…: video").
var fieldShapes = map[api.Kind]map[string]string{
	api.KindImage: {
		api.FieldModel: "string", api.FieldPrompt: "string", api.FieldSize: "string", api.FieldQuality: "string",
		api.FieldAspectRatio: "string", api.FieldImageURL: "url", api.FieldAsync: "boolean",
	},
	api.KindVideo: {
		api.FieldModel: "string", api.FieldPrompt: "string", api.FieldImageURL: "url", api.FieldEndImageURL: "url",
		api.FieldImageFiles: "urls", api.FieldVideoURL: "url", api.FieldVideoFiles: "urls", api.FieldAudioFiles: "urls",
		api.FieldFunctionMode: "string", api.FieldSeed: "integer", api.FieldDuration: "string or number",
		api.FieldAspectRatio: "string", api.FieldRatio: "string", api.FieldResolution: "string",
		api.FieldVideoModel: "string", api.FieldAsync: "boolean",
	},
}

// fieldOrder is the order in which fields are looked at, so that the same body
// is always refused for the same field first.
var fieldOrder = []string{
	api.FieldModel, api.FieldPrompt, api.FieldSize, api.FieldQuality, api.FieldAspectRatio, api.FieldRatio, api.FieldImageURL,
	api.FieldEndImageURL, api.FieldImageFiles, api.FieldVideoURL, api.FieldVideoFiles, api.FieldAudioFiles,
	api.FieldFunctionMode, api.FieldSeed, api.FieldDuration, api.FieldResolution, api.FieldVideoModel, api.FieldAsync,
}

// read reads the body of a generation call, or says why it is refused.
func (r rules) read(kind api.Kind, body []byte) (request, *dialect.Refusal) {
	o := request{kind: kind}
	var fields map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &fields) != nil || fields == nil {
		return o, &dialect.Refusal{Status: http.StatusBadRequest, Code: "invalid_json", Message: "The body is not a JSON object."}
	}
	for _, name := range fieldOrder {
		raw, given := fields[name]
		delete(fields, name)
		if !given || string(raw) == "null" {
			continue
		}
		shape, known := fieldShapes[kind][name]
		if !known {
			return o, invalid(name, "not_for_kind", "this field is not for the "+string(kind)+" endpoint")
		}
		if !o.set(name, raw) {
			return o, invalid(name, "shape", "give a value of the shape: "+shape)
		}
	}
	for name := range fields {
		return o, invalid(name, "unknown", "there is no such field")
	}
	if bad := r.check(&o); bad != nil {
		return o, bad
	}
	return o, r.checkAsClient(kind, body)
}

// checkAsClient applies the client's rules too: what its form refuses, the
// service refuses.
func (r rules) checkAsClient(kind api.Kind, body []byte) *dialect.Refusal {
	req, err := api.ParseBody(kind, body)
	if err != nil {
		return &dialect.Refusal{Status: http.StatusUnprocessableEntity, Code: "invalid_request", Message: err.Error()}
	}
	m, _ := r.model(req.Model)
	problems := api.Check(req, asClient(m), r.base)
	if len(problems) == 0 {
		return nil
	}
	bad := invalid(problems[0].Field, problems[0].Code, ruleText(problems[0].Code))
	for _, p := range problems[1:] {
		bad.Fields = append(bad.Fields, dialect.FieldRefusal{Field: p.Field, Code: p.Code, Message: ruleText(p.Code)})
	}
	return bad
}

// set reads one field; false means that its value has the wrong shape.
func (o *request) set(name string, raw json.RawMessage) bool {
	texts := map[string]*string{
		api.FieldModel: &o.model, api.FieldPrompt: &o.prompt, api.FieldSize: &o.size, api.FieldQuality: &o.quality,
		api.FieldAspectRatio: &o.ratio, api.FieldRatio: &o.ratio, api.FieldImageURL: &o.image, api.FieldResolution: &o.sharp,
		api.FieldVideoModel: &o.variant,
	}
	switch shape := fieldShapes[o.kind][name]; {
	case texts[name] != nil:
		return json.Unmarshal(raw, texts[name]) == nil
	case shape == "string" || shape == "url": // only the rules that are checked as a client does ask for it
		return json.Unmarshal(raw, new(string)) == nil
	case shape == "urls":
		return json.Unmarshal(raw, new([]string)) == nil
	case name == api.FieldAsync:
		return json.Unmarshal(raw, &o.async) == nil
	case name == api.FieldSeed:
		return json.Unmarshal(raw, &o.seed) == nil
	}
	seconds, bad := query{duration: strings.Trim(string(raw), `"`)}.seconds()
	o.seconds = seconds
	return bad == nil && string(raw) != `""`
}

// paint is the part of a request that decides how its file looks.
func (o *request) paint() paint.Input {
	return paint.Input{
		Kind: o.kind, Prompt: o.prompt, Image: o.image, Seed: o.seed, Size: o.size, Quality: o.quality, Ratio: o.ratio,
		Seconds: o.seconds,
	}
}

// query is the part of a request that decides its price.
func (o *request) query() query {
	return query{
		model: o.model, variant: o.variant, resolution: o.sharp, size: o.size, quality: o.quality, ratio: o.ratio,
	}
}

// check applies the service's own rules to a request whose shapes are right;
// those of the specification are checkAsClient's.
func (r rules) check(o *request) *dialect.Refusal {
	m, known := r.model(o.model)
	switch {
	case o.model == "":
		return invalid(api.FieldModel, "required", "name a model")
	case !known:
		return invalid(api.FieldModel, "unknown", "there is no such model; see GET "+pathModels)
	case m.Type != o.kind:
		return invalid(api.FieldModel, "kind", "this model makes "+string(m.Type)+"s")
	case strings.TrimSpace(o.prompt) == "":
		return invalid(api.FieldPrompt, "required", "write a prompt")
	case utf8.RuneCountInString(o.prompt) > maxPrompt:
		return invalid(api.FieldPrompt, "too_long", "at most 5000 characters")
	case strings.Contains(o.prompt, "[nsfw]"):
		return &dialect.Refusal{Status: http.StatusBadRequest, Code: "content_policy_violation",
			Message: "The prompt was refused by the content policy."}
	}
	if _, bad := r.price(o.query()); bad != nil {
		return bad
	}
	if o.seconds == 0 && o.kind == api.KindVideo {
		o.seconds = usualVideo
	}
	return nil
}
