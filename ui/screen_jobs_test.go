package ui

import (
	"testing"
	"time"
)

func TestJobsAreListedWithPhaseAndWord(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, func(d *fakeDoor) { d.fill(30) }, func(p *pilot) {
		p.keys("2")
		p.pass(100 * time.Millisecond)
		p.shows("all 30", "running", "paper boat in a gutter")
		p.keys("j", "j", "j", "j")
		p.pass(100 * time.Millisecond)
	})
}
