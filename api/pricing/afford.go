package pricing

import (
	"cmp"
	"math"
	"slices"

	"darkroom/api"
)

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
func (t *Table) Affordable(amount api.Credits, figure Figure) []Afford {
	var out []Afford
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
	return Afford{
		Choice:  c,
		Credits: price,
		Count:   count,
		Seconds: count*seconds + rest*seconds/int64(price),
	}
}

// Summary picks the cheapest choice of each resolution or size.
func (t *Table) Summary(all []Afford) []Afford {
	groups := func(a, b Afford) int { return t.group(a.Choice) - t.group(b.Choice) }
	slices.SortStableFunc(all, func(a, b Afford) int {
		return cmp.Or(groups(a, b), cmp.Compare(a.Credits, b.Credits))
	})
	return slices.CompactFunc(all, func(a, b Afford) bool {
		return groups(a, b) == 0
	})
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
