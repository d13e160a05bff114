package client

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
)

// TestACreateWithItsResultHasTime: with async off the answer's headers may take
// as long as the whole generation.
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
			if out.Phase != want {
				t.Errorf("sync %t: %s (%v), want %s", waits, out.Phase, out.Err, want)
			}
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

// TestAFailedWriteIsUnknown: a connection was had, so that nobody knows what
// arrived; it is not sent again by itself.
func TestAFailedWriteIsUnknown(t *testing.T) {
	t.Parallel()
	h := newHostileServer(t, nil, func(_ *hostileServer, conn net.Conn) {
		_, _ = conn.Read(make([]byte, 10))
		reset(conn)
	})
	body := append(append([]byte(`{"prompt":"`), bytes.Repeat([]byte("x"), 8<<20)...), `"}`...)
	out := testClient(t, "http://"+h.Addr().String(), nil, nil).Create(context.Background(), "/api/v1/generation/image", body, CreateOptions{Kind: api.KindImage})
	if out.Phase != api.PhaseUnknown || out.RetryAfter != 0 || !out.Err.Sent {
		t.Errorf("%s, again after %v: %v", out.Phase, out.RetryAfter, out.Err)
	}
}
