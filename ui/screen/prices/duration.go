package prices

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// durationEntry is the duration while it is typed.
type durationEntry struct {
	line    widget.Line
	editing bool
	before  int // what esc goes back to
}

// startDuration gives the duration the keys.
func (s *Screen) startDuration() tea.Cmd {
	s.ledger, s.pane = false, paneGrid
	d := &s.duration
	d.editing, d.before = true, s.seconds
	d.line.Set("")
	s.scroll.ToTop()
	return nil
}

// editDuration gives a key to the duration. What is typed counts at once.
func (s *Screen) editDuration(m tea.KeyPressMsg) (tea.Cmd, bool) {
	d := &s.duration
	switch m.String() {
	case "enter", "tab", "down", "up":
		d.editing = false
		return nil, true
	case "esc":
		d.editing = false
		return s.setDuration(d.before), true
	case "+", "-":
		d.editing = false
		return nil, false
	}
	if !d.line.Edit(m) {
		return nil, false
	}
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

func (s *Screen) durationLine() string {
	k := s.k
	return k.Theme.Accent.Paint(k.Say("Duration in seconds")+" › ") + k.Theme.Strong.Paint(theme.Fit(s.duration.line.Text(), 5)) +
		k.Theme.Muted.Paint(k.Say("enter takes it, esc does not"))
}

// durationCursor is the cell of the cursor on that line.
func (s *Screen) durationCursor() int {
	return theme.Width(s.k.Say("Duration in seconds")) + 3 + s.duration.line.Column()
}

// maxDurations is how many durations stand beside each other.
const maxDurations = 15

// writeDurations shows what each duration costs at the selected resolution.
func (s *Screen) writeDurations(f *widget.Facts) {
	g := &s.grid
	low, high := bounds(g.Model, s.seconds)
	if low = max(low, min(s.seconds-maxDurations/2, high-maxDurations+1)); !g.Chosen || low >= high {
		return
	}
	out := s.names()
	out.Col, out.Cols = s.seconds-low, nil
	for n := low; n <= min(high, low+maxDurations-1); n++ {
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
	f.Gap()
	f.Lines = append(f.Lines, widget.Divide(s.k.Say("%s by duration", clean(g.Cols[g.col]))))
	f.Lines = append(f.Lines, out.Lines(s.k.Theme, out.Frame(f.Width, len(out.Rows)+1))...)
}

// grid is the table of one model and the selected cell.
type grid struct {
	pricing.Table
	row, col int
}

// gridFor lays out the choices of a model; prices come later.
func gridFor(m api.Model, seconds int) grid {
	g := grid{Table: pricing.For(m, seconds, "")}
	if i := slices.IndexFunc(g.Choices, func(c pricing.Choice) bool { return !c.Refused() }); i >= 0 {
		g.row, g.col = g.Choices[i].Row, g.Choices[i].Col
	}
	return g
}

func (g *grid) cell() *pricing.Choice { return g.At(g.row, g.col) }

func (g *grid) move(down, right int) {
	g.row = max(min(g.row+down, len(g.Rows)-1), 0)
	g.col = max(min(g.col+right, len(g.Cols)-1), 0)
}

// same reports whether two tables have the same rows and columns.
func (g *grid) same(other *grid) bool {
	return g.Model.ID == other.Model.ID && slices.Equal(g.Rows, other.Rows) && slices.Equal(g.Cols, other.Cols)
}

// Durations that can be typed, in seconds.
const (
	shortest = 1
	longest  = 3600
	// stepTop is as far as single steps go for a model that lists no durations.
	stepTop = 60
)

// nextDuration steps through the durations a model lists, or by seconds within
// the bounds that it lists.
func nextDuration(m api.Model, now, by int) int {
	p, _ := m.Parameter(api.FieldDuration)
	var listed []int
	for _, v := range p.Values {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			listed = append(listed, n)
		}
	}
	if len(listed) == 0 {
		low, high := bounds(m, now)
		return max(min(now+by, high), low)
	}
	slices.Sort(listed)
	if by < 0 {
		slices.Reverse(listed)
	}
	for _, n := range listed {
		if (n-now)*by > 0 {
			return n
		}
	}
	return now
}

// bounds are the shortest and the longest duration of a model that lists them
// as a range, in seconds.
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
