package ui

import (
	"testing"
)

func TestTheFrameShowsTabsKeyServiceAndToday(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeDoor) { d.fill(3) }, func(p *pilot) {
		p.shows("darkroom", "Jobs ◐2", "ak_…9f3c · api.example.com · today 1,240 cr", "ctrl+k all actions")
	})
}
