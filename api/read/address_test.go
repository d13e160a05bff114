package read

import "testing"

// FuzzResultAddresses: no text is taken for both an address and a path, and an
// id that is found in an address is part of it.
func FuzzResultAddresses(f *testing.F) {
	for _, s := range []string{"https://example.com/a.png?b=c#d", "http://127.0.0.1/", "https://[::ffff:10.0.0.1]/x", "https://0x7f.1/",
		"https://2130706433/", "https://①②⑦.0.0.1/", "https://１２７。0。0。1/", "HTTPS://LOCALHOST./", "https://a.internal:99999/", "data:image/png;base64,AAAA",
		"file:///etc/passwd", "//host/x.mp4", "/files/a b.png", "../x.png", "https://u:p@h.example/", "https://[fe80::1%25eth0]/", "https://64:ff9b::7f00:1/", "http://\x00/",
		"https://h.example/%zz", "/9j/4AAQ", "https://h.example/?id=../..", "gs://a/b.png", "https://[2002:7f00:1::]/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if isAddress(s) && isRelative(s) {
			t.Errorf("%q is taken for both an address and a path", s)
		}
		if id := idInURL(s); len(id) > len(s) {
			t.Errorf("%q gives the id %q", s, id)
		}
		mediaSuffix(s)
	})
}
