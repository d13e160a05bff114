package store

import (
	"os"
	"path/filepath"
)

// OpenLock opens a file that is to be locked. Others may remove it while it is open,
// on Windows too, where files of os.OpenFile stay.
func OpenLock(path string, flag int) (*os.File, error) {
	dir, name := filepath.Split(path)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	return folder.OpenFile(name, flag, 0o600)
}
