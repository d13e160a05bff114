//go:build linux

package blackbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestListsForScripts: the list of jobs as scripts take it, one document, one
// line each, some fields, an expression, columns with tabs; an empty store says
// so on standard error.
func TestListsForScripts(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	if r := h.run("jobs"); r.code != 0 || r.stdout != "" || r.stderr != "no jobs yet\n" {
		t.Errorf("an empty list: %+v", r)
	}
	if r := h.run("jobs", "--json"); r.stdout != "{\n  \"jobs\": []\n}\n" {
		t.Errorf("an empty document: %q", r.stdout)
	}
	var ids []string
	for _, prompt := range []string{"a boat", "a\tkoi"} {
		r := h.run("image", prompt, "--yes", "--no-wait", "--quiet")
		id := strings.TrimSpace(r.stdout)
		if r.code != 0 || r.stderr != "" || id == "" || strings.ContainsAny(id, " \n") {
			t.Fatalf("the id alone: %+v", r)
		}
		ids = append([]string{id}, ids...)
	}
	if r := h.run("jobs", "--ndjson", "--json=id,kind"); r.stdout != `{"id":"`+ids[0]+`","kind":"image"}`+"\n"+`{"id":"`+ids[1]+`","kind":"image"}`+"\n" {
		t.Errorf("lines: %q", r.stdout)
	}
	if r := h.run("jobs", "--jq", ".jobs[].id"); r.stdout != strings.Join(ids, "\n")+"\n" {
		t.Errorf("an expression: %+v", r)
	}
	if r := h.run("jobs", "--ndjson", "--jq", ".id"); r.stdout != strings.Join(ids, "\n")+"\n" {
		t.Errorf("an expression for each line: %+v", r)
	}
	if r := h.run("jobs", "--jq", ".["); r.code != 2 || !strings.Contains(r.stderr, "is not a jq expression") {
		t.Errorf("a wrong expression: %+v", r)
	}
	if r := h.run("job", ids[0], "--json=id,raw"); r.code != 0 || !strings.Contains(r.stdout, `"raw": null`) {
		t.Errorf("a field that this job does not have: %+v", r)
	}
	if r := h.run("jobs", "--json=nonsense"); r.code != 2 || strings.Count(r.stdout, "\n{") != 0 || !strings.Contains(r.stderr, "there are created_at, credits") {
		t.Errorf("a field that is not there: %+v", r)
	}
	var all struct{ Jobs []job }
	if r := h.run("jobs", "--json"); json.Unmarshal([]byte(r.stdout), &all) != nil || len(all.Jobs) != 2 || all.Jobs[0].ID != ids[0] {
		t.Errorf("the document: %+v", r)
	}
	for line := range strings.Lines(h.run("jobs").stdout) {
		if strings.Count(line, "\t") != 5 {
			t.Errorf("not six cells: %q", line)
		}
	}
	for _, limit := range []string{"0", "-1"} {
		if r := h.run("jobs", "--limit", limit); r.code != 2 {
			t.Errorf("--limit %s: %+v", limit, r)
		}
	}
}

// TestOutputOfAResult: --output copies the result and overwrites nothing;
// --curl prints a command without the key; flags that exclude each other are
// refused, and one letter too much is asked about.
func TestOutputOfAResult(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	to := filepath.Join(h.dir, "boat.png")
	r := h.run("image", "a boat", "--yes", "--quiet", "--output", to)
	saved, err := os.ReadFile(strings.TrimSpace(r.stdout))
	if err != nil || r.code != 0 || r.stderr != "" {
		t.Fatalf("%v: %+v", err, r)
	}
	if copied, err := os.ReadFile(to); err != nil || string(copied) != string(saved) {
		t.Errorf("the copy: %v", err)
	}
	for _, taken := range []string{to, filepath.Join(h.dir, "missing", "boat.png"), filepath.Join(h.dir, "missing") + "/"} { // said before anything is paid
		if r := h.run("image", "a koi", "--yes", "--output", taken); r.code != 2 || !strings.Contains(r.stderr, "--output: there is ") {
			t.Errorf("%s: %+v", taken, r)
		}
	}
	r = h.run("image", "a boat's\nwake", "--dry-run", "--curl")
	if !strings.Contains(r.stdout, `'{"model":"lumen/still-1","prompt":"a boat'\''s\nwake","async":true}'`) || strings.Contains(r.stdout, testKey) {
		t.Errorf("curl: %s", r.stdout)
	}
	for _, args := range [][]string{{"image", "x", "--wait", "--no-wait"}, {"image", "x", "--curl"}, {"image", "x", "--dry-run", "--curl", "--json"}, {"image", "x", "--dry-run", "--curl", "--jq", "."},
		{"image", "x", "--yes", "--json=id,nonsense"}, {"tools", "call", "generate_image", `{"prompt":"x"}`, "--yes", "--json=nonsense"}, {"job", ""}, {"image", "x", "--no-wait", "--output", "y"},
		{"jobs", "--filter", "boat is:pickd"}, {"jobs", "--filter", "kind:vidoe"}, {"export", "--html", filepath.Join(h.dir, "sheet"), "--filter", "since:soon"}, {"prices", "--top", "0"}} {
		if r := h.run(args...); r.code != 2 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := h.run("image", "x", "--kuality", "low"); r.code != 2 || !strings.Contains(r.stderr, "did you mean --quality?") {
		t.Errorf("%+v", r)
	}
	if n := creates(service); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// TestCompletionAsksNobody: values for a shell come from the store alone, also
// with a service that is gone.
func TestCompletionAsksNobody(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	id := strings.TrimSpace(h.run("image", "a boat", "--yes", "--no-wait", "--quiet").stdout)
	before := len(service.Calls())
	for args, want := range map[string]string{
		"job":             id + "\tqueued · a boat\n",
		"wait " + id:      ":",
		"image --model":   "lumen/still-1\n",
		"image --quality": "low\nmedium\nhigh\n",
		"video --video-model standard_vip --resolution": "480p\n720p\n1080p\n",
		"open":           id,
		"prices --kind":  "image\nvideo\n:",
		"prices --model": "lumen/still-1\n",
		"tools config":   "project\t",
		"help tools":     "call\t",
		"edit":           ":0\n",
	} {
		r := h.run(append(append([]string{"__complete"}, strings.Fields(args)...), "")...)
		if r.code != 0 || !strings.HasPrefix(r.stdout, want) {
			t.Errorf("%s: %+v, want %q", args, r, want)
		}
	}
	if n := len(service.Calls()); n != before {
		t.Errorf("%d requests were made by completion", n-before)
	}
}
