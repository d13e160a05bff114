package prices

import (
	"slices"
	"strconv"

	"darkroom/api"
)

// grid is every choice of one model: tier by resolution, or size by quality.
type grid struct {
	model    api.Model
	rows     []string
	cols     []string
	cells    []choice // row by row
	row, col int
	timed    bool // the prices are for a duration
	seconds  int
}

// choice is one thing that has a price.
type choice struct {
	key     string // of its price
	request api.Request
	refusal api.Problem // why it cannot be had; the zero Problem when it can
	table   api.Estimate
}

func (c *choice) refused() bool { return c.refusal.Code != "" }

// gridFor lays out the choices of a model; prices come later.
func gridFor(m api.Model, seconds int) grid {
	g := grid{model: m, seconds: seconds}
	switch {
	case m.ID == "":
		return g
	case m.ID == api.Seedance2:
		g.timed = true
		g.rows, g.cols = api.VideoModels(), api.Resolutions("")
	case m.Kind == api.KindVideo:
		g.timed = true
		g.rows, g.cols = []string{""}, values(m, "resolution")
	default:
		g.rows, g.cols = values(m, "size", "image_size"), values(m, "quality")
	}
	for _, row := range g.rows {
		for _, col := range g.cols {
			g.cells = append(g.cells, g.choice(row, col))
		}
	}
	if i := slices.IndexFunc(g.cells, func(c choice) bool { return !c.refused() }); i >= 0 {
		g.row, g.col = i/len(g.cols), i%len(g.cols)
	}
	return g
}

// values are what a model lists for a parameter, or one empty value that leaves
// it out.
func values(m api.Model, names ...string) []string {
	p, ok := m.Parameter(names...)
	if !ok || len(p.Values) == 0 {
		return []string{""}
	}
	return p.Values
}

// decides are the fields whose problems make a choice impossible.
var decides = []string{api.FieldResolution, api.FieldVideoModel, api.FieldSize, api.FieldQuality}

func (g *grid) choice(row, col string) choice {
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
	c := choice{request: r, table: api.TableEstimate(r)}
	c.key = r.EstimateKey(g.model)
	// Without a prompt the check would end there.
	r.Prompt = "-"
	for _, p := range api.Check(r, g.model, "") {
		if slices.Contains(decides, p.Field) {
			c.refusal = p
			break
		}
	}
	return c
}

// cell is the selected choice.
func (g *grid) cell() *choice { return g.at(g.row, g.col) }

func (g *grid) at(row, col int) *choice { return &g.cells[row*len(g.cols)+col] }

func (g *grid) move(down, right int) {
	g.row = max(min(g.row+down, len(g.rows)-1), 0)
	g.col = max(min(g.col+right, len(g.cols)-1), 0)
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
