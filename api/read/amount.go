package read

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"darkroom/api"
)

// Units of a price.
const (
	unitImage   = "image"
	unitSecond  = "second"
	unitCall    = "call"
	unitUnknown = "unknown"
)

var (
	// rePriceText reads "85 credits / second", "12 credits".
	rePriceText = api.Pattern(`(?i)^\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)` +
		`\s*(?:credits?|points?|积分|点数?|算力)\s*(?:(?:/|per|每)\s*([a-z]+|秒|张|次|个))?\s*$`)

	errNoAmount = api.Sentence("the answer holds no amount that could be read").Fault(nil)
)

// Estimate reads the answer of the estimate endpoint ("estimated credits";
// the shape is not shown). Estimate.At is left to the caller. An amount in
// another unit than credits comes with its Unit, and so does a price of a part
// of the request, as "second": neither is a figure for it. A refusal is not a
// price, and a total wins over the price of a part wherever both are named.
func Estimate(raw []byte) (api.Estimate, error) {
	e := api.Estimate{Source: api.SourceNone}
	root, err := parseTree(raw)
	if err != nil {
		return e, &api.Fault{Reason: notReadable(raw, err)}
	}
	root = unwrapped(root)
	s := amountSearch{}
	if root.shape < shapeArray {
		s.try(root)
	} else {
		s.find(root)
	}
	balance := first(s.at.around, func(n *node) bool { return notAmounts.has(n.name) && !amountKeys.has(n.name) && n.is(shapeObject) })
	if s.at == nil || balance != nil || refused(root.single()) || s.credits == 0 && markedError(root) {
		return e, errNoAmount
	}
	e.Credits, e.Source, e.Unit = s.credits, api.SourceService, s.unit
	if kept := KeepRaw(raw); len(kept) == len(raw) && json.Valid(raw) {
		e.Raw = json.RawMessage(raw)
	}
	return e, nil
}

// RateUnit reports whether the unit of an estimate means a rate in credits,
// such as "second", and not another currency.
func RateUnit(unit string) bool { return unit != "" && !otherMoney.has(foldWord(unit)) }

// amountSearch looks for an amount. The first that is not a rate is kept, else
// the first rate.
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
	unit, rate := otherUnit(at), false
	if unit == "" || strings.Contains(at.name, "credit") {
		unit = rateUnit(at)
		rate = unit != ""
	}
	if !rate || s.at == nil {
		s.at, s.credits, s.unit = at, credits, unit
	}
	return !rate
}

// find looks for the listed keys, totals before parts, and then for unlisted
// keys that speak of an amount.
func (s *amountSearch) find(root *node) {
	places := amountPlaces(nil, root, 0)
	for _, keys := range [...]terms{amountKeys, partKeys} {
		for _, p := range places {
			if first(p.each(keys), s.try) != nil {
				s.total(places)
				return
			}
		}
	}
	for i, want := range unlistedAmounts {
		for _, p := range places {
			for c := range p.children {
				if strings.Contains(c.name, want) && !notAmounts.has(c.name) && (i > 1 || moneyNames.has(c.name)) &&
					(s.at == nil || wholeAmounts.has(c.name)) && s.try(c) {
					return
				}
			}
		}
	}
	first(root.each(amountNodes), func(c *node) bool { return c.shape < shapeArray && s.try(c) })
}

// amountPlaces gives the objects in which an amount may stand: the ones
// named for one, the node itself, and the ones right below the root.
func amountPlaces(places []*node, n *node, depth int) []*node {
	if n.is(shapeArray) && n.size == 1 { // of several, none is the figure for all
		n = n.first
	}
	if !n.is(shapeObject) || depth > 2 || len(places) > 32 || slices.Contains(places, n) {
		return places
	}
	for c := range n.each(amountNodes) {
		places = amountPlaces(places, c, depth+1)
	}
	places = append(places, n)
	for c := range n.children {
		if depth == 0 && c.is(shapeObject) && !notAmounts.has(c.name) && !notJobs.has(c.name) {
			places = amountPlaces(places, c, depth+1)
		}
	}
	return places
}

// total takes the total next to an amount that is less, or one elsewhere whose
// name says that it is of money.
func (s *amountSearch) total(places []*node) {
	part := s.at
	if sumKeys.has(part.name) {
		return
	}
	for _, p := range append([]*node{part.parent}, places...) {
		for c := range p.each(sumKeys) {
			t := amountSearch{}
			if c != part && (p == part.parent || moneyNames.has(c.name)) && t.try(c) && t.unit == s.unit && t.credits > s.credits {
				*s = t
				return
			}
		}
	}
}

// amountIn reads a number, a numeric string, "425 credits", or an object with
// one. A boolean is never an amount.
func amountIn(n *node, depth int) (*node, api.Credits) {
	if c, _, ok := parseAmount(n); ok {
		return n, c
	}
	for c := range n.each(innerSums) {
		if at, credits := amountIn(c, depth+1); at != nil && depth < 2 {
			return at, credits
		}
	}
	return nil, 0
}

// parseAmount reads a number, a numeric string or "85 credits / second", and the
// unit in it.
func parseAmount(n *node) (c api.Credits, unit string, ok bool) {
	if !n.is(shapeNumber) && !n.is(shapeString) {
		return 0, "", false
	}
	text := strings.TrimSpace(n.text)
	if m := rePriceText().FindStringSubmatch(text); m != nil {
		text, unit = strings.ReplaceAll(m[1], ",", ""), unitWord(fold(m[2]))
	}
	c, err := api.ParseCredits(text)
	return c, unit, err == nil
}

// around walks over an amount and the objects around it.
func (n *node) around(yield func(*node) bool) {
	for p, hops := n, 0; p != nil && p.shape != shapeArray && hops < 4 && yield(p); p, hops = p.parent, hops+1 {
	}
}

// otherUnit names the unit of an amount that is not in credits: by its key, as
// in price_usd, or by a word next to it or around it.
func otherUnit(n *node) string {
	for p := range n.around {
		if word := otherMoney.match(p.name); word != "" {
			return word
		}
		if c := first(p.each(unitKeys), func(c *node) bool { return otherMoney.has(c.word()) }); c != nil {
			return c.clean(32)
		}
	}
	return ""
}

// rateUnit names the part of a request that an amount is the price of, by its
// text, its key, or the unit next to it; "" for the price of the whole. The unit
// next to a total is the unit of its parts.
func rateUnit(n *node) string {
	_, unit, _ := parseAmount(n)
	for p := range n.around {
		if rates.has(p.name) && unit == "" {
			unit = cmp.Or(unitWord(afterPer(p.name)), afterPer(p.name))
		}
		for c := range p.each(unitKeys) {
			word := afterPer(c.word())
			if rate := unitWord(word) != "" || minuteWords.has(word); rate && unit == "" && c.name != "type" && !sumKeys.has(n.name) {
				unit = cmp.Or(unitWord(word), word)
			}
		}
	}
	if unit == unitCall {
		return ""
	}
	return api.Clean(unit, 32).String()
}

// afterPer gives what follows "per" in a word such as credits_per_second.
func afterPer(word string) string { return word[strings.LastIndex("per"+word, "per"):] }

func unitWord(s string) string {
	switch {
	case secondWords.has(s):
		return unitSecond
	case imageWords.has(s):
		return unitImage
	case callWords.has(s):
		return unitCall
	}
	return ""
}

// listedPrice reads the default price of a model. There is one only when a
// single amount of credits stands there; a table by resolution, several amounts
// or another currency give none.
func listedPrice(n *node) (price *api.Price) {
	zeros := 0
	for c := range n.children {
		if !priceKeys.has(c.name) || notPrices.has(c.name) {
			continue
		}
		for _, at := range priceLeaves(c, 0) {
			credits, unit, ok := parseAmount(at)
			if ok && credits == 0 {
				zeros++
			}
			switch {
			case !ok, otherUnit(at) != "":
			case price == nil, price.Credits == 0, price.Credits == credits && price.Unit == unitUnknown:
				price = &api.Price{Credits: credits, Unit: cmp.Or(unit, priceUnit(at))}
			case credits != 0 && credits != price.Credits:
				return nil // which price holds is open
			}
		}
	}
	if zeros > 1 && price != nil && price.Credits == 0 {
		return nil // parts of a price that are not used
	}
	return price
}

// priceLeaves gives the values in a price that may be amounts. A default counts
// alone.
func priceLeaves(n *node, depth int) (leaves []*node) {
	if n.shape < shapeArray {
		return []*node{n}
	}
	if c := n.any(standard); c != nil && c.shape < shapeArray {
		return []*node{c}
	}
	for c := range n.children {
		if !priceLabels.has(c.name) && depth < 4 {
			leaves = append(leaves, priceLeaves(c, depth+1)...)
		}
	}
	return leaves
}

// priceUnit reads the unit from the key, from a word next to the amount, or from
// the key around it. A type next to the price is the model's.
func priceUnit(n *node) string {
	unit := unitWord(n.name)
	for p := range n.parent.around {
		for c := range p.each(unitKeys) {
			if unit == "" && (c.name != "type" || moneyNames.has(p.name)) {
				unit = unitWord(c.word())
			}
		}
		if strings.Contains(p.name, "per") && unit == "" {
			unit = unitWord(p.name)
		}
	}
	return cmp.Or(unit, unitUnknown)
}
