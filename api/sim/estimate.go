package sim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/fault"
)

// estimateNames are the parameters of the estimate endpoint, each with its synonyms
// behind it.
var estimateNames = [][]string{
	{"model"}, {"duration"}, {"video_model"}, {"resolution"}, {"size", "image_size"}, {"quality"}, {"aspect_ratio", "ratio"},
}

// estimated is the request that the parameters of an estimate are about.
func estimated(values map[string]string) api.Request {
	var o api.Request
	for _, names := range estimateNames {
		for _, name := range names {
			into := o.Field(names[0])
			*into = cmp.Or(*into, values[name])
		}
	}
	return o
}

func (x *exchange) estimate() fault.Answer {
	values := map[string]string{}
	if x.r.Method == http.MethodGet {
		for name, list := range x.r.URL.Query() {
			values[name] = list[0]
		}
	} else {
		if r := x.readBody(); r != nil {
			return x.refuse(*r)
		}
		loose, r := looseValues(x.body)
		if r != nil {
			return x.refuse(*r)
		}
		values = loose
	}
	o := estimated(values)
	credits, bad := x.s.rules().price(o)
	if bad != nil {
		return x.refuse(*bad)
	}
	a := x.json(http.StatusOK, x.s.dialect.Estimate(o.Model, credits))
	a.Price = &fault.Price{Credits: credits}
	if m, _ := x.s.rules().model(o.Model); m.Type == api.KindVideo {
		a.Price.Seconds, _ = seconds(o)
	}
	return a
}

var notJSON = dialect.Refusal{Status: http.StatusBadRequest, Code: "invalid_json", Message: "The body is not a JSON object."}

// looseValues reads a JSON object's strings and numbers.
func looseValues(body []byte) (map[string]string, *dialect.Refusal) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, &notJSON
	}
	values := map[string]string{}
	for name, raw := range fields {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			values[name] = text
		} else {
			values[name] = string(raw)
		}
	}
	return values, nil
}

// invalid refuses a request for one of its fields.
func invalid(field, code, message string) *dialect.Refusal {
	return &dialect.Refusal{
		Status: http.StatusUnprocessableEntity, Code: "invalid_request", Message: field + ": " + message,
		Fields: []dialect.FieldRefusal{{Field: field, Code: code, Message: message}},
	}
}

// price is what a request costs, or why there is no such request.
func (r rules) price(o api.Request) (api.Credits, *dialect.Refusal) {
	m, ok := r.model(o.Model)
	switch {
	case o.Model == "":
		return 0, invalid("model", "required", "name a model")
	case !ok:
		return 0, invalid("model", "unknown", "there is no such model; see GET "+pathModels)
	case m.Type == api.KindImage:
		return stillPrice(o)
	}
	resolution := cmp.Or(o.Resolution, resolutions[0])
	variant := cmp.Or(o.VideoModel, usualVariant(resolution))
	if !slices.Contains(variants, variant) {
		return 0, invalid("video_model", "choice", "choose one of fast, standard, fast_vip, standard_vip")
	}
	rate, ok := videoRates[variant][resolution]
	if !ok {
		return 0, invalid("resolution", "unavailable", resolution+" is not available with "+variant)
	}
	if o.AspectRatio != "" && !slices.Contains(videoRatios, o.AspectRatio) {
		return 0, invalid("ratio", "choice", "choose one of the listed ratios")
	}
	n, bad := seconds(o)
	return rate * api.Credits(n), bad
}

// usualVariant is the video_model that a request without one gets: the first
// that has the resolution.
func usualVariant(resolution string) string {
	for _, variant := range variants {
		if _, ok := videoRates[variant][resolution]; ok {
			return variant
		}
	}
	return variants[0]
}

// seconds is the length of the video.
func seconds(o api.Request) (int, *dialect.Refusal) {
	n, err := strconv.ParseFloat(cmp.Or(o.Duration, strconv.Itoa(usualVideo)), 64)
	if err != nil || n != float64(int(n)) || n < shortestVideo || n > longestVideo {
		return 0, invalid("duration", "range", "give whole seconds from 4 to 12")
	}
	return int(n), nil
}

func stillPrice(o api.Request) (api.Credits, *dialect.Refusal) {
	size, quality := cmp.Or(o.Size, sizes[0]), cmp.Or(o.Quality, qualities[0])
	if size == "auto_2K" {
		size = "2K"
	}
	prices, ok := stillPrices[size]
	if !ok {
		return 0, invalid("size", "choice", "choose one of 1K, 2K, 4K, auto_2K")
	}
	price, ok := prices[quality]
	if !ok {
		return 0, invalid("quality", "choice", "choose one of low, medium, high")
	}
	if o.AspectRatio != "" && !slices.Contains(ratios, o.AspectRatio) {
		return 0, invalid("aspect_ratio", "choice", "choose one of the listed ratios")
	}
	return price + surcharge(o.Model), nil
}
