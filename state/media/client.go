package media

import (
	"cmp"
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

// Why an address is not asked. None of them names it: it may hold a secret.
var (
	errAddress  = final("the result's URL cannot be read")
	errUser     = final("the result's URL contains a user name, so it is not fetched")
	errHops     = final("the result's URL redirects more than 5 times, so it is not fetched")
	errPrivate  = final("the result's URL leads into a private network, so it is not fetched")
	errOffScale = final("the result's URL is too long")
)

// newClient makes a client that follows no redirect to an address that allow
// refuses, and gives no address to another host. It has no key and no cookies:
// results and materials may be on any host.
func (f *Fetcher) newClient(public bool) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            f.dial,
			TLSHandshakeTimeout:    dialLimit,
			ForceAttemptHTTP2:      true,
			MaxResponseHeaderBytes: maxAnswerTop,
			MaxIdleConnsPerHost:    maxAtOnce,
			IdleConnTimeout:        30 * time.Second,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxHops {
				return errHops
			}
			// The address before may be signed: the next host must not see it.
			req.Header.Del("Referer")
			return f.allow(req.URL, public)
		},
	}
}

// allow judges the address of a result, or of a material that has to be public, by
// its text. Names are judged again when they are dialled, by what they resolve to.
// The service itself fetches materials, so their addresses may be plain http.
func (f *Fetcher) allow(u *url.URL, public bool) error {
	host := strings.ToLower(u.Hostname())
	local := f.Base != nil && api.LoopbackHost(f.Base.Hostname())
	switch {
	case u.User != nil:
		return errUser
	case host == "":
		return errAddress
	case u.Scheme == "https", u.Scheme == "http" && (public || local && api.LoopbackHost(host)):
	case public:
		return errAddress
	default: // without what may be its signature
		plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
		return final("the result's URL is not https, so it is not fetched: %v", api.Clean(plain.String(), maxShown))
	}
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
	if r == api.ReachPublic || f.Base == nil {
		return r == api.ReachPublic
	}
	base := strings.ToLower(f.Base.Hostname())
	switch {
	case strings.EqualFold(host, base):
		return true
	case api.LoopbackHost(base):
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
	if u.Host == "" && u.Scheme == "" && f.Base != nil {
		whole := f.Base.JoinPath(strings.TrimPrefix(u.EscapedPath(), strings.TrimRight(f.Base.EscapedPath(), "/")+"/"))
		whole.RawQuery = u.RawQuery
		u = whole
	}
	if u.Scheme == "" && f.Base != nil {
		u.Scheme = f.Base.Scheme // "//host/path"
	}
	u.Fragment, u.RawFragment = "", ""
	return u, f.allow(u, false)
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
	p, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: "darkroom.invalid"}})
	if err != nil || p == nil {
		return false
	}
	usual := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}
	return address == net.JoinHostPort(p.Hostname(), cmp.Or(p.Port(), usual[p.Scheme]))
}
