package api

import (
	"errors"
	"strings"
	"testing"
)

func TestParseBase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"https://api.example.com", "https://api.example.com"},
		{"  https://api.example.com/  ", "https://api.example.com"},
		{"HTTPS://API.Example.COM:443/v2//", "https://api.example.com/v2"},
		{"https://api.example.com:8443/a/b/", "https://api.example.com:8443/a/b"},
		{"https://api.example.com/api/v10", "https://api.example.com/api/v10"},
		{"https://gateway.example/api/v1/tenant", "https://gateway.example/api/v1/tenant"},
		{"https://api.example.com/a%2Fb", "https://api.example.com/a%2Fb"},
		{"https://xn--bcher-kva.example", "https://xn--bcher-kva.example"},
		{"https://10.0.0.7:9000", "https://10.0.0.7:9000"},
		{"https://api.example.com:", "https://api.example.com"},
		{"http://localhost:80", "http://localhost"},
		{"http://LOCALHOST:8080", "http://localhost:8080"},
		{"http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"},
		{"http://127.9.9.9", "http://127.9.9.9"},
		{"http://[::1]:8080", "http://[::1]:8080"},
		{"http://[0:0:0:0:0:0:0:1]:8080", "http://[::1]:8080"},
	} {
		u, err := ParseBase(c.in)
		if err != nil || u.String() != c.want {
			t.Errorf("ParseBase(%q) = %v, %v; want %s", c.in, u, err, c.want)
		}
	}
}

func TestParseBaseRefuses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]error{
		"":                                             errBaseEmpty,
		"api.example.com":                              errBaseScheme,
		"127.0.0.1:8080":                               errBaseScheme,
		"ftp://api.example.com":                        errBaseScheme,
		"file:///etc/passwd":                           errBaseScheme,
		"http://api.example.com":                       errBasePlain,
		"http://localhost.example.com":                 errBasePlain,
		"http://127.0.0.1.example.com":                 errBasePlain,
		"http://127.1":                                 errBasePlain,
		"http://2130706433":                            errBasePlain,
		"http://0.0.0.0":                               errBasePlain,
		"http://192.168.1.1":                           errBasePlain,
		"http://[fe80::1]":                             errBasePlain,
		"https://me:pass@api.example.com":              errBaseUser,
		"https://ak_1@api.example.com":                 errBaseUser,
		"https://api.example.com/ak_Aa1Bb2Cc3Dd4Ee5":   errBaseKey,
		"https://api.example.com/v1%2Fak_Aa1Bb2Cc3Dd4": errBaseKey,
		"https://api.example.com?x=1":                  errBaseQuery,
		"https://api.example.com/?":                    errBaseQuery,
		"https://api.example.com/#":                    errBaseFragment,
		"https://api.example.com/a#b":                  errBaseFragment,
		"https://":                                     errBaseHost,
		"https://:443":                                 errBaseHost,
		"https://[::1%25lo0]:443":                      errBaseHost,
		"https://bücher.example":                       errBaseForeign,
		"https://аpi.example.com":                      errBaseForeign, // the first letter is Cyrillic
		"https://api.example.com:0":                    errBasePort,
		"https://api.example.com:65536":                errBasePort,
		"https://api.example.com/a/../b":               errBasePath,
		"https://api.example.com/a/%2e%2e/b":           errBasePath,
		"https://api.example.com/a//b":                 errBasePath,
		"https://api.example.com/%2F":                  errBasePath,
		"https://api.example.com/a%2F":                 errBasePath,
		"https://api.example.com/api/v1":               errBaseAPI,
		"https://api.example.com/x/api/v1/models":      errBaseAPI,
		"https:api.example.com":                        errBaseText,
		"https://api.example.com/\x1b[31m":             errBaseText,
		"https://" + strings.Repeat("a", 3e3):          errBaseText,
	} {
		if u, err := ParseBase(in); !errors.Is(err, want) {
			t.Errorf("ParseBase(%q) = %v, %v; want the error %v", in, u, err, want)
		}
	}
}

func FuzzParseBase(f *testing.F) {
	for _, s := range []string{
		"https://api.example.com/v1/", "http://127.0.0.1:8080", "http://[::1]", "https://a@b", "https://a:99999",
		"https://a/%2e%2e", "http://localhost:80//", "https://a?b#c", "https://[::ffff:127.0.0.1]:1", "http:///x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseBase(s)
		if err != nil {
			if len(s) > 12 && strings.Contains(err.Error(), s) {
				t.Fatalf("the error repeats the text: %v", err)
			}
			return
		}
		if u.Scheme != "https" && (u.Scheme != "http" || !LoopbackHost(u.Hostname())) {
			t.Fatalf("%q: plain %s", s, u)
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Host == "" || strings.HasSuffix(u.String(), "/") {
			t.Fatalf("%q: %s holds what it must not", s, u)
		}
		again, err := ParseBase(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q: %s became %v, %v", s, u, again, err)
		}
	})
}
