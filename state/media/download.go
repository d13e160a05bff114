package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

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
var errStartOver = whyStartOver.Fault(nil)

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
		return &Error{Reason: whyPacked.Reason(api.Clean(e, 20))}
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
// rest starts the part anew.
func checkStatus(res *http.Response, p *part, from *validator) error {
	switch res.StatusCode {
	case http.StatusOK:
		if from != nil {
			return p.restart()
		}
		return nil
	case http.StatusPartialContent:
		if from == nil {
			return &Error{Reason: whyPart.Reason()}
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
	return &Error{Reason: whyAnswered.Reason(hostOf(res), res.StatusCode)}
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

func hostOf(res *http.Response) any {
	if res.Request == nil || res.Request.URL == nil {
		return whyTheService.Reason()
	}
	return api.Clean(res.Request.URL.Host, 100)
}

// explain turns what stopped a download into a sentence without an address.
func (f *Fetcher) explain(ctx context.Context, err error) error {
	var known *Error
	switch {
	case errors.Is(err, ErrExpired):
		return ErrExpired
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return &Error{Reason: whyStopped.Reason(), Cause: ctx.Err()}
	case errors.Is(err, ErrSlow):
		return &Error{Reason: whyTooSlow.Reason(f.idle), Cause: ErrSlow}
	case errors.Is(err, errShort), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Reason: whyShortFetch.Reason(), Cause: errShort}
	}
	return &Error{Reason: whyNoAnswer.Reason(networkReason(err)), Cause: err}
}
