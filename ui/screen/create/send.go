package create

import (
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/review"
)

// clickApart is how soon after a send a press on the button is its second click.
const clickApart = time.Second

// send begins the review, or shows what is wrong.
func (c *Screen) send() tea.Cmd {
	d := c.draft()
	if d.Unlisted() {
		return msg.Notify(msg.ToneHint, c.env.Say("The models are still being read."))
	}
	d.Form.Leave()
	d.Send()
	if !d.Form.Try() {
		return msg.Notify(msg.ToneWarn, c.env.Words.Count(len(d.Form.Problems()), "%d problem", "%d problems"))
	}
	if why := c.env.Health.ReadOnly; !why.IsZero() {
		return msg.Notify(msg.ToneBad, c.env.Reason(why))
	}
	return tea.Batch(c.follow(quietFor), c.saveNow(), c.openReview())
}

// openReview opens a review of the draft. The hosts of new materials are asked then.
func (c *Screen) openReview() tea.Cmd {
	d, p := c.draft(), &c.prices[c.at]
	start := review.Start{
		Draft: c.at, Listing: d.Listing, Request: d.Request, Pattern: d.Pattern, Set: d.Set,
		Prices: map[string]api.Estimate{}, Placeholders: form.Placeholders(d.Pattern.Prompt),
		Asked: c.asked[c.at],
	}
	maps.Copy(start.Prices, c.sums)
	start.Prices[p.key] = p.estimate
	for _, r := range d.Attached() {
		own, _ := c.own(r.Address)
		m := review.Material{Name: r.Name, Address: r.Address, Title: c.materialTitle(r.Address), Path: own.path}
		start.Materials = append(start.Materials, m)
	}
	for _, r := range c.checkable() {
		if why := d.Useless(r.Address); why != "" {
			start.Dead = append(start.Dead, r.Name+" "+why)
		}
	}
	return review.Open(c.env, c.backend, start, c.askHosts())
}

// submitted keeps the screen and the prompt as they are; the job appears first
// among the results. An error is shown by the review.
func (c *Screen) submitted(m review.SubmittedMsg) tea.Cmd {
	if m.Err != nil {
		return nil
	}
	d := c.drafts[m.Draft]
	d.Sent, c.sentAt, c.asked[m.Draft] = d.Request, c.env.Clock(), nil
	d.Remember(d.Request)
	d.Form.Fresh()
	c.leaveRecent()
	if d.Form.Focused() == form.Field(d.Prompt) {
		d.Prompt.ToEnd()
		c.sent = true
	}
	d.Form.Settle()
	c.recent.Sent()
	return c.readRecent()
}

// refused shows what the service rejected next to the fields of the same request.
func (c *Screen) refused(m msg.RefusedMsg) tea.Cmd {
	for _, d := range c.drafts {
		if d.Refused(m.Request, m.Problems) {
			return msg.Notify(msg.ToneWarn, c.env.Say("The service refused the request: see the marked fields in Create."))
		}
	}
	return nil
}

// typed gives it to the focused field key by key.
func (c *Screen) typed(m review.TypedMsg) tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range m.Text {
		cmd, _ := c.Edit(tea.KeyPressMsg{Code: r, Text: string(r)})
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}
