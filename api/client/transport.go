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

// minMedia is how many bytes of a media body have to come within limitIdle.
const minMedia = 16 << 10

// Caps of answers after decompression, in bytes.
const (
	MaxAnswer = 1 << 20
	maxModels = 8 << 20
)

// newTransport makes the network's own transport for one base URL. It has
// no limit for headers, since a create that waits for its result may take longer: the
// limits are kept per call (see send).
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
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		Protocols:              protocols,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: limitPing, PingTimeout: limitPing},
	}
}

// loopbackOnly refuses plain connections to any other machine, in case a name
// such as localhost resolves to one.
func loopbackOnly(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !ap.Addr().Unmap().IsLoopback() {
		return Refusal{api.ReasonNotLocal}
	}
	return nil
}

// Refusal is our own error before anything was handed to the network, so it
// proves that nothing was sent. Trying again cannot cure it.
type Refusal struct{ Kind api.Sentence }

// Error gives the English line.
func (r Refusal) Error() string { return r.Kind.Reason().String() }

// Refusals of a call.
var (
	errNoKey  = Refusal{api.ReasonNoKey}
	errNoBase = Refusal{api.ReasonNoBase}
	errOrigin = Refusal{api.ReasonOrigin}
	ErrBody   = Refusal{api.ReasonNoBody}
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
	foreign := r.URL == nil || r.URL.User != nil || api.Origin(r.URL) != k.origin ||
		(r.Host != "" && r.Host != r.URL.Host)
	if foreign || k.key.IsZero() {
		if r.Body != nil {
			r.Body.Close()
		}
		if foreign {
			return nil, errOrigin
		}
		return nil, errNoKey
	}
	signed := r.Clone(r.Context())
	signed.Header.Set("Authorization", "Bearer "+k.key.Reveal())
	answer, err := k.next.RoundTrip(signed)
	if err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
		// Nobody asked for another protocol. net/http hands over the bare
		// connection as the body, whose reads no context ends.
		_ = answer.Body.Close()
		answer.Body = http.NoBody
	}
	return answer, err
}

// SafeError gives an error whose text and chain cannot hold the key: a server
// may echo it in what the transport quotes ("malformed HTTP status code …").
func (c *Transport) SafeError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	safe := string(c.Key.Redact([]byte(text)))
	if safe != text {
		return errors.New(safe)
	}
	return err
}

// RedactHeader gives the headers of interest, redacted, cleaned and cut: they
// are stored and shown.
func (c *Transport) RedactHeader(from http.Header) http.Header {
	const maxValue, maxValues, maxHeaders = 512, 4, 40
	kept := make(http.Header)
	for name, values := range from {
		if !headerOfInterest(name) || len(kept) >= maxHeaders {
			continue
		}
		for _, v := range values[:min(len(values), maxValues)] {
			if name == "Location" {
				v, _, _ = strings.Cut(v, "?") // a query may hold secrets
			}
			v = string(c.Key.Redact([]byte(v)))
			kept.Add(name, api.Clean(v, maxValue).String())
		}
	}
	return kept
}

func headerOfInterest(name string) bool {
	return slices.Contains([]string{
		"Date", "Content-Type", "Content-Length", "Location", "Link", "Retry-After", "Retry-After-Ms",
		"X-Should-Retry", "X-Request-Id", "Request-Id", "X-Fal-Request-Id", "X-Fal-Error-Type",
		"X-Trace-Id", "Cf-Ray", "Server", "Allow", "X-Job-Id", "X-Task-Id",
	}, name) || strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Ratelimit-")
}
