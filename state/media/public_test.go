package media

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var secret atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("/there", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/no-head", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if r.Header.Get("Range") != "bytes=0-63" {
			t.Error("the whole file was asked for")
		}
		w.WriteHeader(http.StatusPartialContent)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", http.StatusFound) })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/inward", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.1/x", http.StatusFound)
	})
	mux.HandleFunc("/private", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	mux.HandleFunc("/reset", func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		_ = c.Close()
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
			secret.Store(true)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	local := fetcherAt(server.URL)
	for path, want := range map[string]string{
		"/there": "", "/there#t=1": "", "/no-head": "", "/moved": "",
		"/gone":    "is 404 for the public",
		"/private": "is 401 for the public",
		"/round":   "more than 5 other addresses",
		"/inward":  "private network",
		"/reset":   "cannot be reached",
	} {
		_, err := local.Public(t.Context(), server.URL+path)
		var e *Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case want != "" && (!errors.As(err, &e) || !strings.Contains(e.Error(), want) || strings.Contains(e.Error(), server.URL)):
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if secret.Load() {
		t.Error("a header went along that is nobody's business")
	}
	before := asked.Load()
	away := fetcherAt("https://a.example")
	for _, address := range []string{
		server.URL + "/there", strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/there",
		"http://169.254.169.254/latest", "file:///etc/passwd", "ftp://a.example/x", "https://user:pw@a.example/x", "https://", "ht\x00tp://x",
	} {
		if _, err := away.Public(t.Context(), address); err == nil {
			t.Errorf("%s passes for public", address)
		}
	}
	if asked.Load() != before {
		t.Error("this machine was asked on behalf of a service elsewhere")
	}
}

// TestPublicTellsWhatTheFileIs: by its bytes, whatever its host says of it.
func TestPublicTellsWhatTheFileIs(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	noError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 36))))
	whole := append(picture.Bytes(), make([]byte, 100_000)...)
	mux := http.NewServeMux()
	mux.HandleFunc("/boat.png", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(whole))
	})
	mux.HandleFunc("/page.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>sign in</title>")
	})
	mux.HandleFunc("/drops.mp3", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ID3\x03") })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for path, want := range map[string]Link{
		"/boat.png":  {Status: 206, Type: "image/png", Bytes: int64(len(whole))},
		"/page.png":  {Status: 200, Type: "text/html", Bytes: 37},
		"/drops.mp3": {Status: 200, Type: "audio/mpeg", Bytes: 4},
		"/gone":      {Status: 404, Bytes: 19},
	} {
		got, err := fetcherAt(server.URL).Public(t.Context(), server.URL+path)
		if got != want || (err != nil) != (want.Status == 404) {
			t.Errorf("%s is %+v (%v), want %+v", path, got, err, want)
		}
		if got.Page() != (path == "/page.png") {
			t.Errorf("%s: page %t", path, got.Page())
		}
	}
}
