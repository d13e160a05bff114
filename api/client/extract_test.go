package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
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
		if strings.HasSuffix(r.URL.Path, "early") {
			w.WriteHeader(http.StatusAccepted)
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	client := testClient(t, s.URL, nil, nil)
	client.NewFile = func() (*os.File, error) { return os.CreateTemp(dir, "part") }
	return client, func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "*"))
		return found
	}
}

// Large media inside of an answer become files, in every way of writing them, and a small one next to them does not.
func TestExtract(t *testing.T) {
	small, one, two := picture(400, 0), picture(extractFrom, 1), picture(MaxAnswer, 2)
	plain := base64.StdEncoding.EncodeToString
	for name, write := range map[string]func([]byte) string{
		"plain":       plain,
		"data URI":    func(b []byte) string { return "data:image/png;base64," + plain(b) },
		"slashes":     func(b []byte) string { return strings.ReplaceAll(plain(b), "/", `\/`) },
		"code points": func(b []byte) string { return strings.ReplaceAll(plain(b), "+", `\u002b`) },
		"lines":       func(b []byte) string { s := plain(b); return s[:76] + `\n` + s[76:152] + `\r\n` + s[152:] },
		"URL-safe":    base64.RawURLEncoding.EncodeToString,
	} {
		if testing.Short() && name != "lines" { // under -race: a goroutine reads each of them alike
			continue
		}
		body := fmt.Sprintf(`{"id":"x1","status":"COMPLETED","created":1,"data":[{"b64_json":"%s"},{"b64_json":"%s"},{"b64_json":"%s"}]}`, write(small), write(one), write(two))
		client, files := extractingClient(t, "application/json", []byte(body))
		for call, got := range map[string]func() []api.Result{
			"create": func() []api.Result {
				o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
				expect.That(t, o.Phase == api.PhaseFetching && len(o.Raw) <= 1000, name, "phase", o.Phase, len(o.Raw), "bytes of raw", o.Err)
				return o.Answer.Results
			},
			"job": func() []api.Result {
				a, err := client.Job(context.Background(), "x1", api.KindImage)
				expect.That(t, err == nil && a.Class == api.StatusSucceeded, name, a, err)
				return a.Results
			},
		} {
			results := got()
			expect.Must(t, len(results) == 3 && len(files()) == 2, name, call, len(results), "results, files", files())
			expect.That(t, bytes.Equal(results[0].Data, small), name, call, "the small one is", results[0])
			for i, r := range results[1:] {
				kept, err := os.ReadFile(r.File)
				expect.That(t, err == nil && bytes.Equal(kept, [][]byte{one, two}[i]) && r.MediaType == "image/png" && r.Data == nil,
					name, call, "result", i, len(kept), "bytes", err, r.MediaType)
				os.Remove(r.File)
			}
		}
	}
}

// An answer of any size takes little memory: held as a whole it would be three times its size. Under the race
// detector pools are left out, so that the copies on the way count too.
func TestExtractMemory(t *testing.T) {
	body := []byte(`{"data":[{"b64_json":"` + base64.StdEncoding.EncodeToString(picture(4<<20, 3)) + `"}]}`)
	client, files := extractingClient(t, "application/json", body)
	var o api.Outcome
	runtime.GC()
	grown := simtest.Allocated(func() { o = client.testCreate(CreateOptions{Kind: api.KindImage}) })
	t.Logf("%d MiB of answer: %d KiB allocated in all", len(body)>>20, grown>>10)
	expect.That(t, o.Phase == api.PhaseFetching && len(files()) == 1 && grown <= 8<<20,
		"phase", o.Phase, len(files()), "files", grown>>20, "MiB allocated")
}

// What is no result leaves no file, and never takes the job's id away.
func TestExtractLeavesNothing(t *testing.T) {
	big := base64.StdEncoding.EncodeToString(picture(2*extractFrom, 4))
	for name, c := range map[string]struct {
		body  string
		phase api.Phase
	}{
		"a draft of a running job": {`{"id":"x1","status":"PROCESSING","image":"` + big + `"}`, api.PhaseQueued},
		"a preview":                {`{"id":"x1","status":"PENDING","thumbnail":"` + big + `"}`, api.PhaseQueued},
		"not base64 after all":     {`{"image":"` + big + `???","id":"x1"}`, api.PhaseQueued},
		"a character too many":     {`{"image":"` + big[:2*extractFrom+1] + `","id":"x1"}`, api.PhaseQueued},
		"cut off":                  {`{"id":"x1","image":"` + big, api.PhaseUnknown},
		"cut off in an escape":     {`{"id":"x1","image":"` + big + `\u00`, api.PhaseUnknown},
		"broken JSON behind it":    {`{"id":"x1","image":"` + big + `",]`, api.PhaseUnknown},
		"behind a text to the cap": {`{"id":"x1","text":"` + strings.Repeat("w", MaxAnswer-len(`{"id":"x1","text":"","image":"`)) + `","image":"` + big + `"}`, api.PhaseUnknown},
	} {
		client, files := extractingClient(t, "application/json", []byte(c.body))
		o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
		expect.That(t, o.Phase == c.phase && len(files()) == 0 && len(o.Answer.Results) == 0,
			name, "phase", o.Phase, "want", c.phase, "files", files(), "of", o.Answer.Results)
		_, _ = client.Job(context.Background(), "x1", api.KindImage)
		expect.That(t, name == "cut off" || len(files()) == 0, name, "a poll left", files())
	}
	client, _ := extractingClient(t, "application/json", []byte(`{"image":"`+big+`","id":"x1"}`))
	client.NewFile = func() (*os.File, error) { return nil, errors.New("no room") }
	o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
	expect.That(t, o.Phase == api.PhaseQueued && o.Answer.ID == "x1", "without room: phase", o.Phase, "id", o.Answer.ID)
	s := newExtractor(func() (*os.File, error) { return nil, errors.New("no room") }, func() {})
	s.left = int64(len(strings.TrimRight(big, "=")))
	_, err := s.extract(bufio.NewReaderSize(strings.NewReader(`{"image":"`+big+`","more":"`+big+`"}`), extractFrom), MaxAnswer)
	expect.That(t, errors.Is(err, ErrTooLarge) && len(s.files) == 2, "of media without an end", len(s.files), err)
	client, _ = extractingClient(t, "application/json", []byte(`{"id":"x1","text":"`+strings.Repeat("word ", MaxAnswer/4)+`"}`))
	o = client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
	expect.That(t, o.Phase == api.PhaseUnknown && errors.Is(o.Err.Cause, ErrTooLarge), "a long text: phase", o.Phase, o.Err)
}

// A poll that is answered with the file itself has the result.
func TestPollAnsweredWithMedia(t *testing.T) {
	want := picture(2<<20, 5)
	client, files := extractingClient(t, "image/png", want)
	a, err := client.Job(context.Background(), "x1", api.KindImage)
	expect.Must(t, err == nil && a.Class == api.StatusSucceeded && a.Binary && len(a.Results) == 1 && len(files()) == 1, a, err, files())
	kept, err := os.ReadFile(a.Results[0].File)
	expect.That(t, err == nil && bytes.Equal(kept, want), len(kept), "bytes", err)
	a, err = client.Job(context.Background(), "early", api.KindImage)
	expect.That(t, err == nil && a.Class == api.StatusRunning && len(a.Results) == 0 && len(files()) == 1, "a 202 ended the job", a, err, files())
	whole := int64(len(want))
	for limit, refusal := range map[int64]error{whole: nil, whole - 1: ErrTooLarge} {
		for _, length := range []int64{whole, -1} { // as the service says, or does not
			file, _, err := client.keepBody(limit, length, bytes.NewReader(want))
			expect.Is(t, err, refusal, "with a limit of", limit, "and a length of", length)
			kept, _ := os.ReadFile(file)
			expect.That(t, err != nil || bytes.Equal(kept, want), "of", limit, "bytes are kept", len(kept))
		}
	}
	client, files = extractingClient(t, "video/mp4", []byte("<html>a page that lies about its type</html>"))
	a, err = client.Job(context.Background(), "x1", api.KindVideo)
	expect.That(t, err != nil && !a.Ended() && len(files()) == 0, "a page ended the job", a, err)
}

// What the disk refuses is said, for every way in which media come, and leaves no file.
func TestMediaWithoutRoom(t *testing.T) {
	png := picture(extractFrom, 6)
	big := base64.StdEncoding.EncodeToString(png)
	for name, row := range map[string]struct {
		contentType, body string
		phase             api.Phase
	}{
		"an id":     {"application/json", `{"id":"x1","status":"COMPLETED","data":[{"b64_json":"` + big + `"},{"url":"https://a.test/b.png"}]}`, api.PhaseFetching},
		"without":   {"application/json", `{"data":[{"b64_json":"` + big + `"}]}`, api.PhaseUnread},
		"the media": {"image/png", string(png), ""},
	} {
		for _, made := range []bool{false, true} { // the file could be made, and takes nothing
			client, files := extractingClient(t, row.contentType, []byte(row.body))
			make := client.NewFile
			client.NewFile = func() (*os.File, error) {
				if !made {
					return nil, &fs.PathError{Op: "open", Path: "/inbox/x", Err: syscall.ENOSPC}
				}
				f, err := make()
				if err == nil {
					f.Close()
					f, err = os.Open(f.Name())
				}
				return f, err
			}
			why := map[bool]string{false: "the file could not be written: no space left on device", true: "the file could not be written: "}[made]
			if row.phase != "" {
				o := client.Create(context.Background(), "/api/v1/images/generations", []byte(`{}`), CreateOptions{Kind: api.KindImage})
				said := o.Answer.Left.String()
				if row.phase == api.PhaseUnread && o.Err != nil {
					said = o.Err.Error()
				}
				expect.That(t, o.Phase == row.phase && strings.Contains(said, why) && len(o.Answer.Results) == 0, name, made, o.Phase, o.Err, said)
			}
			a, err := client.Job(context.Background(), "x1", api.KindImage)
			expect.That(t, err == nil && len(a.Results) == 0 && strings.HasPrefix(a.Left.String(), why) && len(files()) == 0,
				name, made, err, a.Results, a.Left, files())
		}
	}
}

// Without large media an answer is handed on as it came.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{`{"id":"a","images":["https://example.com/a.png"]}`, `{"b64":"aGVsbG8="}`, `"data:image/png;base64,AAAA"`,
		`{"a":"\u0061\/b"}`, `{"a":"`, "", "[", `{"error":{"code":"x"}}`, "\x89PNG\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := newExtractor(func() (*os.File, error) { return nil, errors.New("none") }, func() {})
		got, err := s.extract(bufio.NewReaderSize(bytes.NewReader(raw), extractFrom), MaxAnswer)
		expect.That(t, len(raw) >= extractFrom || err == nil && bytes.Equal(got, raw), string(raw), "became", string(got), err)
	})
}

// Rows that no server on a socket can be made to show.
func TestClassify(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for _, c := range []struct {
		trip  Trip
		phase api.Phase
	}{
		{Trip{}, api.PhaseUnknown}, {Trip{Err: lost}, api.PhaseNotSent},
		{Trip{Err: lost, Connected: true}, api.PhaseUnknown}, {Trip{Status: 500}, api.PhaseUnknown},
	} {
		o := Classify(c.trip, api.KindVideo)
		expect.Equal(t, o.Phase, c.phase, c.trip, o.Err)
	}
}

func FuzzClassify(f *testing.F) {
	for _, c := range outcomeCases {
		status, body := 200, c.raw
		if head, rest, ok := strings.Cut(c.raw, "\r\n\r\n"); ok && len(head) > 12 && len(rest) < 4096 {
			body = rest
			status = int(head[9]-'0')*100 + int(head[10]-'0')*10 + int(head[11]-'0')
		} else if len(body) > 4096 {
			continue
		}
		f.Add(status, "application/json", "7", []byte(body), uint8(1))
	}
	f.Add(0, "", "", []byte(nil), uint8(2))
	f.Add(0, "", "", []byte(nil), uint8(3))
	f.Add(200, "image/png", "", []byte(tinyPNG), uint8(9))
	f.Fuzz(func(t *testing.T, status int, contentType, retryAfter string, body []byte, bits uint8) {
		trip := Trip{
			Connected: bits&1 != 0, Host: "api.example.com", Status: status, Body: body,
			Header: http.Header{"Content-Type": {contentType}, "Retry-After": {retryAfter}},
		}
		if bits&2 != 0 {
			trip.Err = io.ErrUnexpectedEOF
		}
		if bits&4 != 0 {
			trip.Err = ErrTooLarge
		}
		if bits&8 != 0 {
			trip.Streamed, trip.Body = true, nil
		}
		if bits&16 != 0 {
			trip.StreamErr = io.ErrShortWrite
		}
		checkClassified(t, trip, Classify(trip, api.KindImage))
	})
}

// checkClassified checks what must hold for every outcome.
func checkClassified(t *testing.T, trip Trip, o api.Outcome) {
	t.Helper()
	known := []api.Phase{api.PhaseQueued, api.PhaseFetching, api.PhaseRejected, api.PhaseNotSent, api.PhaseUnread, api.PhaseUnknown}
	good := o.Phase == api.PhaseQueued || o.Phase == api.PhaseFetching
	for what, wrong := range map[string]bool{
		"the phase":              !slices.Contains(known, o.Phase),
		"the id":                 o.Phase == api.PhaseQueued && !read.PollableID(o.Answer.ID),
		"not_sent":               o.Phase == api.PhaseNotSent && (trip.Connected || trip.Status != 0 || trip.Err == nil),
		"a good phase":           good && (trip.Status < 200 || trip.Status > 299 || trip.Err != nil),
		"an error, or none":      good != (o.Err == nil),
		"a wait":                 o.RetryAfter != 0 && o.Phase != api.PhaseNotSent && o.Phase != api.PhaseRejected,
		"the length of the wait": o.RetryAfter != 0 && (o.RetryAfter < api.MinWait || o.RetryAfter > api.MaxWait),
		"rejected":               o.Phase == api.PhaseRejected && trip.Status >= 500,
		"the length of the raw":  len(o.Raw) > read.MaxKeptRaw,
		"the text of the error":  o.Err != nil && (o.Err.Error() == "" || strings.ContainsAny(o.Err.Error(), "\n\x1b\x00")),
	} {
		expect.Must(t, !wrong, what, "is wrong", o, "after", trip)
	}
}

// elsewhere is a server that must never be called, least of all with a key.
func elsewhere(t *testing.T, secure bool) *httptest.Server {
	t.Helper()
	var calls atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(func() {
		s.Close()
		expect.Equal(t, calls.Load(), 0, "requests to another address")
	})
	return s
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other, secure := elsewhere(t, false), elsewhere(t, true)
	for _, http2 := range []bool{false, true} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			for name, location := range map[string]string{
				"port": other.URL, "scheme": secure.URL, "host": strings.Replace(other.URL, "127.0.0.1", "localhost", 1), "path": "/elsewhere",
			} {
				t.Run(fmt.Sprintf("%d to another %s, http2 %v", status, name, http2), func(t *testing.T) {
					t.Parallel()
					var calls, protocol atomic.Int64
					s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						calls.Add(1)
						protocol.Store(int64(r.ProtoMajor))
						http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
						h := r.Header
						expect.All(t, " Bearer "+clientSecret+" ", h.Get("Cookie"), h.Get("Authorization"), h.Get("Idempotency-Key"))
						w.Header().Set("Location", location+"/x?token="+clientSecret)
						w.WriteHeader(status)
					}))
					s.EnableHTTP2 = http2
					s.StartTLS()
					defer s.Close()
					roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
					client := testClient(t, s.URL, roots, nil)
					o := client.testCreate(CreateOptions{})
					checkOutcome(t, o, api.PhaseUnknown, api.ClassUnreadable)
					expect.That(t, calls.Load() == 1 && (protocol.Load() == 2) == http2, calls.Load(), "calls, HTTP/", protocol.Load())
					_, err := client.Job(context.Background(), "job_1", api.KindVideo)
					expect.That(t, err != nil && calls.Load() == 2, err, "after", calls.Load(), "calls")
					expect.Lacks(t, fmt.Sprintf("%v %s %q", o, o.Raw, o.Header), clientSecret, "the key in an outcome")
				})
			}
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestKeyOnlyForTheBase(t *testing.T) {
	t.Parallel()
	sent := 0
	k := keyed{origin: "https://api.example.com:443", key: testKey(), next: roundTrip(func(r *http.Request) (*http.Response, error) {
		sent++
		return nil, io.EOF
	})}
	for _, u := range []string{
		"http://api.example.com/", "http://api.example.com:443/", "https://api.example.com:444/", "https://api.example.org/",
		"https://api.example.com.evil.example/", "https://evil.example/api.example.com", "https://me@api.example.com/",
		"https://api.example.com./", "https://127.0.0.1/",
	} {
		_, err := k.RoundTrip(httptest.NewRequest(http.MethodPost, u, strings.NewReader("x")))
		expect.That(t, errors.Is(err, errOrigin) && sent == 0, u, err, sent, "sent")
	}
	r, _ := http.NewRequest(http.MethodGet, "https://api.example.com/", nil)
	r.Host = "evil.example"
	_, err := k.RoundTrip(r)
	expect.That(t, errors.Is(err, errOrigin) && sent == 0, "another Host header", err)
	r, _ = http.NewRequest(http.MethodGet, "https://API.example.com:443/x", nil)
	expect.Equal(t, expect.Err(k.RoundTrip(r)), io.EOF, "the base itself")
	expect.All(t, "1 ", sent, r.Header.Get("Authorization")) // the caller's request is as it was
}

// The service echoes the key wherever it can: it must be nowhere in what the client gives back or logs.
func TestEchoedKeyIsRedacted(t *testing.T) {
	t.Parallel()
	echo := `{"id":"` + clientSecret + `","error":{"message":"bad key ` + clientSecret + `"},"x":"` + clientSecret + `"}`
	headers := "X-Request-Id: " + clientSecret + "\r\nRetry-After: " + clientSecret + "\r\nLocation: /" + clientSecret + "\r\n"
	for _, raw := range []string{
		answer("200 OK", headers+jsonType, echo),
		answer("401 Unauthorized", headers+jsonType, echo),
		answer("500 Internal Server Error", headers, "no "+clientSecret),
		answer("302 Found", headers, echo),
		"HTTP/1.1 " + clientSecret + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\n" + clientSecret + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + echo,
	} {
		t.Run(raw[:min(len(raw), 20)], func(t *testing.T) {
			t.Parallel()
			h := newHostileServer(t, nil, says(raw))
			var mu sync.Mutex
			var out bytes.Buffer
			client := testClient(t, "http://"+h.Addr().String(), nil, func(format string, args ...any) {
				simtest.Locked(&mu, func() { fmt.Fprintf(&out, format+"\n", args...) })
			})
			o := client.testCreate(CreateOptions{})
			fmt.Fprintf(&out, "%+v %s %+v %s %v\n", o, o.Raw, o.Err, o.Answer.Raw, o.Header)
			if o.Err != nil {
				fmt.Fprintf(&out, "%+v %v %s\n", *o.Err, o.Err.Cause, o.Err.Raw)
			}
			a, err := client.Job(context.Background(), "job_1", api.KindVideo)
			fmt.Fprintf(&out, "%+v %s %+v\n", a, a.Raw, err)
			_, _, err = client.Models(context.Background())
			fmt.Fprintf(&out, "%+v %v\n", err, client)
			expect.Lacks(t, out.String(), clientSecret, "the key")
			calls := strings.Count(out.String(), "connected true")
			expect.That(t, calls >= 3 && int64(calls) == int64(h.requests.Load()), "not one log line per call in", out.String())
			expect.Equal(t, h.keys.Load(), h.requests.Load(), "requests with the key")
		})
	}
}
