package read

import (
	"encoding/json"
	"errors"
	"strings"

	"darkroom/api"
)

var errNoAmount = errors.New("the answer holds no amount that could be read")

// Estimate reads the answer of the estimate endpoint ("estimated credits";
// the shape is not shown). Estimate.At is left to the caller. An amount in
// another unit than credits comes with its Unit.
func Estimate(raw []byte) (api.Estimate, []api.Found, error) { return words.readEstimate(raw) }

func (l *lexicon) readEstimate(raw []byte) (api.Estimate, []api.Found, error) {
	none := api.Estimate{Source: api.SourceNone}
	root, err := parseTree(raw)
	if err != nil {
		return none, nil, errors.New(notReadable(raw, err))
	}
	e := estimateReader{l}
	n, amount := e.search(root)
	if n == nil {
		return none, nil, errNoAmount
	}
	if kept := KeepRaw(raw); len(kept) == len(raw) && json.Valid(raw) {
		none.Raw = json.RawMessage(raw)
	}
	found := []api.Found{n.found("amount", amount.String())}
	unit := foreignUnit(n)
	if unit != "" {
		found = append(found, n.found("unit", unit))
	}
	return api.Estimate{Credits: amount, Source: api.SourceService, Unit: unit, Raw: none.Raw}, found, nil
}

// foreignUnit names the unit of an amount when it is not credits: by the
// amount's own key, as in total_cost_micros, or by a currency told beside it.
func foreignUnit(n *node) string {
	if strings.Contains(n.name, "credit") {
		return ""
	}
	for _, unit := range [...]string{"microcents", "micros", "cents"} {
		if strings.HasSuffix(n.name, unit) {
			return unit
		}
	}
	for p := n; p.is(shapeNumber) || p.is(shapeString) || p.is(shapeObject); p = p.parent {
		if foreignMoney(p.name) {
			return api.Clean(p.key, 32).String()
		}
		for _, name := range [...]string{"currency", "currencycode", "unit", "pricecurrency", "costunit"} {
			if told := p.get(name); foreignMoney(fold(told.scalar())) {
				return api.Clean(told.scalar(), 32).String()
			}
		}
	}
	return ""
}

type estimateReader struct{ *lexicon }

// search looks into the inner nodes first, then the root, then one level of
// names that nobody knows.
func (e estimateReader) search(root *node) (*node, api.Credits) {
	if root.is(shapeNumber) || root.is(shapeString) {
		return e.amount(root, 0)
	}
	var places []*node
	for _, n := range []*node{root, root.get("data"), root.get("result"), root.get("response")} {
		if n.is(shapeArray) {
			n = n.first
		}
		if n == nil {
			continue
		}
		for _, name := range [...]string{"estimate", "estimation", "pricing", "price", "data", "result", "quote"} {
			if c := n.get(name); c.is(shapeObject) {
				places = append(places, c)
			}
		}
		places = append(places, n)
	}
	for c := range root.children {
		if c.is(shapeObject) && !foreignAmounts(c.name) && len(places) < 32 {
			places = append(places, c)
		}
	}
	// A better key in a worse place beats a worse key in a better place.
	for _, names := range [...][]string{e.totals(true), e.totals(false)} {
		for _, p := range places {
			for _, name := range names {
				if n, c := e.amount(p.get(name), 0); n != nil {
					return n, c
				}
			}
		}
	}
	if n, c := e.strange(places); n != nil {
		return n, c
	}
	for _, name := range [...]string{"data", "result"} {
		if n, c := e.amount(root.get(name), 0); n != nil && root.get(name).shape < shapeArray {
			return n, c
		}
	}
	return nil, 0
}

// totals parts the keys into those that speak of an estimate or a total in
// plain credits, and the rest.
func (e estimateReader) totals(first bool) []string {
	var out []string
	for _, name := range e.list(listAmount) {
		plain := !strings.Contains(name, "micro") && !strings.HasPrefix(name, "costper") && !strings.HasPrefix(name, "unit")
		if plain == first {
			out = append(out, name)
		}
	}
	return out
}

// strange reads keys that nobody listed: those that speak of an estimate, then
// of a total, then of credits or cost at all.
func (e estimateReader) strange(places []*node) (*node, api.Credits) {
	for _, want := range [...][2]string{{"estimat", "c"}, {"total", "c"}, {"credit", ""}, {"cost", ""}, {"price", ""}, {"amount", ""}, {"quote", ""},
		{"charge", ""}, {"consum", ""}, {"deduct", ""}, {"point", ""}, {"coin", ""}, {"积分", ""}} {
		for _, p := range places {
			for c := range p.children {
				if !strings.Contains(c.name, want[0]) || !strings.Contains(c.name, want[1]) || foreignAmounts(c.name) {
					continue
				}
				if want[1] != "" && !moneyWord(c.name) {
					continue
				}
				if n, a := e.amount(c, 0); n != nil {
					return n, a
				}
			}
		}
	}
	return nil, 0
}

func moneyWord(name string) bool {
	for _, w := range [...]string{"credit", "cost", "price", "amount", "charge", "fee", "point"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// foreignAmounts are amounts of other things: balances, counts, limits, parts.
func foreignAmounts(name string) bool {
	for _, w := range [...]string{"remaining", "balance", "limit", "frame", "count", "available", "breakdown", "before", "saved",
		"discount", "base", "original", "rate", "token", "duration", "time", "quota", "used", "wallet", "user", "account", "id", "after"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return strings.HasPrefix(name, "min") || strings.HasPrefix(name, "剩余")
}

// amount reads a number, a numeric string, "425 credits", or an object with
// one. A boolean is never an amount.
func (e estimateReader) amount(n *node, depth int) (*node, api.Credits) {
	switch {
	case n.is(shapeNumber), n.is(shapeString):
		text := strings.TrimSpace(n.text)
		if m := rePriceText.FindStringSubmatch(text); m != nil {
			text = strings.ReplaceAll(m[1], ",", "")
		}
		if c, err := api.ParseCredits(text); err == nil {
			return n, c
		}
	case n.is(shapeObject) && depth < 2:
		for _, name := range [...]string{"total", "totalcredits", "credits", "amount", "value", "estimated", "estimatedcredits", "cost", "price", "max", "maximum", "high", "upper"} {
			if at, c := e.amount(n.get(name), depth+1); at != nil {
				return at, c
			}
		}
	}
	return nil, 0
}
