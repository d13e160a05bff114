//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"darkroom/api/sim/simtest"
)

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
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	prompt := `纸船 <script>alert("1")</script> & "quotes" ' onerror=x`
	first := document[job](t, h.run("image", prompt, "--yes", "--json").wantCode(t, 0))
	dir := filepath.Join(t.TempDir(), "a sheet")
	index := strings.TrimSpace(h.run("export", "--html", dir).wantCode(t, 0).stdout)
	if index != filepath.Join(dir, "index.html") {
		t.Fatalf("it says %q", index)
	}
	clip := document[job](t, h.run("video", "a tram", "--duration", "5", "--yes", "--json").wantCode(t, 0))
	h.run("image", "one that is refused", "--image-url", "https://127.0.0.1/x.png", "--yes")
	h.run("export", "--html", dir).wantCode(t, 0)

	raw, err := os.ReadFile(index)
	must(t, err)
	page := string(raw)
	addresses, scripts := links(t, page)
	if scripts != 0 || len(addresses) != 3 { // the picture, the link to it, the clip
		t.Errorf("%d scripts, addresses %q", scripts, addresses)
	}
	for _, address := range addresses {
		if regexp.MustCompile(`^[a-z]+:|^//`).MatchString(address) {
			t.Errorf("the page asks for %s", address)
		}
	}
	for _, f := range append(first.Files, clip.Files...) {
		want, err := os.ReadFile(f.Path)
		must(t, err)
		got, err := os.ReadFile(filepath.Join(dir, "files", filepath.Base(f.Path)))
		if err != nil || string(got) != string(want) {
			t.Errorf("the copy of %s: %v", f.Path, err)
		}
	}
	for _, words := range []string{"纸船 &lt;script&gt;alert(", "a tram", "12.5 credits", "425 credits", "5 s"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
	if strings.Index(page, "a tram") > strings.Index(page, "纸船") {
		t.Error("the newest is not first")
	}
	if strings.Contains(page, service.URL()) || strings.Contains(page, testKey) {
		t.Error("the page holds the service's address or the key")
	}

	must(t, os.Remove(first.Files[0].Path))
	if e := h.run("export", "--html", filepath.Join(t.TempDir(), "b"), "--limit", "1").wantCode(t, 0); e.stderr != "" {
		t.Errorf("a file that is not asked for is missed: %s", e.stderr)
	}
	if e := h.run("export", "--html", filepath.Join(t.TempDir(), "c")).wantCode(t, 0); !strings.Contains(e.stderr, filepath.Base(first.Files[0].Path)) {
		t.Errorf("a missing file is not named: %s", e.stderr)
	}
}

// TestExportKeepsOtherFolders: what darkroom did not write stays as it is.
func TestExportKeepsOtherFolders(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	for name, files := range map[string]map[string]string{
		"another page": {"index.html": "<p>mine"},
		"other files":  {"notes.txt": "mine"},
		"a file":       nil,
	} {
		dir := filepath.Join(t.TempDir(), "d")
		if files == nil {
			must(t, os.WriteFile(dir, []byte("mine"), 0o600))
		} else {
			must(t, os.Mkdir(dir, 0o700))
		}
		for file, text := range files {
			must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		}
		if e := h.run("export", "--html", dir).wantCode(t, 2); !strings.Contains(e.stderr, "--html") {
			t.Errorf("%s: %s", name, e.stderr)
		}
		for file, text := range files {
			if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != text {
				t.Errorf("%s: %s is %q, %v", name, file, got, err)
			}
		}
		if names, _ := os.ReadDir(dir); len(names) != len(files) {
			t.Errorf("%s: %v", name, names)
		}
	}
	h.run("export").wantCode(t, 2)
	if e := h.run("export", "--html", filepath.Join(t.TempDir(), "new")).wantCode(t, 0); e.stdout == "" {
		t.Error("an empty store gives no page")
	}
}
