package api

import (
	"testing"
	"time"
)

func TestLinkExpiry(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 14, 5, 20, 0, time.UTC)
	for address, want := range map[string]time.Time{
		"https://a.example/b.png": {},
		"https://a.example/b.png?X-Amz-Date=20260301T140020Z&X-Amz-Expires=300&X-Amz-Signature=1": at,
		"https://a.example/b.png?X-Goog-Date=20260301T140020Z&X-Goog-Expires=300":                 at,
		"https://a.example/b.png?Expires=1772373920&Signature=x":                                  at,
		"https://a.example/b.png?se=2026-03-01T14:05:20Z&sig=x":                                   at,
		"https://a.example/b.png?se=2026-03-01T14:05:20Z":                                         {},
		"https://a.example/b.png?expires=3600":                                                    {},
		"https://a.example/b.png?X-Amz-Date=20260301T140020Z&X-Amz-Expires=-1":                    {},
		"ht\x00tp://x?Expires=1772373920":                                                         {},
	} {
		got, ok := LinkExpiry(address)
		if !got.Equal(want) || ok == want.IsZero() {
			t.Errorf("%s expires %v (%t), want %v", address, got, ok, want)
		}
	}
}
