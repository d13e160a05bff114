//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestRequestFromAFile: a recipe and a body are requests, not prompts.
func TestRequestFromAFile(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("image", "a paper boat", "--size", "2K", "--yes").wantCode(t, 0)
	recipes, err := filepath.Glob(filepath.Join(h.dir, "pictures", "*.darkroom.json"))
	must(t, err)
	if len(recipes) != 1 {
		t.Fatalf("recipes: %v", recipes)
	}
	body := filepath.Join(h.dir, "body.json")
	must(t, os.WriteFile(body, []byte(`{"model":"lumen/still-1","prompt":"a paper boat","size":"2K","async":true}`+"\n"), 0o600))
	for _, file := range []string{recipes[0], body} {
		e := h.run("image", "@"+file, "--quality", "high", "--dry-run").wantCode(t, 0)
		for _, want := range []string{`"prompt":"a paper boat"`, `"size":"2K"`, `"quality":"high"`} {
			if !strings.Contains(strings.ReplaceAll(e.stdout, ": ", ":"), want) {
				t.Errorf("%s lacks %s: %s", file, want, e.stdout)
			}
		}
	}
	h.run("video", "@"+recipes[0], "--yes").wantCode(t, 2)
	if n := creates(service); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
}
