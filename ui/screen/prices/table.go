package prices

import (
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/api/pricing"
)

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

// cell is the selected choice.
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
