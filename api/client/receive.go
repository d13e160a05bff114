package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"darkroom/api"
	"darkroom/api/read"
)

// receive reads the body of an answer, or hands a media body on as it streams.
func (c *Client) receive(ctx context.Context, k call, resp *http.Response, t *Trip, whole *limit, stop context.CancelCauseFunc) {
	defer resp.Body.Close()
	from := &bodyReader{ctx: ctx, from: resp.Body}
	body := bufio.NewReaderSize(from, extractFrom)
	// Media may take longer than other answers, as long as they come at the
	// minimum rate, up to another limit for the whole.
	most := newLimit(Scaled(max(limitMedia, k.whole), c.Scale), api.ReasonIncomplete, stop)
	idle := newLimit(Scaled(limitIdle, c.Scale), api.Sentence("no further byte of the result"), stop)
	defer most.Stop()
	defer idle.Stop()
	unhurried := func() {
		if from.idle == nil {
			whole.Stop()
			most.Reset()
			idle.Reset()
			from.idle, from.left = idle, minMedia
		}
	}
	if !t.accepted() {
		k.media, k.newFile = nil, nil
	}
	if k.media != nil {
		head, _ := body.Peek(512)
		mediaType := mediaBody(t.Header.Get("Content-Type"), head)
		if mediaType != "" && (k.create || read.Sniff(head) != "") { // a poll's: by its bytes alone
			unhurried()
			t.Streamed = true
			err := k.media(mediaType, resp.ContentLength, body)
			if err == nil && from.err == nil {
				if _, more := body.ReadByte(); more == nil {
					err = api.Sentence("the result was not read to its end").Fault(nil)
				}
			}
			if !errors.Is(from.err, io.EOF) {
				t.Err = c.SafeError(from.err)
			}
			t.StreamErr = c.SafeError(err)
			return
		}
	}
	t.extractor = newExtractor(k.newFile, unhurried)
	b, err := t.extractor.extract(body, k.cap)
	t.Body, t.Err = c.Key.Redact(b), c.SafeError(err)
}

// keepBody writes a media body of at most limit bytes into a file, also in part.
func (c *Client) keepBody(limit, length int64, body io.Reader) (path string, err error) {
	if length > limit {
		return "", ErrTooLarge
	}
	file, err := c.NewFile()
	if err != nil {
		return "", errNoFile
	}
	n, err := io.Copy(file, io.LimitReader(body, limit+1))
	if closing := file.Close(); closing != nil && err == nil {
		err = errNoFile
	}
	if n > limit {
		err = ErrTooLarge
	}
	return file.Name(), err
}

var errNoFile = api.Sentence("the result could not be written to the disk").Fault(nil)

// bodyReader reads a body, remembers how it ended and resets an idle limit, if
// there is one, each time that minMedia bytes have come.
type bodyReader struct {
	ctx  context.Context
	from io.Reader
	err  error // sticky; io.EOF after a complete body
	idle *limit
	left int // bytes that have to come before the limit runs out
}

// Read reads from the body.
func (b *bodyReader) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = CauseOr(b.ctx, err)
	}
	b.err = err
	if b.left -= n; b.idle != nil && b.left <= 0 {
		b.left = minMedia
		b.idle.Reset()
	}
	return n, err
}

// CauseOr gives the reason why the context ended, or else err.
func CauseOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// mediaBody gives the type of a body that is itself media, else "". JSON and pages
// are not, whatever the header says: an id may be in them.
func mediaBody(contentType string, head []byte) string {
	if len(head) == 0 {
		return ""
	}
	declared, _, err := mime.ParseMediaType(contentType)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	marks := `<{["`
	if declared == "image/svg+xml" {
		marks = `{["`
	}
	if err == nil && read.TypeKind(declared) != "" && bytes.IndexAny(text, marks) != 0 {
		return declared
	}
	return read.Sniff(head)
}
