package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
)

func inPrices(t *testing.T, w, h int, prepare func(*fakeSession), test func(*pilot)) {
	t.Helper()
	fly(t, w, h, prepare, func(p *pilot) {
		p.keys("alt+3")
		p.settle()
		test(p)
	})
}

func (d *fakeSession) asked(what string) int {
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
	unheard := func(d *fakeSession) { unreachable(d); d.models = nil }
	inPrices(t, 80, 24, unheard, func(p *pilot) {
		p.shows("seedance2", "≈425", "≈1,000", "The service does not answer.", "It has listed no models yet", "offline, no listing yet")
		if n := p.session.asked("estimate"); n != 0 {
			t.Errorf("a service that does not answer was asked for %d figures", n)
		}
		p.session.modelErr, p.session.models = nil, newFakeSession().models
		p.session.estimate = newFakeSession().estimate
		p.keys("alt+2", "alt+3")
		p.settle()
		p.shows("acme/brush", "listed at 14:05")
		p.lacks("does not answer")
	})
}

func TestPricesTakesItsOwnTimeToAsk(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, nil, func(p *pilot) {
		if n := p.session.asked("estimate seedance2"); n != 7 {
			t.Errorf("%d figures were asked for, want the 7 that can be had", n)
		}
		p.keys("+", "+", "-")
		p.settle()
		if n := p.session.asked("estimate seedance2"); n > 14 {
			t.Errorf("%d figures were asked for: not only those of the duration one rested on", n)
		}
	})
}

func TestAClickTakesTheFigureUnderIt(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		inPrices(t, size[0], size[1], nil, func(p *pilot) {
			lines := strings.Split(p.screen(), "\n")
			for y, l := range lines {
				if x := strings.Index(l, "1,000"); x >= 0 && strings.Contains(l, "standard_vip  ") {
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

// A quote that grows old says its age, in the grid and beside the choice, until
// it is asked for anew.
func TestPricesShowTheAgeOfAQuote(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, nil, func(p *pilot) {
		began := time.Now()
		clock := func() time.Time { return fakeNow.Add(time.Since(began)) }
		p.app.env.Clock = clock
		p.session.estimate = func(r api.Request) (api.Estimate, error) {
			return api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: clock()}, nil
		}
		fresh := p.app.View().Content
		p.shows("✓ quoted at 14:05", "250•")
		p.lacks("old")
		for range 25 {
			p.pass(time.Minute)
		}
		p.shows("quoted 25 min ago", "Quotes are up to 25 min old. Press r to refresh.", "250•")
		p.lacks("✓ quoted")
		if p.app.View().Content == fresh {
			t.Error("old quotes look as new ones do")
		}
		p.keys("r")
		p.settle()
		p.shows("✓ quoted at 14:30")
		p.lacks("Quotes are up to")
	})
}

func TestPricesFilterAndScroll(t *testing.T) {
	t.Parallel()
	inPrices(t, 80, 19, nil, func(p *pilot) {
		p.keys("/")
		p.typed("brush")
		p.settle()
		p.shows("/ brush", "▸ acme/brush", "Credits for one image")
		p.lacks("▸ seedance2")
		p.keys("enter", "pgdown", "pgdown")
		p.shows("↑ ", "aspect_ratio")
		p.keys("esc")
		p.settle()
		p.shows("seedance2", "▸ acme/brush", "Credits for one image")
		p.keys("pgup", "tab", "right", "down")
		p.shows("2K · medium")
		p.keys("left", "left", "up")
		p.shows("▸ seedance2")
		p.keys("+")
		p.shows("− 10 s +")
	})
}

// A listing that became shorter than the place of the selected model is shown
// from its beginning.
func TestAShorterListingIsShown(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, manyModels, func(p *pilot) {
		p.keys("tab", "tab", "G")
		p.settle()
		p.shows("acme/brush-199")
		p.session.models = []api.Model{p.session.models[0]}
		p.keys("r")
		p.settle()
		p.shows("seedance2", "Credits for 5 s")
	})
}
