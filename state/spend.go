package state

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// Spend is what was spent since a moment.
type Spend struct {
	Since time.Time
	Lines []Line // by day, model and kind, the newest day first
	Kept  int    // jobs whose result the person picked or starred
}

// Sum is what several lines come to.
type Sum struct {
	Jobs              int
	Credits, Possibly api.Credits
	Unpriced          int
}

// Add adds a line.
func (s *Sum) Add(l Line) {
	s.Jobs += l.Jobs
	s.Credits = s.Credits.Plus(l.Credits)
	s.Possibly = s.Possibly.Plus(l.Possibly)
	s.Unpriced += l.Unpriced
}

// Total is what all lines come to.
func (s *Spend) Total() Sum {
	var t Sum
	for _, l := range s.Lines {
		t.Add(l)
	}
	return t
}

// PerKept is what one kept result cost, all that was spent included, rounded up to
// a millionth; false without one.
func (s *Spend) PerKept() (api.Credits, bool) {
	if s.Kept <= 0 {
		return 0, false
	}
	n := api.Credits(s.Kept)
	per := s.Total().Credits / n
	if s.Total().Credits%n != 0 {
		per++
	}
	return per, true
}

// Spend is what was spent since a moment, by darkroom's own ledger.
func (p *Pricing) Spend(ctx context.Context, since time.Time) (Spend, error) {
	s := Spend{Since: since}
	file := p.storage.current()
	var err error
	if s.Lines, err = file.Ledger(ctx, since); err == nil {
		s.Kept, err = file.Kept(ctx, since)
	}
	return s, store.Explain(err)
}
