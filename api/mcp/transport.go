package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/read"
)

// connection is one connection to the entry. As the transport of the protocol's
// library it adds the key by the same guard as every call, keeps what the library
// loses (status, headers, body, the transport's error), bounds the answer, and lets
// a tool be called once only.
type connection struct {
	c       *Client
	path    string
	session *mcp.ClientSession
	left    atomic.Int64 // bytes that may still be read

	mu     sync.Mutex
	last   client.Trip // of the last POST that carried a request
	broken error
	called bool // the one tools/call was sent
	closed bool // its work is done; what follows is not recorded
}

func (w *connection) RoundTrip(r *http.Request) (*http.Response, error) {
	method, err := rpcMethod(r)
	if err == nil {
		err = w.allow(method)
	}
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	way := w.c.Reads
	watched := &client.ConnWatch{}
	out := r.Clone(httptrace.WithClientTrace(r.Context(), watched.Trace()))
	out.Header.Set("User-Agent", w.c.UserAgent)
	out.GetBody = nil // net/http must not send it again by itself
	if method == "tools/call" {
		way = w.c.Creates
	}
	began := time.Now()
	resp, err := way.RoundTrip(out)
	t := client.Trip{Host: w.c.Base.Host, Connected: watched.Got.Load()}
	defer func() {
		w.mu.Lock()
		if !w.closed && method != "" {
			w.last, w.broken = t, nil
		}
		w.mu.Unlock()
		w.c.LogCall(r.Method, r.URL.EscapedPath(), t, began)
	}()
	if err != nil {
		t.Err = w.c.SafeError(cmp.Or(context.Cause(r.Context()), err))
		return nil, t.Err
	}
	t.Connected, t.Status, t.Header = true, resp.StatusCode, w.c.RedactHeader(resp.Header)
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if t.Status < 200 || t.Status > 299 || t.Status == http.StatusOK && kind != "application/json" && kind != "text/event-stream" {
		w.keepBody(resp, &t)
	} else {
		resp.Body, t.Streamed = &toolBody{resp.Body, w, r}, true
	}
	return resp, nil
}

// rpcMethod reads which method a message calls; "" for an answer or notice.
func rpcMethod(r *http.Request) (string, error) {
	if r.Method != http.MethodPost {
		return "", nil
	}
	if r.GetBody == nil {
		return "", client.ErrBody
	}
	body, err := r.GetBody()
	var raw []byte
	if err == nil {
		raw, err = io.ReadAll(body)
	}
	m, broken := jsonrpc.DecodeMessage(raw)
	if err != nil || broken != nil {
		return "", client.ErrBody
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		return call.Method, nil
	}
	return "", nil
}

// allow says whether a message may be sent. No other may after a refusal that
// concerns every call, and a tool is called once.
func (w *connection) allow(method string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains([]int{401, 402, 403, 404, 405, 410, 429}, w.last.Status) {
		return client.Refusal{Kind: api.Sentence("the tool entry refused the connection")}
	}
	if method == "tools/call" {
		if w.called {
			return client.Refusal{Kind: api.Sentence("refused to call the tool a second time")}
		}
		w.called = true
		w.left.Store(maxToolAnswers)
	}
	return nil
}

func (w *connection) keepBody(resp *http.Response, t *client.Trip) {
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, client.MaxAnswer+1))
	if len(raw) > client.MaxAnswer {
		raw, err = raw[:client.MaxAnswer], client.ErrTooLarge
	}
	t.Body, t.Err = w.c.Key.Redact(raw), w.c.SafeError(err)
	resp.Body = io.NopCloser(bytes.NewReader(t.Body))
}

func (w *connection) stop() (last client.Trip, broken error, called bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return w.last, w.broken, w.called
}

// toolBody bounds what a connection reads and remembers how reading broke.
type toolBody struct {
	io.ReadCloser
	w *connection
	r *http.Request
}

func (b *toolBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.w.left.Add(int64(-n)) < 0 {
		n, err = 0, client.ErrTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = cmp.Or(context.Cause(b.r.Context()), err)
		b.w.mu.Lock()
		if !b.w.closed && b.w.broken == nil {
			b.w.broken = b.w.c.SafeError(err)
		}
		b.w.mu.Unlock()
	}
	return n, err
}

// open connects to the entry at a path; report, when set, gets the progress of calls
// until the connection is closed.
func (c *Client) open(ctx context.Context, path string, report func(Progress)) (*connection, error) {
	u, err := c.Base.Parse(path)
	if err != nil || u.Host != c.Base.Host || u.RawQuery != "" {
		return nil, client.OwnError(api.ClassInvalid, 0, api.ReasonPath)
	}
	w := &connection{c: c, path: u.EscapedPath(), last: client.Trip{Host: u.Host}}
	w.left.Store(maxToolListing)
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if report != nil {
		o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if p := r.Params; !w.closed && p != nil {
				report(Progress{p.Progress, max(p.Total, 0), api.Clean(c.Key.RedactString(p.Message), 200)})
			}
		}
	}
	hello, cancel := client.WithLimit(ctx, client.Scaled(limitToolHello, c.Scale), api.ReasonNoAnswer)
	defer cancel()
	w.session, err = mcp.NewClient(&mcp.Implementation{Name: "darkroom", Version: "1"}, o).Connect(hello, &mcp.StreamableClientTransport{
		Endpoint: u.String(), DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: maxToolAnswers,
		HTTPClient: &http.Client{
			Transport:     w,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil)
	if err != nil {
		return nil, w.failure(hello, err)
	}
	return w, nil
}

// close ends the session without keeping the caller waiting.
func (w *connection) close() {
	w.stop()
	ctx, cancel := context.WithTimeout(context.Background(), client.Scaled(time.Second, w.c.Scale))
	defer cancel()
	api.Within(ctx, func() { w.session.Close() }) // nothing depends on how the session ends
}

func (w *connection) list(ctx context.Context) (Listing, error) {
	l := Listing{Path: w.path}
	if r := w.session.InitializeResult(); r != nil && r.ServerInfo != nil {
		l.Server = api.Clean(w.c.Key.RedactString(r.ServerInfo.Name+" "+r.ServerInfo.Version), 200)
	}
	for tool, err := range w.session.Tools(ctx, nil) {
		if err != nil {
			return Listing{}, w.failure(ctx, err)
		}
		if len(l.Tools) >= maxTools {
			l.Skipped++
			break
		}
		read, ok := w.c.toolOf(tool)
		if _, twice := l.Find(read.Name); !ok || twice {
			l.Skipped++
			continue
		}
		l.Tools = append(l.Tools, read)
	}
	return l, nil
}

// failure says why there was no answer.
func (w *connection) failure(ctx context.Context, err error) *api.Error {
	last, broken, called := w.stop()
	e := w.reason(ctx, err, last, broken)
	e.Sent = called && !w.provesRefusal(err, e, last)
	return e
}

// provesRefusal reports whether the outcome of a call that was sent proves that the
// tool did not run. It is the outcome table of creates; an error of JSON-RPC
// stands for a refusal inside a 2xx.
func (w *connection) provesRefusal(err error, e *api.Error, last client.Trip) bool {
	if last.Status < 200 || last.Status > 299 {
		phase := client.Classify(last, api.KindImage).Phase
		return phase == api.PhaseRejected || phase == api.PhaseNotSent
	}
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || wire.Code == codeRejected || e.Class == api.ClassNetwork {
		return false
	}
	if wireClass(wire.Code) != api.ClassServer {
		return true
	}
	// Every other code is the tool's or the server's own, as a 5xx is. Only words
	// that say why nothing is generated prove more.
	said, _ := json.Marshal(map[string]any{"error": map[string]string{"message": wire.Message}})
	proofs := []api.ErrorClass{api.ClassCredits, api.ClassCalls, api.ClassRate, api.ClassKey, api.ClassModeration}
	return slices.Contains(proofs, read.Error(last.Status, nil, said).Class)
}

// codeRejected is the library's own code for a message that never reached a server.
const codeRejected = -32005

func (w *connection) reason(ctx context.Context, err error, last client.Trip, broken error) *api.Error {
	if last.Status >= 300 || last.Status == 0 && last.Err != nil {
		if e, ok := errors.AsType[*api.Error](client.ReadFailure(last)); ok {
			return e
		}
	}
	if broken = cmp.Or(broken, context.Cause(ctx)); broken != nil {
		last.Err = broken
		return client.NetworkError(last)
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok && wire.Code != codeRejected {
		return &api.Error{Class: wireClass(wire.Code), Code: api.Clean(fmt.Sprint(wire.Code), 20),
			Text: api.Clean(w.c.Key.RedactString(wire.Message), api.MaxErrorText)}
	}
	if last.Status == http.StatusOK && strings.HasPrefix(last.Header.Get("Content-Type"), "text/event-stream") {
		return &api.Error{Class: api.ClassNetwork,
			Reason: api.Sentence("the service at %v ended the connection before the response was complete").Reason(last.Host)}
	}
	return client.Unreadable(last, api.Sentence("it is not a response of the tool protocol").Reason())
}

func wireClass(code int64) api.ErrorClass {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return api.ClassNotFound
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return api.ClassInvalid
	}
	return api.ClassServer
}
