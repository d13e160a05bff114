package client

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"darkroom/api"
)

func clientAt(t *testing.T, base string, scale float64) *Client {
	t.Helper()
	u, err := api.ParseBase(base)
	if err != nil {
		t.Fatal(err)
	}
	key, err := api.ParseKey("ak_0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Base: u, Key: key, Scale: scale})
}

// TestACreateWithItsResultHasTime: with async off the answer's headers may take
// as long as the whole generation.
func TestACreateWithItsResultHasTime(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(2 * time.Second): // the header limit is 600 ms here, the whole one of a plain create 900
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"job_1","status":"PENDING"}`))
	}))
	t.Cleanup(s.Close)
	for sync, want := range map[bool]api.Phase{true: api.PhaseQueued, false: api.PhaseUnknown} {
		out := clientAt(t, s.URL, 0.01).Create(context.Background(), "/api/v1/generation/image", []byte(`{}`), CreateOptions{Kind: api.KindImage, Sync: sync})
		if out.Phase != want {
			t.Errorf("sync %t: %s (%v), want %s", sync, out.Phase, out.Err, want)
		}
	}
}

// TestAFailedWriteIsUnknown: a connection was had, so that nobody knows what
// arrived; it is not sent again by itself.
func TestAFailedWriteIsUnknown(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 10))
			_ = c.(*net.TCPConn).SetLinger(0)
			_ = c.Close()
		}
	}()
	body := append(append([]byte(`{"prompt":"`), bytes.Repeat([]byte("x"), 8<<20)...), `"}`...)
	out := clientAt(t, "http://"+l.Addr().String(), 1).Create(context.Background(), "/api/v1/generation/image", body, CreateOptions{Kind: api.KindImage})
	if out.Phase != api.PhaseUnknown || out.RetryAfter != 0 || !out.Err.Sent {
		t.Errorf("%s, again after %v: %v", out.Phase, out.RetryAfter, out.Err)
	}
}
