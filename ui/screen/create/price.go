package create

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type priceShown struct {
	amount, source, perSecond string
	status                    string // why the service's figure is missing, that it is on its way, or that it differs
	failed                    bool   // the status is bad news
	sourceStyle, statusStyle  theme.Style
	dearer                    string // what it cost when it was last sent, if that was less
}

func (c *Screen) priceShown() priceShown {
	p, t := &c.prices[c.at], c.env.Theme
	out := priceShown{perSecond: c.perSecond(), sourceStyle: t.Muted, statusStyle: t.Muted}
	if p.estimate.Source == api.SourceService {
		out.sourceStyle = t.Good
	}
	out.amount, out.source = c.env.Figure(p.estimate)
	if n, ok := c.moreToday(); ok {
		out.source += " · " + c.env.Say("%d more today", n)
	}
	if e := p.estimate; e.Dearer() {
		out.dearer = c.env.Say("Dearer than when last sent: %s credits on %s.", env.Amount(e.Sent), c.env.Stamp(e.SentAt))
	}
	switch {
	case p.asking:
		out.status, out.statusStyle = c.env.Say("asking the service …"), t.Faint
	case p.err != "":
		out.status, out.failed = c.whyNoQuote(), true
	case !p.estimate.Known():
		out.status = c.whyNoPrice()
	case p.estimate.Differs:
		out.failed = true
		out.status = c.env.Say("service %s, table %s: the higher counts", env.Amount(p.estimate.Service), env.Amount(p.estimate.Table))
	}
	if out.failed {
		out.statusStyle = t.Warn
	}
	return out
}

// moreToday is how many requests like the draft today's budget pays for. There is
// no number without a budget, and none where it does not pay for one: that is said
// among what stands in the way.
func (c *Screen) moreToday() (n int, ok bool) {
	e, today := c.total(), &c.env.Today
	rest := today.Budget - today.Credits - today.Possibly
	if today.Budget <= 0 || !e.Known() || e.Credits <= 0 || rest < e.Credits {
		return 0, false
	}
	return int(rest / e.Credits), true
}

// whyNoQuote says why the service's figure is missing, and when it is asked for
// again.
func (c *Screen) whyNoQuote() string {
	p := &c.prices[c.at]
	if p.retryAt.IsZero() {
		return p.err
	}
	host := c.env.Health.Base
	if host == "" {
		host = c.env.Say("the service")
	}
	wait := max(int(p.retryAt.Sub(c.env.At).Seconds()), 0)
	return c.env.Say("✕ %s does not answer. Retrying in %d s · %s now", host, wait, c.env.Key("refresh_price", "ctrl+g"))
}

// whyNoPrice says why there is no figure.
func (c *Screen) whyNoPrice() string {
	if text := c.draft().PriceProblem(); text != "" {
		return text
	}
	return c.env.Say("the service gave no figure")
}

// perSecond says how a video's price comes about: "85 / s × 5 s".
func (c *Screen) perSecond() string {
	r := &c.draft().Request
	rate, ok := api.RateOf(r.VideoModel, r.Resolution)
	if !ok || r.Model != api.Seedance2 || r.Kind != api.KindVideo || r.Duration == "" {
		return ""
	}
	return c.env.Say("%s / s × %s s", env.Amount(rate), api.Clean(r.Duration, 12).String())
}

// headline is the amount, and how it comes about.
func (p priceShown) headline(t *theme.Theme) string {
	line := t.Accent.Paint(p.amount)
	if p.perSecond != "" {
		line += "   " + t.Muted.Paint(p.perSecond)
	}
	return line
}

// lines are the price in at most priceLines lines of w cells.
func (p priceShown) lines(t *theme.Theme, w int) []string {
	out := []string{theme.Cut(p.headline(t), w)}
	write := func(style theme.Style, text string) {
		if text == "" {
			return
		}
		for _, l := range widget.Wrap(text, w) {
			out = append(out, style.Paint(l))
		}
	}
	if p.source != "" && p.status != "" && theme.Width(p.source)+2+theme.Width(p.status) <= w {
		out = append(out, p.sourceStyle.Paint(p.source)+"  "+p.statusStyle.Paint(p.status))
	} else {
		write(p.sourceStyle, p.source)
		write(p.statusStyle, p.status)
	}
	write(t.Warn, p.dearer)
	return out[:min(len(out), priceLines)]
}

// quietFor is how long a form that is being edited has to stay unchanged before
// the service is asked for a price.
const quietFor = 300 * time.Millisecond

// quote is the price of one draft: the table's figure at once, the service's
// when it has answered.
type quote struct {
	key      string // the request's estimate key; "" before the first look
	seq      int    // grows when the service is to be asked again
	estimate api.Estimate
	asking   bool
	err      string    // why the service's figure is missing
	retryAt  time.Time // when a service that does not answer is asked again
	retries  int       // in a row
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
