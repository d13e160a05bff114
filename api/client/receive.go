package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/api/read"
)

// receive reads the body of an answer, or hands a media body on as it streams.
func (c *Client) receive(ctx context.Context, k call, resp *http.Response, t *Trip, whole *limit, stop context.CancelCauseFunc) {
	defer resp.Body.Close()
	from := &bodyReader{ctx: ctx, from: resp.Body}
	body := bufio.NewReaderSize(from, int(min(uint64(resp.ContentLength), extractFrom))) // -1 is an unknown length
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
		k.Media, k.newFile = nil, nil
	}
	if k.Media != nil {
		head, _ := body.Peek(512)
		mediaType := mediaBody(t.Header.Get("Content-Type"), head)
		if mediaType != "" && (k.create || read.Sniff(head) != "") { // a poll's: by its bytes alone
			unhurried()
			t.Streamed = true
			err := k.Media(mediaType, resp.ContentLength, body)
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

// keepBody writes a media body of at most limit bytes into a file; see fill.
func (c *Client) keepBody(limit, length int64, body io.Reader) (path string, lost api.Reason, err error) {
	most := &io.LimitedReader{R: body, N: limit + 1}
	if length <= limit {
		path, lost, err = fill(c.NewFile, most)
	}
	if length > limit || most.N == 0 {
		err = ErrTooLarge
	}
	return path, lost, err
}

// fill writes media into a new file, also in part; lost says what the disk refused.
func fill(newFile func() (*os.File, error), media io.Reader) (path string, lost api.Reason, err error) {
	file, err := newFile()
	if err == nil {
		_, err = io.Copy(file, media)
		path, err = file.Name(), cmp.Or(err, file.Close())
	}
	if errors.As(err, new(*fs.PathError)) {
		lost = whyNoFile.Reason(api.WithoutPath(err))
	}
	return path, lost, err
}

const whyNoFile = api.Sentence("the file could not be written: %v")

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
		err = cmp.Or(context.Cause(b.ctx), err)
	}
	b.err = err
	if b.left -= n; b.idle != nil && b.left <= 0 {
		b.left = minMedia
		b.idle.Reset()
	}
	return n, err
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

// Sizes of media inside answers, in bytes. A string that is longer than extractFrom
// and begins like a media file becomes a file as it streams.
const (
	extractFrom  = 64 << 10
	maxExtracted = 256 << 20 // of all media in one answer
	mediaHead    = 512       // bytes by which a string is recognized as media
)

// extractor writes large media of one answer into files. A data: URI that holds
// its token and the number of the file stands in their place.
type extractor struct {
	newFile func() (*os.File, error) // nil leaves everything in its place
	begin   func()                   // called when a medium begins
	token   []byte
	files   []string     // "" for one that could not be kept
	lost    []api.Reason // why the disk refused each
	left    int64        // characters of base64 that may still come
}

func newExtractor(newFile func() (*os.File, error), begin func()) *extractor {
	return &extractor{newFile: newFile, begin: begin, token: []byte(rand.Text()), left: maxExtracted / 3 * 4}
}

// extract copies JSON, up to limit bytes, with stubs for large media. It knows
// strings and nothing else of JSON, so it hands on whatever it is given. It
// looks no further than the buffer of from, which holds extractFrom bytes.
func (s *extractor) extract(from *bufio.Reader, limit int64) ([]byte, error) {
	var out bytes.Buffer
	for quoted, start := false, 0; ; {
		if quoted && out.Len() == start && s.newFile != nil {
			if mediaType := largeMedia(from); mediaType != "" {
				err := s.keep(from)
				stub := strconv.AppendInt(slices.Clip(s.token), int64(len(s.files)-1), 10)
				fmt.Fprintf(&out, `data:%s;base64,%s"`, mediaType, base64.StdEncoding.EncodeToString(stub))
				if quoted = false; err != nil {
					return out.Bytes(), err
				}
			}
		}
		text, err := from.ReadSlice('"')
		if room := max(0, limit-int64(out.Len())); int64(len(text)) > room {
			out.Write(text[:room])
			return out.Bytes(), ErrTooLarge
		}
		out.Write(text)
		before := bytes.TrimSuffix(out.Bytes()[start:], []byte(`"`))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return out.Bytes(), nil
		case err != nil:
			return out.Bytes(), err
		case !quoted || (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 0: // backslashes escape each other
			quoted, start = !quoted, out.Len()
		}
	}
}

// largeMedia gives the type of large media in base64 that begin here, else "". It
// reads past the head of a data: URI.
func largeMedia(from *bufio.Reader) string {
	head, err := from.Peek(mediaHead)
	if err != nil || bytes.IndexByte(head, '"') >= 0 {
		return ""
	}
	prefix := 0
	if bytes.EqualFold(head[:5], []byte("data:")) {
		prefix = bytes.IndexByte(head, ',') + 1
	}
	begin := make([]byte, 64)
	text := &base64Text{from: bufio.NewReader(bytes.NewReader(head[prefix:])), left: mediaHead}
	n, _ := io.ReadFull(base64.NewDecoder(base64.RawStdEncoding, text), begin)
	mediaType := read.Sniff(begin[:n])
	whole, err := from.Peek(extractFrom)
	if mediaType == "" || err != nil || bytes.IndexByte(whole, '"') >= 0 {
		return ""
	}
	_, _ = from.Discard(prefix) // it is in the buffer
	return mediaType
}

// keep decodes one string into a file. A medium that cannot be kept does not end
// the answer, which may hold the job's id.
func (s *extractor) keep(from *bufio.Reader) error {
	s.begin()
	text := &base64Text{from: from, left: s.left}
	path, lost, err := fill(s.newFile, base64.NewDecoder(base64.RawStdEncoding, text))
	if err != nil || !errors.Is(text.err, io.EOF) {
		os.Remove(path)
		path = ""
	}
	_, err = io.Copy(io.Discard, text) // up to the end of the string, in case it is not base64
	s.left = text.left
	s.files, s.lost = append(s.files, path), append(s.lost, lost)
	return err
}

// resolve puts the files in the place of their stubs in an answer and removes the rest. Of
// an answer that names one that the disk refused, no result is kept: Left says why.
func (s *extractor) resolve(a *api.JobAnswer) {
	if s == nil {
		return
	}
	var kept []api.Result
	for _, r := range a.Results {
		if number, stub := bytes.CutPrefix(r.Data, s.token); stub {
			n, _ := strconv.Atoi(string(number))
			if r.Data, r.File = nil, s.files[n]; r.File == "" {
				a.Left = cmp.Or(s.lost[n], a.Left)
				continue
			}
			s.files[n] = ""
		}
		kept = append(kept, r)
	}
	for _, path := range s.files {
		os.Remove(path)
	}
	s.files = nil
	if a.Results = kept; a.Left.Format() == whyNoFile {
		s.drop(kept)
		a.Results = nil
	}
}

// drop removes all files, also those of results, and gives the other results.
func (s *extractor) drop(results []api.Result) []api.Result {
	s.resolve(&api.JobAnswer{})
	return slices.DeleteFunc(results, func(r api.Result) bool {
		os.Remove(r.File)
		return r.File != ""
	})
}

// base64Text gives the characters of a JSON string of base64, up to its closing
// quote, in the standard alphabet without padding and blanks.
type base64Text struct {
	from *bufio.Reader
	left int64 // characters that may still come
	err  error // sticky; io.EOF after the closing quote
}

// Read gives characters of the string.
func (t *base64Text) Read(p []byte) (n int, err error) {
	for n < len(p) && t.err == nil {
		if c := read.Base64Letter(t.letter()); c > ' ' && t.err == nil {
			p[n] = byte(c)
			n++
			if t.left--; t.left < 0 {
				t.err = ErrTooLarge
			}
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

func (t *base64Text) letter() rune {
	c := t.next()
	switch c {
	case '"':
		t.err = io.EOF
	case '\\':
		escape := []byte{c, t.next()}
		for escape[1] == 'u' && len(escape) < 6 {
			escape = append(escape, t.next())
		}
		var plain string
		if json.Unmarshal([]byte(`"`+string(escape)+`"`), &plain) != nil || len(plain) != 1 {
			return '?' // not base64
		}
		c = plain[0]
	}
	return rune(c)
}

// next reads a byte; a string that ends without a quote is cut short.
func (t *base64Text) next() byte {
	c, err := t.from.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	t.err = cmp.Or(t.err, err)
	return c
}
