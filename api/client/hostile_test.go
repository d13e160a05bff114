package client

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// clientSecret is a key that must appear nowhere but in its own header.
const clientSecret = "ak_live_0123456789abcdefSECRET9f3c"

const testBody = `{"model":"seedance2","prompt":"a harbour at dawn","async":true}`

// hostileServer is a server that answers with raw bytes and counts what it saw.
type hostileServer struct {
	net.Listener
	posts, requests, conns, keys atomic.Int64
}

// newHostileServer serves each connection with serve, until the test ends.
func newHostileServer(t *testing.T, config *tls.Config, serve func(h *hostileServer, conn net.Conn)) *hostileServer {
	t.Helper()
	listener := simtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	h := &hostileServer{Listener: listener}
	if config != nil {
		h.Listener = tls.NewListener(listener, config)
	}
	var conns sync.WaitGroup
	var open sync.Map
	conns.Go(func() {
		for {
			conn, err := h.Accept()
			if err != nil {
				return
			}
			h.conns.Add(1)
			open.Store(conn, true)
			conns.Go(func() {
				defer conn.Close()
				serve(h, conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		open.Range(func(k, _ any) bool { k.(net.Conn).Close(); return true })
		conns.Wait()
	})
	return h
}

// request reads one HTTP/1 request with its body and counts it.
func (h *hostileServer) request(r *bufio.Reader) bool {
	req, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, req.Body)
	h.count(req.Method, req.Header.Get("Authorization"))
	return true
}

func (h *hostileServer) count(method, authorization string) {
	h.requests.Add(1)
	if method == http.MethodPost {
		h.posts.Add(1)
	}
	if strings.Contains(authorization, clientSecret) {
		h.keys.Add(1)
	}
}

// says is a server that reads one request, writes raw and hangs up.
func says(raw string) func(h *hostileServer, conn net.Conn) {
	return func(h *hostileServer, conn net.Conn) {
		if h.request(bufio.NewReader(conn)) {
			io.WriteString(conn, raw)
		}
	}
}

// answer is a complete HTTP/1 answer.
func answer(status, headers, body string) string {
	return "HTTP/1.1 " + status + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n" + headers + "\r\n" + body
}

func testKey() api.Key {
	k, err := api.ParseKey(clientSecret)
	if err != nil {
		panic(err)
	}
	return k
}

// testClient makes a client as New does for people, but for roots that trust the test's certificate.
func testClient(t *testing.T, base string, roots *x509.CertPool, log func(string, ...any)) *Client {
	t.Helper()
	return scaledClient(t, base, roots, log, 1)
}

// scaledClient is testClient with limits multiplied by scale.
func scaledClient(t *testing.T, base string, roots *x509.CertPool, log func(string, ...any), scale float64) *Client {
	t.Helper()
	u := simtest.Must(api.ParseBase(base))(t)
	transport := newTransport(u, scale)
	if roots != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	c := New(Options{Base: u, Key: testKey(), Transport: transport, Scale: scale, Log: log, UserAgent: "darkroom/test"})
	t.Cleanup(c.CloseIdle)
	return c
}

func (c *Client) testCreate(o CreateOptions) api.Outcome {
	if o.Kind == "" {
		o.Kind = api.KindVideo
	}
	return c.Create(context.Background(), "/api/v1/videos/generations", []byte(testBody), o)
}

// serveFrames is an HTTP/2 server on one connection: it counts requests and
// calls ended when a request's body is complete.
func serveFrames(h *hostileServer, conn net.Conn, ended func(f *http2.Framer, stream uint32) (more bool)) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	f := http2.NewFramer(conn, conn)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				f.WriteSettingsAck()
			}
		case *http2.MetaHeadersFrame:
			authorization := ""
			for _, field := range frame.RegularFields() {
				if field.Name == "authorization" {
					authorization = field.Value
				}
			}
			h.count(frame.PseudoValue("method"), authorization)
		case *http2.DataFrame:
			if frame.StreamEnded() && !ended(f, frame.StreamID) {
				return
			}
		}
	}
}

// writeAnswer writes an HTTP/2 answer.
func writeAnswer(f *http2.Framer, stream uint32, status, body string, complete bool) {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	e.WriteField(hpack.HeaderField{Name: ":status", Value: status})
	e.WriteField(hpack.HeaderField{Name: "content-type", Value: "application/json"})
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: b.Bytes(), EndHeaders: true})
	f.WriteData(stream, complete, []byte(body))
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	return simtest.Must(url.Parse(s))(t)
}

// TestALimitLetsReadFirst: a limit that is over although nobody could read (the
// process was stopped) grants a last moment, and again when it is stopped then.
func TestALimitLetsReadFirst(t *testing.T) {
	t.Parallel()
	for scale, want := range map[float64]time.Duration{0: 3 * time.Second, -1: 3 * time.Second, 1: 3 * time.Second, 0.5: 1500 * time.Millisecond, 1e-9: time.Millisecond} {
		expect.Equal(t, Scaled(3*time.Second, scale), want, "3 s times", scale)
	}
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Bool
		l := newLimit(time.Minute, "", func(error) { ended.Store(true) })
		wait := func(d time.Duration, want bool, what string) {
			time.Sleep(d)
			synctest.Wait()
			expect.Equal(t, ended.Load(), want, what)
		}
		l.Reset()
		wait(time.Minute, false, "ended without a last moment")
		// Stopped during the last moment: it is found over when the process goes on.
		simtest.Locked(&l.mu, func() { l.due = l.due.Add(-time.Hour) })
		wait(100*time.Millisecond, false, "ended at once after a stop")
		wait(100*time.Millisecond, true, "never ended")
		ended.Store(false)
		l.Reset()
		wait(time.Minute, false, "ended without a last moment")
		l.Stop()                              // the answer was read in the last moment
		time.AfterFunc(lastMoment, l.expired) // and its timer goes off all the same
		wait(time.Hour, false, "ended after its end was called off")
		if ctx, stop := WithLimit(t.Context(), time.Minute, ""); ctx.Err() == nil {
			stop()
			expect.That(t, ctx.Err() != nil, "a limit that was released keeps its context")
		}
	})
}

// TestACreateWithItsResultHasTime: with async off the answer's headers may take as long as the whole generation.
func TestACreateWithItsResultHasTime(t *testing.T) {
	t.Parallel()
	for waits, want := range map[bool]api.Phase{true: api.PhaseQueued, false: api.PhaseUnknown} {
		synctest.Test(t, func(t *testing.T) {
			client := pipeClient(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				select {
				case <-time.After(2 * limitWhole):
				case <-r.Context().Done():
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"id":"job_1","status":"PENDING"}`))
			})
			out := client.Create(context.Background(), "/api/v1/generation/image", []byte(`{}`), CreateOptions{Kind: api.KindImage, Sync: waits})
			expect.Equal(t, out.Phase, want, "sync", waits, out.Err)
		})
	}
}

// pipeClient is a client whose calls a handler answers over pipes, in the bubble
// of a test: limits of calls take no time of the machine's, however busy it is.
func pipeClient(t *testing.T, o Options, handle http.HandlerFunc) *Client {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	var calls sync.WaitGroup
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		defer calls.Done()
		handle(w, r)
	})}
	go func() { _ = server.Serve(l) }()
	o.Base, o.Key = mustURL(t, "http://127.0.0.1:1"), testKey()
	transport := newTransport(o.Base, o.Scale)
	transport.DialContext = l.dial
	o.Transport = transport
	c := New(o)
	t.Cleanup(func() {
		synctest.Wait()
		c.CloseIdle()
		transport.CloseIdleConnections()
		_ = server.Close()
		calls.Wait()
	})
	return c
}

// pipes is a listener for pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestAFailedWriteIsUnknown: a connection was had, so that nobody knows what arrived; it is not sent again by itself.
func TestAFailedWriteIsUnknown(t *testing.T) {
	t.Parallel()
	h := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) {
		_, _ = conn.Read(make([]byte, 10))
		simtest.Reset(conn)
	})
	body := append(append([]byte(`{"prompt":"`), bytes.Repeat([]byte("x"), 8<<20)...), `"}`...)
	out := testClient(t, "http://"+h.Addr().String(), nil, nil).Create(context.Background(), "/api/v1/generation/image", body, CreateOptions{Kind: api.KindImage})
	expect.All(t, "unknown 0s true", out.Phase, out.RetryAfter, out.Err.Sent)
}
