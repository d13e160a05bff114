package read

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// bodyWait reads a wait told in the body, in seconds or as a duration such as
// "34s", and from where.
func bodyWait(root *node) (time.Duration, *node) {
	details := root.at("error", "details")
	places := []*node{root, root.get("error"), root.get("data"), details}
	for c := range details.children {
		places = append(places, c)
		if len(places) > 32 {
			break
		}
	}
	for _, n := range places {
		for _, name := range [...]string{"retryafter", "retryafterseconds", "retryin", "retrydelay", "wait", "waitseconds"} {
			c := n.get(name)
			f, ok := c.float()
			if d, err := time.ParseDuration(c.scalar()); err == nil {
				f, ok = d.Seconds(), true
			}
			if ok && f > 0 && f <= 3600 {
				return time.Duration(f * float64(time.Second)), c
			}
		}
	}
	return 0, nil
}

// reWait reads "try again in 20s" and "available in 1 second".
var reWait = regexp.MustCompile(`(?i)\b(?:retry|try again|available|wait)[a-z ]{0,16} ([0-9]{1,4}(?:\.[0-9]+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b`)

var reWaitChinese = regexp.MustCompile(`([0-9]{1,4}(?:\.[0-9]+)?) ?(秒|分钟)[之以]?后`)

func textWait(text string) time.Duration {
	m := reWait.FindStringSubmatch(text)
	if m == nil {
		m = reWaitChinese.FindStringSubmatch(text)
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
