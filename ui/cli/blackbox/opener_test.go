//go:build linux

package blackbox

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// onePixel is a GIF.
const onePixel = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// hostileTitles and hostileAddresses are what people and services may write.
var (
	hostileTitles = []string{"-rf /", "--help", "$(touch x)", "; rm -rf ~", "a\nb", "../../etc/passwd", "%s%n",
		"https://evil.example/x", "'\"`", "空 白", "file:///etc/passwd", "@/etc/passwd"}
	hostileAddresses = []string{"file:///etc/passwd", "javascript:alert(1)", "-e", "--help", "smb://evil.example/x.gif",
		"http://169.254.169.254/latest", "$(touch x)", "/etc/passwd", "../../x.gif", "data:text/html,x"}
)

// TestTheOpenerGetsOneFileOfOurs opens all that results have, 200 in the long form,
// whose titles and addresses are hostile: a program that notes its arguments gets one
// each time, the path of a file in our folder.
func TestTheOpenerGetsOneFileOfOurs(t *testing.T) {
	t.Parallel()
	results := times(60, 200) // each title with each address at least
	gif, err := base64.StdEncoding.DecodeString(onePixel)
	must(t, err)
	var jobs atomic.Int64
	var service *httptest.Server
	service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch endpointOf(r.URL.Path) {
		case "models":
			fmt.Fprint(w, `{"models":[{"id":"lumen/still-1","kind":"image"}]}`)
		case "estimate":
			fmt.Fprint(w, `{"credits":7}`)
		case "create":
			fmt.Fprintf(w, `{"id":"job_%d","status":"PENDING"}`, jobs.Add(1))
		case "job":
			_, id, _ := strings.Cut(r.URL.Path, "/jobs/")
			var n int
			_, _ = fmt.Sscanf(id, "job_%d", &n)
			list, _ := json.Marshal([]map[string]string{
				{"url": fmt.Sprintf("%s/files/%s/--help;$(touch x).gif?-e=%%0a&n=%d", service.URL, id, n)},
				{"url": hostileAddresses[n%len(hostileAddresses)]},
			})
			fmt.Fprintf(w, `{"id":%q,"status":"COMPLETED","result":{"images":%s}}`, id, list)
		default:
			w.Header().Set("Content-Type", "image/gif")
			w.Header().Set("Content-Disposition", `attachment; filename="../../-rf.sh"`)
			_, _ = w.Write(gif)
		}
	}))
	t.Cleanup(service.Close)

	dir, files := t.TempDir(), filepath.Join(t.TempDir(), "pictures")
	opener, record := filepath.Join(dir, "opener"), filepath.Join(dir, "record")
	program(t, opener, "{ echo $#; printf '%s\\n' \"$@\"; } >> '"+record+"'")
	s, err := state.Open(t.Context(), state.Options{
		Settings: state.Settings{
			BaseURL: service.URL, BaseFrom: "environment", EnvKey: testKey, TimeScale: 0.001, Downloads: files, Opener: opener,
			DataDir: filepath.Join(dir, "data"), Recipes: true,
		},
		Env: func(string) string { return "" }, Keyring: emptyRing{}, Poll: true,
	})
	must(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) })

	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	var ids []string
	for n := range results {
		j, err := s.Submit(ctx, state.Confirmed{ConfirmID: state.NewConfirmID(), Again: true, Request: api.Request{
			Kind: api.KindImage, Model: "lumen/still-1", Prompt: hostileTitles[n%len(hostileTitles)] + fmt.Sprint(" ", n)}})
		must(t, err)
		ids = append(ids, j.ID)
	}
	var want []string
	for _, id := range ids {
		j, err := s.Ended(ctx, id)
		must(t, err)
		if len(j.Files) == 0 {
			t.Fatalf("%q was not saved: %s %s", j.Title, j.Phase, j.Error)
		}
		for n := range 4 { // there are fewer: the rest is refused
			if err := s.Results().Show(ctx, id, n, state.InOpener); err == nil {
				want = append(want, "1", j.Files[n-1].Path)
				awaitLines(t, record, len(want))
			}
		}
		for _, path := range []string{"-e", "/etc/passwd", j.Files[0].URL, j.Title} {
			if s.OpenPath(ctx, path) == nil {
				t.Fatalf("%q is opened", path)
			}
		}
	}
	text, err := os.ReadFile(record)
	must(t, err)
	seen := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(want) < 2*results || len(seen) != len(want) {
		t.Fatalf("%d lines noted, %d files opened", len(seen), len(want)/2)
	}
	for i := 0; i < len(seen); i += 2 {
		info, err := os.Lstat(seen[i+1])
		if seen[i] != "1" || seen[i+1] != want[i+1] || filepath.Dir(seen[i+1]) != files || err != nil || !info.Mode().IsRegular() {
			t.Errorf("the opener got %s arguments, %q; %v", seen[i], seen[i+1], err)
		}
	}
	t.Logf("%d files of %d results opened", len(want)/2, results)
}

// awaitLines waits until a file has n lines: a slow program is not waited for by
// those who start it.
func awaitLines(t *testing.T, path string, n int) {
	t.Helper()
	for limit := time.Now().Add(runLimit); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil && bytes.Count(text, []byte("\n")) >= n {
			return
		}
	}
	t.Fatalf("%s has no %d lines after %v", path, n, runLimit)
}
