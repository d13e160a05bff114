package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
)

// answersCalls is a tool entry whose answer to tools/call is the test's.
func answersCalls(t *testing.T, answer func(w http.ResponseWriter, id json.RawMessage)) (base string, calls *atomic.Int32) {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "other", Version: "2"}, nil)
	server.AddTool(plainTool("spend"), func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, nil
	})
	entry := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	calls = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(body, &m)
		if m.Method == "tools/call" {
			calls.Add(1)
			answer(w, m.ID)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		entry.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, calls
}

// TestCallsFollowTheOutcomeTable: what would leave a create open leaves a call
// of a tool open.
func TestCallsFollowTheOutcomeTable(t *testing.T) {
	t.Parallel()
	for _, status := range []int{302, 307, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425, 429, 451, 499, 500, 502, 503, 504, 520} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			base, calls := answersCalls(t, func(w http.ResponseWriter, _ json.RawMessage) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(status)
			})
			_, err := toolClient(t, base, toolSecret).CallTool(t.Context(), "/mcp", mcp.Call{Name: "spend", Agreed: true})
			want := client.Classify(client.Trip{Connected: true, Status: status}, api.KindImage, time.Now()).Phase == api.PhaseUnknown
			if e := failed(t, err); e.Sent != want || calls.Load() != 1 {
				t.Errorf("may have run: %t, want %t; %d calls; %v", e.Sent, want, calls.Load(), e)
			}
		})
	}
	for _, row := range []struct {
		code int
		text string
		open bool
	}{
		{-32603, "Internal error", true},
		{-32001, "Request timed out", true},
		{-32000, "no", true},
		{-1, "job not found", true},
		{-32000, "insufficient credits", false},
		{-32601, "Method not found", false},
		{-32602, "Invalid params", false},
		{-32600, "Invalid request", false},
	} {
		t.Run(fmt.Sprint(row.code, row.text), func(t *testing.T) {
			t.Parallel()
			base, calls := answersCalls(t, func(w http.ResponseWriter, id json.RawMessage) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, row.code, row.text)
			})
			_, err := toolClient(t, base, toolSecret).CallTool(t.Context(), "/mcp", mcp.Call{Name: "spend", Agreed: true})
			if e := failed(t, err); e.Sent != row.open || calls.Load() != 1 {
				t.Errorf("may have run: %t; %d calls; %v", e.Sent, calls.Load(), e)
			}
		})
	}
}
