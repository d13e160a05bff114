package sim

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// connKey finds a call's connection in its context.
type connKey struct{}

// connContext remembers the connection, so that faults can break it, and lets
// the faults happen that are due at its beginning.
func (s *Server) connContext(ctx context.Context, c net.Conn) context.Context {
	s.mu.Lock()
	due := s.dueFaults("connection")
	s.mu.Unlock()
	for _, f := range due {
		f.then()
		if f.Do == "reset-at-accept" {
			reset(c)
		}
	}
	return context.WithValue(ctx, connKey{}, c)
}

func (f Fault) then() {
	if f.Then != nil {
		f.Then()
	}
}

// reset cuts a connection so that the other side sees a reset, not an end.
func reset(c net.Conn) {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

// cut resets the call's connection and ends its handler.
func (x *exchange) cut() {
	reset(x.conn())
	panic(http.ErrAbortHandler)
}

func (x *exchange) conn() net.Conn {
	return x.r.Context().Value(connKey{}).(net.Conn)
}

// pause waits, unless the caller leaves or the server is closed: then the
// handler ends.
func (x *exchange) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.r.Context().Done():
		panic(http.ErrAbortHandler)
	case <-x.s.done:
		panic(http.ErrAbortHandler)
	}
}

// run answers the call with the faults that are due.
func (x *exchange) run(due []Fault) {
	x.at("at-headers", due)
	for _, f := range due {
		if a, done := x.instead(f); done {
			x.send(a, due)
			return
		}
	}
	x.preread(due)
	if x.call.Endpoint == "tools" {
		x.toolCall(due)
		return
	}
	a := x.process()
	for _, f := range due {
		if f.Do == "latency" {
			f.then()
			x.pause(f.Delay)
		}
	}
	for _, f := range due {
		if x.spoil(f, &a) {
			break
		}
	}
	x.send(a, due)
}

// at calls Then of the faults whose moment this is.
func (x *exchange) at(moment string, due []Fault) {
	for _, f := range due {
		if f.Do == moment {
			f.then()
		}
	}
}

// preread reads the body when a fault waits for that moment.
func (x *exchange) preread(due []Fault) {
	for _, f := range due {
		if f.Do != "at-body" {
			continue
		}
		if x.body == nil {
			body, _ := io.ReadAll(io.LimitReader(x.r.Body, maxBody+1))
			x.r.Body = io.NopCloser(strings.NewReader(string(body)))
			x.body = body
		}
		f.then()
	}
}

// instead answers in the place of the service.
func (x *exchange) instead(f Fault) (answer, bool) {
	a := answer{status: cmp.Or(f.Status, http.StatusOK), header: f.Header, media: "application/json", body: []byte(f.Body)}
	switch f.Do {
	case "reset":
		f.then()
		x.cut()
	case "reset-after-headers":
		_, _ = io.CopyN(io.Discard, x.r.Body, max(1, x.r.ContentLength/2))
		f.then()
		x.cut()
	case "status":
		x.drain()
	case "html":
		x.drain()
		a.media = "text/html; charset=utf-8"
		if f.Body == "" {
			a.body = []byte("<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Sign in to use this network</h1></body></html>")
		}
	case "redirect":
		x.drain()
		a.status, a.body = cmp.Or(f.Status, http.StatusTemporaryRedirect), nil
		a.header = f.Header.Clone()
		if a.header == nil {
			a.header = http.Header{}
		}
		a.header.Set("Location", f.Body)
	default:
		return answer{}, false
	}
	f.then()
	return a, true
}

// drain reads and records a body that the service itself will not see.
func (x *exchange) drain() {
	body, _ := io.ReadAll(io.LimitReader(x.r.Body, maxBody))
	x.s.note(x.call, func(c *Call) { c.Body = body })
}
