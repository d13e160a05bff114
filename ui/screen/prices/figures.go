package prices

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
)

const (
	atOnce   = 4                      // prices that the service is asked for at a time
	maxCalls = 64                     // prices of one model that it is asked for
	quietFor = 300 * time.Millisecond // a choice rests before the service is asked for it
)

// figure is one answered price.
type figure struct {
	api.Estimate
	err    error // why the service's own is missing
	stored bool  // known from before: the service is still to be asked
}

// figure is the best price of a choice: the service's, else the published, if any.
func (s *Screen) figure(c *pricing.Choice) figure {
	f := s.figures[c.Key]
	if !f.Known() && c.Rate.Known() {
		f.Estimate = c.Rate
	}
	return f
}

// credits is a pricing.Figure of what was quoted or published.
func (s *Screen) credits(c *pricing.Choice) (api.Credits, bool) {
	f := s.figure(c)
	return f.Credits, f.Known()
}

// priceOf is what one request costs, as far as it is known; a listed price counts.
func (s *Screen) priceOf(r api.Request) (api.Credits, bool) {
	m := s.modelOf(r.Model)
	c := pricing.ChoiceOf(m, r)
	if credits, ok := s.credits(&c); ok {
		return credits, true
	}
	return pricing.Listed(m, r)
}

func (s *Screen) priceOfChoice(c *pricing.Choice) (api.Credits, bool) { return s.priceOf(c.Request) }

// stale reports whether a quote is so old that its age is shown.
func (s *Screen) stale(f figure) bool {
	age, _ := f.Age(s.now)
	return f.Source == api.SourceService && !f.At.IsZero() && age >= api.FreshFor
}

// asking is a series of questions for the prices in view. Answers to an earlier
// series are kept, and ask for no more.
type asking struct {
	ctx  context.Context
	stop context.CancelFunc
	done int
	all  int // 0 until the service is asked
}

func (s *Screen) asksNow() bool { return s.asking != nil && s.asking.all > 0 }

// endAsking cancels the questions under way and forgets the rest.
func (s *Screen) endAsking() {
	if s.asking != nil {
		s.asking.stop()
		s.asking = nil
	}
}

type priceDueMsg struct{ of *asking }

type pricedMsg struct {
	of     *asking
	key    string
	figure figure
}

// fill asks for the prices in view: at once for those that are stored, and,
// once the choice has rested, for the service's own. A duration that the model
// does not take is not asked for.
func (s *Screen) fill() tea.Cmd {
	s.endAsking()
	if !s.shown || len(s.grid.Choices) == 0 {
		return nil
	}
	recall := s.recall(s.grid.Choices)
	if s.models.listing.Err != nil || s.grid.Refusal.Code != "" {
		return recall
	}
	a := &asking{}
	a.ctx, a.stop = context.WithCancel(s.k.Context)
	s.asking = a
	return tea.Batch(recall, env.Later(a.ctx, quietFor, priceDueMsg{a}))
}

// ask asks the service for the prices that are missing. After an answer that says that
// it will not answer for others either, it is left alone.
func (s *Screen) ask(a *asking) tea.Cmd {
	if a != s.asking {
		return nil
	}
	var cmds []tea.Cmd
	turns, records := make(chan struct{}, atOnce), s.records
	for i := range s.grid.Choices {
		c := &s.grid.Choices[i]
		if f, ok := s.figures[c.Key]; c.Refused() || ok && !f.stored || len(cmds) == maxCalls {
			continue
		}
		cmds = append(cmds, func() tea.Msg {
			turns <- struct{}{}
			defer func() { <-turns }()
			if a.ctx.Err() != nil {
				return nil
			}
			e, err := records.Quote(a.ctx, c.Request)
			switch {
			case a.ctx.Err() != nil:
				return nil
			case err != nil && !pricing.OneOnly(err):
				a.stop()
			}
			e.Raw = nil
			return pricedMsg{a, c.Key, figure{Estimate: e, err: err}}
		})
	}
	a.all = len(cmds)
	return tea.Batch(cmds...)
}

func (s *Screen) priced(m pricedMsg) {
	s.figures[m.key] = m.figure
	if m.of != s.asking {
		return
	}
	if s.asking.done++; s.asking.done == s.asking.all || s.asking.ctx.Err() != nil {
		s.endAsking()
	}
}

type recalledMsg map[string]figure

// recall reads stored prices; it makes no call.
func (s *Screen) recall(choices []pricing.Choice) tea.Cmd {
	missing := slices.DeleteFunc(slices.Clone(choices), func(c pricing.Choice) bool {
		_, known := s.figures[c.Key]
		return known || c.Refused() || c.Rate.Known()
	})
	if len(missing) == 0 {
		return nil
	}
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		m := recalledMsg{}
		for i := range missing {
			if e := backend.KnownEstimate(ctx, missing[i].Request); e.Known() {
				e.Raw = nil
				m[missing[i].Key] = figure{Estimate: e, stored: true}
			}
		}
		return m
	}
}
