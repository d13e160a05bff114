package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tools lists the tools of the entry at path, which is escaped and counts from
// the origin's root. Without a path the known places are tried once each; the
// caller keeps ToolListing.Path for the next time. Errors are *Error.
func (c *ToolClient) Tools(ctx context.Context, path string) (ToolListing, error) {
	if c.base.Host == "" {
		return ToolListing{}, ownError(ClassInvalid, 0, errNoBase.Error())
	}
	if path != "" {
		return c.listTools(ctx, path)
	}
	var kept *Error
	for _, p := range c.toolCandidates() {
		l, err := c.listTools(ctx, p)
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return l, err
		}
		switch {
		case e.Class == ClassNetwork, e.Class == ClassRate, e.Class == ClassCredits, ctx.Err() != nil:
			return l, err // it would be the same everywhere
		case notThere(e):
		case kept == nil:
			kept = e
		}
	}
	if kept != nil {
		return ToolListing{}, kept
	}
	none := ownError(ClassNotFound, 0, "no tool-protocol entry was found at the known places of "+c.base.Host)
	none.Do = Clean("if it is elsewhere, set tools_path under [profile] in the settings file", MaxErrorText)
	return ToolListing{}, none
}

func (c *ToolClient) listTools(ctx context.Context, path string) (ToolListing, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, scaled(limitToolList, c.scale), &limitError{"no complete answer", scaled(limitToolList, c.scale)})
	defer cancel()
	t, err := c.openTools(ctx, path, nil)
	if err != nil {
		return ToolListing{}, err
	}
	defer t.close()
	return t.list(ctx)
}

// CallTool calls a tool once, exactly once, and gives its answer; a tool that
// says that it failed is an answer. Errors are *Error, or ErrNotAgreed when the
// tool is not declared read-only and call.Agreed is false. An *Error whose Sent
// is true leaves open whether the tool ran. Ending ctx asks the tool to stop;
// whether it does is the service's.
func (c *ToolClient) CallTool(ctx context.Context, path string, call ToolCall) (ToolAnswer, error) {
	args := bytes.TrimSpace(call.Args)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if args[0] != '{' || !json.Valid(args) {
		return ToolAnswer{}, ownError(ClassInvalid, 0, "the tool's arguments must be one JSON object")
	}
	limit := scaled(limitToolCall, c.scale)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &limitError{"no complete answer", limit})
	defer cancel()
	told := &teller{tell: call.Progress}
	t, err := c.openTools(ctx, path, told)
	if err != nil {
		return ToolAnswer{}, err
	}
	defer t.close()
	defer told.stop()
	// What the tool is declared to be is asked on the same connection: the
	// caller's listing may be old.
	l, err := t.list(ctx)
	if err != nil {
		return ToolAnswer{}, err
	}
	tool, ok := l.Find(call.Name)
	switch {
	case !ok:
		none := ownError(ClassNotFound, 0, "the service has no tool of that name")
		none.Do = Clean("look at the list of its tools", MaxErrorText)
		return ToolAnswer{}, none
	case !tool.ReadOnly && !call.Agreed:
		return ToolAnswer{}, ErrNotAgreed
	}
	p := &mcp.CallToolParams{Name: call.Name, Arguments: json.RawMessage(args)}
	if call.Progress != nil {
		p.SetProgressToken("darkroom")
	}
	r, err := t.session.CallTool(ctx, p)
	if err != nil {
		return ToolAnswer{}, t.failure(ctx, err, tool.ReadOnly)
	}
	return c.toolAnswer(r), nil
}

// teller passes progress on until the call is over: a message of it may come
// after the answer.
type teller struct {
	mu   sync.Mutex
	tell func(ToolProgress)
	over bool
}

func (t *teller) stop() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}

func (t *teller) told(c *ToolClient, p *mcp.ProgressNotificationParams) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.tell == nil || p == nil {
		return
	}
	t.tell(ToolProgress{Done: p.Progress, Total: max(p.Total, 0), Text: Clean(c.key.RedactString(p.Message), 200)})
}

// toolLine is one open connection to the entry.
type toolLine struct {
	c       *ToolClient
	path    string
	way     *toolWay
	session *mcp.ClientSession
}

func (c *ToolClient) openTools(ctx context.Context, path string, told *teller) (*toolLine, error) {
	u, err := c.base.Parse(path)
	if err != nil || u.Host != c.base.Host || u.RawQuery != "" {
		return nil, ownError(ClassInvalid, 0, errPath.Error())
	}
	t := &toolLine{c: c, path: u.EscapedPath(), way: newToolWay(c)}
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if told != nil {
		o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told.told(c, r.Params) }
	}
	session := mcp.NewClient(&mcp.Implementation{Name: "darkroom", Version: "1"}, o)
	limit := scaled(limitToolHello, c.scale)
	hello, cancel := context.WithTimeoutCause(ctx, limit, &limitError{"no answer", limit})
	defer cancel()
	t.session, err = session.Connect(hello, &mcp.StreamableClientTransport{
		Endpoint: u.String(), DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: maxToolAnswers,
		HTTPClient: &http.Client{
			Transport:     t.way,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil)
	if err != nil {
		return nil, t.failure(hello, err, true)
	}
	return t, nil
}

// close says goodbye without keeping the caller: the answer is there already.
func (t *toolLine) close() {
	_, _, _ = t.way.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // nothing depends on a goodbye
		_ = t.session.Close()
	}()
	select {
	case <-done:
	case <-time.After(scaled(time.Second, t.c.scale)):
	}
}

func (t *toolLine) list(ctx context.Context) (ToolListing, error) {
	l := ToolListing{Path: t.path}
	if r := t.session.InitializeResult(); r != nil {
		if r.ServerInfo != nil {
			l.Server = Clean(t.c.key.RedactString(r.ServerInfo.Name+" "+r.ServerInfo.Version), 200)
		}
		l.Advice = CleanLines(t.c.key.RedactString(r.Instructions), maxToolAbout)
	}
	for tool, err := range t.session.Tools(ctx, nil) {
		if err != nil {
			return ToolListing{Path: t.path}, t.failure(ctx, err, true)
		}
		if len(l.Tools) >= maxTools {
			l.Skipped++
			break
		}
		read, ok := t.c.toolOf(tool)
		if _, twice := l.Find(read.Name); !ok || twice {
			l.Skipped++
			continue
		}
		l.Tools = append(l.Tools, read)
	}
	return l, nil
}

// failure says why there was no answer. harmless says that it cannot have cost
// anything.
func (t *toolLine) failure(ctx context.Context, err error, harmless bool) *Error {
	last, broken, called := t.way.stop()
	e := t.reason(ctx, err, last, broken)
	sent := called && last.Connected && (last.Status == 0 || last.Status >= 500 || last.Status < 300)
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code != codeRejected && e.Class != ClassNetwork {
		sent = false // the service itself says that it did not do it
	}
	e.Sent = sent
	if sent && !harmless {
		e.Do = Clean("the tool may have run and been charged: look on the service's site before calling it again", MaxErrorText)
	}
	return e
}

// codeRejected is the library's own code for what never reached a server.
const codeRejected = -32005

func (t *toolLine) reason(ctx context.Context, err error, last Trip, broken error) *Error {
	if last.Host == "" {
		last.Host = t.c.base.Host
	}
	if last.Status >= 300 || last.Status == 0 && last.Err != nil {
		var e *Error
		if errors.As(readFailure(last, t.c.now()), &e) {
			return e
		}
	}
	if broken == nil && ctx.Err() != nil {
		broken = context.Cause(ctx)
	}
	if broken != nil {
		e := networkError(broken, last.Host, last.Status)
		if errors.Is(broken, errTooLarge) {
			e.Class = ClassUnreadable
		}
		return e
	}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code != codeRejected {
		return &Error{Class: wireClass(wire.Code), Code: Clean(fmt.Sprint(wire.Code), 20),
			Text: Clean(t.c.key.RedactString(wire.Message), MaxErrorText)}
	}
	if last.Status == http.StatusOK && strings.HasPrefix(last.Header.Get("Content-Type"), "text/event-stream") {
		return &Error{Class: ClassNetwork, Text: Clean("the service at "+last.Host+" ended the connection before the answer was complete", MaxErrorText)}
	}
	return unreadable(last, "it is not an answer of the tool protocol")
}

// wireClass is the class of an error code of JSON-RPC.
func wireClass(code int64) ErrorClass {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return ClassNotFound
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return ClassInvalid
	}
	return ClassServer
}

// ToolClient calls the tool-protocol entry with the key, at the origin of the
// generation calls. It is safe for use by several goroutines.
type ToolClient struct{ *wire }

// NewToolClient makes a client that goes the guarded way of c.
func NewToolClient(c *Client) *ToolClient { return &ToolClient{&c.wire} }
