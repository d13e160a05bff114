//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestUploadOnTheCommandLine: --yes does not cover a file, --upload does; a
// command whose address is not public, and a request that breaks a rule, send and
// upload nothing.
func TestUploadOnTheCommandLine(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{LongSide: 64})
	h := newHome(t, service.URL())
	file, seen := filepath.Join(h.dir, "my boat.png"), filepath.Join(h.dir, "seen")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	script := program(t, filepath.Join(h.dir, "up"), "printf '%s\\n' \"$@\" >> '"+seen+"'", "env >> '"+seen+"'", "echo https://127.0.0.1:1/boat.png")
	args := []string{"video", "a boat", "--image-files", file, "--yes"}
	h.run(args...).wantCode(t, 2)
	h.configure("upload = [\"" + script + "\", \"{file}\"]\n")
	if got := h.run(args...).wantCode(t, 2); !strings.Contains(got.stderr, "--upload hands it to your upload command") {
		t.Errorf("--yes alone: %s", got.stderr)
	}
	h.run("video", "", "--image-files", file, "--yes", "--upload").wantCode(t, 2)
	if text, err := os.ReadFile(seen); err == nil {
		t.Fatalf("uploaded unasked: %s", text)
	}
	if got := h.run(append(args, "--upload")...).wantCode(t, 2); !strings.Contains(got.stderr, "the uploaded file cannot be reached") {
		t.Errorf("an address that is not public: %s", got.stderr)
	}
	text, err := os.ReadFile(seen)
	if err != nil || !strings.HasPrefix(string(text), file+"\n") || strings.Contains(string(text), "DARKROOM_") || strings.Contains(string(text), testKey) {
		t.Errorf("the command saw %.300s (%v)", text, err)
	}
	if n := creates(service); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
