// Package lock locks files for as long as a process has them open.
package lock

import (
	"os"
	"path/filepath"
)

// Open opens a file that is to be locked. Others may remove it while it is open,
// on Windows too, where files of os.OpenFile stay.
func Open(path string, flag int) (*os.File, error) {
	dir, name := filepath.Split(path)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return folder.OpenFile(name, flag, 0o600)
}
