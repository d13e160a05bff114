package ui

import (
	"runtime"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
)

// BenchmarkKeyInPrices is a key that moves over the prices of seedance2, and the
// frame that it leads to.
func BenchmarkKeyInPrices(b *testing.B) {
	a := settled(b, msg.PlacePrices, 200, 60)
	b.ReportAllocs()
	keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
	for i := 0; b.Loop(); i++ {
		a.Update(keys[i%2])
		a.view()
	}
}

// BenchmarkPricesOfManyModels is a key that goes from model to model among 200
// of 12 prices each, with the answers to all of them coming in. It reports the
// slowest of 100 messages with their frames, and what is held in memory.
func BenchmarkPricesOfManyModels(b *testing.B) {
	d := newFakeSession()
	manyModels(d)
	a := New(b.Context(), Options{Session: d, Pricing: d, Clock: func() time.Time { return fakeNow }})
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	drain(a, a.show(msg.PlacePrices))
	for range 2 {
		a.Update(keyOf("tab"))
	}
	down, times := keyOf("down"), make([]time.Duration, 0, b.N)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := 0; b.Loop(); i++ {
		if i%199 == 198 {
			a.Update(keyOf("g"))
		}
		began := time.Now()
		_, cmd := a.Update(down)
		a.view()
		times = append(times, time.Since(began))
		b.StopTimer()
		if i < 200 { // each model's prices come in once
			drain(a, cmd)
		}
		b.StartTimer()
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))/(1<<20), "held-MiB")
}
