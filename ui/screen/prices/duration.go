package prices

import (
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// durationEntry is the duration while it is typed.
type durationEntry struct {
	line    widget.Line
	editing bool
	before  int // what esc goes back to
	edits   int
}

// startDuration gives the duration the keys.
func (s *Screen) startDuration() tea.Cmd {
	s.page, s.pane = pagePrices, paneGrid
	d := &s.duration
	d.editing, d.before = true, s.seconds
	d.line.Set("")
	d.edits++
	s.scroll.ToTop()
	return nil
}

func (s *Screen) stopDuration() {
	s.duration.editing = false
	s.duration.edits++
}

// editDuration gives a key to the duration. What is typed counts at once.
func (s *Screen) editDuration(m tea.KeyPressMsg) (tea.Cmd, bool) {
	d := &s.duration
	switch m.String() {
	case "enter", "tab", "down", "up":
		s.stopDuration()
		return nil, true
	case "esc":
		s.stopDuration()
		return s.setDuration(d.before), true
	case "+", "-":
		s.stopDuration()
		return nil, false
	}
	if !d.line.Edit(m) {
		return nil, false
	}
	d.edits++
	return s.typedDuration(), true
}

// typedDuration takes the typed duration; nothing typed is the one before.
func (s *Screen) typedDuration() tea.Cmd {
	n, err := strconv.Atoi(s.duration.line.Text())
	if err != nil {
		n = s.duration.before
	}
	return s.setDuration(max(min(n, longest), shortest))
}

// setDuration prices videos of another duration. The selected cell stays.
func (s *Screen) setDuration(to int) tea.Cmd {
	if to == s.seconds {
		return nil
	}
	s.seconds = to
	s.keepCell(s.models.selected())
	return s.fill()
}

// durationLine is the line on which the duration is typed.
func (s *Screen) durationLine() string {
	k := s.k
	return k.Theme.Accent.Paint(k.Say("Duration in seconds")+" › ") + k.Theme.Strong.Paint(theme.Fit(s.duration.line.Text(), 5)) +
		k.Theme.Muted.Paint(k.Say("enter takes it, esc does not"))
}

// durationCursor is the cell of the cursor on that line.
func (s *Screen) durationCursor() int {
	return theme.Width(s.k.Say("Duration in seconds")) + 3 + s.duration.line.Column()
}

// durationKey is a duration of a model.
type durationKey struct {
	model   string
	seconds int
}

// learnDuration remembers a duration that the service refuses.
func (s *Screen) learnDuration(m pricedMsg) {
	var e *api.Error
	if !errors.As(m.figure.err, &e) || e.Class != api.ClassInvalid || m.series != s.asking.series || !s.grid.Chosen {
		return
	}
	for _, f := range e.Fields {
		if f.Field == api.FieldDuration {
			s.refusedDurations[durationKey{m.model, s.seconds}] = f.Text.String()
		}
	}
}

// durationRefused says why the model does not take the duration, or "".
func (s *Screen) durationRefused() string {
	if s.grid.Refusal.Code != "" {
		return s.k.Problem(s.grid.Refusal)
	}
	if !s.grid.Chosen {
		return ""
	}
	why := s.refusedDurations[durationKey{s.grid.Model.ID, s.seconds}]
	if why == "" {
		return ""
	}
	return env.AsSentence(s.k.Say("the service refuses %d s: %s", s.seconds, why))
}

// mostDurations is how many durations stand beside each other.
const mostDurations = 15

// writeDurations shows what each duration costs at the selected resolution.
func (s *Screen) writeDurations(f *widget.Facts) {
	g := &s.grid
	low, high := bounds(g.Model, s.seconds)
	if low = max(low, min(s.seconds-mostDurations/2, high-mostDurations+1)); !g.Chosen || low >= high {
		return
	}
	key := s.contentKey()
	key.row, key.focus = 0, false // the same whichever tier is selected
	out := s.durations.Get(key, func() widget.RateGrid {
		out := s.names()
		out.Col, out.Cols = s.seconds-low, nil
		for n := low; n <= min(high, low+mostDurations-1); n++ {
			out.Cols = append(out.Cols, s.k.Say("%d s", n))
		}
		for row := range g.Rows {
			for i := range out.Cols {
				c := *g.At(row, g.col)
				c.Request.Duration = strconv.Itoa(low + i)
				c.Key, c.Rate = c.Request.EstimateKey(g.Model), api.TableEstimate(c.Request)
				out.Cells = append(out.Cells, s.rate(&c))
			}
		}
		return *out
	})
	out.Row = g.row
	f.Gap()
	f.Lines = append(f.Lines, widget.Divide(s.k.Say("%s by duration", clean(g.Cols[g.col]))))
	f.Lines = append(f.Lines, out.Lines(s.k.Theme, out.Frame(f.Width, len(out.Rows)+1))...)
}
