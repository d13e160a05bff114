package create

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/screen/create/review"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// readiness is, in words, what stands between the draft and sending it.
type readiness struct {
	missing string   // what the button says of it, short
	key     string   // what leads there
	stops   []string // the reasons outside of the form, in full
	warning []string // what does not stop it: materials that are not public, a budget nearly spent
}

// bareToken is the name of a material without its brackets.
var bareToken = api.Pattern(`(?:^|[^【])(@(?:图片|视频|音频)[0-9]+)`)

// arrange brings layout and side pane up to date, after every change.
func (c *Screen) arrange() {
	c.plan = planFor(c.w, c.h, c.draft().Kind)
	c.placeBeside()
	c.recent.Resize(c.plan.recent, c.plan.large)
	c.ready = c.readiness()
	if c.plan.side.W == 0 {
		return
	}
	at := sidePlanFor(c.plan.side).list
	c.list.SetSize(at.W, at.H)
	t, price, warning := c.env.Theme, c.priceShown(), slices.Clone(c.ready.warning)
	if c.ready.missing == "" && c.ready.key != "" {
		warning[0] += "  " + c.ready.key
	}
	f := widget.Facts{Width: at.W, Theme: t, Lines: append(marked(t.Bad, "✗ ", c.ready.stops, at.W), marked(t.Warn, "! ", warning, at.W)...)}
	f.Wrapped(price.statusStyle, price.status)
	f.Wrapped(f.Theme.Warn, price.dearer)
	c.list.SetLines(f.Lines)
}

func (c *Screen) readiness() readiness {
	d, k, found := c.draft(), c.env, c.draft().Form.Problems()
	out := readiness{warning: c.faulty(c.public.Problem)}
	c.readStops(&out)
	if text := d.Pattern.Prompt; d.References() && strings.Contains(text, "@") {
		for _, bare := range bareToken().FindAllStringSubmatch(text, 1) {
			out.warning = append(out.warning, k.Say("%s is plain text: a material is named as %s.", bare[1], "【"+bare[1]+"】"))
		}
	}
	if out.missing != "" || len(found) == 0 {
		// Links that are no use any more count if nothing else is in the way. The review lets them
		// be sent: the service may know better.
		if n := len(slices.DeleteFunc(d.Attached(), func(m draft.Material) bool { return !d.Expired(m.Address) })); n > 0 && out.missing == "" {
			out.warning = slices.Insert(out.warning, 0, k.Words.Count(n, "%d link has expired", "%d links have expired"))
			out.key = k.Key("materials", "ctrl+e")
		}
		return out
	}
	if found[0].Field == draft.MaterialsField {
		out.key = k.Key("materials", "ctrl+e")
	}
	switch label, shown := d.Form.Shows(found[0]); {
	case d.Empty():
		out.missing = k.Say("Write a prompt first")
	case len(found) > 1:
		out.missing = k.Words.Count(len(found), "%d problem", "%d problems")
	case found[0].Short != "":
		out.missing = found[0].Short
	case !shown && theme.Width(found[0].Text) <= c.plan.side.W-6:
		out.missing = found[0].Text
	default:
		out.missing = k.Say("Fix the %s first", strings.ToLower(label))
	}
	return out
}

// readStops adds what the key, the store and the budget have against sending.
func (c *Screen) readStops(out *readiness) {
	k, health, today := c.env, &c.env.Health, c.env.Today.Tightest()
	add := func(short, text string) {
		out.missing, out.stops = cmp.Or(out.missing, short), append(out.stops, text)
	}
	switch {
	case !health.ReadOnly.IsZero():
		add(k.Say("Nothing can be sent"), k.Reason(health.ReadOnly))
	case health.KeyHint == "" && !health.KeyPending && !health.Demo:
		add(k.Say("No API key"), k.Say("There is no API key: nothing can be sent."))
	}
	if !health.Online && !health.Trouble.IsZero() || c.whyNotSent() != "" { // the price says more
		out.missing = cmp.Or(out.missing, k.Say("Service not reachable"))
	}
	if today.Budget == api.BudgetUnreadable {
		add(k.Say("A setting is wrong"), k.Say("A setting or a variable is wrong, so nothing is sent. 'darkroom doctor' names it."))
		return
	}
	spent, budget := today.Credits+today.Possibly, today.Budget.String()
	if e := c.total(); today.Budget > 0 && e.Known() && spent+e.Credits > today.Budget {
		over := (spent + e.Credits - today.Budget).String()
		short := [...]string{k.Say("Over today's budget"), k.Say("Over this month's budget")}[today.Period]
		add(short, [...]string{k.Say("%s credits over today's budget of %s", over, budget),
			k.Say("%s credits over this month's budget of %s", over, budget)}[today.Period])
	}
	if out.missing == "" && today.Near() {
		out.warning = append(out.warning, [...]string{k.Say("%s of today's budget of %s credits are or may be spent", spent.String(), budget),
			k.Say("%s of this month's budget of %s credits are or may be spent", spent.String(), budget)}[today.Period])
	}
}

func marked(style theme.Style, mark string, lines []string, w int) (out []string) {
	for _, line := range lines {
		lead := mark
		for _, l := range widget.Wrap(line, max(w-2, 10)) {
			out = append(out, style.Paint(lead+l))
			lead = theme.Blank(2)
		}
	}
	return out
}

// clickApart is how soon after a send a press on the button is its second click.
const clickApart = time.Second

// toReview begins the review, or shows what is wrong.
func (c *Screen) toReview() tea.Cmd {
	d := c.draft()
	if d.Unlisted() {
		return msg.Notify(msg.ToneHint, c.env.Say("The models are still being read."))
	}
	if why := c.whyNotSent(); why != "" {
		return msg.Notify(msg.ToneWarn, why)
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

// whyNotSent says that the service does not answer, while it has named no model yet.
func (c *Screen) whyNotSent() string {
	return c.env.SayIf(c.draft().Request.Model == "" && !c.prices[c.at].retryAt.IsZero(),
		"Nothing can be sent: %s does not answer.", cmp.Or(c.env.Health.Base, c.env.Say("the service")))
}

// openReview opens a review of the draft. The hosts of new materials are asked then.
func (c *Screen) openReview() tea.Cmd {
	d, p := c.draft(), &c.prices[c.at]
	start := review.Start{
		Draft: c.at, Listing: d.Listing, Pattern: d.Pattern, Set: d.Set,
		Prices: map[string]api.Estimate{}, Placeholders: append(form.Placeholders(d.Pattern.Prompt), d.Unplaced()...),
		Asked: c.asked[c.at], Dead: c.faulty(d.Useless),
		Materials: api.Map(d.Attached(), func(m draft.Material) review.Material {
			return review.Material{Name: m.Name, Address: m.Address, Title: c.materialTitle(m.Address), Path: c.ours[m.Address].Path}
		}),
	}
	maps.Copy(start.Prices, c.sums)
	start.Prices[p.key] = p.estimate
	return tea.Batch(review.Open(c.env, c.backend, start), c.askHosts())
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
