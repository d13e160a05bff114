package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// Trip is all that is known about one round trip: what Classify judges.
type Trip struct {
	// Connected says that there was a connection. A trip without it and without a
	// status proves that nothing left.
	Connected bool
	Host      string
	Status    int // 0: no answer
	Header    http.Header
	Body      []byte // as received but for the key; if Err is set, the part that came
	Err       error  // of the transport, with a Status that of reading the body
	Streamed  bool   // the body was media, or a tool's response, and was handed on
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
	newFile func() (*os.File, error) // when set, large media in the answer become files
	CreateOptions
}

// ConnWatch follows one request through httptrace, even after the call is over.
type ConnWatch struct {
	Got   atomic.Bool
	onGot func()
}

func (w *ConnWatch) Trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		if !w.Got.Swap(true) && w.onGot != nil {
			w.onGot()
		}
	}}
}

// send makes exactly one round trip.
func (c *Client) send(ctx context.Context, k call) (t Trip) {
	began := time.Now()
	defer func() { c.LogCall(k.method, k.path, t, began) }()
	t.Host = c.Base.Host
	if t.Err = context.Cause(ctx); t.Err != nil {
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
	if k.Last != nil {
		if t.Err = k.Last(); t.Err != nil {
			return t
		}
	}
	resp, err := way.RoundTrip(req)
	head.Stop()
	if err != nil {
		t.Connected = w.Got.Load()
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

// Limits of single calls, multiplied by Options.Scale.
const (
	limitDial    = 10 * time.Second
	limitTLS     = 10 * time.Second
	limitHeaders = 60 * time.Second
	limitWhole   = 90 * time.Second
	limitSync    = 15 * time.Minute // a create that waits for its result
	limitPoll    = 20 * time.Second
	limitMedia   = 5 * time.Minute  // a media body in place of an answer
	limitIdle    = 30 * time.Second // in which minMedia bytes of a media body have to come
	limitPing    = 15 * time.Second // HTTP/2: silence before a ping, and the wait for its answer
)

const minMedia = 16 << 10 // bytes of a media body that have to come within limitIdle

// Caps of answers after decompression, in bytes.
const (
	MaxAnswer = 1 << 20
	maxModels = 8 << 20
)

// newTransport makes the network's own transport for one base URL. The limit for
// headers is kept per call: a create that waits for its result has none.
func newTransport(base *url.URL, scale float64) *http.Transport {
	dialer := &net.Dialer{Timeout: Scaled(limitDial, scale), KeepAlive: 15 * time.Second}
	if base.Scheme == "http" {
		// It refuses plain connections to another machine, whatever its name is.
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || !ap.Addr().Unmap().IsLoopback() {
				return Refusal{api.Sentence("the host of the address is not this machine, and plain http is for this machine alone; use https://")}
			}
			return nil
		}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, // none for this machine
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode != http.StatusOK { // marked as net/http does other errors of a proxy
				return &net.OpError{Op: "proxyconnect", Err: errors.New(res.Status)}
			}
			return nil
		},
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    Scaled(limitTLS, scale),
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        limitWhole,
		MaxResponseHeaderBytes: 256 << 10,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: limitPing, PingTimeout: limitPing},
	}
}

// Refusal is our own error before anything was handed to the network: it proves
// that nothing was sent. Trying again cannot cure it.
type Refusal struct{ Kind api.Sentence }

// Error gives the English line.
func (r Refusal) Error() string { return r.Kind.Reason().String() }

var (
	errNoKey  = Refusal{api.Sentence("there is no API key; type one, or set DARKROOM_API_KEY")}
	errOrigin = Refusal{api.Sentence("refused to send the API key to another address than the service's")}
	ErrBody   = Refusal{api.Sentence("the request has no body")}
	errPath   = Refusal{api.ReasonPath}
)

// keyed adds the key to requests for exactly one origin and refuses all
// others. It is the only place where the key meets a request.
type keyed struct {
	origin string
	key    api.Key
	next   http.RoundTripper
}

// RoundTrip sends the request with the key, or refuses it unsent.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	var refused error
	switch {
	case r.URL == nil, r.URL.User != nil, api.Origin(r.URL) != k.origin, r.Host != "" && r.Host != r.URL.Host:
		refused = errOrigin
	case k.key.IsZero():
		refused = errNoKey
	}
	if refused != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, refused
	}
	signed := r.Clone(r.Context())
	signed.Header.Set("Authorization", "Bearer "+k.key.Reveal())
	answer, err := k.next.RoundTrip(signed)
	if err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
		// The body is the bare connection, whose reads no context ends.
		_ = answer.Body.Close()
		answer.Body = http.NoBody
	}
	return answer, err
}

// SafeError gives an error that cannot hold the key, which the transport may quote.
func (c *Client) SafeError(err error) error {
	if err != nil && c.Key.In([]byte(err.Error())) {
		return errors.New(c.Key.RedactString(err.Error()))
	}
	return err
}

// RedactHeader gives the headers of interest, redacted, cleaned and cut.
func (c *Client) RedactHeader(from http.Header) http.Header {
	kept := make(http.Header)
	for name, values := range from {
		if !strings.HasPrefix(strings.TrimPrefix(name, "X-"), "Ratelimit-") && !slices.Contains(ofInterest, name) {
			continue
		}
		for _, v := range values {
			if name == "Location" {
				v, _, _ = strings.Cut(v, "?") // a query may hold secrets
			}
			kept.Add(name, api.Clean(c.Key.RedactString(v), api.MaxAddressText).String())
		}
	}
	return kept
}

var ofInterest = []string{
	"Date", "Content-Type", "Content-Length", "Location", "Link", "Retry-After", "Retry-After-Ms",
	"X-Should-Retry", "X-Request-Id", "Request-Id", "X-Fal-Request-Id", "X-Fal-Error-Type",
	"X-Trace-Id", "Cf-Ray", "Server", "Allow", "X-Job-Id", "X-Task-Id",
}

// NetworkError is that of a call without a complete answer. It names the host alone.
func NetworkError(t Trip) *api.Error {
	err, host := t.Err, t.Host
	e := &api.Error{Class: api.ClassNetwork, Status: t.Status, Sent: t.Connected || t.Status != 0, Cause: err}
	var refused Refusal
	var limit *LimitError
	switch what := malformed(err); {
	case err == nil:
		e.Reason = api.Sentence("there was no response from %v").Reason(host)
	case errors.As(err, &refused):
		e.Reason, e.Final = refused.Kind.Reason(), true
		if refused == errNoKey {
			e.Class = api.ClassKey
		}
	case errors.Is(err, ErrTooLarge):
		e.Class, e.Final, e.Raw = api.ClassUnreadable, true, read.KeepRaw(t.Body)
		e.Reason = api.Sentence("the response of %v is larger than darkroom reads").Reason(host)
	case errors.As(err, &limit):
		e.Reason = api.Sentence("the service at %v gave %v within %v").Reason(host, limit.what.Reason(), limit.limit)
	case errors.Is(err, context.Canceled):
		e.Reason, e.Final = api.ReasonStopped.Reason(), true
	case errors.As(err, new(*tls.CertificateVerificationError)): // every handshake wraps its causes in one
		e.Reason = api.Sentence("the certificate of %v cannot be trusted: %v").Reason(host, certificateReason(err).Reason())
		e.Do, e.Final = api.Sentence("check the service's address, this machine's clock and any proxy").Reason(), true
	case what != "":
		e.Reason = api.Sentence("the response of %v is not HTTP: %v").Reason(host, api.Clean(what, 200))
	default:
		why := cmp.Or(api.ConnectionReason(err), api.ReasonText.Reason(api.Clean(err.Error(), 200)))
		e.Reason = api.Sentence("the service is not reachable at %v: %v").Reason(host, why)
		if why.Format() == api.ReasonProxy {
			e.Do = api.Sentence("check the variable HTTPS_PROXY and the network").Reason()
		}
	}
	return e
}

// malformed returns net/http's complaint about an answer that did come, or "".
func malformed(err error) string {
	switch {
	case err == nil, errors.As(err, new(*net.OpError)), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ""
	case slices.Contains([]string{"malformed chunked encoding", "invalid byte in chunk length"}, err.Error()): // in the body
		return err.Error()
	}
	_, what, _ := strings.Cut(err.Error(), "HTTP/1.x transport connection broken: ")
	return strings.TrimPrefix(what, "net/http: ")
}

func certificateReason(err error) api.Sentence {
	switch invalid, ok := errors.AsType[x509.CertificateInvalidError](err); {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return api.Sentence("its issuer is not known on this machine")
	case errors.As(err, new(x509.HostnameError)):
		return api.Sentence("it was issued for another name")
	case ok && invalid.Reason == x509.Expired:
		return api.Sentence("it has expired, or this machine's clock is wrong")
	}
	return api.Sentence("it is not valid")
}

// OwnError is an error that is found here, not said by the service.
func OwnError(class api.ErrorClass, status int, why api.Sentence, args ...any) *api.Error {
	return &api.Error{Class: class, Status: status, Reason: why.Reason(args...)}
}

// Unreadable is the error for an answer that holds nothing of use.
func Unreadable(t Trip, why api.Reason) *api.Error {
	kind, args := api.Sentence("the service at %v answered %v, which cannot be read"), []any{t.Host, t.Status}
	switch {
	case t.Status >= 300 && t.Status <= 399:
		kind = api.Sentence("the service at %v answered %v, a redirect, which darkroom does not follow")
	case !t.accepted() && t.Status < 400 || t.Status > 599:
		kind = api.Sentence("the service at %v answered %v, which does not belong to this call")
	case len(t.Body) == 0 && !t.Streamed:
		kind = api.Sentence("the service at %v answered %v with nothing in it")
	case !why.IsZero():
		kind, args = "the service at %v answered %v, which cannot be read: %v", append(args, why)
	}
	e := OwnError(api.ClassUnreadable, t.Status, kind, args...)
	e.Raw = read.KeepRaw(t.Body)
	return e
}
