package review

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// maxCopies is how many of one request are sent by one confirmation.
const maxCopies = 8

func (r *Review) many() bool { return len(r.made) > 1 || r.copies > 1 }

// requests are all that is sent, in order. One alone is as the form has it.
func (r *Review) requests() []expand.Variation {
	if len(r.made) > 1 || r.copies == 1 {
		return r.made
	}
	out := make([]expand.Variation, r.copies)
	for i := range out {
		out[i] = r.made[0]
		out[i].Label = "#" + strconv.Itoa(i+1)
		if r.seeded() {
			out[i].Request.Seed = &r.seeds[i]
			out[i].Label = "seed " + strconv.FormatInt(r.seeds[i], 10)
		}
	}
	return out
}

// seeded: only seedance2 takes a seed ("Generation request: video").
func (r *Review) seeded() bool { return r.made[0].Request.Model == api.Seedance2 }

// nextSeed counts on from the seed of the form, or draws another one.
func (r *Review) nextSeed() int64 {
	if first, n := r.made[0].Request.Seed, int64(len(r.seeds)); first != nil && *first > 1<<53-1-n {
		return *first - n // the largest that JSON's readers agree on
	} else if first != nil {
		return *first + n
	}
	for {
		if seed := rand.Int64N(1 << 31); !slices.Contains(r.seeds, seed) {
			return seed
		}
	}
}

type SubmittedMsg struct {
	Draft   int
	Err     error // why none was sent
	confirm string
	id      string // of the first that was accepted for sending
	sent    int    // how many were, without Err
}

func (r *Review) whyNotNow() string {
	switch {
	case r.sending:
		return r.env.Say("Already sending.")
	case r.stopped:
		return r.refusal
	case r.asking && !r.total().Known():
		return r.env.Say("Asking the service for the price.")
	case r.many() && len(r.requests()) > r.env.Settings.VariationsLimit():
		return r.env.Say("At most %d requests are sent at once.", r.env.Settings.VariationsLimit())
	case r.over() > 0: // of several all or none
		if r.today.Budget == api.BudgetUnreadable {
			return r.env.Say("The budget or another setting cannot be read: nothing is sent.")
		}
		return r.env.Say("%s credits over today's budget: it will not be sent.", env.Amount(r.over()))
	}
	return ""
}

func (r *Review) whyNoMore() string {
	switch {
	case r.sending:
		return r.env.Say("Already sending.")
	case len(r.made) > 1:
		return r.env.Say("The variations are chosen in the form.")
	}
	return ""
}

// more changes how many are sent. Seeds are drawn once: what is shown is sent.
func (r *Review) more(by int) tea.Cmd {
	r.copies = min(max(r.copies+by, 1), maxCopies)
	for r.seeded() && len(r.seeds) < r.copies {
		r.seeds = append(r.seeds, r.nextSeed())
	}
	r.again, r.refusal, r.stopped = false, "", false
	r.label()
	r.shown = textSummary
	r.text.ToTop()
	return r.wantThumbs()
}

func (r *Review) label() {
	r.Table[0].Label = "send"
	if r.many() {
		r.Table[0].Label = "send all"
	}
}

// send submits one request, or gives several to the queue by one agreement. However often
// the key is pressed, each is sent once: the confirm id is the review's.
func (r *Review) send() tea.Cmd {
	if len(r.Dead) > 0 && !r.warned { // no more than a warning: the service knows better what it can use
		r.warned = true
		r.Table[0].Label = "send anyway"
		return msg.Notify(msg.ToneWarn, r.env.Say("%s. Press enter again to send anyway.", r.Dead[0]))
	}
	r.sending, r.refusal = true, ""
	ctx, b, draft, confirm := r.env.Context, r.backend, r.Draft, r.confirm
	all := r.requests()
	if len(all) == 1 {
		c := state.Confirmed{ConfirmID: confirm, Request: all[0].Request, Estimate: r.estimate(&all[0].Request), Again: r.again}
		if r.Asked != nil {
			c.Asked = r.Asked.ID
		}
		return func() tea.Msg {
			job, err := b.Submit(ctx, c)
			return SubmittedMsg{Draft: draft, Err: err, confirm: confirm, id: job.ID, sent: 1}
		}
	}
	t := state.Together{ConfirmID: confirm, Pattern: r.Pattern}
	for i, v := range all {
		copied := len(r.made) == 1 && i > 0 && !r.seeded() // several of the same were agreed to
		t.Requests = append(t.Requests, state.Agreed{
			Request: v.Request, Label: v.Label, Estimate: r.estimate(&v.Request), Again: r.again || copied,
		})
	}
	asked := r.Asked
	return func() tea.Msg {
		ids, err := b.Queue().Agree(ctx, t)
		if err == nil && asked != nil {
			_ = b.Queue().Decline(ctx, "a person edited it, and sent several others instead", asked.ID) // it may have ended
		}
		m := SubmittedMsg{Draft: draft, Err: err, confirm: confirm, sent: len(t.Requests)}
		if len(ids) > 0 {
			m.id = ids[0]
		}
		return m
	}
}

func (r *Review) submitted(m SubmittedMsg) tea.Cmd {
	if m.confirm != r.confirm {
		return nil
	}
	r.sending = false
	if m.Err != nil {
		r.refused(m)
		priced := PricedMsg{Prices: maps.Clone(r.Prices), confirm: r.confirm, today: r.today}
		return func() tea.Msg { return priced } // Create shows the same figures
	}
	// App replaces the notice when the job's phase changes.
	notice := msg.NotifiedMsg{Tone: msg.ToneHint, Text: r.env.Say("Sending…"), About: m.id}
	if m.sent > 1 {
		notice.Text = r.env.Say("Sending %d…", m.sent)
	}
	var jobs, typed tea.Cmd
	if r.env.Settings.AfterSend == "jobs" {
		jobs = msg.ShowJob(m.id)
	}
	if text := (TypedMsg{r.typed}); r.typed != "" {
		typed = func() tea.Msg { return text }
	}
	return r.closed(jobs, func() tea.Msg { return notice }, typed)
}

func (r *Review) refused(m SubmittedMsg) {
	r.refusal, r.typed = env.Sentence(r.env, m.Err), ""
	var refusal *state.Refusal
	if !errors.As(m.Err, &refusal) {
		return
	}
	switch refusal.Code {
	case "again":
		r.again = true
		r.refusal = r.env.Say("An identical request is running. Send again for %s?", r.price())
		r.Table[0].Label = "send again"
	case "price": // agreeing again is to what it costs now
		for i, v := range r.requests() {
			r.Prices[v.Request.EstimateKey(r.Listing)] = refusal.Prices[i]
		}
	case "stale": // the agent's is gone; pressed again, it is the person's own
		r.Asked = nil
	case "problems", "budget", "no_base", "not_sendable", "too_many":
		r.stopped = true
	}
}

// TypedMsg is what was typed while a request was sent: it belongs to the prompt.
type TypedMsg struct{ Text string }

// HostAnsweredMsg is what the host of a material said.
type HostAnsweredMsg struct {
	Address string
	Link    state.Link
	Err     error
}

// Why is why the service cannot use the material; "" when it can.
func (m HostAnsweredMsg) Why(k *env.Env) string {
	if m.Err != nil {
		return k.Words.Error(m.Err)
	}
	return k.SayIf(m.Link.Page(), "is a page, not a file")
}
