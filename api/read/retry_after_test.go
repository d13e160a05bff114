package read

import (
	"net/http"
	"testing"
	"time"

	"darkroom/api"
)

// waitNow is a whole second, as dates in headers are.
var waitNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestReadWait(t *testing.T) {
	t.Parallel()
	date := func(d time.Duration) string { return waitNow.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name   string
		header []string
		want   time.Duration
		ok     bool
	}{
		{"nothing", nil, 0, false},
		{"seconds", []string{"Retry-After", "7"}, 7 * time.Second, true},
		{"zero", []string{"Retry-After", "0"}, 0, true},
		{"fraction", []string{"Retry-After", " 1.5 "}, 1500 * time.Millisecond, true},
		{"leading dot", []string{"Retry-After", ".25"}, 250 * time.Millisecond, true},
		{"date against our clock", []string{"Retry-After", date(90 * time.Second)}, 90 * time.Second, true},
		{"date against its own clock", []string{"Retry-After", date(90 * time.Second), "Date", date(time.Minute)}, 30 * time.Second, true},
		{"date against its own wrong clock", []string{"Retry-After", date(-time.Hour + time.Minute), "Date", date(-time.Hour)}, time.Minute, true},
		{"date in the past", []string{"Retry-After", date(-time.Hour)}, 0, true},
		{"milliseconds", []string{"Retry-After-Ms", "250"}, 250 * time.Millisecond, true},
		{"milliseconds beside seconds", []string{"Retry-After-Ms", "250", "Retry-After", "1"}, 250 * time.Millisecond, true},
		{"unreadable milliseconds beside seconds", []string{"Retry-After-Ms", "soon", "Retry-After", "2"}, 2 * time.Second, true},
		{"second of two values", []string{"Retry-After", "soon", "Retry-After", "3"}, 3 * time.Second, true},
		{"Unix time", []string{"Retry-After", "1772366430"}, 30 * time.Second, true},
		{"reset seconds", []string{"RateLimit-Reset", "12"}, 12 * time.Second, true},
		{"reset Unix time", []string{"X-RateLimit-Reset-Requests", "1772366405"}, 5 * time.Second, true},
		{"reset Unix time with fraction", []string{"X-RateLimit-Reset", "1772366405.5"}, 5500 * time.Millisecond, true},
		{"reset Unix time in milliseconds", []string{"X-RateLimit-Reset", "1772366405250"}, 5250 * time.Millisecond, true},
		{"reset duration", []string{"X-RateLimit-Reset-Requests", "6m0s"}, 6 * time.Minute, true},
		{"longest reset", []string{"X-RateLimit-Reset-Requests", "5", "X-RateLimit-Reset-Tokens", "9"}, 9 * time.Second, true},
		{"reset of the spent window", []string{
			"X-RateLimit-Reset-Requests", "5", "X-RateLimit-Remaining-Requests", "0",
			"X-RateLimit-Reset-Tokens", "9", "X-RateLimit-Remaining-Tokens", "100",
		}, 5 * time.Second, true},
		{"Retry-After before reset", []string{"Retry-After", "4", "RateLimit-Reset", "12"}, 4 * time.Second, true},
		{"absurdly long", []string{"Retry-After", "999999999"}, maxReadWait, true},
		{"huge", []string{"Retry-After", "99999999999999999999999999"}, maxReadWait, true},
		{"negative", []string{"Retry-After", "-5"}, 0, false},
		{"negative duration", []string{"Retry-After", "-5s"}, 0, false},
		{"NaN", []string{"Retry-After", "NaN"}, 0, false},
		{"Inf", []string{"Retry-After", "Inf"}, 0, false},
		{"hex", []string{"Retry-After", "0x10"}, 0, false},
		{"exponent", []string{"Retry-After", "1e3"}, 0, false},
		{"words", []string{"Retry-After", "soon"}, 0, false},
		{"empty", []string{"Retry-After", ""}, 0, false},
	} {
		h := make(http.Header)
		for i := 0; i < len(c.header); i += 2 {
			h.Add(c.header[i], c.header[i+1])
		}
		got, ok := Wait(h, waitNow)
		// Fractions of Unix times are not exact in floating point.
		if off := (got - c.want).Abs(); off > time.Millisecond || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestClampWait(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]time.Duration{
		-time.Second: api.MinWait, 0: api.MinWait, 90 * time.Second: 90 * time.Second, 25 * time.Hour: api.MaxWait,
	} {
		if got := api.ClampWait(in); got != want {
			t.Errorf("ClampWait(%v) = %v, want %v", in, got, want)
		}
	}
}

func FuzzReadWait(f *testing.F) {
	for _, s := range []string{
		"1", "1.5", "-1", "1772366405", "1e400", "Sun, 01 Mar 2026 12:00:30 GMT", "6m0s", "9223372036854775807",
		"2026-03-01T12:00:30Z", "NaN", "1..2", "Fri, 31 Dec 9999 23:59:59 GMT", "2562047h47m17s",
	} {
		f.Add(s, "", "")
		f.Add("", s, "Sun, 01 Mar 2026 12:00:00 GMT")
		f.Add("0", s, s)
	}
	f.Fuzz(func(t *testing.T, after, reset, date string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset-Tokens": {reset}, "Date": {date}, "Retry-After-Ms": {reset}}
		for range 3 {
			d, ok := Wait(h, waitNow)
			if d < 0 || d > maxReadWait || (!ok && d != 0) {
				t.Fatalf("%v, %v", d, ok)
			}
			if again, same := Wait(h, waitNow); again != d || same != ok {
				t.Fatalf("%v, %v, then %v, %v", d, ok, again, same)
			}
			if c := api.ClampWait(d); c < api.MinWait || c > api.MaxWait {
				t.Fatalf("clamped to %v", c)
			}
			h.Del("Retry-After-Ms")
			if !ok {
				h.Del("Retry-After")
			}
		}
	})
}
