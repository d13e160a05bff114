package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/ui/cli/run"
)

func TestSavedRequestsAreReadFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const recipe = `{"job":"k3v9","kind":"video","model":"seedance2","request":{"kind":"video","model":"seedance2","prompt":"a koi"}}`
	beside := write("20260301-koi-k3v9-1.mp4", "\x00\x00\x00\x18ftypisom")
	own := write("20260301-koi-k3v9-1.darkroom.json", recipe)
	for _, path := range []string{own, beside} {
		r, err := (&commands{Program: &run.Program{}}).savedRequest(t.Context(), path)
		if err != nil || r.Kind != api.KindVideo || r.Prompt != "a koi" {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
	if r, err := (&commands{Program: &run.Program{}}).savedRequest(t.Context(), write("body.json", `{"model":"a/b","prompt":"c"}`)); err != nil || r.Prompt != "c" || r.Kind != api.KindImage {
		t.Errorf("a body: %+v, %v", r, err)
	}
	for path, want := range map[string]string{
		write("lonely.png", "\x89PNG\r\n\x1a\n"): "no recipe within or beside it",
		filepath.Join(dir, "gone.png"):           "no such file",
		dir:                                      "is a directory",
	} {
		if _, err := (&commands{Program: &run.Program{}}).savedRequest(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
