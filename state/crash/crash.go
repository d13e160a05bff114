// Package crash makes a binary break where a test wants it to: At panics where
// DARKROOM_CRASH says so, in a binary linked for that, and does nothing in every
// other.
package crash

import (
	"fmt"
	"os"
	"sync"
)

// breaks is set by the linker alone (-X darkroom/state/crash.breaks=yes): so
// nothing is compiled twice for the tests.
var breaks string

var crashes struct {
	sync.Mutex
	n map[string]int
}

// At panics at the call that DARKROOM_CRASH names, as in "update@3", with the key
// in the panic's value: the worst that a crash note could be given.
func At(place string) {
	if breaks == "" {
		return
	}
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
