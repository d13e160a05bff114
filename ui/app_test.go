package ui

import (
	"testing"
)

func TestTheFrameShowsTabsKeyServiceAndToday(t *testing.T) {
	t.Parallel()
	p := fly(t, newFakeDoor().fill(3), 120, 40)
	p.shows("darkroom", "Jobs ◐2", "ak_…9f3c · api.example.com · today 1,240 cr", "ctrl+k all actions")
	t.Log("\n" + p.screen())
	p.keys("ctrl+k")
	t.Log("\n" + p.screen())
	p.keys("esc", "?")
	t.Log("\n" + p.screen())
}
