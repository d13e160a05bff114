//go:build crashtest

package crash

import (
	"fmt"
	"os"
	"sync"
)

var crashes struct {
	sync.Mutex
	n map[string]int
}

// crashAt panics at the call that DARKROOM_CRASH names, as in "update@3", with
// the key in the panic's value: the worst that a crash note could be given.
func crashAt(place string) {
	crashes.Lock()
	if crashes.n == nil {
		crashes.n = map[string]int{}
	}
	crashes.n[place]++
	n := crashes.n[place]
	crashes.Unlock()
	if os.Getenv("DARKROOM_CRASH") == fmt.Sprintf("%s@%d", place, n) {
		panic("a crash on purpose with " + os.Getenv("DARKROOM_API_KEY"))
	}
}
