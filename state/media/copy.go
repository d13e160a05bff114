package media

import (
	"context"
	"io"
	"os"
	"time"

	"darkroom/api"
)

// ErrSlow is the cause of an Error when a download came below the least rate.
var ErrSlow = whySlow.Fault(nil)

// Why a body was not taken.
var (
	errShort = whyShort.Fault(nil)
	errEmpty = &Error{Reason: whyEmpty.Reason()}
)

// leastComing is what has to come within the idle limit, in bytes: about 500 a
// second.
const leastComing = 16 << 10

// copyBody streams a body of length bytes (-1 when not told) into the part, up
// to limit bytes in all. alive, when set, is called at the beginning and each
// time that leastComing more bytes have come: a trickle is no download.
func (f *Fetcher) copyBody(ctx context.Context, p *part, body io.Reader, length, limit int64, alive func()) error {
	if length > limit-p.size {
		return tooLarge(limit)
	}
	start, seen := p.size, p.size-leastComing
	buf := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if alive != nil && p.size-seen >= leastComing {
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

// take fills the part anew with a body that is here already, or comes with the
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
	return &Error{Reason: whyTooLarge.Reason(limit >> 20), Final: true}
}

// watch ends a context when nothing came for the limit. The returned function
// says that something did; stop ends the watch.
func watch(ctx context.Context, limit time.Duration) (_ context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t := time.AfterFunc(limit, func() { cancel(ErrSlow) })
	return ctx, func() { t.Reset(limit) }, func() { t.Stop(); cancel(nil) }
}
