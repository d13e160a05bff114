package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"darkroom/api"
)

// Trip is all that is known about one round trip: what Classify judges.
type Trip struct {
	// Connected says that there was a connection, or that this is not known.
	// Only a trip without it, and without a status, proves that nothing left.
	Connected bool
	Host      string
	Status    int // 0: no answer
	Header    http.Header
	Body      []byte // as received but for the key; if Err is set, the part that came
	// Err is the transport's error: of the call if there is no Status, else of
	// reading the body (cut short, too large).
	Err error
	// Streamed says that the body was media and was handed on; StreamErr is
	// the receiver's error.
	Streamed  bool
	StreamErr error
	// extractor has the files of large media that were in the body; media is the
	// file of a body that is itself one.
	extractor *extractor
	media     *api.Result
}

// ErrTooLarge is the Err of a trip whose body went over its cap.
var ErrTooLarge = api.Sentence("the answer is larger than darkroom reads").Fault(nil)

type call struct {
	method  string
	path    string // escaped
	query   url.Values
	body    []byte // JSON; nil for none
	cap     int64
	headers time.Duration // limit up to the answer's headers, from the connection on; 0 for none
	whole   time.Duration
	create  bool
	media   func(mediaType string, length int64, body io.Reader) error
	last    func() error // called right before the request is sent; an error keeps it from that
	// extracts lets large media in the answer become files; bodyCap, when set,
	// bounds a body that is itself media.
	extracts bool
	bodyCap  int64
}

// ConnWatch follows one request through httptrace. Its hooks may run in the
// transport's goroutines, even after the call is over.
type ConnWatch struct {
	Asked, Got atomic.Bool
	onGot      func()
}

func (w *ConnWatch) Trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { w.Asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) {
			if !w.Got.Swap(true) && w.onGot != nil {
				w.onGot()
			}
		},
	}
}

// send makes exactly one round trip. It does not retry; whether the transport
// may is decided by the request it is given (see request).
func (c *Client) send(ctx context.Context, k call) (t Trip) {
	began := c.Now()
	defer func() { c.LogCall(k.method, k.path, t, began) }()
	t.Host = c.Base.Host
	if ctx.Err() != nil {
		t.Err = context.Cause(ctx)
		return t
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	whole := Scaled(k.whole, c.Scale)
	wholeTimer := newLimit(whole, func() { stop(&LimitError{api.ReasonIncomplete, whole}) })
	defer wholeTimer.Stop()
	headers := Scaled(k.headers, c.Scale)
	headTimer := newLimit(0, func() { stop(&LimitError{api.ReasonNoAnswer, headers}) })
	defer headTimer.Stop()

	w := &ConnWatch{onGot: func() {
		if k.headers > 0 {
			headTimer.Reset(headers)
		}
	}}
	req, err := c.request(httptrace.WithClientTrace(ctx, w.Trace()), k)
	if err != nil {
		t.Err = err
		return t
	}
	way := c.Reads
	if k.create {
		way = c.Creates
	}
	if k.last != nil {
		if t.Err = k.last(); t.Err != nil {
			return t
		}
	}
	resp, err := way.RoundTrip(req)
	headTimer.Stop()
	if err != nil {
		var refused Refusal
		silent := !c.Traced && !w.Asked.Load() && !errors.As(err, &refused)
		t.Connected = w.Got.Load() || silent
		t.Err = c.SafeError(CauseOr(ctx, err))
		return t
	}
	t.Connected, t.Status = true, resp.StatusCode
	t.Header = c.RedactHeader(resp.Header)
	c.receive(ctx, k, resp, &t, wholeTimer, stop)
	return t
}

// request makes the request of a call. A create can be sent once only: without
// GetBody net/http cannot send it again on a dead connection, an HTTP/2
// RST_STREAM or a GOAWAY, and there is no Idempotency-Key that would make it
// believe that it may.
func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	u, err := c.address(k.path, k.query)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if k.body != nil {
		body = bytes.NewReader(k.body)
	}
	req, err := http.NewRequestWithContext(ctx, k.method, u.String(), body)
	if err != nil {
		return nil, errPath
	}
	if k.body != nil {
		req.ContentLength = int64(len(k.body))
		req.Header.Set("Content-Type", "application/json")
	}
	if k.create {
		req.GetBody = nil
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.Agent)
	return req, nil
}
