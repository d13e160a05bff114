package read

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// maxReadWait keeps arithmetic on absurd figures within a time.Duration.
const maxReadWait = 10 * 365 * 24 * time.Hour

// Wait reads how long an answer asks to wait: retry-after-ms, Retry-After
// (whole or fractional seconds, or a date against the answer's own Date), then
// RateLimit-Reset and x-ratelimit-reset… (seconds, a duration such as 6m0s, or
// above 1e9 a Unix time). now stands in for a missing Date header. A date in
// the past is a wait of 0; what cannot be read is not a wait at all.
func Wait(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	values := api.Map(header.Values("Retry-After-Ms"), func(ms string) string { return strings.TrimSpace(ms) + "ms" })
	for _, v := range append(values, header.Values("Retry-After")...) {
		if d, ok := waitValue(v, now); ok {
			return d, true
		}
	}
	// A window of a rate limit with calls left is not what holds the caller up, so
	// one with none left goes first; among equals the longest wait is the safe one.
	spent := false
	for name, values := range header {
		lower := strings.ToLower(name)
		none := strings.TrimSpace(header.Get(strings.Replace(lower, "-reset", "-remaining", 1))) == "0"
		if !strings.HasPrefix(strings.TrimPrefix(lower, "x-"), "ratelimit-reset") || spent && !none {
			continue
		}
		for _, v := range values {
			if d, readable := waitValue(v, now); readable && none && !spent {
				wait, spent, ok = d, true, true
			} else if readable {
				wait, ok = max(wait, d), true
			}
		}
	}
	return wait, ok
}

// waitValue reads one value: seconds, a Unix time, a duration or a date. It rounds
// up, so that a wait is never a little too short.
func waitValue(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	at, err := http.ParseTime(v)
	n := 0.0
	if strings.Trim(v, "0123456789.") == "" { // no sign, hex, NaN or Inf
		if n, err = strconv.ParseFloat(v, 64); err == nil && n <= 1e9 {
			return min(time.Duration(math.Ceil(n*float64(time.Second))), maxReadWait), true
		}
		if n > 1e12 { // a Unix time in milliseconds
			n = min(n, 1e15) / 1000
		}
		at = time.UnixMilli(int64(n * 1000))
	}
	if err == nil {
		return min(max(at.Sub(now), 0), maxReadWait), true
	}
	d, err := time.ParseDuration(v)
	return min(max(d, 0), maxReadWait), err == nil && !strings.HasPrefix(v, "-")
}

// bodyWait reads a wait in the body, in seconds or as a duration such as "34s".
func bodyWait(root *node) (wait time.Duration) {
	root.below(func(n *node) {
		if waitKeys.has(n.name) && wait == 0 {
			d, _ := time.ParseDuration(n.scalar())
			if f, _ := n.float(); f <= 3600 {
				d = max(d, time.Duration(f*float64(time.Second)))
			}
			if d > 0 && d <= time.Hour {
				wait = d
			}
		}
	})
	return wait
}

// reWait reads "try again in 20s" and "available in 1 second".
var reWait = api.Pattern(`(?i)\b(?:retry|try again|available|wait)[a-z ]{0,16} ([0-9]{1,4}(?:\.[0-9]+)?)` +
	` ?(s|secs?|seconds?|m|mins?|minutes?)\b|([0-9]{1,4}(?:\.[0-9]+)?) ?(秒|分钟)[之以]?后`)

func textWait(text string) time.Duration {
	m := reWait().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := "s"
	if strings.HasPrefix(strings.ToLower(m[2]), "m") || m[4] == "分钟" {
		unit = "m"
	}
	d, _ := time.ParseDuration(m[1] + m[3] + unit)
	return min(d, time.Hour)
}
