package create

import (
	"maps"
	"slices"
	"strconv"
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
// once for each model, when the service has priced a request of it; those of
// seedance2 are the spec's rates.
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
	row, col     string // the values that are chosen
	duration     string // of seedance2
	price        api.Credits
	lang         string
}

type choiceGrid struct {
	pricing.Table
	cells widget.RateGrid
}

const (
	// maxChoices is of how many choices the prices are asked for.
	maxChoices = 16
	// choiceStays is how old a figure may be that is not asked for again.
	choiceStays = 24 * time.Hour
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
	if len(table.Choices) > maxChoices {
		return nil
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
	maps.Copy(c.choices.figures, m.figures)
	c.choices.edits++
}

// choiceGrid is the table of the model's choices, or nil when there is no price
// for any but the one that is shown anyway.
func (c *Screen) choiceGrid() *choiceGrid {
	d := c.draft()
	r := &d.Request
	m, key := d.Listing, choicesKey{edits: c.choices.edits, draft: c.at, lang: c.env.Words.Lang()}
	switch {
	case r.Kind == api.KindVideo && r.Model == api.Seedance2:
		m = api.Model{ID: r.Model, Kind: r.Kind} // the spec's rates, whatever is listed
		key.row, key.col, key.duration = r.VideoModel, r.Resolution, r.Duration
	case r.Kind == api.KindVideo:
		key.row, key.col = r.Duration, r.Resolution
	default:
		key.row, key.col = r.Size, r.Quality
	}
	key.model = m.ID
	if e := c.prices[c.at].estimate; e.Known() {
		key.price = e.Credits
	}
	return c.choices.drawn.Get(key, func() *choiceGrid { return c.choices.grid(c.env, key, m) })
}

func (c *choices) grid(k *env.Env, key choicesKey, m api.Model) *choiceGrid {
	seconds, _ := strconv.Atoi(key.duration)
	g := &choiceGrid{Table: pricing.For(m, seconds, "")}
	g.cells.Rows, g.cells.Cols = named(k, g.Rows), named(k, g.Cols)
	g.cells.Row, g.cells.Col = slices.Index(g.Rows, key.row), slices.Index(g.Cols, key.col)
	if g.cells.Col < 0 {
		g.cells.Row, g.cells.Col = -1, 0
	}
	others := 0
	for i := range g.Choices {
		choice := &g.Choices[i]
		text, ok := c.figure(choice)
		if choice.Row == g.cells.Row && choice.Col == g.cells.Col && key.price > 0 && m.ID != api.Seedance2 {
			text = env.Amount(key.price)
		} else if ok {
			others++
		}
		cell := widget.RateCell{Text: "–", Mark: widget.RateMissing}
		if text != "" {
			cell = widget.RateCell{Text: text}
		}
		g.cells.Cells = append(g.cells.Cells, cell)
	}
	if others == 0 {
		return nil
	}
	return g
}

// figure is what a choice costs, as far as it is known: of seedance2 by the
// table of rates, a second without a duration.
func (c *choices) figure(choice *pricing.Choice) (string, bool) {
	r := &choice.Request
	if choice.Rate.Known() {
		return env.Amount(choice.Rate.Credits), true
	}
	if rate, ok := api.RateOf(r.VideoModel, r.Resolution); ok {
		return env.Amount(rate) + "/s", true
	}
	if credits, ok := c.figures[choice.Key]; ok {
		return env.Amount(credits), true
	}
	return "", false
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

// clickChoice takes a press in the side pane's cells. The choice under it is
// loaded into the form.
func (c *Screen) clickChoice(x, y int) tea.Cmd {
	g := c.choiceGrid()
	if c.plan.side.W == 0 || g == nil {
		return nil
	}
	at := sidePlanFor(c.plan.side).grid
	row, col, ok := g.cells.Frame(at.W, gridLines).CellAt(x-at.X, y-at.Y)
	if !ok {
		return nil
	}
	choice, rates := g.At(row, col), g.Model.ID == api.Seedance2
	switch {
	case choice.Refused() && rates:
		return msg.Notify(msg.ToneHint, c.env.Say("%s is not available in %s.", g.Rows[row], g.Cols[col]))
	case choice.Refused():
		return msg.Notify(msg.ToneHint, c.env.Problem(choice.Refusal))
	case rates:
		c.draft().ChooseRate(g.Rows[row], g.Cols[col])
	default:
		c.draft().Choose(choice.Request)
	}
	return c.changed()
}
