package create

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// maxVariants is how many of one request are sent by one confirmation.
const maxVariants = 8

// variants are how many of a request are sent and in what they differ.
type variants struct {
	count int
	seeds []int64 // of a video's, as far as they were asked for
}

// submittedMsg is the result of sending a review.
type submittedMsg struct {
	confirm string
	draft   int
	job     state.Job // the last that was accepted for sending
	sent    int       // how many were
	err     error     // why the next was not
}

// whyNotNow is why the request cannot be sent at the moment.
func (r *review) whyNotNow() string {
	switch {
	case r.sending:
		return r.env.Say("Already sending.")
	case r.stopped:
		return r.refusal
	case r.asking && !r.estimate.Known():
		return r.env.Say("Asking the service for the price.")
	case r.count > 1 && r.sent == 0 && r.over() > 0: // all of them or none
		return r.overLine()
	}
	return ""
}

// whyNoMore: once one of them is recorded, the others are what was agreed to.
func (r *review) whyNoMore() string {
	if r.sending || r.sent > 0 {
		return r.env.Say("Already sending.")
	}
	return ""
}

// more changes how many are sent. Seeds are drawn once, so that what is shown
// is what is sent however often the number changes.
func (r *review) more(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r.count = min(max(r.count+by, 1), maxVariants)
		for r.seeded() && len(r.seeds) < r.count {
			r.seeds = append(r.seeds, r.nextSeed())
		}
		r.again, r.refusal, r.stopped = false, "", false
		r.table[0].Label = "send"
		if r.count > 1 {
			r.table[0].Label = "send all"
		}
		return nil
	}
}

// seeded: only seedance2 takes a seed ("Generation request: video").
func (r *review) seeded() bool { return r.request.Model == api.Seedance2 }

// nextSeed counts on from the seed of the form, or draws another one.
func (r *review) nextSeed() int64 {
	if first, n := r.request.Seed, int64(len(r.seeds)); first != nil && *first > 1<<53-1-n {
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

// variant is the i-th request that is sent. One alone is as the form has it.
func (r *review) variant(i int) api.Request {
	q := r.request
	if r.count > 1 && r.seeded() {
		seed := r.seeds[i]
		q.Seed = &seed
	}
	return q
}

// first is the body of the first that is sent.
func (r *review) first() []byte { return r.variant(0).Body(r.listing) }

// send submits each variant once. Their confirm ids are made from the review's:
// however often the key is pressed, each is sent once.
func (r *review) send() tea.Cmd {
	if cmd, warned := r.warn(); warned {
		return cmd
	}
	r.sending, r.refusal = true, ""
	ctx, b, draft, confirm := r.env.Context, r.backend, r.draft, r.confirm
	all := make([]state.Confirmed, r.count)
	for i := range all {
		all[i] = state.Confirmed{ConfirmID: confirm, Request: r.variant(i), Estimate: r.estimate, Again: r.again}
		if i > 0 {
			all[i].ConfirmID += "-" + strconv.Itoa(i+1)
			all[i].Again = r.again || !r.seeded() // several of the same were agreed to
		}
	}
	return func() tea.Msg {
		m := submittedMsg{confirm: confirm, draft: draft}
		for _, c := range all {
			job, err := b.Submit(ctx, c)
			if err != nil {
				m.err = err
				return m
			}
			m.job, m.sent = job, m.sent+1
		}
		return m
	}
}

func (r *review) submitted(m submittedMsg) tea.Cmd {
	if m.confirm != r.confirm {
		return nil
	}
	r.sending, r.sent = false, m.sent
	if m.err == nil {
		return msg.Sequence(msg.CloseTop, afterSend(r.env, m.job.ID), sentNotice(r.env, m), typedAfter(r.typed))
	}
	r.refused(m)
	return nil
}

// refused takes the reason why a variant was not sent.
func (r *review) refused(m submittedMsg) {
	r.refusal, r.typed = env.Sentence(r.env, m.err), ""
	var refusal *state.Refusal
	if errors.As(m.err, &refusal) {
		switch refusal.Code {
		case "again":
			r.again = true
			r.refusal = r.env.Say("An identical request is running. Send again for %s?", r.price())
			r.table[0].Label = "send again"
		case "problems", "budget", "no_base", "not_sendable":
			r.stopped = true
		}
	}
	if m.sent > 0 {
		r.refusal = r.env.Say("%d of %d sent. %s", m.sent, r.count, r.refusal)
	}
}
