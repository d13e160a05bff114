package api

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// MaxBaseText is how long a base URL may be, in bytes.
const MaxBaseText = 2048

// Refusals of a base URL. None repeats the text: it may hold a password.
var (
	errBaseEmpty    = Sentence("no base URL; give the service's address, such as https://api.example.com").Fault(nil)
	errBaseText     = Sentence("the base URL cannot be read; give it as https://host or https://host/path").Fault(nil)
	errBaseScheme   = Sentence("the base URL must begin with https:// (http:// is for this machine alone)").Fault(nil)
	errBasePlain    = Sentence("plain http is for this machine alone (localhost, 127.0.0.1, [::1]); use https://").Fault(nil)
	errBaseHost     = Sentence("the base URL has no usable host; give it as https://host or https://host/path").Fault(nil)
	errBaseForeign  = Sentence("the base URL's host has letters outside a-z; write it in its xn-- form").Fault(nil)
	errBasePort     = Sentence("the base URL's port must be a number from 1 to 65535").Fault(nil)
	errBaseUser     = Sentence("the base URL must not hold a user name or password; the key is given apart from it").Fault(nil)
	errBaseKey      = Sentence("the base URL must not hold an API key; the key is given apart from it").Fault(nil)
	errBaseQuery    = Sentence("the base URL must not hold a query (?); give only scheme, host and path").Fault(nil)
	errBaseFragment = Sentence("the base URL must not hold a fragment (#); give only scheme, host and path").Fault(nil)
	errBaseAPI      = Sentence("the base URL must end before /api/v1, which darkroom adds; " +
		"give it as https://host or https://host/path").Fault(nil)
	errBasePath = Sentence("the base URL's path must not hold empty, . or .. steps; give it as https://host/path").Fault(nil)
)

// ofTheSpec is the end of a path that darkroom adds itself (spec, Endpoints).
var ofTheSpec = Pattern(`/api/v1(/(models|jobs|mcp|pricing/estimate|(images|videos)/generations))?$`)

// ParseBase reads a base URL: https, or http for loopback only; no user, query
// or fragment; a path prefix is kept, but not one of the spec. Host and port come
// back in one spelling, so that equal origins are equal texts. Errors are
// sentences and never repeat the text.
func ParseBase(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return nil, errBaseEmpty
	case len(s) > MaxBaseText:
		return nil, errBaseText
	case strings.Contains(s, "#"):
		return nil, errBaseFragment
	}
	u, err := url.Parse(s)
	switch {
	case err != nil && strings.Contains(s, "://"):
		return nil, errBaseText
	case err != nil || u.Scheme != "https" && u.Scheme != "http": // 127.0.0.1:80 cannot be read either
		return nil, errBaseScheme
	case u.User != nil:
		return nil, errBaseUser
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errBaseQuery
	case u.Opaque != "":
		return nil, errBaseText
	}
	host, err := baseHost(u)
	if err != nil {
		return nil, err
	}
	path, err := BasePath(u)
	if err != nil {
		return nil, err
	}
	shown := u.Host + u.Path
	// Parsing the rebuilt text again sets Path and RawPath together.
	clean, err := url.Parse(u.Scheme + "://" + host + path)
	switch {
	case ofTheSpec().MatchString(path):
		return nil, errBaseAPI
	case HideKeys(shown) != shown:
		return nil, errBaseKey
	case err != nil:
		return nil, errBaseText
	case clean.Scheme == "http" && !LoopbackHost(clean.Hostname()):
		return nil, errBasePlain
	}
	return clean, nil
}

func baseHost(u *url.URL) (string, error) {
	name := strings.ToLower(u.Hostname())
	if name == "" || len(name) > 253 {
		return "", errBaseHost
	}
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", errBaseHost
		}
		name = "[" + addr.String() + "]"
	} else if strings.ContainsFunc(name, func(r rune) bool { return r > 0x7e }) {
		return "", errBaseForeign
	} else if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		return "", errBaseHost
	}
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil || port == 0 {
		return "", errBasePort
	}
	if text := strconv.FormatUint(port, 10); text != portOf(&url.URL{Scheme: u.Scheme}) {
		name += ":" + text
	}
	return name, nil
}

// BasePath gives the escaped path prefix without trailing slashes.
func BasePath(u *url.URL) (string, error) {
	path := strings.TrimRight(u.EscapedPath(), "/")
	for _, step := range strings.Split(path, "/")[1:] {
		plain, err := url.PathUnescape(step)
		// A hidden slash at a step's end is a trailing or empty step in disguise.
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.HasSuffix(plain, "/") {
			return "", errBasePath
		}
	}
	return path, nil
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}

// LoopbackHost reports whether a host is this machine by its text; 127.1 is a name.
func LoopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Zone() == "" && addr.IsLoopback()
}

// Origin gives scheme, host and port in one comparable text.
func Origin(u *url.URL) string {
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), portOf(u))
}
