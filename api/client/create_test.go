package client

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

func TestMain(m *testing.M) {
	flag.Parse()
	simtest.WaitTogether()
	os.Exit(m.Run())
}

const tinyPNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"

const jsonType = "Content-Type: application/json\r\n"

// outcomeCase is one row of the outcome table, as a server that behaves so.
type outcomeCase struct {
	name  string
	raw   string // the whole answer of the server
	phase api.Phase
	class api.ErrorClass // of the error, if any
	wait  time.Duration
	id    string
}

var outcomeCases = []outcomeCase{
	{name: "accepted", raw: answer("200 OK", jsonType, `{"id":"job_1","status":"PENDING"}`), phase: api.PhaseQueued, id: "job_1"},
	{name: "accepted after 103", raw: "HTTP/1.1 103 Early Hints\r\n\r\n" + answer("200 OK", jsonType, `{"id":"job_1"}`), phase: api.PhaseQueued, id: "job_1"},
	{name: "finished at once", raw: answer("200 OK", jsonType, `{"status":"COMPLETED","data":[{"url":"https://files.example.com/a.mp4"}]}`), phase: api.PhaseFetching},
	{name: "finished as base64", raw: answer("200 OK", jsonType, `{"data":[{"b64_json":"`+base64.StdEncoding.EncodeToString([]byte(tinyPNG+strings.Repeat("x", 400)))+`"}]}`), phase: api.PhaseFetching},
	{name: "JSON that is called an image", raw: answer("200 OK", "Content-Type: image/png\r\n", `{"id":"job_9"}`), phase: api.PhaseQueued, id: "job_9"},
	{name: "page that is called an image", raw: answer("200 OK", "Content-Type: image/png\r\n", "\n<html>a1b2</html>"), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "media, nobody takes it", raw: answer("200 OK", "Content-Type: image/png\r\n", tinyPNG), phase: api.PhaseUnread, class: api.ClassUnreadable},
	{name: "invalid UTF-8 and not JSON", raw: answer("200 OK", jsonType, "\xff\xfe\x00{"), phase: api.PhaseUnknown},
	{name: "204", raw: "HTTP/1.1 204 No Content\r\n\r\n", phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "304", raw: "HTTP/1.1 304 Not Modified\r\n\r\n", phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "307 to nonsense", raw: answer("307 Temporary Redirect", "Location: http://%zz\r\n", ""), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "303 to the job", raw: answer("303 See Other", "Location: /api/v1/jobs/job_1\r\n", ""), phase: api.PhaseUnknown, id: "job_1"},
	{name: "500 with the job's address", raw: answer("500 Internal Server Error", "Location: /api/v1/jobs/job_1\r\n", "{}"), phase: api.PhaseUnknown, id: "job_1"},
	{name: "400", raw: answer("400 Bad Request", jsonType, `{"error":{"message":"duration must be 5 or 10"}}`), phase: api.PhaseRejected, class: api.ClassInvalid},
	{name: "451", raw: answer("451 Unavailable For Legal Reasons", jsonType, `{"error":"content policy violation"}`), phase: api.PhaseRejected, class: api.ClassModeration},
	{name: "429 with Retry-After", raw: answer("429 Too Many Requests", "Retry-After: 7\r\n", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: 7 * time.Second},
	{name: "429 with a fraction", raw: answer("429 Too Many Requests", "Retry-After: 0.2\r\n", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Second},
	{name: "429 with a fraction in it", raw: answer("429 Too Many Requests", jsonType, `{"retry_after":0.2}`), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Second},
	{name: "429 with years", raw: answer("429 Too Many Requests", "Retry-After: 99999999\r\n", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Hour},
	{name: "200 with 401", raw: answer("200 OK", jsonType, `{"success":false,"code":401,"message":"invalid api key"}`), phase: api.PhaseRejected, class: api.ClassKey},
	{name: "200 with 400", raw: answer("200 OK", jsonType, `{"success":false,"code":400,"message":"bad ratio"}`), phase: api.PhaseRejected, class: api.ClassInvalid},
	{name: "429 without", raw: answer("429 Too Many Requests", "", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Minute},
	{name: "503 with Retry-After", raw: answer("503 Service Unavailable", "Retry-After: 7\r\n", ""), phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "switched protocols", raw: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", phase: api.PhaseUnknown},
	{name: "end before a byte", raw: "", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "end in the status line", raw: "HTTP/1.1 20", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "end in the headers", raw: "HTTP/1.1 200 OK\r\nContent-Le", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "not HTTP", raw: "SSH-2.0-OpenSSH_9.9\r\n", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "body cut short", raw: "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n" + jsonType + "\r\n" + `{"id":"job_1","status":"PEN`, phase: api.PhaseUnknown, class: api.ClassNetwork, id: "job_1"},
	{name: "chunks cut short", raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"id\":\"job_1\",\"a\r\n", phase: api.PhaseUnknown, class: api.ClassNetwork, id: "job_1"},
	{name: "400 cut short", raw: "HTTP/1.1 400 Bad Request\r\nContent-Length: 400\r\n\r\n{", phase: api.PhaseUnknown},
	{name: "402 cut short, with an id", raw: "HTTP/1.1 402 Payment Required\r\nContent-Length: 400\r\n\r\n{\"job_id\":\"job_1\",", phase: api.PhaseUnknown, id: "job_1"},
	{name: "429 cut short", raw: "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 400\r\n\r\n{", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "500 cut short", raw: "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 400\r\n\r\n{", phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "422 too large", raw: answer("422 Unprocessable Entity", jsonType, `{"pad":"`+strings.Repeat("x", MaxAnswer)+`"}`), phase: api.PhaseUnknown},
	{name: "too large", raw: answer("200 OK", jsonType, `{"id":"job_1","pad":"`+strings.Repeat("x", MaxAnswer)+`"}`), phase: api.PhaseUnknown, class: api.ClassUnreadable, id: "job_1"},
	{name: "a bomb", raw: answer("200 OK", jsonType+"Content-Encoding: gzip\r\n", zipped(`{"id":"job_1","pad":"`+strings.Repeat(" ", MaxAnswer)+`"}`)), phase: api.PhaseUnknown, class: api.ClassUnreadable, id: "job_1"},
	{name: "zipped", raw: answer("200 OK", jsonType+"Content-Encoding: gzip\r\n", zipped(`{"id":"job_1"}`)), phase: api.PhaseQueued, id: "job_1"},
	{name: "an encoding not asked for", raw: answer("200 OK", jsonType+"Content-Encoding: br\r\n", "\x0b\x02\x80{}\x03"), phase: api.PhaseUnknown},
	{name: "deep nesting", raw: answer("200 OK", jsonType, strings.Repeat("[", 400<<10)), phase: api.PhaseUnknown},
	{name: "an over-long id", raw: answer("200 OK", jsonType, `{"id":"`+strings.Repeat("a", 200)+`"}`), phase: api.PhaseUnread},
}

// A refusal that names what may be a job is proven only when the service does not
// know that job. Nothing is sent twice.
func TestRefusalThatNamesAJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int
		body   string
		asked  int // status of the answer to GET /api/v1/jobs/j1
		phase  api.Phase
		gets   int
	}{
		{"it is the job", 400, `{"error":"bad ratio","job_id":"j1"}`, 200, api.PhaseQueued, 1},
		{"it is the job of a 429", 429, `{"message":"slow down","data":{"task_id":"j1"}}`, 200, api.PhaseQueued, 1},
		{"it is the job of a 403", 403, `{"message":"forbidden","id":"j1"}`, 200, api.PhaseQueued, 1},
		{"it is the job inside a 200", 200, `{"success":false,"error":{"message":"insufficient credits","job_id":"j1"}}`, 200, api.PhaseQueued, 1},
		{"not known", 400, `{"error":{"message":"bad ratio","id":"j1"}}`, 404, api.PhaseRejected, 1},
		{"a 429, not known", 429, `{"error":{"message":"slow down","id":"j1"}}`, 404, api.PhaseRejected, 1},
		{"cannot be asked", 400, `{"error":"bad ratio","job_id":"j1"}`, 500, api.PhaseUnknown, 1},
		{"a 429, cannot be asked", 429, `{"error":"slow down","job_id":"j1"}`, 429, api.PhaseUnknown, 1},
		{"the key is refused for all", 401, `{"error":"bad key","id":"j1"}`, 401, api.PhaseRejected, 1},
		{"it is the job at its address", 400, `{"error":"bad ratio"}`, 200, api.PhaseQueued, 1},
		{"no id", 400, `{"error":"bad ratio","request_id":"r1"}`, 200, api.PhaseRejected, 0},
		{"it is the job of a sentence", 429, `too many requests: job job_00000001 is queued`, 200, api.PhaseQueued, 1},
		{"it is the job in a message", 429, `{"message":"slow down (request 0b1f6f0e-7a63-4c38-9f0d-3a1d5c2b7e90); the job 0b1f6f0e-7a63-4c38-9f0d-3a1d5c2b7e91 waits"}`,
			200, api.PhaseQueued, 1},
		{"a job in its echo", 400, `{"error":"bad ratio","request":{"prompt":"another take on job 0b1f6f0e-7a63-4c38-9f0d-3a1d5c2b7e91 at dawn"}}`,
			200, api.PhaseRejected, 0},
		{"a number in a sentence", 429, `at most 5 requests a minute; job 12 waits`, 200, api.PhaseRejected, 0},
		{"it is an earlier job", 400, `{"error":"busy","job_id":"j0"}`, 200, api.PhaseRejected, 0},
		{"an earlier job of a 429", 429, `{"error":"busy with j0","job_id":"j0"}`, 200, api.PhaseRejected, 0},
		{"it is the job behind an earlier one", 400, `{"error":"busy","job_id":"j0","task_id":"j1"}`, 200, api.PhaseQueued, 1},
	} {
		posts, gets := 0, 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodPost {
				posts++
				if strings.Contains(c.name, "address") {
					w.Header().Set("Location", "/api/v1/jobs/j1")
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
				return
			}
			gets++
			if w.WriteHeader(c.asked); c.asked == 200 {
				fmt.Fprintf(w, `{"job":{"id":%q,"status":"PROCESSING"}}`, path.Base(r.URL.Path))
			}
		}))
		o := testClient(t, s.URL, nil, nil).testCreate(CreateOptions{Known: func(id string) bool { return id == "j0" }})
		s.Close()
		expect.That(t, o.Phase == c.phase && posts == 1 && gets == c.gets,
			c.name, "phase", o.Phase, "after", posts, "posts and", gets, "gets", o.Err)
		expect.That(t, (o.Phase != api.PhaseQueued || strings.HasSuffix(o.Answer.ID, "1") && o.Err == nil) && (o.Phase == api.PhaseRejected || o.RetryAfter == 0),
			c.name, "id", o.Answer.ID, "wait", o.RetryAfter, o.Err)
	}
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func TestCreateOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range outcomeCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHostileServer(t, nil, says(c.raw))
			asked := 0
			o := testClient(t, "http://"+h.Addr().String(), nil, nil).testCreate(CreateOptions{Last: func() error { asked++; return nil }})
			checkOutcome(t, o, c.phase, c.class)
			expect.That(t, c.id == "" || o.Answer.ID == c.id || slices.Contains(o.Answer.Candidates, c.id),
				"id", o.Answer.ID, "candidates", o.Answer.Candidates, "want", c.id)
			expect.That(t, h.posts.Load() == 1 && asked == 1, h.posts.Load(), "POSTs, asked", asked, "times")
			expect.Equal(t, o.RetryAfter, c.wait, "RetryAfter")
		})
	}
}

// checkOutcome checks what holds for every outcome beside the wanted phase.
func checkOutcome(t *testing.T, o api.Outcome, phase api.Phase, class api.ErrorClass) {
	t.Helper()
	expect.That(t, o.Phase == phase && (o.Phase == api.PhaseQueued || o.Phase == api.PhaseFetching) == (o.Err == nil),
		"phase", o.Phase, "want", phase, o.Err)
	expect.That(t, class == "" || o.Err != nil && o.Err.Class == class, "error", o.Err, "want class", class)
	expect.That(t, len(o.Raw) <= read.MaxKeptRaw, len(o.Raw), "bytes of raw answer kept")
	if o.Err != nil {
		s := o.Err.Error()
		expect.That(t, s != "" && !strings.Contains(s, "generations") && !strings.Contains(s, "\n") && !strings.Contains(s, clientSecret), "error", s)
	}
}

// The failures from before a connection is had: nothing is sent.
func TestCreateNotSent(t *testing.T) {
	t.Parallel()
	config, roots := simtest.Certificate()
	plain := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) {
		io.ReadFull(conn, make([]byte, 5))
		io.WriteString(conn, "HTTP/1.0 400 Bad Request\r\n\r\n")
		io.Copy(io.Discard, conn)
	})
	closes := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) { io.ReadFull(conn, make([]byte, 5)) })
	resets := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) {
		io.ReadFull(conn, make([]byte, 5)) // of the TLS hello
		simtest.Reset(conn)
	})
	hangs := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) { io.Copy(io.Discard, conn) })
	old := config.Clone()
	old.MinVersion, old.MaxVersion = 0, tls.VersionTLS11
	ancient := newHostileServer(t, old, says(""))
	untrusted := newHostileServer(t, config, says(""))
	denies := newHostileServer(t, nil, says(answer("407 Who are you", "", "")))

	// The port of a connection that we have made: nobody listens there, and as long
	// as it is there nobody can begin to.
	made := simtest.Must(net.Dial("tcp", hangs.Addr().String()))(t)
	t.Cleanup(func() { made.Close() })

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	fails := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	for _, c := range []struct {
		name, base, says string
		ctx              context.Context
		roots            *x509.CertPool
		dial             func(context.Context, string, string) (net.Conn, error)
		again, hangs     bool
		h                *hostileServer
		proxy            net.Addr
	}{
		{name: "no proxy", base: "https://a.example", proxy: made.LocalAddr(), again: true,
			says: "the proxy that HTTPS_PROXY names does not work (connection refused); check the variable HTTPS_PROXY"},
		{name: "refused by the proxy", base: "https://a.example", proxy: denies.Addr(), again: true,
			says: "the proxy that HTTPS_PROXY names does not work (407 Who are you); check the variable HTTPS_PROXY"},
		{name: "refused", base: "http://" + made.LocalAddr().String(), again: true, says: "connection refused"},
		{name: "no such name", base: "https://a.example", again: true, says: "no such host name",
			dial: fails(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}})},
		{name: "no name server", base: "https://a.example", again: true, says: "cannot be looked up",
			dial: fails(&net.DNSError{Err: "server misbehaving", Name: "a.example", IsTemporary: true})},
		{name: "not TLS", base: "https://" + plain.Addr().String(), roots: roots, again: true, says: "does not speak TLS", h: plain},
		{name: "end in the handshake", base: "https://" + closes.Addr().String(), again: true, h: closes},
		{name: "reset in the handshake", base: "https://" + resets.Addr().String(), again: true, says: "reset", h: resets},
		{name: "handshake hangs", base: "https://" + hangs.Addr().String(), again: true, hangs: true, says: "in time", h: hangs},
		{name: "TLS too old", base: "https://" + ancient.Addr().String(), roots: roots, again: true, says: "TLS", h: ancient},
		{name: "certificate of nobody", base: "https://" + untrusted.Addr().String(), says: "issuer", h: untrusted},
		{name: "certificate of another", base: "https://localhost:" + strings.TrimPrefix(untrusted.Addr().String(), "127.0.0.1:"),
			roots: roots, says: "another name", h: untrusted},
		{name: "cancelled before", base: "http://" + plain.Addr().String(), ctx: cancelled, says: "stopped", h: plain},
		{name: "no answer to the dial", base: "https://a.example", says: "no complete response within", again: true, hangs: true,
			dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u := mustURL(t, c.base)
			scale := 1.0
			if c.hangs { // a limit is to run out, but no other one on a busy machine
				scale = 0.1
			}
			transport := newTransport(u, scale)
			if c.roots != nil {
				transport.TLSClientConfig = &tls.Config{RootCAs: c.roots}
			}
			if c.dial != nil {
				transport.DialContext = c.dial
			}
			if c.proxy != nil {
				transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: c.proxy.String()})
			}
			client := New(Options{Base: u, Key: testKey(), Transport: transport, Scale: scale})
			if c.ctx == nil {
				c.ctx = context.Background()
			}
			o := client.Create(c.ctx, "/api/v1/videos/generations", []byte(testBody), CreateOptions{})
			checkOutcome(t, o, api.PhaseNotSent, api.ClassNetwork)
			expect.That(t, (o.RetryAfter > 0) == c.again, "RetryAfter", o.RetryAfter, "want one", c.again)
			expect.That(t, o.Err == nil || !o.Err.Sent && strings.Contains(o.Err.Error(), c.says), o.Err, "was sent or lacks", c.says)
			expect.That(t, c.h == nil || c.h.requests.Load() == 0, "requests were made")
		})
	}
}

// The failures from after a connection was had: unknown, whatever they are.
func TestCreateLost(t *testing.T) {
	t.Parallel()
	config, roots := simtest.Certificate()
	config2 := config.Clone()
	config2.NextProtos = []string{"h2"}
	heard := func(then func(conn net.Conn)) func(*hostileServer, net.Conn) {
		return func(h *hostileServer, conn net.Conn) {
			h.request(bufio.NewReader(conn))
			then(conn)
		}
	}
	stream := func(ended func(f *http2.Framer, stream uint32) bool) func(*hostileServer, net.Conn) {
		return func(h *hostileServer, conn net.Conn) { serveFrames(h, conn, ended) }
	}
	for _, c := range []struct {
		name   string
		config *tls.Config
		says   string
		serve  func(h *hostileServer, conn net.Conn)
	}{
		{"reset after the body", nil, "reset", heard(simtest.Reset)},
		{"reset after the headers of the answer", nil, "reset", heard(func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{\"id\":")
			time.Sleep(10 * time.Millisecond) // let the headers arrive: a reset overtakes them
			simtest.Reset(conn)
		})},
		{"reset under TLS", config, "", heard(simtest.Reset)},
		{"no answer", nil, "no answer within", heard(func(conn net.Conn) {
			io.Copy(io.Discard, conn)
		})},
		{"body without an end", nil, "no complete response within", heard(func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{\"id\":")
			io.Copy(io.Discard, conn)
		})},
		{"headers drop by drop", nil, "no answer within", heard(func(conn net.Conn) {
			for _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n"); err == nil; {
				_, err = io.WriteString(conn, "X-A: b\r\n")
				time.Sleep(50 * time.Millisecond)
			}
		})},
		{"headers without an end", nil, "", heard(func(conn net.Conn) {
			for _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n"); err == nil; {
				_, err = io.WriteString(conn, "X-A: "+strings.Repeat("b", 4000)+"\r\n")
			}
		})},
		{"RST_STREAM, refused", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) == nil
		})},
		{"RST_STREAM, protocol error", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			return f.WriteRSTStream(stream, http2.ErrCodeProtocol) == nil
		})},
		{"GOAWAY before the stream", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			return f.WriteGoAway(0, http2.ErrCodeNo, nil) == nil
		})},
		{"GOAWAY after the stream", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			return f.WriteGoAway(stream, http2.ErrCodeInternal, []byte("bye")) != nil
		})},
		{"stream reset in the body", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			writeAnswer(f, stream, "200", `{"id":"job_1","a`, false)
			return f.WriteRSTStream(stream, http2.ErrCodeInternal) == nil
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHostileServer(t, c.config, c.serve)
			base := "http://" + h.Addr().String()
			if c.config != nil {
				base = "https://" + h.Addr().String()
			}
			scale := 1.0
			if strings.HasPrefix(c.says, "no ") { // a limit is to run out, but no other one on a busy machine
				scale = 0.1
			}
			o := scaledClient(t, base, roots, nil, scale).testCreate(CreateOptions{})
			checkOutcome(t, o, api.PhaseUnknown, api.ClassNetwork)
			expect.That(t, o.Err == nil || o.Err.Sent && strings.Contains(o.Err.Error(), c.says), o.Err, "was not sent or lacks", c.says)
			expect.All(t, "1 0s", h.posts.Load(), o.RetryAfter)
		})
	}
}

// A connection that the service closes while it is idle must not make the next
// create unknown: creates do not share connections with anything.
func TestCreateTakesFreshConnections(t *testing.T) {
	t.Parallel()
	config, roots := simtest.Certificate()
	for _, proto := range []string{"http/1.1", "h2"} {
		t.Run(proto, func(t *testing.T) {
			t.Parallel()
			only := config.Clone()
			only.NextProtos = []string{proto}
			h := newHostileServer(t, only, func(h *hostileServer, conn net.Conn) {
				if proto == "h2" {
					served := 0
					conn.(*tls.Conn).Handshake()
					serveFrames(h, conn, func(f *http2.Framer, stream uint32) bool {
						if served++; served > 1 {
							return false // a second request on one connection is lost
						}
						writeAnswer(f, stream, "200", `{"id":"job_1","status":"PENDING"}`, true)
						return true
					})
					return
				}
				r := bufio.NewReader(conn)
				h.request(r)
				io.WriteString(conn, answer("200 OK", jsonType, `{"id":"job_1","status":"PENDING"}`))
				h.request(r) // a second request on one connection is lost
			})
			client := testClient(t, "https://"+h.Addr().String(), roots, nil)
			for range 3 {
				checkOutcome(t, client.testCreate(CreateOptions{}), api.PhaseQueued, "")
			}
			expect.All(t, "3 3", h.posts.Load(), h.conns.Load())
		})
	}
}

// With a transport that keeps connections, the one POST still is one, when the kept connection turns out to be dead.
func TestCreateOnDeadConnection(t *testing.T) {
	t.Parallel()
	h := newHostileServer(t, nil, func(h *hostileServer, conn net.Conn) {
		r := bufio.NewReader(conn)
		h.request(r)
		io.WriteString(conn, answer("200 OK", jsonType, `{"id":"job_1"}`))
		h.request(r) // on a kept connection: read it, say nothing, hang up
	})
	var log string
	client := testClient(t, "http://"+h.Addr().String(), nil, func(line string, args ...any) { log += fmt.Sprintf(line, args...) + "\n" })
	client.Creates = client.Reads // as if creates shared the connections of reads
	checkOutcome(t, client.testCreate(CreateOptions{}), api.PhaseQueued, "")
	checkOutcome(t, client.testCreate(CreateOptions{}), api.PhaseUnknown, api.ClassNetwork)
	first, second, _ := strings.Cut(log, "\n")
	expect.That(t, h.posts.Load() == 2 && h.conns.Load() == 1 && strings.Contains(first, "generations · - · status 200, 14 bytes, ") &&
		strings.Contains(second, ": the connection was closed before"),
		h.posts.Load(), "POSTs on", h.conns.Load(), "connections for 2 creates; the log has", log)
}

func TestCreateCancelledOrLost(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	h := newHostileServer(t, nil, func(h *hostileServer, conn net.Conn) {
		h.request(bufio.NewReader(conn))
		cancel()
		io.Copy(io.Discard, conn)
	})
	client := testClient(t, "http://"+h.Addr().String(), nil, nil)
	checkOutcome(t, client.Create(ctx, "/api/v1/images/generations", []byte(testBody), CreateOptions{}), api.PhaseUnknown, api.ClassNetwork)
}

// What is missing is found before anything is sent.
func TestCreateRefusesUnsent(t *testing.T) {
	t.Parallel()
	u := mustURL(t, "https://api.example.com")
	never := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { t.Error("it connects"); return nil, io.EOF }}
	const path = "/api/v1/images/generations"
	for name, c := range map[string]struct {
		options    Options
		path, body string
		last       error
	}{
		"no key":           {Options{Base: u}, path, testBody, nil},
		"no body":          {Options{Base: u, Key: testKey()}, path, "", nil},
		"query in path":    {Options{Base: u, Key: testKey()}, path + "?a", testBody, nil},
		"path without /":   {Options{Base: u, Key: testKey()}, ".evil.example/", testBody, nil},
		"kept from it now": {Options{Base: u, Key: testKey()}, path, testBody, io.ErrClosedPipe},
	} {
		c.options.Transport = never
		o := New(c.options).Create(context.Background(), c.path, []byte(c.body), CreateOptions{Last: func() error { return c.last }})
		expect.That(t, o.Phase == api.PhaseNotSent && (c.last != nil || o.RetryAfter == 0) && o.Err != nil &&
			(errors.Is(o.Err, c.last) || c.last == nil), name, o.Phase, o.RetryAfter, o.Err)
	}
}

func TestCreateStreamsMedia(t *testing.T) {
	t.Parallel()
	video := strings.Repeat("0123456789abcdef", 128<<10) // above the cap of answers
	full := errors.New("the disk is full")
	for _, c := range []struct {
		name, raw string
		sink      func(io.Reader) error
		phase     api.Phase
		class     api.ErrorClass
		says      string
	}{
		{"whole", answer("200 OK", "Content-Type: video/mp4\r\n", video), nil, api.PhaseFetching, "", ""},
		{"an SVG", answer("200 OK", "Content-Type: image/svg+xml\r\n", "<svg></svg>"), nil, api.PhaseFetching, "", ""},
		{"told by its bytes", answer("200 OK", "Content-Type: application/octet-stream\r\n", tinyPNG), nil, api.PhaseFetching, "", ""},
		{"cut short", "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999\r\n\r\n" + video, nil, api.PhaseUnknown, api.ClassNetwork, "the result was cut short"},
		{"empty", answer("200 OK", "Content-Type: video/mp4\r\n", ""), nil, api.PhaseUnknown, api.ClassUnreadable, "answered 200 with nothing in it"},
		{"cannot be kept", answer("200 OK", "Content-Type: video/mp4\r\n", video), func(io.Reader) error { return full }, api.PhaseUnread, api.ClassUnreadable, "could not be saved: the disk is full"},
		{"not taken", answer("200 OK", "Content-Type: video/mp4\r\n", video), func(io.Reader) error { return nil }, api.PhaseUnread, api.ClassUnreadable, "could not be saved: the result was not read to its end"},
		{"a refusal that looks like media", answer("422 Unprocessable", "Content-Type: image/png\r\n", tinyPNG), nil, api.PhaseRejected, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHostileServer(t, nil, says(c.raw))
			var got bytes.Buffer
			var mediaType string
			o := testClient(t, "http://"+h.Addr().String(), nil, nil).testCreate(CreateOptions{
				Media: func(told string, length int64, body io.Reader) error {
					mediaType = told
					if c.sink != nil {
						return c.sink(body)
					}
					n, err := io.Copy(&got, body)
					expect.That(t, err != nil || n == length, n, "bytes, but told", length)
					return err
				},
			})
			checkOutcome(t, o, c.phase, c.class)
			expect.That(t, o.Err == nil || strings.Contains(o.Err.Error(), c.says), "it says", o.Err, "want", c.says)
			expect.That(t, c.phase != api.PhaseFetching || strings.HasSuffix(c.raw, got.String()) && got.Len() != 0 && o.Answer.Binary &&
				mediaType != "", got.Len(), "bytes of", mediaType, "answer", o.Answer)
		})
	}
}
