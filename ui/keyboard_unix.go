//go:build !windows

package ui

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// inputWithin reports whether there is something to read, and waits for it so long.
func inputWithin(f *os.File, d time.Duration) bool {
	var set unix.FdSet
	fd := int(f.Fd())
	set.Set(fd)
	wait := unix.NsecToTimeval(d.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &wait)
	return err == nil && n > 0
}
