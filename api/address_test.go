package api

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// FuzzAddresses: no reference address that leads into this machine or network
// passes, whatever its spelling, and no result's address is kept that cannot
// be fetched.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"https://example.com/a.png?b=c#d", "http://127.0.0.1/", "https://[::ffff:10.0.0.1]/x", "https://0x7f.1/",
		"https://2130706433/", "https://①②⑦.0.0.1/", "https://１２７。0。0。1/", "HTTPS://LOCALHOST./", "https://a.internal:99999/", "data:image/png;base64,AAAA",
		"file:///etc/passwd", "//host/x.mp4", "/files/a b.png", "../x.png", "https://u:p@h.example/", "https://[fe80::1%25eth0]/", "https://64:ff9b::7f00:1/", "http://\x00/",
		"https://h.example/%zz", "/9j/4AAQ", "https://h.example/?id=../..", "gs://a/b.png", "https://[2002:7f00:1::]/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if code, format := checkAddress(s); code == "" {
			u, err := url.Parse(s)
			if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(s, " \r\n\t\x00") {
				t.Fatalf("%q passes: %v", s, err)
			}
			if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
				ip = ip.Unmap()
				if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() {
					t.Errorf("%q passes, an address of this machine or network", s)
				}
			}
		} else if format == "" {
			t.Errorf("%q is refused without a sentence: %s", s, code)
		}
		if isAddress(s) && isRelative(s) {
			t.Errorf("%q is taken for both an address and a path", s)
		}
		if id := idInURL(s); len(id) > len(s) {
			t.Errorf("%q gives the id %q", s, id)
		}
		mediaSuffix(s)
		soundSuffix(s)
	})
}

// FuzzToolsPath: what a person sets as the tool entry's place stays at the
// base URL's origin, without a query and without steps upwards.
func FuzzToolsPath(f *testing.F) {
	for _, s := range []string{"/api/v1/mcp", "https://api.example.com/gw/mcp", "https://evil.example/mcp", "//evil.example/mcp", "/a/../b", "/%2e%2e/b", "/a?b", "/a#b", "mcp", "", " /x ", "/\\evil.example", "/" + strings.Repeat("\xa1", 900)} {
		f.Add(s)
	}
	base, err := ParseBase("https://api.example.com/gw")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := ParseToolsPath(base, s)
		if err != nil {
			if path != "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %q beside %v", s, path, err)
			}
			return
		}
		u, err := base.Parse(path)
		if err != nil || origin(u) != origin(base) || u.RawQuery != "" || u.Fragment != "" || !strings.HasPrefix(path, "/") {
			t.Errorf("%q leads to %q: %v", s, path, err)
		}
		if again, err := ParseToolsPath(&url.URL{Scheme: base.Scheme, Host: base.Host}, path); err != nil || again != path {
			t.Errorf("%q becomes %q, then %q: %v", s, path, again, err)
		}
	})
}
