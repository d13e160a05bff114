// Package review is the overlay that shows requests with their price and sends them.
package review

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Backend is what a review calls, from commands only.
type Backend interface {
	Submit(ctx context.Context, c state.Confirmed) (state.Job, error)
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	Today(ctx context.Context) (state.Spent, error)
	Queue() state.Queue
}

// Review shows requests until they are sent. A paste agrees to nothing.
type Review struct {
	widget.Passive
	env     *env.Env
	backend Backend
	confirm string // one id, however often it is sent
	Start
	copies   int       // of the one request
	seeds    []int64   // of a video's copies, as far as they were asked for
	opened   time.Time // what expired before is among Dead
	warned   time.Time // when it was known which materials are dead, if the person was told: sending needs a second key
	asking   bool      // prices are being asked again
	priceErr string
	sending  bool
	typed    string // while it is sent
	again    bool   // agreed to send a body equal to one that is running
	usedUp   bool   // told that no credits or calls are left: sent again, they were added
	refusal  string // why nothing was sent
	stopped  bool   // trying again here would be refused again
	today    state.Spent
	shown    text

	w, h       int
	tight      int // how much has given way
	head, foot []string
	thumbs     *result.Thumbs
	text       widget.Scroll // what scrolls in the box
}

// Start is what a review is about: a snapshot of a draft.
type Start struct {
	Draft        int // which draft it is of
	Listing      api.Model
	Pattern      api.Request             // with its alternatives and lists
	Set          expand.Set              // what the pattern stands for, at least one
	Prices       map[string]api.Estimate // known ones, by estimate key
	Dead         []string                // materials that the service may not be able to use
	Materials    []Material
	Placeholders []string
	Written      func(prompt string, w int) []string // in lines, painted
	Asked        *state.Row                          // what an agent asked for, which the one request is sent in place of
}

// PricedMsg is a fresh price for a review, and what today cost.
type PricedMsg struct {
	Prices  map[string]api.Estimate // by estimate key
	confirm string
	err     error
	today   state.Spent
}

// Open opens a review and asks for its price.
func Open(k *env.Env, b Backend, s Start) tea.Cmd {
	r := &Review{
		env: k, backend: b, confirm: state.NewConfirmID(), Start: s, copies: 1, opened: k.At,
		today: k.Today.Tightest(), asking: true, thumbs: result.NewThumbs(k),
	}
	r.Table = r.actions()
	r.label()
	return tea.Batch(msg.Open(k, r), r.askPrice())
}

func (r *Review) actions() []action.Action {
	scroll := r.text.Actions()
	scroll[0].Hidden = true
	return action.Then(append([]action.Action{
		{Name: "send", Keys: "enter", Label: "send", Handler: r.send, Disabled: r.whyNotNow, Confirms: true},
		{Name: "more", Keys: "+ =", Display: "+/-", Label: "how many", Handler: action.By(r.more, 1), Disabled: r.whyNoMore,
			Offer: func() bool { return r.shown == textSummary && !r.stopped }},
		{Name: "fewer", Keys: "- _", Label: "one less", Hidden: true, Handler: action.By(r.more, -1), Disabled: r.whyNoMore},
		{Name: "price_again", Keys: "r", Label: "try again", Offer: r.unpriced, Handler: func() tea.Cmd {
			r.asking, r.stopped, r.refusal = true, false, ""
			return r.askPrice()
		}},
		{Name: "json_or_curl", Keys: "c", Label: "JSON, curl", Handler: r.switchText},
		{Name: "copy", Keys: "y", Label: "copy", Offer: func() bool { return r.shown != textSummary },
			Handler: func() tea.Cmd { return msg.Copy(strings.Join(r.texts(false), "\n"), r.env.Say("Copied.")) }},
		{Name: "back", Keys: "esc", Label: "back", Handler: r.back},
	}, scroll...), r.arrange)
}

// askPrice asks for prices that are not new, and for what today cost.
func (r *Review) askPrice() tea.Cmd {
	ctx, b, now, confirm, all := r.env.Context, r.backend, r.env.Clock, r.confirm, r.Set.All
	prices, listing := maps.Clone(r.Prices), r.Listing
	return func() tea.Msg {
		m := PricedMsg{confirm: confirm, Prices: map[string]api.Estimate{}}
		for _, v := range all {
			key := v.Request.EstimateKey(listing)
			if _, asked := m.Prices[key]; asked || env.Fresh(prices[key], now()) {
				continue
			}
			e, err := b.Estimate(ctx, v.Request)
			m.Prices[key], m.err = e, cmp.Or(err, m.err)
		}
		m.today, _ = b.Today(ctx)
		return m
	}
}

// Amount is what agreeing spends.
func (r *Review) Amount() int64 { return int64(r.total().Credits) }
func (r *Review) Restyle()      { r.arrange() }

// Typing is true during sending: what is typed then belongs to the prompt.
func (r *Review) Typing() bool { return r.sending }

func (r *Review) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	if !action.Printable(key) {
		return nil, false
	}
	r.typed += key.Text
	return nil, true
}

func (r *Review) Update(message tea.Msg) tea.Cmd {
	r.thumbs.Update(message)
	var cmd tea.Cmd
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		r.w, r.h = m.Width, m.Height
		cmd = r.wantThumbs() // pictures may be drawn in another way now
	case PricedMsg:
		r.priced(m)
	case HostAnsweredMsg:
		for _, material := range r.Materials {
			if why := m.Why(r.env); why != "" && material.Address == m.Address {
				r.Dead = append(r.Dead, material.Name+" "+why)
			}
		}
	case msg.ChangedMsg:
		if m.Err == nil && !r.sending {
			r.today = m.Today.Tightest()
		}
	case SubmittedMsg:
		cmd = r.submitted(m)
	case msg.WheelMsg:
		r.text.By(m.By * 3)
	}
	r.arrange()
	return cmd
}

func (r *Review) priced(m PricedMsg) {
	if m.confirm != r.confirm {
		return
	}
	r.asking, r.today = false, m.today.Tightest()
	for key, e := range m.Prices {
		if e.Known() {
			r.Prices[key] = e
		}
	}
	if m.err != nil {
		r.priceErr = env.Shortly(r.env, m.err)
	}
	if r.unpriced() {
		why := env.AsSentence(cmp.Or(r.priceErr, r.env.Say("the service gave no figure")))
		r.stopped, r.priceErr, r.refusal = true, "", why+" "+r.env.Say("Without a price nothing is sent under a budget.")
	}
}

func (r *Review) estimate(q *api.Request) api.Estimate {
	if e := r.Prices[q.EstimateKey(r.Listing)]; e.Known() {
		return e
	}
	return api.TableEstimate(*q)
}

func (r *Review) total() api.Estimate { return Total(r.requests(), r.estimate) }

// Total is what requests cost together, of the age of the oldest figure.
func Total(all []expand.Variation, estimate func(*api.Request) api.Estimate) api.Estimate {
	sum := estimate(&all[0].Request)
	for i := range all[1:] {
		e := estimate(&all[i+1].Request)
		if !e.Known() || !sum.Known() {
			return api.Estimate{Source: api.SourceNone}
		}
		sum.Credits, sum.Differs, sum.SentAt = sum.Credits.Plus(e.Credits), false, time.Time{}
		if e.Source == api.SourceTable || e.Source == sum.Source && e.At.Before(sum.At) {
			sum.Source, sum.At = e.Source, e.At
		}
	}
	return sum
}

// over is how far above the budget all of them are.
func (r *Review) over() api.Credits {
	total := r.total()
	if r.today.Budget == 0 || !total.Known() {
		return 0
	}
	return r.today.Credits + r.today.Possibly + total.Credits - r.today.Budget
}

// unpriced reports whether nothing can be sent because a budget needs a price.
func (r *Review) unpriced() bool { return r.today.Budget > 0 && !r.asking && !r.total().Known() }

func (r *Review) back() tea.Cmd {
	if r.sending {
		return msg.Notify(msg.ToneHint, r.env.Say("Already sending."))
	}
	return r.thumbs.Close()
}

func (r *Review) switchText() tea.Cmd {
	r.shown = (r.shown + 1) % texts
	r.label()
	r.text.ToTop()
	return r.wantThumbs()
}

// maxCopies is how many of one request are sent by one confirmation.
const maxCopies = 8

func (r *Review) many() bool { return len(r.Set.All) > 1 || r.copies > 1 }

// requests are all that is sent, in order. One alone is as the form has it.
func (r *Review) requests() []expand.Variation {
	if len(r.Set.All) > 1 || r.copies == 1 {
		return r.Set.All
	}
	out := make([]expand.Variation, r.copies)
	for i := range out {
		out[i] = r.Set.All[0]
		out[i].Label = "#" + strconv.Itoa(i+1)
		if r.seeded() {
			out[i].Request.Seed = &r.seeds[i]
			out[i].Label = "seed " + strconv.FormatInt(r.seeds[i], 10)
		}
	}
	return out
}

// seeded: only seedance2 takes a seed ("Generation request: video").
func (r *Review) seeded() bool { return r.Set.All[0].Request.Model == api.Seedance2 }

// nextSeed counts on from the seed of the form, or draws another one.
func (r *Review) nextSeed() int64 {
	if first, n := r.Set.All[0].Request.Seed, int64(len(r.seeds)); first != nil && *first > 1<<53-1-n {
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
	k, most, over := r.env, r.env.Settings.VariationsLimit(), r.over() // of several all or none
	return cmp.Or(k.SayIf(r.sending, "Already sending."),
		k.SayIf(r.stopped, "Nothing can be sent"), // why is said above
		k.SayIf(r.asking && !r.total().Known(), "Asking the service for the price."),
		k.SayIf(r.many() && len(r.requests()) > most, "At most %d requests are sent at once.", most),
		k.SayIf(over > 0 && r.today.Budget == api.BudgetUnreadable,
			"A setting or a variable is wrong, so nothing is sent. 'darkroom doctor' names it."),
		k.SayIf(over > 0, [...]string{"%s credits over today's budget: it will not be sent.",
			"%s credits over this month's budget: it will not be sent."}[r.today.Period], over.String()))
}

func (r *Review) whyNoMore() string {
	return cmp.Or(r.env.SayIf(r.sending, "Already sending."),
		r.env.SayIf(len(r.Set.All) > 1, "The variations are chosen in the form."))
}

// more changes how many are sent. Seeds are drawn once: what is shown is sent.
func (r *Review) more(by int) tea.Cmd {
	r.copies = min(max(r.copies+by, 1), maxCopies)
	for r.seeded() && len(r.seeds) < r.copies {
		r.seeds = append(r.seeds, r.nextSeed())
	}
	r.again, r.refusal, r.stopped, r.shown = false, "", false, textSummary
	r.label()
	r.text.ToTop()
	return r.wantThumbs()
}

func (r *Review) label() {
	r.Table[0].Label = [...]string{"send", "send all"}[min(len(r.requests())-1, 1)]
	action.Named(r.Table, "json_or_curl").Label = [...]string{"JSON, curl", "curl", "summary"}[r.shown] // what comes next
}

// send submits one request, or gives several to the queue by one agreement. However often
// the key is pressed, each is sent once: the confirm id is the review's.
func (r *Review) send() tea.Cmd {
	if len(r.Dead) > 0 && r.warned.IsZero() { // no more than a warning: the service knows better what it can use
		return msg.Notify(msg.ToneWarn, r.warn(r.opened, r.Dead[0]))
	}
	r.sending, r.refusal = true, ""
	ctx, b, draft, confirm, all := r.env.Context, r.backend, r.Draft, r.confirm, r.requests()
	if len(all) == 1 {
		c := state.Confirmed{Agreed: state.Agreed{ConfirmID: confirm, Request: all[0].Request, Estimate: r.estimate(&all[0].Request),
			Again: r.again, UsedUp: r.usedUp, Warned: r.warned}}
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
		copied := len(r.Set.All) == 1 && i > 0 && !r.seeded() // several of the same were agreed to
		t.Requests = append(t.Requests, state.Agreed{
			Request: v.Request, Label: v.Label, Estimate: r.estimate(&v.Request), Again: r.again || copied, UsedUp: r.usedUp, Warned: r.warned,
		})
	}
	asked := r.Asked
	return func() tea.Msg {
		ids, err := b.Queue().Agree(ctx, t)
		if err == nil && asked != nil {
			_ = b.Queue().Decline(ctx, "a person edited it, and sent several others instead", asked.ID) // it may have ended
		}
		return SubmittedMsg{Draft: draft, Err: err, confirm: confirm, id: cmp.Or(ids...), sent: len(t.Requests)}
	}
}

// warn says what is wrong with a material, and that the next key sends it, unless a link has expired after the time at.
func (r *Review) warn(at time.Time, why string) string {
	r.warned, r.Table[0].Label = at, "send anyway"
	return r.env.Say("%s. Press enter again to send anyway.", why)
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
	var then []tea.Msg
	if r.env.Settings.AfterSend == "jobs" {
		then = append(then, msg.PickedJobMsg{ID: m.id})
	}
	// App replaces the notice when the job's phase changes.
	said := cmp.Or(r.env.SayIf(m.sent > 1, "Sending %d…", m.sent), r.env.Say("Sending…"))
	then = append(then, msg.NotifiedMsg{Tone: msg.ToneHint, Text: said, About: m.id})
	if r.typed != "" {
		then = append(then, TypedMsg{r.typed})
	}
	return r.thumbs.Close(then...)
}

func (r *Review) refused(m SubmittedMsg) {
	r.refusal, r.typed = env.Sentence(r.env, m.Err), ""
	refusal, ok := errors.AsType[*state.Refusal](m.Err)
	if !ok {
		return
	}
	r.usedUp = r.usedUp || refusal.UsedUp()
	switch refusal.Code {
	case "again":
		r.again = true
		r.refusal = r.env.Say("An identical request is running. Send again for %s?", r.price())
		r.Table[0].Label = "send again"
	case "link":
		r.refusal = r.warn(r.env.Clock(), env.Capital(r.env.Say("a link has expired")))
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
	return cmp.Or(k.Words.Error(m.Err), k.SayIf(m.Link.Page(), "is a page, not a file"))
}
