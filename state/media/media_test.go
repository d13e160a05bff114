package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/store"
)

var pngBytes = append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte("pixel"), 40000)...)

var pngSum = fmt.Sprintf("%x", sha256.Sum256(pngBytes))

const job = "k3v9q2mxabcdefgh"

func want(address string) Want {
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	of := &store.Job{Row: store.Row{ID: job, Kind: api.KindImage, Title: "Harbour at dawn", CreatedAt: created}}
	return Want{Job: of, N: 1, Result: api.Result{URL: address}}
}

// serve starts a service and a Fetcher whose base URL it is.
func serve(t *testing.T, h http.HandlerFunc) (*Fetcher, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	base, _ := url.Parse(srv.URL)
	return New(Options{Base: base, Dir: filepath.Join(t.TempDir(), "results")}), srv.URL
}

// answers gives a status, headers in pairs and a body.
func answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// folder lists what is in the downloads folder, and nothing may be beside it.
func folder(t *testing.T, f *Fetcher) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(f.Dir)
	expect.Must(t, err == nil || errors.Is(err, fs.ErrNotExist), err)
	for _, e := range entries {
		info := must(e.Info())(t)
		expect.That(t, info.Mode() == 0o600, e.Name(), "has mode", info.Mode(), "want 0600")
		names = append(names, e.Name())
	}
	beside, err := os.ReadDir(filepath.Dir(f.Dir))
	expect.That(t, err == nil && len(beside) <= 1, "files outside the folder", beside, err)
	return names
}

func wantFolder(t *testing.T, f *Fetcher, want ...string) {
	t.Helper()
	expect.Equal(t, strings.Join(folder(t, f), " "), strings.Join(want, " "), "the folder")
}

// TestFetchKeepsTheWholeFile of a host that speaks HTTPS and HTTP/2, as most do.
func TestFetchKeepsTheWholeFile(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		expect.That(t, maps.EqualFunc(r.Header, http.Header{"User-Agent": {"darkroom"}, "Accept-Encoding": {"identity"}}, slices.Equal) && r.ProtoMajor == 2,
			"the download has the headers", r.Header, "and comes by", r.Proto)
		w.Header().Set("Content-Type", "text/html") // a lie that must not matter
		w.Header().Set("Content-Disposition", `attachment; filename="../../evil.sh"`)
		w.Header().Set("Set-Cookie", "a=b")
		w.Write(pngBytes)
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	f, base := fetcherAt(srv.URL), srv.URL
	f.Dir, f.client.Transport.(*http.Transport).TLSClientConfig = filepath.Join(t.TempDir(), "results"), srv.Client().Transport.(*http.Transport).TLSClientConfig
	got := must(f.Fetch(t.Context(), want(base+"/x?sig=1")))(t)
	name := "20260301-harbour-at-dawn-k3v9q2mx-1.png"
	exp := store.File{Path: filepath.Join(f.Dir, name), URL: base + "/x?sig=1", MediaType: "image/png",
		Bytes: int64(len(pngBytes)), SHA256: pngSum}
	expect.Equal(t, got, exp)
	saved, err := os.ReadFile(got.Path)
	expect.That(t, err == nil && bytes.Equal(saved, pngBytes), "the saved file differs", err)
	info, _ := os.Stat(f.Dir)
	expect.That(t, info.Mode().Perm() == 0o700, "the folder has mode", info.Mode().Perm(), "want 0700")
	again, err := f.Fetch(t.Context(), want(base+"/x?sig=1"))
	expect.That(t, err == nil && again == exp && calls.Load() == 1,
		"a second fetch gave", again, err, "with", calls.Load(), "calls; want the same file and 1 call")
	wantFolder(t, f, name)
}

func TestFetchRefusesLies(t *testing.T) {
	t.Parallel()
	raw := func(answer string, linger int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(c, answer)
			c.(*net.TCPConn).SetLinger(linger)
			c.Close()
		}
	}
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		text string
	}{
		"longer than it is": {answers(200, string(pngBytes), "Content-Length", strconv.Itoa(len(pngBytes)+1)), "before the whole file"},
		"reset":             {raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\x89PNG\r\n\x1a\n", 0), ""}, // not an end
		"cut chunk": {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n\x89PNG\r\n\x1a\n", -1),
			"before the whole file"},
		"empty":                 {answers(200, ""), "empty"},
		"packed":                {answers(200, string(pngBytes), "Content-Encoding", "br"), "packed"},
		"unasked part":          {answers(206, string(pngBytes[:10]), "Content-Range", "bytes 0-9/100"), "part of the file"},
		"to a private network":  {answers(302, "", "Location", "https://10.0.0.1/x?secret"), "private network"},
		"to a metadata service": {answers(302, "", "Location", "https://[::ffff:169.254.169.254]/x"), "private network"},
		"to plain http":         {answers(302, "", "Location", "http://example.com/x"), "not https"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, base := serve(t, c.h)
			got, err := f.Fetch(t.Context(), want(base+"/x?sig=hidden"))
			var known *Error
			expect.That(t, errors.As(err, &known) && strings.Contains(err.Error(), c.text), "got", got, err, "want an Error about", c.text)
			expect.That(t, err == nil || !strings.Contains(err.Error(), "hidden") && !strings.Contains(err.Error(), "secret"),
				"the sentence holds the address", err)
			wantFolder(t, f)
		})
	}
}

func TestFetchFollowsFiveHops(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		expect.Equal(t, r.Header.Get("Referer"), "", "a hop tells where it came from")
		if n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d?sig=%d", n-1, n), http.StatusFound)
			return
		}
		w.Write(pngBytes)
	})
	w := want(base + "/6")
	expect.Fails(t, expect.Err(f.Fetch(t.Context(), w)), "more than 5", "6 hops")
	wantFolder(t, f)
	w.Result.URL = base + "/5"
	expect.Is(t, expect.Err(f.Fetch(t.Context(), w)), nil, "5 hops")
}

func TestFetchKeepsBodiesAndData(t *testing.T) {
	t.Parallel()
	f := New(Options{Dir: filepath.Join(t.TempDir(), "results")})
	f.limit = func(api.Kind) int64 { return int64(len(pngBytes)) + 1 } // as much is said to come of the second, and no more
	w := want("")
	w.Body, w.Length = bytes.NewReader(pngBytes), int64(len(pngBytes))
	expect.Equal(t, must(f.Fetch(t.Context(), w))(t).Bytes, w.Length, "body")
	w = want("")
	w.N, w.Body, w.Length = 2, bytes.NewReader(pngBytes), int64(len(pngBytes))+1
	expect.Is(t, expect.Err(f.Fetch(t.Context(), w)), errShort, "short body")
	w = want("")
	w.N, w.Result.Data = 3, []byte("\x00")
	got, err := f.Fetch(t.Context(), w)
	expect.All(t, "<nil> .bin application/octet-stream", err, filepath.Ext(got.Path), got.MediaType)
	_, err = f.Fetch(t.Context(), Want{Job: &store.Job{Row: store.Row{ID: job}}, N: 4})
	expect.That(t, err != nil, "a result without address and content was taken")
	wantFolder(t, f, "20260301-harbour-at-dawn-k3v9q2mx-1.png", "20260301-harbour-at-dawn-k3v9q2mx-3.bin")
}

// Media inside a response are checked as downloads are, wherever they stand.
func TestMediaInsideAResponse(t *testing.T) {
	t.Parallel()
	f := New(Options{Dir: filepath.Join(t.TempDir(), "results")})
	picture := encoded(t, png.Encode)
	for name, content := range map[string][]byte{
		"half a picture": picture[:len(picture)/2],
		"eight bytes":    picture[:8],
		"a message":      []byte("Not Found"),
		"a page":         []byte("<!DOCTYPE html><p>sign in</p>"),
		"an error":       []byte(`{"error": "expired"}`),
	} {
		kept := simtest.File(t, filepath.Join(t.TempDir(), "inside"), content)
		for place, fill := range map[string]func(*Want){
			"data": func(w *Want) { w.Result.Data = content },
			"file": func(w *Want) { w.Result.File = kept },
			"body": func(w *Want) { w.Body, w.Length = bytes.NewReader(content), int64(len(content)) },
		} {
			w := want("")
			fill(&w)
			var known *Error
			got, err := f.Fetch(t.Context(), w)
			expect.That(t, errors.As(err, &known) && known.Final, name, "as", place, got, err)
		}
	}
	wantFolder(t, f)
}

// What is saved already as another result is not saved again.
func TestFetchKnowsOtherResults(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(pngBytes) })
	w := want(base + "/x")
	w.Others = []string{"00", pngSum}
	var saved *SavedError
	_, err := f.Fetch(t.Context(), w)
	expect.That(t, errors.As(err, &saved) && saved.SHA256 == pngSum, "got", err, "want a SavedError")
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
	expect.Must(t, err == nil && Intact(t.Context(), saved), saved, err)
	other := bytes.Clone(pngBytes)
	other[len(other)-1] ^= 1
	for n, content := range [][]byte{pngBytes[:1000], other, {}, nil} {
		if content == nil {
			err = os.Remove(saved.Path)
		} else {
			err = os.WriteFile(saved.Path, content, 0o600)
		}
		expect.Must(t, err == nil && !Intact(t.Context(), saved), n, err, "or it counts as whole")
		w.Known = saved
		again, err := f.Fetch(t.Context(), w)
		expect.Must(t, err == nil && again.SHA256 == saved.SHA256 && Intact(t.Context(), again), n, again, err)
		expect.That(t, content == nil || again.Path != saved.Path, n, "the changed file is gone")
		if again.Path != saved.Path {
			os.Remove(again.Path) // so that the next one is downloaded too
		}
	}
	expect.Equal(t, calls.Load(), 5, "downloads")
}

// TestFetchIntoAFolderThatMoves: a file is where its path says, or is fetched again.
func TestFetchIntoAFolderThatMoves(t *testing.T) {
	t.Parallel()
	var f *Fetcher
	move := true
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(pngBytes[:20])
		w.(http.Flusher).Flush()
		if move {
			_ = os.Rename(f.Dir, f.Dir+"-moved")
		}
		w.Write(pngBytes[20:])
	})
	expect.Is(t, expect.Err(f.Fetch(t.Context(), want(base+"/x"))), errMoved)
	move = false
	got, err := f.Fetch(t.Context(), want(base+"/x"))
	expect.That(t, err == nil && Intact(t.Context(), got), got.Path, err)
	left, err := os.ReadDir(f.Dir + "-moved")
	expect.That(t, err == nil && len(left) == 0, "left behind", left, err)
	f.Dir = longFolder(f.Dir, 4095-len("/20260301-harbour")) // with the rest of the name it is too long for a path
	got, err = f.Fetch(t.Context(), want(base+"/x"))
	expect.That(t, runtime.GOOS != "linux" || err != nil && strings.Contains(err.Error(), "file name too long"), got.Path, err)
}

// longFolder is a path below a folder, of so many bytes.
func longFolder(dir string, bytes int) string {
	return (dir + strings.Repeat("/"+strings.Repeat("x", 99), 41))[:bytes]
}

// An address that is a page's gives a file of no known type, which is never
// opened; at every other address a page is no result.
func TestFetchOfAPage(t *testing.T) {
	t.Parallel()
	f, base := serve(t, answers(200, "<!DOCTYPE html><p>viewer</p>", "Content-Type", "image/png"))
	got, err := f.Fetch(t.Context(), want(base+"/x.png"))
	expect.That(t, errors.Is(err, errPage) && strings.Contains(err.Error(), "page of text"), "a picture", err)
	wantFolder(t, f)
	got, err = f.Fetch(t.Context(), want(base+"/viewer.HTML?sig=1"))
	expect.That(t, err == nil && filepath.Ext(got.Path) == ".bin" && got.MediaType == unknownType.name, "a page", got, err)
	expect.Fails(t, Open(t.Context(), "", "/bin/true", got.Path), "", "it was opened")
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError = simtest.NoError

// A body that has no end, stops coming or only trickles is not waited for.
func TestFetchStops(t *testing.T) {
	t.Parallel()
	expect.Equal(t, New(Options{Scale: 0.5}).idle, 30*time.Second/2, "of half the scale it waits for")
	flush := func(w http.ResponseWriter, part []byte) {
		w.Write(part)
		w.(http.Flusher).Flush()
	}
	for name, c := range map[string]struct {
		body func(w http.ResponseWriter, done <-chan struct{}, cancel func())
		idle time.Duration
		want error
	}{
		"endless": {func(w http.ResponseWriter, done <-chan struct{}, _ func()) {
			for _, err := w.Write(pngBytes); err == nil; {
				_, err = w.Write(pngBytes)
			}
		}, 30 * time.Second, nil},
		"nothing comes": {func(w http.ResponseWriter, done <-chan struct{}, _ func()) {
			flush(w, pngBytes[:100])
			<-done
		}, 50 * time.Millisecond, ErrSlow},
		"a trickle": {func(w http.ResponseWriter, done <-chan struct{}, _ func()) {
			for i := range pngBytes {
				flush(w, pngBytes[i:i+1])
				select {
				case <-time.After(5 * time.Millisecond):
				case <-done:
					return
				}
			}
		}, 200 * time.Millisecond, ErrSlow},
		"not wanted": {func(w http.ResponseWriter, done <-chan struct{}, cancel func()) {
			flush(w, pngBytes[:100])
			cancel()
			<-done
		}, 30 * time.Second, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { c.body(w, r.Context().Done(), cancel) })
			f.idle, f.limit = c.idle, func(api.Kind) int64 { return 1 << 20 }
			_, err := f.Fetch(ctx, want(base+"/x"))
			var known *Error
			expect.That(t, (c.want == nil || errors.Is(err, c.want)) && (c.want != nil || errors.As(err, &known) && known.Final), "got", err)
			wantFolder(t, f)
		})
	}
}

// slow is a body of 64 KiB at a time, with a pause before each.
type slow struct {
	left  int
	pause time.Duration
}

func (s *slow) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	s.left--
	time.Sleep(s.pause)
	return copy(b, pngBytes[:64<<10]), nil
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	body := &slow{left: s.left, pause: s.pause}
	if r.URL.Path == "/fast" {
		body.pause = 0
	}
	return &http.Response{StatusCode: 200, ContentLength: -1, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
}

// TestACrawlingDownloadGivesUpItsPlace after a third of the idle limit: two that come
// at less than 64 KiB a second go on, and a third need not wait for their end.
func TestACrawlingDownloadGivesUpItsPlace(t *testing.T) {
	t.Parallel()
	for pause, waits := range map[time.Duration]time.Duration{
		time.Second: 24 * time.Second, time.Second + 1: 10*time.Second + 10, 1250 * time.Millisecond: 10 * time.Second, 20 * time.Second: 20 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			f := fetcherAt("https://service.test")
			f.Dir, f.client.Transport = filepath.Join(t.TempDir(), "results"), &slow{24, pause}
			fetch := func(n int, path string) {
				w := want("https://cdn.test" + path)
				w.N, w.Crawls = n, func() bool { return true }
				expect.Is(t, expect.Err(f.Fetch(t.Context(), w)), nil, pause, n)
			}
			var slow sync.WaitGroup
			for n := range 2 {
				slow.Go(func() { fetch(n+2, "/slow") })
			}
			synctest.Wait()
			began := time.Now()
			fetch(1, "/fast")
			expect.Equal(t, time.Since(began), waits, "beside two with pauses of", pause, "it waits for")
			slow.Wait()
		})
	}
}

// A download that was cut is resumed on a strong validator only. A rest that does not
// begin where the part ends is not appended, and neither is a part of another file. The
// end of a file is not put behind nothing when its beginning was taken away meanwhile.
func TestFetchResumes(t *testing.T) {
	t.Parallel()
	const strong = `"one"`
	other := append([]byte("GIF89a"), bytes.Repeat([]byte("z"), 70000)...)
	whole := func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "x.png", time.Time{}, bytes.NewReader(pngBytes))
	}
	rest := func(begin int) http.HandlerFunc {
		return answers(206, string(pngBytes[begin:]), "Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, len(pngBytes)-1, len(pngBytes)))
	}
	for name, c := range map[string]struct {
		etag   string
		second http.HandlerFunc
		want   []byte
		calls  int
	}{
		"strong":      {strong, whole, pngBytes, 2},
		"weak":        {`W/"one"`, whole, pngBytes, 2},
		"none":        {"", whole, pngBytes, 2},
		"gone":        {strong, whole, pngBytes, 2},
		"overlapping": {strong, rest(49990), pngBytes, 3},
		"with a gap":  {strong, rest(50010), pngBytes, 3},
		"refused":     {strong, answers(http.StatusRequestedRangeNotSatisfiable, ""), pngBytes, 3},
		"changed": {strong, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"two"`)
			http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(other))
		}, other, 2},
	} {
		var ranges []string
		f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			ranges = append(ranges, r.Header.Get("Range")+r.Header.Get("If-Range"))
			if c.etag != "" {
				w.Header().Set("ETag", c.etag)
			}
			switch len(ranges) {
			case 1: // and the rest never comes
				w.Header().Set("Content-Length", strconv.Itoa(len(pngBytes)))
				w.Write(pngBytes[:50000])
			case 2:
				c.second(w, r)
			default:
				w.Write(pngBytes)
			}
		})
		cut, _ := errors.AsType[*Error](expect.Err(f.Fetch(t.Context(), want(base+"/x"))))
		expect.Equal(t, cut.Kept, map[bool]int64{true: 50000}[c.etag == strong], name, "of the cut download are kept")
		elsewhere := expect.Err(f.Fetch(t.Context(), want("https://10.0.0.1/x")))
		expect.That(t, elsewhere == errPrivate && errPrivate.Kept == 0, name, elsewhere, "is of many downloads, with", errPrivate.Kept)
		expect.Equal(t, len(folder(t, f)) == 1, c.etag == strong, name, "the part is kept")
		if name == "gone" {
			noError(t, os.Remove(filepath.Join(f.Dir, partName(job, 1))))
		}
		got, err := f.Fetch(t.Context(), want(base+"/x"))
		saved, _ := os.ReadFile(got.Path)
		expect.That(t, err == nil && bytes.Equal(saved, c.want) && len(ranges) == c.calls &&
			got.SHA256 == fmt.Sprintf("%x", sha256.Sum256(c.want)), name, len(saved), "bytes of", len(c.want), "after calls for", ranges, err)
		expect.That(t, (strings.HasPrefix(ranges[1], "bytes=") && strings.HasSuffix(ranges[1], c.etag)) == (c.etag == strong && name != "gone"),
			name, "second call asked", ranges[1])
		wantFolder(t, f, "20260301-harbour-at-dawn-k3v9q2mx-1"+sniff(c.want).ext)
	}
}

func TestFetchClearsWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(pngBytes) })
	part := simtest.File(t, filepath.Join(f.Dir, partName(job, 1)), strings.Repeat("old", 100000))
	got := must(f.Fetch(t.Context(), want(base+"/x")))(t)
	saved, _ := os.ReadFile(got.Path)
	expect.That(t, bytes.Equal(saved, pngBytes), "the old part's bytes got into the file")
	// Killed between the two names: the part leads to the result.
	noError(t, os.Link(got.Path, part))
	expect.Equal(t, must(f.Fetch(t.Context(), want(base+"/x")))(t), got)
	wantFolder(t, f, filepath.Base(got.Path))

	// The same, and the person has moved the result to another name since.
	mine := filepath.Join(f.Dir, "mine.png")
	noError(t, errors.Join(os.Link(got.Path, part), os.Rename(got.Path, mine)))
	must(f.Fetch(t.Context(), want(base+"/x")))(t)
	saved, _ = os.ReadFile(mine)
	expect.That(t, bytes.Equal(saved, pngBytes), "the person's file was changed")
	wantFolder(t, f, filepath.Base(got.Path), "mine.png")
}

func TestFetchLeavesAnotherWindowAlone(t *testing.T) {
	t.Parallel()
	started, finish := make(chan struct{}), make(chan struct{})
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(pngBytes[:100])
		w.(http.Flusher).Flush()
		close(started)
		<-finish
		w.Write(pngBytes[100:])
	})
	other := New(Options{Base: f.Base, Dir: f.Dir})
	done := make(chan error, 1)
	go func() { _, err := f.Fetch(context.Background(), want(base+"/x")); done <- err }()
	<-started
	expect.Is(t, expect.Err(other.Fetch(t.Context(), want(base+"/x"))), ErrBusy, "the second window")
	close(finish)
	expect.Is(t, <-done, nil, "the first window")
	wantFolder(t, f, "20260301-harbour-at-dawn-k3v9q2mx-1.png")
}

// A part that was taken over while its window was stopped is not published by it,
// wherever it was stopped: the part of the other window stays.
func TestPartThatWasTakenOver(t *testing.T) {
	t.Parallel()
	root := must(os.OpenRoot(t.TempDir()))(t)
	defer root.Close()
	old := must(openPart(root, "x.part", false))(t)
	defer old.file.Close()
	_, err := openPart(root, "x.part", false)
	expect.Must(t, errors.Is(err, ErrBusy), "a second one", err)
	fresh := must(openPart(root, "x.part", true))(t)
	defer fresh.file.Close()
	expect.Is(t, old.publishAs("x.png"), errTakenAway, "the old one is published")
	expect.Is(t, expect.Err(root.Stat("x.png")), fs.ErrNotExist, "x.png is there")
	expect.Is(t, fresh.publishAs("x.png"), nil, "the new one")
}

func TestCheckFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := filepath.Join(dir, "a", "b")
	noError(t, CheckFolder(made, ""))
	expect.Equal(t, len(must(os.ReadDir(made))(t)), 0, "left")
	file := simtest.File(t, filepath.Join(dir, "file"), "")
	bad := []string{file, filepath.Join(file, "below"), filepath.Join(dir, "M\xfcller")}
	if runtime.GOOS == "linux" {
		long := longFolder(dir, 4095-len("/20260301-")-maxSlug-len("-xxxxxxxx-99-copy100"+recipeEnd))
		noError(t, CheckFolder(long, ""))
		bad = append(bad, "/proc", long+strings.Repeat("x", 12)) // nothing can be made there, or no file with the longest name
	}
	for _, bad := range bad {
		expect.That(t, CheckFolder(bad, "") != nil, bad, "can be written to")
	}
	noError(t, CheckFolder(made, "{n}"))
	expect.That(t, CheckFolder(made, strings.Repeat("x", 40)+"{date}{time}{kind}{title}{model}{seed}-{id}-{n}") == nil,
		"the longest name is none")
	full := (&Fetcher{}).diskError(api.Sentence("the downloads folder %v cannot be written to: %v"), &fs.PathError{Err: syscall.ENOSPC})
	expect.Contains(t, full.Error(), "make room", "a full disk")
}

// noise is a picture that no format makes small.
func noise() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 97, 61))
	seed := uint32(7)
	for i := range m.Pix {
		seed = seed*1664525 + 1013904223
		m.Pix[i] = byte(seed>>24) | 1
	}
	return m
}

func encoded(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	noError(t, encode(&b, noise()))
	return b.Bytes()
}

func boxOf(name string, content ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(content)))
	return append(append(b, name...), content...)
}

func clipBytes() []byte {
	ftyp := boxOf("ftyp", []byte("isom\x00\x00\x02\x00isommp41")...)
	moov := boxOf("moov", bytes.Repeat([]byte{1}, 300)...)
	mdat := boxOf("mdat", bytes.Repeat([]byte{2}, 3000)...)
	return bytes.Join([][]byte{ftyp, boxOf("free"), mdat, moov}, nil)
}

// partOf is a part that holds the bytes.
func partOf(t testing.TB, content []byte) *part {
	t.Helper()
	root := must(os.OpenRoot(t.TempDir()))(t)
	t.Cleanup(func() { root.Close() })
	p := must(openPart(root, "x.part", false))(t)
	t.Cleanup(func() { p.file.Close() })
	must(p.Write(content))(t)
	return p
}

// TestJudgeFindsEveryCut takes whole files of each format, and cuts each at
// many places.
func TestJudgeFindsEveryCut(t *testing.T) {
	t.Parallel()
	big := encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
	whole := map[string][]byte{
		"png": encoded(t, png.Encode), "jpg": big, "mp4": clipBytes(),
		"long jpg": append(bytes.Clone(big[:len(big)-2]), append(bytes.Repeat([]byte{7}, 200<<10), 0xff, 0xd9)...),
		"gif":      encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }),
		"gif with colours of its own": encoded(t, func(w io.Writer, m image.Image) error {
			all, b := color.Palette(palette.Plan9), m.Bounds()
			return gif.EncodeAll(w, &gif.GIF{Image: []*image.Paletted{image.NewPaletted(b, all[16:48])}, Delay: []int{0},
				Config: image.Config{ColorModel: all[:8], Width: b.Dx(), Height: b.Dy()}})
		}),
		"webp": []byte("RIFF\x14\x00\x00\x00WEBPVP8 \x08\x00\x00\x00abcdefgh"),
	}
	cuts := 0
	for name, content := range whole {
		for _, tail := range []string{"", "trailing bytes of somebody else"} {
			err := partOf(t, append(bytes.Clone(content), tail...)).judge("https://a.example/f")
			expect.Is(t, err, nil, "a whole", name, "with", len(tail), "more bytes")
		}
		p := partOf(t, content)
		for at := len(content) - 1; at > 16; at -= 1 + len(content)/97 {
			if at == len(content)-1 && (name == "webp" || strings.HasPrefix(name, "gif")) {
				continue // could be a missing padding byte, or end mark
			}
			noError(t, p.file.Truncate(int64(at)))
			p.size, p.head = int64(at), p.head[:min(at, len(p.head))]
			cuts++
			expect.Is(t, p.judge("https://a.example/f"), errShort, "a", name, "of", len(content), "bytes cut at", at)
		}
	}
	expect.Is(t, partOf(t, whole["gif"][:13]).judge("https://a.example/f"), errShort, "a gif without a picture")
	expect.Is(t, partOf(t, whole["mp4"][:len(whole["mp4"])-308]).judge("https://a.example/f"), errShort, "a clip that ends before its index")
	t.Logf("%d formats, %d cuts, all found", len(whole), cuts)
}

// TestJudgeRefusesNothingForADoubt takes what is odd, unknown or text that is
// a picture.
func TestJudgeRefusesNothingForADoubt(t *testing.T) {
	t.Parallel()
	palette := image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.White, color.Black})
	whole := map[string]string{
		"gif":         string(encoded(t, func(w io.Writer, _ image.Image) error { return gif.Encode(w, palette, nil) })),
		"gif's mark":  strings.TrimSuffix(string(encoded(t, func(w io.Writer, _ image.Image) error { return gif.Encode(w, palette, nil) })), ";"),
		"live webm":   "\x1a\x45\xdf\xa3\x87\x42\x82\x84webm\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xffabc",
		"no chunks":   string(pngBytes),
		"drawing":     `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"playlist":    "#EXTM3U\n#EXT-X-VERSION:3\n",
		"unknown":     "\x00\x01\x02 something new",
		"end of file": "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + "\x00\x00\x00\x08moov" + "\x00\x00\x00\x00mdatabc",
		"long box":    "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + "\x00\x00\x00\x08moov" + "\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x13abc",
		"no boxes":    "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41" + "\x00\x00\x00\x02mdat",
		"bare svg":    `<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>`,
		"pixels":      "P3\n2 2 255\n" + strings.Repeat("7 8 9\n", 4),
		"base64":      base64.StdEncoding.EncodeToString(pngBytes),
		"long text":   strings.Repeat("Service Unavailable\n", 205)[:maxMessage+1], // no error is that long
		// Nothing but boxes: walking gigabytes of them to their end would take minutes.
		"endless": "\x00\x00\x00\x10ftypisom\x00\x00\x02\x00" + strings.Repeat("\x00\x00\x00\x08free", maxWalk+1) + "\x00\x00\x00\x00mdat",
	}
	pages := map[string]string{
		"page":    "\n\n <!DOCTYPE HTML><title>Sign in</title>",
		"comment": "<!-- gateway --><html></html>",
		"storage": `<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>`,
		"json":    "\xef\xbb\xbf {\"error\": \"expired\"}",
		"message": "Not Found",
		"status":  "404 page not found\n",
		"chinese": "链接已过期",
		"log":     strings.Repeat("Service Unavailable\n", 205)[:maxMessage],
	}
	for want, contents := range map[error]map[string]string{nil: whole, errPage: pages} {
		for name, content := range contents {
			expect.Is(t, partOf(t, []byte(content)).judge("https://a.example/f"), want, name)
		}
	}
	noError(t, partOf(t, []byte("a caption")).judge("https://a.example/caption.txt?x=1")) // a text where the address says so
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"))
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x02\xff\xff\xda\x00\x02"))
	f.Add(clipBytes())
	f.Add([]byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("RIFF\xff\xff\xff\xffWEBP"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	dir := f.TempDir()
	root := must(os.OpenRoot(dir))(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := openPart(root, "x.part", false)
		if err != nil {
			t.Skip(err)
		}
		defer p.file.Close()
		noError(t, p.resume(0))
		p.Write(content)
		_ = p.judge("https://a.example/f")
	})
}

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Harbour at dawn":           "harbour-at-dawn",
		"  ../../etc/passwd  ":      "etc-passwd",
		"海边的日出，水彩":                  "海边的日出-水彩",
		"CON":                       "con",
		".hidden\x00\x1b[31mred":    "hidden-31mred",
		"a\u202egnp.exe":            "a-gnp-exe",
		"\u3164\u3164":              "",
		"Été à Paris":               "été-à-paris",
		"!!!":                       "",
		strings.Repeat("word ", 40): strings.TrimSuffix(strings.Repeat("word-", 12), "-"),
		strings.Repeat("夜", 30):     strings.Repeat("夜", 20),
		strings.Repeat("x", 30) + "-" + strings.Repeat("y", 40): strings.Repeat("x", 30),
		strings.Repeat("x", 29) + "-" + strings.Repeat("y", 40): strings.Repeat("x", 29) + "-" + strings.Repeat("y", 30),
		"broken \xff\xfe utf8 \x80ok":                           "broken-utf8-ok",
	} {
		expect.Equal(t, slugOf(title), want, "slugOf", title)
	}
}

// safeName is what every name must be, whatever it was made from.
func safeName(t *testing.T, name string) {
	t.Helper()
	switch {
	case !utf8.ValidString(name), len(name) > 140, strings.HasPrefix(name, "-"),
		strings.ContainsAny(name, "/\\:*?\"<>|%$`'\x00 "), filepath.Base(name) != name,
		strings.HasSuffix(name, "."), !filepath.IsLocal(name):
		t.Errorf("unsafe name %q", name)
	}
	for _, r := range name {
		expect.That(t, unicode.IsPrint(r) && !unicode.Is(unicode.Cf, r), "name", name, "holds", r)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("Harbour at dawn", 1)
	f.Add("../../etc", 2)
	f.Add("海边\u200b\u202e", 3)
	f.Add("NUL.", -1)
	f.Add("\xffA\u0301\u0345ǅ", 1<<40)
	f.Fuzz(func(t *testing.T, title string, n int) {
		w := Want{Job: &store.Job{Row: store.Row{ID: job, Title: title, Kind: api.KindVideo, CreatedAt: time.Unix(1e9, 0)}}, N: n}
		for _, name := range []string{fileName("", w, 0, ".mp4"), fileName("", w, 3, ".bin")} {
			safeName(t, name)
			stem, ok := resultStem(name)
			expect.That(t, ok && strings.HasSuffix(stem, nameEnd(job, n)), name, "is not found again")
		}
		safeName(t, partName(job, n))
		expect.That(t, len(slugOf(title)) <= 60, "slug of", title, "is too long")
	})
}

func TestNamesByPattern(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 14, 5, 6, 0, time.Local)
	of := func(title, model string, kind api.Kind) *store.Job {
		return &store.Job{Row: store.Row{ID: "k3v9q2mxabcd", Title: title, Model: model, Kind: kind, CreatedAt: at}}
	}
	whole, bare := Want{Job: of("Harbour at dawn", "lumen/still-1", api.KindImage), N: 1}, Want{Job: of("../..", "../..", api.KindVideo), N: 2}
	whole.Job.Request.Seed = new(int64(42))
	const long = "{date}-{title}-{model}-{seed}-{id}-{n}"
	for _, c := range []struct {
		pattern, want string
		of            Want
		copies        int
	}{
		{"", "20260301-harbour-at-dawn-k3v9q2mx-1.png", whole, 0},
		{long, "20260301-harbour-at-dawn-lumen-still-1-42-k3v9q2mx-1.png", whole, 0},
		{long, "20260301-harbour-at-dawn-lumen-still-1-42-copy2-k3v9q2mx-1.png", whole, 2},
		{long, "20260301-video-k3v9q2mx-2.png", bare, 0},
		{"{seed}-{id}-{n}", "video-k3v9q2mx-2.png", bare, 0},
		{"{time}_{kind}-{id}-{n}", "140506_image-k3v9q2mx-1.png", whole, 0},
	} {
		name := fileName(c.pattern, c.of, c.copies, ".png")
		expect.Equal(t, name, c.want, c.pattern)
		stem, ok := resultStem(name)
		expect.That(t, ok && strings.HasSuffix(stem, nameEnd(c.of.Job.ID, c.of.N)), name, "is not found again")
	}
	most := Want{Job: of(strings.Repeat("海", 500), strings.Repeat("m", 500), api.KindImage), N: 1}
	most.Job.Request.Seed = new(int64(42))
	for _, pattern := range []string{"con.{title}-{id}-{n}", "{title}.x-{id}-{n}", "-NUL.-{id}-{n}", "lpt¹.a-{id}-{n}", "COM7.{seed}-{id}-{n}"} {
		name := fileName(pattern, Want{Job: &store.Job{Row: store.Row{ID: job, Title: "Aux"}}, N: 1}, 0, ".png")
		before, _, _ := strings.Cut(strings.ToLower(name), ".") // on Windows that may be a device
		expect.That(t, !slices.Contains([]string{"con", "nul", "aux", "lpt¹", "com7"}, before), pattern, "makes", name)
	}
	longest := strings.Repeat("x", 40) + "{date}{time}{kind}{title}{model}{seed}-{id}-{n}"
	name := fileName(longest, most, 99, ".webm")
	expect.That(t, len(name+recipeEnd) <= 255, len(name), "bytes")
}

func fetcherAt(base string) *Fetcher {
	u, _ := url.Parse(base)
	return New(Options{Base: u, Dir: os.TempDir()})
}

func TestResolveAndAllow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, address, want string }{
		{"https://a.example", "/files/1.png?sig=x%2Fy", "https://a.example/files/1.png?sig=x%2Fy"},
		{"https://a.example", "files/1.png", "https://a.example/files/1.png"},
		{"https://a.example/gw", "/files/1.png", "https://a.example/gw/files/1.png"},
		{"https://a.example/gw", "/gw/files/1.png", "https://a.example/gw/files/1.png"},
		{"https://a.example/gw", "https://cdn.example/1.png#part", "https://cdn.example/1.png"},
		{"https://a.example", "//cdn.example/1.png", "https://cdn.example/1.png"},
		{"http://127.0.0.1:9", "http://localhost:8/x", "http://localhost:8/x"},
		{"https://10.0.0.1", "https://10.0.0.9/x", "https://10.0.0.9/x"},
		{"https://a.example", "http://cdn.example/1.png", ""},
		{"https://a.example", "http://127.0.0.1/1.png", ""},
		{"https://a.example", "https://127.0.0.1/1.png", ""},
		{"https://a.example", "https://[::1]/1.png", ""},
		{"https://a.example", "https://192.168.0.1/1.png", ""},
		{"https://10.0.0.1", "https://127.0.0.1/x", ""},
		{"http://127.0.0.1:9", "https://10.0.0.1/x", ""},
		{"http://127.0.0.1:9", "https://169.254.169.254/x", ""},
		{"https://a.example", "https://user:pw@cdn.example/x", ""},
		{"https://a.example", "ftp://cdn.example/x", ""},
		{"https://a.example", "javascript:alert(1)", ""},
		{"https://a.example", "https:///x", ""},
		{"https://a.example", "ht\x00tp://x", ""},
		{"https://a.example", "https://cdn.example/" + strings.Repeat("a", 8193-len("https://cdn.example/")), ""},
	} {
		u, err := fetcherAt(c.base).resolve(c.address)
		got := ""
		if err == nil {
			got = u.String()
		}
		expect.Equal(t, got, c.want, c.base, "with", c.address, err)
	}
	_, err := fetcherAt("http://127.0.0.1:9").resolve("http://media.example.com/image.png?sig=hidden")
	known, ok := errors.AsType[*Error](err)
	expect.That(t, ok && known.Final && strings.HasSuffix(err.Error(), "fetched: http://media.example.com/image.png"), err)
}

// A name that resolves to a private address must be refused while connecting.
func TestDialJudgesTheResolvedAddress(t *testing.T) {
	t.Parallel()
	for base, refused := range map[string]bool{"https://a.example": true, "http://127.0.0.1:1": false} {
		_, err := fetcherAt(base).dial(t.Context(), "tcp", "localhost:1")
		expect.That(t, err != nil && strings.Contains(err.Error(), errPrivate.Error()) == refused, "dialling localhost for", base, "gave", err)
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"/x", "https://a/b?c", "//h", "http://[::1]/", "https://[::ffff:10.0.0.1]:443", "..//..\\x", "https://0x7f.1/", "https://①②⑦.0.0.1/"} {
		f.Add(s)
	}
	local, far := fetcherAt("http://127.0.0.1:9/gw"), fetcherAt("https://a.example/gw")
	f.Fuzz(func(t *testing.T, address string) {
		if u, err := far.resolve(address); err == nil {
			expect.That(t, u.Scheme == "https" && u.Host != "" && u.User == nil, address, "resolves to", u)
			ip, err := netip.ParseAddr(u.Hostname())
			expect.That(t, err != nil || api.ReachOf(ip) == api.ReachPublic, address, "leads to", ip)
		}
		u, err := local.resolve(address)
		expect.That(t, err != nil || u.Scheme != "http" || api.LoopbackHost(u.Hostname()), address, "leaves this machine in plain", u)
	})
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\n....":                                ".png",
		"\xff\xd8\xff\xe0":                                     ".jpg",
		"RIFF\x10\x00\x00\x00WAVEfmt ":                         ".bin",
		"RIFF\x10\x00\x00\x00WEBP":                             ".webp",
		"GIF89a...":                                            ".gif",
		"\x00\x00\x00\x20ftypisom":                             ".mp4",
		"\x00\x00\x00\x20ftypiso":                              ".bin",
		"\x01\x00\x00\x20ftypisom":                             ".bin",
		"\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00":             ".mov",
		"\x00\x00\x00\x08wide\x00\x01\x02\x03mdat":             ".mov",
		"\x00\x00\x00\x20ftypavif\x00\x00\x02\x00":             ".bin",
		"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm": ".webm",
		"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska":             ".bin",
		"<!doctype html>":                                      ".bin",
		"#!/bin/sh":                                            ".bin",
		"":                                                     ".bin",
	} {
		expect.Equal(t, sniff([]byte(head)).ext, want, head)
	}
}

func TestRecipeHoldsNoAddressOfAResult(t *testing.T) {
	t.Parallel()
	f := New(Options{Dir: filepath.Join(t.TempDir(), "results")})
	w := want("")
	w.Result.Data = pngBytes
	file := must(f.Fetch(t.Context(), w))(t)
	file.URL = "https://cdn.example/x?X-Signature=hidden"
	j := store.Job{Row: store.Row{ID: job, RemoteID: "r1", Kind: api.KindImage, Model: "m"}, Files: []store.File{file},
		Results:  []api.Result{{URL: file.URL}},
		Estimate: api.Estimate{Credits: 4 * api.Credit, Source: api.SourceTable},
		Request: api.Request{Kind: api.KindImage, Model: "m", Prompt: "p",
			ImageURL:   "https://u:hidden@mine.example/a.png?token=hidden#hidden",
			ImageFiles: []string{"data:image/png;base64,hidden"}}}
	for range 2 {
		noError(t, f.WriteRecipe(j))
	}
	name := "20260301-harbour-at-dawn-k3v9q2mx-1"
	wantFolder(t, f, name+".darkroom.json", name+".png")
	text, err := os.ReadFile(filepath.Join(f.Dir, name+recipeEnd))
	expect.That(t, err == nil && !strings.Contains(string(text), "hidden") && !strings.Contains(string(text), "cdn.example"),
		"the recipe holds an address", string(text), err)
	var back recipe
	noError(t, json.Unmarshal(text, &back))
	expect.Equal(t, back.Request.ImageURL, "https://mine.example/a.png")
	expect.That(t, *back.Credits == 4*api.Credit && back.Files[0].SHA256 == file.SHA256, "read back", back)
	j.Files[0].Path = filepath.Join(f.Dir, strings.Repeat("x", 250)+".png")
	expect.That(t, f.WriteRecipe(j) != nil, "a recipe that cannot be written is no error")
}

// FuzzReach: an address that carries an inner one, however it is spelled, is
// never nearer to a service elsewhere than that one.
func FuzzReach(f *testing.F) {
	for _, s := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "::10.0.0.1", "fe80::1%eth0", "169.254.169.254",
		"fd00:ec2::254", "0.0.0.0", "::", "224.0.0.1", "2606:4700::1111", "100.64.0.1", "64:ff9b:1::7f00:1", "::ffff:0:127.0.0.1"} {
		ip := netip.MustParseAddr(s)
		f.Add(ip.AsSlice(), s)
	}
	far := fetcherAt("https://a.example/gw")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		list := []netip.Addr{}
		if ip, ok := netip.AddrFromSlice(raw); ok {
			list = append(list, ip)
		}
		if ip, err := netip.ParseAddr(text); err == nil {
			list = append(list, ip)
		}
		for _, ip := range list {
			plain := ip.Unmap().WithZone("")
			near := plain.IsLoopback() || plain.IsPrivate() || plain.IsLinkLocalUnicast() || plain.IsUnspecified() || plain.IsMulticast()
			expect.That(t, !far.mayReach("cdn.example", ip) || !near, ip, "may be reached")
			expect.That(t, !ip.Is4() || api.ReachOf(ip) == api.ReachOf(netip.AddrFrom16(ip.As16())),
				ip, "is", api.ReachOf(ip), "and written as IPv6", api.ReachOf(netip.AddrFrom16(ip.As16())))
		}
	})
}

// withRecipe is a PNG into which darkroom wrote a recipe before its end.
func withRecipe(t testing.TB, recipe string) []byte {
	t.Helper()
	picture := encoded(t, png.Encode)
	body := []byte("iTXtdarkroom\x00\x00\x00\x00\x00" + recipe)
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4)), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	end := len(picture) - 12
	return append(append(bytes.Clone(picture[:end]), chunk...), picture[end:]...)
}

func TestARecipeWithinAPictureIsRead(t *testing.T) {
	t.Parallel()
	content := withRecipe(t, `{"job":"k3v9","kind":"image","model":"a/b","request":{"kind":"image","model":"a/b","prompt":"清晨的港口"}}`)
	path := simtest.File(t, filepath.Join(t.TempDir(), "a.png"), content)
	r, ok, err := SavedRequest(path)
	expect.That(t, err == nil && ok && r.Prompt == "清晨的港口" && r.Model == "a/b", "the file says", r, ok, err)
	_, ok, err = SavedRequest(filepath.Dir(path))
	expect.That(t, !ok && err == nil, "the folder says", ok, err)
	expect.Is(t, expect.Err(png.Decode(bytes.NewReader(content))), nil, "the test's file")
	expect.That(t, !cutShort(bytes.NewReader(content), int64(len(content)), ".png"), "the test's file is not a whole picture")
}

func FuzzWithin(f *testing.F) {
	f.Add(withRecipe(f, "{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		recipe := within(bytes.NewReader(body))
		expect.That(t, len(recipe) <= len(body), len(recipe), "bytes of", len(body))
	})
}

func TestPublic(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	whole := append(encoded(t, png.Encode), make([]byte, 100_000)...)
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"/there":     answers(200, ""),
		"/moved":     answers(302, "", "Location", "/there"),
		"/round":     answers(302, "", "Location", "/round"),
		"/inward":    answers(302, "", "Location", "http://10.0.0.1/x"),
		"/private":   answers(401, ""),
		"/page.png":  answers(200, "<!DOCTYPE html><title>sign in</title>", "Content-Type", "image/png"),
		"/drops.mp3": answers(200, "ID3\x03"),
		"/last":      answers(299, ""),
		"/choices":   answers(300, ""),
		"/stream":    answers(206, "ID3\x03", "Content-Range", "bytes 0-3/*"),
		"/boat.png": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(whole))
		},
		"/no-head": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodHead {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			w.WriteHeader(http.StatusPartialContent)
		},
		"/reset": func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		},
	} {
		mux.HandleFunc(path, h)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		r.Header.Del("Accept-Encoding") // net/http's own
		expect.That(t, maps.EqualFunc(r.Header, http.Header{"User-Agent": {"darkroom"}, "Range": {"bytes=0-63"}}, slices.Equal),
			"the request has the headers", r.Header)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	local := fetcherAt(server.URL)
	for path, want := range map[string]string{
		"/there": "", "/there#t=1": "", "/no-head": "", "/moved": "", "/last": "",
		"/choices": "is 300 for the public",
		"/gone":    "is 404 for the public",
		"/private": "is 401 for the public",
		"/round":   "redirects more than 5 times",
		"/inward":  "private network",
		"/reset":   "cannot be reached",
	} {
		_, err := local.Public(t.Context(), server.URL+path)
		e, known := errors.AsType[*Error](err)
		said := known && strings.Contains(e.Error(), want) && !strings.Contains(e.Error(), server.URL)
		expect.That(t, want == "" && err == nil || want != "" && said, path, err, "want", want)
	}
	for path, want := range map[string]Link{ // by its bytes, whatever its host says of it
		"/boat.png":  {Status: 206, Type: "image/png", Bytes: int64(len(whole))},
		"/page.png":  {Status: 200, Type: "text/html", Bytes: 37},
		"/drops.mp3": {Status: 200, Type: "audio/mpeg", Bytes: 4},
		"/stream":    {Status: 206, Type: "audio/mpeg"},
		"/gone":      {Status: 404, Bytes: 19},
	} {
		got, err := local.Public(t.Context(), server.URL+path)
		expect.That(t, got == want && (err != nil) == (want.Status == 404) && got.Page() == (path == "/page.png"),
			path, "is", got, err, "page", got.Page(), "want", want)
	}
	before := asked.Load()
	away := fetcherAt("https://a.example")
	for _, address := range []string{
		server.URL + "/there", strings.Replace(server.URL, "127.0.0.1", "localhost", 1) + "/there",
		"http://169.254.169.254/latest", "file:///etc/passwd", "ftp://a.example/x", "https://user:pw@a.example/x", "https://", "ht\x00tp://x",
	} {
		expect.Fails(t, expect.Err(away.Public(t.Context(), address)), "", address, "passes for public")
	}
	expect.Equal(t, asked.Load(), before, "this machine was asked on behalf of a service elsewhere")
}

func script(t *testing.T, name string, lines ...string) string {
	return simtest.Script(t, filepath.Join(t.TempDir(), name), lines...)
}

// recorderProgram writes its arguments and environment into a file. It starts no
// other programs, which a busy machine may refuse it.
func recorderProgram(t *testing.T, exit string) (program, record string) {
	t.Helper()
	record = filepath.Join(t.TempDir(), "record")
	return script(t, "opener", "[ /dev/fd/1 -ef /dev/null ] && [ /dev/fd/2 -ef /dev/null ] && DISCARDED=both && export DISCARDED",
		"{ echo $#; echo \"$1\"; echo \"HOME=$HOME\"; export -p; echo "+recordEnd+"; } > '"+record+"'", "echo noise", "exit "+exit), record
}

// recordEnd is the last line of a whole record.
const recordEnd = "whole"

// recorded waits for what a program wrote: Open does not wait for a slow one, nor
// say that it has failed.
func recorded(t *testing.T, path string) string {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if strings.HasSuffix(string(text), "\n"+recordEnd+"\n") {
			return string(text)
		}
		expect.Must(t, (err == nil || errors.Is(err, fs.ErrNotExist)) && !time.Now().After(limit), "the program wrote", string(text), err)
	}
}

func TestOpenSaysWhyNot(t *testing.T) {
	t.Parallel()
	program, record := recorderProgram(t, "3")
	dir := t.TempDir()
	file := func(name string, content []byte) string { return simtest.File(t, filepath.Join(dir, name), content) }
	good := file("good.png", pngBytes)
	link := filepath.Join(dir, "link.png")
	noError(t, os.Symlink(good, link))
	for name, c := range map[string]struct{ opener, path, text string }{
		"relative":          {program, "good.png", "absolute"},
		"unclean":           {program, dir + "/../" + filepath.Base(dir) + "/good.png", "absolute"},
		"gone":              {program, filepath.Join(dir, "none.png"), "gone"},
		"folder":            {program, dir, "not a file"},
		"link":              {program, link, "not a file"},
		"unknown type":      {program, file("x.bin", pngBytes), "type is not known"},
		"disguised":         {program, file("x.png", []byte("#!/bin/sh")), "not what its name says"},
		"desktop file":      {program, file("x.desktop", []byte("[Desktop Entry]")), "not what its name says"},
		"no such opener":    {filepath.Join(dir, "none"), good, "is not there"},
		"opener unrunnable": {file("plain", []byte("x")), good, "may not be run"},
	} {
		err := Open(t.Context(), "", c.opener, c.path)
		var known *Error
		expect.That(t, errors.As(err, &known) && strings.Contains(known.Error(), c.text), name, "got", err, "want", c.text)
	}
	expect.Fails(t, expect.Err(os.Stat(record)), "", "the opener was started for a path that must not be opened")
	var err error
	for range 5 { // one that takes longer than openWait, as on a busy machine, has not failed yet
		if err = Open(t.Context(), "", program, good); err != nil {
			break
		}
	}
	expect.Fails(t, err, "could not open", "an opener that fails")
	explorer := filepath.Join(dir, "explorer.exe")
	noError(t, errors.Join(os.Symlink(program, explorer), Open(t.Context(), "", explorer, good)))
}

// TestVideosGoToThePlayer, and all else to the opener: each is handed one path and
// an environment without our variables, and nothing reads what it writes, however much.
func TestVideosGoToThePlayer(t *testing.T) {
	t.Setenv("DARKROOM_API_KEY", "hidden")
	t.Setenv("DARKROOM_X", "hidden")
	t.Setenv("HOME", "/h")
	player, played := recorderProgram(t, "0")
	opener, opened := recorderProgram(t, "0")
	mp4 := append([]byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2"), make([]byte, 64)...)
	for name, c := range map[string]struct {
		content        []byte
		player, record string
	}{
		"a.mp4": {mp4, player, played}, "-a b;$(x).png": {pngBytes, player, opened}, "b.mp4": {mp4, "", opened},
	} {
		_ = os.Remove(played)
		_ = os.Remove(opened)
		path := simtest.File(t, filepath.Join(t.TempDir(), name), c.content)
		noError(t, Open(t.Context(), c.player, opener, path))
		text := recorded(t, c.record)
		expect.That(t, strings.HasPrefix(text, "1\n"+path+"\n") && !strings.Contains(text, "hidden") && strings.Contains(text, "HOME=/h") &&
			strings.Contains(text, "DISCARDED="), name, "the program saw", text)
	}
	expect.Fails(t, Open(t.Context(), player, opener, "/etc/passwd"), "", "a file of others was handed over")
}

func TestSaveAsCopiesAndOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := simtest.File(t, filepath.Join(dir, "result.png"), pngBytes)
	folder := filepath.Join(dir, "out")
	noError(t, os.Mkdir(folder, 0o700))
	for to, want := range map[string]string{
		folder:                              filepath.Join(folder, "result.png"),
		filepath.Join(folder, "cover"):      filepath.Join(folder, "cover.png"),
		filepath.Join(folder, "b/../c.png"): filepath.Join(folder, "c.png"),
	} {
		got, err := SaveAs(t.Context(), from, to)
		expect.Must(t, err == nil && got == want, to, got, err)
		content, err := os.ReadFile(want)
		expect.That(t, err == nil && bytes.Equal(content, pngBytes), want, err)
	}
	for to, why := range map[string]string{
		folder:                               "already",
		filepath.Join(folder, "cover.png"):   "already",
		filepath.Join(dir, "no/where/x.png"): "no such folder",
		"relative.png":                       "full path",
		"":                                   "full path",
		from:                                 "already",
	} {
		expect.Fails(t, expect.Err(SaveAs(t.Context(), from, to)), why, to)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	expect.Fails(t, expect.Err(SaveAs(ended, from, filepath.Join(folder, "late.png"))), "", "it is copied after its context ended")
	expect.Equal(t, len(must(os.ReadDir(folder))(t)), 3, "files that are left")
}

// TestCheckCopyMakesAllNames: whatever keeps a copy from being made under a name that
// a result is sure to get is found before there is a result, and nothing else.
func TestCheckCopyMakesAllNames(t *testing.T) {
	t.Parallel()
	one, two := CopyName("/d/pic.png", 1), CopyName("/d/pic.png", 2)
	expect.That(t, one == "/d/pic.png" && two == "/d/pic-2.png", "two results are copied to", one, "and", two)
	for made, c := range map[string]struct {
		to   string
		free bool
	}{
		"pic.png": {"pic", false}, "pic.webm": {"pic", false}, "dangling": {"dangling", false}, "": {strings.Repeat("x", 252) + ".png", false},
		"pic-2.webp": {"pic", true}, "a-2.png": {"a.png", true}, "a.webp": {"a.png", true},
	} {
		dir := t.TempDir()
		var err error
		if made == "dangling" {
			err = os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.png"))
		} else if made != "" {
			err = os.WriteFile(filepath.Join(dir, made), nil, 0o600)
		}
		noError(t, err)
		before, _ := os.ReadDir(dir)
		expect.Equal(t, CheckCopy(filepath.Join(dir, c.to)) == nil, c.free, c.to, "with", made, "there")
		expect.Is(t, CheckCopy(filepath.Join(dir, "free")), nil, "a free name")
		expect.Len(t, must(os.ReadDir(dir))(t), len(before), "left behind")
	}
}

// TestUpload: the command gets its words as they are, with the file in its place
// and without our variables; what it writes last has to be a public address.
func TestUpload(t *testing.T) {
	t.Setenv("DARKROOM_API_KEY", "ak_secret")
	t.Setenv("MINE", "1")
	mux := http.NewServeMux()
	mux.HandleFunc("/boat.png", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	f := fetcherAt(server.URL)
	f.probe.Transport = server.Client().Transport
	dir := t.TempDir()
	file := simtest.File(t, filepath.Join(dir, "my $(touch evil) boat.png"), "x")
	seen := filepath.Join(dir, "seen")
	command := func(lines ...string) []string {
		return []string{script(t, "up", lines...), "copy to", "{file}", "there:{file}"}
	}
	good := command(`printf '%s\n' "$@" > '`+seen+`'`, `env >> '`+seen+`'`, "echo 10% done", "echo "+server.URL+"/boat.png", "echo")
	expect.Equal(t, must(f.Upload(t.Context(), good, file))(t), server.URL+"/boat.png")
	longest := server.URL + "/boat.png?" + strings.Repeat("a", maxAddress-len(server.URL+"/boat.png?"))
	expect.Equal(t, must(f.Upload(t.Context(), command("echo "+longest), file))(t), longest, "of the longest address is left")
	text, err := os.ReadFile(seen)
	expect.That(t, err == nil && strings.HasPrefix(string(text), "copy to\n"+file+"\nthere:"+file+"\n") &&
		!strings.Contains(string(text), "DARKROOM_") && strings.Contains(string(text), "MINE=1"), "the command saw", string(text), err)
	expect.Fails(t, expect.Err(os.Stat(filepath.Join(dir, "evil"))), "", "a shell took the file's name apart")
	for name, c := range map[string]struct {
		command []string
		file    string
		want    string
	}{
		"not public": {command("echo " + server.URL + "/gone.png"), file, "is 404 for the public"},
		"no https":   {command("echo http://cdn.example.com/a.png"), file, "not an https:// URL"},
		"nothing":    {command("true"), file, "not an https:// URL"},
		"no host":    {command("echo https:/boat.png"), file, "not an https:// URL"},
		"no URL":     {command("echo " + server.URL + "/%zz"), file, "not an https:// URL"},
		"more words": {command("echo " + server.URL + "/boat.png is there"), file, "not an https:// URL"},
		"too long":   {command("echo " + longest + "a"), file, "not an https:// URL"},
		"failed":     {command("echo no space left >&2", "exit 3"), file, "failed: no space left"},
		"no command": {[]string{filepath.Join(dir, "none"), "{file}"}, file, "is not there"},
		"none set":   {nil, file, "no upload command"},
		"no file":    {good, filepath.Join(dir, "none.png"), "is not there"},
		"a folder":   {good, dir, "is not a file"},
	} {
		expect.Fails(t, expect.Err(f.Upload(t.Context(), c.command, c.file)), c.want, name)
	}
}

// TestThePromisesNameTheFigures that hold here.
func TestThePromisesNameTheFigures(t *testing.T) {
	simtest.Promised(t,
		fmt.Sprintf("above %d MiB (video %d GiB) or below %d KiB per %d s", api.MaxBytes(api.KindImage)>>20, api.MaxBytes(api.KindVideo)>>30, MinComing>>10, idleLimit/time.Second),
		fmt.Sprintf("%d KiB/s for %d s", crawl/10>>10, idleLimit/3/time.Second),
		fmt.Sprintf("pinged after %d s of silence", New(Options{}).client.Transport.(*http.Transport).HTTP2.SendPingTimeout/time.Second))
}
