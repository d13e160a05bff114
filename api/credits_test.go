package api

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func TestParseCredits(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"425": "425", "0": "0", "0.6": "0.6", "6.251": "6.251", " 12.0 ": "12", "1.2e3": "1200", "1E-3": "0.001",
		"0.0000005": "0.000001", "0.00000049": "0", "-0": "0", "+5": "5", ".5": "0.5", "5.": "5", "9000000000000": "9000000000000",
		"0e999999": "0", "1e-3000": "0",
		"1e3000": "!", "1e999999999": "!", "9000000000001": "!", "-1": "!", "": "!", "abc": "!", "NaN": "!", "inf": "!",
		"0x10": "!", "1_000": "!", "1/3": "!", "1,5": "!", "1e-999999999": "0", "1e-999999": "0", "5 credits": "!", strings.Repeat("9", 41): "!",
	} {
		got, err := ParseCredits(in)
		text := got.String()
		if err != nil {
			text = "!"
		}
		if text != want {
			t.Errorf("ParseCredits(%q) = %s, want %s", in, text, want)
		}
	}
}

func TestCreditsJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"12.5": "12.5", "1e2": "100", `"0.6"`: "0.6"} {
		var c Credits
		if err := json.Unmarshal([]byte(in), &c); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if out, _ := json.Marshal(c); string(out) != want {
			t.Errorf("%s becomes %s", in, out)
		}
	}
	var c Credits
	for _, in := range []string{"-1", "true", `"x"`, "1e400", "[]"} {
		if json.Unmarshal([]byte(in), &c) == nil {
			t.Errorf("%s is read as %s", in, c)
		}
	}
	if s := Credits(-12_500_000).String(); s != "-12.5" {
		t.Errorf("a negative amount prints %s", s)
	}
}

func FuzzParseCredits(f *testing.F) {
	for _, s := range []string{"1e3000", "0.0000005", "1e-999999999", "425", "1.2e3", "0e99999999", "-0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCredits(s)
		if err != nil {
			return
		}
		if back, err := ParseCredits(c.String()); err != nil || back != c || c < 0 {
			t.Errorf("%q is %d, printed %q, again %d", s, c, c, back)
		}
		exact, ok := new(big.Rat).SetString(strings.TrimSpace(s))
		if !ok {
			return
		}
		off := exact.Sub(exact, big.NewRat(int64(c), int64(Credit)))
		if off.Abs(off).Cmp(big.NewRat(1, 2*int64(Credit))) > 0 {
			t.Errorf("%q is %s, more than half a millionth off", s, c)
		}
	})
}
