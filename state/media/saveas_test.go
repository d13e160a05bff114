package media

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveAsCopiesAndOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := filepath.Join(dir, "result.png")
	noError(t, os.WriteFile(from, pngBytes, 0o600))
	folder := filepath.Join(dir, "out")
	noError(t, os.Mkdir(folder, 0o700))
	for to, want := range map[string]string{
		folder:                              filepath.Join(folder, "result.png"),
		filepath.Join(folder, "cover"):      filepath.Join(folder, "cover.png"),
		filepath.Join(folder, "b/../c.png"): filepath.Join(folder, "c.png"),
	} {
		got, err := SaveAs(t.Context(), from, to)
		if err != nil || got != want {
			t.Fatalf("%s: %q, %v", to, got, err)
		}
		if content, err := os.ReadFile(want); err != nil || !bytes.Equal(content, pngBytes) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for to, why := range map[string]string{
		folder:                               "already",
		filepath.Join(folder, "cover.png"):   "already",
		filepath.Join(dir, "no/where/x.png"): "no such folder",
		"relative.png":                       "whole path",
		"":                                   "whole path",
		from:                                 "already",
	} {
		if got, err := SaveAs(t.Context(), from, to); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %q, %v", to, got, err)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	late := filepath.Join(folder, "late.png")
	if _, err := SaveAs(ended, from, late); err == nil {
		t.Error("it is copied after its context ended")
	}
	if _, err := os.Stat(late); !os.IsNotExist(err) {
		t.Errorf("a part of the copy is left: %v", err)
	}
}
