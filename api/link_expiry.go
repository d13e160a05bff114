package api

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// LinkExpiry gives when a signed address stops working, as far as its query
// says so in one of the ways of the large hosts. It makes no request.
func LinkExpiry(address string) (time.Time, bool) {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery == "" {
		return time.Time{}, false
	}
	q := map[string]string{}
	for name, values := range u.Query() {
		q[strings.ToLower(name)] = values[0]
	}
	for _, p := range []string{"x-amz-", "x-goog-", "x-oss-", "x-tos-"} {
		signed, err := time.Parse("20060102T150405Z", q[p+"date"])
		life, err2 := strconv.ParseInt(q[p+"expires"], 10, 64)
		if err == nil && err2 == nil && life >= 0 && life < 1<<32 {
			return signed.Add(time.Duration(life) * time.Second), true
		}
	}
	if t, err := time.Parse(time.RFC3339, q["se"]); err == nil && q["sig"] != "" {
		return t, true
	}
	// 2001 and 2286 in seconds: other numbers are no moments.
	if n, err := strconv.ParseInt(q["expires"], 10, 64); err == nil && n >= 1e9 && n < 1e10 {
		return time.Unix(n, 0).UTC(), true
	}
	return time.Time{}, false
}
