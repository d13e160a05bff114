package mcp

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

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/read"
)

// Tools lists the tools of the entry at path, which is escaped and counts from
// the origin's root. Without a path the known places are tried once each; the
// caller keeps Listing.Path for the next time. Errors are *Error.
func (c *Client) Tools(ctx context.Context, path string) (Listing, error) {
	if c.Base.Host == "" {
		return Listing{}, client.OwnError(api.ClassInvalid, 0, api.ReasonNoBase)
	}
	if path != "" {
		return c.listTools(ctx, path)
	}
	var kept *api.Error
	for _, p := range c.toolCandidates() {
		l, err := c.listTools(ctx, p)
		var e *api.Error
		if err == nil || !errors.As(err, &e) {
			return l, err
		}
		switch {
		case e.Class == api.ClassNetwork, e.Class == api.ClassRate, e.Class == api.ClassCredits, ctx.Err() != nil:
			return l, err // it would be the same everywhere
		case notThere(e):
		case kept == nil:
			kept = e
		}
	}
	if kept != nil {
		return Listing{}, kept
	}
	none := client.OwnError(api.ClassNotFound, 0, api.ReasonNoToolEntry, c.Base.Host)
	none.Do = api.AdviseToolEntry.Reason()
	return Listing{}, none
}

func (c *Client) listTools(ctx context.Context, path string) (Listing, error) {
	ctx, cancel := client.WithLimit(ctx, client.Scaled(limitToolList, c.Scale), api.ReasonIncomplete)
	defer cancel()
	t, err := c.openTools(ctx, path, nil)
	if err != nil {
		return Listing{}, err
	}
	defer t.close()
	return t.list(ctx)
}

// CallTool calls a tool once, exactly once, and gives its answer; a tool that
// says that it failed is an answer. Errors are *Error, or ErrNotAgreed when the
// tool is not declared read-only and call.Agreed is false. An *Error whose Sent
// is true leaves open whether the tool ran. Ending ctx asks the tool to stop;
// whether it does is the service's.
func (c *Client) CallTool(ctx context.Context, path string, call Call) (Answer, error) {
	args := bytes.TrimSpace(call.Args)
	if len(args) == 0 {
		args = []byte("{}")
	}
	if args[0] != '{' || !json.Valid(args) {
		return Answer{}, client.OwnError(api.ClassInvalid, 0, api.ReasonToolArguments)
	}
	ctx, cancel := client.WithLimit(ctx, client.Scaled(limitToolCall, c.Scale), api.ReasonIncomplete)
	defer cancel()
	told := &teller{tell: call.Progress}
	t, err := c.openTools(ctx, path, told)
	if err != nil {
		return Answer{}, err
	}
	defer t.close()
	defer told.stop()
	// What the tool is declared to be is asked on the same connection: the
	// caller's listing may be old.
	l, err := t.list(ctx)
	if err != nil {
		return Answer{}, err
	}
	tool, ok := l.Find(call.Name)
	switch {
	case !ok:
		none := client.OwnError(api.ClassNotFound, 0, api.ReasonNoTool)
		none.Do = api.AdviseToolList.Reason()
		return Answer{}, none
	case !tool.ReadOnly && !call.Agreed:
		return Answer{}, ErrNotAgreed
	}
	p := &mcp.CallToolParams{Name: call.Name, Arguments: json.RawMessage(args)}
	if call.Progress != nil {
		p.SetProgressToken("darkroom")
	}
	r, err := t.session.CallTool(ctx, p)
	if err != nil {
		return Answer{}, t.failure(ctx, err, tool.ReadOnly)
	}
	return c.toolAnswer(r), nil
}

// teller passes progress on until the call is over: a message of it may come
// after the answer.
type teller struct {
	mu   sync.Mutex
	tell func(Progress)
	over bool
}

func (t *teller) stop() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}

func (t *teller) told(c *Client, p *mcp.ProgressNotificationParams) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.tell == nil || p == nil {
		return
	}
	t.tell(Progress{Done: p.Progress, Total: max(p.Total, 0), Text: api.Clean(c.Key.RedactString(p.Message), 200)})
}

// toolLine is one open connection to the entry.
type toolLine struct {
	c       *Client
	path    string
	way     *toolWay
	session *mcp.ClientSession
}

func (c *Client) openTools(ctx context.Context, path string, told *teller) (*toolLine, error) {
	u, err := c.Base.Parse(path)
	if err != nil || u.Host != c.Base.Host || u.RawQuery != "" {
		return nil, client.OwnError(api.ClassInvalid, 0, api.ReasonPath)
	}
	t := &toolLine{c: c, path: u.EscapedPath(), way: newToolWay(c)}
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if told != nil {
		o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told.told(c, r.Params) }
	}
	session := mcp.NewClient(&mcp.Implementation{Name: "darkroom", Version: "1"}, o)
	hello, cancel := client.WithLimit(ctx, client.Scaled(limitToolHello, c.Scale), api.ReasonNoAnswer)
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
	case <-time.After(client.Scaled(time.Second, t.c.Scale)):
	}
}

func (t *toolLine) list(ctx context.Context) (Listing, error) {
	l := Listing{Path: t.path}
	if r := t.session.InitializeResult(); r != nil {
		if r.ServerInfo != nil {
			l.Server = api.Clean(t.c.Key.RedactString(r.ServerInfo.Name+" "+r.ServerInfo.Version), 200)
		}
		l.Advice = api.CleanLines(t.c.Key.RedactString(r.Instructions), maxToolAbout)
	}
	for tool, err := range t.session.Tools(ctx, nil) {
		if err != nil {
			return Listing{Path: t.path}, t.failure(ctx, err, true)
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
func (t *toolLine) failure(ctx context.Context, err error, harmless bool) *api.Error {
	last, broken, called := t.way.stop()
	e := t.reason(ctx, err, last, broken)
	e.Sent = called && !t.provesRefusal(err, e, last)
	if e.Sent && !harmless {
		e.Do = api.AdviseToolCharged.Reason()
	}
	return e
}

// provesRefusal reports whether the outcome of a call that left proves that the
// tool did not run. It is the outcome table of creates; an error of JSON-RPC
// stands for a refusal inside a 2xx.
func (t *toolLine) provesRefusal(err error, e *api.Error, last client.Trip) bool {
	if last.Status < 200 || last.Status > 299 {
		phase := client.Classify(last, api.KindImage, t.c.Now()).Phase
		return phase == api.PhaseRejected || phase == api.PhaseNotSent
	}
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code == codeRejected || e.Class == api.ClassNetwork {
		return false
	}
	switch wire.Code {
	case jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return true
	}
	// Every other code is the tool's or the server's own, as a 5xx is. Only words
	// that say why nothing is generated prove more.
	said, err := json.Marshal(map[string]any{"error": map[string]string{"message": wire.Message}})
	if err != nil {
		return false
	}
	switch read.Error(last.Status, nil, said).Class {
	case api.ClassCredits, api.ClassRate, api.ClassKey, api.ClassModeration:
		return true
	}
	return false
}

// codeRejected is the library's own code for what never reached a server.
const codeRejected = -32005

func (t *toolLine) reason(ctx context.Context, err error, last client.Trip, broken error) *api.Error {
	if last.Host == "" {
		last.Host = t.c.Base.Host
	}
	if last.Status >= 300 || last.Status == 0 && last.Err != nil {
		var e *api.Error
		if errors.As(client.ReadFailure(last, t.c.Now()), &e) {
			return e
		}
	}
	if broken == nil && ctx.Err() != nil {
		broken = context.Cause(ctx)
	}
	if broken != nil {
		e := client.NetworkError(broken, last.Host, last.Status)
		if errors.Is(broken, client.ErrTooLarge) {
			e.Class = api.ClassUnreadable
		}
		return e
	}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) && wire.Code != codeRejected {
		return &api.Error{Class: wireClass(wire.Code), Code: api.Clean(fmt.Sprint(wire.Code), 20),
			Text: api.Clean(t.c.Key.RedactString(wire.Message), api.MaxErrorText)}
	}
	if last.Status == http.StatusOK && strings.HasPrefix(last.Header.Get("Content-Type"), "text/event-stream") {
		return &api.Error{Class: api.ClassNetwork, Reason: api.ReasonEnded.Reason(last.Host)}
	}
	return client.Unreadable(last, api.ReasonNotToolAnswer.Reason())
}

// wireClass is the class of an error code of JSON-RPC.
func wireClass(code int64) api.ErrorClass {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return api.ClassNotFound
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return api.ClassInvalid
	}
	return api.ClassServer
}

// Client calls the tool-protocol entry with the key, at the origin of the
// generation calls. It is safe for use by several goroutines.
type Client struct{ *client.Transport }

// New makes a client that goes the guarded way of c.
func New(c *client.Client) *Client { return &Client{&c.Transport} }
