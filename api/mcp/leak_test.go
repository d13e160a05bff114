package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
)

// answerResult answers a call of the protocol.
func answerResult(w http.ResponseWriter, id, result string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Mcp-Session-Id", "s1")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// answerRPC is an entry of the protocol that leaves the list of tools to list.
func answerRPC(w http.ResponseWriter, r *http.Request, list func(id string)) {
	body, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
	}
	_ = json.Unmarshal(body, &m)
	id := string(m.ID)
	switch {
	case r.Method != http.MethodPost: // a goodbye; the library gives up on one after 5 s
	case m.Method == "initialize":
		answerResult(w, id, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
	case m.Method == "tools/list":
		list(id)
	case id != "":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, id)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// TestGivenUpCallsLeaveNothing ends calls in every state of an answer that does
// not come: no goroutine and no connection of theirs stays.
func TestGivenUpCallsLeaveNothing(t *testing.T) {
	reached := make(chan struct{}, 100)
	hang := func(r *http.Request) { reached <- struct{}{}; <-r.Context().Done() }
	job := func(ctx context.Context, c *client.Client) { _, _ = c.Job(ctx, "j", api.KindImage) }
	tools := func(ctx context.Context, c *client.Client) { _, _ = mcp.New(c).Tools(ctx, "/mcp") }
	for name, c := range map[string]struct {
		serve func(w http.ResponseWriter, r *http.Request)
		call  func(ctx context.Context, c *client.Client)
		ends  bool // by itself
	}{
		"no headers": {func(w http.ResponseWriter, r *http.Request) { hang(r) }, job, false},
		"half a body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"status":`)
			w.(http.Flusher).Flush()
			hang(r)
		}, job, false},
		"a body without an end": {func(w http.ResponseWriter, r *http.Request) {
			reached <- struct{}{}
			for _, err := io.WriteString(w, "["); err == nil; {
				_, err = io.WriteString(w, strings.Repeat("[", 4096))
			}
		}, job, true},
		"a create": {func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); hang(r) }, func(ctx context.Context, c *client.Client) {
			c.Create(ctx, "/api/v1/images/generations", []byte(`{}`), client.CreateOptions{})
		}, false},
		"a tool list": {func(w http.ResponseWriter, r *http.Request) { answerRPC(w, r, func(string) { hang(r) }) }, tools, false},
		"half a stream": {func(w http.ResponseWriter, r *http.Request) {
			answerRPC(w, r, func(string) {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, "event: message\ndata: {")
				w.(http.Flusher).Flush()
				hang(r)
			})
		}, tools, false},
		"a list without an end": {func(w http.ResponseWriter, r *http.Request) {
			answerRPC(w, r, func(id string) {
				select {
				case reached <- struct{}{}:
				default:
				}
				answerResult(w, id, `{"tools":[],"nextCursor":"again"}`)
			})
		}, tools, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(c.serve))
			client := plainClient(t, server.URL, toolSecret)
			for range 5 {
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); c.call(ctx, client) }()
				select {
				case <-reached:
				case <-done:
					t.Fatal("the call ended before its answer could hang")
				}
				if !c.ends {
					cancel()
				}
				select {
				case <-done:
				case <-time.After(20 * time.Second):
					t.Fatal("the call does not end")
				}
				cancel()
			}
			client.CloseIdle()
			var left string
			for range 400 {
				if left = clientStacks(); left == "" {
					break
				}
				time.Sleep(25 * time.Millisecond)
			}
			if left != "" {
				t.Errorf("goroutines are left:\n%s", left)
			}
			server.CloseClientConnections()
			server.Close()
			for len(reached) > 0 {
				<-reached
			}
		})
	}
}

// clientStacks gives the goroutines that work for a client.
func clientStacks() string {
	var all strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	var left []string
	for _, stack := range strings.Split(all.String(), "\n\n") {
		if strings.Contains(stack, "net/http.(*persistConn)") || strings.Contains(stack, "go-sdk/") || strings.Contains(stack, "darkroom/api.(") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
