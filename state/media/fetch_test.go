package media

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

var pngBytes = append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte("pixel"), 40000)...)

const job = "k3v9q2mxabcdefgh"

func want(address string) Want {
	return Want{
		Job: job, N: 1, Kind: api.KindImage, Title: "Harbour at dawn",
		Created: time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local),
		Result:  api.Result{URL: address},
	}
}

// serve starts a service and a Fetcher whose base URL it is.
func serve(t *testing.T, h http.HandlerFunc) (*Fetcher, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	base, _ := url.Parse(srv.URL)
	return New(Options{Base: base, Dir: filepath.Join(t.TempDir(), "results"), Recipes: true}), srv.URL
}

// folder lists what is in the downloads folder, and nothing may be beside it.
func folder(t *testing.T, f *Fetcher) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		info := must(e.Info())(t)
		if info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", e.Name(), info.Mode())
		}
		names = append(names, e.Name())
	}
	beside, err := os.ReadDir(filepath.Dir(f.dir))
	if err != nil || len(beside) > 1 {
		t.Errorf("files outside the folder: %v, %v", beside, err)
	}
	return names
}

func wantFolder(t *testing.T, f *Fetcher, want ...string) {
	t.Helper()
	if got := folder(t, f); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %v, want %v", got, want)
	}
}

func TestFetchKeepsTheWholeFile(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		for _, h := range []string{"Authorization", "Cookie", "Referer"} {
			if r.Header.Get(h) != "" {
				t.Errorf("the download carries %s", h)
			}
		}
		w.Header().Set("Content-Type", "text/html") // a lie that must not matter
		w.Header().Set("Content-Disposition", `attachment; filename="../../evil.sh"`)
		w.Header().Set("Set-Cookie", "a=b")
		w.Write(pngBytes)
	})
	got, err := f.Fetch(t.Context(), want(base+"/x?sig=1"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(pngBytes)
	name := "20260301-harbour-at-dawn-k3v9q2mx-1.png"
	exp := store.File{Path: filepath.Join(f.dir, name), URL: base + "/x?sig=1", MediaType: "image/png",
		Bytes: int64(len(pngBytes)), SHA256: hex.EncodeToString(sum[:])}
	if got != exp {
		t.Errorf("got %+v, want %+v", got, exp)
	}
	saved, err := os.ReadFile(got.Path)
	if err != nil || !bytes.Equal(saved, pngBytes) {
		t.Errorf("the saved file differs: %v", err)
	}
	if info, _ := os.Stat(f.dir); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, want 0700", info.Mode().Perm())
	}
	again, err := f.Fetch(t.Context(), want(base+"/x?sig=1"))
	if err != nil || again != exp || calls.Load() != 1 {
		t.Errorf("a second fetch gave %+v, %v with %d calls; want the same file and 1 call", again, err, calls.Load())
	}
	wantFolder(t, f, name)
}

func TestFetchRefusesLies(t *testing.T) {
	t.Parallel()
	hijack := func(w http.ResponseWriter, answer string) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, answer)
		if tcp, ok := c.(*net.TCPConn); ok {
			tcp.SetLinger(0) // a reset, not an end
		}
		c.Close()
	}
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		text string
	}{
		"longer than it is": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(pngBytes)+1))
			w.Write(pngBytes)
		}, "before the whole file"},
		"reset": {func(w http.ResponseWriter, r *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\x89PNG\r\n\x1a\n")
		}, ""},
		"cut chunk": {func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n\x89PNG\r\n\x1a\n")
			c.Close()
		}, "before the whole file"},
		"huge": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(300<<20))
			w.WriteHeader(200)
		}, "larger than"},
		"empty": {func(w http.ResponseWriter, r *http.Request) {}, "empty"},
		"packed": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.Write(pngBytes)
		}, "packed"},
		"unasked part": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-9/100")
			w.WriteHeader(206)
			w.Write(pngBytes[:10])
		}, "part of the file"},
		"to a private network": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://10.0.0.1/x?secret", http.StatusFound)
		}, "private network"},
		"to a metadata service": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://[::ffff:169.254.169.254]/x", http.StatusFound)
		}, "private network"},
		"to plain http": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/x", http.StatusFound)
		}, "not https"},
		"to a file": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		}, "cannot be read"},
		"round in circles": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusFound)
		}, "more than 5"},
		"server trouble": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, "503"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, base := serve(t, c.h)
			got, err := f.Fetch(t.Context(), want(base+"/x?sig=hidden"))
			var known *Error
			if !errors.As(err, &known) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %+v, %v; want an Error about %q", got, err, c.text)
			}
			if err != nil && (strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "secret")) {
				t.Errorf("the sentence holds the address: %v", err)
			}
			wantFolder(t, f)
		})
	}
}

func TestFetchTellsExpiredLinks(t *testing.T) {
	t.Parallel()
	for _, status := range []int{403, 404, 410} {
		f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(status) })
		if _, err := f.Fetch(t.Context(), want(base+"/x")); !errors.Is(err, ErrExpired) {
			t.Errorf("%d gave %v, want ErrExpired", status, err)
		}
		wantFolder(t, f)
	}
}

func TestFetchFollowsFiveHops(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if r.Header.Get("Referer") != "" {
			t.Error("a hop tells where it came from")
		}
		if n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d?sig=%d", n-1, n), http.StatusFound)
			return
		}
		w.Write(pngBytes)
	})
	w := want(base + "/6")
	if _, err := f.Fetch(t.Context(), w); err == nil || !strings.Contains(err.Error(), "more than 5") {
		t.Errorf("6 hops gave %v", err)
	}
	wantFolder(t, f)
	w.Result.URL = base + "/5"
	if _, err := f.Fetch(t.Context(), w); err != nil {
		t.Errorf("5 hops gave %v", err)
	}
}

func TestFetchKeepsBodiesAndData(t *testing.T) {
	t.Parallel()
	f := New(Options{Dir: filepath.Join(t.TempDir(), "results")})
	w := want("")
	w.Body, w.Length = bytes.NewReader(pngBytes), int64(len(pngBytes))
	if got, err := f.Fetch(t.Context(), w); err != nil || got.Bytes != w.Length {
		t.Errorf("body: %+v, %v", got, err)
	}
	w = want("")
	w.N, w.Body, w.Length = 2, bytes.NewReader(pngBytes), int64(len(pngBytes))+1
	if _, err := f.Fetch(t.Context(), w); !errors.Is(err, errShort) {
		t.Errorf("short body: %v", err)
	}
	w = want("")
	w.N, w.Result.Data = 3, []byte("no picture at all")
	got, err := f.Fetch(t.Context(), w)
	if err != nil || filepath.Ext(got.Path) != ".bin" || got.MediaType != "application/octet-stream" {
		t.Errorf("data: %+v, %v", got, err)
	}
	if _, err := f.Fetch(t.Context(), Want{Job: job, N: 4}); err == nil {
		t.Error("a result without address and content was taken")
	}
	wantFolder(t, f, "20260301-harbour-at-dawn-k3v9q2mx-1.png", "20260301-harbour-at-dawn-k3v9q2mx-3.bin")
}

// What is saved already as another result is not saved again.
func TestFetchKnowsOtherResults(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(pngBytes) })
	sum := sha256.Sum256(pngBytes)
	w := want(base + "/x")
	w.Others = []string{"00", hex.EncodeToString(sum[:])}
	var saved *SavedError
	if _, err := f.Fetch(t.Context(), w); !errors.As(err, &saved) || saved.SHA256 != w.Others[1] {
		t.Errorf("got %v, want a SavedError", err)
	}
	wantFolder(t, f)
}

// A file that has changed since it was saved is brought again, beside the changed
// one, which may be somebody's work.
func TestFetchBringsChangedFilesAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { calls.Add(1); w.Write(pngBytes) })
	w := want(base + "/x")
	saved, err := f.Fetch(t.Context(), w)
	if err != nil || !Intact(t.Context(), saved) {
		t.Fatalf("%+v, %v", saved, err)
	}
	other := bytes.Clone(pngBytes)
	other[len(other)-1] ^= 1
	for n, content := range [][]byte{pngBytes[:1000], other, {}, nil} {
		if content == nil {
			err = os.Remove(saved.Path)
		} else {
			err = os.WriteFile(saved.Path, content, 0o600)
		}
		if err != nil || Intact(t.Context(), saved) {
			t.Fatalf("%d: %v, or it counts as whole", n, err)
		}
		w.Known = saved
		again, err := f.Fetch(t.Context(), w)
		if err != nil || again.SHA256 != saved.SHA256 || !Intact(t.Context(), again) {
			t.Fatalf("%d: %+v, %v", n, again, err)
		}
		if content != nil && again.Path == saved.Path {
			t.Errorf("%d: the changed file is gone", n)
		}
		if again.Path != saved.Path {
			os.Remove(again.Path) // so that the next one is downloaded too
		}
	}
	if calls.Load() != 5 {
		t.Errorf("%d downloads, want 5", calls.Load())
	}
}

// An address that is a page's gives a file of no known type, which is never
// opened; at every other address a page is no result.
func TestFetchOfAPage(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		io.WriteString(w, "<!DOCTYPE html><p>viewer</p>")
	})
	if _, err := f.Fetch(t.Context(), want(base+"/x.png")); !errors.Is(err, errPage) || !strings.Contains(err.Error(), "page of text") {
		t.Errorf("a picture: %v", err)
	}
	wantFolder(t, f)
	w := want("")
	w.N, w.Result.Data = 2, []byte(`{"vector": "graphic"}`) // the only copy there is
	if got, err := f.Fetch(t.Context(), w); err != nil || filepath.Ext(got.Path) != ".bin" {
		t.Errorf("data: %+v, %v", got, err)
	}
	got, err := f.Fetch(t.Context(), want(base+"/viewer.HTML?sig=1"))
	if err != nil || filepath.Ext(got.Path) != ".bin" || got.MediaType != unknownType.name {
		t.Errorf("a page: %+v, %v", got, err)
	}
	if err := Open(t.Context(), "/bin/true", got.Path, nil); err == nil {
		t.Error("it was opened")
	}
}

// Plain http is for this machine alone; the sentence names the address without
// its signature.
func TestFetchWantsHTTPS(t *testing.T) {
	t.Parallel()
	f, _ := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := f.Fetch(t.Context(), want("http://media.example.com/image.png?sig=hidden"))
	var known *Error
	if !errors.As(err, &known) || !known.Final || !strings.Contains(err.Error(), "not https") ||
		!strings.HasSuffix(err.Error(), ": http://media.example.com/image.png") {
		t.Errorf("%v", err)
	}
}

// must is a value, or the end of the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// noError ends the test when a step of its set-up failed.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
