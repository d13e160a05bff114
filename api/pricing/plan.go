package pricing

import (
	"encoding/json"
	"slices"
	"strconv"

	"darkroom/api"
)

// Plan is a list of requests that may be made.
type Plan struct {
	Name  string `json:"name"`
	Items []Item `json:"items"`
}

// Item is so many of one request.
type Item struct {
	Request api.Request `json:"request"`
	Count   int         `json:"count"`
}

// Limits of a plan.
const (
	MaxItems = 100
	MaxCount = 10_000
)

// Add adds one of a request, and reports whether there was room.
func (p *Plan) Add(r api.Request) bool {
	i := p.find(r)
	if i < 0 && len(p.Items) < MaxItems {
		i = len(p.Items)
		p.Items = append(p.Items, Item{Request: r})
	}
	if i < 0 || p.Items[i].Count >= MaxCount {
		return false
	}
	p.Items[i].Count++
	return true
}

// Take takes one of a request away.
func (p *Plan) Take(r api.Request) {
	if i := p.find(r); i >= 0 {
		p.Items[i].Count--
	}
	p.Items = slices.DeleteFunc(p.Items, func(i Item) bool { return i.Count == 0 })
}

// Has reports whether a request is planned.
func (p *Plan) Has(r api.Request) bool { return p.find(r) >= 0 }

// find is the number of a request's item, or -1. Plans hold requests of several
// models, so their keys do not depend on what those list.
func (p *Plan) find(r api.Request) int {
	key := r.EstimateKey(api.Model{})
	return slices.IndexFunc(p.Items, func(i Item) bool { return i.Request.EstimateKey(api.Model{}) == key })
}

// Total adds the prices of all items; unknown is how many requests have none.
func (p *Plan) Total(price func(api.Request) (api.Credits, bool)) (sum api.Credits, unknown int) {
	for _, i := range p.Items {
		if one, ok := price(i.Request); ok {
			sum = sum.Plus(Times(one, i.Count))
		} else {
			unknown += i.Count
		}
	}
	return sum, unknown
}

// Shift is the plan with each item in its next dearer (up) or next cheaper tier,
// and how many items have one; the others stay.
func (p *Plan) Shift(up bool, model func(id string) api.Model, figure Figure) (Plan, int) {
	out, moved := Plan{Items: slices.Clone(p.Items)}, 0
	for i := range out.Items {
		r := &out.Items[i].Request
		m := model(r.Model)
		t, key := Around(m, *r), r.EstimateKey(m)
		at := slices.IndexFunc(t.Choices, func(c Choice) bool { return c.Key == key })
		if at < 0 {
			continue
		}
		if near := t.Near(&t.Choices[at], up, figure); near != nil {
			*r = near.Request
			moved++
		}
	}
	return out, moved
}

// Around lays out the choices of a model with the duration and ratio of a request.
func Around(m api.Model, r api.Request) Table {
	seconds, _ := strconv.Atoi(r.Duration)
	return For(m, seconds, r.AspectRatio)
}

// Times is n of an amount, at most MaxCredits.
func Times(c api.Credits, n int) api.Credits {
	if c > api.MaxCredits/api.Credits(max(n, 1)) {
		return api.MaxCredits
	}
	return c * api.Credits(n)
}

// ReadItems reads the items of a plan, perhaps none of another version's.
func ReadItems(text []byte) (items []Item, ok bool) {
	ok = json.Unmarshal(text, &items) == nil && !slices.ContainsFunc(items, func(i Item) bool {
		return i.Count < 1 || i.Count > MaxCount || i.Request.Model == ""
	})
	return items, ok
}
