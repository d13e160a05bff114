package ui

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// anyDuration is a listing of seedance2 that takes every duration.
func anyDuration(d *fakeSession) {
	d.models[0].Parameters = d.models[0].Parameters[:2]
}

// gridRow reads a row of the table: the figures of its cells, and what a second
// costs.
func gridRow(t *testing.T, screen, tier string) (figures, rates []string) {
	t.Helper()
	found := regexp.MustCompile(`│ ` + tier + ` {2,}(.*?) *│`).FindStringSubmatch(screen)
	if found == nil {
		t.Fatalf("there is no row %s:\n%s", tier, screen)
	}
	for _, cell := range regexp.MustCompile(`([▸≈]*)(–|[\d,.]+)[•! ]? *([\d,.]+/s)?`).FindAllStringSubmatch(found[1], -1) {
		figures = append(figures, cell[2])
		rates = append(rates, cell[3])
	}
	return figures, rates
}

// Every cell for every duration is the spec's: what a second costs, and for the
// duration; unavailable ones are said to be so. With the service and without.
func TestTheTableIsTheSpecsForEveryDuration(t *testing.T) {
	t.Parallel()
	spec := map[string][3]int64{"fast": {0, 85, 0}, "standard": {0, 85, 0}, "fast_vip": {50, 100, 0}, "standard_vip": {85, 100, 200}}
	for name, prepare := range map[string]func(*fakeSession){"quoted": anyDuration, "published": func(d *fakeSession) { anyDuration(d); unreachable(d) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPrices(t, 120, 40, prepare, func(p *pilot) {
				for seconds := 1; seconds <= 15; seconds++ {
					p.keys("d")
					p.typed(strconv.Itoa(seconds))
					p.keys("enter")
					p.settle()
					screen := p.screen()
					for tier, row := range spec {
						figures, rates := gridRow(t, screen, tier)
						if len(figures) != 3 {
							t.Fatalf("%d s: %s has %q:\n%s", seconds, tier, figures, screen)
						}
						for i, rate := range row {
							figure, second := env.Thousands(int(rate)*seconds), env.Thousands(int(rate))+"/s"
							if rate == 0 {
								figure, second = "–", ""
							}
							if figures[i] != figure || rates[i] != second {
								t.Errorf("%d s: %s %d is %q, %q, want %q, %q", seconds, tier, i, figures[i], rates[i], figure, second)
							}
						}
					}
				}
				p.keys("right")
				p.shows("– fast · 1080p · 15 s  unavailable", "fast is fixed at 720p: choose another tier or resolution.")
			})
		})
	}
}

// The table is there with the key that asks for it, whatever the service does,
// and its lines keep their places when figures come.
func TestTheTableIsThereAtOnce(t *testing.T) {
	t.Parallel()
	hang := func(d *fakeSession) {
		d.pricing.quote = func(_ context.Context, r api.Request) (api.Estimate, error) {
			time.Sleep(10 * time.Second)
			return d.estimate(r)
		}
	}
	fly(t, 120, 40, hang, func(p *pilot) {
		p.keys("alt+3")
		first := p.screen()
		p.shows("▸≈425", "≈1,000", "seedance2")
		p.settle()
		p.shows("quoted 0 of 7, esc stops")
		for range 6 {
			p.pass(10 * time.Second)
		}
		p.shows("✓ quoted at")
		places := func(screen string) (at []string) {
			for n, l := range strings.Split(screen, "\n") {
				for _, word := range []string{"Credits for", "480p ", "fast  ", "standard_vip  ", "Cheapest", "Compared", "Plan", "What it pays"} {
					if i := strings.Index(l, word); i >= 0 {
						at = append(at, fmt.Sprint(word, " ", n, " ", len([]rune(l[:i]))))
					}
				}
			}
			return at
		}
		if before, after := places(first), places(p.screen()); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("lines have moved:\n%v\n%v\n%s", before, after, first)
		}
	})
	const most = 50 * time.Millisecond
	best := time.Hour
	for tries := 0; best > most && tries < 50; tries++ { // a busy machine may spoil many
		a := New(t.Context(), Options{Session: newFakeSession(), Pricing: newFakeSession(), Clock: func() time.Time { return fakeNow }})
		a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		a.View()
		began := time.Now()
		a.Update(keyOf("alt+3"))
		frame := a.View().Content
		best = min(best, time.Since(began))
		if !strings.Contains(frame, "≈1,000") {
			t.Fatal("the first frame has no table")
		}
	}
	if best > most {
		t.Errorf("the table took %s", best)
	}
}

// manyModels lists 200 image models of 12 choices each beside seedance2.
func manyModels(d *fakeSession) {
	brush := d.models[1]
	brush.Parameters = []api.Parameter{{Name: "size", Values: []string{"4K", "1K", "2K", "auto_2K"}}, {Name: "quality", Values: []string{"high", "low", "medium"}}}
	d.models = d.models[:1]
	for i := range 200 {
		m := brush
		m.ID = fmt.Sprintf("acme/brush-%d", i)
		d.models = append(d.models, m)
	}
}

// countingQuotes answers every kind of nonsense and counts the calls under way.
type countingQuotes struct {
	mu             sync.Mutex
	n, under, most int
	slow           time.Duration
}

// quote answers call n: dear, refused, unreadable, in dollars, per second,
// missing, huge or right.
func (c *countingQuotes) quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	c.mu.Lock()
	c.n++
	n := c.n
	c.under++
	c.most = max(c.most, c.under)
	c.mu.Unlock()
	defer func() { c.mu.Lock(); c.under--; c.mu.Unlock() }()
	select {
	case <-time.After(c.slow):
	case <-ctx.Done():
		return api.Estimate{Source: api.SourceNone}, ctx.Err()
	}
	e := api.Estimate{Source: api.SourceService, At: fakeNow, Credits: api.Credits(n%7+1) * api.Credit}
	refused := func(class api.ErrorClass, text string) (api.Estimate, error) {
		return api.Estimate{Source: api.SourceNone}, &api.Error{Class: class, Status: 422, Text: api.Clean(text, 200)}
	}
	switch n % 8 {
	case 1:
		return refused(api.ClassInvalid, "size: not with this quality")
	case 2:
		return refused(api.ClassUnreadable, "the price -5 is no amount of credits")
	case 3:
		e.Unit = "USD"
	case 4:
		e.Unit = api.UnitSecond
	case 5:
		e.Source = api.SourceNone
	case 6:
		e.Credits = 9_000_000_000_000 * api.Credit
	}
	return e, nil
}

func TestFourQuotesAtMostOverManyModels(t *testing.T) {
	t.Parallel()
	c := &countingQuotes{slow: 250 * time.Millisecond}
	inPrices(t, 120, 40, func(d *fakeSession) { manyModels(d); d.pricing.quote = c.quote }, func(p *pilot) {
		p.keys("tab", "tab") // to the models
		for n := range 200 {
			p.keys("down")
			if n%10 == 0 {
				p.settle()
			} else {
				p.pass(400 * time.Millisecond)
			}
		}
		p.settle()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.most > 4 || c.most < 3 {
			t.Errorf("%d quotes were under way at a time", c.most)
		}
		if c.n < 500 || c.n > 201*12 {
			t.Errorf("%d quotes", c.n)
		}
		// Figures that are none stay marked: no amount is made of dollars, of a
		// price per second, or of a refusal.
		screen := p.screen()
		if strings.Count(screen, "?") < 4 || !strings.Contains(screen, "9,000,000") {
			t.Errorf("the last model shows\n%s", screen)
		}
		for _, figure := range regexp.MustCompile(`▸?[\d,.]+`).FindAllString(strings.Join(strings.Split(screen, "\n")[2:8], " "), -1) {
			if strings.Contains(figure, "-") {
				t.Errorf("%q is a figure", figure)
			}
		}
	})
}

// esc and leaving the screen end the questions.
func TestQuotesEndWithEscAndOnLeaving(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]string{"esc": "esc", "leaving": "alt+2", "spending": "$"} {
		c := &countingQuotes{slow: time.Minute}
		fly(t, 120, 40, func(d *fakeSession) { anyDuration(d); d.pricing.quote = c.quote }, func(p *pilot) {
			p.keys("alt+3")
			p.settle()
			p.shows("quoted 0 of 7")
			p.keys(leave)
			p.pass(time.Second)
			c.mu.Lock()
			under, n := c.under, c.n
			c.mu.Unlock()
			if under != 0 || n != 4 {
				t.Errorf("%s: %d are still under way of %d", name, under, n)
			}
			p.lacks("quoted 0 of 7")
			p.pass(3 * time.Minute)
			if c.n != n {
				t.Errorf("%s: %d more were asked", name, c.n-n)
			}
		})
	}
}

// A service that does not answer, or asks for a rest, is left alone.
func TestAFailingServiceIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"network": &api.Error{Class: api.ClassNetwork, Text: text("connection refused")},
		"rest":    errors.New("the service asked for a rest until 14:20:00"),
		"server":  &api.Error{Class: api.ClassServer, Status: 500, Text: text("oops")},
	} {
		n := 0
		var mu sync.Mutex
		inPrices(t, 120, 40, func(d *fakeSession) {
			d.pricing.quote = func(context.Context, api.Request) (api.Estimate, error) {
				mu.Lock()
				defer mu.Unlock()
				n++
				return api.TableEstimate(api.Request{}), failure
			}
		}, func(p *pilot) {
			if n > 4 {
				t.Errorf("%s: asked %d times", name, n)
			}
			p.shows("≈425", "≈1,000")
		})
	}
}

// A duration that the service refused is not asked for again, one that the model
// does not list never.
func TestARefusedDurationIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	inPrices(t, 120, 40, func(d *fakeSession) {
		anyDuration(d)
		right := d.estimate
		d.estimate = func(r api.Request) (api.Estimate, error) {
			if n, _ := strconv.Atoi(r.Duration); n > 12 {
				return api.Estimate{Source: api.SourceNone}, &api.Error{Class: api.ClassInvalid, Status: 422, Text: text("refused"),
					Fields: []api.FieldError{{Field: "duration", Text: text("give whole seconds from 4 to 12")}}}
			}
			return right(r)
		}
	}, func(p *pilot) {
		enter := func(seconds string) int {
			before := p.session.asked("estimate")
			p.keys("d")
			p.typed(seconds)
			p.keys("enter")
			p.settle()
			return p.session.asked("estimate") - before
		}
		enter("13")
		p.shows("− 13 s +", "The service refused", "≈1,105")
		if n := enter("12"); n != 7 {
			t.Errorf("of 12 s %d figures were asked for", n)
		}
		p.lacks("✕")
		if n := enter("13"); n != 0 {
			t.Errorf("the refused duration was asked for %d times again", n)
		}
	})
	inPrices(t, 120, 40, nil, func(p *pilot) { // the listing has 5 and 10
		before := p.session.asked("estimate")
		p.keys("d")
		p.typed("7")
		p.settle()
		p.shows("This model lists other values for duration: choose one of 5, 10.")
		if n := p.session.asked("estimate") - before; n != 0 {
			t.Errorf("a duration that is not listed was asked for %d times", n)
		}
		p.keys("esc")
		p.shows("− 5 s +")
		if p.app.at != msg.PlacePrices {
			t.Error("esc left the screen")
		}
	})
}

// The other durations stand below the table, at the resolution of the selected
// cell, as the spec prices them.
func TestOtherDurationsStandBelowTheTable(t *testing.T) {
	t.Parallel()
	inPrices(t, 200, 60, anyDuration, func(p *pilot) {
		for _, at := range []struct {
			resolution string
			keys       []string
			rates      map[string]int
		}{
			{"720p", nil, map[string]int{"fast": 85, "standard": 85, "fast_vip": 100, "standard_vip": 100}},
			{"480p", []string{"left"}, map[string]int{"fast_vip": 50, "standard_vip": 85}},
			{"1080p", []string{"right", "right"}, map[string]int{"standard_vip": 200}},
		} {
			p.keys(at.keys...)
			p.settle()
			_, below, found := strings.Cut(p.screen(), at.resolution+" by duration")
			if !found {
				t.Fatalf("no durations of %s:\n%s", at.resolution, p.screen())
			}
			lines := strings.Split(below, "\n")
			heads := regexp.MustCompile(`(\d+) s`).FindAllStringSubmatch(lines[1], -1)
			if len(heads) < 10 {
				t.Fatalf("only %d durations:\n%s", len(heads), p.screen())
			}
			for _, tier := range []string{"fast", "standard", "fast_vip", "standard_vip"} {
				figures, _ := gridRow(t, below, tier)
				for i, head := range heads {
					n, _ := strconv.Atoi(head[1])
					want := "–"
					if rate := at.rates[tier]; rate > 0 {
						want = env.Thousands(rate * n)
					}
					if len(figures) != len(heads) || figures[i] != want {
						t.Errorf("%s %s: %q, want %s for %d s", tier, at.resolution, figures, want, n)
					}
				}
			}
		}
	})
}
