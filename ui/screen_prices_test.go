package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/screen/prices"
)

func inPrices(t *testing.T, w, h int, prepare func(*fakeDoor), test func(*pilot, *prices.Screen)) {
	t.Helper()
	fly(t, w, h, prepare, func(p *pilot) {
		p.keys("alt+3")
		p.settle()
		test(p, p.app.screens[msg.PlacePrices].(*prices.Screen))
	})
}

func (d *fakeDoor) asked(what string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, l := range d.log {
		if strings.HasPrefix(l, what) {
			n++
		}
	}
	return n
}

func TestPricesWithoutTheServiceShowWhatIsPublished(t *testing.T) {
	t.Parallel()
	unheard := func(d *fakeDoor) { unreachable(d); d.models = nil }
	inPrices(t, 80, 24, unheard, func(p *pilot, s *prices.Screen) {
		p.shows("seedance2", "≈425", "≈1,000", "The service does not answer.", "It has told nothing yet", "offline, nothing was told yet")
		if n := p.door.asked("estimate"); n != 0 {
			t.Errorf("a service that does not answer was asked for %d figures", n)
		}
		p.door.modelErr, p.door.models = nil, newFakeDoor().models
		p.door.estimate = newFakeDoor().estimate
		p.keys("alt+2", "alt+3")
		p.settle()
		p.shows("acme/brush", "the service, 14:05")
		p.lacks("does not answer")
	})
}

func TestPricesTakesItsOwnTimeToAsk(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, nil, func(p *pilot, s *prices.Screen) {
		if n := p.door.asked("estimate seedance2"); n != 7 {
			t.Errorf("%d figures were asked for, want the 7 that can be had", n)
		}
		p.keys("+", "+", "-")
		p.settle()
		if n := p.door.asked("estimate seedance2"); n > 14 {
			t.Errorf("%d figures were asked for: not only those of the duration one rested on", n)
		}
	})
}

func TestAClickTakesTheFigureUnderIt(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		inPrices(t, size[0], size[1], nil, func(p *pilot, s *prices.Screen) {
			lines := strings.Split(p.screen(), "\n")
			for y, l := range lines {
				if x := strings.Index(l, "1,000"); x >= 0 {
					p.send(tea.MouseClickMsg{X: len([]rune(l[:x])), Y: y, Button: tea.MouseLeft})
				}
			}
			p.keys("enter")
			if r := p.kept("video"); p.app.at != msg.PlaceCreate || r.VideoModel != "standard_vip" || r.Resolution != "1080p" || r.Kind != api.KindVideo {
				t.Errorf("%v: Create has %+v", size, r)
			}
		})
	}
}
