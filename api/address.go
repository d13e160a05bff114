package api

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// checkAddress finds why a reference URL cannot be "publicly reachable" ("Rules for
// video materials" 5). A service on this machine reaches its own addresses.
func checkAddress(s, base string) (code string) {
	if s == "" {
		return "empty_address"
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "url_spaces"
	}
	u, err := url.Parse(s)
	own, _ := ParseBase(base)
	switch {
	case err != nil && strings.Contains(s, "://"):
		return "url_form"
	case err != nil:
		return "url_scheme"
	case u.Scheme == "data" || u.Scheme == "file":
		return "url_local"
	case u.Scheme != "http" && u.Scheme != "https":
		return "url_scheme"
	case u.User != nil:
		return "url_user"
	case u.Hostname() == "":
		return "url_host"
	case !portFits(u.Port()):
		return "url_form"
	case !publicHost(u.Hostname()) && (own == nil || !LoopbackHost(own.Hostname()) || Origin(u) != Origin(own)):
		return "url_private"
	}
	return ""
}

func portFits(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// localHost are names that are not public; resolvers take 0x7f.1 and 10.1 for addresses.
var localHost = Pattern(`^[^.]*$|^\.|\.\.|\.(localhost|local|localdomain|internal|intranet|lan|home\.arpa|[0-9]+|0x[0-9a-f]*)$`)

func publicHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(strings.Map(narrow, host)), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return ReachOf(a) == ReachPublic && !benchmarkNet.Contains(carried(a.WithZone("").Unmap()))
	}
	return !localHost().MatchString(host)
}

// narrow gives the plain form of full-width signs, which resolvers accept.
func narrow(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFEE0
	case r == '。' || r == '｡':
		return '.'
	}
	return r
}

var benchmarkNet = netip.MustParsePrefix("198.18.0.0/15")

// LinkEnd is when an address stops working: by its query, as of a signed one, else as
// the service said; zero if neither says so.
func LinkEnd(address string, said time.Time) time.Time {
	u, err := url.Parse(address)
	if err != nil {
		return said
	}
	q := map[string]string{}
	for name, values := range u.Query() {
		q[strings.ToLower(name)] = values[0]
	}
	for _, p := range []string{"x-amz-", "x-goog-", "x-oss-", "x-tos-"} {
		signed, err := time.Parse("20060102T150405Z", q[p+"date"])
		life, err2 := strconv.ParseUint(q[p+"expires"], 10, 32)
		if err == nil && err2 == nil {
			return signed.Add(time.Duration(life) * time.Second)
		}
	}
	if t, err := time.Parse(time.RFC3339, q["se"]); err == nil && q["sig"] != "" {
		return t
	}
	// 2001 and 2286 in seconds or milliseconds: other numbers are not times.
	switch n, err := strconv.ParseInt(q["expires"], 10, 64); {
	case err != nil:
	case n >= 1e9 && n < 1e10:
		return time.Unix(n, 0).UTC()
	case n >= 1e12 && n < 1e13:
		return time.UnixMilli(n).UTC()
	}
	return said
}

// LinkOver reports whether an address no longer works at the time now; see LinkEnd.
func LinkOver(address string, said, now time.Time) bool {
	until := LinkEnd(address, said)
	return !until.IsZero() && !until.After(now)
}

// Reach is how far away an address is.
type Reach int

// Reaches, the farthest first.
const (
	ReachPublic Reach = iota
	ReachPrivate
	ReachLoopback
	ReachNever // multicast, unspecified, metadata services, reserved
)

// Networks without public hosts, and the addresses at which clouds keep a machine's
// credentials. 198.18.0.0/15 is left out: local proxies answer look-ups with it.
// Teredo (2001::/32) hides another address.
var (
	closedNets = prefixes(`0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
		100::/64 2001::/32 2001:db8::/32
		169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 100.100.100.200/32 168.63.129.16/32
		fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128`)
	sharedNets = prefixes("100.64.0.0/10 fec0::/10") // carriers' NAT, site-local
	// Networks whose addresses end in an IPv4 address, and one whose begin with it.
	endingNets = prefixes("64:ff9b::/96 64:ff9b:1::/48 ::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
)

func prefixes(text string) []netip.Prefix { return Map(strings.Fields(text), netip.MustParsePrefix) }

// ReachOf tells how far away an address, or the one that it carries inside, is.
func ReachOf(ip netip.Addr) Reach {
	ip = ip.Unmap().WithZone("")
	inside := carried(ip)
	switch {
	case !ip.IsValid(), ip.IsUnspecified(), ip.IsMulticast(), withinAny(closedNets, ip):
		return ReachNever
	case ip.IsLoopback():
		return ReachLoopback
	case inside != ip:
		return ReachOf(inside)
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), withinAny(sharedNets, ip):
		return ReachPrivate
	}
	return ReachPublic
}

func carried(ip netip.Addr) netip.Addr {
	b := ip.As16()
	switch {
	case withinAny(endingNets, ip):
		return netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:]))
	}
	return ip
}

func withinAny(nets []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// MaxBaseText is how long a base URL may be, in bytes.
const MaxBaseText = 2048

const (
	whyBaseText = Sentence("the address cannot be read; give it as https://host or https://host/path")
	whyBaseHost = Sentence("the address has no usable host; give it as https://host or https://host/path")
)

// ofTheSpec is the end of a path that darkroom adds itself (spec, Endpoints).
var ofTheSpec = Pattern(`/api/v1(/(models|jobs|mcp|pricing/estimate|(images|videos)/generations))?$`)

// ParseBase reads a base URL: https, or http for loopback only; no user, query
// or fragment; a path prefix is kept, but not one of the spec. Host and port come
// back in one spelling, so that equal origins are equal texts. Errors are
// sentences and never repeat the text, which may hold a password.
func ParseBase(s string) (*url.URL, error) {
	u, why := readBase(strings.TrimSpace(s))
	if why != "" {
		return nil, why.Fault(nil)
	}
	return u, nil
}

// readBase is ParseBase; why says what is wrong, "" that nothing is.
func readBase(s string) (*url.URL, Sentence) {
	switch {
	case s == "":
		return nil, "no address; give that of your service, such as https://api.example.com"
	case len(s) > MaxBaseText:
		return nil, whyBaseText
	case strings.Contains(s, "#"):
		return nil, "the address must not hold a fragment (#); give only scheme, host and path"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil && strings.Contains(s, "://"):
		return nil, whyBaseText
	case err != nil || u.Scheme != "https" && u.Scheme != "http": // 127.0.0.1:80 cannot be read either
		return nil, "the address must begin with https:// (http:// is for this machine alone)"
	case u.User != nil:
		return nil, "the address must not hold a user name or password; the key is given apart from it"
	case u.RawQuery != "" || u.ForceQuery:
		return nil, "the address must not hold a query (?); give only scheme, host and path"
	case u.Opaque != "":
		return nil, whyBaseText
	}
	host, why := baseHost(u)
	if why != "" {
		return nil, why
	}
	path, ok := BasePath(u)
	shown := u.Host + u.Path
	// Parsing the rebuilt text again sets Path and RawPath together.
	clean, err := url.Parse(u.Scheme + "://" + host + path)
	switch {
	case !ok:
		return nil, "the path of the address must not hold empty, . or .. steps; give it as https://host/path"
	case ofTheSpec().MatchString(path):
		return nil, "the address must end before /api/v1, which darkroom adds; give it as https://host or https://host/path"
	case HideKeys(shown) != shown:
		return nil, "the address must not hold an API key; the key is given apart from it"
	case err != nil:
		return nil, whyBaseText
	case clean.Scheme == "http" && !LoopbackHost(clean.Hostname()):
		return nil, "plain http is for this machine alone (localhost, 127.0.0.1, [::1]); use https://"
	}
	return clean, ""
}

func baseHost(u *url.URL) (string, Sentence) {
	name := strings.ToLower(u.Hostname())
	if name == "" || len(name) > 253 {
		return "", whyBaseHost
	}
	if strings.HasPrefix(u.Host, "[") {
		addr, _ := netip.ParseAddr(name)
		if !addr.Is6() || addr.Zone() != "" {
			return "", whyBaseHost
		}
		name = "[" + addr.String() + "]"
	} else if strings.ContainsFunc(name, func(r rune) bool { return r > 0x7e }) {
		return "", "the host of the address has letters outside a-z; write it in its xn-- form"
	} else if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		return "", whyBaseHost
	}
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil || port == 0 {
		return "", "the port of the address must be a number from 1 to 65535"
	}
	if text := strconv.FormatUint(port, 10); text != portOf(&url.URL{Scheme: u.Scheme}) {
		name += ":" + text
	}
	return name, ""
}

// BasePath gives the escaped path prefix without trailing slashes; false when a step
// of it is empty, . or ..
func BasePath(u *url.URL) (path string, ok bool) {
	path = strings.TrimRight(u.EscapedPath(), "/")
	for _, step := range strings.Split(path, "/")[1:] {
		plain, err := url.PathUnescape(step)
		// A hidden slash at a step's end is a trailing or empty step in disguise.
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.HasSuffix(plain, "/") {
			return "", false
		}
	}
	return path, true
}

func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80"}[u.Scheme], "443")
}

// LoopbackHost reports whether a host is this machine by its text; 127.1 is a name.
func LoopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, _ := netip.ParseAddr(host)
	return addr.Zone() == "" && addr.IsLoopback()
}

// Origin gives scheme, host and port in one comparable text.
func Origin(u *url.URL) string {
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), portOf(u))
}
