package picture

import (
	"time"

	"golang.org/x/sys/unix"
)

// processMemory bounds the address space of a program that decodes for us.
const processMemory = 2 << 30

// limitProcess bounds the memory and the processor time of a program that has
// just been started.
func limitProcess(pid int, limit time.Duration) {
	seconds := uint64(limit/time.Second) + 1
	_ = unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: processMemory, Max: processMemory}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}
