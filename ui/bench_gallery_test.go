package ui

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
)

// scrolled is Jobs with so many finished results at 200×60, the list or the
// gallery with all its thumbnails drawn.
func scrolled(b *testing.B, jobs int, gallery bool) *App {
	b.Helper()
	d := newFakeSession().fillDone(jobs)
	painter := blockPainter{coloured: true}
	a := New(b.Context(), Options{Session: d, Clock: func() time.Time { return fakeNow }, Painter: painter})
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	drain(a, a.show(msg.PlaceJobs))
	if gallery {
		_, cmd := a.Update(keyOf("g"))
		drain(a, cmd)
	}
	return a
}

// BenchmarkScroll is Update and View together for a held key, through a gallery
// of 200 results and through a list of 100,000 jobs: the 99th percentile is the
// figure to hold, 8 ms.
func BenchmarkScroll(b *testing.B) {
	for _, place := range []struct {
		name string
		jobs int
		keys []string
	}{
		{"gallery", 200, []string{"down", "down", "down", "right", "up", "pgdown", "left", "home"}},
		{"list", 100_000, []string{"down"}},
	} {
		b.Run(place.name, func(b *testing.B) {
			a := scrolled(b, place.jobs, place.name == "gallery")
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				key := keyOf(place.keys[i%len(place.keys)])
				b.StartTimer()
				begin := time.Now()
				_, cmd := a.Update(key)
				a.view()
				took = append(took, time.Since(begin))
				b.StopTimer()
				drain(a, cmd) // what it asks for comes before the next key
				b.StartTimer()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
