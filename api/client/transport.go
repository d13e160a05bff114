package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"darkroom/api"
)

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
	proxy := http.ProxyFromEnvironment
	if api.LoopbackHost(base.Hostname()) {
		proxy = nil
	}
	if base.Scheme == "http" {
		dialer.ControlContext = loopbackOnly
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    Scaled(limitTLS, scale),
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        limitWhole,
		MaxResponseHeaderBytes: 256 << 10,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: limitPing, PingTimeout: limitPing},
	}
}

// loopbackOnly refuses plain connections to another machine, whatever its name is.
func loopbackOnly(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !ap.Addr().Unmap().IsLoopback() {
		return Refusal{api.Sentence("the base URL's host is not this machine, and plain http is for this machine alone; use https://")}
	}
	return nil
}

// Refusal is our own error before anything was handed to the network: it proves
// that nothing was sent. Trying again cannot cure it.
type Refusal struct{ Kind api.Sentence }

// Error gives the English line.
func (r Refusal) Error() string { return r.Kind.Reason().String() }

var (
	errNoKey  = Refusal{api.Sentence("there is no API key; type one, or set DARKROOM_API_KEY")}
	errNoBase = Refusal{api.ReasonNoBase}
	errOrigin = Refusal{api.Sentence("refused to send the API key to another address than the base URL's")}
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
	if err == nil {
		return nil
	}
	text := err.Error()
	if safe := c.Key.RedactString(text); safe != text {
		return errors.New(safe)
	}
	return err
}

// RedactHeader gives the headers of interest, redacted, cleaned and cut.
func (c *Client) RedactHeader(from http.Header) http.Header {
	kept := make(http.Header)
	for name, values := range from {
		limits := strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Ratelimit-")
		if !limits && !slices.Contains(ofInterest, name) {
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
