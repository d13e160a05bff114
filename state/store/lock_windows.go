package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the lock of a file for this open handle alone; false means that
// another one holds it. The locked byte lies behind every size a file of ours
// may have, so that reading and writing stay free.
func TryLock(f *os.File) (bool, error) {
	at := &windows.Overlapped{OffsetHigh: 1 << 20}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock is left to closing the file: no other process has a copy of the handle.
func Unlock(*os.File) {}

// FileNames is how many names a file has, as far as it is told here.
func FileNames(fs.FileInfo) uint64 { return 1 }

// identity tells a file from a copy of it: its number and when it was made, which a restored file may share. "" when they are not known.
func identity(path string) string {
	f, _ := os.Open(path)
	defer f.Close()
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return ""
	}
	return fmt.Sprint(info.FileIndexHigh, info.FileIndexLow, info.CreationTime)
}
