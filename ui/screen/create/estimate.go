package create

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
)

// quietFor is how long a form that is being edited has to stay unchanged before
// the service is asked for a price.
const quietFor = 300 * time.Millisecond

// quote is the price of one draft: the table's figure at once, the service's
// when it has answered.
type quote struct {
	key      string // the request's estimate key; "" before the first look
	seq      int    // grows when the service is to be asked anew
	estimate api.Estimate
	asking   bool
	err      string      // why the service's figure is missing
	than     api.Credits // what the request cost that this one is made from; 0: the last one sent
	retryAt  time.Time   // when a service that does not answer is asked again
	retries  int         // in a row
}

// estimateDueMsg says that the form has stayed unchanged long enough.
type estimateDueMsg struct{ draft, seq int }

// estimatedMsg is the service's figure for the request with the key.
type estimatedMsg struct {
	draft    int
	key      string
	estimate api.Estimate
	err      error
}

// updatePrice looks whether the request has another price now. The table's
// figure is shown at once; the service is asked when the form has stayed as it
// is for so long.
func (c *Screen) updatePrice(quiet time.Duration) tea.Cmd {
	d, p := c.draft(), &c.prices[c.at]
	key := d.Request.EstimateKey(d.Listing)
	if p.key == key {
		return nil
	}
	p.key, p.err = key, ""
	p.retryAt, p.retries = time.Time{}, 0
	p.seq++
	p.estimate = api.TableEstimate(d.Request)
	p.asking = d.Request.Model != "" && d.PriceProblem() == ""
	if !p.asking {
		return nil
	}
	due := estimateDueMsg{c.at, p.seq}
	if quiet == 0 {
		return c.askEstimate(due)
	}
	return env.Later(c.env.Context, quiet, due)
}

// refreshPrice asks the service for the price now.
func (c *Screen) refreshPrice() tea.Cmd {
	p := &c.prices[c.at]
	p.seq++
	p.asking, p.retries = true, 0
	return c.askEstimate(estimateDueMsg{c.at, p.seq})
}

func (c *Screen) askEstimate(m estimateDueMsg) tea.Cmd {
	if m.seq != c.prices[m.draft].seq {
		return nil
	}
	ctx, b, key, r := c.env.Context, c.backend, c.prices[m.draft].key, c.drafts[m.draft].Request
	return func() tea.Msg {
		e, err := b.Estimate(ctx, r)
		return estimatedMsg{m.draft, key, e, err}
	}
}

func (c *Screen) estimated(m estimatedMsg) tea.Cmd {
	p := &c.prices[m.draft]
	if m.key != p.key {
		return nil
	}
	p.asking, p.err, p.retryAt = false, "", time.Time{}
	if m.estimate.Known() {
		p.estimate = m.estimate
	}
	choices := c.askChoices(m.err == nil)
	if m.err == nil {
		p.retries = 0
		return choices
	}
	p.err = env.Shortly(c.env, m.err)
	var e *api.Error
	if !errors.As(m.err, &e) || e.Class != api.ClassNetwork || e.Final {
		return choices
	}
	return tea.Batch(choices, c.retryPrice(m.draft))
}

// Pauses before a service that does not answer is asked for a price again.
const (
	firstRetry = 8 * time.Second
	lastRetry  = time.Minute
)

// retryPrice asks for the price again later, not before the client's own pause
// is over.
func (c *Screen) retryPrice(draft int) tea.Cmd {
	p := &c.prices[draft]
	wait := min(firstRetry<<min(p.retries, 4), lastRetry)
	p.retries++
	p.retryAt = c.env.At.Add(wait)
	if at := c.env.Health.RetryAt; at.After(p.retryAt) {
		p.retryAt = at
	}
	p.seq++
	return env.Later(c.env.Context, p.retryAt.Sub(c.env.At), estimateDueMsg{draft, p.seq})
}

// Ticking reports whether a time is shown in seconds: the age of the service's
// figure, which is a time of day later, the wait for it, or a job's.
func (c *Screen) Ticking() bool {
	p := &c.prices[c.at]
	return env.Fresh(p.estimate, c.env.At) || !p.retryAt.IsZero() || c.recent.Ticking()
}
