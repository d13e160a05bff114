package create

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// variations are what a draft stands for beside one request.
type variations struct {
	lists   expand.Lists            // that the prompt can name
	vary    map[string]varied       // fields with a list, by name
	pattern api.Request             // the draft with its alternatives and lists
	set     expand.Set              // what it stands for
	err     error                   // why it stands for nothing that can be sent
	sums    map[string]api.Estimate // figures of the service, by estimate key
}

// varied is the list of a field. It goes when the field's own value changes to
// one that the list does not have.
type varied struct {
	values []string
	at     string // the field's own value when the list was made
}

// listsReadMsg brings the lists that prompts can name.
type listsReadMsg struct {
	lists expand.Lists
	err   error
}

// Failed is why they cannot be read.
func (m listsReadMsg) Failed() error { return m.err }

func readLists(ctx context.Context, b Backend) tea.Cmd {
	return func() tea.Msg {
		lists, err := b.Queue().Lists(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return listsReadMsg{lists, err}
	}
}

func (c *Screen) listsRead(m listsReadMsg) tea.Cmd {
	if m.err != nil {
		return nil
	}
	for _, d := range c.drafts {
		d.lists = m.lists
		d.form.Settle()
	}
	return c.follow()
}

// expandDraft makes the requests that the draft stands for; the first of them
// is what the form checks and prices.
func (d *draft) expandDraft() {
	d.pattern = d.request
	d.pattern.Vary = d.varyNow()
	d.set, d.err = expand.Requests(d.pattern, d.lists, d.env.Settings.VariationsLimit())
	if len(d.set.All) > 0 {
		d.request = d.set.All[0].Request
	}
}

// varyNow are the lists of the fields that apply now.
func (d *draft) varyNow() map[string][]string {
	var out map[string][]string
	for name, v := range d.vary {
		if own := d.ownValue(name); own != v.at && !slices.Contains(v.values, own) {
			delete(d.vary, name)
			continue
		}
		if !slices.Contains(d.varying(), name) {
			continue
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[name] = v.values
	}
	return out
}

// varying are the fields that can have a list for the model and mode.
func (d *draft) varying() []string {
	return slices.DeleteFunc(expand.Fields(d.kind), func(name string) bool { return !slices.Contains(d.applies, name) })
}

// ownValue is the form's value of a field that can have a list.
func (d *draft) ownValue(name string) string {
	if c := d.choice(name); c != nil {
		return c.Value()
	}
	return d.seed.Value()
}

// choice is the form's field with the name; nil for the seed.
func (d *draft) choice(name string) *form.Choice {
	switch name {
	case api.FieldVideoModel:
		return d.tier
	case api.FieldResolution:
		return d.resolution
	case api.FieldDuration:
		return d.duration
	case api.FieldSize:
		return d.size
	case api.FieldQuality:
		return d.quality
	case api.FieldAspectRatio:
		return d.ratio
	}
	return nil
}

// setVary takes the lists of a request, such as a saved draft's.
func (d *draft) setVary(lists map[string][]string) {
	d.vary = map[string]varied{}
	for name, values := range lists {
		if len(values) > 0 {
			d.vary[name] = varied{values, d.ownValue(name)}
		}
	}
}

// savedVary are the lists as they are saved with the draft.
func (d *draft) savedVary() map[string][]string {
	if len(d.vary) == 0 {
		return nil
	}
	out := map[string][]string{}
	for name, v := range d.vary {
		out[name] = v.values
	}
	return out
}

// problems are what the rules have against the requests: those of the first one
// that breaks any.
func (d *draft) problems() []api.Problem {
	base := d.env.Settings.BaseURL
	found := api.Check(d.request, d.listing, base)
	for i := 1; i < len(d.set.All) && len(found) == 0; i++ {
		found = api.Check(d.set.All[i].Request, d.listing, base)
	}
	return found
}

// patternProblem is why the draft stands for nothing that can be sent.
func (d *draft) patternProblem() []form.Problem {
	if d.err == nil {
		return nil
	}
	return []form.Problem{{Field: api.FieldPrompt, Text: env.Sentence(d.env, d.err)}}
}

// total is what all requests of the draft cost, as far as it is known without
// asking.
func (c *Screen) total() api.Estimate {
	d, first := c.draft(), c.prices[c.at]
	if len(d.set.All) < 2 {
		return first.estimate
	}
	sum := api.Estimate{Source: api.SourceTable}
	for i := range d.set.All {
		r := d.set.All[i].Request
		key := r.EstimateKey(d.listing)
		e, ok := d.sums[key]
		if key == first.key {
			e, ok = first.estimate, true
		}
		if !ok {
			e = api.TableEstimate(r)
		}
		if !e.Known() {
			return api.Estimate{Source: api.SourceNone}
		}
		sum.Credits = sum.Credits.Plus(e.Credits)
	}
	return sum
}

// sumsMsg are figures of the service, by estimate key.
type sumsMsg struct{ prices map[string]api.Estimate }

// askSums asks for the prices that the total of the draft lacks.
func (c *Screen) askSums() tea.Cmd {
	d := c.draft()
	missing := map[string]api.Request{}
	for i := range d.set.All {
		r := d.set.All[i].Request
		key := r.EstimateKey(d.listing)
		if _, ok := d.sums[key]; !ok && key != c.prices[c.at].key && !api.TableEstimate(r).Known() {
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
	for _, d := range c.drafts {
		if d.sums == nil || len(d.sums) > 4*expand.DefaultLimit {
			d.sums = map[string]api.Estimate{}
		}
		for key, e := range prices {
			if e.Known() {
				d.sums[key] = e
			}
		}
	}
}

// variationsLine says how many requests the draft stands for and what they
// cost: "3 × 2 = 6 requests · 510 credits".
func (c *Screen) variationsLine() string {
	d := c.draft()
	if !d.set.Several() {
		return ""
	}
	out := requestsText(c.env, &d.set)
	if d.err != nil {
		return out
	}
	if total := c.total(); total.Known() {
		out += " · " + c.env.Say("%s credits", env.Amount(total.Credits))
	}
	return out
}

// requestsText is the count of a set, and how it comes about.
func requestsText(k *env.Env, set *expand.Set) string {
	var factors []string
	for _, n := range set.Factors {
		if n > 1 {
			factors = append(factors, strconv.Itoa(n))
		}
	}
	n, left := set.Count, ""
	if len(set.All) > 0 {
		n = len(set.All)
	}
	if len(set.All) > 0 && set.Equal() > 0 {
		left = k.Say(" (%d equal left out)", set.Equal())
	}
	text := k.Words.Count(n, "%d request", "%d requests") + left
	if len(factors) > 1 {
		text = strings.Join(factors, " × ") + " = " + text
	}
	return text
}
