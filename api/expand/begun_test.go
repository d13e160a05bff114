package expand_test

import (
	"testing"

	"darkroom/api/expand"
)

func TestBegun(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a __": "", "a __co": "co", "__a__ and __b": "b", "__a____": "", "__light-in": "light-in", "纸船 __颜": "颜", "__a_b_": "a_b_",
	} {
		if got, ok := expand.Begun(text); !ok || got != want {
			t.Errorf("%q ends in %q (%v), want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "a", "a _", "__co lour", "__colour__", "__a__ b", "__a__!"} {
		if got, ok := expand.Begun(text); ok {
			t.Errorf("%q begins the name %q", text, got)
		}
	}
}
