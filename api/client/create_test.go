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
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"darkroom/api"
	"darkroom/api/read"
)

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
	{name: "accepted with 201", raw: answer("201 Created", jsonType, `{"job":{"id":"job_1"}}`), phase: api.PhaseQueued, id: "job_1"},
	{name: "accepted with 202", raw: answer("202 Accepted", jsonType, `{"data":{"task_id":"t1"}}`), phase: api.PhaseQueued, id: "t1"},
	{name: "accepted after 103", raw: "HTTP/1.1 103 Early Hints\r\n\r\n" + answer("200 OK", jsonType, `{"id":"job_1"}`), phase: api.PhaseQueued, id: "job_1"},
	{name: "finished at once", raw: answer("200 OK", jsonType, `{"status":"COMPLETED","data":[{"url":"https://files.example.com/a.mp4"}]}`), phase: api.PhaseFetching},
	{name: "finished as base64", raw: answer("200 OK", jsonType, `{"data":[{"b64_json":"`+base64.StdEncoding.EncodeToString([]byte(tinyPNG+strings.Repeat("x", 400)))+`"}]}`), phase: api.PhaseFetching},
	{name: "JSON that is called an image", raw: answer("200 OK", "Content-Type: image/png\r\n", `{"id":"job_9"}`), phase: api.PhaseQueued, id: "job_9"},
	{name: "page that is called an image", raw: answer("200 OK", "Content-Type: image/png\r\n", "\n<html>a1b2</html>"), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "media, nobody takes it", raw: answer("200 OK", "Content-Type: image/png\r\n", tinyPNG), phase: api.PhaseUnread, class: api.ClassUnreadable},
	{name: "refused in a 200", raw: answer("200 OK", jsonType, `{"code":402,"message":"insufficient credits"}`), phase: api.PhaseRejected, class: api.ClassCredits},
	{name: "key refused in a 200", raw: answer("200 OK", jsonType, `{"success":false,"code":401,"message":"invalid api key"}`), phase: api.PhaseRejected, class: api.ClassKey},
	{name: "no id", raw: answer("200 OK", jsonType, `{"hello":"world"}`), phase: api.PhaseUnread, class: api.ClassUnreadable},
	{name: "HTML", raw: answer("200 OK", "Content-Type: text/html\r\n", `<!doctype html><title>Sign in</title>`), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "not JSON", raw: answer("200 OK", jsonType, `{"id":"job_1"`), phase: api.PhaseUnknown},
	{name: "invalid UTF-8 and not JSON", raw: answer("200 OK", jsonType, "\xff\xfe\x00{"), phase: api.PhaseUnknown},
	{name: "empty 200", raw: answer("200 OK", jsonType, ""), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "empty 202", raw: answer("202 Accepted", "", ""), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "204", raw: "HTTP/1.1 204 No Content\r\n\r\n", phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "300", raw: answer("300 Multiple Choices", "", ""), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "302 without a place", raw: answer("302 Found", "", ""), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "304", raw: "HTTP/1.1 304 Not Modified\r\n\r\n", phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "307 to nonsense", raw: answer("307 Temporary Redirect", "Location: http://%zz\r\n", ""), phase: api.PhaseUnknown, class: api.ClassUnreadable},
	{name: "400", raw: answer("400 Bad Request", jsonType, `{"error":{"message":"duration must be 5 or 10"}}`), phase: api.PhaseRejected, class: api.ClassInvalid},
	{name: "empty 400", raw: answer("400 Bad Request", "", ""), phase: api.PhaseRejected, class: api.ClassInvalid},
	{name: "401", raw: answer("401 Unauthorized", jsonType, `"Invalid token"`), phase: api.PhaseRejected, class: api.ClassKey},
	{name: "402", raw: answer("402 Payment Required", "", ""), phase: api.PhaseRejected, class: api.ClassCredits},
	{name: "403", raw: answer("403 Forbidden", "", ""), phase: api.PhaseRejected, class: api.ClassKey},
	{name: "404", raw: answer("404 Not Found", "Content-Type: text/plain\r\n", "404 page not found"), phase: api.PhaseRejected, class: api.ClassNotFound},
	{name: "405", raw: answer("405 Method Not Allowed", "", ""), phase: api.PhaseRejected},
	{name: "413", raw: answer("413 Payload Too Large", "", ""), phase: api.PhaseRejected},
	{name: "414", raw: answer("414 URI Too Long", "", ""), phase: api.PhaseRejected},
	{name: "415", raw: answer("415 Unsupported Media Type", "", ""), phase: api.PhaseRejected},
	{name: "422", raw: answer("422 Unprocessable Entity", jsonType, `{"detail":"bad ratio"}`), phase: api.PhaseRejected, class: api.ClassInvalid},
	{name: "408", raw: answer("408 Request Timeout", "", ""), phase: api.PhaseUnknown},
	{name: "409", raw: answer("409 Conflict", "", ""), phase: api.PhaseUnknown, class: api.ClassConflict},
	{name: "425", raw: answer("425 Too Early", "", ""), phase: api.PhaseUnknown},
	{name: "418, in no row", raw: answer("418 I'm a teapot", "", ""), phase: api.PhaseUnknown},
	{name: "499, in no row", raw: answer("499 Client Closed", "", ""), phase: api.PhaseUnknown},
	{name: "429 with Retry-After", raw: answer("429 Too Many Requests", "Retry-After: 7\r\n", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: 7 * time.Second},
	{name: "429 with a fraction", raw: answer("429 Too Many Requests", "Retry-After: 0.2\r\n", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Second},
	{name: "429 with years", raw: answer("429 Too Many Requests", "Retry-After: 99999999\r\n", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Hour},
	{name: "429 without", raw: answer("429 Too Many Requests", "", ""), phase: api.PhaseRejected, class: api.ClassRate, wait: time.Minute},
	{name: "429 for want of credits", raw: answer("429 Too Many Requests", jsonType, `{"error":{"code":"insufficient_quota","message":"You have no credits left"}}`), phase: api.PhaseRejected, class: api.ClassCredits},
	{name: "500", raw: answer("500 Internal Server Error", "", ""), phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "500 with a refusal", raw: answer("500 Internal Server Error", jsonType, `{"message":"insufficient credits"}`), phase: api.PhaseUnknown},
	{name: "502 with HTML", raw: answer("502 Bad Gateway", "Content-Type: text/html\r\n", "<h1>502</h1>"), phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "503 with Retry-After", raw: answer("503 Service Unavailable", "Retry-After: 7\r\n", ""), phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "504", raw: answer("504 Gateway Timeout", "", ""), phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "529", raw: answer("529 Overloaded", "", ""), phase: api.PhaseUnknown, class: api.ClassServer},
	{name: "600", raw: answer("600 What", "", ""), phase: api.PhaseUnknown},
	{name: "switched protocols", raw: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", phase: api.PhaseUnknown},
	{name: "end before a byte", raw: "", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "end in the status line", raw: "HTTP/1.1 20", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "end in the headers", raw: "HTTP/1.1 200 OK\r\nContent-Le", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "not HTTP", raw: "SSH-2.0-OpenSSH_9.9\r\n", phase: api.PhaseUnknown, class: api.ClassNetwork},
	{name: "body cut short", raw: "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n" + jsonType + "\r\n" + `{"id":"job_1","status":"PEN`, phase: api.PhaseUnknown, class: api.ClassNetwork, id: "job_1"},
	{name: "chunks cut short", raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"id\":\"job_1\",\"a\r\n", phase: api.PhaseUnknown, class: api.ClassNetwork, id: "job_1"},
	{name: "400 cut short", raw: "HTTP/1.1 400 Bad Request\r\nContent-Length: 400\r\n\r\n{", phase: api.PhaseRejected},
	{name: "too large", raw: answer("200 OK", jsonType, `{"id":"job_1","pad":"`+strings.Repeat("x", MaxAnswer)+`"}`), phase: api.PhaseUnknown, class: api.ClassUnreadable, id: "job_1"},
	{name: "a bomb", raw: answer("200 OK", jsonType+"Content-Encoding: gzip\r\n", zipped(`{"id":"job_1","pad":"`+strings.Repeat(" ", 64<<20))), phase: api.PhaseUnknown, class: api.ClassUnreadable, id: "job_1"},
	{name: "zipped", raw: answer("200 OK", jsonType+"Content-Encoding: gzip\r\n", zipped(`{"id":"job_1"}`)), phase: api.PhaseQueued, id: "job_1"},
	{name: "an encoding not asked for", raw: answer("200 OK", jsonType+"Content-Encoding: br\r\n", "\x0b\x02\x80{}\x03"), phase: api.PhaseUnknown},
	{name: "deep nesting", raw: answer("200 OK", jsonType, strings.Repeat("[", 400<<10)), phase: api.PhaseUnknown},
	{name: "an id that is a dot path", raw: answer("200 OK", jsonType, `{"id":".."}`), phase: api.PhaseUnread},
	{name: "an over-long id", raw: answer("200 OK", jsonType, `{"id":"`+strings.Repeat("a", 200)+`"}`), phase: api.PhaseUnread},
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
			client := testClient(t, "http://"+h.Addr().String(), nil, nil)
			o := client.testCreate(CreateOptions{})
			checkOutcome(t, o, c.phase, c.class)
			if o.RetryAfter != c.wait {
				t.Errorf("RetryAfter %v, want %v", o.RetryAfter, c.wait)
			}
			if c.id != "" && o.Answer.ID != c.id && !slices.Contains(o.Answer.Candidates, c.id) {
				t.Errorf("id %q, candidates %q; want %q", o.Answer.ID, o.Answer.Candidates, c.id)
			}
			if n := h.posts.Load(); n != 1 {
				t.Errorf("%d POSTs, want 1", n)
			}
			if !o.Connected {
				t.Error("not Connected, though the server had the request")
			}
		})
	}
}

// checkOutcome checks what holds for every outcome beside the wanted phase.
func checkOutcome(t *testing.T, o api.Outcome, phase api.Phase, class api.ErrorClass) {
	t.Helper()
	if o.Phase != phase {
		t.Errorf("phase %q, want %q (%+v)", o.Phase, phase, o.Err)
	}
	if good := o.Phase == api.PhaseQueued || o.Phase == api.PhaseFetching; good != (o.Err == nil) {
		t.Errorf("phase %q with the error %v", o.Phase, o.Err)
	}
	if class != "" && (o.Err == nil || o.Err.Class != class) {
		t.Errorf("error %+v, want class %q", o.Err, class)
	}
	if len(o.Raw) > read.MaxKeptRaw {
		t.Errorf("%d bytes of raw answer kept", len(o.Raw))
	}
	if o.Err != nil {
		if s := o.Err.Error(); s == "" || strings.Contains(s, "generations") || strings.Contains(s, "\n") || strings.Contains(s, clientSecret) {
			t.Errorf("error %q", s)
		}
	}
}

// The failures from before a connection is had: nothing is sent.
func TestCreateNotSent(t *testing.T) {
	t.Parallel()
	config, roots := testTLS(t)
	plain := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) {
		io.ReadFull(conn, make([]byte, 5))
		io.WriteString(conn, "HTTP/1.0 400 Bad Request\r\n\r\n")
		io.Copy(io.Discard, conn)
	})
	closes := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) { io.ReadFull(conn, make([]byte, 5)) })
	resets := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) {
		io.ReadFull(conn, make([]byte, 5)) // of the TLS hello
		reset(conn)
	})
	hangs := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) { io.Copy(io.Discard, conn) })
	old := config.Clone()
	old.MaxVersion = tls.VersionTLS11
	ancient := newHostileServer(t, old, says(""))
	untrusted := newHostileServer(t, config, says(""))

	// The port of a connection that we have made: nobody listens there, and as long
	// as it is there nobody can begin to.
	made, err := net.Dial("tcp", hangs.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { made.Close() })

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	fails := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	for _, c := range []struct {
		name  string
		base  string
		ctx   context.Context
		roots *x509.CertPool
		dial  func(context.Context, string, string) (net.Conn, error)
		again bool
		hangs bool
		says  string
		h     *hostileServer
	}{
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
		{name: "certificate of another", base: "https://localhost:" + port(untrusted), roots: roots, says: "another name", h: untrusted},
		{name: "cancelled before", base: "http://" + plain.Addr().String(), ctx: cancelled, says: "stopped", h: plain},
		{name: "no answer to the dial", base: "https://a.example", says: "no complete answer within", again: true, hangs: true,
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
			client := New(Options{Base: u, Key: testKey(), Transport: transport, Scale: scale})
			ctx := c.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			o := client.Create(ctx, "/api/v1/videos/generations", []byte(testBody), CreateOptions{})
			checkOutcome(t, o, api.PhaseNotSent, api.ClassNetwork)
			if (o.RetryAfter > 0) != c.again {
				t.Errorf("RetryAfter %v, want one: %v", o.RetryAfter, c.again)
			}
			if o.Err != nil && !strings.Contains(o.Err.Error(), c.says) {
				t.Errorf("error %q, want it to say %q", o.Err, c.says)
			}
			if o.Connected || o.Err != nil && o.Err.Sent {
				t.Error("Connected, though no connection was had")
			}
			if c.h != nil && c.h.requests.Load() != 0 {
				t.Errorf("%d requests", c.h.requests.Load())
			}
		})
	}
}

func port(h *hostileServer) string {
	_, p, _ := net.SplitHostPort(h.Addr().String())
	return p
}

// The failures from after a connection was had: unknown, whatever they are.
func TestCreateLost(t *testing.T) {
	t.Parallel()
	config, roots := testTLS(t)
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
		{"reset after the body", nil, "reset", heard(reset)},
		{"reset after the headers of the answer", nil, "reset", heard(func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{\"id\":")
			time.Sleep(10 * time.Millisecond) // let the headers arrive: a reset overtakes them
			reset(conn)
		})},
		{"reset under TLS", config, "", heard(reset)},
		{"no answer", nil, "no answer within", heard(func(conn net.Conn) {
			io.Copy(io.Discard, conn)
		})},
		{"body without an end", nil, "no complete answer within", heard(func(conn net.Conn) {
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
			f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
			return true
		})},
		{"RST_STREAM, protocol error", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			f.WriteRSTStream(stream, http2.ErrCodeProtocol)
			return true
		})},
		{"GOAWAY before the stream", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			f.WriteGoAway(0, http2.ErrCodeNo, nil)
			return true
		})},
		{"GOAWAY after the stream", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			f.WriteGoAway(stream, http2.ErrCodeInternal, []byte("bye"))
			return false
		})},
		{"stream reset in the body", config2, "", stream(func(f *http2.Framer, stream uint32) bool {
			writeAnswer(f, stream, "200", `{"id":"job_1","a`, false)
			f.WriteRSTStream(stream, http2.ErrCodeInternal)
			return true
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
			if o.Err != nil && (!o.Err.Sent || !strings.Contains(o.Err.Error(), c.says)) {
				t.Errorf("error %q, Sent %v; want it to say %q", o.Err, o.Err.Sent, c.says)
			}
			if n := h.posts.Load(); n != 1 {
				t.Errorf("%d POSTs, want 1", n)
			}
			if o.RetryAfter != 0 || !o.Connected {
				t.Errorf("RetryAfter %v, Connected %v", o.RetryAfter, o.Connected)
			}
		})
	}
}

// A connection that the service closes while it is idle must not make the next
// create unknown: creates do not share connections with anything.
func TestCreateTakesFreshConnections(t *testing.T) {
	t.Parallel()
	config, roots := testTLS(t, "h2", "http/1.1")
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
			if h.posts.Load() != 3 || h.conns.Load() != 3 {
				t.Errorf("%d POSTs on %d connections, want 3 on 3", h.posts.Load(), h.conns.Load())
			}
		})
	}
}

// With a transport that keeps connections, the one POST still is one, when the
// kept connection turns out to be dead.
func TestCreateOnDeadConnection(t *testing.T) {
	t.Parallel()
	h := newHostileServer(t, nil, func(h *hostileServer, conn net.Conn) {
		r := bufio.NewReader(conn)
		h.request(r)
		io.WriteString(conn, answer("200 OK", jsonType, `{"id":"job_1"}`))
		if h.request(r) { // on a kept connection: read it, say nothing, hang up
			return
		}
	})
	client := testClient(t, "http://"+h.Addr().String(), nil, nil)
	client.Creates = client.Reads // as if creates shared the connections of reads
	first := client.testCreate(CreateOptions{})
	second := client.testCreate(CreateOptions{})
	checkOutcome(t, first, api.PhaseQueued, "")
	checkOutcome(t, second, api.PhaseUnknown, api.ClassNetwork)
	if h.posts.Load() != 2 || h.conns.Load() != 1 {
		t.Errorf("%d POSTs on %d connections for 2 creates", h.posts.Load(), h.conns.Load())
	}
}

func TestCreateCancelledAfterConnection(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	h := newHostileServer(t, nil, func(h *hostileServer, conn net.Conn) {
		h.request(bufio.NewReader(conn))
		cancel()
		io.Copy(io.Discard, conn)
	})
	client := testClient(t, "http://"+h.Addr().String(), nil, nil)
	o := client.Create(ctx, "/api/v1/images/generations", []byte(testBody), CreateOptions{})
	checkOutcome(t, o, api.PhaseUnknown, api.ClassNetwork)
}

// A stand-in transport that tells nothing of connections proves nothing.
func TestCreateSilentTransport(t *testing.T) {
	t.Parallel()
	u := mustURL(t, "https://api.example.com")
	silent := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("lost") })
	o := New(Options{Base: u, Key: testKey(), Transport: silent}).testCreate(CreateOptions{})
	checkOutcome(t, o, api.PhaseUnknown, api.ClassNetwork)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What is missing is found before anything is sent.
func TestCreateRefusesUnsent(t *testing.T) {
	t.Parallel()
	u := mustURL(t, "https://api.example.com")
	never := roundTrip(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, io.EOF
	})
	const path = "/api/v1/images/generations"
	for name, c := range map[string]struct {
		options Options
		path    string
		body    string
	}{
		"no key":         {Options{Base: u}, path, testBody},
		"no base":        {Options{Key: testKey()}, path, testBody},
		"no body":        {Options{Base: u, Key: testKey()}, path, ""},
		"query in path":  {Options{Base: u, Key: testKey()}, path + "?a", testBody},
		"path without /": {Options{Base: u, Key: testKey()}, ".evil.example/", testBody},
	} {
		c.options.Transport = never
		o := New(c.options).Create(context.Background(), c.path, []byte(c.body), CreateOptions{})
		if o.Phase != api.PhaseNotSent || o.RetryAfter != 0 || o.Err == nil {
			t.Errorf("%s: %q, %v, %v", name, o.Phase, o.RetryAfter, o.Err)
		}
	}
}

func TestCreateStreamsMedia(t *testing.T) {
	t.Parallel()
	video := strings.Repeat("0123456789abcdef", 128<<10) // above the cap of answers
	full := errors.New("the disk is full")
	for _, c := range []struct {
		name  string
		raw   string
		sink  func(io.Reader) error
		phase api.Phase
		class api.ErrorClass
	}{
		{"whole", answer("200 OK", "Content-Type: video/mp4\r\n", video), nil, api.PhaseFetching, ""},
		{"told by its bytes", answer("200 OK", "Content-Type: application/octet-stream\r\n", tinyPNG), nil, api.PhaseFetching, ""},
		{"cut short", "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 99999999\r\n\r\n" + video, nil, api.PhaseUnknown, api.ClassNetwork},
		{"empty", answer("200 OK", "Content-Type: video/mp4\r\n", ""), nil, api.PhaseUnknown, api.ClassUnreadable},
		{"cannot be kept", answer("200 OK", "Content-Type: video/mp4\r\n", video), func(io.Reader) error { return full }, api.PhaseUnread, api.ClassUnreadable},
		{"not taken", answer("200 OK", "Content-Type: video/mp4\r\n", video), func(io.Reader) error { return nil }, api.PhaseUnread, api.ClassUnreadable},
		{"a refusal that looks like media", answer("422 Unprocessable", "Content-Type: image/png\r\n", tinyPNG), nil, api.PhaseRejected, ""},
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
					if err == nil && n != length {
						t.Errorf("%d bytes, but told %d", n, length)
					}
					return err
				},
			})
			checkOutcome(t, o, c.phase, c.class)
			if c.phase == api.PhaseFetching && (!strings.HasSuffix(c.raw, got.String()) || got.Len() == 0 || !o.Answer.Binary || mediaType == "") {
				t.Errorf("%d bytes of %q, answer %+v", got.Len(), mediaType, o.Answer)
			}
		})
	}
}
