package state

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// Spend is what was spent since a moment.
type Spend struct {
	Since  time.Time
	Lines  []Line  // by day, model and kind, the newest day first
	Chains []Chain // the dearest first
	Kept   int     // jobs whose result the person picked or starred
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

// Chain is jobs that come of each other: sent again, made from a result, or of
// the same prompt.
type Chain struct {
	ID          string // of its first job
	Title       string
	First, Last time.Time
	Kept        int
	Sum
}

// PerKept is what one kept result of the chain cost, and false without one.
func (c *Chain) PerKept() (api.Credits, bool) { return perKept(c.Credits, c.Kept) }

// PerKept is what one kept result cost, all that was spent included, and false
// without one.
func (s *Spend) PerKept() (api.Credits, bool) {
	total := s.Total()
	return perKept(total.Credits, s.Kept)
}

// perKept divides, rounded up to a millionth.
func perKept(c api.Credits, n int) (api.Credits, bool) {
	if n <= 0 {
		return 0, false
	}
	per := c / api.Credits(n)
	if c%api.Credits(n) != 0 {
		per++
	}
	return per, true
}

// Spend is what was spent since a moment, by darkroom's own ledger.
func (p *Pricing) Spend(ctx context.Context, since time.Time) (Spend, error) {
	s := Spend{Since: since}
	file := p.storage.current()
	var err error
	if s.Lines, err = file.Ledger(ctx, since); err != nil {
		return s, store.Explain(err)
	}
	charges, err := file.Charges(ctx, since)
	if err != nil {
		return s, store.Explain(err)
	}
	s.Chains = chainsOf(charges)
	for i := range s.Chains {
		s.Kept += s.Chains[i].Kept
	}
	return s, nil
}

// chainsOf joins charges that belong together; they come oldest first.
func chainsOf(charges []store.Charge) []Chain {
	f := forestOf(charges)
	chains := map[int]*Chain{}
	for i := range charges {
		c, at := &charges[i], f.root(i)
		chain := chains[at]
		if chain == nil {
			first := &charges[at]
			chain = &Chain{ID: first.ID, Title: first.Title, First: first.CreatedAt}
			chains[at] = chain
		}
		chain.Last = c.CreatedAt
		chain.Jobs++
		if c.Kept {
			chain.Kept++
		}
		chain.Credits = chain.Credits.Plus(c.Credits)
		chain.Possibly = chain.Possibly.Plus(c.Possibly)
		if c.Unpriced {
			chain.Unpriced++
		}
	}
	out := make([]Chain, 0, len(chains))
	for _, c := range chains {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Chain) int {
		return cmp.Or(cmp.Compare(b.Credits, a.Credits), cmp.Compare(b.Possibly, a.Possibly), b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// forest holds which charges belong together: each leads to an older one of its
// chain, the oldest to itself.
type forest []int

func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// join makes one chain of two, named by the older charge.
func (f forest) join(a, b int) {
	a, b = f.root(a), f.root(b)
	f[max(a, b)] = min(a, b)
}

func forestOf(charges []store.Charge) forest {
	f := make(forest, len(charges))
	byID, byPrompt, byResult := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range charges {
		f[i] = i
		byID[charges[i].ID] = i
		for _, address := range charges[i].Results {
			byResult[withoutQuery(address)] = i
		}
	}
	for i := range charges {
		c := &charges[i]
		if j, ok := byID[c.Parent]; ok {
			f.join(i, j)
		}
		if prompt := strings.TrimSpace(c.Request.Prompt); prompt != "" {
			if j, ok := byPrompt[prompt]; ok {
				f.join(i, j)
			}
			byPrompt[prompt] = i
		}
		for _, kind := range []api.MaterialKind{api.MaterialImage, api.MaterialVideo, api.MaterialAudio} {
			for _, address := range c.Request.Materials(kind) {
				if j, ok := byResult[withoutQuery(address)]; ok {
					f.join(i, j)
				}
			}
		}
	}
	return f
}

// withoutQuery is an address without what is signed anew at every look at it.
func withoutQuery(address string) string {
	path, _, _ := strings.Cut(address, "#")
	path, _, _ = strings.Cut(path, "?")
	return path
}
