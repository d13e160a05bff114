package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"darkroom/api"
)

// picture is n bytes that begin like a PNG.
func picture(n int, seed uint64) []byte {
	b := make([]byte, n)
	from := rand.NewChaCha8([32]byte{byte(seed)})
	_, _ = from.Read(b)
	copy(b, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	return b
}

// extractingClient serves one answer; files are the extracted ones that are there.
func extractingClient(t *testing.T, contentType string, body []byte) (*Client, func() []string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	client := testClient(t, s.URL, nil, nil)
	client.newFile = func() (*os.File, error) { return os.CreateTemp(dir, "part") }
	return client, func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "*"))
		return found
	}
}

// Large media inside of an answer become files, in every way of writing them.
func TestExtract(t *testing.T) {
	one, two := picture(1<<20, 1), picture(3<<19+1, 2)
	plain := base64.StdEncoding.EncodeToString
	for name, write := range map[string]func([]byte) string{
		"plain":       plain,
		"data URI":    func(b []byte) string { return "data:image/png;base64," + plain(b) },
		"slashes":     func(b []byte) string { return strings.ReplaceAll(plain(b), "/", `\/`) },
		"code points": func(b []byte) string { return strings.ReplaceAll(plain(b), "+", `\u002b`) },
		"lines": func(b []byte) string {
			s := plain(b)
			return s[:76] + `\n` + s[76:152] + `\r\n` + s[152:]
		},
		"URL-safe": base64.RawURLEncoding.EncodeToString,
	} {
		body := fmt.Sprintf(`{"id":"x1","status":"COMPLETED","created":1,"data":[{"b64_json":"%s"},{"b64_json":"%s"}]}`, write(one), write(two))
		client, files := extractingClient(t, "application/json", []byte(body))
		for call, got := range map[string]func() []api.Result{
			"create": func() []api.Result {
				o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
				if o.Phase != api.PhaseFetching || len(o.Raw) > 1000 {
					t.Errorf("%s: phase %s, %d bytes of raw, %v", name, o.Phase, len(o.Raw), o.Err)
				}
				return o.Answer.Results
			},
			"job": func() []api.Result {
				a, err := client.Job(context.Background(), "x1", api.KindImage)
				if err != nil || a.Class != api.StatusSucceeded {
					t.Errorf("%s: %+v, %v", name, a, err)
				}
				return a.Results
			},
		} {
			results := got()
			if len(results) != 2 || len(files()) != 2 {
				t.Fatalf("%s, %s: %d results, files %v", name, call, len(results), files())
			}
			for i, want := range [][]byte{one, two} {
				kept, err := os.ReadFile(results[i].File)
				if err != nil || !bytes.Equal(kept, want) || results[i].MediaType != "image/png" || results[i].Data != nil {
					t.Errorf("%s, %s: result %d: %d bytes, %v, %+v", name, call, i, len(kept), err, results[i].MediaType)
				}
				os.Remove(results[i].File)
			}
		}
	}
}

// An answer of any size takes little memory: held as a whole it would be three
// times its size. Under the race detector pools are left out, so that the copies
// on the way count too.
func TestExtractMemory(t *testing.T) {
	body := []byte(`{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString(picture(24<<20, 3)) + `"}]}`)
	client, files := extractingClient(t, "application/json", body)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
	runtime.ReadMemStats(&after)
	grown := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d MiB of answer: %d KiB allocated in all", len(body)>>20, grown>>10)
	if o.Phase != api.PhaseFetching || len(files()) != 1 || grown > 48<<20 {
		t.Errorf("phase %s, %d files, %d MiB allocated", o.Phase, len(files()), grown>>20)
	}
}

// What is no result leaves no file, and never takes the job's id away.
func TestExtractLeavesNothing(t *testing.T) {
	big := base64.StdEncoding.EncodeToString(picture(1<<20, 4))
	for name, c := range map[string]struct {
		body  string
		phase api.Phase
	}{
		"a draft of a running job": {`{"id":"x1","status":"PROCESSING","image":"` + big + `"}`, api.PhaseQueued},
		"a preview":                {`{"id":"x1","status":"PENDING","thumbnail":"` + big + `"}`, api.PhaseQueued},
		"not base64 after all":     {`{"image":"` + big + `???","id":"x1"}`, api.PhaseQueued},
		"cut off":                  {`{"id":"x1","image":"` + big, api.PhaseUnknown},
		"cut off in an escape":     {`{"id":"x1","image":"` + big + `\u00`, api.PhaseUnknown},
		"broken JSON behind it":    {`{"id":"x1","image":"` + big + `",]`, api.PhaseUnknown},
	} {
		client, files := extractingClient(t, "application/json", []byte(c.body))
		o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
		if o.Phase != c.phase || len(files()) != 0 {
			t.Errorf("%s: phase %s, want %s; files %v", name, o.Phase, c.phase, files())
		}
		_, _ = client.Job(context.Background(), "x1", api.KindImage)
		if name != "cut off" && len(files()) != 0 {
			t.Errorf("%s: a poll left %v", name, files())
		}
	}
	client, _ := extractingClient(t, "application/json", []byte(`{"image":"`+big+`","id":"x1"}`))
	client.newFile = func() (*os.File, error) { return nil, errors.New("no room") }
	if o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage}); o.Phase != api.PhaseQueued || o.Answer.ID != "x1" {
		t.Errorf("without room: phase %s id %q", o.Phase, o.Answer.ID)
	}
	s := newExtractor(func() (*os.File, error) { return nil, errors.New("no room") }, nil)
	s.left = 1 << 20
	if _, err := s.extract(bufio.NewReaderSize(strings.NewReader(`{"image":"`+big+strings.Repeat("A", 1<<20)+`"}`), extractFrom), MaxAnswer); !errors.Is(err, ErrTooLarge) {
		t.Errorf("media without an end: %v", err)
	}
	client, _ = extractingClient(t, "application/json", []byte(`{"id":"x1","text":"`+strings.Repeat("word ", 1<<19)+`"}`))
	if o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage}); o.Phase != api.PhaseUnknown || !errors.Is(o.Err.Cause, ErrTooLarge) {
		t.Errorf("a long text: phase %s, %v", o.Phase, o.Err)
	}
}

// A poll that is answered with the file itself has the result.
func TestPollAnsweredWithMedia(t *testing.T) {
	want := picture(2<<20, 5)
	client, files := extractingClient(t, "image/png", want)
	a, err := client.Job(context.Background(), "x1", api.KindImage)
	if err != nil || a.Class != api.StatusSucceeded || !a.Binary || len(a.Results) != 1 || len(files()) != 1 {
		t.Fatalf("%+v, %v, %v", a, err, files())
	}
	if kept, err := os.ReadFile(a.Results[0].File); err != nil || !bytes.Equal(kept, want) {
		t.Errorf("%d bytes, %v", len(kept), err)
	}
	client, files = extractingClient(t, "video/mp4", []byte("<html>a page that lies about its type</html>"))
	if a, err := client.Job(context.Background(), "x1", api.KindVideo); err == nil || a.Ended() || len(files()) != 0 {
		t.Errorf("a page ended the job: %+v, %v", a, err)
	}
}

// Without large media an answer is handed on as it came.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{`{"id":"a","images":["https://example.com/a.png"]}`, `{"b64":"aGVsbG8="}`, `"data:image/png;base64,AAAA"`,
		`{"a":"\u0061\/b"}`, `{"a":"`, "", "[", `{"error":{"code":"x"}}`, "\x89PNG\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := newExtractor(func() (*os.File, error) { return nil, errors.New("none") }, nil)
		got, err := s.extract(bufio.NewReaderSize(bytes.NewReader(raw), extractFrom), MaxAnswer)
		if len(raw) < extractFrom && (err != nil || !bytes.Equal(got, raw)) {
			t.Errorf("%q became %q, %v", raw, got, err)
		}
	})
}
