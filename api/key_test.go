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
	"unicode/utf8"

	"darkroom/api/sim/simtest/expect"
)

// testSecret has letters that URLs, JSON and base64 spell in other ways.
const testSecret = `Q7x/+"W2m<9Zt&4Kp\8Rn=3Yb%6Hd?1Lf~0Vc`

func testKey(t testing.TB, text string) Key {
	t.Helper()
	k, err := ParseKey(text)
	expect.Is(t, err, nil)
	return k
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]error{
		"ak_x": nil, "ak_!~": nil, " \tak_0123\r\n": nil, "ak_" + strings.Repeat("~", 512): nil,
		"": ErrKeyEmpty, "  ": ErrKeyEmpty, "sk_123": ErrKeyPrefix, "AK_1": ErrKeyPrefix, "ak_": ErrKeyShort,
		"ak_a b": ErrKeyChars, "ak_a\nb": ErrKeyChars, "ak_é": ErrKeyChars, "ak_\x7f": ErrKeyChars, "ak_\xff": ErrKeyChars,
		"ak_" + strings.Repeat("a", 513): ErrKeyLong,
	} {
		k, err := ParseKey(in)
		expect.That(t, errors.Is(err, want) && k.IsZero() == (want != nil), "ParseKey", in, err, "want", want)
		expect.That(t, want != nil || k.Reveal() == strings.TrimSpace(in), "ParseKey", in, "reveals another key")
	}
	expect.Equal(t, testKey(t, "ak_same"), testKey(t, " ak_same"), "two keys of one text differ")
}

func TestKeyPrintsItsHint(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"ak_0123456789abcdefghij9f3c": "ak_…9f3c", "ak_01234567": "ak_…67", "ak_0123": "ak_…3", "ak_abc": "ak_…", "ak_a": "ak_…",
	} {
		k := testKey(t, in)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%20s", "%-3s"} {
			got, pointer := fmt.Sprintf(verb, k), fmt.Sprintf(verb, &k)
			expect.That(t, got == want && pointer == want, verb, "of", in, "prints", got, "of its pointer", pointer)
		}
	}
	expect.Equal(t, (Key{}).String()+(Key{}).Reveal(), "", "no key prints")
}

func TestKeyIsSealed(t *testing.T) {
	t.Parallel()
	k := testKey(t, "ak_"+testSecret)
	var hidden any = struct{ k Key }{k} // fmt cannot call the methods of k in here
	shown := struct{ K Key }{k}
	asJSON, err := json.Marshal(map[Key]Key{k: k})
	var log, gobbed bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("key", "k", k, "shown", shown)
	slog.New(slog.NewTextHandler(&log, nil)).Info("key", "k", k, "hidden", hidden)
	expect.That(t, gob.NewEncoder(&gobbed).Encode(shown) != nil && err == nil, "gob took the key, or JSON does not work", err)
	all := fmt.Sprintf("%v %+v %#v %s %q %x", hidden, hidden, hidden, hidden, hidden, hidden) +
		fmt.Sprint(fmt.Errorf("%w %v", ErrKeyChars, shown)) + string(asJSON) + log.String() + gobbed.String()
	for _, part := range []string{testSecret[:8], testSecret[20:28], hex.EncodeToString([]byte(testSecret[:8]))} {
		expect.Lacks(t, all, part, "told")
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
			expect.That(t, got == want && string(k.Redact([]byte(in))) == want && k.RedactString(got) == got, form, in, "becomes", got)
		}
	}
	for _, text := range []string{"", "ak_", "nothing here", testSecret, "100% sure\\", `%zz \u12`, "ak_other-key-altogether"} {
		expect.Equal(t, k.RedactString(text), text)
	}
	short, none := testKey(t, "ak_abc").RedactString("the ak_abc of abc"), (Key{}).RedactString("text")
	expect.All(t, "the ak_… of abc text", short, none)
}

func FuzzRedact(f *testing.F) {
	f.Add(testSecret, "before ", " after")
	f.Add("abc", "%", `\u00`)
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		k, err := ParseKey("ak_" + secret)
		if err != nil || strings.Contains(secret, keyPrefix) { // its hint may end in the beginning of a key
			return
		}
		got := k.Redact([]byte(before + k.Reveal() + after))
		expect.That(t, !k.In(got), got, "keeps the key")
	})
}

func TestInFindsTheWholeKeyAlone(t *testing.T) {
	t.Parallel()
	k := testKey(t, `ak_Zq7v"T2/mXw9Kd4RbYh`)
	for text, want := range map[string]bool{
		`a prompt`:                              false,
		`half of it: Zq7v"T2/mXw9Kd4RbY`:        false,
		`before ak_Zq7v"T2/mXw9Kd4RbYh after`:   true,
		`ak_Zq7v"T2/mXw9Kd4RbYh`:                true,
		`{"prompt":"ak_Zq7v\"T2\/mXw9Kd4RbYh"}`: true,
		`?k=ak_Zq7v%22T2%2fmXw9Kd4RbYh`:         true,
	} {
		expect.Equal(t, k.In([]byte(text)), want, text)
	}
	expect.That(t, !(Key{}).In([]byte("anything")), "no key is in everything")
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
		expect.Equal(t, HideKeys(text), want, text)
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("\u0301", 4)
	for _, c := range []struct {
		in          string
		limit       int
		line, lines string
	}{
		{"plain", 10, "plain", "plain"}, {"plain", 5, "plain", "plain"}, {"plain", 4, "pla…", "pla…"},
		{"plain", 1, "…", "…"}, {"plain", 0, "", ""}, {"船在雨里", 3, "船在…", "船在…"},
		{"a\r\nb\tc\rd\n", 20, "a b c�d ", "a\nb c�d\n"},
		{"a\r", 20, "a�", "a�"},
		{"\n" + marks + "\x1b" + marks + "é" + marks, 20, " " + marks + "�" + marks + "é" + marks, "\n" + marks + "�" + marks + "é" + marks},
		{"\x1b]0;x\x07", 20, "�]0;x�", "�]0;x�"},
		{"\u009b31m\x7f\x00", 20, "�31m��", "�31m��"},
		{"a\u202eb\u2066c\u200fd\u061ce", 20, "a�b�c�d�e", "a�b�c�d�e"},
		{"a\u2028b\u2029c", 20, "a�b�c", "a�b�c"},
		{"\U000E0041\U000E007F", 20, "��", "��"},
		{"\xffa\xc3", 20, "�a�", "�a�"},
		{"e" + strings.Repeat("\u0301", 4), 20, "e" + strings.Repeat("\u0301", 4), "e" + strings.Repeat("\u0301", 4)},
		{"e" + strings.Repeat("\u0301", 900) + "x", 20, "e" + strings.Repeat("\u0301", 4) + "�x", "e" + strings.Repeat("\u0301", 4) + "�x"},
		{"👨\u200d👩\u200d👧", 20, "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
	} {
		line, lines := Clean(c.in, c.limit).String(), CleanLines(c.in, c.limit).String()
		expect.That(t, line == c.line && lines == c.lines, c.in, "in", c.limit, "is", line, "as lines", lines, "want", c.line, "and", c.lines)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\r\n\u202e\u0301\u0301\u0301\u0301\u0301\U000E0001\xff", 7)
	f.Add("\r\r\n\n", 3)
	f.Add("船"+strings.Repeat("\u200b", 9), 5)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		for name, clean := range map[string]func(string, int) Text{"Clean": Clean, "CleanLines": CleanLines} {
			got := clean(s, limit).String()
			expect.Equal(t, clean(got, limit).String(), got, name)
			n := utf8.RuneCountInString(got)
			expect.That(t, utf8.ValidString(got) && n <= max(limit, 0), name, got, "has", n, "runes of", limit)
			zero := 0
			for _, r := range got {
				expect.That(t, !forbidden(r) || r == '\n' && name != "Clean", name, got, "holds", r)
				if zero++; !zeroWidth(r) {
					zero = 0
				}
				expect.That(t, zero <= maxZeroWidth, name, got, "piles up marks")
			}
		}
	})
}

func FuzzCleanInput(f *testing.F) {
	for _, s := range []string{"a", "船\r\n", "\u202e", "\x1b[31m", "\ufeff", "\xff", "a\tb", "one\u2028two", "👨‍👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := CleanInput(s, true)
		bad := func(r rune) bool { return r != '\n' && (forbidden(r) || invisible(r)) }
		expect.That(t, utf8.ValidString(got) && !strings.ContainsFunc(got, bad), s, "becomes", got)
		expect.Equal(t, CleanInput(got, true), got, "cleaned twice")
		one := CleanInput(s, false)
		expect.Must(t, !strings.Contains(one, "\n"), "one line has a line end", one)
	})
}

func TestCleanInputLeavesOutWhatCleanReplaces(t *testing.T) {
	for _, c := range []struct {
		in    string
		lines bool
		want  string
	}{
		{"one\r\ntwo\rthree\x1b[31m\u202efour\tfive\u2028six", true, "one\ntwo\nthree[31mfour five\nsix"},
		{"one\r\ntwo\n", false, "one two "}, {"\none", true, "\none"},
		{"👨‍👩‍👧 e\u0301 \ufeff\u200bx\U000E0041", true, "👨‍👩‍👧 e\u0301 x"},
	} {
		expect.Equal(t, CleanInput(c.in, c.lines), c.want, "CleanInput", c.in)
	}
}

// TestKindsOfCharacters has the first and last of each range, and their neighbours.
func TestKindsOfCharacters(t *testing.T) {
	t.Parallel()
	type kind struct {
		is      func(rune) bool
		yes, no string
	}
	for name, c := range map[string]kind{
		"zero width": {zeroWidth, "\u1160\u11ff\ud7b0\ud7fb\u0301\u200b", "\u115f\u1200\ud7af\ud7fc"},
		"invisible":  {invisible, "\u206a\u206f\ufff9\ufffb\u200b", "\u2070\ufff8\ufffc"},
		"forbidden":  {forbidden, "\U000E0000\U000E007F\u009f", "\U000DFFFF\U000E0080\u00a0"},
	} {
		expect.That(t, !strings.ContainsFunc(c.no, c.is) && strings.IndexFunc(c.yes, func(r rune) bool { return !c.is(r) }) < 0,
			"what is", name, "?")
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	prompt := "船【@图片1】和【@音频12】【@视频3】【@图片01】【@图片】【@人物1】【@图片1 】【@【@图片2】"
	var got []string
	for _, k := range Tokens(prompt) {
		got = append(got, prompt[k.Start:k.End])
		expect.That(t, k.Number == 0 || TokenText(k.Kind, k.Number) == prompt[k.Start:k.End], k, "is written otherwise")
	}
	expect.Equal(t, strings.Join(got, " "), "【@图片1】 【@音频12】 【@视频3】 【@图片01】 【@图片2】", "tokens")
}
