package create

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/review"
)

// listsReadMsg brings the lists that prompts can name.
type listsReadMsg struct {
	lists         expand.Lists
	msg.FailedMsg // why they cannot be read
}

func readLists(ctx context.Context, b Backend) tea.Cmd {
	return func() tea.Msg {
		lists, err := b.Queue().Lists(ctx)
		return listsReadMsg{lists, msg.FailedMsg{Err: err}}
	}
}

func (c *Screen) listsRead(m listsReadMsg) tea.Cmd {
	if m.Err != nil {
		return nil
	}
	for _, d := range c.drafts {
		d.Lists = m.lists
		d.Form.Settle()
	}
	return c.follow(quietFor)
}

// total is what all requests of the draft cost, as far as it is known without
// asking.
func (c *Screen) total() api.Estimate {
	d, first := c.draft(), c.prices[c.at]
	if len(d.Set.All) < 2 {
		return first.estimate
	}
	return review.Total(d.Set.All, func(r *api.Request) api.Estimate {
		key := r.EstimateKey(d.Listing)
		if key == first.key {
			return first.estimate
		}
		if e, ok := c.sums[key]; ok {
			return e
		}
		return api.TableEstimate(*r)
	})
}

// sumsMsg are figures of the service, by estimate key.
type sumsMsg struct{ prices map[string]api.Estimate }

// askSums asks for the prices that the total of the draft lacks.
func (c *Screen) askSums() tea.Cmd {
	d := c.draft()
	missing := map[string]api.Request{}
	for i := range d.Set.All {
		r := d.Set.All[i].Request
		key := r.EstimateKey(d.Listing)
		if _, ok := c.sums[key]; !ok && key != c.prices[c.at].key && !api.TableEstimate(r).Known() {
			missing[key] = r
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ctx, b := c.env.Context, c.backend
	return func() tea.Msg {
		m := sumsMsg{map[string]api.Estimate{}}
		for key, r := range missing {
			if m.prices[key], _ = b.Estimate(ctx, r); ctx.Err() != nil {
				return nil
			}
		}
		return m
	}
}

// keepPrices keeps figures that the service gave, for the total.
func (c *Screen) keepPrices(prices map[string]api.Estimate) {
	for key, e := range prices {
		if e.Known() {
			c.sums[key] = e
		}
	}
}

// variationsLine says how many requests the draft stands for and what they
// cost: "3 × 2 = 6 requests · 510 credits".
func (c *Screen) variationsLine() string {
	d := c.draft()
	if !d.Set.Several() {
		return ""
	}
	out := countOf(c.env, &d.Set)
	if d.Err != nil {
		return out
	}
	if total := c.total(); total.Known() {
		out += " · " + c.env.Say("%s credits", env.Amount(total.Credits))
	}
	return out
}
