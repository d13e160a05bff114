package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync"
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
		t.Err = c.SafeError(cmp.Or(context.Cause(ctx), err)) // the reason why the context ended goes first
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

// limit ends a call that takes too long, with a LimitError. A process that was
// stopped (Ctrl-Z) finds its limits over although the answer may have come; so one
// that is over grants a last moment, and another if it was stopped during that.
type limit struct {
	LimitError
	end func(error)

	mu    sync.Mutex
	timer *time.Timer
	due   time.Time
	last  bool // the last moment runs
	over  bool // stopped, or ended
}

const lastMoment = 100 * time.Millisecond

// newLimit makes a limit that begins with Reset.
func newLimit(d time.Duration, what api.Sentence, end func(error)) *limit {
	l := &limit{LimitError: LimitError{what, d}, end: end, over: true}
	l.timer = time.AfterFunc(time.Hour, l.expired)
	l.timer.Stop()
	return l
}

// Reset begins the limit again.
func (l *limit) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over, l.last = false, false
	l.wind(l.limit)
}

// Stop keeps the limit from ending the call.
func (l *limit) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.timer.Stop()
}

func (l *limit) wind(d time.Duration) {
	l.due = time.Now().Add(d)
	l.timer.Reset(d)
}

func (l *limit) expired() {
	l.mu.Lock()
	defer l.mu.Unlock()
	late := time.Since(l.due)
	switch {
	case l.over, late < 0: // stopped or reset meanwhile
	case !l.last || late > lastMoment:
		l.last = true
		l.wind(lastMoment)
	default:
		l.over = true
		l.end(&l.LimitError)
	}
}

// WithLimit gives a context that ends with a LimitError when d is over.
func WithLimit(ctx context.Context, d time.Duration, what api.Sentence) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := newLimit(d, what, cancel)
	l.Reset()
	return ctx, func() { l.Stop(); cancel(nil) }
}

// Scaled multiplies a limit, to at least 1 ms.
func Scaled(d time.Duration, scale float64) time.Duration {
	if scale <= 0 {
		return d
	}
	return max(time.Duration(float64(d)*scale), time.Millisecond)
}

// LimitError says which limit of a call ran out.
type LimitError struct {
	what  api.Sentence // what did not happen
	limit time.Duration
}

func (e *LimitError) Error() string {
	return api.Sentence("%v within %v").Reason(e.what.Reason(), e.limit).String()
}
