package read

import (
	"encoding/json"
	"slices"
	"strings"

	"darkroom/api"
)

// Estimate reads the answer of the estimate endpoint ("estimated credits";
// the shape is not shown). Estimate.At is left to the caller. An amount in
// another unit than credits comes with its Unit, and so does a price of a part
// of the request, as "second": neither is a figure for it. A refusal is no
// price, and a total wins over the price of a part wherever both are named.
func Estimate(raw []byte) (api.Estimate, []api.Found, error) {
	return words().readEstimate(parseBody(raw))
}

// RateUnit reports whether the unit of an estimate is that of a rate in credits,
// such as "second", and not another currency.
func RateUnit(unit string) bool { return unit != "" && !words().OtherMoney.match(foldWord(unit)) }

func (l *vocabulary) readEstimate(b body) (api.Estimate, []api.Found, error) {
	e := api.Estimate{Source: api.SourceNone}
	if b.err != nil {
		return e, nil, &api.Fault{Reason: notReadable(b.raw, b.err)}
	}
	s := l.estimate(b.root)
	if s.at == nil || refused(b.root.single(), words().PlainErrors) || s.credits == 0 && markedError(b.root) {
		return e, nil, errNoAmount
	}
	e.Credits, e.Source, e.Unit = s.credits, api.SourceService, s.unit
	if kept := KeepRaw(b.raw); len(kept) == len(b.raw) && json.Valid(b.raw) {
		e.Raw = json.RawMessage(b.raw)
	}
	found := []api.Found{s.at.found("amount", s.credits.String())}
	if s.unit != "" {
		found = append(found, s.at.found("unit", s.unit))
	}
	return e, found, nil
}

// amountSearch looks for an amount. The first that is no rate is kept, else the
// first rate.
type amountSearch struct {
	at      *node
	credits api.Credits
	unit    string
}

// try reads an amount and reports whether the search has come to an end.
func (s *amountSearch) try(n *node) bool {
	at, credits := amountIn(n, 0)
	if at == nil {
		return false
	}
	unit := otherUnit(at)
	rate := unit == ""
	if rate {
		unit = rateUnit(at)
	}
	if rate = rate && unit != ""; !rate || s.at == nil {
		s.at, s.credits, s.unit = at, credits, unit
	}
	return !rate
}

// estimate looks into the inner nodes first, then the root, then one level of
// unlisted names.
func (l *vocabulary) estimate(root *node) *amountSearch {
	s := &amountSearch{}
	if root.is(shapeNumber) || root.is(shapeString) {
		s.try(root)
		return s
	}
	var places []*node
	for _, n := range append([]*node{root}, root.places(words().EstimateRoots...)...) {
		n = n.single()
		for c := range n.each(words().EstimateNodes) {
			if c.is(shapeObject) {
				places = append(places, c)
			}
		}
		places = append(places, n)
	}
	for c := range root.children {
		if c.is(shapeObject) && !words().NotAmounts.match(c.name) && len(places) < 32 {
			places = append(places, c)
		}
	}
	if !s.listed(places, l.AmountKeys) && !s.unlisted(places) {
		for _, n := range root.places("data", "result") {
			if n.shape < shapeArray && s.try(n) {
				break
			}
		}
	}
	return s
}

// listed reads the listed keys: a better key in a worse place beats a worse key
// in a better place. A total in the same object beats the amount of a part.
func (s *amountSearch) listed(places []*node, names []string) bool {
	for _, part := range [...]bool{false, true} {
		for _, p := range places {
			for c := range p.each(names) {
				if words().PartAmounts.match(c.name) == part && s.try(c) {
					s.total(places)
					return true
				}
			}
		}
	}
	return false
}

// total takes the total beside an amount that is less, or one elsewhere whose
// name says that it is of money.
func (s *amountSearch) total(places []*node) {
	part := s.at
	if slices.Contains(words().SumKeys, part.name) {
		return
	}
	for _, p := range append([]*node{part.parent}, places...) {
		for c := range p.each(words().SumKeys) {
			t := &amountSearch{}
			if c != part && (p == part.parent || words().MoneyNames.match(c.name)) && t.try(c) && t.unit == s.unit && t.credits > s.credits {
				*s = *t
				return
			}
		}
	}
}

// unlisted reads keys that nobody listed: those that name an estimate, then
// of a total, then of credits or cost at all.
func (s *amountSearch) unlisted(places []*node) bool {
	for i, want := range words().UnlistedAmounts {
		for _, p := range places {
			for c := range p.children {
				if strings.Contains(c.name, want) && !words().NotAmounts.match(c.name) && (i > 1 || words().MoneyNames.match(c.name)) &&
					(s.at == nil || words().WholeAmounts.match(c.name)) && s.try(c) {
					return true
				}
			}
		}
	}
	return false
}

// otherUnit names the unit of an amount that is not in credits.
func otherUnit(n *node) string {
	if strings.Contains(n.name, "credit") {
		return ""
	}
	for _, unit := range [...]string{"microcents", "micros", "cents"} {
		if strings.HasSuffix(n.name, unit) {
			return unit
		}
	}
	return otherCurrency(n, true)
}

// rateUnit names the part of a request that an amount is the price of, by its
// text, its key, or the unit beside it; "" for the price of the whole. The unit
// beside a total is that of its parts.
func rateUnit(n *node) string {
	_, unit, _ := parseAmount(n)
	for p, hops := n, 0; p != nil && hops < 3 && unit == ""; p, hops = p.parent, hops+1 {
		if words().RatePer.match(p.name) {
			unit = perWhat(p.name)
		}
		for c := range p.each(words().UnitKeys) {
			if word := foldWord(c.scalar()); unit == "" && c.name != "type" && words().RateUnits.match(word) && !slices.Contains(words().SumKeys, n.name) {
				unit = perWhat(word)
			}
		}
	}
	if unit == unitCall {
		return ""
	}
	return api.Clean(unit, 32).String()
}

// perWhat gives the unit in a word such as second, per_second or
// credits_per_second.
func perWhat(word string) string {
	if i := strings.LastIndex(word, "per"); i >= 0 {
		word = word[i+len("per"):]
	}
	if u := unitWord(word); u != "" {
		return u
	}
	return word
}

// amountIn reads a number, a numeric string, "425 credits", or an object with
// one. A boolean is never an amount.
func amountIn(n *node, depth int) (*node, api.Credits) {
	if n.is(shapeNumber) || n.is(shapeString) {
		if c, _, err := parseAmount(n); err == nil {
			return n, c
		}
	}
	for c := range n.each(words().InnerSums) {
		if depth < 2 {
			if at, credits := amountIn(c, depth+1); at != nil {
				return at, credits
			}
		}
	}
	return nil, 0
}
