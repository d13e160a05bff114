package prices

import (
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
)

const (
	// mostCalls is how many prices of one model the service is asked for.
	mostCalls = 16
	// betweenCalls keeps the questions gentle.
	betweenCalls = 150 * time.Millisecond
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
	known   map[string]figure
	version int64
}

func (t *figureTable) put(key string, f figure) {
	t.known[key] = f
	t.version++
}

func (t *figureTable) clear() {
	clear(t.known)
	t.version++
}

// recall adds stored prices; those that are known are newer.
func (t *figureTable) recall(stored map[string]figure) {
	maps.DeleteFunc(stored, func(key string, _ figure) bool {
		_, ok := t.known[key]
		return ok
	})
	maps.Copy(t.known, stored)
	t.version++
}

// of is the best price of a choice: the service's, else the published one.
func (t *figureTable) of(c *choice) (figure, bool) {
	f, ok := t.known[c.key]
	if ok && f.estimate.Known() {
		return f, true
	}
	if c.table.Known() {
		return figure{estimate: c.table, err: f.err}, true
	}
	return f, false
}

// priceDueMsg says that the next price may be asked for.
type priceDueMsg struct{ series int }

// pricedMsg is the answer for one choice.
type pricedMsg struct {
	series int
	key    string
	figure figure
}

// recalledMsg are stored prices.
type recalledMsg struct{ figures map[string]figure }

// ageDueMsg says that a minute has passed: prices show how old they are.
type ageDueMsg struct {
	visit int
	at    time.Time
}

// fill asks for the prices in view: at once for those that are stored, and,
// once the choice has rested, for the service's own, one after the other.
func (s *Screen) fill() tea.Cmd {
	s.series++
	if !s.shown || len(s.grid.cells) == 0 {
		return nil
	}
	if s.models.listing.Err != nil {
		return s.readStored()
	}
	return tea.Batch(s.readStored(), s.later(quietFor))
}

// readStored reads what is known of the prices in view without a call.
func (s *Screen) readStored() tea.Cmd {
	missing := map[string]api.Request{}
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		if _, ok := s.figures.known[c.key]; !ok && !c.refused() && !c.table.Known() {
			missing[c.key] = c.request
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		m := recalledMsg{map[string]figure{}}
		for key, r := range missing {
			if e := backend.KnownEstimate(ctx, r); e.Known() {
				m.figures[key] = figure{estimate: e, stored: true}
			}
		}
		return m
	}
}

func (s *Screen) later(d time.Duration) tea.Cmd {
	series, ctx := s.series, s.k.Context
	return func() tea.Msg {
		env.Pause(ctx, d)
		return priceDueMsg{series}
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

// askNext asks the service for the first price that is missing.
func (s *Screen) askNext() tea.Cmd {
	for i := range min(len(s.grid.cells), mostCalls) {
		c := &s.grid.cells[i]
		if f, ok := s.figures.known[c.key]; c.refused() || ok && !f.stored {
			continue
		}
		series, ctx, backend, key, r := s.series, s.k.Context, s.backend, c.key, c.request
		return func() tea.Msg {
			e, err := backend.Estimate(ctx, r)
			if ctx.Err() != nil {
				return nil
			}
			return pricedMsg{series, key, figure{estimate: e, err: err}}
		}
	}
	return nil
}

// priced takes a price over. A service that does not answer is left alone.
func (s *Screen) priced(m pricedMsg) tea.Cmd {
	s.figures.put(m.key, m.figure)
	s.setNow(m.figure.estimate.At)
	if m.series != s.series || m.figure.err != nil {
		return nil
	}
	return s.later(betweenCalls)
}
