package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"darkroom/api"
	"darkroom/api/client"
)

// guardedWay carries one connection of the tool protocol: it adds the key by the
// same guard as every call, keeps what the protocol's library loses (status,
// headers, body, the transport's error), bounds the answer, and lets a tool
// be called once only.
type guardedWay struct {
	c    *Client
	left atomic.Int64 // bytes that may still be read

	mu     sync.Mutex
	last   client.Trip // of the last POST that carried a request
	broken error
	called bool // the one tools/call was sent
	closed bool // the connection's work is done; what follows is not recorded
}

func newGuardedWay(c *Client) *guardedWay {
	w := &guardedWay{c: c}
	w.left.Store(maxToolListing)
	return w
}

var (
	errCalledTwice = client.Refusal{Kind: api.Sentence("refused to call the tool a second time")}
	errToolRest    = client.Refusal{Kind: api.Sentence("the tool entry refused the connection")}
)

// RoundTrip sends one message of the protocol.
func (w *guardedWay) RoundTrip(r *http.Request) (*http.Response, error) {
	method := ""
	if r.Method == http.MethodPost {
		var err error
		if method, err = rpcMethod(r); err != nil {
			return nil, err
		}
	}
	if err := w.allow(r, method); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	way := w.c.Reads
	watched := &client.ConnWatch{}
	out := r.Clone(httptrace.WithClientTrace(r.Context(), watched.Trace()))
	out.Header.Set("User-Agent", w.c.Agent)
	out.GetBody = nil // net/http must not send it again by itself
	if method == "tools/call" {
		way = w.c.Creates
	}
	began := w.c.Now()
	resp, err := way.RoundTrip(out)
	t := client.Trip{Host: w.c.Base.Host, Connected: watched.Got.Load() || !w.c.Traced && !watched.Asked.Load()}
	if err != nil {
		t.Err = w.c.SafeError(client.CauseOr(r.Context(), err))
		w.note(method, t, err)
		w.c.LogCall(r.Method, r.URL.EscapedPath(), t, began)
		return nil, t.Err
	}
	t.Connected, t.Status, t.Header = true, resp.StatusCode, w.c.RedactHeader(resp.Header)
	kind, _, notOne := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if t.Status < 200 || t.Status > 299 ||
		t.Status == http.StatusOK && (notOne != nil || kind != "application/json" && kind != "text/event-stream") {
		w.keepBody(resp, &t)
	} else {
		resp.Body = &toolBody{w: w, ctx: r, from: resp.Body}
	}
	w.note(method, t, nil)
	w.c.LogCall(r.Method, r.URL.EscapedPath(), t, began)
	return resp, nil
}

// rpcMethod reads which method a message calls; "" for an answer or notice.
func rpcMethod(r *http.Request) (string, error) {
	if r.GetBody == nil {
		return "", client.ErrBody
	}
	body, err := r.GetBody()
	if err != nil {
		return "", client.ErrBody
	}
	defer body.Close()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if b, err := io.ReadAll(body); err != nil || json.Unmarshal(b, &m) != nil {
		return "", client.ErrBody
	}
	if len(m.ID) == 0 {
		return "", nil
	}
	return m.Method, nil
}

// allow says whether a message may be sent. No other may after a refusal that
// concerns every call, and a tool is called once.
func (w *guardedWay) allow(r *http.Request, method string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Method == http.MethodDelete {
		return nil
	}
	if w.last.Status != 0 && slices.Contains([]int{401, 402, 403, 404, 405, 410, 429}, w.last.Status) {
		return errToolRest
	}
	if method == "tools/call" {
		if w.called {
			return errCalledTwice
		}
		w.called = true
		w.left.Store(maxToolAnswers)
	}
	return nil
}

func (w *guardedWay) note(method string, t client.Trip, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || method == "" || errors.Is(err, errToolRest) {
		return
	}
	w.last, w.broken = t, nil
}

func (w *guardedWay) keepBody(resp *http.Response, t *client.Trip) {
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err := b.ReadFrom(io.LimitReader(resp.Body, client.MaxAnswer+1))
	if b.Len() > client.MaxAnswer {
		b.Truncate(client.MaxAnswer)
		err = client.ErrTooLarge
	}
	t.Body, t.Err = w.c.Key.Redact(b.Bytes()), w.c.SafeError(err)
	resp.Body = io.NopCloser(bytes.NewReader(t.Body))
}

// stop ends the record and gives it.
func (w *guardedWay) stop() (last client.Trip, broken error, called bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	return w.last, w.broken, w.called
}

// toolBody bounds what a connection reads and remembers how reading broke.
type toolBody struct {
	w    *guardedWay
	ctx  *http.Request
	from io.ReadCloser
}

func (b *toolBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.w.left.Add(int64(-n)) < 0 {
		n, err = 0, client.ErrTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = client.CauseOr(b.ctx.Context(), err)
		b.w.mu.Lock()
		if !b.w.closed && b.w.broken == nil {
			b.w.broken = b.w.c.SafeError(err)
		}
		b.w.mu.Unlock()
	}
	return n, err
}

func (b *toolBody) Close() error { return b.from.Close() }

// connection is one open connection to the entry.
type connection struct {
	c       *Client
	path    string
	way     *guardedWay
	session *mcp.ClientSession
}

func (c *Client) openTools(ctx context.Context, path string, relay *progressRelay) (*connection, error) {
	u, err := c.Base.Parse(path)
	if err != nil || u.Host != c.Base.Host || u.RawQuery != "" {
		return nil, client.OwnError(api.ClassInvalid, 0, api.ReasonPath)
	}
	t := &connection{c: c, path: u.EscapedPath(), way: newGuardedWay(c)}
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if relay != nil {
		o.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { relay.received(c, r.Params) }
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

// close ends the session without keeping the caller waiting: the answer is there
// already.
func (t *connection) close() {
	_, _, _ = t.way.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // nothing depends on how the session ends
		_ = t.session.Close()
	}()
	select {
	case <-done:
	case <-time.After(client.Scaled(time.Second, t.c.Scale)):
	}
}

func (t *connection) list(ctx context.Context) (Listing, error) {
	l := Listing{Path: t.path}
	if r := t.session.InitializeResult(); r != nil {
		if r.ServerInfo != nil {
			l.Server = api.Clean(t.c.Key.RedactString(r.ServerInfo.Name+" "+r.ServerInfo.Version), 200)
		}
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
