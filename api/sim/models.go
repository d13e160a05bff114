package sim

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/sim/paint"
)

const StillModel = "lumen/still-1"

// Durations of a video in seconds.
const shortestVideo, longestVideo, defaultVideo = 4, 12, 5

//go:embed models.json
var modelsText []byte

// offer is what the service has: the models with the choices of each parameter, and the
// prices, of an image by size and quality, of a second of a video by video_model and
// resolution ("Limits"). The rates are written down there a second time so that a slip in
// the client's table does not cancel itself out.
var offer = sync.OnceValue(func() (all struct {
	Models []Model                           `json:"models"`
	Images map[string]map[string]api.Credits `json:"image_prices"`
	Videos map[string]map[string]api.Credits `json:"video_rates"`
}) {
	_ = json.Unmarshal(modelsText, &all) // embedded: a test sees it
	return all
})

// Model is one entry of the models listing.
type Model struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Type       api.Kind    `json:"type"`
	Price      api.Price   `json:"default_price"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter is one parameter of a listed model.
type Parameter struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Values   []string `json:"values,omitempty"`
	Default  any      `json:"default,omitempty"`
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// Models are the service's own, the image model first.
func Models() []Model { return slices.Clone(offer().Models) }

// asClient is a listed model as the client's rules want it.
func asClient(l Model) api.Model {
	m := api.Model{ID: l.ID, Label: l.Name, Kind: l.Type, Price: &l.Price}
	for _, p := range l.Parameters {
		q := api.Parameter{Name: p.Name, Values: p.Values, Type: p.Type, Min: p.Min, Max: p.Max, Required: p.Required}
		if p.Default != nil {
			q.Default = fmt.Sprint(p.Default)
		}
		m.Parameters = append(m.Parameters, q)
	}
	return m
}

func (s *Server) model(id string) (Model, bool) {
	return api.Find(s.o.Models, func(l Model) bool { return l.ID == id })
}

// estimated is the request that the parameters of an estimate are about.
func estimated(values map[string]string) (o api.Request) {
	for _, f := range api.Fields("") {
		if !api.Estimated(f.Name) {
			continue
		}
		for _, name := range append([]string{f.Name}, f.Also...) {
			f.Set(&o, cmp.Or(f.Text(&o), values[name]))
		}
	}
	return o
}

func (x *Exchange) estimate() Answer {
	values := map[string]string{}
	if x.Request.Method == http.MethodGet {
		for name, list := range x.Request.URL.Query() {
			values[name] = list[0]
		}
	} else {
		values = looseValues(x.readBody())
	}
	o := estimated(values)
	return say(http.StatusOK, object{"model": o.Model, "estimated_credits": x.s.price(o)}, nil)
}

// members are those of a JSON object.
func members(body []byte) (all map[string]json.RawMessage) {
	if json.Unmarshal(body, &all) != nil || all == nil {
		refuse(http.StatusBadRequest, "invalid_json", "The body is not a JSON object.")
	}
	return all
}

// looseValues reads a JSON object's strings and numbers, as people write them.
func looseValues(body []byte) map[string]string {
	values := map[string]string{}
	for name, raw := range members(body) {
		values[name] = api.Written(raw)
	}
	return values
}

// invalid is the refusal of a request for one of its fields.
func invalid(field, code, message string) *Refusal {
	return &Refusal{
		Status: http.StatusUnprocessableEntity, Code: "invalid_request", Message: field + ": " + message,
		Field: field, Fields: []FieldRefusal{{Field: field, Code: code, Message: message}},
	}
}

// price is what a request costs, or why there is no such request.
func (s *Server) price(o api.Request) api.Credits {
	m, ok := s.model(o.Model)
	switch {
	case o.Model == "":
		panic(invalid("model", "required", "name a model"))
	case !ok:
		panic(invalid("model", "unknown", "there is no such model; see GET "+PathModels))
	}
	for _, p := range m.Parameters {
		field := api.FieldNamed(p.Name)
		switch value := field.Text(&o); {
		case value == "" && p.Default != nil && p.Name != api.FieldVideoModel:
			field.Set(&o, fmt.Sprint(p.Default))
		case value != "" && p.Values != nil && !slices.Contains(p.Values, value):
			panic(invalid(p.Name, "choice", "choose one of "+strings.Join(p.Values, ", ")))
		}
	}
	if m.Type == api.KindImage {
		// A model that is listed at more than the service's own costs that much more in every size and quality.
		return offer().Images[strings.TrimPrefix(o.Size, "auto_")][o.Quality] + m.Price.Credits - offer().Models[0].Price.Credits
	}
	rates := offer().Videos
	if o.VideoModel == "" { // the first one that has the resolution
		o.VideoModel, _ = api.Find(api.VideoModels(), func(v string) bool { return rates[v][o.Resolution] > 0 })
	}
	rate, ok := rates[o.VideoModel][o.Resolution]
	if !ok {
		panic(invalid("resolution", "unavailable", o.Resolution+" is not available with "+o.VideoModel))
	}
	n, ok := seconds(o)
	if !ok {
		panic(invalid("duration", "range", "give whole seconds from 4 to 12"))
	}
	return rate * api.Credits(n)
}

func seconds(o api.Request) (int, bool) {
	n, err := strconv.ParseFloat(cmp.Or(o.Duration, strconv.Itoa(defaultVideo)), 64)
	return int(n), err == nil && n == float64(int(n)) && n >= shortestVideo && n <= longestVideo
}

// read reads the body of a generation call, or says why it is refused.
func (s *Server) read(kind api.Kind, body []byte) api.Request {
	if !utf8.Valid(body) {
		body = nil
	}
	fields, shapes := members(body), shapesOf(kind)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch shape := shapes[name]; {
		case shape == "":
			panic(invalid(name, "unknown", "the "+string(kind)+" endpoint has no such field"))
		case string(fields[name]) != "null" && !hasShape(fields[name], shape):
			panic(invalid(name, "shape", "give a value of the shape: "+shape))
		}
	}
	o, err := api.ParseBody(kind, body)
	if err != nil {
		refuse(http.StatusUnprocessableEntity, "invalid_request", err.Error())
	}
	o.NoAsync = slices.Contains([]string{"", "null"}, string(fields[api.FieldAsync]))
	s.price(o)
	m, _ := s.model(o.Model)
	broken := api.Map(api.Check(o, asClient(m), s.URL()), func(p api.Problem) FieldRefusal { // as the client's form refuses it
		return FieldRefusal{p.Field, p.Code, "breaks the rule: " + strings.ReplaceAll(p.Code, "_", " ")}
	})
	if len(broken) > 0 {
		bad := invalid(broken[0].Field, broken[0].Code, broken[0].Message)
		bad.Fields = broken
		panic(bad)
	}
	if strings.Contains(o.Prompt, "[nsfw]") {
		refuse(http.StatusBadRequest, "content_policy_violation", "The prompt was refused by the content policy.")
	}
	return o
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
	types := map[string]any{"string": new(string), "url": new(string), "urls": new([]string), "boolean": new(bool), "integer": new(int64)}
	if into, ok := types[shape]; ok {
		return json.Unmarshal(raw, into) == nil
	}
	_, ok := seconds(api.Request{Duration: strings.Trim(string(raw), `"`)})
	return ok && string(raw) != `""`
}

// input is the part of a request that decides how its file looks.
func input(o api.Request) paint.Input {
	in := paint.Input{Kind: o.Kind, Prompt: o.Prompt, Image: o.ImageURL, Size: o.Size, Ratio: o.AspectRatio}
	if o.Seed != nil {
		in.Seed = *o.Seed
	}
	if o.Kind == api.KindVideo {
		in.Seconds, _ = seconds(o)
	}
	return in
}
