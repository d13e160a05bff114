package api

import (
	"cmp"
	"slices"
)

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

func VideoModels() []string {
	return []string{TierFast, TierStandard, TierFastVIP, TierStandardVIP}
}

// Resolutions gives the resolutions that a video_model takes; "" takes all.
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

// RateOf gives the credits a second of a pair, if there is such a pair. Without a
// resolution fast and standard have 720p, at which they are fixed.
func RateOf(videoModel, resolution string) (Credits, bool) {
	if only := Resolutions(videoModel); resolution == "" && len(only) == 1 {
		resolution = only[0]
	}
	for _, c := range rates {
		if c.VideoModel == videoModel && c.Resolution == resolution {
			return c.PerSecond, c.PerSecond > 0
		}
	}
	return 0, false
}

const maxTableSeconds = 1_000_000

// TableEstimate is the price of a seedance2 request by the spec's rate table
// ("Limits"), with SourceNone if it has none.
func TableEstimate(r Request) Estimate {
	seconds, ok := secondsOf(r)
	rate, listed := RateOf(r.VideoModel, r.Resolution)
	if r.Model != Seedance2 || !ok || !listed {
		return Estimate{Source: SourceNone}
	}
	return Estimate{Credits: seconds * (rate / Credit), Source: SourceTable}
}

// tableMinimum is the least that a request with open values costs by the table.
func tableMinimum(r Request) (least Estimate) {
	for _, pair := range rates {
		one := Request{Kind: r.Kind, Model: r.Model, Duration: cmp.Or(r.Duration, "1")}
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
