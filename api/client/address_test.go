package client

import (
	"net/url"
	"strings"
	"testing"

	"darkroom/api"
)

// FuzzAddress: whatever base URL is taken, calls stay below it and at its origin.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://api.example.com", "https://api.example.com/gw/", "http://127.0.0.1:8080", "https://h.example/%2e", "https://[::1]:1/a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := api.ParseBase(s)
		if err != nil {
			return
		}
		c := New(Options{Base: u})
		full, err := c.address("/api/v1/jobs/"+url.PathEscape("a/../b"), nil)
		if err != nil || api.Origin(full) != api.Origin(u) || !strings.HasPrefix(full.String(), u.String()+"/api/v1/") {
			t.Fatalf("%q: %s became %v, %v", s, u, full, err)
		}
	})
}
