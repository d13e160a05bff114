package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
)

// BenchmarkKeyInPrices is a key that moves over the prices of seedance2, and the
// frame that it leads to.
func BenchmarkKeyInPrices(b *testing.B) {
	a := settled(b, msg.PlacePrices, 200, 60)
	a.Update(keyOf("tab"))
	b.ReportAllocs()
	keys := []tea.KeyPressMsg{keyOf("down"), keyOf("up")}
	for i := 0; b.Loop(); i++ {
		a.Update(keys[i%2])
		a.View()
	}
}
