package api

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
)

// testSecret has letters that URLs, JSON and base64 spell in other ways.
const testSecret = `Q7x/+"W2m<9Zt&4Kp\8Rn=3Yb%6Hd?1Lf~0Vc`

func testKey(t testing.TB, text string) Key {
	t.Helper()
	k, err := ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]error{
		"ak_x": nil, " \tak_0123\r\n": nil, "ak_" + strings.Repeat("~", 512): nil,
		"": ErrKeyEmpty, "  ": ErrKeyEmpty, "sk_123": ErrKeyPrefix, "AK_1": ErrKeyPrefix, "ak_": ErrKeyShort,
		"ak_a b": ErrKeyChars, "ak_a\nb": ErrKeyChars, "ak_é": ErrKeyChars, "ak_\x7f": ErrKeyChars, "ak_\xff": ErrKeyChars,
		"ak_" + strings.Repeat("a", 513): ErrKeyLong,
	} {
		k, err := ParseKey(in)
		if !errors.Is(err, want) || k.IsZero() != (want != nil) {
			t.Errorf("ParseKey(%q) = %v, want %v", in, err, want)
		}
		if want == nil && k.Reveal() != strings.TrimSpace(in) {
			t.Errorf("ParseKey(%q) reveals another key", in)
		}
	}
	if testKey(t, "ak_same") != testKey(t, " ak_same") {
		t.Error("two keys of one text differ")
	}
}

func TestKeyPrintsItsHint(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ak_0123456789ab9f3c": "ak_…9f3c", "ak_01234567": "ak_…67", "ak_0123": "ak_…3", "ak_abc": "ak_…", "ak_a": "ak_…",
	} {
		k := testKey(t, in)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%20s", "%-3s"} {
			if got := fmt.Sprintf(verb, k); got != want {
				t.Errorf("%s of %s prints %q", verb, in, got)
			}
			if got := fmt.Sprintf(verb, &k); got != want {
				t.Errorf("%s of its pointer prints %q", verb, got)
			}
		}
	}
	if s := (Key{}).String() + (Key{}).Reveal(); s != "" {
		t.Errorf("no key prints %q", s)
	}
}

func TestKeyIsSealed(t *testing.T) {
	t.Parallel()
	k := testKey(t, "ak_"+testSecret)
	var hidden any = struct{ k Key }{k} // fmt cannot call the methods of k in here
	shown := struct{ K Key }{k}
	asJSON, err := json.Marshal(map[Key]Key{k: k})
	if err != nil {
		t.Fatal(err)
	}
	var log, gobbed bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("key", "k", k, "shown", shown)
	slog.New(slog.NewTextHandler(&log, nil)).Info("key", "k", k, "hidden", hidden)
	if gob.NewEncoder(&gobbed).Encode(shown) == nil {
		t.Error("gob took the key")
	}
	all := fmt.Sprintf("%v %+v %#v %s %q %x", hidden, hidden, hidden, hidden, hidden, hidden) +
		fmt.Sprint(fmt.Errorf("%w %v", errKeySealed, shown)) + string(asJSON) + log.String() + gobbed.String()
	for _, part := range []string{testSecret[:8], testSecret[20:28], hex.EncodeToString([]byte(testSecret[:8]))} {
		if strings.Contains(all, part) {
			t.Errorf("%q is told in %s", part, all)
		}
	}
}

// forms gives the ways in which a text may stand in an answer.
func forms(s string) map[string]string {
	out := map[string]string{"raw": s, "upper": strings.ToUpper(s), "hex": hex.EncodeToString([]byte(s)),
		"HEX": strings.ToUpper(hex.EncodeToString([]byte(s))),
		"url": url.QueryEscape(s), "path": url.PathEscape(s), "lower url": strings.ToLower(url.QueryEscape(s))}
	var every, unicode strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&every, "%%%02x", c)
		fmt.Fprintf(&unicode, `\u%04X`, c)
	}
	out["every byte"], out["every rune"] = every.String(), unicode.String()
	quoted, _ := json.Marshal(s)
	out["json"] = string(quoted)
	twice, _ := json.Marshal(string(quoted))
	out["json twice"], out["json of url"] = string(twice), strings.ReplaceAll(url.QueryEscape(s), "%", `\u0025`)
	for i := range 3 {
		text := []byte(strings.Repeat("-", i) + s + "tail")
		for name, e := range map[string]*base64.Encoding{"std": base64.StdEncoding, "rawstd": base64.RawStdEncoding,
			"url": base64.URLEncoding, "rawurl": base64.RawURLEncoding} {
			out[fmt.Sprint("base64 ", name, i)] = e.EncodeToString(text)
			out[fmt.Sprint("base64 in json ", name, i)] = strings.ReplaceAll(e.EncodeToString(text), "/", `\/`)
			out[fmt.Sprint("base64 in url ", name, i)] = url.QueryEscape(e.EncodeToString(text))
		}
	}
	return out
}

func TestRedact(t *testing.T) {
	t.Parallel()
	k := testKey(t, "ak_"+testSecret)
	for name, part := range map[string]string{"whole": k.Reveal(), "secret": testSecret, "eight": testSecret[11:19], "tail": testSecret[20:]} {
		for form, text := range forms(part) {
			in := `{"error":"` + text + `","n":1}`
			got := k.RedactString(in)
			if !strings.Contains(got, k.String()) || !strings.HasPrefix(got, `{"error":"`) || !strings.HasSuffix(got, `","n":1}`) {
				t.Errorf("%s, %s: %s becomes %s", name, form, in, got)
			}
			if again := k.RedactString(got); again != got {
				t.Errorf("%s, %s: %s again becomes %s", name, form, got, again)
			}
			if string(k.Redact([]byte(in))) != got {
				t.Errorf("%s, %s: Redact and RedactString differ", name, form)
			}
		}
	}
	for _, text := range []string{"", "ak_", "nothing here", testSecret[:7], "100% sure\\", `%zz \u12`, "ak_other-key-altogether"} {
		if got := k.RedactString(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	short := testKey(t, "ak_abc")
	if got := short.RedactString("the ak_abc of abc"); got != "the ak_… of abc" {
		t.Errorf("a short key leaves %q", got)
	}
	if got := (Key{}).RedactString("text"); got != "text" {
		t.Errorf("no key redacts to %q", got)
	}
}

// Nothing of the key is left where its bytes are written as \x41, nor where its
// base64 has the letters in which the alphabets differ.
func TestRedactLeavesNoPart(t *testing.T) {
	t.Parallel()
	const secret = "a??????b???????c?????????d????e"
	k := testKey(t, "ak_"+secret)
	whole := func(text string) {
		t.Helper()
		if got := k.RedactString(text); got != k.String() {
			t.Errorf("%s leaves %s", text, got)
		}
	}
	for _, digits := range []string{`\x%02x`, `\x%02X`, `\\x%02x`} {
		var text strings.Builder
		for _, c := range []byte(k.Reveal()) {
			fmt.Fprintf(&text, digits, c)
		}
		if strings.HasPrefix(digits, `\\`) { // as a JSON string holds it
			if got := k.RedactString(text.String()); strings.Trim(got, `\`) != k.String() {
				t.Errorf("%s leaves %s", &text, got)
			}
			continue
		}
		whole(text.String())
	}
	for name, e := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.RawURLEncoding} {
		for shift := range 3 {
			text := e.EncodeToString([]byte(strings.Repeat("-", shift) + secret))
			if other := map[string]string{"std": "/", "url": "_"}[name]; strings.Count(text, other) < 3 {
				t.Fatalf("%s has too few %s", text, other)
			}
			// The letters at the ends are of other bytes as well.
			if left := strings.Trim(strings.Replace(k.RedactString(text), k.String(), "", 1), "="); len(left) > shift+3 {
				t.Errorf("%s %d: %s leaves %s", name, shift, text, left)
			}
		}
	}
}

// TestRedactAcrossWindows puts the key, in every form and with three layers of
// escapes, across the places where one window of a long text ends or begins.
func TestRedactAcrossWindows(t *testing.T) {
	t.Parallel()
	k := testKey(t, "ak_"+testSecret)
	all := forms(k.Reveal())
	deep := k.Reveal()
	for range redactLayers - 1 {
		deep = forms(deep)["every rune"]
	}
	all["deep"] = deep
	for form, text := range all {
		for _, at := range []int{redactWindow - redactOverlap, redactWindow} {
			backs := []int{len(text) / 2, 1, len(text) - 1}
			if testing.Short() { // as under -race, whose instruments take ten times as long
				backs = backs[:1]
			}
			for _, back := range backs {
				head := strings.Repeat(".", at-back)
				tail := strings.Repeat(",", redactOverlap)
				want := head + k.RedactString(text) + tail
				if got := k.RedactString(head + text + tail); got != want {
					t.Errorf("%s, %d before %d: %q, want %q", form, back, at, strings.Trim(got, ".,"), strings.Trim(want, ".,"))
				}
			}
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(testSecret, "before ", " after", uint8(3), uint8(20))
	f.Add("abc", "%", `\u00`, uint8(0), uint8(9))
	f.Fuzz(func(t *testing.T, secret, before, after string, from, size uint8) {
		k, err := ParseKey("ak_" + secret)
		if err != nil {
			return
		}
		s := strings.TrimPrefix(k.Reveal(), "ak_")
		part := s[min(int(from), len(s)):]
		part = part[:min(int(size), len(part))]
		got := k.RedactString(before + part + after)
		// The mask ends in the key's own last characters, which may make a part
		// of a repetitive key together with what follows.
		if len(part) >= minSecretPart && strings.Contains(strings.ReplaceAll(got, k.String(), "\x00"), part) {
			t.Errorf("%q keeps %q", got, part)
		}
		k.RedactString(after + hex.EncodeToString([]byte(before)))
	})
}

func BenchmarkRedactMegabyte(b *testing.B) {
	k := testKey(b, "ak_"+strings.Repeat("Q7xW2m9Zt4Kp8Rn3", 4))
	for name, text := range map[string]string{
		"plain":   strings.Repeat("A plain answer of the service. ", 1<<20/31),
		"escaped": strings.Repeat(`"https:\/\/example.com\/a%20b" `, 1<<20/31),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			in := []byte(text)
			for b.Loop() {
				k.Redact(in)
			}
		})
	}
}

func TestInFindsTheWholeKeyAlone(t *testing.T) {
	t.Parallel()
	k, err := ParseKey(`ak_Zq7v"T2/mXw9Kd4RbYh`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`a prompt`:                              false,
		`half of it: Zq7v"T2/mXw9Kd4RbY`:        false,
		`before ak_Zq7v"T2/mXw9Kd4RbYh after`:   true,
		`{"prompt":"ak_Zq7v\"T2\/mXw9Kd4RbYh"}`: true,
		`?k=ak_Zq7v%22T2%2fmXw9Kd4RbYh`:         true,
	} {
		if got := k.In([]byte(text)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	if (Key{}).In([]byte("anything")) {
		t.Error("no key is in everything")
	}
}

func TestHideKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`unknown command "ak_0123456789" for "darkroom"`: `unknown command "ak_…" for "darkroom"`,
		"/home/Oak_Street99/darkroom":                    "/home/Oak_Street99/darkroom",
		"the service refused the key ak_…9f3c":           "the service refused the key ak_…9f3c",
		"a key starts with ak_":                          "a key starts with ak_",
	} {
		if got := HideKeys(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
