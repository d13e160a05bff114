package settings

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"darkroom/api/expand"
)

func TestWildcards(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.toml")
	if lists, err := Wildcards(config); lists != nil || err != nil {
		t.Fatalf("without a folder: %v, %v", lists, err)
	}
	folder := filepath.Join(filepath.Dir(config), "wildcards")
	write := func(name, text string) {
		t.Helper()
		noError(t, os.MkdirAll(folder, 0o700))
		noError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("colours.txt", "\ufeffred\r\n\n  dark blue \n#ff0000\nesc\x1b[31m")
	write("空.txt", "\n\n")
	write("notes.md", "no list")
	lists, err := Wildcards(config)
	want := expand.Lists{"colours": {"red", "dark blue", "#ff0000", "esc[31m"}, "空": nil}
	if err != nil || !reflect.DeepEqual(lists, want) {
		t.Errorf("%q, %v", lists, err)
	}
	write("large.txt", strings.Repeat("x", maxWildcardFile+1))
	if _, err := Wildcards(config); err == nil || !strings.Contains(err.Error(), "large.txt") {
		t.Errorf("a list that is too large: %v", err)
	}
	noError(t, os.Remove(filepath.Join(folder, "large.txt")))
	noError(t, os.Mkdir(filepath.Join(folder, "folder.txt"), 0o700))
	if _, err := Wildcards(config); err == nil || !strings.Contains(err.Error(), "folder.txt") {
		t.Errorf("a folder: %v", err)
	}
}
