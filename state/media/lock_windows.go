package media

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the file for this open handle alone; it ends with the handle. The
// locked byte lies behind every size a result may have, so that reading and
// writing stay free.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 20}
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrBusy
	}
	return err
}

// links is how many names a file has, as far as it is told here.
func links(fs.FileInfo) uint64 { return 1 }

func full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
