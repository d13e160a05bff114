package api

import (
	"regexp"
	"sync"
)

// Pattern is an expression that is compiled when it is first asked for: no start
// waits for those that it does not need.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
