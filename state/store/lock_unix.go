//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// TryLock takes the lock of a file for this open handle alone; false means that
// another one holds it, errors.ErrUnsupported that there are no locks.
func TryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.ENOLCK):
			return false, errors.ErrUnsupported
		}
		return err == nil, err
	}
}

// Unlock frees the lock of a file at once: a process that was just forked has a copy of the
// handle, and with it of the lock, also when it is closed here.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// FileNames is how many names a file has: one that has another was published.
func FileNames(info fs.FileInfo) uint64 {
	return uint64(info.Sys().(*syscall.Stat_t).Nlink) //nolint:unconvert // narrower on other systems
}
