//go:build unix

package read

import (
	"syscall"
	"time"
)

// cpuTime is how long this process has computed: unlike the time of day it does
// not grow while other processes have the machine.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
