package media

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCheckFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := filepath.Join(dir, "a", "b")
	if err := CheckFolder(made); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(made); err != nil || len(left) != 0 {
		t.Errorf("%v left, %v", left, err)
	}
	file := filepath.Join(dir, "file")
	noError(t, os.WriteFile(file, nil, 0o600))
	for _, bad := range []string{file, filepath.Join(file, "below")} {
		if err := CheckFolder(bad); err == nil {
			t.Errorf("%s is no folder", bad)
		}
	}
}
