package fault

import (
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "create", "create:", "create:explode", "nowhere:reset", "create@0:reset", "create@x:reset", "create@1+0:reset",
		"create:status", "create:status=99", "create:status=abc", "create:status=500,header", "create:latency=soon", "create:redirect",
		"create:huge=much", "create:reset=1",
		"estimate:price", "estimate:price-refused=no", "estimate:price-refused=99", "estimate:price-missing=1", "job:slow-binary=soon",
	} {
		if f, err := Parse(text); err == nil {
			t.Errorf("%q was taken: %+v", text, f)
		}
	}
	for _, row := range Names() {
		name, _, _ := strings.Cut(row[0], "=")
		if _, known := find(name); !known || row[1] == "" {
			t.Errorf("the list of faults has %q", row)
		}
	}
}

func FuzzParse(f *testing.F) {
	for text := range wants {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := Parse(text); err == nil && got.Check() != nil {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
