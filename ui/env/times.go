package env

import (
	"fmt"
	"time"
)

// Short writes a length of time as people read it off a clock: "0:08",
// "12:31", "3:04:10".
func Short(d time.Duration) string {
	if d < 0 {
		d = 0
	}
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Span writes a length of time in its largest unit: "40 s", "3 min", "2 h",
// "5 d".
func (k *Env) Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return k.Say("%d s", max(int(d/time.Second), 0))
	case d < time.Hour:
		return k.Say("%d min", int(d/time.Minute))
	case d < 48*time.Hour:
		return k.Say("%d h", int(d/time.Hour))
	}
	return k.Say("%d d", int(d/(24*time.Hour)))
}

// Stamp writes a moment: the time of day today, else the date as well.
func (k *Env) Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(k.At.Location())
	y, m, d := k.At.Date()
	if ty, tm, td := t.Date(); ty == y && tm == m && td == d {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// FreshFor is how long the figure of an estimate is shown without its age and
// agreed to without asking again.
const FreshFor = 60 * time.Second
