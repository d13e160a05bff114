package mcp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// toolSecret is a key that must appear nowhere but in its own header.
const toolSecret = "ak_live_0123456789abcdefSECRET9f3c"

func toolClient(t *testing.T, base, key string) *mcp.Client {
	t.Helper()
	return &mcp.Client{Client: plainClient(t, base, key)}
}

func plainClient(t *testing.T, base, key string) *client.Client {
	t.Helper()
	return client.New(client.Options{Base: must(api.ParseBase(base))(t), Key: must(api.ParseKey(key))(t)})
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

// serves starts a service and gives its address.
func serves(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// message takes a call of the protocol apart.
func message(body []byte) (id, method string) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	_ = json.Unmarshal(body, &m)
	return string(m.ID), m.Method
}

// failed gives the error as the client's own.
func failed(t *testing.T, err error) *api.Error {
	t.Helper()
	var e *api.Error
	expect.Must(t, errors.As(err, &e), err, "is no *api.Error")
	expect.Lacks(t, e.Error(), "0123456789abcdefSECRET", "the key")
	return e
}

func TestToolsAreFoundAndListed(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/gateway"} {
		s := simtest.Run(t, simtest.Options{LongSide: 32, Key: toolSecret, Prefix: prefix})
		c := toolClient(t, s.URL(), toolSecret)
		l := must(c.Tools(t.Context(), ""))(t)
		expect.That(t, l.Path == prefix+"/api/v1/mcp" && len(l.Tools) == 7 && l.Skipped == 0 &&
			strings.HasPrefix(l.Server.String(), "darkroom-simulator"), l)
		image, _ := l.Find("generate_image")
		models, _ := l.Find("list_models")
		expect.That(t, !image.ReadOnly && models.ReadOnly && json.Valid(image.Schema) && strings.Contains(string(image.Schema), `"auto_2K"`),
			image, string(image.Schema))
		again, err := c.Tools(t.Context(), l.Path)
		expect.All(t, "<nil> 7", err, len(again.Tools))
	}
}

// mcpAt serves an entry of one tool at /mcp and counts what it is asked.
func mcpAt(t *testing.T, tool *sdk.Tool, do sdk.ToolHandler) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "other", Version: "2"}, nil)
	server.AddTool(tool, do)
	entry := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	var posts atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		entry.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s, &posts
}

func plainTool(name string) *sdk.Tool {
	return &sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
}

func TestToolsAreFoundAtTheRootToo(t *testing.T) {
	t.Parallel()
	s, posts := mcpAt(t, plainTool("x"), nil)
	l, err := toolClient(t, s.URL+"/v9", toolSecret).Tools(t.Context(), "")
	expect.Must(t, err == nil && l.Path == "/mcp" && len(l.Tools) == 1, l, err)
	expect.That(t, posts.Load() <= 16, posts.Load(), "calls to find it")
}

func TestToolRefusals(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		class api.ErrorClass
		most  int32 // calls
		text  string
	}{
		"key":      {answer(401, "application/json", `{"error":{"message":"bad key `+toolSecret+`"}}`), api.ClassKey, 5, "key"},
		"rate":     {answer(429, "text/plain", "slow down"), api.ClassRate, 1, "wait 7s"},
		"credits":  {answer(402, "application/json", `{"error":{"message":"no credits left"}}`), api.ClassCredits, 1, "credits"},
		"none":     {http.NotFound, api.ClassNotFound, 10, "tools_path"},
		"html":     {answer(200, "text/html", "<html>welcome</html>"), api.ClassNotFound, 10, "tools_path"},
		"redirect": {http.RedirectHandler("/elsewhere", http.StatusTemporaryRedirect).ServeHTTP, api.ClassNotFound, 10, "tools_path"},
		"broken":   {answer(200, "application/json", "{"), api.ClassNotFound, 10, "tools_path"},
		"fault":    {answer(500, "text/plain", "oops"), api.ClassServer, 10, "fault"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			base := serves(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				io.Copy(io.Discard, r.Body)
				c.serve(w, r)
			})
			e := failed(t, expect.Err(toolClient(t, base, toolSecret).Tools(t.Context(), "")))
			n := calls.Load()
			expect.That(t, e.Class == c.class && strings.Contains(e.Error(), c.text) && n <= c.most, e.Class, e, "after", n, "calls")
		})
	}
}

func TestToolKeyStaysAtTheOrigin(t *testing.T) {
	t.Parallel()
	var foreign atomic.Int32
	other := serves(t, func(http.ResponseWriter, *http.Request) { foreign.Add(1) })
	here := serves(t, http.RedirectHandler(other+"/mcp", http.StatusTemporaryRedirect).ServeHTTP)
	c := toolClient(t, here, toolSecret)
	expect.Fails(t, expect.Err(c.Tools(t.Context(), "")), "", "a redirect was taken for an entry")
	expect.Fails(t, expect.Err(c.Tools(t.Context(), "//"+strings.TrimPrefix(other, "http://")+"/mcp")), "", "another host was called")
	expect.Equal(t, foreign.Load(), 0, "something was sent to another origin")
	base, _ := api.ParseBase(here)
	for _, bad := range []string{other + "/mcp", "/a/../b", "/x?y=1", "mcp", "", "http://u:p@" + base.Host + "/mcp"} {
		expect.Fails(t, expect.Err(mcp.ParseEntryPath(base, bad)), "", bad, "was taken")
	}
	expect.Equal(t, must(mcp.ParseEntryPath(&url.URL{Scheme: "https", Host: "h", Path: "/pre"}, "/mcp"))(t), "/pre/mcp")
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 32, Key: toolSecret})
	c := toolClient(t, s.URL(), toolSecret)
	call := func(name, args string, agreed bool) (mcp.Answer, error) {
		return c.CallTool(t.Context(), "/api/v1/mcp", mcp.Call{Name: name, Args: json.RawMessage(args), Agreed: agreed})
	}
	a, err := call("estimate_price", `{"model":"seedance2","duration":5,"video_model":"fast","resolution":"720p"}`, false)
	expect.That(t, err == nil && !a.Failed && strings.Contains(string(a.Structured), "425"), "estimate", string(a.Structured), err)
	expect.Is(t, expect.Err(call("generate_image", `{"prompt":"a kettle"}`, false)), mcp.ErrNotAgreed, "not agreed")
	expect.Must(t, len(s.Ledger()) == 0, len(s.Ledger()), "generations without an agreement")
	a, err = call("generate_image", `{"prompt":"a kettle"}`, true)
	expect.Must(t, err == nil && !a.Failed && len(s.Ledger()) == 1, a, err)
	var job struct {
		ID string `json:"id"`
	}
	simtest.NoError(t, json.Unmarshal(a.Structured, &job))
	expect.Must(t, job.ID != "", string(a.Structured))
	a, err = call("wait_for_job", `{"id":"`+job.ID+`"}`, false)
	expect.That(t, err == nil && len(a.Parts) >= 2 && a.Parts[1].Kind == mcp.PartLink && strings.HasPrefix(a.Parts[1].URL, s.URL()), a, err)
	a, err = call("sample_picture", `{"subject":"a boat"}`, false)
	expect.That(t, err == nil && len(a.Parts) == 2 && a.Parts[1].Kind == mcp.PartImage &&
		http.DetectContentType(a.Parts[1].Data) == "image/png", err, a.Texts())
	a, err = call("get_job", `{"id":"none"}`, false)
	expect.That(t, err == nil && a.Failed && strings.Contains(a.Texts(), "no job"), "a tool that fails", a, err)
	a, err = call("get_job", `{"id":"`+job.ID+`"}`, false)
	expect.That(t, err == nil && strings.Contains(string(a.Structured), job.ID), "the job", string(a.Structured), err)
	a, err = call("generate_image", `{"prompt":" "}`, true)
	expect.That(t, err == nil && a.Failed && len(s.Ledger()) == 1, "an empty prompt was taken", a, err)
	e := failed(t, expect.Err(call("nothing", `{}`, true)))
	expect.That(t, e.Class == api.ClassNotFound && !e.Sent, e)
	expect.Equal(t, failed(t, expect.Err(call("list_models", `[1]`, true))).Class, api.ClassInvalid)
	_, err = toolClient(t, s.URL(), "ak_another_key_000000").CallTool(t.Context(), "/api/v1/mcp", mcp.Call{Name: "list_models"})
	expect.Equal(t, failed(t, err).Class, api.ClassKey)
}

func TestToolProgressAndCancel(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 32, Key: toolSecret, TimeScale: 0.05})
	c := toolClient(t, s.URL(), toolSecret)
	call := func(ctx context.Context, prompt string, told func(mcp.Progress)) error {
		args := json.RawMessage(`{"prompt":"` + prompt + `","duration":4}`)
		_, err := c.CallTool(ctx, "/api/v1/mcp", mcp.Call{Name: "generate_video", Args: args, Agreed: true, Progress: told})
		return err
	}
	var told []mcp.Progress
	over := false
	err := call(t.Context(), "waves", func(p mcp.Progress) {
		expect.That(t, !over, "progress after the end")
		told = append(told, p)
	})
	over = true
	expect.That(t, err == nil && len(told) >= 3 && told[0].Total == 20 && told[0].Done == 1 && !told[0].Text.IsZero(), err, told)
	ctx, cancel := context.WithCancel(t.Context())
	e := failed(t, call(ctx, "more waves", func(mcp.Progress) { cancel() }))
	expect.That(t, e.Sent && strings.Contains(e.Error(), "may have run") && strings.Contains(e.Error(), "stopped"), e.Class, e)
	l := s.Ledger()
	expect.That(t, len(l) == 2 && l[0].Kind == api.KindVideo && l[0].Credits == 340*api.Credit, "generations", l)
}

// TestToolServerDies: the answer never comes, and the tool is called once.
func TestToolServerDies(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var s *httptest.Server
	s, _ = mcpAt(t, plainTool("slow"), func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		calls.Add(1)
		s.CloseClientConnections()
		<-t.Context().Done()
		return nil, errors.New("gone")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	e := failed(t, expect.Err(toolClient(t, s.URL, toolSecret).CallTool(ctx, "/mcp", mcp.Call{Name: "slow", Agreed: true})))
	expect.That(t, e.Class == api.ClassNetwork && e.Sent && ctx.Err() == nil &&
		(strings.Contains(e.Error(), "before the response was complete") || strings.Contains(e.Error(), "connection")), e.Class, e)
	expect.Equal(t, calls.Load(), 1, "calls")
}

func TestToolAnswerIsCleanAndBounded(t *testing.T) {
	t.Parallel()
	tool := plainTool("echo")
	tool.Description = "steals \x1b]52;c;x\x07 " + toolSecret
	s, _ := mcpAt(t, tool, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{
			Content: []sdk.Content{
				&sdk.TextContent{Text: "\x1b[31m" + toolSecret},
				&sdk.ResourceLink{URI: "https://x/?k=" + toolSecret, Name: "n\x1b"},
				&sdk.AudioContent{Data: []byte("abc"), MIMEType: "audio/\x1bwav"},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a", Text: "told"}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b"}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c", Blob: []byte("x"), MIMEType: "image/png"}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///d", Blob: []byte("x"), MIMEType: "text/csv"}},
				&sdk.EmbeddedResource{},
			},
			StructuredContent: map[string]any{"k": toolSecret, "<": 1.5},
		}, nil
	})
	c := toolClient(t, s.URL, toolSecret)
	l := must(c.Tools(t.Context(), "/mcp"))(t)
	a := must(c.CallTool(t.Context(), "/mcp", mcp.Call{Name: "echo", Agreed: true}))(t)
	seen := l.Tools[0].Description.String() + a.Texts() + a.Parts[1].URL + a.Parts[1].Text.String() + a.Parts[2].MediaType + string(a.Structured)
	expect.That(t, !strings.ContainsAny(seen, "\x1b\x07") && !strings.Contains(seen, "0123456789abcdefSECRET") &&
		json.Valid(a.Structured) && strings.Contains(string(a.Structured), `"<"`), fmt.Sprintf("%q", seen))
	kinds := api.Map(a.Parts, func(p mcp.Part) mcp.PartKind { return p.Kind })
	want := []mcp.PartKind{"text", "link", "audio", "text", "link", "image", "file", "other"}
	expect.That(t, slices.Equal(kinds, want) && a.Parts[3].Text.String() == "told" && a.Parts[6].URL == "file:///d" && a.Unrepeated() != nil,
		kinds, a.Parts)
}

func TestToolNamesThatCannotBeShownAreSkipped(t *testing.T) {
	t.Parallel()
	base := serves(t, func(w http.ResponseWriter, r *http.Request) {
		answerRPC(w, r, func(id string) {
			answerResult(w, id, `{"tools":[{"name":"ok","inputSchema":true},{"name":"a\u001bb","inputSchema":{}},{"name":"","inputSchema":{}},{"name":"ok","inputSchema":{}},{"name":"none"}]}`)
		})
	})
	l := must(toolClient(t, base, toolSecret).Tools(t.Context(), "/mcp"))(t)
	names := api.Map(l.Tools, func(tool mcp.Tool) string { return tool.Name })
	expect.That(t, slices.Equal(names, []string{"ok", "none"}) && l.Skipped == 3, names, l.Skipped, "skipped")
}

// answersCalls is a tool entry whose answer to tools/call is the test's.
func answersCalls(t *testing.T, answer func(w http.ResponseWriter, id string)) (base string, calls *atomic.Int32) {
	t.Helper()
	entry, _ := mcpAt(t, plainTool("spend"), nil)
	calls = &atomic.Int32{}
	return serves(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if id, method := message(body); method == "tools/call" {
			calls.Add(1)
			answer(w, id)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		entry.Config.Handler.ServeHTTP(w, r)
	}), calls
}

// TestALongResponseSaysThatItIsCut, by parts or within one.
func TestALongResponseSaysThatItIsCut(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{1, 1}, {1, 64 << 10}, {1, 64<<10 + 1}, {200, 1}, {201, 1}} { // parts, and characters of each
		part := `{"type":"text","text":"` + strings.Repeat("x", c[1]) + `"}`
		content := part + strings.Repeat(","+part, c[0]-1)
		base, _ := answersCalls(t, func(w http.ResponseWriter, id string) { answerResult(w, id, `{"content":[`+content+`]}`) })
		a, err := toolClient(t, base, toolSecret).CallTool(t.Context(), "/mcp", mcp.Call{Name: "spend", Agreed: true})
		expect.That(t, err == nil && (a.Cut != nil) == (c[0] > 200 || c[1] > 64<<10), c, err, a.Cut)
	}
}

// TestCallsFollowTheOutcomeTable: what would leave a create open leaves a call
// of a tool open.
func TestCallsFollowTheOutcomeTable(t *testing.T) {
	t.Parallel()
	follows := func(name string, open bool, answer func(w http.ResponseWriter, id string)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, calls := answersCalls(t, answer)
			e := failed(t, expect.Err(toolClient(t, base, toolSecret).CallTool(t.Context(), "/mcp", mcp.Call{Name: "spend", Agreed: true})))
			expect.That(t, e.Sent == open && calls.Load() == 1 && !strings.Contains(e.Error(), "with nothing in it"), "may have run", e.Sent, "want", open, calls.Load(), "calls", e)
		})
	}
	for _, status := range []int{302, 307, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425, 429, 451, 499, 500, 502, 503, 504, 520} {
		open := client.Classify(client.Trip{Connected: true, Status: status}, api.KindImage).Phase == api.PhaseUnknown
		follows(fmt.Sprint(status), open, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		})
	}
	follows("a part of an unknown kind", true, func(w http.ResponseWriter, id string) { answerResult(w, id, `{"content":[{"type":"new"}]}`) })
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
		follows(fmt.Sprint(row.code, row.text), row.open, func(w http.ResponseWriter, id string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, row.code, row.text)
		})
	}
}

// answerResult answers a call of the protocol.
func answerResult(w http.ResponseWriter, id, result string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Mcp-Session-Id", "s1")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// answerRPC is an entry of the protocol that leaves the list of tools to list.
func answerRPC(w http.ResponseWriter, r *http.Request, list func(id string)) {
	body, _ := io.ReadAll(r.Body)
	id, method := message(body)
	switch {
	case r.Method != http.MethodPost: // a goodbye; the library gives up on one after 5 s
	case method == "initialize":
		answerResult(w, id, `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`)
	case method == "tools/list":
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
	tools := func(ctx context.Context, c *client.Client) { _, _ = (&mcp.Client{Client: c}).Tools(ctx, "/mcp") }
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
			expect.Equal(t, left, "", "goroutines are left")
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

// everything starts @modelcontextprotocol/server-everything, a server of the
// protocol by others, and gives its base URL and what kills it.
// EVERYTHING_SERVER is the path of its program, which .ci/run installs.
// Without it the test is skipped, but never in CI.
func everything(t *testing.T) (base string, kill func()) {
	t.Helper()
	program := os.Getenv("EVERYTHING_SERVER")
	_, missing := os.Stat(program)
	node, err := exec.LookPath("node")
	if err := cmp.Or(missing, err); err != nil {
		text := "EVERYTHING_SERVER: the tool client was not tried against @modelcontextprotocol/server-everything: " + err.Error()
		expect.Must(t, os.Getenv("CI") != "true", text)
		fmt.Fprintln(os.Stderr, "\n*** "+text+" ***")
		t.Skip(text)
	}
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(node, program, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	simtest.NoError(t, cmd.Start())
	kill = sync.OnceFunc(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	t.Cleanup(kill)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address, kill
		}
	}
	t.Fatal("the independent server does not listen")
	return "", nil
}

// freeAddress gives an address that nobody listens at, with a port below those
// that a system gives to whoever asks for any.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 15000+rand.IntN(15000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
		expect.Must(t, errors.Is(err, syscall.EADDRINUSE), err)
	}
}

// guarded puts a check of the key in front of a server, as the service has it.
func guarded(t *testing.T, base, key string) string {
	t.Helper()
	to := must(url.Parse(base))(t)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
	return serves(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, `{"error":{"message":"invalid API key"}}`, http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

func TestToolsOfAnIndependentServer(t *testing.T) {
	base, kill := everything(t)
	c := toolClient(t, guarded(t, base, toolSecret), toolSecret)
	l := must(c.Tools(t.Context(), ""))(t)
	expect.That(t, l.Path == "/mcp" && len(l.Tools) >= 10 && l.Skipped == 0, l.Path, len(l.Tools), "tools", l.Skipped, "skipped")
	for _, tool := range l.Tools {
		expect.That(t, json.Valid(tool.Schema) && !tool.Description.IsZero(), tool.Name, string(tool.Schema))
	}
	call := func(c *mcp.Client, name, args string, told func(mcp.Progress)) (mcp.Answer, error) {
		return c.CallTool(t.Context(), "/mcp", mcp.Call{Name: name, Args: json.RawMessage(args), Agreed: true, Progress: told})
	}
	a, err := call(c, "echo", `{"message":"一二三"}`, nil)
	expect.That(t, err == nil && !a.Failed && a.Texts() == "Echo: 一二三", "echo", a, err)
	var steps []float64
	a, err = call(c, "trigger-long-running-operation", `{"duration":0.6,"steps":4}`, func(p mcp.Progress) { steps = append(steps, p.Done) })
	expect.That(t, err == nil && !a.Failed && len(steps) >= 3 && slices.IsSorted(steps), "long", steps, a, err)
	a, err = call(c, "get-tiny-image", `{}`, nil)
	image := slices.IndexFunc(a.Parts, func(p mcp.Part) bool { return p.Kind == mcp.PartImage })
	expect.That(t, err == nil && image >= 0 && http.DetectContentType(a.Parts[image].Data) == "image/png" &&
		a.Parts[image].MediaType == "image/png", "image", err, a.Texts())
	a, err = call(c, "get-resource-links", `{"count":3}`, nil)
	linked := slices.ContainsFunc(a.Parts, func(p mcp.Part) bool { return p.Kind == mcp.PartLink && p.URL != "" })
	expect.That(t, err == nil && linked, "links", a, err)
	a, err = call(c, "get-structured-content", `{"location":"Chicago"}`, nil)
	expect.That(t, err == nil && json.Valid(a.Structured), "structured", a, err)
	a, err = call(c, "get-sum", `{"a":"no number"}`, nil)
	expect.That(t, err == nil && a.Failed && a.Texts() != "", "a call that fails", a, err)
	e := failed(t, expect.Err(call(toolClient(t, guarded(t, base, "ak_other_00000000"), toolSecret), "echo", `{"message":"x"}`, nil)))
	expect.That(t, e.Class == api.ClassKey && !e.Sent, "a wrong key", e.Class, e)
	direct := toolClient(t, base, toolSecret)
	_, err = call(direct, "trigger-long-running-operation", `{"duration":30,"steps":300}`, func(p mcp.Progress) {
		if p.Done == 1 {
			go kill()
		}
	})
	e = failed(t, err)
	expect.That(t, e.Class == api.ClassNetwork && e.Sent && strings.Contains(e.Error(), "before the response was complete"), "killed", e)
	_, err = direct.Tools(t.Context(), "/mcp")
	e = failed(t, err)
	expect.That(t, e.Class == api.ClassNetwork && !e.Sent, "after its death", err)
}
