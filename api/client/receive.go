package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// receive reads the body of an answer up to the call's cap, or hands a media
// body on as it streams. A media body is under the receiver's caps and has a limit
// between two reads instead of a limit for the whole.
func (c *Client) receive(ctx context.Context, k call, resp *http.Response, t *Trip, whole *limit, stop context.CancelCauseFunc) {
	defer resp.Body.Close()
	extracts := k.extracts && c.newFile != nil && t.Status >= 200 && t.Status < 300
	size := 4096
	if extracts {
		size = extractFrom
	}
	from := &bodyReader{ctx: ctx, from: resp.Body}
	body := bufio.NewReaderSize(from, size)
	// Media may take longer than other answers, as long as they come at the
	// minimum rate, up to another limit for the whole.
	unhurried := func() {
		whole.Stop()
		most := Scaled(max(limitMedia, k.whole), c.Scale)
		from.whole = newLimit(most, func() { stop(&LimitError{api.ReasonIncomplete, most}) })
		from.idle, from.left = Scaled(limitIdle, c.Scale), minMedia
		from.timer = newLimit(from.idle, func() { stop(&LimitError{api.ReasonNoByte, from.idle}) })
	}
	defer from.quiet()
	if t.Status >= 200 && t.Status < 300 && (k.media != nil || k.bodyCap > 0 && c.newFile != nil) {
		head, _ := body.Peek(512)
		mediaType := mediaBody(t.Header.Get("Content-Type"), head)
		switch {
		case mediaType != "" && k.media != nil:
			unhurried()
			c.handOn(k, mediaType, resp.ContentLength, from, body, t)
			return
		case mediaType != "" && read.Sniff(head) != "": // a poll's: by its bytes alone
			unhurried()
			t.media, t.Err = c.keepBody(mediaType, k.bodyCap, resp.ContentLength, body)
			return
		}
	}
	var b []byte
	var err error
	if extracts {
		t.extractor = newExtractor(c.newFile, unhurried)
		b, err = t.extractor.extract(body, k.cap)
	} else {
		b, err = io.ReadAll(io.LimitReader(body, k.cap+1))
		if int64(len(b)) > k.cap {
			b, err = b[:k.cap], ErrTooLarge
		}
	}
	t.Body = c.Key.Redact(b)
	t.Err = c.SafeError(err)
}

func (c *Client) handOn(k call, mediaType string, length int64, from *bodyReader, body *bufio.Reader, t *Trip) {
	t.Streamed = true
	err := k.media(mediaType, length, body)
	if err == nil && from.err == nil {
		if _, more := body.ReadByte(); more == nil {
			err = errNotTaken
		}
	}
	if !errors.Is(from.err, io.EOF) {
		t.Err = c.SafeError(from.err)
	}
	t.StreamErr = c.SafeError(err)
}

// keepBody writes a media body into a file.
func (c *Client) keepBody(mediaType string, limit, length int64, body io.Reader) (*api.Result, error) {
	if length > limit {
		return nil, ErrTooLarge
	}
	file, err := c.newFile()
	if err != nil {
		return nil, errNoFile
	}
	n, err := io.Copy(file, io.LimitReader(body, limit+1))
	if err = c.SafeError(err); n > limit {
		err = ErrTooLarge
	}
	if closing := file.Close(); closing != nil && err == nil {
		err = errNoFile
	}
	if err != nil {
		os.Remove(file.Name())
		return nil, err
	}
	return &api.Result{File: file.Name(), MediaType: mediaType, Kind: read.TypeKind(mediaType), Path: "(body)"}, nil
}

// errNoFile is the Err of a media body that the disk did not take.
var errNoFile = api.Sentence("the result could not be written to the disk").Fault(nil)

// errNotTaken is the StreamErr of a receiver that stopped before the end.
var errNotTaken = api.Sentence("the result was not read to its end").Fault(nil)

// bodyReader reads a body, remembers how it ended and resets an idle timer each
// time that minMedia bytes have come.
type bodyReader struct {
	ctx   context.Context
	from  io.Reader
	err   error // sticky; io.EOF after a complete body
	whole *limit
	timer *limit
	idle  time.Duration
	left  int // bytes that have to come before the timer runs out
}

// quiet stops the timers, if there are any.
func (b *bodyReader) quiet() {
	if b.timer != nil {
		b.timer.Stop()
		b.whole.Stop()
	}
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = CauseOr(b.ctx, err)
	}
	b.err = err
	if b.timer != nil {
		if b.left -= n; b.left <= 0 {
			b.left = minMedia
			b.timer.Reset(b.idle)
		}
	}
	return n, err
}

// CauseOr gives the reason why the context ended, which says more than the
// transport's "context canceled", or else err.
func CauseOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// mediaBody gives the media type of a body that is itself an image or a video,
// by its header or its first bytes, and "" for any other. JSON and pages are
// not media whatever the header says: an id may be in them.
func mediaBody(contentType string, head []byte) string {
	if len(head) == 0 {
		return ""
	}
	declared, _, err := mime.ParseMediaType(contentType)
	if err == nil && read.TypeKind(declared) != "" && !isText(declared, head) {
		return declared
	}
	return read.Sniff(head)
}

// isText reports whether a body begins like JSON, or like a page that is not an SVG
// drawing.
func isText(declared string, head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && (bytes.IndexByte([]byte(`{["`), head[0]) >= 0 || head[0] == '<' && !strings.Contains(declared, "svg"))
}
