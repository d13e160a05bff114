package expand

import (
	"regexp"
	"sync"
)

// Their classes of letters take long to compile, which no start waits for.
var (
	anyName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`__[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*__`) })
	begun   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`__([\p{L}\p{N}]*(?:[-_.][\p{L}\p{N}]+)*[-_.]?)$`) })
)

// Begun returns the beginning of a list's name that a text ends in: what is
// written behind __, which may be nothing yet.
func Begun(text string) (name string, ok bool) {
	if all := anyName().FindAllStringIndex(text, -1); len(all) > 0 {
		text = text[all[len(all)-1][1]:]
	}
	found := begun().FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[1], true
}
