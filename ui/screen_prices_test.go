package ui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

func inPrices(w, h int, prepare func(*fakeSession)) start {
	return fly(w, h, prepare).then(func(p *pilot) {
		p.keys("alt+3", "~~")
	})
}

func TestPrices(t *testing.T) { flyEach(t, pricesFlights) }

var pricesFlights = []flight{
	{"prices without the service show what is published", inPrices(80, 24, func(d *fakeSession) { unreachable(d); d.models = nil }), func(p *pilot) {
		p.shows("seedance2", "≈ 425", "≈ 1,000", "The service does not answer.", "These are the published rates of seedance2.", "offline, no listing yet")
		p.asked("estimate", 0)
		p.session.modelErr, p.session.models = nil, newFakeSession().models
		p.session.estimate = newFakeSession().estimate
		p.keys("alt+2", "alt+3", "~~")
		p.shows("acme/brush", "listed at 14:05")
		p.lacks("does not answer")
		p.session.modelErr, p.session.models = errors.New("offline"), slices.Repeat(p.session.models, 20)
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.keys("r", "~~", "tab", "tab", "end")
		p.shows("offline, listed at 13:05 ─╯", "▸ acme/brush ", "r refresh")
	}},
	{"prices takes its own time to ask", inPrices(120, 40, nil), func(p *pilot) {
		p.asked("estimate seedance2", 7)
		p.keys("+", "+", "-", "~~")
		n := p.session.asked("estimate seedance2")
		p.expect(n <= 14, "%d figures were asked for: not only those of the duration one rested on", n)
	}},
	{"prices show the age of a quote", inPrices(120, 40, nil), func(p *pilot) {
		began := time.Now()
		clock := func() time.Time { return fakeNow.Add(time.Since(began)) }
		p.app.env.Clock = clock
		p.session.estimate = func(r api.Request) (api.Estimate, error) {
			return api.Estimate{Credits: 425 * api.Credit, Source: api.SourceService, At: clock()}, nil
		}
		fresh := p.app.View().Content
		p.shows("✓ quoted at 14:05", "↓ −41 %        250", "↓ cheapest")
		p.lacks("old")
		for range 25 {
			p.pass(time.Minute)
		}
		p.shows("quoted 25 min ago", "Quotes are up to 25 min old. Press r to refresh.", "↓ −41 %        250")
		p.lacks("✓ quoted")
		p.expect(p.app.View().Content != fresh, "old quotes look as new ones do")
		p.keys("r", "~~")
		p.shows("✓ quoted at 14:30")
		p.lacks("Quotes are up to")
	}},
	{"prices filter and scroll", inPrices(80, 19, nil), func(p *pilot) {
		p.keys("/", ":brush", "~~")
		p.shows("/ brush", "▸ acme/brush", "1K       ▸↓ cheapest")
		p.lacks("▸ seedance2")
		p.keys("enter", "esc", "~~")
		p.shows("seedance2", "▸ acme/brush", "1K       ▸↓ cheapest")
		p.keys("pgup", "tab", "right", "down")
		p.shows("compared with 2K medium")
		p.keys("left", "left", "up")
		p.shows("▸ seedance2")
		p.keys("+")
		p.shows("seedance2  10 s")
	}},
	{"a shorter listing is shown", inPrices(120, 40, manyModels), func(p *pilot) {
		p.keys("t", "~~", "space", "tab", "tab", "g", "G", "~~", "r", "~~")
		p.shows("acme/brush-99", "1 × acme/brush-0 1K low         6", "together                           6") // also after it asked anew
		p.keys("g")
		p.shows("↓ 186 more lines")
		p.session.models = []api.Model{p.session.models[0]}
		p.keys("r", "~~")
		p.shows("seedance2  5 s")
	}},
	{"a plan is priced saved and opened", inPrices(120, 40, pricedBefore), func(p *pilot) {
		p.shows("500", "1 saved plan: press o.")
		p.keys("backspace")
		p.shows("It is not in the plan.")
		p.keys("space", "space", "space", "backspace") // 2 × fast 720p
		p.keys("down", "down", "space")                // 1 × fast_vip 720p
		p.shows("3 requests", "together                       1,350", "left after it                  1,410",
			"with fast               −75    1,275", "with fast_vip          +150    1,500", "2 × fast 720p 5 s", "850")
		p.keys("w", ":trailer", "enter")
		p.shows("Plan saved as trailer.", "Plan trailer")
		p.expect(len(p.session.pricing.plans) == 2 && len(p.session.pricing.plans[0].Items) == 2, "kept: %+v", p.session.pricing.plans)
		p.keys("x")
		p.shows("space adds, backspace removes")
		p.keys("o", "down", "enter", "~~")
		p.shows("Plan storyboard", "2,000", "4 requests", "▸  4 × fast_vip 720p 5 s")
		p.keys("space")
		p.shows("5 × fast_vip", "2,500", "260")
		p.repeat(3, "space")
		p.shows("✕ over today's budget          1,240")
		p.keys("enter")
		p.isAt(msg.PlaceCreate)
		r := p.kept("video")
		expect.Equal(p.t, r.VideoModel+" "+r.Resolution+" "+r.Duration, "fast_vip 720p 5", "Create has")
		p.keys("alt+3", "o")
		p.expect(strings.Count(p.screen(), "delete remove") == 1, "the keys of the box are in the footer too")
		p.keys("x", "~~")
		p.expect(len(p.session.pricing.plans) == 1, "a removed plan stays: %+v", p.session.pricing.plans)
	}},
	{"what an amount buys", inPrices(120, 40, nil), func(p *pilot) {
		p.shows("1,000 credits buy, for example", "b another amount")
		p.keys("b", ":2000", "enter", "~~")
		p.shows("2,000 credits", "videos of 5 s", "300 left", "8 ", "acme/brush 1K medium", "160 ")
		p.keys("t", "~~")
		p.shows("pictures  ", "videos of 5 s", "fast_vip 480p", "8 ", "standard_vip 1080p", "2 ")
		p.keys("b", ":a lot")
		p.shows("enter done")
		p.keys("enter")
		p.shows("Type a number, such as 2000.", "2,000 credits buy")
	}},
	{"every choice that an amount buys has room", inPrices(100, 23, nil), func(p *pilot) {
		p.keys("t", "~~")
		p.shows("pictures  ", "1K low", "166", "4K medium", "16 ", "4K high", "8 ")
	}},
	{"the price of several has room", inPrices(120, 40, func(d *fakeSession) { d.models[1].ID = "acme/a-brush-of-many-hairs" }), func(p *pilot) {
		p.keys("t", "~~")
		p.shows("20 × acme/a-brush-of-many… 120")
	}},
	{"what the budget pays for", inPrices(120, 40, pricedBefore), func(p *pilot) { p.shows("What the 2,760 credits left buy", "210 left") }},
	{"the table is copied as markdown", inPrices(120, 40, nil), func(p *pilot) {
		p.keys("y")
		want := "| seedance2, 5 s | 480p | 720p | 1080p |\n|---|---:|---:|---:|\n| fast | – | 425 (85 / s) | – |\n| standard | – | 425 (85 / s) | – |\n" +
			"| fast_vip | 250 (50 / s) | 500 (100 / s) | – |\n| standard_vip | 425 (85 / s) | 500 (100 / s) | 1,000 (200 / s) |\n"
		got := p.copied()
		p.expect(got == want, "copied\n%s\nwant\n%s", got, want)
		p.keys("t", "i")
		p.shows("The service has sent no record of this model.")
	}},
	// One key goes from seedance2 to the images and back, wherever they are listed.
	{"one key to the images", inPrices(80, 24, func(d *fakeSession) {
		d.models[0], d.models[1] = d.models[1], d.models[0]
		d.today = state.Spent{Credits: 1240 * api.Credit, Budget: 4000 * api.Credit}
		d.models[0].Raw = []byte(`{"id":"acme/brush","secret":1}`)
	}), func(p *pilot) {
		p.shows("▸ seedance2", "seedance2  5 s", "What the 2,760 credits left buy  6 × 5 s   210 left")
		p.keys("t", "~~")
		p.shows("▸ acme/brush", "6–120/image", "↓ cheapest", "What the 2,760 credits left buy  460")
		p.keys("i")
		p.shows(`"secret": 1`)
		p.keys("esc", "t")
		p.shows("▸ seedance2")
		p.keys("tab", "b", ":2000", "enter") // in the plan, where it has no room
		p.shows("2,000 credits buy  4 × 5 s   300 left")
		p.keys("d", ":10", "~~")
		p.isAt(msg.PlacePrices)
		p.shows("Duration in seconds › 10", "850")
	}},
	// Spending lies over every screen, and alt+3 is always Prices.
	{"spending", fly(120, 40, spentLately), func(p *pilot) {
		p.keys("alt+2", "$", "~~")
		p.shows("2,350 credits", "50 jobs", "170 of it uncertain", "727 credits per kept result", "seedance2", "1,700 +170", "78 %", "850",
			"Today 112  2 videos 100 · 1 picture 12", "◐ running", "▸1")
		p.lacks("at this rate") // on the first day of a month
		p.send(tea.MouseClickMsg{X: 64, Y: 12, Button: tea.MouseLeft})
		p.keys("enter")
		p.shows("36 credits (0.36 €)  2026-02-27")
		p.keys("k")
		p.shows("By kind", "pictures", "3 pictures")
		p.keys("d", "~~")
		p.shows("[12 weeks]", "2026-02-23 – 2026-03-01")
		p.asked("spend 2025-12-08", 1)
		p.clickOn("12 months")
		p.keys("~~", "left", "left")
		p.shows("[12 months]", "2026-01-01 – 2026-01-31")
		p.asked("spend 2025-04-01", 1)
		p.keys("esc")
		p.isAt(msg.PlaceJobs)
		p.keys("$", "~~", "alt+3", "~~")
		p.shows("seedance2  5 s")
	}},
	// Without a job there is no chart, and today is chosen; amounts that differ little differ in their bars.
	{"spending on low screens", fly(138, 24, spentLately), func(p *pilot) {
		p.keys("alt+3", "$", "~")
		p.shows("at your average cost, enough for", "8\u00a0videos or 137\u00a0pictures")
		p.send(msg.ChangedMsg{Health: p.app.env.Health, At: fakeNow.AddDate(0, 0, 3)})
		p.shows("at this rate 3,472 this month")
	}},
	{"spending begins", fly(120, 40, nil), func(p *pilot) {
		p.keys("$", "~~")
		p.shows("Nothing was spent in these days.", "d weeks, months")
		p.lacks("only this bar", "choose a bar", "by model", "0.0")
		for i, c := range []api.Credits{800, 60, 30, 10} {
			p.session.pricing.spend = append(p.session.pricing.spend, state.Line{Day: fakeNow.AddDate(0, 0, -i).Format(time.DateOnly),
				Model: api.Seedance2, Kind: api.KindVideo, Sum: state.Sum{Jobs: 1, Credits: c * api.Credit}},
				state.Line{Day: "2026-03-01", Model: "acme/free", Kind: api.KindImage, Sum: state.Sum{Jobs: 1, Unpriced: 1, Kept: 1}})
		}
		p.send(msg.ChangedMsg{Page: state.Page{Change: 1}})
		p.settle()
		p.shows("Today 800", "enter only this bar", "▁▁▁▁_▄▄▄▄_▇▇▇▇_████", "?        4 pictures                           0 %         4             ?")
	}},
}

func TestAClickTakesTheFigureUnderIt(t *testing.T) {
	flySizes(t, func(w, h int) start { return inPrices(w, h, nil) }, [][2]int{{80, 24}, {120, 40}}, func(p *pilot) {
		p.clickOn(" +135 % ")
		p.keys("enter")
		p.isAt(msg.PlaceCreate)
		r := p.kept("video")
		expect.Equal(p.t, string(r.Kind)+" "+r.VideoModel+" "+r.Resolution, "video standard_vip 1080p", "Create has")
	})
}

// copied is the last text that was put on the clipboard.
func (p *pilot) copied() string {
	for i := len(p.raw) - 1; i >= 0; i-- {
		if v := reflect.ValueOf(p.raw[i]); v.Kind() == reflect.String && strings.Contains(v.Type().Name(), "lipboard") {
			return v.String()
		}
	}
	return ""
}

// doorPrices is what a fakeSession knows of prices, plans and spending.
type doorPrices struct {
	plans []pricing.Plan
	spend state.Spend
	quote func(ctx context.Context, r api.Request) (api.Estimate, error)
}

func (d *fakeSession) Quote(ctx context.Context, r api.Request) (api.Estimate, error) {
	if d.pricing.quote != nil {
		return d.pricing.quote(ctx, r)
	}
	return d.Estimate(ctx, r)
}

func (d *fakeSession) Plans(context.Context) ([]pricing.Plan, error) {
	defer d.locked()()
	return slices.Clone(d.pricing.plans), d.readFailed()
}

func (d *fakeSession) SavePlan(_ context.Context, plan pricing.Plan) error {
	d.note("plan %s", plan.Name)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pricing.plans = slices.DeleteFunc(d.pricing.plans, func(p pricing.Plan) bool { return p.Name == plan.Name })
	if len(plan.Items) > 0 {
		d.pricing.plans = append([]pricing.Plan{plan}, d.pricing.plans...)
	}
	return nil
}

func (d *fakeSession) Spend(_ context.Context, since time.Time) (state.Spend, error) {
	d.note("spend %s", since.Format(time.DateOnly))
	d.takeTime()
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pricing.spend, d.readFailed()
}

// anyDuration is a listing of seedance2 that takes every duration.
func anyDuration(d *fakeSession) {
	d.models[0].Parameters = d.models[0].Parameters[:2]
}

// gridRow reads the figures of a row of the table.
func gridRow(t *testing.T, screen, tier string) (figures []string) {
	t.Helper()
	found := regexp.MustCompile(`│  ` + tier + ` {2,}(.*?) *│\n`).FindStringSubmatch(screen)
	expect.Must(t, found != nil, "there is no row", tier, screen)
	for _, cell := range regexp.MustCompile(`(?:^|[ ≈▸…])(–|[\d,.]+)(?: |$)`).FindAllStringSubmatch(regexp.MustCompile(`[+−][\d,]+ %`).ReplaceAllString(found[1], ""), -1) {
		figures = append(figures, cell[1])
	}
	return figures
}

// Every cell for every duration is the spec's: what a second costs, and for the
// duration; unavailable ones are said to be so. With the service and without.
func TestTheTableIsTheSpecsForEveryDuration(t *testing.T) {
	t.Parallel()
	spec := map[string][3]int64{"fast": {0, 85, 0}, "standard": {0, 85, 0}, "fast_vip": {50, 100, 0}, "standard_vip": {85, 100, 200}}
	for name, prepare := range map[string]func(*fakeSession){"quoted": anyDuration, "published": func(d *fakeSession) { anyDuration(d); unreachable(d) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPrices(120, 40, prepare)(t, func(p *pilot) {
				for seconds := 1; seconds <= 15; seconds++ {
					p.keys("d", ":"+strconv.Itoa(seconds), "enter", "~~")
					screen := p.screen()
					for tier, row := range spec {
						figures := gridRow(t, screen, tier)
						p.expect(len(figures) == 3, "%d s: %s has %q:\n%s", seconds, tier, figures, screen)
						for i, rate := range row {
							figure := "–"
							if rate > 0 {
								figure = env.Thousands(int(rate) * seconds)
								_, below, _ := strings.Cut(screen, "by duration")
								found := regexp.MustCompile(`│  [^│\n]*\b` + tier + `\b[^│\n/]* ` + api.Resolutions("")[i] + ` +(\d+)/s`).FindStringSubmatch(below)
								p.expect(found != nil && found[1] == strconv.FormatInt(rate, 10), "%d s: of %s a second is %q, want %d",
									seconds, tier, found, rate)
							}
							p.expect(figures[i] == figure, "%d s: %s %d is %q, want %q", seconds, tier, i, figures[i], figure)
						}
					}
				}
				p.keys("right")
				p.shows("– fast is fixed at 720p: choose another tier or resolution.")
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
	fly(120, 40, hang)(t, func(p *pilot) {
		p.keys("alt+3")
		first := p.screen()
		p.shows("≈ 425", "≈ 1,000", "seedance2")
		p.settle()
		p.shows("quoted 0 of 7, esc stops")
		for range 6 {
			p.pass(10 * time.Second)
		}
		p.shows("✓ quoted at")
		places := func(screen string) (at []string) {
			for n, l := range strings.Split(screen, "\n") {
				for _, word := range []string{"credits ", "480p ", "fast  ", "standard_vip  ", "compared", "Plan", "credits buy"} {
					if i := strings.Index(l, word); i >= 0 {
						at = append(at, fmt.Sprint(word, " ", n, " ", len([]rune(l[:i]))))
					}
				}
			}
			return at
		}
		expect.List(t, places(p.screen()), places(first), "lines have moved")
	})
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
	inPrices(120, 40, func(d *fakeSession) { manyModels(d); d.pricing.quote = c.quote })(t, func(p *pilot) {
		p.keys("tab", "tab") // to the models
		for n := range 50 {
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
		p.expect(c.most <= 4 && c.most >= 3, "%d quotes were under way at a time", c.most)
		p.expect(c.n >= 125 && c.n <= 51*12, "%d quotes", c.n)
		// Figures that are none stay marked: no amount is made of dollars, of a
		// price per second, or of a refusal.
		screen := p.screen()
		p.shows("9,000,000")
		p.expect(strings.Count(screen, "?")+strings.Count(screen, "…") >= 4, "the last model has figures without a mark")
		for _, figure := range regexp.MustCompile(`▸?[\d,.]+`).FindAllString(strings.Join(strings.Split(screen, "\n")[2:8], " "), -1) {
			p.expect(!strings.Contains(figure, "-"), "%q is a figure", figure)
		}
	})
}

// esc and leaving the screen end the questions.
func TestQuotesEndWithEscAndOnLeaving(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]string{"esc": "esc", "leaving": "alt+2"} {
		c := &countingQuotes{slow: time.Minute}
		fly(120, 40, func(d *fakeSession) { anyDuration(d); d.pricing.quote = c.quote })(t, func(p *pilot) {
			p.keys("alt+3", "~~")
			p.shows("quoted 0 of 7")
			p.keys(leave, "~")
			c.mu.Lock()
			under, n := c.under, c.n
			c.mu.Unlock()
			p.expect(under == 0 && n == 4, "%s: %d are still under way of %d", name, under, n)
			p.lacks("quoted 0 of 7")
			p.pass(3 * time.Minute)
			p.expect(c.n == n, "%s: %d more were asked", name, c.n-n)
		})
	}
}

// A service that does not answer, or asks for a rest, is left alone.
func TestAFailingServiceIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"network": &api.Error{Class: api.ClassNetwork, Text: text("connection refused")},
		"rest":    errors.New("the service is busy: it is not called before 14:20:00"),
		"server":  &api.Error{Class: api.ClassServer, Status: 500, Text: text("oops")},
	} {
		n := 0
		var mu sync.Mutex
		inPrices(120, 40, func(d *fakeSession) {
			d.pricing.quote = func(context.Context, api.Request) (api.Estimate, error) {
				mu.Lock()
				defer mu.Unlock()
				n++
				return api.TableEstimate(api.Request{}), failure
			}
		})(t, func(p *pilot) {
			p.expect(n <= 4, "%s: asked %d times", name, n)
			p.shows("≈ 425", "≈ 1,000")
		})
	}
}

func TestPricesFigures(t *testing.T) { flyEach(t, pricesFiguresFlights) }

var pricesFiguresFlights = []flight{
	{"a refused duration is not asked for again", inPrices(120, 40, func(d *fakeSession) {
		anyDuration(d)
		right := d.estimate
		d.estimate = func(r api.Request) (api.Estimate, error) {
			if n, _ := strconv.Atoi(r.Duration); n > 12 {
				return api.Estimate{Source: api.SourceNone}, &api.Error{Class: api.ClassInvalid, Status: 422, Text: text("refused"),
					Fields: []api.FieldError{{Field: "duration", Text: text("give whole seconds from 4 to 12")}}}
			}
			return right(r)
		}
	}), func(p *pilot) {
		enter := func(seconds string) int {
			before := p.session.asked("estimate")
			p.keys("d", ":"+seconds, "enter", "~~")
			return p.session.asked("estimate") - before
		}
		enter("13")
		p.shows("seedance2  13 s", "The service refused", "≈ 1,105")
		expect.Equal(p.t, enter("12"), 7, "figures of 12 s that were asked for")
		p.lacks("✕")
		expect.Equal(p.t, enter("13"), 0, "figures of the refused duration that were asked for again")
	}},
	{"a resolution that is not offered has no part in the scale", inPrices(120, 40, func(d *fakeSession) {
		anyDuration(d)
		d.models[0].Parameters[1].Values = []string{"480p", "720p"}
	}), func(p *pilot) {
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#14161B")})
		_, row, _ := strings.Cut(p.app.View().Content, "50/s")
		row, _, _ = strings.Cut(row, "\n")
		grounds := slices.Compact(slices.Sorted(slices.Values(regexp.MustCompile(`48;2;[\d;]+`).FindAllString(row, -1))))
		p.expect(len(grounds) > 3, "one ground for all durations: %q", grounds)
	}},
	{"a duration longer than the longest one has no column", inPrices(120, 40, func(d *fakeSession) {
		longest := 12.0
		d.models[0].Parameters[2] = api.Parameter{Name: "duration", Max: &longest}
	}), func(p *pilot) {
		p.keys("d", ":60", "enter", "~~")
		p.shows("✕ 60 s", "by duration", "12 s")
	}},
	{"a duration that is not listed is not asked for", inPrices(100, 24, nil), func(p *pilot) { // the listing has 5 and 10
		before := p.session.asked("estimate")
		p.keys("d", ":7", "~~")
		p.shows("duration must be one of 5, 10 for this model.")
		n := p.session.asked("estimate") - before
		p.expect(n == 0, "a duration that is not listed was asked for %d times", n)
		p.keys("esc", "~~")
		p.shows("seedance2  5 s")
		p.isAt(msg.PlacePrices)
	}},
	// The other durations stand below the table, at the resolution of the selected cell, as the spec prices them.
	{"other durations stand below the table", inPrices(150, 60, anyDuration), func(p *pilot) {
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
			_, below, _ := strings.Cut(p.screen(), "by duration")
			lines := strings.Split(below, "\n")
			heads := regexp.MustCompile(`(\d+) s`).FindAllStringSubmatch(lines[0], -1)
			p.expect(len(heads) >= 7, "only %d durations", len(heads))
			for tier, rate := range at.rates {
				figures := gridRow(p.t, below, `(?:[^│\n]*\b)?`+tier+`\b[^│\n/]* `+at.resolution)
				for i, head := range heads {
					n, _ := strconv.Atoi(head[1])
					want := env.Thousands(rate * n)
					p.expect(len(figures) == len(heads) && figures[i] == want, "%s %s: %q, want %s for %d s", tier, at.resolution, figures, want, n)
				}
			}
		}
	}},
}
