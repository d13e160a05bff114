package mcp_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
)

// everything starts @modelcontextprotocol/server-everything, a server of the
// protocol by others, and gives its base URL and what kills it.
// EVERYTHING_SERVER is the path of its program, which .ci/run installs.
// Without it the test is skipped, but never in CI.
func everything(t *testing.T) (base string, kill func()) {
	t.Helper()
	missing := func(format string, args ...any) {
		t.Helper()
		text := "the tool client was not tried against an independent server: " + fmt.Sprintf(format, args...)
		if os.Getenv("CI") == "true" {
			t.Fatal(text)
		}
		fmt.Fprintln(os.Stderr, "\n*** "+text+" ***")
		t.Skip(text)
	}
	program := os.Getenv("EVERYTHING_SERVER")
	if program == "" {
		missing("EVERYTHING_SERVER does not name the program of @modelcontextprotocol/server-everything")
	}
	if _, err := os.Stat(program); err != nil {
		missing("%v", err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("node is not installed")
	}
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(node, program, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
		}
		_ = cmd.Wait()
		close(ended)
	}()
	kill = func() { _ = cmd.Process.Kill(); <-ended }
	t.Cleanup(kill)
	awaitAnswer(t, address, ended)
	return "http://" + address, kill
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
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
	}
}

// awaitAnswer waits until a server listens.
func awaitAnswer(t *testing.T, address string, ended <-chan struct{}) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		select {
		case <-ended:
			t.Fatal("the independent server ended before it listened")
		case <-time.After(30 * time.Millisecond):
		}
	}
	t.Fatal("the independent server does not listen")
}

// guarded puts a check of the key in front of a server, as the service has it.
func guarded(t *testing.T, base, key string) string {
	t.Helper()
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, `{"error":{"message":"invalid API key"}}`, http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestToolsOfAnIndependentServer(t *testing.T) {
	base, kill := everything(t)
	c := toolClient(t, guarded(t, base, toolSecret), toolSecret)
	l, err := c.Tools(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if l.Path != "/mcp" || len(l.Tools) < 10 || l.Skipped != 0 {
		t.Errorf("%s: %d tools, %d skipped", l.Path, len(l.Tools), l.Skipped)
	}
	for _, tool := range l.Tools {
		if !json.Valid(tool.Schema) || tool.Description.IsZero() {
			t.Errorf("%s: %s", tool.Name, tool.Schema)
		}
	}
	call := func(c *mcp.Client, name, args string, told func(mcp.Progress)) (mcp.Answer, error) {
		return c.CallTool(t.Context(), "/mcp", mcp.Call{Name: name, Args: json.RawMessage(args), Agreed: true, Progress: told})
	}
	if a, err := call(c, "echo", `{"message":"一二三"}`, nil); err != nil || a.Failed || a.Texts() != "Echo: 一二三" {
		t.Errorf("echo: %+v %v", a, err)
	}
	var steps []float64
	a, err := call(c, "trigger-long-running-operation", `{"duration":0.6,"steps":4}`, func(p mcp.Progress) { steps = append(steps, p.Done) })
	if err != nil || a.Failed || len(steps) < 3 || !slices.IsSorted(steps) {
		t.Errorf("long: %v %+v %v", steps, a, err)
	}
	a, err = call(c, "get-tiny-image", `{}`, nil)
	image := slices.IndexFunc(a.Parts, func(p mcp.Part) bool { return p.Kind == mcp.PartImage })
	if err != nil || image < 0 || http.DetectContentType(a.Parts[image].Data) != "image/png" || a.Parts[image].MediaType != "image/png" {
		t.Errorf("image: %v %+v", err, a.Texts())
	}
	if a, err := call(c, "get-resource-links", `{"count":3}`, nil); err != nil ||
		!slices.ContainsFunc(a.Parts, func(p mcp.Part) bool { return p.Kind == mcp.PartLink && p.URL != "" }) {
		t.Errorf("links: %+v %v", a, err)
	}
	if a, err := call(c, "get-structured-content", `{"location":"Chicago"}`, nil); err != nil || !json.Valid(a.Structured) {
		t.Errorf("structured: %+v %v", a, err)
	}
	if a, err := call(c, "get-sum", `{"a":"no number"}`, nil); err != nil || !a.Failed || a.Texts() == "" {
		t.Errorf("a call that fails: %+v %v", a, err)
	}
	_, err = call(toolClient(t, guarded(t, base, "ak_other_00000000"), toolSecret), "echo", `{"message":"x"}`, nil)
	if e := failed(t, err); e.Class != api.ClassKey || e.Sent {
		t.Errorf("a wrong key: %s %v", e.Class, e)
	}
	direct := toolClient(t, base, toolSecret)
	_, err = call(direct, "trigger-long-running-operation", `{"duration":30,"steps":300}`, func(p mcp.Progress) {
		if p.Done == 1 {
			go kill()
		}
	})
	if e := failed(t, err); e.Class != api.ClassNetwork || !e.Sent || !strings.Contains(e.Error(), "before the answer was complete") {
		t.Errorf("killed in mid-call: %s %+v", e, e)
	}
	_, err = direct.Tools(t.Context(), "/mcp")
	var e *api.Error
	if !errors.As(err, &e) || e.Class != api.ClassNetwork || e.Sent {
		t.Errorf("after its death: %v", err)
	}
}
