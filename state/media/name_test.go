package media

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/state/store"
)

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Harbour at dawn":             "harbour-at-dawn",
		"  ../../etc/passwd  ":        "etc-passwd",
		"海边的日出，水彩":                    "海边的日出-水彩",
		"CON":                         "con",
		".hidden\x00\x1b[31mred":      "hidden-31mred",
		"a\u202egnp.exe":              "a-gnp-exe",
		"\u3164\u3164":                "",
		"Été à Paris":                 "été-à-paris",
		"!!!":                         "",
		strings.Repeat("word ", 40):   strings.TrimSuffix(strings.Repeat("word-", 12), "-"),
		strings.Repeat("夜", 30):       strings.Repeat("夜", 20),
		"broken \xff\xfe utf8 \x80ok": "broken-utf8-ok",
	} {
		if got := slugOf(title); got != want {
			t.Errorf("slugOf(%q) = %q, want %q", title, got, want)
		}
	}
}

// safeName is what every name must be, whatever it was made from.
func safeName(t *testing.T, name string) {
	t.Helper()
	switch {
	case !utf8.ValidString(name), len(name) > 140, strings.HasPrefix(name, "-"),
		strings.ContainsAny(name, "/\\:*?\"<>|%$`'\x00 "), filepath.Base(name) != name,
		strings.HasSuffix(name, "."), !filepath.IsLocal(name):
		t.Errorf("unsafe name %q", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
			t.Errorf("name %q holds %U", name, r)
		}
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("Harbour at dawn", "k3v9q2mxabcdefgh", 1)
	f.Add("../../etc", "../../x", 2)
	f.Add("海边\u200b\u202e", "", 3)
	f.Add("NUL.", strings.Repeat("a", 100), -1)
	f.Add("\xffA\u0301\u0345ǅ", "ABC/..", 1<<40)
	f.Fuzz(func(t *testing.T, title, id string, n int) {
		w := Want{Title: title, Job: id, N: n, Kind: api.KindVideo, Created: time.Unix(1e9, 0)}
		for _, name := range []string{fileName("", w, 0, ".mp4"), fileName("", w, 3, ".bin")} {
			safeName(t, name)
			if stem, ok := resultStem(name); !ok || !strings.HasSuffix(stem, nameEnd(id, n)) {
				t.Errorf("%q is not found again", name)
			}
		}
		safeName(t, partName(id, n))
		if len(slugOf(title)) > maxSlug {
			t.Errorf("slug of %q is too long", title)
		}
	})
}

func TestNamesByPattern(t *testing.T) {
	t.Parallel()
	seed := int64(42)
	at := time.Date(2026, 3, 1, 14, 5, 6, 0, time.Local)
	whole := Want{Title: "Harbour at dawn", Model: "lumen/still-1", Seed: &seed, Kind: api.KindImage, Created: at, Job: "k3v9q2mxabcd", N: 1}
	bare := Want{Title: "../..", Model: "../..", Kind: api.KindVideo, Created: at, Job: "k3v9q2mxabcd", N: 2}
	const long = "{date}-{title}-{model}-{seed}-{id}-{n}"
	for _, c := range []struct {
		pattern, want string
		of            Want
		copies        int
	}{
		{"", "20260301-harbour-at-dawn-k3v9q2mx-1.png", whole, 0},
		{long, "20260301-harbour-at-dawn-lumen-still-1-42-k3v9q2mx-1.png", whole, 0},
		{long, "20260301-harbour-at-dawn-lumen-still-1-42-copy2-k3v9q2mx-1.png", whole, 2},
		{long, "20260301-video-k3v9q2mx-2.png", bare, 0},
		{"{seed}-{id}-{n}", "video-k3v9q2mx-2.png", bare, 0},
		{"{time}_{kind}-{id}-{n}", "140506_image-k3v9q2mx-1.png", whole, 0},
	} {
		name := fileName(c.pattern, c.of, c.copies, ".png")
		if name != c.want {
			t.Errorf("%q gives %q, want %q", c.pattern, name, c.want)
		}
		if stem, ok := resultStem(name); !ok || !strings.HasSuffix(stem, nameEnd(c.of.Job, c.of.N)) {
			t.Errorf("%q is not found again", name)
		}
	}
	most := whole
	most.Title, most.Model = strings.Repeat("海", 500), strings.Repeat("m", 500)
	longest := strings.Repeat("x", 40) + "{date}{time}{kind}{title}{model}{seed}-{id}-{n}"
	if name := fileName(longest, most, 99, ".webm"); len(name)+len(recipeEnd) > 255 {
		t.Errorf("%d bytes", len(name))
	}
}

func fetcherAt(base string) *Fetcher {
	u, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	return New(Options{Base: u, Dir: os.TempDir()})
}

func TestResolveAndAllow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, address, want string }{
		{"https://a.example", "/files/1.png?sig=x%2Fy", "https://a.example/files/1.png?sig=x%2Fy"},
		{"https://a.example", "files/1.png", "https://a.example/files/1.png"},
		{"https://a.example/gw", "/files/1.png", "https://a.example/gw/files/1.png"},
		{"https://a.example/gw", "/gw/files/1.png", "https://a.example/gw/files/1.png"},
		{"https://a.example/gw", "https://cdn.example/1.png#part", "https://cdn.example/1.png"},
		{"https://a.example", "//cdn.example/1.png", "https://cdn.example/1.png"},
		{"http://127.0.0.1:9", "http://localhost:8/x", "http://localhost:8/x"},
		{"https://10.0.0.1", "https://10.0.0.9/x", "https://10.0.0.9/x"},
		{"https://a.example", "http://cdn.example/1.png", ""},
		{"https://a.example", "http://127.0.0.1/1.png", ""},
		{"https://a.example", "https://127.0.0.1/1.png", ""},
		{"https://a.example", "https://[::1]/1.png", ""},
		{"https://a.example", "https://192.168.0.1/1.png", ""},
		{"https://10.0.0.1", "https://127.0.0.1/x", ""},
		{"http://127.0.0.1:9", "https://10.0.0.1/x", ""},
		{"http://127.0.0.1:9", "https://169.254.169.254/x", ""},
		{"https://a.example", "https://user:pw@cdn.example/x", ""},
		{"https://a.example", "ftp://cdn.example/x", ""},
		{"https://a.example", "javascript:alert(1)", ""},
		{"https://a.example", "https:///x", ""},
		{"https://a.example", "ht\x00tp://x", ""},
		{"https://a.example", "https://cdn.example/" + strings.Repeat("a", maxAddress), ""},
	} {
		u, err := fetcherAt(c.base).resolve(c.address)
		got := ""
		if err == nil {
			got = u.String()
		}
		if got != c.want {
			t.Errorf("%s with %s: got %q, want %q (%v)", c.base, c.address, got, c.want, err)
		}
	}
}

// A name that resolves to a private address must be refused while connecting.
func TestDialJudgesTheResolvedAddress(t *testing.T) {
	t.Parallel()
	_, err := fetcherAt("https://a.example").dial(t.Context(), "tcp", "localhost:1")
	if err == nil || !strings.Contains(err.Error(), errPrivate.Error()) {
		t.Errorf("dialling localhost gave %v", err)
	}
	_, err = fetcherAt("http://127.0.0.1:1").dial(t.Context(), "tcp", "localhost:1")
	if err == nil || strings.Contains(err.Error(), errPrivate.Error()) {
		t.Errorf("dialling localhost for a service on it gave %v", err)
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"/x", "https://a/b?c", "//h", "http://[::1]/", "https://[::ffff:10.0.0.1]:443", "..//..\\x", "https://0x7f.1/", "https://①②⑦.0.0.1/"} {
		f.Add(s)
	}
	local, far := fetcherAt("http://127.0.0.1:9/gw"), fetcherAt("https://a.example/gw")
	f.Fuzz(func(t *testing.T, address string) {
		if u, err := far.resolve(address); err == nil {
			if u.Scheme != "https" || u.Host == "" || u.User != nil {
				t.Errorf("%q resolves to %q", address, u)
			}
			if ip, err := netip.ParseAddr(u.Hostname()); err == nil && api.ReachOf(ip) != api.ReachPublic {
				t.Errorf("%q leads to %v", address, ip)
			}
		}
		if u, err := local.resolve(address); err == nil && u.Scheme == "http" && !api.LoopbackHost(u.Hostname()) {
			t.Errorf("%q leaves this machine in plain: %q", address, u)
		}
	})
}

func TestSniff(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\n....":                                ".png",
		"\xff\xd8\xff\xe0":                                     ".jpg",
		"RIFF\x10\x00\x00\x00WEBPVP8 ":                         ".webp",
		"RIFF\x10\x00\x00\x00WAVEfmt ":                         ".bin",
		"GIF89a...":                                            ".gif",
		"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00":             ".mp4",
		"\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00":             ".mov",
		"\x00\x00\x00\x08wide\x00\x01\x02\x03mdat":             ".mov",
		"\x00\x00\x00\x20ftypavif\x00\x00\x02\x00":             ".bin",
		"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm": ".webm",
		"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska":             ".bin",
		"<!doctype html>":                                      ".bin",
		"#!/bin/sh":                                            ".bin",
		"":                                                     ".bin",
	} {
		if got := sniff([]byte(head)).ext; got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x20ftypisom"))
	f.Add([]byte("RIFF"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if m := sniff(head); m.ext == "" || m.name == "" {
			t.Error("no type")
		}
	})
}

func TestRecipeHoldsNoAddressOfAResult(t *testing.T) {
	t.Parallel()
	f := New(Options{Dir: filepath.Join(t.TempDir(), "results"), Recipes: true})
	w := want("")
	w.Result.Data = pngBytes
	file, err := f.Fetch(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	file.URL = "https://cdn.example/x?X-Signature=hidden"
	j := store.Job{Row: store.Row{ID: job, RemoteID: "r1", Kind: api.KindImage, Model: "m"}, Files: []store.File{file},
		Results:  []api.Result{{URL: file.URL}},
		Estimate: api.Estimate{Credits: 4 * api.Credit, Source: api.SourceTable},
		Request: api.Request{Kind: api.KindImage, Model: "m", Prompt: "p",
			ImageURL:   "https://u:hidden@mine.example/a.png?token=hidden#hidden",
			ImageFiles: []string{"data:image/png;base64,hidden"}}}
	for range 2 {
		noError(t, f.WriteRecipe(j))
	}
	name := "20260301-harbour-at-dawn-k3v9q2mx-1"
	wantFolder(t, f, name+".darkroom.json", name+".png")
	text, err := os.ReadFile(filepath.Join(f.dir, name+recipeEnd))
	if err != nil || strings.Contains(string(text), "hidden") || strings.Contains(string(text), "cdn.example") {
		t.Errorf("the recipe holds an address: %s, %v", text, err)
	}
	var back recipe
	if err := json.Unmarshal(text, &back); err != nil || back.Request.ImageURL != "https://mine.example/a.png" ||
		*back.Credits != 4*api.Credit || back.Files[0].SHA256 != file.SHA256 {
		t.Errorf("read back %+v, %v", back, err)
	}
}

// FuzzReach: an address that carries an inner one, however it is spelled, is
// never nearer to a service elsewhere than that one.
func FuzzReach(f *testing.F) {
	for _, s := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "::10.0.0.1", "fe80::1%eth0", "169.254.169.254",
		"fd00:ec2::254", "0.0.0.0", "::", "224.0.0.1", "2606:4700::1111", "100.64.0.1", "64:ff9b:1::7f00:1", "::ffff:0:127.0.0.1"} {
		ip := netip.MustParseAddr(s)
		f.Add(ip.AsSlice(), s)
	}
	far := fetcherAt("https://a.example/gw")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		list := []netip.Addr{}
		if ip, ok := netip.AddrFromSlice(raw); ok {
			list = append(list, ip)
		}
		if ip, err := netip.ParseAddr(text); err == nil {
			list = append(list, ip)
		}
		for _, ip := range list {
			plain := ip.Unmap().WithZone("")
			near := plain.IsLoopback() || plain.IsPrivate() || plain.IsLinkLocalUnicast() || plain.IsUnspecified() || plain.IsMulticast()
			if far.mayReach("cdn.example", ip) && near {
				t.Errorf("%v may be reached", ip)
			}
			if ip.Is4() && api.ReachOf(ip) != api.ReachOf(netip.AddrFrom16(ip.As16())) {
				t.Errorf("%v is %v, and written as IPv6 %v", ip, api.ReachOf(ip), api.ReachOf(netip.AddrFrom16(ip.As16())))
			}
		}
	})
}
