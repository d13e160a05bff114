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
// the past is a wait of 0; what cannot be read is no wait at all.
func Wait(header http.Header, now time.Time) (time.Duration, bool) {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	for _, v := range header.Values("Retry-After-Ms") {
		if ms, ok := waitNumber(v); ok {
			return waitSeconds(ms / 1000), true
		}
	}
	for _, v := range header.Values("Retry-After") {
		if d, ok := waitValue(v, now); ok {
			return d, true
		}
	}
	return readReset(header, now)
}

// readReset reads the headers that say when a rate limit's window ends. A
// window with calls left is not what holds the caller up, so one with none
// left goes first; among equals the longest wait is the safe one.
func readReset(header http.Header, now time.Time) (wait time.Duration, ok bool) {
	spent := false
	for name, values := range header {
		lower := strings.ToLower(name)
		if !strings.HasPrefix(strings.TrimPrefix(lower, "x-"), "ratelimit-reset") {
			continue
		}
		none := strings.TrimSpace(header.Get(strings.Replace(lower, "-reset", "-remaining", 1))) == "0"
		for _, v := range values {
			d, readable := waitValue(v, now)
			switch {
			case !readable || spent && !none:
			case none && !spent:
				wait, spent, ok = d, true, true
			default:
				wait, ok = max(wait, d), true
			}
		}
	}
	return wait, ok
}

// waitValue reads one value: seconds, a Unix time, a duration or a date.
func waitValue(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if n, ok := waitNumber(v); ok {
		switch {
		case n > 1e12: // a Unix time in milliseconds
			return untilTime(time.UnixMilli(int64(min(n, 1e15))), now), true
		case n > 1e9:
			return untilTime(time.UnixMilli(int64(n*1000)), now), true
		}
		return waitSeconds(n), true
	}
	if t, err := http.ParseTime(v); err == nil {
		return untilTime(t, now), true
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return untilTime(t, now), true
	}
	if d, err := time.ParseDuration(v); err == nil && d >= 0 && !strings.HasPrefix(v, "-") {
		return min(d, maxReadWait), true
	}
	return 0, false
}

// waitNumber reads a plain decimal of zero or more: no sign, hex, NaN or Inf.
func waitNumber(v string) (float64, bool) {
	v = strings.TrimSpace(v)
	if v == "" || len(v) > 32 || strings.Trim(v, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(v, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// waitSeconds rounds up, so that a wait is never a little too short.
func waitSeconds(n float64) time.Duration {
	if n >= maxReadWait.Seconds() {
		return maxReadWait
	}
	return time.Duration(math.Ceil(n * float64(time.Second)))
}

func untilTime(t, now time.Time) time.Duration {
	return min(max(t.Sub(now), 0), maxReadWait)
}

// bodyWait reads a wait in the body, in seconds or as a duration such as "34s".
func bodyWait(root *node) time.Duration {
	err := root.get("error")
	places := []*node{root, err, root.get("data"), err.get("details")}
	for c := range err.get("details").children {
		if places = append(places, c); len(places) > 32 {
			break
		}
	}
	for _, n := range places {
		for c := range n.each(waitKeys) {
			f, ok := c.float()
			if d, err := time.ParseDuration(c.scalar()); err == nil {
				f, ok = d.Seconds(), true
			}
			if ok && f > 0 && f <= 3600 {
				return time.Duration(f * float64(time.Second))
			}
		}
	}
	return 0
}

// reWait reads "try again in 20s" and "available in 1 second".
var (
	reWait        = api.Pattern(`(?i)\b(?:retry|try again|available|wait)[a-z ]{0,16} ([0-9]{1,4}(?:\.[0-9]+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b`)
	reWaitChinese = api.Pattern(`([0-9]{1,4}(?:\.[0-9]+)?) ?(秒|分钟)[之以]?后`)
)

func textWait(text string) time.Duration {
	m := reWait().FindStringSubmatch(text)
	if m == nil {
		m = reWaitChinese().FindStringSubmatch(text)
	}
	if m == nil {
		return 0
	}
	f, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	unit := time.Second
	switch {
	case strings.HasPrefix(m[2], "ms"), strings.HasPrefix(m[2], "milli"):
		unit = time.Millisecond
	case strings.EqualFold(m[2][:1], "m"), m[2] == "分钟":
		unit = time.Minute
	}
	return min(time.Duration(f*float64(unit)), time.Hour)
}
