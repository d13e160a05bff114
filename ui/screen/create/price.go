package create

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
)

// quiet is how long the form rests before the service is asked for a price;
// fresh is how long its answer counts as new.
const (
	quietFor = 300 * time.Millisecond
)

// pricing is the price of one sheet: the table's figure at once, the service's
// when it has answered.
type pricing struct {
	edits    int64 // of the form, when it was last looked at
	key      priceKey
	Seq      int
	Estimate api.Estimate
	asking   bool
	err      string // why the service's figure is missing
}

// priceKey is what a price depends on.
type priceKey struct {
	model, duration, tier, resolution, size, quality, ratio string
}

func priceOf(r api.Request) priceKey {
	return priceKey{r.Model, r.Duration, r.VideoModel, r.Resolution, r.Size, r.Quality, r.AspectRatio}
}

// estimateDueMsg says that the form has rested long enough; EstimatedMsg is an
// answer. Both carry the question's number.
type estimateDueMsg struct {
	sheet, seq int
}

type EstimatedMsg struct {
	Sheet, Seq int
	Estimate   api.Estimate
	err        error
	At         time.Time
}

// priced are the fields whose problems make a price senseless.
var priced = map[string]bool{
	api.FieldModel: true, api.FieldDuration: true, api.FieldVideoModel: true, api.FieldResolution: true,
	api.FieldSize: true, api.FieldQuality: true, api.FieldAspectRatio: true,
}

// reprice looks whether the price is another one now. The table's figure stands
// at once; the service is asked when the form rests.
func (c *Screen) reprice() tea.Cmd {
	s, p := c.Sheet(), &c.Price[c.At]
	key := priceOf(s.Req)
	if p.key == key && p.Seq > 0 {
		return nil
	}
	p.key, p.err = key, ""
	p.Seq++
	p.Estimate = api.TableEstimate(s.Req)
	c.drawn.side = nil
	p.asking = key.model != ""
	for _, problem := range s.found {
		if priced[problem.Field] {
			p.asking = false
		}
	}
	if !p.asking {
		return nil
	}
	return later(c.k.Context, quietFor, estimateDueMsg{c.At, p.Seq})
}

// later brings a message after d.
func later(ctx context.Context, d time.Duration, message tea.Msg) tea.Cmd {
	return func() tea.Msg {
		env.Pause(ctx, d)
		return message
	}
}

// askAgain asks the service for the price now.
func (c *Screen) askAgain() tea.Cmd {
	p := &c.Price[c.At]
	p.Seq++
	p.asking = true
	c.drawn.side = nil
	return c.estimate(estimateDueMsg{c.At, p.Seq})
}

func (c *Screen) estimate(m estimateDueMsg) tea.Cmd {
	if m.seq != c.Price[m.sheet].Seq {
		return nil
	}
	ctx, d, now, r := c.k.Context, c.backend, c.k.Clock, c.sheets[m.sheet].Req
	return func() tea.Msg {
		e, err := d.Estimate(ctx, r)
		return EstimatedMsg{m.sheet, m.seq, e, err, now()}
	}
}

func (c *Screen) estimated(m EstimatedMsg) {
	p := &c.Price[m.Sheet]
	if m.Seq != p.Seq {
		return
	}
	p.asking = false
	if m.Estimate.Known() {
		p.Estimate = m.Estimate
	}
	if m.err != nil {
		p.err = env.Shortly(c.k, m.err)
	}
	if m.At.After(c.k.At) {
		c.k.At = m.At
	}
	c.drawn.side = nil
}

// fresh reports whether a figure of the service is new enough to agree to.
func fresh(k *env.Env, e api.Estimate, now time.Time) bool {
	return e.Source == api.SourceService && now.Sub(e.At) < env.FreshFor
}

// Ticking keeps the age of the service's figure up to date while it counts in
// seconds; later it is a time of day, which stands still.
func (c *Screen) Ticking() bool {
	e := c.Price[c.At].Estimate
	return e.Source == api.SourceService && c.k.At.Sub(e.At) < env.FreshFor
}

// figureText is an estimate in words: the amount, and where it comes from.
func figureText(k *env.Env, e api.Estimate) (amountText, source string) {
	switch e.Source {
	case api.SourceService:
		source = "✓ " + k.Say("the service, %s", k.Ago(e.At))
	case api.SourceTable:
		source = "≈ " + k.Say("table")
	default:
		return k.Say("no price"), ""
	}
	return k.Say("%s credits", env.Amount(e.Credits)), source
}
