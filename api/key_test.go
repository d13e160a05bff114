package api

import (
	"bytes"
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
	out := map[string]string{"raw": s, "url": url.QueryEscape(s), "path": url.PathEscape(s)}
	var percent, lower, unicode, hex strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&percent, "%%%02X", c)
		fmt.Fprintf(&lower, "%%%02x", c)
		fmt.Fprintf(&unicode, `\u%04X`, c)
		fmt.Fprintf(&hex, `\x%02x`, c)
	}
	out["every byte"], out["in small letters"], out["every rune"], out[`\x`] = percent.String(), lower.String(), unicode.String(), hex.String()
	quoted, _ := json.Marshal(s)
	out["json"] = strings.Trim(string(quoted), `"`)
	twice, _ := json.Marshal(out["json"])
	out["json twice"], out["json of url"] = strings.Trim(string(twice), `"`), strings.ReplaceAll(url.QueryEscape(s), "%", `\u0025`)
	return out
}

func TestRedact(t *testing.T) {
	t.Parallel()
	k := testKey(t, "ak_"+testSecret)
	for form, text := range forms(k.Reveal()) {
		for _, around := range []string{"", "a", "%", "%2", `\u00`, strings.Repeat("x", 9000)} {
			in, want := `{"error":"`+around+text+around+text+`","n":1}`, `{"error":"`+around+k.String()+around+k.String()+`","n":1}`
			got := k.RedactString(in)
			if got != want || string(k.Redact([]byte(in))) != want || k.RedactString(got) != got {
				t.Errorf("%s: %s becomes %s", form, in, got)
			}
		}
	}
	for _, text := range []string{"", "ak_", "nothing here", testSecret, "100% sure\\", `%zz \u12`, "ak_other-key-altogether"} {
		if got := k.RedactString(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := testKey(t, "ak_abc").RedactString("the ak_abc of abc"); got != "the ak_… of abc" {
		t.Errorf("a short key leaves %q", got)
	}
	if got := (Key{}).RedactString("text"); got != "text" {
		t.Errorf("no key redacts to %q", got)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(testSecret, "before ", " after")
	f.Add("abc", "%", `\u00`)
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		k, err := ParseKey("ak_" + secret)
		if err != nil || strings.Contains(secret, keyPrefix) { // its hint may end in the beginning of a key
			return
		}
		if got := k.Redact([]byte(before + k.Reveal() + after)); k.In(got) {
			t.Errorf("%q keeps the key", got)
		}
	})
}

func BenchmarkRedactMegabyte(b *testing.B) {
	k := testKey(b, "ak_"+strings.Repeat("Q7xW2m9Zt4Kp8Rn3", 4))
	for name, text := range map[string]string{
		"plain":   strings.Repeat("A plain answer of the service. ", 1<<20/31),
		"escaped": strings.Repeat(`"https:\/\/example.com\/a%20b" `, 1<<20/31),
		"slashes": strings.Repeat(`\`, 1<<20),
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
		"job_ak_0123456789abcdef-":                       "job_ak_…",
		"the service refused the key ak_…9f3c":           "the service refused the key ak_…9f3c",
		"a key starts with ak_":                          "a key starts with ak_",
	} {
		if got := HideKeys(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
