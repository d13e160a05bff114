package ui

import (
	"slices"
	"strconv"

	"darkroom/api"
)

// grid is every figure of one model: tier × resolution, or size × quality.
type grid struct {
	model    api.Model
	rows     []string
	cols     []string
	cells    []priceCell // row by row
	row, col int
	timed    bool // the figures are for a duration
	seconds  int
}

// priceCell is one choice.
type priceCell struct {
	request    api.Request
	impossible string // why it cannot be had, or ""
	table      api.Estimate
}

// tiers of seedance2, from the quick to the best, and its resolutions, as in
// the spec's Limits.
var (
	tiers       = [...]string{"fast", "standard", "fast_vip", "standard_vip"}
	resolutions = [...]string{"480p", "720p", "1080p"}
)

// gridFor lays out the choices of a model. It is pure: figures come later.
func gridFor(k *kit, m api.Model, seconds int) grid {
	g := grid{model: m, seconds: seconds}
	switch {
	case m.ID == "":
		return g
	case m.ID == api.Seedance2:
		g.timed = true
		g.rows, g.cols = tiers[:], resolutions[:]
	case m.Kind == api.KindVideo:
		g.timed = true
		g.rows, g.cols = []string{""}, choices(m, "resolution")
	default:
		g.rows, g.cols = choices(m, "size", "image_size"), choices(m, "quality")
	}
	for _, row := range g.rows {
		for _, col := range g.cols {
			g.cells = append(g.cells, g.makeCell(k, row, col))
		}
	}
	return g
}

// choices are the values a model lists for a parameter, or one empty one that
// leaves it out.
func choices(m api.Model, names ...string) []string {
	p, ok := m.Parameter(names...)
	if !ok || len(p.Values) == 0 {
		return []string{""}
	}
	return p.Values
}

func (g *grid) makeCell(k *kit, row, col string) priceCell {
	r := api.Request{Kind: g.model.Kind, Model: g.model.ID}
	switch {
	case g.model.ID == api.Seedance2:
		r.Kind, r.VideoModel, r.Resolution = api.KindVideo, row, col
	case g.timed:
		r.Resolution = col
	default:
		r.Size, r.Quality = row, col
	}
	if g.timed {
		r.Duration = strconv.Itoa(g.seconds)
	}
	c := priceCell{request: r, table: api.TableEstimate(r)}
	// A prompt is needed to be asked about the rest only.
	r.Prompt = "-"
	for _, p := range api.Check(r, g.model) {
		if p.Field == api.FieldResolution || p.Field == api.FieldVideoModel || p.Field == api.FieldSize || p.Field == api.FieldQuality {
			c.impossible = k.problem(p)
			break
		}
	}
	return c
}

func (g *grid) cell() *priceCell { return &g.cells[g.row*len(g.cols)+g.col] }

func (g *grid) at(row, col int) *priceCell { return &g.cells[row*len(g.cols)+col] }

func (g *grid) move(down, right int) {
	g.row = max(min(g.row+down, len(g.rows)-1), 0)
	g.col = max(min(g.col+right, len(g.cols)-1), 0)
}

// Sizes of the drawn grid: a column for names, one for each choice.
const (
	gridTop    = 3
	nameWidth  = 14
	leastCell  = 9
	widestCell = 14
)

// pick selects the cell under a click in the pane's inside.
func (g *grid) pick(x, y int) bool {
	row, col := y-gridTop, (x-nameWidth)/max(g.cellWidth(0), 1)
	if x < nameWidth || row < 0 || row >= len(g.rows) || col >= len(g.cols) || len(g.cells) == 0 {
		return false
	}
	g.row, g.col = row, col
	return true
}

// cellWidth is how wide each choice is drawn.
func (g *grid) cellWidth(int) int {
	if len(g.cols) <= 3 {
		return widestCell
	}
	return leastCell
}

// nextDuration steps through the durations a model lists, or by seconds.
func nextDuration(m api.Model, now, by int) int {
	p, ok := m.Parameter("duration")
	var listed []int
	if ok {
		for _, v := range p.Values {
			if n, err := strconv.Atoi(v); err == nil && n > 0 {
				listed = append(listed, n)
			}
		}
	}
	if len(listed) == 0 {
		return max(min(now+by, 60), 1)
	}
	slices.Sort(listed)
	if by > 0 {
		for _, n := range listed {
			if n > now {
				return n
			}
		}
		return now
	}
	for i := len(listed) - 1; i >= 0; i-- {
		if listed[i] < now {
			return listed[i]
		}
	}
	return now
}
