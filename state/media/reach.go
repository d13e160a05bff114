package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// reach is how far away an address is.
type reach int

const (
	reachPublic reach = iota
	reachPrivate
	reachLoopback
	reachNever // multicast, unspecified, metadata services, reserved
)

// metadata are the addresses at which clouds keep a machine's credentials.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"),
	netip.MustParseAddr("169.254.170.2"),
	netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd00:ec2::23"),
	netip.MustParseAddr("fd20:ce::254"),
}

// Networks without public hosts that netip has no method for. 198.18.0.0/15 is
// not among them on purpose: local proxies answer every look-up with addresses
// from it.
var (
	privateNets = []netip.Prefix{
		netip.MustParsePrefix("100.64.0.0/10"), // carriers' NAT
		netip.MustParsePrefix("fec0::/10"),     // site-local
	}
	deadNets = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("192.0.0.0/24"),
		netip.MustParsePrefix("192.0.2.0/24"),
		netip.MustParsePrefix("198.51.100.0/24"),
		netip.MustParsePrefix("203.0.113.0/24"),
		netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("100::/64"),
		netip.MustParsePrefix("2001::/32"), // Teredo: hides another address
		netip.MustParsePrefix("2001:db8::/32"),
	}
	// embedding are networks whose addresses carry an IPv4 address, at a byte.
	embedding = []struct {
		net netip.Prefix
		at  int
	}{
		{netip.MustParsePrefix("64:ff9b::/96"), 12},   // NAT64
		{netip.MustParsePrefix("64:ff9b:1::/48"), 12}, // NAT64, local use
		{netip.MustParsePrefix("2002::/16"), 2},       // 6to4
		{netip.MustParsePrefix("::/96"), 12},          // IPv4-compatible
	}
)

func reachOf(ip netip.Addr) reach {
	ip = ip.Unmap().WithZone("")
	switch {
	case !ip.IsValid(), ip.IsUnspecified(), ip.IsMulticast(), within(deadNets, ip):
		return reachNever
	case ip.IsLoopback():
		return reachLoopback
	}
	for _, m := range metadata {
		if ip == m {
			return reachNever
		}
	}
	if ip.Is6() {
		for _, e := range embedding {
			if e.net.Contains(ip) {
				b := ip.As16()
				return reachOf(netip.AddrFrom4([4]byte(b[e.at : e.at+4])))
			}
		}
	}
	if ip.IsPrivate() || ip.IsLinkLocalUnicast() || within(privateNets, ip) {
		return reachPrivate
	}
	return reachPublic
}

func within(nets []netip.Prefix, ip netip.Addr) bool {
	for _, n := range nets {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// mayReach reports whether a result at host may be fetched from ip. The
// service's own host is where the key goes already, so it may be anywhere; a
// service on this machine may keep its results there, and one in a private
// network in that network.
func (f *Fetcher) mayReach(host string, ip netip.Addr) bool {
	r := reachOf(ip)
	if r == reachPublic {
		return true
	}
	if f.base == nil {
		return false
	}
	base := strings.ToLower(f.base.Hostname())
	if strings.EqualFold(host, base) {
		return true
	}
	if loopbackName(base) {
		return r == reachLoopback
	}
	home, err := netip.ParseAddr(base)
	return err == nil && r == reachPrivate && reachOf(home) == reachPrivate
}

// loopbackName reports whether a host is this machine by its text.
func loopbackName(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && reachOf(ip) == reachLoopback
}

// publicLimit is how long a host has to say whether an address is public.
const publicLimit = 10 * time.Second

func (f *Fetcher) allowPublic(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	switch {
	case u.Scheme != "https" && u.Scheme != "http", host == "":
		return errAddress
	case u.User != nil:
		return errUser
	}
	return f.allowHost(host)
}

// Public asks once whether everybody can read an address, as the service has to
// ("Rules for video materials"), and gives what the answer says of the file. An
// *Error says in words that follow the material's name why not.
func (f *Fetcher) Public(ctx context.Context, address string) (Link, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || len(address) > maxAddress {
		return Link{}, &Error{Reason: whyPublicAddress.Reason(), Final: true}
	}
	u.Fragment, u.RawFragment = "", ""
	ctx, cancel := context.WithTimeout(ctx, publicLimit)
	defer cancel()
	link, err := f.ask(ctx, u)
	switch {
	case errors.Is(err, errPrivate):
		return link, &Error{Reason: whyPublicPrivate.Reason(), Final: true}
	case errors.Is(err, errAddress), errors.Is(err, errUser):
		return link, &Error{Reason: whyPublicAddress.Reason(), Final: true}
	case errors.Is(err, errHops):
		return link, &Error{Reason: whyPublicHops.Reason(), Final: true}
	case err != nil:
		return link, &Error{Reason: whyPublicReach.Reason(networkReason(err)), Cause: ctx.Err()}
	case link.Status >= 200 && link.Status <= 299:
		return link, nil
	}
	return link, &Error{Reason: whyPublicStatus.Reason(link.Status)}
}

// ask makes one request and gives what it tells of the file; of a body it takes
// only the beginning. Many hosts answer no HEAD, above all for signed addresses.
func (f *Fetcher) ask(ctx context.Context, u *url.URL) (Link, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Link{}, errAddress
	}
	req.Header.Set("User-Agent", "darkroom")
	req.Header.Set("Range", fmt.Sprintf("bytes=0-%d", linkHead-1))
	res, err := f.probe.Do(req)
	if err != nil {
		return Link{}, err
	}
	defer func() { _ = res.Body.Close() }()
	link := Link{Status: res.StatusCode, Bytes: wholeLength(res)}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return link, nil
	}
	// A beginning that breaks off says what it says: the status is the answer.
	head, _ := io.ReadAll(io.LimitReader(res.Body, linkHead))
	link.read(head, res.Header.Get("Content-Type"))
	return link, nil
}

// wholeLength is the length of the file, 0 when the answer does not say.
func wholeLength(res *http.Response) int64 {
	if res.StatusCode == http.StatusPartialContent {
		_, total, _ := strings.Cut(res.Header.Get("Content-Range"), "/")
		n, _ := strconv.ParseInt(total, 10, 64)
		return max(n, 0)
	}
	return max(res.ContentLength, 0)
}
