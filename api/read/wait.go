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

// waitValue reads one value: seconds, a Unix time, a duration or a date.
func waitValue(v string, now time.Time) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	n, number := waitNumber(v)
	if n > 1e12 { // a Unix time in milliseconds
		n = min(n, 1e15) / 1000
	}
	at, err := http.ParseTime(v)
	if n > 1e9 {
		at, err = time.UnixMilli(int64(n*1000)), nil
	}
	if err == nil {
		return min(max(at.Sub(now), 0), maxReadWait), true
	}
	if number {
		return waitSeconds(n), true
	}
	d, err := time.ParseDuration(v)
	return min(max(d, 0), maxReadWait), err == nil && !strings.HasPrefix(v, "-")
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

// bodyWait reads a wait in the body, in seconds or as a duration such as "34s".
func bodyWait(n *node, depth int) time.Duration {
	for c := range n.each(waitKeys) {
		f, ok := c.float()
		if d, err := time.ParseDuration(c.scalar()); err == nil {
			f, ok = d.Seconds(), true
		}
		if ok && f > 0 && f <= 3600 {
			return time.Duration(f * float64(time.Second))
		}
	}
	for c := range n.children {
		if depth < 3 && c.index < 32 && (c.name == "" || fieldBoxes.has(c.name)) {
			if d := bodyWait(c, depth+1); d > 0 {
				return d
			}
		}
	}
	return 0
}

// reWait reads "try again in 20s" and "available in 1 second".
var (
	reWait = api.Pattern(`(?i)\b(?:retry|try again|available|wait)[a-z ]{0,16} ([0-9]{1,4}(?:\.[0-9]+)?)` +
		` ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b`)
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
	f, _ := strconv.ParseFloat(m[1], 64)
	unit := time.Second
	switch {
	case strings.HasPrefix(m[2], "ms"), strings.HasPrefix(m[2], "milli"):
		unit = time.Millisecond
	case strings.EqualFold(m[2][:1], "m"), m[2] == "分钟":
		unit = time.Minute
	}
	return min(time.Duration(f*float64(unit)), time.Hour)
}
