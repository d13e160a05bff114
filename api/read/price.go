package read

import (
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
	// unitWords are what a unit's word holds, in the order in which they count.
	unitWords = [...]struct {
		unit  string
		words *terms
	}{
		{unitSecond, words().UnitSecond}, {unitImage, words().UnitImage}, {unitCall, words().UnitCall},
	}
	// rePriceText reads "85 credits / second", "12 credits".
	rePriceText = api.Pattern(`(?i)^\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)\s*(?:credits?|points?|积分|点数?|算力)\s*(?:(?:/|per|每)\s*([a-z]+|秒|张|次|个))?\s*$`)
)

// parseAmount reads a number, a numeric string or "85 credits / second", and the
// unit in it.
func parseAmount(n *node) (c api.Credits, unit string, err error) {
	text := strings.TrimSpace(n.text)
	if m := rePriceText().FindStringSubmatch(text); m != nil {
		text, unit = strings.ReplaceAll(m[1], ",", ""), unitWord(fold(m[2]))
	}
	c, err = api.ParseCredits(text)
	return c, unit, err
}

// price reads the default price of a model, and from where. There is one only
// when a single amount of credits stands there; a table by resolution, several
// amounts or another currency give none.
func (m *modelReader) price(n *node) (price *api.Price, at *node) {
	var found []*node
	for c := range n.children {
		if m.priceKey(c.name) && (c.says() || c.is(shapeNumber)) {
			found = append(found, c)
		}
	}
	for _, c := range found {
		p, where, plain := amountOf(c, 0)
		switch {
		case !plain, p != nil && price != nil && price.Credits != p.Credits && (p.Credits != 0 || len(found) == 1):
			return nil, nil // a table stands beside, or another amount: which price holds is open
		case p == nil || p.Credits == 0 && len(found) > 1:
		case price == nil || price.Unit == unitUnknown:
			price, at = p, where
		}
	}
	return price, at
}

func (m *modelReader) priceKey(name string) bool {
	if words().NotPrices.match(name) || strings.Contains(name, "unit") && !strings.Contains(name, "price") && !strings.HasPrefix(name, "creditsper") {
		return false
	}
	return slices.Contains(m.PriceKeys, name) || words().PricePer.match(name) || words().PriceEnds.match(name)
}

// amountOf reads one price value. plain is false when it is a table.
func amountOf(n *node, depth int) (p *api.Price, at *node, plain bool) {
	switch {
	case n.is(shapeNumber), n.is(shapeString):
		c, unit, err := parseAmount(n)
		if err != nil || otherCurrency(n, false) != "" {
			return nil, n, true
		}
		if unit == "" {
			unit = unitOf(n)
		}
		return &api.Price{Credits: c, Unit: unit}, n, true
	case n.is(shapeObject) && depth < 3:
		return objectPrice(n, depth)
	case n.is(shapeArray) && n.size == 1 && depth < 3:
		return amountOf(n.first, depth+1)
	}
	return nil, nil, !n.says() || n.is(shapeBool)
}

// objectPrice reads {amount, unit, currency} and {default: 85, unit: …}.
func objectPrice(n *node, depth int) (*api.Price, *node, bool) {
	var amounts []*node
	for c := range n.children {
		_, number := c.float()
		if !words().PriceLabels[c.name] && (number || c.shape >= shapeArray && (c.size > 0 || c.is(shapeObject)) || rePriceText().MatchString(c.text)) {
			amounts = append(amounts, c)
		}
	}
	for c := range n.each(words().DefaultPrices) {
		amounts = []*node{c}
	}
	switch {
	case len(amounts) != 1:
		return nil, nil, len(amounts) == 0
	case words().OtherMoney.match(amounts[0].name):
		return nil, nil, true
	}
	return amountOf(amounts[0], depth+1)
}

// otherCurrency names the currency of an amount that is not in credits: by its
// key, as in price_usd, or by a word beside it or around it. names says that the
// keys around it count too.
func otherCurrency(n *node, names bool) string {
	for p := n; p.is(shapeNumber) || p.is(shapeString) || p.is(shapeObject); p = p.parent {
		if (names || p == n) && words().OtherMoney.match(p.name) {
			return api.Clean(p.key, 32).String()
		}
		for c := range p.each(words().CurrencyKeys) {
			if words().OtherMoney.match(foldWord(c.scalar())) {
				return c.clean(32)
			}
		}
	}
	return ""
}

// unitOf reads the unit from the key, from a word beside the amount, or from
// the key around it.
func unitOf(n *node) string {
	if u := unitWord(n.name); u != "" {
		return u
	}
	for p, hops := n.parent, 0; p.is(shapeObject) && hops < 2; p, hops = p.parent, hops+1 {
		for c := range p.each(words().UnitKeys) {
			if c.name == "type" && !words().Billing.match(p.name) { // the model's type, not the price's
				continue
			}
			if u := unitWord(foldWord(c.scalar())); u != "" && c.is(shapeString) {
				return u
			}
		}
		if u := unitWord(p.name); u != "" && strings.Contains(p.name, "per") {
			return u
		}
	}
	return unitUnknown
}

func unitWord(s string) string {
	for _, u := range unitWords {
		if u.words.match(s) {
			return u.unit
		}
	}
	return ""
}
