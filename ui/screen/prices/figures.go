package prices

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
)

const (
	// atOnce is how many prices the service is asked for at a time.
	atOnce = 4
	// maxCalls is how many prices of one model the service is asked for.
	maxCalls = 64
	// quietFor is how long a choice rests before the service is asked for it.
	quietFor = 300 * time.Millisecond
)

// figure is one answered price.
type figure struct {
	estimate api.Estimate
	err      error // why the service's own is missing
	stored   bool  // known from before: the service is still to be asked
}

// figureTable is the prices that are known, by the key of their choice.
type figureTable struct {
	known map[string]figure
}

func (t *figureTable) put(key string, f figure) {
	f.estimate.Raw = nil
	t.known[key] = f
}

// recall adds stored prices; those that are known are newer.
func (t *figureTable) recall(m recalledMsg) {
	for key, f := range m.figures {
		if _, ok := t.known[key]; !ok {
			t.put(key, f)
		}
	}
}

// of is the best price of a choice: the service's, else the published one.
func (t *figureTable) of(c *pricing.Choice) (figure, bool) {
	f, ok := t.known[c.Key]
	if ok && f.estimate.Known() {
		return f, true
	}
	if c.Rate.Known() {
		return figure{estimate: c.Rate, err: f.err}, true
	}
	return f, false
}

func (t *figureTable) credits(c *pricing.Choice) (api.Credits, bool) {
	f, ok := t.of(c)
	return f.estimate.Credits, ok
}

// asking is the questions for the prices in view.
type asking struct {
	// series is their number; answers to an earlier series ask for no more.
	series  int
	stop    context.CancelFunc // nil when none are under way
	ctx     context.Context
	left    []*pricing.Choice // still to be asked
	running int
	done    int
	all     int
}

// active reports whether the service is being asked.
func (a *asking) active() bool { return a.stop != nil }

// end cancels what is under way and forgets the rest.
func (a *asking) end() {
	if a.stop != nil {
		a.stop()
	}
	*a = asking{series: a.series + 1}
}

// priceDueMsg says that the prices in view may be asked for.
type priceDueMsg struct{ series int }

// pricedMsg is the answer for one choice.
type pricedMsg struct {
	series int
	key    string
	figure figure
}

type recalledMsg struct{ figures map[string]figure }

// ageDueMsg says that a minute has passed: prices show how old they are.
type ageDueMsg struct {
	visit int
	at    time.Time
}

// fill asks for the prices in view: at once for those that are stored, and,
// once the choice has rested, for the service's own.
func (s *Screen) fill() tea.Cmd {
	s.asking.end()
	if !s.shown || len(s.grid.Choices) == 0 {
		return nil
	}
	recall := s.recall(s.requests())
	if s.models.listing.Err != nil {
		return recall
	}
	series, ctx := s.asking.series, s.k.Context
	return tea.Batch(recall, func() tea.Msg {
		env.Pause(ctx, quietFor)
		return priceDueMsg{series}
	})
}

// requests are those of the prices in view that can be had.
func (s *Screen) requests() map[string]api.Request {
	out := map[string]api.Request{}
	for i := range s.grid.Choices {
		if c := &s.grid.Choices[i]; !c.Refused() {
			out[c.Key] = c.Request
		}
	}
	return out
}

// recall reads what is known of prices without a call.
func (s *Screen) recall(requests map[string]api.Request) tea.Cmd {
	missing := map[string]api.Request{}
	for key, r := range requests {
		if _, ok := s.figures.known[key]; !ok && !api.TableEstimate(r).Known() {
			missing[key] = r
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		m := recalledMsg{figures: map[string]figure{}}
		for key, r := range missing {
			if e := backend.KnownEstimate(ctx, r); e.Known() {
				m.figures[key] = figure{estimate: e, stored: true}
			}
		}
		return m
	}
}

// watchAge brings the time once a minute while the screen is seen.
func (s *Screen) watchAge() tea.Cmd {
	visit, ctx, clock := s.visit, s.k.Context, s.k.Clock
	return func() tea.Msg {
		env.Pause(ctx, time.Minute)
		return ageDueMsg{visit, clock()}
	}
}

// ask begins to ask the service for the prices that are missing. A duration
// that the model does not take is not asked for.
func (s *Screen) ask() tea.Cmd {
	if s.grid.Refusal.Code != "" {
		return nil
	}
	a := &s.asking
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		if f, ok := s.figures.known[c.Key]; !c.Refused() && (!ok || f.stored) && len(a.left) < maxCalls {
			a.left = append(a.left, c)
		}
	}
	if a.all = len(a.left); a.all == 0 {
		return nil
	}
	a.ctx, a.stop = context.WithCancel(s.k.Context)
	return s.askMore()
}

// askMore asks for as many prices as may be under way at a time.
func (s *Screen) askMore() tea.Cmd {
	a := &s.asking
	var cmds []tea.Cmd
	for ; len(a.left) > 0 && a.running < atOnce; a.running++ {
		c := a.left[0]
		a.left = a.left[1:]
		series, ctx, records, key, r := a.series, a.ctx, s.records, c.Key, c.Request
		cmds = append(cmds, func() tea.Msg {
			e, err := records.Quote(ctx, r)
			if ctx.Err() != nil {
				return nil
			}
			return pricedMsg{series, key, figure{estimate: e, err: err}}
		})
	}
	return tea.Batch(cmds...)
}

// priced takes a price over. A service that does not answer is left alone.
func (s *Screen) priced(m pricedMsg) tea.Cmd {
	s.figures.put(m.key, m.figure)
	a := &s.asking
	if m.series != a.series || !a.active() {
		return nil
	}
	a.running--
	a.done++
	switch {
	case a.done == a.all, m.figure.err != nil && !pricing.OneOnly(m.figure.err):
		a.end()
		return nil
	}
	return s.askMore()
}
