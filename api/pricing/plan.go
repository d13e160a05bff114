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

// Take takes one of a request away, and reports whether there was one.
func (p *Plan) Take(r api.Request) bool {
	i := p.find(r)
	if i < 0 {
		return false
	}
	if p.Items[i].Count--; p.Items[i].Count <= 0 {
		p.Items = slices.Delete(p.Items, i, i+1)
	}
	return true
}

// CountOf is how many of a request are planned.
func (p *Plan) CountOf(r api.Request) int {
	if i := p.find(r); i >= 0 {
		return p.Items[i].Count
	}
	return 0
}

// find is the number of a request's item, or -1. Plans hold requests of several
// models, so their keys do not depend on what those list.
func (p *Plan) find(r api.Request) int {
	key := r.EstimateKey(api.Model{})
	return slices.IndexFunc(p.Items, func(i Item) bool { return i.Request.EstimateKey(api.Model{}) == key })
}

// Total adds the prices of all items; unknown is how many requests have none.
func (p *Plan) Total(price func(api.Request) (api.Credits, bool)) (sum api.Credits, unknown int) {
	for i := range p.Items {
		one, ok := price(p.Items[i].Request)
		if !ok {
			unknown += p.Items[i].Count
			continue
		}
		sum = sum.Plus(Times(one, p.Items[i].Count))
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
		if near, ok := t.Near(&t.Choices[at], up, figure); ok {
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
	if n > 0 && c > api.MaxCredits/api.Credits(n) {
		return api.MaxCredits
	}
	return c * api.Credits(n)
}

var errPlan = api.Sentence("the plan cannot be read").Fault(nil)

// ReadItems reads what Text wrote.
func ReadItems(text []byte) ([]Item, error) {
	var items []Item
	if json.Unmarshal(text, &items) != nil || len(items) > MaxItems {
		return nil, errPlan
	}
	for _, i := range items {
		if i.Count < 1 || i.Count > MaxCount || i.Request.Model == "" {
			return nil, errPlan
		}
	}
	return items, nil
}

// Text is the items of the plan as they are kept.
func (p *Plan) Text() ([]byte, error) { return json.Marshal(p.Items) }
