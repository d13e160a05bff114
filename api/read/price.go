package read

import (
	"regexp"
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

// price reads the default price of a model, and from where. There is one only
// when a single amount of credits stands there; a table by resolution, several
// amounts or another currency give none.
func (m *modelReader) price(n *node) (*api.Price, *node) {
	var found []*node
	for c := range n.children {
		if m.priceKey(c.name) && (c.says() || c.is(shapeNumber)) {
			found = append(found, c)
		}
	}
	var price *api.Price
	var at *node
	for _, c := range found {
		p, where, plain := m.amountOf(c, 0)
		if !plain {
			return nil, nil // a table stands beside: which price holds is open
		}
		if p == nil || p.Credits == 0 && len(found) > 1 {
			continue
		}
		if price != nil && price.Credits != p.Credits {
			return nil, nil
		}
		if price == nil || price.Unit == unitUnknown {
			price, at = p, where
		}
	}
	return price, at
}

func (m *modelReader) priceKey(name string) bool {
	if strings.Contains(name, "unit") && !strings.Contains(name, "price") && !strings.HasPrefix(name, "creditsper") || strings.Contains(name, "type") {
		return false
	}
	return m.has(listPrice, name) || strings.HasPrefix(name, "creditsper") || strings.HasPrefix(name, "pointsper") || strings.HasPrefix(name, "coinsper") || strings.HasPrefix(name, "priceper") ||
		strings.HasPrefix(name, "costper") || name == "persecond" || name == "perimage" || name == "percall" || name == "pergeneration" ||
		strings.HasSuffix(name, "price") || strings.HasSuffix(name, "pricing") || strings.HasSuffix(name, "credits") && !strings.Contains(name, "remaining")
}

// amountOf reads one price value. plain is false when it is a table.
func (m *modelReader) amountOf(n *node, depth int) (p *api.Price, at *node, plain bool) {
	switch {
	case n.is(shapeNumber), n.is(shapeString):
		p = m.scalarPrice(n)
		return p, n, true
	case n.is(shapeObject) && depth < 3:
		return m.objectPrice(n, depth)
	case n.is(shapeArray) && n.size == 1 && depth < 3:
		return m.amountOf(n.first, depth+1)
	}
	return nil, nil, !n.says() || n.is(shapeBool)
}

// objectPrice reads {amount, unit, currency} and {default: 85, unit: …}.
func (m *modelReader) objectPrice(n *node, depth int) (*api.Price, *node, bool) {
	var amounts []*node
	for c := range n.children {
		switch {
		case labelKey(c.name), c.shape == shapeBool, c.shape == shapeNull:
		case c.is(shapeNumber), c.is(shapeObject), c.is(shapeArray) && c.size > 0:
			amounts = append(amounts, c)
		case c.is(shapeString):
			if _, ok := c.float(); ok || rePriceText.MatchString(c.text) {
				amounts = append(amounts, c)
			}
		}
	}
	for _, name := range [...]string{"default", "defaultprice", "defaultcredits"} {
		if c := n.get(name); c != nil {
			amounts = []*node{c}
		}
	}
	if len(amounts) != 1 {
		return nil, nil, len(amounts) == 0
	}
	if foreignMoney(amounts[0].name) {
		return nil, nil, true
	}
	return m.amountOf(amounts[0], depth+1)
}

// labelKey members describe a price instead of giving one.
func labelKey(name string) bool {
	switch name {
	case "unit", "currency", "type", "unittype", "per", "billingunit", "pricingunit", "discount", "note", "description", "kind",
		"measure", "name", "model", "updatedat", "min", "max", "precision", "label", "text", "display":
		return true
	}
	return false
}

// rePriceText reads "85 credits / second", "12 credits".
var rePriceText = regexp.MustCompile(`(?i)^\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)\s*(?:credits?|points?|积分|点数?|算力)\s*(?:(?:/|per|每)\s*([a-z]+|秒|张|次|个))?\s*$`)

func (m *modelReader) scalarPrice(n *node) *api.Price {
	if otherCurrency(n) || foreignMoney(n.name) {
		return nil
	}
	text, unit := strings.TrimSpace(n.text), unitOf(n)
	if match := rePriceText.FindStringSubmatch(text); match != nil {
		text = strings.ReplaceAll(match[1], ",", "")
		if u := unitWord(fold(match[2])); u != "" {
			unit = u
		}
	}
	c, err := api.ParseCredits(text)
	if err != nil {
		return nil
	}
	return &api.Price{Credits: c, Unit: unit}
}

// otherCurrency reports a currency beside the amount that is not credits.
func otherCurrency(n *node) bool {
	for p := n.parent; p.is(shapeObject); p = p.parent {
		for _, name := range [...]string{"currency", "unit", "pricecurrency", "costunit"} {
			if foreignMoney(fold(p.get(name).scalar())) {
				return true
			}
		}
		if p.parent == nil || !p.parent.is(shapeObject) {
			break
		}
	}
	return false
}

func foreignMoney(name string) bool {
	for _, w := range [...]string{"usd", "dollar", "eur", "cny", "rmb", "yuan", "gbp", "jpy", "diem", "cents", "micros", "usdc", "token"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// unitOf reads the unit from the key, from a word beside the amount, or from
// the key around it.
func unitOf(n *node) string {
	if u := unitWord(n.name); u != "" {
		return u
	}
	for p, hops := n.parent, 0; p.is(shapeObject) && hops < 2; p, hops = p.parent, hops+1 {
		for _, name := range [...]string{"unit", "per", "unittype", "billingunit", "pricingunit", "priceunit", "creditunit", "billing", "billingtype", "billingmode", "pricetype", "pricingtype", "costtype", "type", "measure", "basis"} {
			if s := p.get(name); s.is(shapeString) {
				if name == "type" && !moneyWord(p.name) && !strings.Contains(p.name, "pricing") && !strings.Contains(p.name, "billing") {
					continue // the model's type, not the price's
				}
				if u := unitWord(fold(s.text)); u != "" {
					return u
				}
			}
		}
		if u := unitWord(p.name); u != "" && strings.Contains(p.name, "per") {
			return u
		}
		if p.parent == nil || !p.parent.is(shapeObject) {
			break
		}
	}
	return unitUnknown
}

func unitWord(s string) string {
	switch {
	case strings.Contains(s, "second") || s == "s" || s == "sec" || strings.HasSuffix(s, "persec") || strings.Contains(s, "秒"):
		return unitSecond
	case strings.Contains(s, "image") || strings.Contains(s, "picture") || strings.Contains(s, "张"):
		return unitImage
	case strings.Contains(s, "call") || strings.Contains(s, "generation") || strings.Contains(s, "request") || strings.Contains(s, "job") ||
		strings.Contains(s, "pertask") || s == "task" || s == "once" || s == "flat" || s == "fixed" || strings.Contains(s, "次") || strings.Contains(s, "pervideo") || s == "video":
		return unitCall
	}
	return ""
}
