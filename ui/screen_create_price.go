package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
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
	seq      int
	estimate api.Estimate
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

// estimateDueMsg says that the form has rested long enough; estimatedMsg is an
// answer. Both carry the question's number.
type estimateDueMsg struct {
	sheet, seq int
}

type estimatedMsg struct {
	sheet, seq int
	estimate   api.Estimate
	err        error
	at         time.Time
}

// priced are the fields whose problems make a price senseless.
var priced = map[string]bool{
	api.FieldModel: true, api.FieldDuration: true, api.FieldVideoModel: true, api.FieldResolution: true,
	api.FieldSize: true, api.FieldQuality: true, api.FieldAspectRatio: true,
}

// reprice looks whether the price is another one now. The table's figure stands
// at once; the service is asked when the form rests.
func (c *create) reprice() tea.Cmd {
	s, p := c.sheet(), &c.price[c.at]
	key := priceOf(s.req)
	if p.key == key && p.seq > 0 {
		return nil
	}
	p.key, p.err = key, ""
	p.seq++
	p.estimate = api.TableEstimate(s.req)
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
	return later(c.k.ctx, quietFor, estimateDueMsg{c.at, p.seq})
}

// later brings a message after d.
func later(ctx context.Context, d time.Duration, message tea.Msg) tea.Cmd {
	return func() tea.Msg {
		pause(ctx, d)
		return message
	}
}

// askAgain asks the service for the price now.
func (c *create) askAgain() tea.Cmd {
	p := &c.price[c.at]
	p.seq++
	p.asking = true
	c.drawn.side = nil
	return c.estimate(estimateDueMsg{c.at, p.seq})
}

func (c *create) estimate(m estimateDueMsg) tea.Cmd {
	if m.seq != c.price[m.sheet].seq {
		return nil
	}
	ctx, d, now, r := c.k.ctx, c.backend, c.k.clock, c.sheets[m.sheet].req
	return func() tea.Msg {
		e, err := d.Estimate(ctx, r)
		return estimatedMsg{m.sheet, m.seq, e, err, now()}
	}
}

func (c *create) estimated(m estimatedMsg) {
	p := &c.price[m.sheet]
	if m.seq != p.seq {
		return
	}
	p.asking = false
	if m.estimate.Known() {
		p.estimate = m.estimate
	}
	if m.err != nil {
		p.err = shortly(c.k, m.err)
	}
	if m.at.After(c.k.at) {
		c.k.at = m.at
	}
	c.drawn.side = nil
}

// fresh reports whether a figure of the service is new enough to agree to.
func fresh(k *kit, e api.Estimate, now time.Time) bool {
	return e.Source == api.SourceService && now.Sub(e.At) < freshFor
}

// ticking keeps the age of the service's figure up to date while it counts in
// seconds; later it is a time of day, which stands still.
func (c *create) ticking() bool {
	e := c.price[c.at].estimate
	return e.Source == api.SourceService && c.k.at.Sub(e.At) < freshFor
}

// figureText is an estimate in words: the amount, and where it comes from.
func figureText(k *kit, e api.Estimate) (amountText, source string) {
	switch e.Source {
	case api.SourceService:
		source = "✓ " + k.say("the service, %s", k.ago(e.At))
	case api.SourceTable:
		source = "≈ " + k.say("table")
	default:
		return k.say("no price"), ""
	}
	return k.say("%s credits", amount(e.Credits)), source
}
