package create

import (
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// choices are the prices of what a model can be asked for instead: an image's
// sizes by qualities, a video's durations by resolutions. They are asked for
// once for each model, when the service has priced a request of it.
type choices struct {
	asked   map[string]bool        // models
	figures map[string]api.Credits // by estimate key
	edits   int                    // grows with every change of what is known
	drawn   widget.Memo[choicesKey, *choiceGrid]
}

// choicesKey is what a choiceGrid is made from.
type choicesKey struct {
	edits, draft int
	model        string
	size, second string // the values that are chosen
	price        api.Credits
	lang         string
}

type choiceGrid struct {
	pricing.Table
	cells widget.RateGrid
}

const (
	// mostChoices is of how many choices the prices are asked for.
	mostChoices = 16
	// choiceStays is how old a figure may be that is not asked for again.
	choiceStays = 24 * time.Hour
	// figuresKept bounds the memory of prices.
	figuresKept = 1000
)

// choicesMsg are prices of a model's choices, by estimate key.
type choicesMsg struct{ figures map[string]api.Credits }

// askChoices asks for the prices of the model's choices, the service only when
// it answers: without it, those that are known from before are taken.
func (c *Screen) askChoices(answers bool) tea.Cmd {
	m := c.draft().Listing
	if m.ID == "" || m.ID == api.Seedance2 || c.plan.side.W == 0 || c.choices.asked[m.ID] {
		return nil
	}
	table := pricing.For(m, 0, "")
	if len(table.Choices) > mostChoices {
		return nil
	}
	if c.choices.asked == nil {
		c.choices.asked = map[string]bool{}
	}
	c.choices.asked[m.ID] = answers
	ctx, b, now := c.env.Context, c.backend, c.env.At
	return func() tea.Msg {
		found := choicesMsg{map[string]api.Credits{}}
		for i := range table.Choices {
			choice := &table.Choices[i]
			if choice.Refused() {
				continue
			}
			e := b.KnownEstimate(ctx, choice.Request)
			if answers && (!e.Known() || now.Sub(e.At) > choiceStays) {
				var err error
				e, err = b.Estimate(ctx, choice.Request)
				if ctx.Err() != nil {
					return nil
				}
				answers = err == nil || pricing.OneOnly(err)
			}
			if e.Known() {
				found.figures[choice.Key] = e.Credits
			}
		}
		return found
	}
}

// keepChoices takes prices over.
func (c *Screen) keepChoices(m choicesMsg) {
	if c.choices.figures == nil || len(c.choices.figures) > figuresKept {
		c.choices.figures = map[string]api.Credits{}
	}
	maps.Copy(c.choices.figures, m.figures)
	c.choices.edits++
}

// choiceGrid is the table of the model's choices, or nil when there is no price
// for any but the one that is shown anyway.
func (c *Screen) choiceGrid() *choiceGrid {
	d := c.draft()
	r := &d.Request
	key := choicesKey{edits: c.choices.edits, draft: c.at, model: d.Listing.ID, size: r.Size, second: r.Quality, lang: c.env.Words.Lang()}
	if r.Kind == api.KindVideo {
		key.size, key.second = r.Duration, r.Resolution
	}
	if e := c.prices[c.at].estimate; e.Known() {
		key.price = e.Credits
	}
	return c.choices.drawn.Get(key, func() *choiceGrid { return c.choices.grid(c.env, key, d.Listing) })
}

func (c *choices) grid(k *env.Env, key choicesKey, m api.Model) *choiceGrid {
	g := &choiceGrid{Table: pricing.For(m, 0, "")}
	g.cells.Rows, g.cells.Cols = named(k, g.Rows), named(k, g.Cols)
	g.cells.Row, g.cells.Col = slices.Index(g.Rows, key.size), slices.Index(g.Cols, key.second)
	if g.cells.Col < 0 {
		g.cells.Row, g.cells.Col = -1, 0
	}
	others := 0
	for i := range g.Choices {
		choice := &g.Choices[i]
		cell := widget.RateCell{Text: "–", Mark: widget.RateMissing}
		credits, ok := c.figures[choice.Key]
		if choice.Row == g.cells.Row && choice.Col == g.cells.Col && key.price > 0 {
			credits, ok = key.price, true
		} else if ok {
			others++
		}
		if ok {
			cell = widget.RateCell{Text: env.Amount(credits)}
		}
		g.cells.Cells = append(g.cells.Cells, cell)
	}
	if others == 0 {
		return nil
	}
	return g
}

// named are values as they are shown: a value that leaves the parameter out has
// a name too.
func named(k *env.Env, values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = api.Clean(v, 40).String(); v == "" && len(values) > 1 {
			out[i] = k.Say("default")
		}
	}
	return out
}

// clickChoice loads the choice under a press into the form.
func (c *Screen) clickChoice(g *choiceGrid, w, x, y int) tea.Cmd {
	row, col, ok := g.cells.Frame(w, gridLines).CellAt(x, y)
	if !ok {
		return nil
	}
	choice := g.At(row, col)
	if choice.Refused() {
		return msg.Notify(msg.ToneHint, c.env.Problem(choice.Refusal))
	}
	c.draft().Choose(choice.Request)
	return c.changed()
}
