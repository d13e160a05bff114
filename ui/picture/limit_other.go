//go:build !linux

package picture

import "time"

// limitProcess does nothing here: the options of the program and the time limit
// bound it.
func limitProcess(int, time.Duration) {}
