package read

import (
	"strings"
	"time"
)

// expiry reads when the address beside it dies.
func expiry(n *node) time.Time {
	p := n.parent
	if p.is(shapeArray) {
		p = p.parent
	}
	for _, name := range [...]string{"expiresat", "expireat", "expirationtime", "expires", "expiretime", "urlexpiresat"} {
		if t, ok := moment(p.get(name)); ok {
			return t
		}
	}
	return time.Time{}
}

// moment reads a Unix time in s or ms, or an ISO time.
func moment(n *node) (time.Time, bool) {
	if f, ok := n.float(); ok {
		switch {
		case f > 1e11 && f < 1e14:
			return time.UnixMilli(int64(f)).UTC(), true
		case f > 1e9 && f < 1e11:
			return time.Unix(int64(f), 0).UTC(), true
		}
		return time.Time{}, false
	}
	if n.is(shapeString) && len(n.text) < 64 {
		for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
			if t, err := time.Parse(layout, strings.TrimSpace(n.text)); err == nil {
				return t.UTC(), true
			}
		}
	}
	return time.Time{}, false
}
