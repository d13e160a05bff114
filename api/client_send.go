package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// Trip is all that is known about one round trip: what Classify judges.
type Trip struct {
	// Connected says that a connection was had, or that it cannot be told.
	// Only a trip without it, and without a status, proves that nothing left.
	Connected bool
	Host      string
	Status    int // 0: no answer
	Header    http.Header
	Body      []byte // as received but for the key; what came of it when Err is set
	// Err is the transport's error: without a Status of the call, with one of
	// reading the body (cut short, too large).
	Err error
	// Streamed says that the body was media and was handed on; StreamErr is
	// the receiver's error.
	Streamed  bool
	StreamErr error
	// spill has the files of large media that were in the body; media is the
	// file of a body that is itself one.
	spill *spill
	media *Result
}

// errTooLarge is the Err of a trip whose body went over its cap.
var errTooLarge = errors.New("the answer is larger than darkroom reads")

// call is one request to be sent.
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
	// spills lets large media in the answer become files; bodyCap, when set,
	// is how large a body may be that is itself one.
	spills  bool
	bodyCap int64
}

// watch follows one request through httptrace. Its hooks may run in the
// transport's goroutines, even after the call is over.
type watch struct {
	asked, got atomic.Bool
	onGot      func()
}

func (w *watch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { w.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) {
			if !w.got.Swap(true) && w.onGot != nil {
				w.onGot()
			}
		},
	}
}

// send makes exactly one round trip. It does not retry; whether the transport
// may is decided by the request it is given (see request).
func (c *Client) send(ctx context.Context, k call) (t Trip) {
	began := c.now()
	defer func() { c.logCall(k.method, k.path, t, began) }()
	t.Host = c.base.Host
	if ctx.Err() != nil {
		t.Err = context.Cause(ctx)
		return t
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	whole := scaled(k.whole, c.scale)
	wholeTimer := time.AfterFunc(whole, func() { stop(&limitError{"no complete answer", whole}) })
	defer wholeTimer.Stop()
	headers := scaled(k.headers, c.scale)
	headTimer := time.AfterFunc(time.Hour, func() { stop(&limitError{"no answer", headers}) })
	headTimer.Stop()
	defer headTimer.Stop()

	w := &watch{onGot: func() {
		if k.headers > 0 {
			headTimer.Reset(headers)
		}
	}}
	req, err := c.request(httptrace.WithClientTrace(ctx, w.trace()), k)
	if err != nil {
		t.Err = err
		return t
	}
	way := c.reads
	if k.create {
		way = c.creates
	}
	resp, err := way.RoundTrip(req)
	headTimer.Stop()
	if err != nil {
		var refused refusal
		silent := !c.traced && !w.asked.Load() && !errors.As(err, &refused)
		t.Connected = w.got.Load() || silent
		t.Err = c.safeError(causeOr(ctx, err))
		return t
	}
	t.Connected, t.Status = true, resp.StatusCode
	t.Header = c.redactHeader(resp.Header)
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
	req.Header.Set("User-Agent", c.agent)
	return req, nil
}

// receive reads the body of an answer up to the call's cap, or hands a media
// body on as it streams: that one is under the receiver's caps and has a limit
// between two reads instead of one for the whole.
func (c *Client) receive(ctx context.Context, k call, resp *http.Response, t *Trip, whole *time.Timer, stop context.CancelCauseFunc) {
	defer resp.Body.Close()
	from := &bodyReader{ctx: ctx, from: resp.Body}
	body := bufio.NewReaderSize(from, 4096)
	// Media come in their own time: no limit for the whole, one between reads.
	unhurried := func() {
		whole.Stop()
		from.idle = scaled(limitIdle, c.scale)
		from.timer = time.AfterFunc(from.idle, func() { stop(&limitError{"no further byte of the result", from.idle}) })
	}
	defer from.quiet()
	if t.Status >= 200 && t.Status < 300 && (k.media != nil || k.bodyCap > 0 && c.spill != nil) {
		head, _ := body.Peek(512)
		mediaType := mediaBody(t.Header.Get("Content-Type"), head)
		switch {
		case mediaType != "" && k.media != nil:
			unhurried()
			c.handOn(k, mediaType, resp.ContentLength, from, body, t)
			return
		case mediaType != "" && typeKind(sniff(head)) != "": // a poll's: by its bytes alone
			unhurried()
			t.media, t.Err = c.keepBody(mediaType, k.bodyCap, resp.ContentLength, body)
			return
		}
	}
	var b []byte
	var err error
	if k.spills && c.spill != nil && t.Status >= 200 && t.Status < 300 {
		t.spill = newSpill(c.spill, unhurried)
		b, err = t.spill.carve(body, k.cap)
	} else {
		b, err = io.ReadAll(io.LimitReader(body, k.cap+1))
		if int64(len(b)) > k.cap {
			b, err = b[:k.cap], errTooLarge
		}
	}
	t.Body = c.key.Redact(b)
	t.Err = c.safeError(err)
}

// handOn gives a media body to the call's receiver.
func (c *Client) handOn(k call, mediaType string, length int64, from *bodyReader, body *bufio.Reader, t *Trip) {
	t.Streamed = true
	err := k.media(mediaType, length, body)
	if err == nil && from.err == nil {
		if _, more := body.ReadByte(); more == nil {
			err = errNotTaken
		}
	}
	if !errors.Is(from.err, io.EOF) {
		t.Err = c.safeError(from.err)
	}
	t.StreamErr = c.safeError(err)
}

// keepBody writes a media body into a file.
func (c *Client) keepBody(mediaType string, limit, length int64, body io.Reader) (*Result, error) {
	if length > limit {
		return nil, errTooLarge
	}
	file, err := c.spill()
	if err != nil {
		return nil, errNoFile
	}
	n, err := io.Copy(file, io.LimitReader(body, limit+1))
	if err = c.safeError(err); n > limit {
		err = errTooLarge
	}
	if closing := file.Close(); closing != nil && err == nil {
		err = errNoFile
	}
	if err != nil {
		os.Remove(file.Name())
		return nil, err
	}
	return &Result{File: file.Name(), MediaType: mediaType, Kind: typeKind(mediaType), Path: "(body)"}, nil
}

// errNoFile is the Err of a media body that the disk did not take.
var errNoFile = errors.New("the result could not be written to the disk")

// errNotTaken is the StreamErr of a receiver that stopped before the end.
var errNotTaken = errors.New("the result was not read to its end")

// bodyReader reads a body, remembers how it ended and winds an idle timer.
type bodyReader struct {
	ctx   context.Context
	from  io.Reader
	err   error // sticky; io.EOF after a complete body
	timer *time.Timer
	idle  time.Duration
}

// quiet stops the idle timer, if there is one.
func (b *bodyReader) quiet() {
	if b.timer != nil {
		b.timer.Stop()
	}
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOr(b.ctx, err)
	}
	b.err = err
	if b.timer != nil && n > 0 {
		b.timer.Reset(b.idle)
	}
	return n, err
}

// causeOr gives the reason why the context ended, which says more than the
// transport's "context canceled", or else err.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// mediaBody gives the media type of a body that is itself an image or a video,
// by its header or its first bytes, and "" for any other.
func mediaBody(contentType string, head []byte) string {
	if len(head) == 0 {
		return ""
	}
	told, _, err := mime.ParseMediaType(contentType)
	if err == nil && visual(told) {
		return told
	}
	if seen := http.DetectContentType(head); visual(seen) {
		return seen
	}
	return ""
}

func visual(mediaType string) bool {
	return strings.HasPrefix(mediaType, "image/") || strings.HasPrefix(mediaType, "video/")
}
