//go:build linux

package blackbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/html"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestListsForScripts: the list of jobs as scripts take it, one document, one
// line each, some fields, an expression, columns with tabs; an empty store says
// so on standard error.
func TestListsForScripts(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	r := h.run("jobs").wantCode(t, 0)
	expect.Equal(t, [2]string{r.stdout, r.stderr}, [2]string{"", "no jobs yet\n"}, "an empty list")
	expect.Equal(t, h.run("jobs", "--json").stdout, "{\n  \"jobs\": []\n}\n", "an empty document")
	_, bare := answering(t, "models", `{"models": []}`, "application/json")
	expect.Equal(t, bare.run("models").wantCode(t, 0).stderr, "The service lists no models.\n", "an empty list of models")
	var ids []string
	for _, prompt := range []string{"a boat", "a\tkoi"} {
		r := h.run("image", prompt, "--yes", "--no-wait", "--quiet")
		id := strings.TrimSpace(r.stdout)
		expect.Must(t, r.code == 0 && r.stderr == "" && id != "" && !strings.ContainsAny(id, " \n"), "the id alone", r)
		ids = append([]string{id}, ids...)
	}
	lines := ids[0] + "\n" + ids[1] + "\n"
	for args, want := range map[string]string{
		"--ndjson --json=id,kind": `{"id":"` + ids[0] + `","kind":"image"}` + "\n" + `{"id":"` + ids[1] + `","kind":"image"}` + "\n",
		"--jq .jobs[].id":         lines, "--ndjson --jq .id": lines,
	} {
		expect.Equal(t, h.run(append([]string{"jobs"}, strings.Fields(args)...)...).stdout, want, "jobs", args)
	}
	r = h.run("jobs", "--jq", ".[").wantCode(t, 2).prints(t, "is not a jq expression")
	expect.Equal(t, r.stderr, "", "a wrong expression")
	h.run("job", ids[0], "--json=id,raw").wantCode(t, 0).prints(t, `"raw": null`)
	r = h.run("jobs", "--json=nonsense").wantCode(t, 2).prints(t, "there are created_at, credits")
	expect.Lacks(t, r.stdout, "\n{", "a field that is not there")
	expect.Equal(t, r.stderr, "", "a field that is not there")
	var all struct{ Jobs []job }
	must(t, json.Unmarshal([]byte(h.run("jobs", "--json").stdout), &all))
	expect.That(t, len(all.Jobs) == 2 && all.Jobs[0].ID == ids[0], "the document", all)
	for line := range strings.Lines(h.run("jobs").stdout) {
		expect.Equal(t, strings.Count(line, "\t"), 5, "not six cells", line)
	}
	h.run("jobs", "--limit", "0").wantCode(t, 2)
	h.run("jobs", "--limit", "-1").wantCode(t, 2)
}

// TestOutputOfAResult: --output copies the result and overwrites nothing;
// --curl prints a command without the key; flags that exclude each other are
// refused, and one letter too much is asked about.
func TestOutputOfAResult(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	to := filepath.Join(h.dir, "boat.png")
	r := h.run("image", "a boat", "--yes", "--quiet", "--output", to)
	saved, err := os.ReadFile(strings.TrimSpace(r.stdout))
	expect.Must(t, err == nil && r.code == 0 && r.stderr == "", err, r)
	expect.Equal(t, string(simtest.Must(os.ReadFile(to))(t)), string(saved), "the copy")
	missing := filepath.Join(h.dir, "missing") + "/"
	for taken, says := range map[string]string{to: "already exists", missing + "boat.png": "no such folder", missing: "no such folder"} { // before anything is paid
		h.run("image", "a koi", "--yes", "--output", taken).wantCode(t, 2).says(t, says)
	}
	r = h.run("image", "a boat's\nwake", "--dry-run", "--curl")
	r.prints(t, `'{"model":"lumen/still-1","prompt":"a boat'\''s\nwake","async":true}'`)
	expect.Lacks(t, r.stdout, testKey, "curl")
	for _, args := range [][]string{{"image", "x", "--wait", "--no-wait"}, {"image", "x", "--curl"}, {"image", "x", "--dry-run", "--curl", "--json"}, {"image", "x", "--dry-run", "--curl", "--jq", "."},
		{"image", "x", "--yes", "--json=id,nonsense"}, {"tools", "call", "generate_image", `{"prompt":"x"}`, "--yes", "--json=nonsense"}, {"job", ""}, {"image", "x", "--no-wait", "--output", "y"},
		{"jobs", "--filter", "boat is:pickd"}, {"jobs", "--filter", "kind:vidoe"}, {"export", "--html", filepath.Join(h.dir, "sheet"), "--filter", "since:soon"}, {"prices", "--top", "0"}} {
		h.run(args...).wantCode(t, 2)
	}
	h.run("image", "x", "--kuality", "low").wantCode(t, 2).says(t, "did you mean --quality?")
	wantCreates(t, service, 1)
}

// TestCompletionAsksNobody: values for a shell come from the store alone, also
// with a service that is gone.
func TestCompletionAsksNobody(t *testing.T) {
	service, h := begin(t, simtest.Options{})
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
		"tools config":   "agents\n",
		"help tools":     "call\t",
		"edit":           ":0\n",
		"batch":          ":0\n",
		"image x --from": id,
	} {
		r := h.run(append(append([]string{"__complete"}, strings.Fields(args)...), "")...)
		expect.That(t, r.code == 0 && strings.HasPrefix(r.stdout, want), args, r, "want", want)
	}
	expect.Equal(t, len(service.Calls()), before, "requests were made by completion")
}

// TestAnExpressionLosesNothing: what --jq fails to print after a send is said on
// standard error, and a signal ends an expression that does not end.
func TestAnExpressionLosesNothing(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	e := h.run("image", "a koi", "--model", "lumen/still-1", "--yes", "--jq", ".id | error").wantCode(t, 1)
	j := h.jobs()[0]
	e.says(t, j.Files[0].Path+"\njob "+j.ID+" · done\n")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		cmd := h.command(t.Context(), "jobs", "--jq", "1, last(repeat(2))")
		out := simtest.Must(cmd.StdoutPipe())(t)
		must(t, cmd.Start())
		simtest.Must(out.Read(make([]byte, 2)))(t)
		must(t, cmd.Process.Signal(sig))
		began := time.Now()
		_ = cmd.Wait()
		expect.That(t, time.Since(began) <= 5*time.Second, sig, "took", time.Since(began))
		expect.Equal(t, cmd.ProcessState.ExitCode(), 1, sig, "exit code")
	}
}

// links are the addresses that a page would load or lead to, and scripts the
// elements that could run something.
func links(t *testing.T, page string) (addresses []string, scripts int) {
	t.Helper()
	tokens := html.NewTokenizer(strings.NewReader(page))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		if token.Data == "script" {
			scripts++
		}
		for _, a := range token.Attr {
			switch {
			case a.Key == "src" || a.Key == "href":
				addresses = append(addresses, a.Val)
			case strings.HasPrefix(a.Key, "on"):
				scripts++
			}
		}
	}
	return addresses, scripts
}

// TestExport: a page with every result, whose files are copies, whose prompts
// are text and that asks no network; a second export takes in what is new.
func TestExport(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	prompt := `纸船 <script>alert("1")</script> & "quotes" ' onerror=x`
	first := document[job](t, h.run("image", prompt, "--yes", "--json").wantCode(t, 0))
	dir := filepath.Join(t.TempDir(), "a sheet")
	index := strings.TrimSpace(h.run("export", "--html", dir).wantCode(t, 0).stdout)
	expect.Must(t, index == filepath.Join(dir, "index.html"), "it says", index)
	clip := document[job](t, h.run("video", "a tram", "--duration", "5", "--yes", "--json").wantCode(t, 0))
	h.run("image", "one that is refused", "--image-url", "https://127.0.0.1/x.png", "--yes")
	h.run("export", "--html", dir).wantCode(t, 0)

	raw := simtest.Must(os.ReadFile(index))(t)
	page := string(raw)
	addresses, scripts := links(t, page)
	if scripts != 0 || len(addresses) != 3 { // the picture, the link to it, the clip
		t.Errorf("%d scripts, addresses %q", scripts, addresses)
	}
	for _, address := range addresses {
		expect.That(t, !regexp.MustCompile(`^[a-z]+:|^//`).MatchString(address), "the page asks for", address)
	}
	for _, f := range append(first.Files, clip.Files...) {
		want := simtest.Must(os.ReadFile(f.Path))(t)
		got, err := os.ReadFile(filepath.Join(dir, "files", filepath.Base(f.Path)))
		expect.That(t, err == nil && string(got) == string(want), "the copy of", f.Path, err)
	}
	for _, words := range []string{"纸船 &lt;script&gt;alert(", "a tram", "12.5 credits", "425 credits", "5 s"} {
		expect.Contains(t, page, words, "the page")
	}
	expect.That(t, strings.Index(page, "a tram") <= strings.Index(page, "纸船"), "the newest is not first")
	expect.Lacks(t, page, service.URL())
	expect.Lacks(t, page, testKey)

	must(t, os.Remove(first.Files[0].Path))
	e := h.run("export", "--html", filepath.Join(t.TempDir(), "b"), "--limit", "1").wantCode(t, 0)
	expect.Equal(t, e.stderr, "", "a file that is not asked for is missed")
	h.run("export", "--html", filepath.Join(t.TempDir(), "c")).wantCode(t, 0).says(t, filepath.Base(first.Files[0].Path))
}

// TestExportKeepsOtherFolders: what darkroom did not write stays as it is.
func TestExportKeepsOtherFolders(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	h.run("export", "--html", dir).wantCode(t, 2).says(t, "--html")
	expect.Len(t, simtest.Must(os.ReadDir(dir))(t), 1)
	h.run("export").wantCode(t, 2)
	e := h.run("export", "--html", filepath.Join(t.TempDir(), "new")).wantCode(t, 0)
	expect.That(t, e.stdout != "", "an empty store gives no page")
}
