package api

import "slices"

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

// leastByTable is the least that the rate table has for a seedance2 request: where
// the request leaves tier or resolution out, that of the cheapest pair that it
// may mean; without a duration, that of one second.
func leastByTable(r Request) Estimate {
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
	if r.Kind != KindVideo || !decimal.MatchString(r.Duration) {
		return 0, false
	}
	seconds, err := ParseCredits(r.Duration) // a decimal in millionths
	return seconds, err == nil && seconds > 0 && seconds <= maxTableSeconds*Credit
}
