package read

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
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

// maxPrice is the highest price that is believed.
const maxPrice = 1_000_000_000 * api.Credit

// rePriceText reads "85 credits / second", "12 credits".
var rePriceText = api.Pattern(`(?i)^\s*([0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)` +
	`\s*(?:credits?|points?|积分|点数?|算力)\s*(?:(?:/|per|每)\s*([a-z]+|秒|张|次|个))?\s*$`)

// ErrOthers says that an answer has prices, but of other requests than the one asked about.
var ErrOthers = api.Sentence("the service's response has no price for this request").Fault(nil)

// Estimate reads the answer of the estimate endpoint ("estimated credits"; the
// shape is not shown). asked are the parameters of the question. Estimate.At and
// Raw are left to the caller. An amount in another unit than credits comes with
// its Unit, and so does a price of a part of the request, as "second": neither is
// a figure for it. There is no figure when the answer refuses, is about something
// else than what was asked, or leaves open which amount is the price.
func Estimate(raw []byte, asked url.Values) (api.Estimate, error) {
	none := api.Estimate{Source: api.SourceNone}
	root, err := parseTree(raw)
	if err != nil {
		return none, &api.Fault{Reason: notReadable(raw, err)}
	}
	s := amountSearch{asked: map[string]string{}, values: map[string]bool{}}
	for name := range asked {
		s.asked[askedField(fold(name))] = asked.Get(name)
		s.values[fold(asked.Get(name))] = true
	}
	root.name = "" // a sum right within it counts as one in an answer with nothing around
	if root.shape < shapeArray {
		s.amount(root, &s.listed)
	} else {
		s.within(root, true)
	}
	a, ok := s.price()
	failed := refused(root.single()) || numberClass(codeWords(root.single()), "") != ""
	switch marked := markedError(root); {
	case !ok && s.others && !failed && !marked:
		return none, ErrOthers
	case !ok || s.doubt || failed || a.credits == 0 && marked:
		return none, api.Sentence("the response holds no amount that could be read").Fault(nil)
	}
	return api.Estimate{Credits: a.credits, Source: api.SourceService, Unit: a.unit}, nil
}

// RateUnit reports whether the unit of an estimate means a rate in credits.
func RateUnit(unit string) bool { return !otherMoney.has(fold(unit)) }

// amount is one amount of an answer; without a unit it is credits for all of it.
type amount struct {
	*node
	credits api.Credits
	unit    string
}

type amountSearch struct {
	asked            map[string]string // by the spec's names
	values           map[string]bool   // what was asked for, folded
	listed, unlisted []amount          // by whether the key is known for prices
	rates, foreign   []amount
	others           bool // a list has prices, none of them of the request
	doubt            bool
}

// within looks through an object or array; in objects of other things than the
// price only for echoes of the question. Of a list the one element counts that is
// about what was asked; parts of the request are not.
func (s *amountSearch) within(n *node, price bool) {
	if n.is(shapeArray) {
		var fitting []*node
		for c := range n.children {
			same, other := s.echo(c)
			if !other && (same || n.size == 1 && (n.parent == nil || n.parent.size == 1 || amountNodes.has(n.name))) {
				fitting = append(fitting, c)
			}
		}
		if len(fitting) == 1 {
			s.within(fitting[0], price)
			return
		}
		n.below(func(c *node) {
			_, _, ok := parseAmount(c)
			s.others = s.others || ok && moneyNames.has(c.name)
		})
		return
	}
	_, other := s.echo(n)
	s.doubt = s.doubt || other
	chosen := first(n.children, func(c *node) bool { return s.values[c.name] }) // of a table by values, as by quality
	for c := range n.children {
		known := c == chosen || amountKeys.has(c.name)
		inner := price && (known || amountNodes.has(c.name) || !notAmounts.has(c.name) && !notJobs.has(c.name))
		neutral := neutralAmounts.has(c.name)
		switch {
		case refusals.has(c.name) && c.word() == "false", denials.has(c.name) && c.word() == "true",
			amountKeys.has(n.name) && !amountNodes.has(n.name) && balances.has(c.name): // of the account
			s.doubt = true
		case chosen != nil && chosen != c:
		case c.shape >= shapeArray:
			s.within(c, inner)
		case !inner || neutral && !known && n.name != "" && !amountNodes.has(n.name) && !moneyNames.has(n.name):
		case known, neutral:
			s.amount(c, &s.listed)
		case moneyNames.has(c.name), amountNodes.has(c.name):
			s.amount(c, &s.unlisted)
		}
	}
}

// echo reports whether an object repeats a parameter asked for, and changes one.
func (s *amountSearch) echo(n *node) (same, other bool) {
	for c := range n.children {
		field := askedField(c.name)
		asked := s.asked[field]
		if c.is(shapeObject) {
			c = modelID(c)
		}
		if field == "" || asked == "" || !c.says() || c.is(shapeArray) {
			continue
		}
		equal := sameValue(c.text, asked)
		same, other = same || equal, other || !equal
	}
	return same, other
}

// askedField is the spec's name of a parameter; a ratio has two.
func askedField(name string) string {
	if field := specFields[name]; field != api.FieldRatio {
		return field
	}
	return api.FieldAspectRatio
}

// squares are sizes as an answer may have them.
var squares = map[string]string{"1k": "1024x1024", "2k": "2048x2048", "4k": "4096x4096"}

// sameValue takes 5, 5.0 and "5s" for one value, 720p and 720P, and what was asked
// for as 2K and is answered as 2048x2048.
func sameValue(answered, asked string) bool {
	x, _ := strconv.ParseFloat(strings.TrimRight(answered, "second "), 64)
	y, _ := strconv.ParseFloat(strings.TrimRight(asked, "second "), 64)
	return x != 0 && x == y || fold(answered) == fold(asked) || answered == squares[fold(asked)]
}

// amount keeps the amount in a value, among those of its kind.
func (s *amountSearch) amount(n *node, whole *[]amount) {
	credits, _, ok := parseAmount(n)
	if _, number := n.float(); number && !ok {
		s.doubt = true
	}
	a := amount{n, credits, otherUnit(n)}
	if a.unit != "" && !strings.Contains(n.name, "credit") {
		whole = &s.foreign
	} else if a.unit = unitOf(n); a.unit == unitCall {
		a.unit = ""
	} else if a.unit != "" {
		whole = &s.rates
	}
	if ok {
		*whole = append(*whole, a)
	}
}

// price gives the one amount that is the price. Next to a total a smaller amount
// may be the price of a part, if the total is a multiple of it.
func (s *amountSearch) price() (amount, bool) {
	for _, found := range [...][]amount{s.listed, s.unlisted, s.rates} {
		if len(found) == 0 {
			continue
		}
		most := slices.MaxFunc(found, func(a, b amount) int { return cmp.Compare(a.credits, b.credits) })
		open := slices.ContainsFunc(found, func(a amount) bool {
			if a.credits == most.credits {
				return false
			}
			next := a.parent == most.parent || moneyNames.has(most.name)
			return !next || !sumKeys.has(most.name) || sumKeys.has(a.name) || a.credits == 0 || most.credits%a.credits != 0
		})
		return most, !open
	}
	if len(s.foreign) > 0 {
		return s.foreign[0], true
	}
	return amount{}, false
}

// parseAmount reads a number, a numeric string or "85 credits / second", and the
// unit in it. A boolean is never an amount.
func parseAmount(n *node) (c api.Credits, unit string, ok bool) {
	text := strings.TrimSpace(n.text)
	if m := rePriceText().FindStringSubmatch(text); m != nil {
		text, unit = strings.ReplaceAll(m[1], ",", ""), unitWord(fold(m[2]))
	}
	c, err := api.ParsePrice(text)
	return c, unit, err == nil && c <= maxPrice
}

func (n *node) around(yield func(*node) bool) {
	for p := n; !p.is(shapeArray) && p != nil && yield(p); p = p.parent {
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

// unitOf names what an amount is the price of, by its text, its key, or the unit
// next to it or around it; "" when nothing says so. The unit next to a total is
// the unit of its parts, and a type next to a price is the model's.
func unitOf(n *node) string {
	_, unit, _ := parseAmount(n)
	for p := range n.around {
		if rates.has(p.name) {
			unit = cmp.Or(unit, unitWord(afterPer(p.name)), afterPer(p.name))
		}
		for c := range p.each(unitKeys) {
			if c.name != "type" && !sumKeys.has(n.name) || moneyNames.has(p.name) {
				unit = cmp.Or(unit, unitWord(afterPer(c.word())))
			}
		}
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
	case minuteWords.has(s):
		return s
	}
	return ""
}

// listedPrice reads the default price of a model. There is one only when a
// single amount of credits stands there; a table by resolution, several amounts
// or another currency give none.
func listedPrice(n *node) (price *api.Price) {
	for c := range n.like(priceKeys) {
		for _, at := range priceLeaves(c) {
			credits, _, ok := parseAmount(at)
			switch {
			case !ok, otherUnit(at) != "":
			case price == nil, price.Credits == 0 && credits != 0:
				price = &api.Price{Credits: credits, Unit: unitOf(at)}
			case credits != 0 && credits != price.Credits, price.Credits == 0: // which price holds is open
				return nil
			}
		}
	}
	if price != nil && price.Unit != unitImage && price.Unit != unitSecond && price.Unit != unitCall {
		price.Unit = unitUnknown
	}
	return price
}

// priceLeaves gives the possible amounts in a price. A default counts alone.
func priceLeaves(n *node) (leaves []*node) {
	if n = cmp.Or(n.any(standard), n); n.shape < shapeArray {
		return []*node{n}
	}
	for c := range n.children {
		leaves = append(leaves, priceLeaves(c)...)
	}
	return leaves
}
