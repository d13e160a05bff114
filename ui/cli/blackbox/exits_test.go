//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestMisuseIsRefused: a word that names nothing, flags that exclude each other
// and addresses that others can reach end with 2 and say so; no help, no 0.
func TestMisuseIsRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t, "http://127.0.0.1:1")
	for line, says := range map[string]string{
		"estimate vidoe x":              "did you mean 'darkroom estimate video'?",
		"completion foo":                "say which: 'darkroom completion bash …' or ",
		"estimate koi":                  "say which: 'darkroom estimate image …' or 'darkroom estimate video …'",
		"config --help":                 "did you mean 'darkroom mcp config' or 'darkroom tools config'?",
		"nosuch --help":                 "see 'darkroom help'",
		"image x -p":                    "unknown flag -p: see 'darkroom image --help'",
		"image x --async maybe":         "must be true, false or omit",
		"image x --image-url ./b.png":   "b.png: no such file",
		"job nosuch":                    "no job nosuch: list them with 'darkroom jobs'",
		"help imag":                     "did you mean 'darkroom image'",
		"tools nothing":                 `'nothing' is not a darkroom tools command`,
		"job x --attach a --dismiss":    "--attach, --dismiss exclude each other",
		"simulate --addr 0.0.0.0:0":     "this machine alone",
		"simulate --addr :0":            "this machine alone",
		"image x --dry-run":             "never asked",
		"image x --yes --max-credits z": "not an amount",
		"image x --yes --timeout -1s":   "not a duration",
		"image x --async omit":          "write --async=omit",
		"image @ --yes":                 "name the prompt's file",
		"--csv spend":                   "put --csv after the command",
		"models --base-url ftp://x":     "--base-url: ",
		"nonsense":                      "see 'darkroom help'",
	} {
		e := h.run(strings.Fields(line)...)
		if e.code != 2 || strings.Count(e.stderr, "\n") != 1 || e.stdout != "" || !strings.Contains(e.stderr, says) {
			t.Errorf("%s: exit %d, %q, want 2 and %q\n%s", line, e.code, e.stderr, says, e.stdout)
		}
	}
}

// TestRulesComeBeforeTheService: what a request or a tool's arguments break is said
// also if the service has no address.
func TestRulesComeBeforeTheService(t *testing.T) {
	t.Parallel()
	h := newHome(t, "").with("DARKROOM_BASE_URL", "")
	for line, says := range map[string]string{
		"video x --duration eight":     "--duration must be a number",
		"estimate video x --tier best": "--tier: ",
		"image x --model a/b --seed 4": "--seed is for videos only",
		"tools call x {bad":            "one JSON object",
		"image x --model a/b":          "no base URL is set",
		"video x --dry-run":            "not checked: what seedance2 takes",
	} {
		if e := h.run(strings.Fields(line)...); !strings.Contains(e.stderr, says) || e.code != 2 && !strings.HasSuffix(line, "--dry-run") {
			t.Errorf("%s: exit %d, %s", line, e.code, e.stderr)
		}
	}
}

// TestLostOutputIsNoSuccess: output that cannot be written is exit 1, and the
// path of what was paid for still reaches the person.
func TestLostOutputIsNoSuccess(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	id := h.jobs()[0].ID
	full := func(args ...string) ended {
		t.Helper()
		device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		must(t, err)
		defer device.Close()
		var errs strings.Builder
		cmd := h.command(t.Context(), args...)
		cmd.Stdout, cmd.Stderr = device, &errs
		_ = cmd.Run()
		return ended{stderr: errs.String(), code: cmd.ProcessState.ExitCode()}
	}
	for _, line := range []string{"version", "help", "man", "completion bash", "models", "models --json", "prices", "jobs", "jobs --json",
		"job " + id, "job " + id + " --json", "spend", "spend --json", "estimate image x", "tools", "doctor", "doctor --json", "image x --dry-run"} {
		if e := full(strings.Fields(line)...); e.code != 1 || !strings.Contains(e.stderr, "no space left") {
			t.Errorf("%s: exit %d, %q", line, e.code, e.stderr)
		}
	}
	e := full("image", "a second kettle", "--yes")
	path := h.jobs()[0].Files[0].Path
	if e.code != 1 || !strings.Contains(e.stderr, path) {
		t.Errorf("image: exit %d; %s is not named in %q", e.code, path, e.stderr)
	}
}

// TestADamagedStoreIsNoAnswer: in place of a damaged store a command does not
// show the new, empty one.
func TestADamagedStoreIsNoAnswer(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	store := filepath.Join(h.dir, "data", "darkroom", "darkroom.db")
	must(t, os.WriteFile(store, []byte(strings.Repeat("no store ", 2000)), 0o600))
	for _, line := range []string{"jobs", "jobs --json", "spend", "spend --json", "job x", "image y --yes", "export --html " + t.TempDir()} {
		e := h.run(strings.Fields(line)...)
		if e.code != 4 || !strings.Contains(e.stderr+e.stdout, "damaged") {
			t.Errorf("%s: exit %d, %q", line, e.code, e.stderr)
		}
	}
	if n := creates(service); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	h.run("doctor", "--new-store").wantCode(t, 0)
	h.run("jobs").wantCode(t, 0)
}

// TestALimitOfNothing: --max-credits 0 refuses every price, and each amount is
// written with its unit.
func TestALimitOfNothing(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	e := h.run("image", "a kettle", "--yes", "--max-credits", "0").wantCode(t, 2)
	if !strings.Contains(e.stderr, "12.5 credits, and --max-credits is 0") || creates(service) != 0 {
		t.Errorf("%d requests: %s", creates(service), e.stderr)
	}
}

// TestDoctorHidesKeys: a key that stands where an address belongs is not
// repeated, and what does not matter is no cross.
func TestDoctorHidesKeys(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.configure("[profile]\ntools_path = \"/mcp/" + testKey + "\"\n")
	for _, line := range []string{"doctor", "doctor --json"} {
		e := h.run(strings.Fields(line)...)
		if strings.Contains(e.stdout+e.stderr, testKey) {
			t.Errorf("%s repeats the key:\n%s%s", line, e.stdout, e.stderr)
		}
		if e.code == 0 && strings.Contains(e.stdout, "✗") {
			t.Errorf("%s ends with 0 beside a cross:\n%s", line, e.stdout)
		}
	}
	gone := newHome(t, "http://127.0.0.1:1")
	if e := gone.run("doctor"); e.code != 1 || !strings.Contains(e.stdout, "✗ service") {
		t.Errorf("without a service: exit %d\n%s", e.code, e.stdout)
	}
	gone = newHome(t, startService(t, simtest.Options{Key: rebuiltKey}).URL()).with("DARKROOM_LANG", "fr")
	if e := gone.run("doctor"); e.code != 1 || !strings.Contains(e.stdout, "→ correct DARKROOM_LANG\n") || !strings.Contains(e.stdout, "→ set another key in DARKROOM_API_KEY\n") {
		t.Errorf("a wrong variable and a refused key: exit %d\n%s", e.code, e.stdout)
	}
}
