package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"darkroom/api"
)

// Trip is all that is known about one round trip: what Classify judges.
type Trip struct {
	// Connected says that there was a connection, or that this is not known. A
	// trip without it and without a status proves that nothing left.
	Connected bool
	Host      string
	Status    int // 0: no answer
	Header    http.Header
	Body      []byte // as received but for the key; if Err is set, the part that came
	Err       error  // of the transport, with a Status that of reading the body
	Streamed  bool   // the body was media and was handed on
	StreamErr error
	extractor *extractor // the files of large media that were in the body
}

// accepted reports a status that says that the call was taken.
func (t Trip) accepted() bool { return t.Status >= 200 && t.Status <= 299 }

// ErrTooLarge is the Err of a trip whose body went over its cap.
var ErrTooLarge = api.Sentence("the response is larger than darkroom reads").Fault(nil)

type call struct {
	method  string
	path    string // escaped
	query   url.Values
	body    []byte // JSON; nil for none
	cap     int64
	whole   time.Duration
	create  bool
	media   func(mediaType string, length int64, body io.Reader) error // takes a body that is itself media
	last    func() error                                               // called right before the request is sent; an error keeps it from that
	newFile func() (*os.File, error)                                   // when set, large media in the answer become files
}

// ConnWatch follows one request through httptrace, even after the call is over.
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

// send makes exactly one round trip.
func (c *Client) send(ctx context.Context, k call) (t Trip) {
	began := time.Now()
	defer func() { c.LogCall(k.method, k.path, t, began) }()
	t.Host = c.Base.Host
	if ctx.Err() != nil {
		t.Err = context.Cause(ctx)
		return t
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	whole := newLimit(Scaled(k.whole, c.Scale), api.ReasonIncomplete, stop)
	whole.Reset()
	defer whole.Stop()
	head := newLimit(Scaled(limitHeaders, c.Scale), api.ReasonNoAnswer, stop)
	defer head.Stop()
	w := &ConnWatch{}
	if k.whole != limitSync {
		w.onGot = head.Reset
	}
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
	head.Stop()
	if err != nil {
		var refused Refusal
		silent := !c.Traced && !w.Asked.Load() && !errors.As(err, &refused)
		t.Connected = w.Got.Load() || silent
		t.Err = c.SafeError(CauseOr(ctx, err))
		return t
	}
	t.Connected, t.Status = true, resp.StatusCode
	t.Header = c.RedactHeader(resp.Header)
	c.receive(ctx, k, resp, &t, whole, stop)
	return t
}

// request makes the request of a call. A create can be sent once only: without
// GetBody and Idempotency-Key net/http does not send it again on a dead
// connection, an HTTP/2 RST_STREAM or a GOAWAY.
func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	u, err := c.address(k.path, k.query)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, k.method, u.String(), bytes.NewReader(k.body))
	if err != nil {
		return nil, errPath
	}
	if k.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if k.create {
		req.GetBody = nil
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.UserAgent)
	return req, nil
}
