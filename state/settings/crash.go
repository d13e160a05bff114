package settings

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// breaks is set by the linker alone (-X darkroom/state/settings.breaks=yes), for
// a binary that breaks where a test wants it to.
var breaks string

const crashVariable = variables + "CRASH"

var crashes sync.Map // of *atomic.Int64, the calls at a place

// CrashAt panics at the call that DARKROOM_CRASH names, as in "update@3", with the
// key in the panic's value. In a binary that is not linked for it, it does nothing.
func CrashAt(place string) {
	if breaks == "" {
		return
	}
	n, _ := crashes.LoadOrStore(place, new(atomic.Int64))
	if os.Getenv(crashVariable) == fmt.Sprintf("%s@%d", place, n.(*atomic.Int64).Add(1)) {
		panic("a crash on purpose with " + os.Getenv(keyVariable))
	}
}
