package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"darkroom/api"
)

// validator is what must still hold for a partial download to be continued.
type validator struct {
	address string
	etag    string // strong
	size    int64  // bytes on disk
	total   int64  // of the whole file, or -1
}

// download brings the result from its address into the part.
func (f *Fetcher) download(ctx context.Context, p *part, w Want) error {
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	target, err := f.resolve(w.Result.URL)
	if err != nil {
		return err
	}
	f.mu.Lock()
	v, ok := f.partial[p.name]
	delete(f.partial, p.name)
	f.mu.Unlock()
	if ok && v.address == target.String() && p.resume(v.size) == nil {
		err := f.receive(ctx, p, target, &v, f.limit(w.Kind))
		if err == nil {
			return p.judge(w.Result.URL)
		}
		if !errors.Is(err, errStartOver) {
			return err
		}
	}
	if err := p.restart(); err != nil {
		return f.diskError(whyNotTaken, err)
	}
	if err := f.receive(ctx, p, target, nil, f.limit(w.Kind)); err != nil {
		return err
	}
	return p.judge(w.Result.URL)
}

// errStartOver says that the service would not continue where we left.
var errStartOver = api.Sentence("the download must start over").Fault(nil)

// receive makes one GET and streams its body; from continues an earlier one.
func (f *Fetcher) receive(ctx context.Context, p *part, target *url.URL, from *validator, limit int64) error {
	ctx, alive, stop := watch(ctx, f.idle)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return errAddress
	}
	req.Header.Set("User-Agent", "darkroom")
	req.Header.Set("Accept-Encoding", "identity") // so that the length is the file's
	if from != nil {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from.size))
		req.Header.Set("If-Range", from.etag)
	}
	res, err := f.client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer res.Body.Close()
	if err := checkStatus(res, p, from); err != nil {
		return err
	}
	if e := strings.ToLower(res.Header.Get("Content-Encoding")); e != "" && e != "identity" {
		return &Error{Reason: api.Sentence("the service sent the file packed (%v), though it was asked not to").Reason(api.Clean(e, 20))}
	}
	length, total := res.ContentLength, res.ContentLength
	if from != nil {
		total = from.total
	}
	err = f.copyBody(ctx, p, res.Body, length, limit, alive)
	if err != nil {
		f.remember(p, target, res, total, err)
	}
	return err
}

// checkStatus sorts the answer's status. A whole answer to a question for the
// rest begins the part again.
func checkStatus(res *http.Response, p *part, from *validator) error {
	switch res.StatusCode {
	case http.StatusOK:
		if from != nil {
			return p.restart()
		}
		return nil
	case http.StatusPartialContent:
		if from == nil {
			return &Error{Reason: api.Sentence("the service sent a part of the file only").Reason()}
		}
		if !continues(res.Header.Get("Content-Range"), from) {
			return errStartOver
		}
		return nil
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return ErrExpired
	case http.StatusRequestedRangeNotSatisfiable:
		if from != nil {
			return errStartOver
		}
	}
	why := api.Sentence("the file cannot be fetched: %v answered %v")
	return &Error{Reason: why.Reason(api.Clean(res.Request.URL.Host, 100), res.StatusCode)}
}

// continues reports whether a Content-Range is the rest of the same file.
func continues(header string, from *validator) bool {
	var first, last, total int64
	if n, err := fmt.Sscanf(header, "bytes %d-%d/%d", &first, &last, &total); err != nil || n != 3 {
		return false
	}
	return first == from.size && last == total-1 && total > from.size && (from.total < 0 || from.total == total)
}

// remember keeps what is needed to continue a download that was cut off. Only
// a strong validator proves that the rest belongs to the same bytes.
func (f *Fetcher) remember(p *part, target *url.URL, res *http.Response, total int64, err error) {
	etag := res.Header.Get("ETag")
	strong := len(etag) > 2 && len(etag) <= 256 && strings.HasPrefix(etag, `"`) && strings.HasSuffix(etag, `"`)
	var known *Error
	if !strong || errors.As(err, &known) || p.size == 0 || total < 0 || p.size >= total {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partial[p.name] = validator{address: target.String(), etag: etag, size: p.size, total: total}
}

// ErrSlow is the cause of an Error when a download came below the least rate.
var ErrSlow = api.Sentence("hardly anything came for too long").Fault(nil)

// Why a body was not taken.
var (
	errShort = api.Sentence("the connection ended before the whole file had come").Fault(nil)
	errEmpty = &Error{Reason: api.Sentence("the service sent an empty file").Reason()}
)

// minComing is what has to come within the idle limit, in bytes: about 500 a
// second.
const minComing = 16 << 10

// copyBody streams a body of length bytes (-1 when not told) into the part, up
// to limit bytes in all. alive, when set, is called at the beginning and each
// time that minComing more bytes have come: a trickle is not a download.
func (f *Fetcher) copyBody(ctx context.Context, p *part, body io.Reader, length, limit int64, alive func()) error {
	if length > limit-p.size {
		return tooLarge(limit)
	}
	start, seen := p.size, p.size-minComing
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if alive != nil && p.size-seen >= minComing {
			seen = p.size
			alive()
		}
		n, err := body.Read(buf)
		if int64(n) > limit-p.size {
			return tooLarge(limit)
		}
		if _, werr := p.Write(buf[:n]); werr != nil {
			return f.diskError(whyNotTaken, werr)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
	}
	switch {
	case length >= 0 && p.size-start != length:
		return errShort
	case p.size == 0:
		return errEmpty
	}
	return nil
}

// take fills the part from its beginning with a body that is here already, or comes with the
// answer to a create.
func (f *Fetcher) take(ctx context.Context, p *part, body io.Reader, length int64, kind api.Kind) error {
	if err := p.restart(); err != nil {
		return err
	}
	return f.copyBody(ctx, p, body, length, f.limit(kind), nil)
}

// takeFile copies a result that came inside of an answer. Its file may be gone
// with the program that received it: then the answer has to be asked for again.
func (f *Fetcher) takeFile(ctx context.Context, p *part, w Want) error {
	from, err := os.Open(w.Result.File)
	if err != nil {
		return ErrExpired
	}
	defer from.Close()
	return f.take(ctx, p, from, -1, w.Kind)
}

func tooLarge(limit int64) error {
	why := api.Sentence("the result is larger than %v MiB, which is the most darkroom saves of its kind")
	return &Error{Reason: why.Reason(limit >> 20), Final: true}
}

// watch ends a context when nothing came for the limit. The returned function
// says that something did; stop ends the watch.
func watch(ctx context.Context, limit time.Duration) (_ context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := time.AfterFunc(limit, func() { cancel(ErrSlow) })
	return ctx, func() { t.Reset(limit) }, func() { t.Stop(); cancel(nil) }
}

// judge says whether what came can be the result. It finds only what is
// certain: a result that was paid for is not refused because of a doubt. A page
// of text is a result only at an address that says so.
func (p *part) judge(address string) error {
	switch {
	case pageOfText(p.head, p.size) && !namesText(address):
		return errPage
	case cutShort(p.file, p.size, sniff(p.head).ext):
		return errCut
	}
	return nil
}

// namesText reports whether the path of an address ends as that of a text.
func namesText(address string) bool {
	address, _, _ = strings.Cut(address, "?")
	switch strings.ToLower(path.Ext(address)) {
	case ".html", ".htm", ".xhtml", ".xml", ".json", ".txt":
		return true
	}
	return false
}

// maxMessage is how long plain text is at most that is taken for a message, and
// message is its first line: words, with the number of a status before them.
const maxMessage = 4 << 10

var message = api.Pattern(`^\s*(?:\d{3}[ :.-]*)?\pL{2,20}(?:[ ,.:;!'-]+[\pL\pN]{1,20})*[.!]*\s*(?:\n|$)`)

// pageOfText reports whether a body of size bytes is what gateways, log-in
// portals and storage send with a 200 when something is wrong: HTML, XML, JSON,
// or a few words such as "Not Found".
func pageOfText(head []byte, size int64) bool {
	seen := http.DetectContentType(head)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case strings.HasPrefix(seen, "text/html"):
		return true
	case !strings.HasPrefix(seen, "text/"), bytes.Contains(bytes.ToLower(head), []byte("<svg")):
		return false
	}
	return strings.HasPrefix(seen, "text/xml") || size <= maxMessage && message().Match(text) || len(text) > 0 && text[0] == '{'
}

// Why an address did not give a result, although the answer came to its end.
var (
	errPage = &Error{Reason: api.Sentence("the service sent a page of text in place of the file: fetch again").Reason()}
	errCut  = &Error{Reason: api.Sentence("the file that the service sends ends in its middle: fetch again").Reason(), Cause: errShort}
)
