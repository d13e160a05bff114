package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Estimate is the price of exactly one request.
type Estimate struct {
	Credits Credits         `json:"credits"`
	Source  Source          `json:"source"`
	At      time.Time       `json:"at,omitzero"`
	Raw     json.RawMessage `json:"raw,omitempty"`
	// Unit is what the service's amount is in if it is not credits, such as "USD",
	// or of what part of the request it is the price, such as "second".
	Unit string `json:"unit,omitempty"`
	// Differs says that Service and Table are not equal: Credits is the higher one.
	Differs bool    `json:"differs,omitempty"`
	Service Credits `json:"service,omitempty"`
	Table   Credits `json:"table,omitempty"`
	// Sent is what the same parameters cost when a request was last accepted with
	// them, and SentAt when that was.
	Sent   Credits   `json:"sent,omitempty"`
	SentAt time.Time `json:"sent_at,omitzero"`
}

// Dearer reports whether the parameters cost more than when last sent.
func (e Estimate) Dearer() bool { return e.Known() && !e.SentAt.IsZero() && e.Credits > e.Sent }

func (e Estimate) Known() bool {
	return e.Unit == "" && (e.Source == SourceService || e.Source == SourceTable)
}

// Plus is what two requests cost together, not known when one is not.
func (e Estimate) Plus(more Estimate) Estimate {
	if !e.Known() || !more.Known() {
		return Estimate{Source: SourceNone}
	}
	return Estimate{Credits: e.Credits.Plus(more.Credits), Source: e.Source}
}

const UnitSecond = "second"

// Total turns a price of one second into the price of a video of known duration.
func (e Estimate) Total(r Request) Estimate {
	seconds, ok := secondsOf(r)
	if e.Unit != UnitSecond || !ok || e.Credits > MaxCredits/maxTableSeconds {
		return e
	}
	// Credits and seconds are millionths both; the product is rounded up.
	whole, part := e.Credits/Credit, e.Credits%Credit
	e.Credits, e.Unit = (whole * seconds).Plus((part*seconds+Credit-1)/Credit), ""
	return e
}

// WithTable compares a figure of the service with the rate table's, the lowest possible
// one if a part of the price is open: the higher one counts, and both are kept.
func (e Estimate) WithTable(r Request) Estimate {
	table := tableMinimum(r)
	if !e.Known() || e.Source != SourceService || !table.Known() || e.Credits == table.Credits ||
		e.Credits > table.Credits && !TableEstimate(r).Known() {
		return e
	}
	e.Differs, e.Service, e.Table = true, e.Credits, table.Credits
	if table.Credits > e.Credits {
		e.Credits, e.Source = table.Credits, SourceTable
	}
	return e
}

// FreshFor is how old a figure of the service may be to count.
const FreshFor = time.Minute

// Age is how old a figure is at now, and whether that is known: what the wall clock
// says or the monotonic one, which stands still while the machine sleeps, whichever
// is more. A figure from the future has no age.
func (e Estimate) Age(now time.Time) (age time.Duration, known bool) {
	wall := now.Round(0).Sub(e.At.Round(0))
	return max(wall, now.Sub(e.At)), wall >= 0
}

// Fresh reports whether a figure counts at now: the rate table's always does.
func (e Estimate) Fresh(now time.Time) bool {
	age, known := e.Age(now)
	return known && age <= FreshFor || e.Source != SourceService && !e.Differs
}

// Current is the figure that counts at now, and whether it is e: the table's if
// there is one takes the place of a figure that is not Fresh.
func (e Estimate) Current(r Request, now time.Time) (Estimate, bool) {
	if e.Fresh(now) {
		return e, true
	}
	return TableEstimate(r), false
}

// priced are the parameters of "GET or POST /api/v1/pricing/estimate" behind model.
var priced = named(FieldDuration, FieldVideoModel, FieldResolution, FieldSize, FieldQuality, FieldAspectRatio)

// EstimateQuery gives the parameters for GET, with the names that the model lists.
func (r Request) EstimateQuery(m Model) url.Values {
	q := url.Values{FieldModel: {r.Model}}
	for _, f := range priced {
		if text := f.Text(&r); text != "" {
			q.Set(f.listedName(&r, m), text)
		}
	}
	return q
}

// EstimateBody gives them as JSON for POST, whose encoding the spec does not show.
func (r Request) EstimateBody(m Model) []byte {
	w := Object{}
	w.text(FieldModel, r.Model)
	for _, f := range priced {
		w.field(f.listedName(&r, m), f, &r)
	}
	return w.JSON()
}

func Estimated(field string) bool {
	return field == FieldModel || slices.Contains(priced, FieldNamed(field))
}

// EstimateKey identifies the question that an estimate answers: the kind, which
// the rate table depends on, and the parameters of EstimateQuery with their names.
func (r Request) EstimateKey(m Model) string {
	return string(r.Kind) + "?" + r.EstimateQuery(m).Encode()
}

// Credits is an amount of the service's unit of cost ("Credits are the unit of
// cost") in millionths of a credit, so that fractions such as 6.251 add up exactly.
type Credits int64

// Credit is one whole credit.
const Credit Credits = 1_000_000

var errCredits = Sentence("not an amount of credits").Fault(nil)

// ParseCredits reads a decimal number such as "425", "0.6" or "1.2e3", at most 9e12,
// and rounds it to a millionth, half away from zero.
func ParseCredits(s string) (Credits, error) { return parseCredits(s, big.NewRat(1, 2)) }

// ParsePrice reads a price and rounds it up, so that no limit lets a higher one pass. Less
// than a billionth of a credit is left out: it is the noise of binary fractions.
func ParsePrice(s string) (Credits, error) { return parseCredits(s, big.NewRat(999, 1000)) }

// parseCredits adds a part of a millionth, and leaves out what is then less than one.
func parseCredits(s string, part *big.Rat) (Credits, error) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 40 || strings.ContainsAny(s, "xXpP_/iI") {
		return 0, errCredits
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 9e12 {
		return 0, errCredits
	}
	if f < 1e-10 {
		return 0, nil // rounds to nothing; its exact digits could be a million
	}
	r, _ := new(big.Rat).SetString(s) // which takes what ParseFloat has taken
	r.Mul(r, big.NewRat(int64(Credit), 1)).Add(r, part)
	return Credits(new(big.Int).Quo(r.Num(), r.Denom()).Int64()), nil
}

// ParseLimit reads an amount that bounds what may be spent, and rounds it down. It
// refuses what would round to nothing: a budget of 0 is none.
func ParseLimit(s string) (Credits, error) {
	c, err := parseCredits(s, new(big.Rat))
	if digits, _, _ := strings.Cut(strings.ToLower(s), "e"); c == 0 && strings.ContainsAny(digits, "123456789") {
		return 0, errCredits
	}
	return c, err
}

// MaxCredits is the highest amount: sums stop there instead of wrapping round.
const MaxCredits Credits = math.MaxInt64

// BudgetUnreadable stands for a budget that was given but cannot be read: the
// smallest amount, so that a mistyped budget stops spending.
const BudgetUnreadable Credits = 1

// Period is what a budget is for, a day or a month of local time.
type Period int

const (
	Day Period = iota
	Month
)

// Budgets are credits by Period; 0: none.
type Budgets [Month + 1]Credits

// Begin is when the day or the month of a moment began.
func (p Period) Begin(of time.Time) time.Time {
	y, m, d := of.Date()
	if p == Month {
		d = 1
	}
	return Midnight(y, m, d, of.Location())
}

// Midnight is when a day begins: an hour later where summer time leaves out its first one.
func Midnight(y int, m time.Month, d int, in *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, in)
	if t.Hour() > 12 { // in the day before, as west of Greenwich
		_, t = t.ZoneBounds()
	}
	return t
}

// Plus adds an amount that is not negative; the sum is at most MaxCredits.
func (c Credits) Plus(more Credits) Credits { return c + min(more, MaxCredits-c) }

// Round is the amount to a credit, or in three digits if it is small.
func (c Credits) Round() Credits {
	if c >= 100*Credit {
		return (c + Credit/2) / Credit * Credit
	}
	c, _ = ParseCredits(strconv.FormatFloat(float64(c)/float64(Credit), 'g', 3, 64))
	return c
}

// Money is what a credit costs a person: millionths of a currency, and its name.
type Money struct {
	Each     Credits
	Currency string
}

// Of is what credits cost, in brackets after a blank; "" without a price.
func (m Money) Of(c Credits) string {
	if m.Each == 0 || c == 0 {
		return ""
	}
	sum := float64(c) / float64(Credit) * float64(m.Each) / float64(Credit)
	whole, part, _ := strings.Cut(fmt.Sprintf("%.2f", max(sum+1e-9, 0.01)), ".") // a little is not nothing
	return fmt.Sprintf(" (%s.%s %s)", Apart(whole), part, m.Currency)
}

// String is the amount as it is shown: "1,240", "12.5".
func (c Credits) String() string {
	whole, part, dotted := strings.Cut(c.Digits(), ".")
	if whole = Apart(whole); dotted {
		whole += "." + part
	}
	return whole
}

// Digits is the amount as programs read it: "1240".
func (c Credits) Digits() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%s%d.%06d", sign, c/Credit, c%Credit), "0"), ".")
}

func (c Credits) MarshalJSON() ([]byte, error) { return []byte(c.Digits()), nil }

func (c *Credits) UnmarshalJSON(b []byte) error {
	var n json.Number
	err := json.Unmarshal(b, &n)
	if err == nil {
		*c, err = ParseCredits(n.String())
	}
	return err
}

// Apart writes the digits of a whole number with thousands apart: "1,240".
func Apart(number string) string {
	first := len(number) - len(strings.TrimPrefix(number, "-"))
	for i := len(number) - 3; i > first; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}

// Amount is the figure with its unit, as a value of another reason.
func (c Credits) Amount() Reason {
	if c == Credit {
		return Sentence("1 credit").Reason()
	}
	return Sentence("%v credits").Reason(c)
}

// Tiers of seedance2, as video_model spells them.
const (
	TierFast        = "fast"
	TierStandard    = "standard"
	TierFastVIP     = "fast_vip"
	TierStandardVIP = "standard_vip"
)

// Rate is one cell of the table "seedance2 price per second of video".
type Rate struct {
	VideoModel string
	Resolution string
	PerSecond  Credits // 0: the pair is unavailable
}

var rates = []Rate{
	{TierFast, "480p", 0}, {TierFast, "720p", 85 * Credit}, {TierFast, "1080p", 0},
	{TierStandard, "480p", 0}, {TierStandard, "720p", 85 * Credit}, {TierStandard, "1080p", 0},
	{TierFastVIP, "480p", 50 * Credit}, {TierFastVIP, "720p", 100 * Credit}, {TierFastVIP, "1080p", 0},
	{TierStandardVIP, "480p", 85 * Credit}, {TierStandardVIP, "720p", 100 * Credit}, {TierStandardVIP, "1080p", 200 * Credit},
}

func Rates() []Rate { return slices.Clone(rates) }

func VideoModels() []string { return []string{TierFast, TierStandard, TierFastVIP, TierStandardVIP} }

// Resolutions gives the resolutions that a video_model takes; "" takes all.
func Resolutions(videoModel string) []string {
	if videoModel == "" {
		return []string{"480p", "720p", "1080p"}
	}
	return Pick(rates, func(c Rate) (string, bool) { return c.Resolution, c.VideoModel == videoModel && c.PerSecond > 0 })
}

// RateOf gives the credits a second of a pair, if there is such a pair. Without a
// resolution fast and standard have 720p, at which they are fixed.
func RateOf(videoModel, resolution string) (Credits, bool) {
	if only := Resolutions(videoModel); resolution == "" && len(only) == 1 {
		resolution = only[0]
	}
	c, _ := Find(rates, func(c Rate) bool { return c.VideoModel == videoModel && c.Resolution == resolution })
	return c.PerSecond, c.PerSecond > 0
}

const maxTableSeconds = 1_000_000

// TableEstimate is the price of a seedance2 request by the spec's rate table
// ("Limits"), with SourceNone if it has none. A service may take the model's
// name in capitals too, and bill it.
func TableEstimate(r Request) Estimate {
	seconds, ok := secondsOf(r)
	rate, listed := RateOf(r.VideoModel, r.Resolution)
	if !strings.EqualFold(r.Model, Seedance2) || !ok || !listed {
		return Estimate{Source: SourceNone}
	}
	return Estimate{Credits: seconds * (rate / Credit), Source: SourceTable}
}

// tableMinimum is the least that a request with open values costs by the table.
func tableMinimum(r Request) (least Estimate) {
	if _, known := secondsOf(r); !known {
		r.Duration = "1"
	}
	for _, pair := range rates {
		one := Request{Kind: r.Kind, Model: r.Model, Duration: r.Duration}
		one.VideoModel, one.Resolution = cmp.Or(r.VideoModel, pair.VideoModel), cmp.Or(r.Resolution, pair.Resolution)
		if e := TableEstimate(one); e.Known() && (!least.Known() || e.Credits < least.Credits) {
			least = e
		}
	}
	return least
}

func secondsOf(r Request) (Credits, bool) {
	if r.Kind != KindVideo || !decimal().MatchString(r.Duration) {
		return 0, false
	}
	seconds, err := ParseCredits(r.Duration) // a decimal in millionths
	return seconds, err == nil && seconds > 0 && seconds <= maxTableSeconds*Credit
}
