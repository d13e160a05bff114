package api

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestOwnAddressesOfALoopbackService(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, base string
		good          bool
	}{
		{"http://127.0.0.1:8080/files/a.png?signature=1", "http://127.0.0.1:8080", true},
		{"http://127.0.0.1:8080/elsewhere", "http://127.0.0.1:8080/gateway", true},
		{"HTTP://127.0.0.1:8080/a.png", "http://127.0.0.1:8080", true},
		{"http://localhost/a.png", "http://localhost:80", true},
		{"https://[::1]/a.png", "https://[::1]:443", true},
		{"https://example.com/a.png", "http://127.0.0.1:8080", true}, // public as ever

		{"http://127.0.0.1:8080/a.png", "", false},
		{"http://127.0.0.1:8080/a.png", "https://api.example.com", false},
		{"http://127.0.0.1:8081/a.png", "http://127.0.0.1:8080", false},
		{"https://127.0.0.1:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://localhost:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://127.0.0.2:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://127.1:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://127。0。0。1:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://user@127.0.0.1:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://127.0.0.1:8080@10.0.0.1/a.png", "http://127.0.0.1:8080", false},
		{"http://10.0.0.1:8080/a.png", "http://127.0.0.1:8080", false},
		{"http://192.168.1.9/a.png", "https://192.168.1.9", false}, // private, but not this machine
		{"https://10.0.0.1/a.png", "https://10.0.0.1", false},
		{"https://printer.local/a.png", "https://printer.local", false},
		{"https://service.localhost/a.png", "https://service.localhost", false},
	} {
		for field, r := range map[string]Request{
			"image_url":   {Kind: KindImage, Model: "a/b", Prompt: "p", ImageURL: c.address},
			"image_files": {Kind: KindVideo, Model: Seedance2, Prompt: "p", ImageFiles: []string{c.address}},
		} {
			got := Check(r, Model{}, c.base)
			if (len(got) == 0) != c.good {
				t.Errorf("%s %s with a service at %q: %v", field, c.address, c.base, got)
			}
			if len(got) > 0 && got[0].Code != codeURLPrivate && got[0].Code != codeURLUser {
				t.Errorf("%s %s is refused for %s", field, c.address, got[0].Code)
			}
		}
	}
}

// FuzzAddresses: no reference address that leads into this machine or network
// passes, whatever its spelling.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"https://example.com/a.png?b=c#d", "http://127.0.0.1/", "https://[::ffff:10.0.0.1]/x", "https://0x7f.1/",
		"https://2130706433/", "https://①②⑦.0.0.1/", "https://１２７。0。0。1/", "HTTPS://LOCALHOST./", "https://a.internal:99999/", "data:image/png;base64,AAAA",
		"file:///etc/passwd", "//host/x.mp4", "/files/a b.png", "../x.png", "https://u:p@h.example/", "https://[fe80::1%25eth0]/", "https://64:ff9b::7f00:1/", "http://\x00/",
		"https://h.example/%zz", "/9j/4AAQ", "https://h.example/?id=../..", "gs://a/b.png", "https://[2002:7f00:1::]/", "https://[64:ff9b::c612:1]/", "https://[2002:c612:1::]/", "https://198.18.0.1/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if code := checkAddress(s, ""); code == "" {
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
		} else if _, known := problems[code]; !known {
			t.Errorf("%q is refused for %q, which is no code", s, code)
		}
	})
}

func TestLinkExpiry(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)
	for address, want := range map[string]time.Time{
		"https://a.example/b.png": {},
		"https://a.example/b.png?X-Amz-Date=20260301T140020Z&X-Amz-Expires=300&X-Amz-Signature=1": at,
		"https://a.example/b.png?X-Goog-Date=20260301T140020Z&X-Goog-Expires=300":                 at,
		"https://a.example/b.png?Expires=1772373920&Signature=x":                                  at,
		"https://a.example/b.png?se=2026-03-01T14:05:20Z&sig=x":                                   at,
		"https://a.example/b.png?se=2026-03-01T14:05:20Z":                                         {},
		"https://a.example/b.png?expires=1772373920000&signature=x":                               at,
		"https://a.example/b.png?expires=177237392000":                                            {},
		"https://a.example/b.png?expires=3600":                                                    {},
		"https://a.example/b.png?X-Amz-Date=20260301T140020Z&X-Amz-Expires=-1":                    {},
		"ht\x00tp://x?Expires=1772373920":                                                         {},
	} {
		got, ok := LinkExpiry(address)
		if !got.Equal(want) || ok == want.IsZero() {
			t.Errorf("%s expires %v (%t), want %v", address, got, ok, want)
		}
	}
}
