package mcp

import (
	"net/url"
	"strings"
	"testing"

	"darkroom/api"
)

// FuzzToolsPath: what a person sets as the tool entry's place stays at the
// base URL's origin, without a query and without steps upwards.
func FuzzToolsPath(f *testing.F) {
	for _, s := range []string{"/api/v1/mcp", "https://api.example.com/gw/mcp", "https://evil.example/mcp", "//evil.example/mcp", "/a/../b", "/%2e%2e/b", "/a?b", "/a#b", "mcp", "", " /x ", "/\\evil.example", "/" + strings.Repeat("\xa1", 900)} {
		f.Add(s)
	}
	base, err := api.ParseBase("https://api.example.com/gw")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		path, err := ParseEntryPath(base, s)
		if err != nil {
			if path != "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %q beside %v", s, path, err)
			}
			return
		}
		u, err := base.Parse(path)
		if err != nil || api.Origin(u) != api.Origin(base) || u.RawQuery != "" || u.Fragment != "" || !strings.HasPrefix(path, "/") {
			t.Errorf("%q leads to %q: %v", s, path, err)
		}
		if again, err := ParseEntryPath(&url.URL{Scheme: base.Scheme, Host: base.Host}, path); err != nil || again != path {
			t.Errorf("%q becomes %q, then %q: %v", s, path, again, err)
		}
	})
}
