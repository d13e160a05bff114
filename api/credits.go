package api

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Credits is an amount of the service's unit of cost, in millionths of a
// credit, so that fractions add up exactly (the spec: "Credits are the unit of
// cost"; services of this kind use amounts such as 0.6 and 6.251).
type Credits int64

// Credit is one whole credit.
const Credit Credits = 1_000_000

var errCredits = Sentence("not an amount of credits").Fault(nil)

// maxCreditsText is how long the text of an amount may be.
const maxCreditsText = 40

// ParseCredits reads a decimal number such as "425", "0.6" or "1.2e3". It
// rounds to a millionth, half away from zero, and refuses anything else,
// negative amounts and amounts above 9e12 included.
func ParseCredits(s string) (Credits, error) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxCreditsText || strings.ContainsAny(s, "xXpP_/iI") {
		return 0, errCredits
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 9e12 {
		return 0, errCredits
	}
	if f < 1e-7 {
		return 0, nil // rounds to nothing; its exact digits could be a million
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, errCredits
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(Credit)))
	n := new(big.Int).Mul(r.Num(), big.NewInt(2))
	n.Add(n, r.Denom())
	n.Quo(n, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	return Credits(n.Int64()), nil
}

// MaxCredits is the highest amount: sums stop there instead of wrapping round.
const MaxCredits Credits = math.MaxInt64

// BudgetUnreadable stands for a budget that was given but cannot be read. It is
// the smallest amount there is, so that a mistyped one stops spending instead
// of lifting the limit.
const BudgetUnreadable Credits = 1

// Plus adds an amount that is not negative; the sum is at most MaxCredits.
func (c Credits) Plus(more Credits) Credits {
	if more > MaxCredits-c {
		return MaxCredits
	}
	return c + more
}

// String gives the shortest exact decimal: "425", "12.5".
func (c Credits) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	whole, part := c/Credit, c%Credit
	if part == 0 {
		return fmt.Sprintf("%s%d", sign, whole)
	}
	return sign + strings.TrimRight(fmt.Sprintf("%d.%06d", whole, part), "0")
}

// MarshalJSON writes a JSON number.
func (c Credits) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalJSON reads a JSON number.
func (c *Credits) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	v, err := ParseCredits(n.String())
	if err != nil {
		return err
	}
	*c = v
	return nil
}

var (
	oneCredit   = Sentence("1 credit")
	someCredits = Sentence("%v credits")
)

// Amount is the figure with its unit, as a value of another reason.
func (c Credits) Amount() Reason {
	if c == Credit {
		return oneCredit.Reason()
	}
	return someCredits.Reason(c)
}
