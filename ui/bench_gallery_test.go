package ui

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// BenchmarkScroll is Update and View together for a held key, through a gallery
// of 200 results and through a list of 100,000 jobs: the 99th percentile is the
// figure to hold, 8 ms.
func BenchmarkScroll(b *testing.B) {
	for name, scroll := range map[string]func(*testing.B) (*App, []string){
		"gallery": func(b *testing.B) (*App, []string) {
			d := newFakeDoor().fillDone(200)
			a := New(b.Context(), Options{Session: d, Clock: func() time.Time { return fakeNow }})
			a.kit.Painter = picture.NewLoader(false)
			file := b.TempDir() + "/a.png"
			var content bytes.Buffer
			if err := png.Encode(&content, image.NewRGBA(image.Rect(0, 0, 320, 180))); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(file, content.Bytes(), 0o600); err != nil {
				b.Fatal(err)
			}
			for i := range d.rows {
				d.rows[i].File = file
			}
			a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
			drain(a, a.show(msg.PlaceJobs))
			_, cmd := a.Update(tea.KeyPressMsg{Code: 'g', Text: "g"})
			drain(a, cmd)
			return a, []string{"down", "down", "down", "right", "up", "pgdown", "left", "home"}
		},
		"list": func(b *testing.B) (*App, []string) {
			a := New(b.Context(), Options{Session: newFakeDoor().fill(100_000), Clock: func() time.Time { return fakeNow }})
			a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
			drain(a, a.show(msg.PlaceJobs))
			return a, []string{"down"}
		},
	} {
		b.Run(name, func(b *testing.B) {
			a, keys := scroll(b)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				key := keyOf(keys[i%len(keys)])
				b.StartTimer()
				begin := time.Now()
				_, cmd := a.Update(key)
				a.View()
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
