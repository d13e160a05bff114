package run

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDocumentsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain", "字", "\u009b31mred\u009c", "\u202eturned", "\u2028\u2029", "\U000e0041tag", "\x7f\u200d", "é\u0301"} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		shown := Escape(quoted)
		if strings.ContainsFunc(string(shown), steers) {
			t.Errorf("%q is shown as %q", text, shown)
		}
		var back string
		if err := json.Unmarshal(shown, &back); err != nil || back != text {
			t.Errorf("%q became %q, %v", text, back, err)
		}
	}
	if got := Escape([]byte("\"a\xffb\"")); !json.Valid(got) || string(got) != `"a\ufffdb"` {
		t.Errorf("broken text became %q", got)
	}
}
