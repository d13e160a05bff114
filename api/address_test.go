package api

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// FuzzAddresses: no reference address that leads into this machine or network
// passes, whatever its spelling.
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
	})
}
