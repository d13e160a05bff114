package media

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"darkroom/api"
)

const (
	maxHops      = 5
	maxAddress   = 8192 // bytes
	maxShown     = 300  // bytes of an address in a sentence
	dialLimit    = 10 * time.Second
	maxAnswerTop = 64 << 10 // bytes of headers
)

// notHTTPS says which address is not asked, without what may be its signature.
func notHTTPS(u *url.URL) *Error {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	why := api.Sentence("the result's address is not https, so it is not fetched: %v")
	return &Error{Reason: why.Reason(api.Clean(plain.String(), maxShown)), Final: true}
}

// Why an address is not asked. None of them names it: it may hold a secret.
var (
	errAddress = &Error{Reason: api.Sentence("the result's address cannot be read").Reason(), Final: true}
	errUser    = &Error{Reason: api.Sentence("the result's address holds a user name, so it is not fetched").Reason(), Final: true}
	errHops    = &Error{
		Reason: api.Sentence("the result's address leads through more than 5 others, so it is not fetched").Reason(), Final: true}
	errPrivate  = &Error{Reason: api.Sentence("the result's address leads into a private network, so it is not fetched").Reason(), Final: true}
	errOffScale = &Error{Reason: api.Sentence("the result's address is too long").Reason(), Final: true}
)

// newClient makes a client that asks no address that allow refuses, and gives none
// of them to another. It has no key and no cookies, and it is not the client of the
// service: results and materials may be on any host.
func (f *Fetcher) newClient(t http.RoundTripper, allow func(*url.URL) error) *http.Client {
	if t == nil {
		t = f.newTransport()
	}
	return &http.Client{
		Transport: guarded{allow, t},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxHops {
				return errHops
			}
			// The address before may be signed: the next host must not see it.
			req.Header.Del("Referer")
			req.Header.Del("Cookie")
			return nil
		},
	}
}

func (f *Fetcher) newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            f.dial,
		TLSHandshakeTimeout:    dialLimit,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerTop,
		MaxIdleConnsPerHost:    maxAtOnce,
		IdleConnTimeout:        30 * time.Second,
	}
}

// guarded looks at every address before it is asked, those of redirects too.
type guarded struct {
	allow func(*url.URL) error
	next  http.RoundTripper
}

func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.allow(req.URL); err != nil {
		return nil, err
	}
	return g.next.RoundTrip(req)
}

// allow judges an address by its text. Names are judged again when they are
// dialled, by what they resolve to.
func (f *Fetcher) allow(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	local := f.base != nil && api.LoopbackHost(f.base.Hostname())
	switch {
	case u.User != nil:
		return errUser
	case host == "":
		return errAddress
	case u.Scheme == "https":
	case u.Scheme == "http" && local && api.LoopbackHost(host):
	default:
		return notHTTPS(u)
	}
	return f.allowHost(host)
}

// allowHost judges a host that is written as an address.
func (f *Fetcher) allowHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil && !f.mayReach(host, ip) {
		return errPrivate
	}
	return nil
}

// mayReach reports whether a result at host may be fetched from ip. The
// service's own host is where the key goes already, so it may be anywhere; a
// service on this machine may keep its results there, and one in a private
// network in that network.
func (f *Fetcher) mayReach(host string, ip netip.Addr) bool {
	r := api.ReachOf(ip)
	if r == api.ReachPublic {
		return true
	}
	if f.base == nil {
		return false
	}
	base := strings.ToLower(f.base.Hostname())
	if strings.EqualFold(host, base) {
		return true
	}
	if api.LoopbackHost(base) {
		return r == api.ReachLoopback
	}
	home, err := netip.ParseAddr(base)
	return err == nil && r == api.ReachPrivate && api.ReachOf(home) == api.ReachPrivate
}

// resolve makes a result's address absolute. The spec has every address
// relative to the base URL, path prefix included.
func (f *Fetcher) resolve(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, errOffScale
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, errAddress
	}
	if u.Host == "" && u.Scheme == "" {
		if f.base == nil {
			return nil, errAddress
		}
		path := u.EscapedPath()
		if rest, ok := strings.CutPrefix(path, strings.TrimRight(f.base.EscapedPath(), "/")+"/"); ok {
			path = rest
		}
		query := u.RawQuery
		u = f.base.JoinPath(path)
		u.RawQuery = query
	}
	if u.Scheme == "" && f.base != nil {
		u.Scheme = f.base.Scheme // "//host/path"
	}
	u.Fragment, u.RawFragment = "", ""
	return u, f.allow(u)
}

// dial connects and refuses private networks by the address that was resolved,
// in the moment of connecting: no second look-up can slip in between.
func (f *Fetcher) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errAddress
	}
	d := net.Dialer{Timeout: dialLimit}
	if !isProxy(address) {
		d.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(resolved)
			if err != nil || !f.mayReach(host, ap.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, address)
}

// isProxy reports whether an address is the proxy that the environment names.
// It is the person's own choice, and often on this machine. A result cannot
// name it: allow refuses loopback and private addresses before any dial.
func isProxy(address string) bool {
	probe := &http.Request{URL: &url.URL{Scheme: "https", Host: "darkroom.invalid"}}
	p, err := http.ProxyFromEnvironment(probe)
	if err != nil || p == nil {
		return false
	}
	port := p.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[p.Scheme]
	}
	return address == net.JoinHostPort(p.Hostname(), port)
}
