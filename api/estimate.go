package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"time"
)

// Estimate is the price of exactly one request.
type Estimate struct {
	Credits Credits         `json:"credits"`
	Source  Source          `json:"source"`
	At      time.Time       `json:"at,omitzero"`
	Raw     json.RawMessage `json:"raw,omitempty"`
	// Unit is the unit of the service's amount if it is not credits, such as
	// "USD", or the part of the request that it is the price of, such as
	// "second". Such an amount is not a figure of credits.
	Unit string `json:"unit,omitempty"`
	// Differs says that the service and the rate table have different figures
	// for the request. They are Service and Table; Credits is the higher one and
	// Source names whose it is.
	Differs bool    `json:"differs,omitempty"`
	Service Credits `json:"service,omitempty"`
	Table   Credits `json:"table,omitempty"`
	// Sent is what the same parameters cost when a request was last accepted with
	// them, and SentAt when that was; zero when none was.
	Sent   Credits   `json:"sent,omitempty"`
	SentAt time.Time `json:"sent_at,omitzero"`
}

// Dearer reports whether the parameters cost more than when they were last sent.
func (e Estimate) Dearer() bool { return e.Known() && !e.SentAt.IsZero() && e.Credits > e.Sent }

// Known reports whether the estimate has a figure of credits.
func (e Estimate) Known() bool {
	return e.Unit == "" && (e.Source == SourceService || e.Source == SourceTable)
}

// UnitSecond is the Unit of a price of one second of video.
const UnitSecond = "second"

// Total turns a price of one second into the price of the request, when that is
// for a video of a number of seconds. Every other estimate stays as it is.
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

// WithTable compares a figure of the service with the rate table's, when that
// has one for the request: the higher one counts, and both are kept if they
// differ. For a request that leaves a part of the price open the table has the
// lowest possible price; a figure above it agrees with the table.
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

// FreshFor is how old a figure of the service may be to count for a limit.
const FreshFor = time.Minute

// Current is the figure that counts at now, and whether it is e: one of the
// service that is older than FreshFor is not known any more, and the rate
// table's replaces it if there is one.
func (e Estimate) Current(r Request, now time.Time) (Estimate, bool) {
	if e.Source != SourceService || now.Sub(e.At) <= FreshFor {
		return e, true
	}
	return TableEstimate(r), false
}

// priced are the parameters of "GET or POST /api/v1/pricing/estimate" behind model, in
// the order of its table.
var priced = ranked(func(f *Field) int { return f.Priced })

// EstimateQuery gives the parameters of the estimate as the spec encodes them
// for GET. Size and ratio have the names the model lists.
func (r Request) EstimateQuery(m Model) url.Values {
	q := url.Values{FieldModel: {r.Model}}
	for _, f := range priced {
		if text := f.Text(&r); text != "" {
			q.Set(f.listedName(&r, m), text)
		}
	}
	return q
}

// EstimateBody gives the same parameters as a flat JSON object for POST, whose
// encoding the spec does not show.
func (r Request) EstimateBody(m Model) []byte {
	w := Object{}
	w.text(FieldModel, r.Model)
	for _, f := range priced {
		w.field(f.listedName(&r, m), f, &r)
	}
	return w.JSON()
}

// Estimated reports whether the estimate depends on the field.
func Estimated(field string) bool {
	f := FieldNamed(field)
	return field == FieldModel || slices.Contains(priced, f)
}

// EstimateKey identifies the question that an estimate answers: the kind, which
// the rate table depends on, and the parameters of EstimateQuery with their
// names. Requests with equal keys have the same estimate, so whoever asks for,
// remembers or compares estimates does it under this key.
func (r Request) EstimateKey(m Model) string {
	return string(r.Kind) + "?" + r.EstimateQuery(m).Encode()
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

// rates is the table of "Limits", row by row.
var rates = []Rate{
	{TierFast, "480p", 0}, {TierFast, "720p", 85 * Credit}, {TierFast, "1080p", 0},
	{TierStandard, "480p", 0}, {TierStandard, "720p", 85 * Credit}, {TierStandard, "1080p", 0},
	{TierFastVIP, "480p", 50 * Credit}, {TierFastVIP, "720p", 100 * Credit}, {TierFastVIP, "1080p", 0},
	{TierStandardVIP, "480p", 85 * Credit}, {TierStandardVIP, "720p", 100 * Credit}, {TierStandardVIP, "1080p", 200 * Credit},
}

// Rates gives every cell of the rate table, row by row, unavailable pairs too.
func Rates() []Rate { return slices.Clone(rates) }

// VideoModels gives the values of video_model in the table's order.
func VideoModels() []string {
	return []string{TierFast, TierStandard, TierFastVIP, TierStandardVIP}
}

// Resolutions gives the resolutions that a video_model takes: for "" every
// resolution of the table, for an unknown video_model none.
func Resolutions(videoModel string) []string {
	if videoModel == "" {
		return []string{"480p", "720p", "1080p"}
	}
	var out []string
	for _, c := range rates {
		if c.VideoModel == videoModel && c.PerSecond > 0 {
			out = append(out, c.Resolution)
		}
	}
	return out
}

// RateOf gives the credits a second of a pair, and false when there is no such
// pair. Without a resolution fast and standard have 720p, at which they are
// fixed ("GET or POST /api/v1/pricing/estimate").
func RateOf(videoModel, resolution string) (Credits, bool) {
	if resolution == "" {
		only := Resolutions(videoModel)
		if videoModel == "" || len(only) != 1 {
			return 0, false
		}
		resolution = only[0]
	}
	for _, c := range rates {
		if c.VideoModel == videoModel && c.Resolution == resolution {
			return c.PerSecond, c.PerSecond > 0
		}
	}
	return 0, false
}

// SamePrice gives the other pairs that cost as much a second.
func SamePrice(videoModel, resolution string) []Rate {
	rate, ok := RateOf(videoModel, resolution)
	if !ok {
		return nil
	}
	var out []Rate
	for _, c := range rates {
		if c.PerSecond == rate && (c.VideoModel != videoModel || resolution != "" && c.Resolution != resolution) {
			out = append(out, c)
		}
	}
	return out
}

// maxTableSeconds keeps the table's amounts far from overflow.
const maxTableSeconds = 1_000_000

// TableEstimate is the price of a seedance2 request by the spec's rate table
// (Limits), or an Estimate with SourceNone when it is for another model, or
// the duration is not a number of seconds above zero, or the pair has no rate.
func TableEstimate(r Request) Estimate {
	none := Estimate{Source: SourceNone}
	if r.Model != Seedance2 {
		return none
	}
	seconds, ok := secondsOf(r)
	if !ok {
		return none
	}
	rate, ok := RateOf(r.VideoModel, r.Resolution)
	if !ok {
		return none
	}
	return Estimate{Credits: seconds * (rate / Credit), Source: SourceTable}
}

// tableMinimum is the least that the rate table has for a seedance2 request. Without
// tier or resolution it is the price of the cheapest pair that the request may mean,
// without a duration the price of one second.
func tableMinimum(r Request) Estimate {
	if e := TableEstimate(r); e.Known() || r.Model != Seedance2 || r.Kind != KindVideo {
		return e
	}
	if r.Duration == "" {
		r.Duration = "1"
	}
	least := Estimate{Source: SourceNone}
	for _, pair := range rates {
		if r.VideoModel != "" && r.VideoModel != pair.VideoModel || r.Resolution != "" && r.Resolution != pair.Resolution {
			continue
		}
		r := r
		r.VideoModel, r.Resolution = pair.VideoModel, pair.Resolution
		if e := TableEstimate(r); e.Known() && (!least.Known() || e.Credits < least.Credits) {
			least = e
		}
	}
	return least
}

// secondsOf is the duration of a video in millionths of a second, and false
// when it is not a number of seconds above zero.
func secondsOf(r Request) (Credits, bool) {
	if r.Kind != KindVideo || !decimal().MatchString(r.Duration) {
		return 0, false
	}
	seconds, err := ParseCredits(r.Duration) // a decimal in millionths
	return seconds, err == nil && seconds > 0 && seconds <= maxTableSeconds*Credit
}
