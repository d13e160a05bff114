// Package pricing lays out what a model can be asked for and compares the
// prices: the choices of a model, the cheapest of them, what an amount pays for,
// and plans of several requests. It knows no service; figures are handed in.
package pricing

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// Choice is one thing that has a price.
type Choice struct {
	Row, Col int
	Request  api.Request
	Key      string      // of its price: api.Request.EstimateKey
	Refusal  api.Problem // why it is not available; zero if it is
	Rate     api.Estimate
}

// ChoiceOf is a request as a choice of its model.
func ChoiceOf(m api.Model, r api.Request) Choice {
	return Choice{Request: r, Key: r.EstimateKey(m), Rate: api.TableEstimate(r)}
}

// Refused reports whether the choice is unavailable, whatever the duration.
func (c *Choice) Refused() bool { return c.Refusal.Code != "" }

// Table is every choice of one model: tier by resolution, duration by
// resolution, or size by quality, each in rising order.
type Table struct {
	Model      api.Model
	Rows, Cols []string
	Choices    []Choice // row by row
	Timed      bool     // the prices are for a duration
	Chosen     bool     // that duration is Seconds; else each row has its own
	Seconds    int
	Refusal    api.Problem // why the model does not take the duration; zero if it does

	axes [2]string // fields of a request that the rows and the columns are the values of
}

// Figure gives the price of a choice, if it is known.
type Figure func(c *Choice) (api.Credits, bool)

// For lays out the choices of a model. The ratio may be "".
func For(m api.Model, seconds int, ratio string) Table {
	t := Table{Model: m, Seconds: seconds, axes: [2]string{api.FieldSize, api.FieldQuality}}
	switch {
	case m.ID == "":
		return t
	case m.ID == api.Seedance2:
		t.Timed, t.Chosen, t.axes = true, true, [2]string{api.FieldVideoModel, api.FieldResolution}
		t.Rows, t.Cols = api.VideoModels(), api.Resolutions("")
	case m.Kind == api.KindVideo:
		t.Timed, t.axes = true, [2]string{api.FieldDuration, api.FieldResolution}
	}
	if !t.Chosen {
		t.Rows, t.Cols = values(m, t.axes[0]), values(m, t.axes[1])
		t.Chosen = t.Timed && len(t.Rows) == 1 && t.Rows[0] == ""
	}
	for row := range t.Rows {
		for col := range t.Cols {
			t.Choices = append(t.Choices, t.choice(row, col, ratio))
		}
	}
	return t
}

// values are what a model lists for a parameter, in rising order, or one empty
// value that leaves it out.
func values(m api.Model, name string) []string {
	p, _ := m.Parameter(name)
	if len(p.Values) == 0 {
		return []string{""}
	}
	return api.Rising(p.Values)
}

func (t *Table) choice(row, col int, ratio string) Choice {
	r := api.Request{Kind: t.Model.Kind, Model: t.Model.ID, AspectRatio: ratio}
	if t.Timed {
		r.Kind = api.KindVideo
	}
	api.FieldNamed(t.axes[0]).Set(&r, t.Rows[row])
	api.FieldNamed(t.axes[1]).Set(&r, t.Cols[col])
	if t.Chosen {
		r.Duration = strconv.Itoa(t.Seconds)
	}
	c := ChoiceOf(t.Model, r)
	c.Row, c.Col = row, col
	decides := []string{api.FieldResolution, api.FieldVideoModel, api.FieldSize, api.FieldQuality, api.FieldAspectRatio}
	for _, p := range api.Check(r, t.Model, "") {
		if slices.Contains(decides, p.Field) && !c.Refused() {
			c.Refusal = p
		}
		if p.Field == api.FieldDuration && t.Chosen {
			t.Refusal = p
		}
	}
	return c
}

// At is the choice of a row and a column.
func (t *Table) At(row, col int) *Choice { return &t.Choices[row*len(t.Cols)+col] }

// SecondsOf is the duration that a choice is for, 0 when it has none.
func (t *Table) SecondsOf(c *Choice) int {
	n, _ := strconv.Atoi(c.Request.Duration)
	return min(max(n, 0), 24*60*60)
}

// group is the number of what a choice is compared within: the videos of its
// resolution, the images of its size.
func (t *Table) group(c *Choice) int {
	if t.Timed {
		return c.Col
	}
	return c.Row
}

// Other names a choice within its group: the tier, or the quality.
func (t *Table) Other(c *Choice) string {
	if t.Timed {
		return t.Rows[c.Row]
	}
	return t.Cols[c.Col]
}

// Cheapest is the lowest price of a resolution or size.
type Cheapest struct {
	Group   string // "720p", "2K"
	Choices []*Choice
	Credits api.Credits
	Of      int // number of choices
}

// CheapestOf gives the lowest price of each resolution or size of which every
// price is known, in the table's order.
func (t *Table) CheapestOf(figure Figure) []Cheapest {
	groups := make([]Cheapest, max(len(t.Rows), len(t.Cols)))
	unknown := map[string]bool{}
	for i := range t.Choices {
		c := &t.Choices[i]
		if c.Refused() {
			continue
		}
		g := &groups[t.group(c)]
		g.Group = cmp.Or(c.Request.Size, c.Request.Resolution)
		price, ok := figure(c)
		unknown[g.Group] = unknown[g.Group] || !ok
		if g.Of == 0 || price < g.Credits {
			g.Credits, g.Choices = price, nil
		}
		if price == g.Credits {
			g.Choices = append(g.Choices, c)
		}
		g.Of++
	}
	return slices.DeleteFunc(groups, func(g Cheapest) bool { return g.Of == 0 || unknown[g.Group] })
}

// Near is the choice of the same resolution or size that is the next dearer one
// (up) or the next cheaper one, and nil when there is none.
func (t *Table) Near(c *Choice, up bool, figure Figure) (best *Choice) {
	price, ok := figure(c)
	var nearest api.Credits
	for i := range t.Choices {
		other := &t.Choices[i]
		p, known := figure(other)
		switch {
		case !ok, !known, other.Refused():
		case t.group(other) != t.group(c), other.Request.Duration != c.Request.Duration:
		case up && p <= price, !up && p >= price:
		case best == nil, up && p < nearest, !up && p > nearest:
			best, nearest = other, p
		}
	}
	return best
}

// OneOnly reports whether an error is about one price alone, so that others can
// still be asked for: the service answered, and neither the key, nor the rate of
// calls, nor the service itself is in the way.
func OneOnly(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	about := []api.ErrorClass{api.ClassInvalid, api.ClassModeration, api.ClassConflict, api.ClassUnreadable, api.ClassCurrency}
	return ok && slices.Contains(about, e.Class)
}

// Markdown writes the table as Markdown, with prices of figure. say writes an
// English format in the language of the reader.
func (t *Table) Markdown(figure Figure, say func(format string, args ...any) string) string {
	title := api.Clean(t.Model.ID, api.MaxIDText).String()
	if t.Chosen {
		title = say("%s, %d s", title, t.Seconds)
	}
	var b strings.Builder
	write := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + escaper.Replace(cell) + " ")
		}
		b.WriteString("|\n")
	}
	write(append([]string{title}, t.Cols...))
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Cols)) + "\n")
	for i, name := range t.Rows {
		row := []string{name}
		for col := range t.Cols {
			c := t.At(i, col)
			credits, ok := figure(c)
			text := credits.String()
			switch seconds := t.SecondsOf(c); {
			case c.Refused():
				text = "–"
			case !ok:
				text = "?"
			case seconds > 0:
				text = say("%s (%s / s)", text, (credits / api.Credits(seconds)).String())
			}
			row = append(row, text)
		}
		write(row)
	}
	return b.String()
}

// escaper keeps text from ending its cell or its line.
var escaper = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "\\`", "<", "&lt;")

// Afford is what an amount pays for of one choice.
type Afford struct {
	Choice  *Choice
	Credits api.Credits // of one
	Count   int64       // how many; Unlimited when they cost nothing
	Seconds int64       // of video by the second; 0 for images
}

// Unlimited is the Count of what costs nothing.
const Unlimited = math.MaxInt64

// Affordable gives what an amount pays for of each choice that has a price.
func (t *Table) Affordable(amount api.Credits, figure Figure) (out []Afford) {
	for i := range t.Choices {
		c := &t.Choices[i]
		if price, ok := figure(c); ok && !c.Refused() {
			out = append(out, t.Afford(amount, c, price))
		}
	}
	return out
}

// Afford gives what an amount pays for of a choice at a price.
func (t *Table) Afford(amount api.Credits, c *Choice, price api.Credits) Afford {
	if price <= 0 {
		return Afford{Choice: c, Credits: price, Count: Unlimited}
	}
	amount = max(amount, 0)
	count, rest := int64(amount/price), int64(amount%price)
	seconds := int64(t.SecondsOf(c))
	return Afford{Choice: c, Credits: price, Count: count, Seconds: count*seconds + rest*seconds/int64(price)}
}

// Listed returns the listed price of a model if it applies to the choice: it is the
// price of one image or call of the default size and quality.
func Listed(m api.Model, r api.Request) (api.Credits, bool) {
	if m.Price == nil || m.Price.Unit != "image" && m.Price.Unit != "call" {
		return 0, false
	}
	for name, value := range map[string]string{api.FieldSize: r.Size, api.FieldQuality: r.Quality} {
		if p, ok := m.Parameter(name); ok && value != "" && p.Default != value {
			return 0, false
		}
	}
	return m.Price.Credits, true
}

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
