package prices

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/widget"
)

func (s *Screen) startDuration() tea.Cmd {
	s.pane, s.before = paneGrid, s.seconds
	s.duration.Reset()
	s.duration.Start()
	s.scroll.ToTop()
	return nil
}

// typedDuration takes the typed duration; nothing typed is the one before.
func (s *Screen) typedDuration() tea.Cmd {
	n, err := strconv.Atoi(s.duration.Text())
	if err != nil {
		n = s.before
	}
	return s.setDuration(max(min(n, longest), shortest))
}

func (s *Screen) setDuration(to int) tea.Cmd {
	if to == s.seconds {
		return nil
	}
	s.seconds = to
	return s.layOut()
}

func (s *Screen) whyNoDuration() string {
	switch {
	case s.grid.Chosen:
		return ""
	case s.grid.Timed:
		return s.k.Say("The table shows every duration that this model takes.")
	}
	return s.k.Say("Only videos have a duration.")
}

const maxDurations = 15

// writeDurations shows what each duration costs at the selected resolution.
func (s *Screen) writeDurations(f *widget.Facts) {
	g := &s.grid
	low, high := bounds(g.Model, s.seconds)
	low = max(low, min(s.seconds-maxDurations/2, high-maxDurations+1))
	high = min(high, low+maxDurations-1)
	if !g.Chosen || low >= high {
		return
	}
	b := &widget.RateGrid{Unit: s.k.Say("%s by duration", clean(g.Cols[g.col])), Rows: cleaned(g.Rows), Row: g.row, Col: s.seconds - low}
	for n := low; n <= high; n++ {
		b.Cols = append(b.Cols, s.k.Say("%d s", n))
	}
	for row := range g.Rows {
		chosen := g.At(row, g.col)
		for n := low; n <= high; n++ {
			r := chosen.Request
			r.Duration = strconv.Itoa(n)
			c := pricing.ChoiceOf(g.Model, r)
			c.Refusal = chosen.Refusal
			b.Cells = append(b.Cells, s.priceCell(&c, false))
		}
	}
	f.Add(b.Lines(s.k.Theme, b.Frame(f.Width, len(b.Rows)+1))...)
}

// Durations that can be typed, in seconds.
const (
	shortest = 1
	longest  = 3600
	// stepTop is as far as single steps go for a model that lists no durations.
	stepTop = 60
)

// nextDuration steps through a model's durations, or by seconds within its bounds.
func nextDuration(m api.Model, now, by int) int {
	p, _ := m.Parameter(api.FieldDuration)
	next, listed := now, false
	for _, v := range p.Values {
		n, err := strconv.Atoi(v)
		if err != nil || n <= 0 {
			continue
		}
		if listed = true; (n-now)*by > 0 && (next == now || (next-n)*by > 0) {
			next = n
		}
	}
	if low, high := bounds(m, now); !listed {
		next = max(min(now+by, high), low)
	}
	return next
}

// bounds are the shortest and longest duration, in seconds, if a model lists both.
func bounds(m api.Model, now int) (low, high int) {
	p, _ := m.Parameter(api.FieldDuration)
	low, high = shortest, max(stepTop, now)
	if p.Min != nil && int(*p.Min) >= shortest && *p.Min <= longest {
		low = int(*p.Min)
	}
	if p.Max != nil && *p.Max >= float64(low) && *p.Max <= longest {
		high = int(*p.Max)
	}
	return low, high
}
