package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
)

// toolSecret is a key that must appear nowhere but in its own header.
const toolSecret = "ak_live_0123456789abcdefSECRET9f3c"

func toolClient(t *testing.T, base, key string) *mcp.Client {
	t.Helper()
	return mcp.New(plainClient(t, base, key))
}

func plainClient(t *testing.T, base, key string) *client.Client {
	t.Helper()
	u, err := api.ParseBase(base)
	if err != nil {
		t.Fatal(err)
	}
	k, err := api.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return client.New(client.Options{Base: u, Key: k})
}

// failed gives the error as the client's own.
func failed(t *testing.T, err error) *api.Error {
	t.Helper()
	var e *api.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v is no *api.Error", err, err)
	}
	if strings.Contains(e.Error(), "0123456789abcdefSECRET") {
		t.Errorf("the key stands in %q", e.Error())
	}
	return e
}

func TestToolsAreFoundAndListed(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/gateway"} {
		s := simtest.Run(t, simtest.Options{LongSide: 32, Key: toolSecret, Prefix: prefix})
		c := toolClient(t, s.URL(), toolSecret)
		l, err := c.Tools(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if l.Path != prefix+"/api/v1/mcp" || len(l.Tools) != 7 || l.Skipped != 0 || !strings.HasPrefix(l.Server.String(), "darkroom-simulator") {
			t.Errorf("%+v", l)
		}
		image, _ := l.Find("generate_image")
		models, _ := l.Find("list_models")
		if image.ReadOnly || !models.ReadOnly || !json.Valid(image.Schema) || !strings.Contains(string(image.Schema), `"auto_2K"`) {
			t.Errorf("%+v %s", image, image.Schema)
		}
		again, err := c.Tools(t.Context(), l.Path)
		if err != nil || len(again.Tools) != 7 {
			t.Errorf("by its path: %v", err)
		}
	}
}

// mcpAt serves an entry of one tool at one path and counts what it is asked.
func mcpAt(t *testing.T, path string, tool *sdk.Tool, do sdk.ToolHandler) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "other", Version: "2"}, nil)
	server.AddTool(tool, do)
	entry := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	var posts atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		if r.URL.Path != path {
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
	s, posts := mcpAt(t, "/mcp", plainTool("x"), nil)
	l, err := toolClient(t, s.URL+"/v9", toolSecret).Tools(t.Context(), "")
	if err != nil || l.Path != "/mcp" || len(l.Tools) != 1 {
		t.Fatalf("%+v %v", l, err)
	}
	if n := posts.Load(); n > 16 {
		t.Errorf("%d calls to find it", n)
	}
}

func TestNoToolEntryIsASentence(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	_, err := toolClient(t, s.URL, toolSecret).Tools(t.Context(), "")
	if e := failed(t, err); e.Class != api.ClassNotFound || !strings.Contains(e.Error(), "tools_path") {
		t.Errorf("%v %v", e.Class, e)
	}
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
		"key":     {answer(401, "application/json", `{"error":{"message":"bad key `+toolSecret+`"}}`), api.ClassKey, 5, "key"},
		"rate":    {answer(429, "text/plain", "slow down"), api.ClassRate, 1, "wait 7s"},
		"credits": {answer(402, "application/json", `{"error":{"message":"no credits left"}}`), api.ClassCredits, 1, "credits"},
		"html":    {answer(200, "text/html", "<html>welcome</html>"), api.ClassNotFound, 10, "tools_path"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, api.ClassNotFound, 10, "tools_path"},
		"broken": {answer(200, "application/json", "{"), api.ClassNotFound, 10, "tools_path"},
		"fault":  {answer(500, "text/plain", "oops"), api.ClassServer, 10, "fault"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				io.Copy(io.Discard, r.Body)
				c.serve(w, r)
			}))
			defer s.Close()
			_, err := toolClient(t, s.URL, toolSecret).Tools(t.Context(), "")
			e := failed(t, err)
			if e.Class != c.class || !strings.Contains(e.Error(), c.text) {
				t.Errorf("%s: %v", e.Class, e)
			}
			if n := calls.Load(); n > c.most {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestToolKeyStaysAtTheOrigin(t *testing.T) {
	t.Parallel()
	var foreign atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { foreign.Add(1) }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL+"/mcp", http.StatusTemporaryRedirect))
	defer s.Close()
	c := toolClient(t, s.URL, toolSecret)
	if _, err := c.Tools(t.Context(), ""); err == nil {
		t.Error("a redirect was taken for an entry")
	}
	if _, err := c.Tools(t.Context(), "//"+strings.TrimPrefix(other.URL, "http://")+"/mcp"); err == nil {
		t.Error("another host was called")
	}
	if foreign.Load() != 0 {
		t.Error("something was sent to another origin")
	}
	base, _ := api.ParseBase(s.URL)
	for _, bad := range []string{other.URL + "/mcp", "/a/../b", "/x?y=1", "mcp", "", "http://u:p@" + base.Host + "/mcp"} {
		if p, err := mcp.ParseEntryPath(base, bad); err == nil {
			t.Errorf("%q was taken as %q", bad, p)
		}
	}
	if p, err := mcp.ParseEntryPath(&url.URL{Scheme: "https", Host: "h", Path: "/pre"}, "/mcp"); err != nil || p != "/pre/mcp" {
		t.Errorf("%q %v", p, err)
	}
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 32, Key: toolSecret})
	c := toolClient(t, s.URL(), toolSecret)
	call := func(name, args string, agreed bool) (mcp.Answer, error) {
		return c.CallTool(t.Context(), "/api/v1/mcp", mcp.Call{Name: name, Args: json.RawMessage(args), Agreed: agreed})
	}
	a, err := call("estimate_price", `{"model":"seedance2","duration":5,"video_model":"fast","resolution":"720p"}`, false)
	if err != nil || a.Failed || !strings.Contains(string(a.Structured), "425") {
		t.Errorf("estimate: %s %v", a.Structured, err)
	}
	if _, err := call("generate_image", `{"prompt":"a kettle"}`, false); !errors.Is(err, mcp.ErrNotAgreed) {
		t.Errorf("not agreed: %v", err)
	}
	if n := len(s.Ledger()); n != 0 {
		t.Fatalf("%d generations without an agreement", n)
	}
	a, err = call("generate_image", `{"prompt":"a kettle"}`, true)
	if err != nil || a.Failed || len(s.Ledger()) != 1 {
		t.Fatalf("%+v %v", a, err)
	}
	var job struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(a.Structured, &job); err != nil || job.ID == "" {
		t.Fatalf("%s %v", a.Structured, err)
	}
	a, err = call("wait_for_job", `{"id":"`+job.ID+`"}`, false)
	if err != nil || len(a.Parts) < 2 || a.Parts[1].Kind != mcp.PartLink || !strings.HasPrefix(a.Parts[1].URL, s.URL()) {
		t.Errorf("%+v %v", a, err)
	}
	a, err = call("sample_picture", `{"subject":"a boat"}`, false)
	if err != nil || len(a.Parts) != 2 || a.Parts[1].Kind != mcp.PartImage || http.DetectContentType(a.Parts[1].Data) != "image/png" {
		t.Errorf("%v %v", err, a.Texts())
	}
	a, err = call("get_job", `{"id":"none"}`, false)
	if err != nil || !a.Failed || !strings.Contains(a.Texts(), "no job") {
		t.Errorf("a tool that fails: %+v %v", a, err)
	}
	_, err = call("nothing", `{}`, true)
	if e := failed(t, err); e.Class != api.ClassNotFound || e.Sent {
		t.Errorf("%+v", e)
	}
	_, err = call("list_models", `[1]`, true)
	if e := failed(t, err); e.Class != api.ClassInvalid {
		t.Errorf("%+v", e)
	}
	_, err = toolClient(t, s.URL(), "ak_another_key_000000").CallTool(t.Context(), "/api/v1/mcp", mcp.Call{Name: "list_models"})
	if e := failed(t, err); e.Class != api.ClassKey {
		t.Errorf("%+v", e)
	}
}

func TestToolProgressAndCancel(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 32, Key: toolSecret, TimeScale: 0.05})
	c := toolClient(t, s.URL(), toolSecret)
	var told []mcp.Progress
	over := false
	_, err := c.CallTool(t.Context(), "/api/v1/mcp", mcp.Call{
		Name: "generate_video", Args: json.RawMessage(`{"prompt":"waves","duration":4}`), Agreed: true,
		Progress: func(p mcp.Progress) {
			if over {
				t.Error("progress after the end")
			}
			told = append(told, p)
		},
	})
	over = true
	if err != nil || len(told) < 10 || told[0].Total != 20 || told[0].Done != 1 || told[0].Text.IsZero() {
		t.Errorf("%v %+v", err, told)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = c.CallTool(ctx, "/api/v1/mcp", mcp.Call{
		Name: "generate_video", Args: json.RawMessage(`{"prompt":"more waves","duration":4}`), Agreed: true,
		Progress: func(mcp.Progress) { cancel() },
	})
	e := failed(t, err)
	if !e.Sent || !strings.Contains(e.Error(), "may have run") || !strings.Contains(e.Error(), "stopped") {
		t.Errorf("%+v: %v", e.Class, e)
	}
	if n := len(s.Ledger()); n != 2 {
		t.Errorf("%d generations", n)
	}
}

// TestToolServerDies: the answer never comes, and the tool is called once.
func TestToolServerDies(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var s *httptest.Server
	s, _ = mcpAt(t, "/mcp", plainTool("slow"), func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		calls.Add(1)
		s.CloseClientConnections()
		<-t.Context().Done()
		return nil, errors.New("gone")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := toolClient(t, s.URL, toolSecret).CallTool(ctx, "/mcp", mcp.Call{Name: "slow", Agreed: true})
	e := failed(t, err)
	if e.Class != api.ClassNetwork || !e.Sent || ctx.Err() != nil || !strings.Contains(e.Error(), "before the answer was complete") && !strings.Contains(e.Error(), "connection") {
		t.Errorf("%s: %v", e.Class, e)
	}
	if calls.Load() != 1 {
		t.Errorf("called %d times", calls.Load())
	}
}

func TestToolAnswerIsCleanAndBounded(t *testing.T) {
	t.Parallel()
	tool := plainTool("echo")
	tool.Description = "steals \x1b]52;c;x\x07 " + toolSecret
	s, _ := mcpAt(t, "/mcp", tool, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{
			Content: []sdk.Content{
				&sdk.TextContent{Text: "\x1b[31m" + toolSecret},
				&sdk.ResourceLink{URI: "https://x/?k=" + toolSecret, Name: "n\x1b"},
				&sdk.AudioContent{Data: []byte("abc"), MIMEType: "audio/\x1bwav"},
			},
			StructuredContent: map[string]any{"k": toolSecret, "<": 1.5},
		}, nil
	})
	c := toolClient(t, s.URL, toolSecret)
	l, err := c.Tools(t.Context(), "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.CallTool(t.Context(), "/mcp", mcp.Call{Name: "echo", Agreed: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := l.Tools[0].Description.String() + a.Texts() + a.Parts[1].URL + a.Parts[1].Text.String() + a.Parts[2].MediaType + string(a.Structured)
	if strings.ContainsAny(seen, "\x1b\x07") || strings.Contains(seen, "0123456789abcdefSECRET") || !json.Valid(a.Structured) {
		t.Errorf("%q", seen)
	}
	if !strings.Contains(string(a.Structured), `"<"`) {
		t.Errorf("%s", a.Structured)
	}
}

func TestToolNamesThatCannotBeShownAreSkipped(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answerRPC(w, r, func(id string) {
			answerResult(w, id, `{"tools":[{"name":"ok","inputSchema":true},{"name":"a\u001bb","inputSchema":{}},{"name":"","inputSchema":{}},{"name":"ok","inputSchema":{}},{"name":"none"}]}`)
		})
	}))
	defer s.Close()
	l, err := toolClient(t, s.URL, toolSecret).Tools(t.Context(), "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"ok", "none"}) || l.Skipped != 3 {
		t.Errorf("%v, %d skipped", names, l.Skipped)
	}
}
