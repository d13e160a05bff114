package create

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type priceShown struct {
	amount, source, money    string
	how                      string // it comes about: "85 a second × 5 s", or for what it is
	status                   string // why the service's figure is missing, that it is on its way, or that it differs
	failed                   bool   // the status is bad news
	sourceStyle, statusStyle theme.Style
	leaves                   string // what is left of today's budget then
	repeats                  string // what multiplies or repeats, and the key that clears it
	dearer                   string // what it cost when it was last sent, if that was less
}

func (c *Screen) priceShown() priceShown {
	p, e, t := &c.prices[c.at], c.total(), c.env.Theme
	out, r := priceShown{repeats: c.repeats(), statusStyle: t.Muted}, &c.draft().Request
	if rate, ok := api.RateOf(r.VideoModel, r.Resolution); ok && r.Duration != "" { // seedance2 alone has a tier
		out.how = c.env.Say("%s a second × %s s", rate.String(), api.Clean(r.Duration, 12).String())
	} else if !ok {
		out.how = strings.Join(env.Said(api.Clean(r.Size, 20).String(), api.Clean(r.Quality, 20).String()), " · ")
	}
	out.amount, out.source = c.env.Figure(e)
	out.sourceStyle = t.Good.If(e.Source == api.SourceService, t.Muted)
	out.money = c.env.Settings.Credit.Of(e.Credits)
	today := c.env.Today.Tightest()
	rest := today.Budget - today.Credits - today.Possibly - e.Credits
	out.leaves = c.env.SayIf(today.Budget > 0 && e.Known() && rest >= 0, "leaves %s", rest.String())
	out.dearer = c.env.SayIf(e.Dearer(), "More expensive than when last sent: %s credits at %s.", e.Sent.String(), c.env.Stamp(e.SentAt))
	switch {
	case p.asking || c.summing:
		out.status, out.statusStyle = c.env.Say("asking the service …"), t.Faint
	case p.err != "":
		if out.status, out.failed = p.err, true; !p.retryAt.IsZero() {
			host, wait := cmp.Or(c.env.Health.Base, c.env.Say("the service")), max(int(p.retryAt.Sub(c.env.At).Seconds()), 0)
			out.status = c.env.Say("✕ %s does not answer. Retrying in %d s, or now with %s.", host, wait, c.env.Key("refresh_price", "ctrl+g"))
		}
	case !e.Known():
		out.status = cmp.Or(c.draft().PriceProblem(), c.env.Say("the service gave no figure"))
	case e.Differs:
		out.failed = true
		out.status = c.env.Say("service %s, price list %s: the higher counts", e.Service.String(), e.Table.String())
	}
	out.statusStyle = t.Warn.If(out.failed, out.statusStyle)
	return out
}

// headline is the price, its figure in the accent.
func (p priceShown) headline(t *theme.Theme) string {
	number, unit, _ := strings.Cut(p.amount, " ")
	if strings.Trim(number, "0123456789.,") != "" {
		return t.Strong.Paint(p.amount)
	}
	return t.Accent.Paint(number) + " " + t.Strong.Paint(unit) + t.Muted.Paint(p.money)
}

// quietFor is how long a form has to stay unchanged before the price is asked for.
const quietFor = 300 * time.Millisecond

// quote is the price of one draft: the table's figure, then the service's.
type quote struct {
	key      string // the request's estimate key; "" before the first look
	seq      int    // grows when the service is to be asked again
	estimate api.Estimate
	asking   bool
	err      string    // why the service's figure is missing
	retryAt  time.Time // when a service that does not answer is asked again
	retries  int       // in a row
}

// updatePrice shows the table's figure for another request at once; the service is asked
// when the form has stayed as it is for so long.
func (c *Screen) updatePrice(quiet time.Duration) tea.Cmd {
	d, p := c.draft(), &c.prices[c.at]
	key := d.Request.EstimateKey(d.Listing)
	if p.key == key {
		if p.estimate.Source == api.SourceService && !p.asking {
			return c.askChoices(true) // the listing may have come since
		}
		return nil
	}
	p.key = key
	if d.Request.Model != "" || p.retryAt.IsZero() { // else the models are asked for again
		p.err, p.retryAt, p.retries = "", time.Time{}, 0
		p.seq++
	}
	p.estimate = api.TableEstimate(d.Request)
	p.asking = d.Request.Model != "" && d.PriceProblem() == ""
	if !p.asking {
		return nil
	}
	return c.estimateLater(quiet, c.at)
}

// estimateLater asks for a draft's price unless that is asked for before.
func (c *Screen) estimateLater(wait time.Duration, draft int) tea.Cmd {
	seq := c.prices[draft].seq
	return env.Later(c.env.Context, wait, thenMsg(func(s *Screen) tea.Cmd { return s.askEstimate(draft, seq) }))
}

func (c *Screen) refreshPrice() tea.Cmd {
	p := &c.prices[c.at]
	p.seq++
	p.retries = 0
	return c.askEstimate(c.at, p.seq)
}

func (c *Screen) askEstimate(draft, seq int) tea.Cmd {
	if seq != c.prices[draft].seq {
		return nil
	}
	ctx, b, key, r := c.env.Context, c.backend, c.prices[draft].key, c.drafts[draft].Request
	if r.Model == "" {
		return c.readModels(false)
	}
	c.prices[draft].asking = true
	return tea.Batch(c.askSums(), func() tea.Msg {
		e, err := b.Estimate(ctx, r)
		return thenMsg(func(s *Screen) tea.Cmd {
			p := &s.prices[draft]
			if key != p.key {
				return nil
			}
			p.asking = false
			if e.Known() {
				p.estimate = e
			}
			return tea.Batch(s.askChoices(err == nil), s.unpriced(draft, err))
		})
	})
}

// Pauses before a service that does not answer is asked for a price again.
const (
	firstRetry = 8 * time.Second
	lastRetry  = time.Minute
)

// unpriced says why there is no price, if there is none, and asks again after the client's
// own pause: for the models if none is chosen.
func (c *Screen) unpriced(draft int, err error) tea.Cmd {
	p := &c.prices[draft]
	if p.err, p.retryAt = env.Shortly(c.env, err), (time.Time{}); err == nil {
		p.retries = 0
		return nil
	}
	e, _ := errors.AsType[*api.Error](err)
	switch {
	case e != nil && (e.Class == api.ClassRate || e.Status == 503), errors.Is(err, state.ErrRests): // in a moment it may answer
		return c.estimateLater(firstRetry, draft)
	case e == nil || e.Class != api.ClassNetwork || e.Final:
		return nil
	}
	p.retryAt = c.env.At.Add(min(firstRetry<<min(p.retries, 4), lastRetry))
	p.retries++
	p.seq++
	return c.estimateLater(p.retryAt.Sub(c.env.At), draft)
}

// Ticking reports whether a time is shown that goes on.
func (c *Screen) Ticking() bool {
	p, ends := &c.prices[c.at], c.draft().Expiring
	age, _ := p.estimate.Age(c.env.At) // it may have come since
	return !ends.IsZero() && ends.Sub(c.env.At) <= time.Hour || p.estimate.Source == api.SourceService && age <= api.FreshFor ||
		!p.retryAt.IsZero() || c.recent.Ticking()
}

// choices are the prices of what a model can be asked for instead: an image's sizes by
// qualities, a video's durations by resolutions. They are asked for once a model, when
// the service has priced a request of it; those of seedance2 are the spec's rates.
type choices struct {
	asked   map[string]bool        // models
	figures map[string]api.Credits // by estimate key
	edits   int                    // grows with every change of what is known
	drawn   widget.Memo[choicesKey, *choiceGrid]
}

type choicesKey struct {
	edits, draft int
	model        string
	row, col     string // the values that are chosen
	duration     string // of seedance2
	price        api.Credits
	look         env.Look
}

type choiceGrid struct {
	pricing.Table
	cells    widget.RateGrid
	cheapest string // what the sign is, and what it saves
}

const (
	// maxChoices is of how many choices the prices are asked for.
	maxChoices = 16
	// choiceStays is how old a figure may be that is not asked for again.
	choiceStays = 24 * time.Hour
)

// askChoices asks for the prices of the model's choices; without the service, those
// that are known from before are taken.
func (c *Screen) askChoices(answers bool) tea.Cmd {
	m := c.draft().Listing
	if m.ID == "" || m.ID == api.Seedance2 || c.choices.asked[m.ID] {
		return nil
	}
	c.choices.asked[m.ID] = answers
	table := pricing.For(m, 0, "")
	if len(table.Choices) > maxChoices {
		return nil
	}
	ctx, b, now, refused := c.env.Context, c.backend, c.env.At, false
	return func() tea.Msg {
		found := map[string]api.Credits{} // by estimate key
		for i := range table.Choices {
			choice := &table.Choices[i]
			if choice.Refused() {
				continue
			}
			e := b.KnownEstimate(ctx, choice.Request)
			if age, dated := e.Age(now); answers && (!e.Known() || !dated || age > choiceStays) {
				var err error
				e, err = b.Estimate(ctx, choice.Request)
				if ctx.Err() != nil {
					return nil
				}
				answers = err == nil || pricing.OneOnly(err)
				refused = !answers
			}
			if e.Known() {
				found[choice.Key] = e.Credits
			}
		}
		return thenMsg(func(s *Screen) tea.Cmd {
			maps.Copy(s.choices.figures, found)
			s.choices.edits++
			if !refused {
				return nil
			}
			s.choices.asked[m.ID] = false
			return env.Later(ctx, firstRetry, thenMsg(func(s *Screen) tea.Cmd { return s.askChoices(true) }))
		})
	}
}

// choiceGrid is the table of the model's choices, or nil without another price.
func (c *Screen) choiceGrid() *choiceGrid {
	d := c.draft()
	r := &d.Request
	m, key := d.Listing, choicesKey{edits: c.choices.edits, draft: c.at, look: c.env.Look()}
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

// grid are the prices of a model by what they depend on most, in rows and columns, with the
// draft's own one marked.
func (c *choices) grid(k *env.Env, key choicesKey, m api.Model) *choiceGrid {
	seconds, _ := strconv.Atoi(key.duration)
	g := &choiceGrid{Table: pricing.For(m, seconds, "")}
	g.cells.Focus = true
	g.cells.Rows, g.cells.Cols = named(k, g.Rows), named(k, g.Cols)
	g.cells.Row, g.cells.Col = slices.Index(g.Rows, key.row), slices.Index(g.Cols, key.col)
	if g.cells.Col < 0 {
		g.cells.Row, g.cells.Col = -1, 0
	}
	others, low, base, cheapest := 0, api.Credits(0), api.Credits(0), ""
	for i := range g.Choices {
		choice, cell := &g.Choices[i], widget.RateCell{Figure: "–", Missing: true}
		// Of seedance2 a price is that of the table of rates, a second without a duration.
		credits, figure := c.figures[choice.Key], ""
		if choice.Rate.Known() {
			credits = choice.Rate.Credits
		} else if rate, ok := api.RateOf(choice.Request.VideoModel, choice.Request.Resolution); ok {
			credits, figure = rate, k.Say("%s/s", rate.String())
		}
		figure = cmp.Or(figure, credits.String())
		if at := choice.Row == g.cells.Row && choice.Col == g.cells.Col; at && key.price > 0 && m.ID != api.Seedance2 {
			credits, base, figure = key.price, key.price, key.price.String()
		} else if at {
			base = credits
		} else if credits > 0 {
			others++
		}
		if credits > 0 {
			if cell = (widget.RateCell{Figure: figure, Price: credits}); low == 0 || credits < low {
				low, cheapest = credits, strings.TrimSpace(g.cells.Rows[choice.Row]+" "+g.cells.Cols[choice.Col])+", "+figure
			}
		}
		g.cells.Cells = append(g.cells.Cells, cell)
	}
	if others == 0 {
		return nil
	}
	for i := range g.cells.Cells {
		if cell := &g.cells.Cells[i]; cell.Price == low {
			cell.Sign, cell.Style = "↓", k.Theme.Good
		}
	}
	if g.cheapest = k.Say("cheapest"); base > low {
		g.cheapest = k.Say("%s: %s", g.cheapest, cheapest+" (−"+(base-low).String()+")")
	}
	return g
}

// priceWith is the price with another value of a field of the table, if it is known.
func (c *Screen) priceWith(field, value string) string {
	g := c.choiceGrid()
	if g == nil {
		return ""
	}
	row, col := g.cells.Row, g.cells.Col
	switch field {
	case api.FieldSize, api.FieldVideoModel, api.FieldDuration:
		row = slices.Index(g.Rows, value)
	case api.FieldQuality, api.FieldResolution:
		col = slices.Index(g.Cols, value)
	default:
		row = -1
	}
	if row < 0 || col < 0 {
		return ""
	}
	return strings.Trim(g.cells.Cells[row*len(g.Cols)+col].Figure, "–")
}

// named are values as they are shown, also of a value that leaves the parameter out.
func named(k *env.Env, values []string) []string {
	return api.Map(values, func(v string) string {
		return cmp.Or(k.SayIf(v == "" && len(values) > 1, "default"), api.Clean(v, 40).String())
	})
}

// clickChoice loads the choice under a press on the table into the form.
func (c *Screen) clickChoice(at widget.Rect, m msg.ClickMsg) tea.Cmd {
	g := c.choiceGrid()
	if g == nil {
		return nil
	}
	row, col, ok := g.cells.Frame(at.W, gridLines).CellAt(m.X-at.X, m.Y-at.Y)
	if !ok {
		return nil
	}
	choice, rates := g.At(row, col), g.Model.ID == api.Seedance2
	switch {
	case choice.Refused() && rates:
		return msg.Notify(msg.ToneHint, c.env.Say("%s is not available in %s.", g.Rows[row], g.Cols[col]))
	case choice.Refused():
		return msg.Notify(msg.ToneHint, c.env.Words.Problem(choice.Refusal))
	case rates: // the duration stays, and its list
		c.draft().Choose(api.Request{Kind: api.KindVideo, VideoModel: g.Rows[row], Resolution: g.Cols[col]})
	default:
		c.draft().Choose(choice.Request)
	}
	return c.changed()
}
