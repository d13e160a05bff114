//go:build !unix

package read

import "time"

var started = time.Now()

// cpuTime is the time that has passed, where the time that a process computed is
// not known.
func cpuTime() time.Duration { return time.Since(started) }
