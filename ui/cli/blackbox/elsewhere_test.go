//go:build linux

package blackbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// foreignHost serves results of its own making from another port, and keeps
// what it was asked.
type foreignHost struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []*http.Request
	served map[string]bool // sums
}

// contents are what a foreign host serves by the type that it is, whatever the
// address and the headers say.
func contents(t *testing.T) map[string][]byte {
	t.Helper()
	var p, j, g bytes.Buffer
	m := image.NewGray(image.Rect(0, 0, 20, 20))
	for _, err := range []error{png.Encode(&p, m), jpeg.Encode(&j, m, nil), gif.Encode(&g, m, nil)} {
		must(t, err)
	}
	return map[string][]byte{
		".png": p.Bytes(), ".jpg": j.Bytes(), ".gif": g.Bytes(),
		".webp": []byte("RIFF\x14\x00\x00\x00WEBPVP8 \x08\x00\x00\x00abcdefgh"),
		".mp4":  []byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41\x00\x00\x00\x08moov\x00\x00\x00\x0cmdatabcd"),
		".bin":  []byte("\x7fELF\x02\x01\x01\x00 no picture at all"),
	}
}

func startForeignHost(t *testing.T) *foreignHost {
	t.Helper()
	f := &foreignHost{served: map[string]bool{}}
	kinds := contents(t)
	for _, content := range kinds {
		sum := sha256.Sum256(content)
		f.served[hex.EncodeToString(sum[:])] = true
	}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		simtest.Locked(&f.mu, func() { f.asked = append(f.asked, r.Clone(r.Context())) })
		h := w.Header()
		h.Set("Content-Type", "application/x-sh")
		h.Set("Content-Disposition", `attachment; filename="../../../evil.sh"; filename*=UTF-8''..%2F..%2F%E2%80%AEevil.exe`)
		h.Set("Content-Location", "/../../evil.sh")
		h.Set("Set-Cookie", "track=1")
		_, _ = w.Write(kinds[r.URL.Query().Get("is")])
	}))
	t.Cleanup(f.Close)
	return f
}

// completedWith is the answer of a job that has these addresses as its results.
func completedWith(t *testing.T, addresses []string) string {
	t.Helper()
	images := api.Map(addresses, func(a string) object { return object{"url": a, "filename": "../../evil.sh", "name": "CON.png"} })
	text := simtest.Must(json.Marshal(map[string]any{"job": map[string]any{"status": "COMPLETED", "result": map[string]any{"images": images}}}))(t)
	return string(text)
}

// TestDownloadNames has addresses, headers and prompts ask for names outside
// the folder, of devices, with controls and of other types.
func TestDownloadNames(t *testing.T) {
	t.Parallel()
	toll := &downloadToll{}
	d := newDownloadLane(t, toll, simtest.Options{})
	host := startForeignHost(t)
	paths := []string{"/../../../../../../etc/cron.d/evil", "/%2e%2e%2f%2e%2e%2fevil.sh", "/CON.png", "/aux", "/lpt1.jpg", "/x%00y.png", "/%1b%5b31m.png",
		"/a%e2%80%aegnp.exe", "/.bashrc", "/.darkroom-zzz-1.part", "/" + strings.Repeat("long", 500)}
	kinds := []string{".png", ".jpg", ".gif", ".webp", ".mp4", ".bin"}
	prompts := []string{"../../../../tmp/evil", "CON", "nul.png", "COM1: aux", "~/.ssh/authorized_keys", "-rf * ; $(touch evil)", "bidi \u202egnp.exe \u2066x",
		strings.Repeat("長い名前", 60), "C:\\Windows\\system32", "tag \U000e0041\U000e0042 end", "...", "a\tb\nc", "e\u0301\u200b\u200b\u200bx"}
	files := 0
	for i, prompt := range prompts {
		var addresses []string
		for n := range 4 {
			path, kind := paths[(4*i+n)%len(paths)], kinds[(i+n)%len(kinds)]
			addresses = append(addresses, fmt.Sprintf("%s%s?is=%s&n=%d", host.URL, path, kind, n))
		}
		d.service.AddFault(simtest.Fault{Endpoint: "job", Do: "body", Body: completedWith(t, addresses)})
		got := document[job](t, d.h.run("image", "--model", "lumen/still-1", "--yes", "--json", "--", prompt).wantCode(t, 0))
		d.service.ClearFaults()
		toll.rows.Add(1)
		expect.Must(t, len(got.Files) == len(addresses), prompt, len(got.Files), "files, want", len(addresses), reason(got))
		for n, file := range got.Files {
			kind := kinds[(i+n)%len(kinds)]
			expect.Equal(t, filepath.Ext(file.Path), kind, prompt, file.Path)
			expect.Equal(t, filepath.Dir(file.Path), d.h.env["DARKROOM_DOWNLOADS"], prompt)
			expect.Equal(t, sumOf(t, file.Path), file.SHA256, prompt, file.Path)
		}
		files += len(got.Files)
	}
	list := simtest.Must(os.ReadDir(d.h.env["DARKROOM_DOWNLOADS"]))(t)
	expect.Len(t, list, files+len(prompts), "results and recipes")
	d.inspectFolder(func(path string) bool { return host.served[sumOf(t, path)] })
	d.recipesTellNothing(host.URL)
	host.saw(t, toll)
	toll.log(t, fmt.Sprintf("%d files with names of others", files))
}

// recipesTellNothing looks for addresses and the key in the recipes.
func (d *downloadLane) recipesTellNothing(address string) {
	d.t.Helper()
	recipes := simtest.Must(filepath.Glob(filepath.Join(d.h.env["DARKROOM_DOWNLOADS"], "*.darkroom.json")))(d.t)
	expect.Must(d.t, len(recipes) > 0, "no recipes")
	for _, path := range recipes {
		content := string(simtest.Must(os.ReadFile(path))(d.t))
		expect.Lacks(d.t, content, address, path)
		expect.Lacks(d.t, content, testKey, path)
		expect.That(d.t, json.Valid([]byte(content)), path, content)
	}
}

// saw checks what the foreign host was sent.
func (f *foreignHost) saw(t *testing.T, toll *downloadToll) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.asked {
		toll.calls.Add(1)
		if strings.Contains(fmt.Sprint(r.Header, r.URL), testKey) || r.Header.Get("Authorization") != "" {
			toll.withKey.Add(1)
			t.Error("another host was given the key")
		}
		for _, name := range []string{"Cookie", "Referer"} {
			expect.Equal(t, r.Header.Get(name), "", "another host was sent", name)
		}
		expect.That(t, r.Method == http.MethodGet && r.ContentLength <= 0, "another host was sent a", r.Method, "of", r.ContentLength, "bytes")
	}
}

// TestDownloadsLedAway redirects downloads to another host and port, by every
// status there is.
func TestDownloadsLedAway(t *testing.T) {
	t.Parallel()
	toll := &downloadToll{}
	d := newDownloadLane(t, toll, simtest.Options{})
	host := startForeignHost(t)
	away := []string{host.URL, strings.Replace(host.URL, "127.0.0.1", "localhost", 1)}
	for i, status := range []int{301, 302, 303, 307, 308} {
		d.service.AddFault(simtest.Fault{Endpoint: "result", Do: "redirect", Status: status, Body: away[i%2] + "/moved?is=.jpg", Header: http.Header{"Set-Cookie": {"a=b"}}})
		got := document[job](t, d.h.run("image", fmt.Sprint("led away by ", status), "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 0))
		d.service.ClearFaults()
		toll.rows.Add(1)
		expect.Must(t, len(got.Files) == 1, status, len(got.Files), "files", reason(got))
		path := got.Files[0].Path
		expect.That(t, filepath.Ext(path) == ".jpg" && host.served[sumOf(t, path)], status, path)
	}
	d.inspectFolder(func(path string) bool { return host.served[sumOf(t, path)] })
	host.saw(t, toll)
	expect.Equal(t, toll.calls.Load(), 5, "calls to the other host")
	toll.log(t, "downloads led to another host")
}

// TestDownloadsOverwriteNothing puts other things under the names that a
// download is going to use.
func TestDownloadsOverwriteNothing(t *testing.T) {
	t.Parallel()
	d := newDownloadLane(t, &downloadToll{}, simtest.Options{LongSide: 64})
	pictures := d.h.env["DARKROOM_DOWNLOADS"]
	precious := filepath.Join(t.TempDir(), "precious")
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	must(t, os.MkdirAll(pictures, 0o700))
	var paths []string
	for name, put := range map[string]func(final, part string) error{
		"nothing":                  func(_, _ string) error { return nil },
		"a link":                   func(final, _ string) error { return os.Symlink(precious, final) },
		"a link to nothing":        func(final, _ string) error { return os.Symlink(nowhere, final) },
		"a folder":                 func(final, _ string) error { return os.Mkdir(final, 0o700) },
		"an empty file":            func(final, _ string) error { return os.WriteFile(final, nil, 0o600) },
		"a link as the part":       func(_, part string) error { return os.Symlink(precious, part) },
		"a dead link as the part":  func(_, part string) error { return os.Symlink(nowhere, part) },
		"a hard link as the part":  func(_, part string) error { return os.Link(precious, part) },
		"somebody's bytes as part": func(_, part string) error { return os.WriteFile(part, bytes.Repeat([]byte("x"), 1<<20), 0o644) },
	} {
		must(t, os.WriteFile(precious, []byte("mine"), 0o600))
		accepted := document[job](t, d.h.run("image", "same words", "--model", "lumen/still-1", "--yes", "--again", "--json", "--no-wait").wantCode(t, 0))
		before := simtest.Must(os.ReadDir(pictures))(t)
		created := simtest.Must(time.Parse(time.RFC3339, accepted.CreatedAt))(t)
		day := created.Local().Format("20060102")
		final := filepath.Join(pictures, fmt.Sprintf("%s-same-words-%s-1.png", day, accepted.ID[:8]))
		must(t, put(final, filepath.Join(pictures, ".darkroom-"+accepted.ID+"-1.part")))
		got := document[job](t, d.h.run("wait", accepted.ID, "--json").wantCode(t, 0))
		expect.Must(t, len(got.Files) == 1, name, got.Phase, "with", len(got.Files), "files", reason(got))
		sameAsServed(t, d.service, got)
		path := got.Files[0].Path
		expect.Equal(t, string(simtest.Must(os.ReadFile(precious))(t)), "mine", name, "a file outside is now")
		expect.Fails(t, expect.Err(os.Lstat(nowhere)), "", name, "a file was made outside")
		taken := slices.Contains([]string{"a link", "a link to nothing", "a folder", "an empty file"}, name)
		expect.Equal(t, strings.Contains(path, "-copy1-"), taken, name, "saved as", path, "and the obstacle was at", final)
		expect.That(t, !slices.Contains(paths, path) && filepath.Dir(path) == pictures, name, "saved as", path)
		paths = append(paths, path)
		for _, e := range before {
			expect.Is(t, expect.Err(os.Lstat(filepath.Join(pictures, e.Name()))), nil, name)
		}
	}
	left, _ := filepath.Glob(filepath.Join(pictures, ".*.part"))
	expect.Len(t, left, 0, "parts are left")
	t.Logf("%d obstacles under a result's names: none overwritten, none followed, every result whole", len(paths)-1)
}
