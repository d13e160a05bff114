package prices

import (
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// grid is every figure of one model: tier × resolution, or size × quality.
type grid struct {
	model    api.Model
	rows     []string
	cols     []string
	Cells    []priceCell // row by row
	row, col int
	timed    bool // the figures are for a duration
	seconds  int
	drawn    gridFrame // as it was drawn last
}

// priceCell is one choice.
type priceCell struct {
	Request    api.Request
	impossible string // why it cannot be had, or ""
	table      api.Estimate
}

// gridFor lays out the choices of a model. It is pure: figures come later.
func gridFor(k *env.Env, m api.Model, seconds int) grid {
	g := grid{model: m, seconds: seconds}
	switch {
	case m.ID == "":
		return g
	case m.ID == api.Seedance2:
		g.timed = true
		g.rows, g.cols = api.VideoModels(), api.Resolutions("")
	case m.Kind == api.KindVideo:
		g.timed = true
		g.rows, g.cols = []string{""}, choices(m, "resolution")
	default:
		g.rows, g.cols = choices(m, "size", "image_size"), choices(m, "quality")
	}
	for _, row := range g.rows {
		for _, col := range g.cols {
			g.Cells = append(g.Cells, g.makeCell(k, row, col))
		}
	}
	g.start()
	return g
}

// start puts the cursor on the first choice that can be had.
func (g *grid) start() {
	for i := range g.Cells {
		if g.Cells[i].impossible == "" {
			g.row, g.col = i/len(g.cols), i%len(g.cols)
			return
		}
	}
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

func (g *grid) makeCell(k *env.Env, row, col string) priceCell {
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
	c := priceCell{Request: r, table: api.TableEstimate(r)}
	// A prompt is needed to be asked about the rest only.
	r.Prompt = "-"
	for _, p := range api.Check(r, g.model, "") {
		if p.Field == api.FieldResolution || p.Field == api.FieldVideoModel || p.Field == api.FieldSize || p.Field == api.FieldQuality {
			c.impossible = k.Problem(p)
			break
		}
	}
	return c
}

func (g *grid) cell() *priceCell { return &g.Cells[g.row*len(g.cols)+g.col] }

func (g *grid) at(row, col int) *priceCell { return &g.Cells[row*len(g.cols)+col] }

func (g *grid) move(down, right int) {
	g.row = max(min(g.row+down, len(g.rows)-1), 0)
	g.col = max(min(g.col+right, len(g.cols)-1), 0)
}

// gridFrame is how a grid lies in its pane: the sizes of its columns and the
// part of its rows and columns that is in view.
type gridFrame struct {
	top      int // lines above the first row
	name     int // cells of the names
	cell     int // cells of a choice
	row, col int // the first in view
	rows     int
	cols     int
}

const (
	leastCell  = 9
	timedCell  = 13 // a figure and what a second costs
	widestCell = 16
)

// frame lays the grid into w×h cells, the cursor in view.
func (g *grid) frame(w, h int) gridFrame {
	f := gridFrame{top: 3, name: 8}
	if h < 14 {
		f.top = 2
	}
	for _, r := range g.rows {
		f.name = max(f.name, theme.Width(clean(r))+1)
	}
	f.name = min(f.name, w/3)
	f.cols = max(min(len(g.cols), (w-f.name)/leastCell), 1)
	f.cell = min(max((w-f.name)/f.cols, leastCell), widestCell)
	f.rows = max(min(len(g.rows), h-f.top-3), 1)
	f.row = max(g.row-f.rows+1, 0)
	f.col = max(g.col-f.cols+1, 0)
	return f
}

// pick selects the cell under a click in the pane's inside.
func (g *grid) pick(x, y int) bool {
	f := g.drawn
	if f.cell == 0 || x < f.name || y < f.top {
		return false
	}
	row, col := (y-f.top)+f.row, (x-f.name)/f.cell+f.col
	if y-f.top >= f.rows || (x-f.name)/f.cell >= f.cols || row >= len(g.rows) || col >= len(g.cols) {
		return false
	}
	g.row, g.col = row, col
	return true
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
