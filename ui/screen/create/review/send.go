package review

import (
	"errors"
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

// agreement is what a review is about: the requests that the draft stands for,
// or several copies of the one.
type agreement struct {
	pattern api.Request
	made    []expand.Variation // at least one
	equal   int                // that were left out
	missing []string           // lists that do not exist
	copies  int                // of the one request
	seeds   []int64            // of a video's copies, as far as they were asked for
	prices  map[string]api.Estimate
}

func newAgreement(s Start) agreement {
	a := agreement{pattern: s.Pattern, made: s.Set.All, missing: s.Set.Missing, copies: 1}
	if len(a.made) == 0 {
		a.made = []expand.Variation{{Request: s.Request}}
	} else {
		a.equal = s.Set.Equal()
	}
	return a
}

// many reports whether more than one request is sent.
func (a *agreement) many() bool { return len(a.made) > 1 || a.copies > 1 }

// requests are all that is sent, in order. One alone is as the form has it.
func (a *agreement) requests() []expand.Variation {
	if len(a.made) > 1 || a.copies == 1 {
		return a.made
	}
	out := make([]expand.Variation, a.copies)
	for i := range out {
		out[i] = a.made[0]
		out[i].Label = "#" + strconv.Itoa(i+1)
		if a.seeded() {
			seed := a.seeds[i]
			out[i].Request.Seed = &seed
			out[i].Label = "seed " + strconv.FormatInt(seed, 10)
		}
	}
	return out
}

// seeded: only seedance2 takes a seed ("Generation request: video").
func (a *agreement) seeded() bool { return a.made[0].Request.Model == api.Seedance2 }

// nextSeed counts on from the seed of the form, or draws another one.
func (a *agreement) nextSeed() int64 {
	if first, n := a.made[0].Request.Seed, int64(len(a.seeds)); first != nil && *first > 1<<53-1-n {
		return *first - n // the largest that JSON's readers agree on
	} else if first != nil {
		return *first + n
	}
	for {
		if seed := rand.Int64N(1 << 31); !slices.Contains(a.seeds, seed) {
			return seed
		}
	}
}

// SubmittedMsg is the result of sending a review.
type SubmittedMsg struct {
	Draft   int
	Err     error // why none was sent
	confirm string
	job     state.Job // the first that was accepted for sending
	sent    int       // how many were
}

// whyNotNow is why the requests cannot be sent at the moment.
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
	case r.many() && r.over() > 0: // all of them or none
		return r.overLine()
	}
	return ""
}

// single reports whether the form stands for one request, which can be sent more
// than once.
func (r *Review) single() bool { return len(r.made) <= 1 }

// whyNoMore: the form says how many variations there are.
func (r *Review) whyNoMore() string {
	switch {
	case r.sending:
		return r.env.Say("Already sending.")
	case !r.single():
		return r.env.Say("The variations are chosen in the form.")
	}
	return ""
}

// more changes how many are sent. Seeds are drawn once, so that what is shown
// is what is sent however often the number changes.
func (r *Review) more(by int) func() tea.Cmd {
	return func() tea.Cmd {
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
}

// label says on the first key what it does.
func (r *Review) label() {
	r.table[0].Label = "send"
	if r.many() {
		r.table[0].Label = "send all"
	}
}

// send submits one request, or gives several to the queue by one agreement. The
// confirm id is the review's: however often the key is pressed, each is sent
// once.
func (r *Review) send() tea.Cmd {
	if cmd, warned := r.warn(); warned {
		return cmd
	}
	r.sending, r.refusal = true, ""
	ctx, b, draft, confirm := r.env.Context, r.backend, r.draft, r.confirm
	all := r.requests()
	if len(all) == 1 {
		c := state.Confirmed{ConfirmID: confirm, Request: all[0].Request, Estimate: r.estimate(&all[0].Request), Again: r.again}
		return func() tea.Msg {
			job, err := b.Submit(ctx, c)
			m := SubmittedMsg{Draft: draft, Err: err, confirm: confirm, job: job}
			if err == nil {
				m.sent = 1
			}
			return m
		}
	}
	t := state.Together{ConfirmID: confirm, Pattern: r.pattern}
	for i, v := range all {
		copied := len(r.made) == 1 && i > 0 && !r.seeded() // several of the same were agreed to
		t.Requests = append(t.Requests, state.Agreed{
			Request: v.Request, Label: v.Label, Estimate: r.estimate(&v.Request), Again: r.again || copied,
		})
	}
	return func() tea.Msg {
		ids, err := b.Queue().Agree(ctx, t)
		m := SubmittedMsg{Draft: draft, Err: err, confirm: confirm}
		if err == nil {
			m.sent = len(t.Requests)
		}
		if len(ids) > 0 {
			m.job.ID = ids[0]
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
		return nil
	}
	return r.closed(afterSend(r.env, m.job.ID), sentNotice(r.env, m), typedAfter(r.typed))
}

// refused takes the reason why nothing was sent.
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
		r.table[0].Label = "send again"
	case "problems", "budget", "no_base", "not_sendable", "too_many":
		r.stopped = true
	}
}

// sentNotice says that the last job is on its way; App replaces it when the
// job's phase changes.
func sentNotice(k *env.Env, m SubmittedMsg) tea.Cmd {
	notice := msg.NotifiedMsg{Tone: msg.ToneHint, Text: k.Say("Sending…"), About: m.job.ID}
	if m.sent > 1 {
		notice.Text = k.Say("Sending %d…", m.sent)
	}
	return func() tea.Msg { return notice }
}

// TypedMsg is what was typed while a request was sent.
type TypedMsg struct{ Text string }

// typedAfter hands to the prompt what was typed while the request was sent.
func typedAfter(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return func() tea.Msg { return TypedMsg{text} }
}

// afterSend goes to Jobs when the settings say so; else Create stays.
func afterSend(k *env.Env, id string) tea.Cmd {
	if k.Settings.AfterSend != "jobs" {
		return nil
	}
	return msg.ShowJob(id)
}

// HostAnsweredMsg is what the host of a material said when it was asked whether
// everybody can read it.
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

// hostAnswered takes an answer that comes while the review is in view.
func (r *Review) hostAnswered(m HostAnsweredMsg) {
	for _, material := range r.materials {
		if why := m.Why(r.env); why != "" && material.Address == m.Address {
			r.dead = append(r.dead, material.Name+" "+why)
		}
	}
}

// warn takes the first key of a review with dead materials. It does no more: the
// service knows better what it can use.
func (r *Review) warn() (tea.Cmd, bool) {
	if len(r.dead) == 0 || r.warned {
		return nil, false
	}
	r.warned = true
	r.table[0].Label = "send anyway"
	return msg.Notify(msg.ToneWarn, r.env.Say("%s. Press enter again to send anyway.", r.dead[0])), true
}
