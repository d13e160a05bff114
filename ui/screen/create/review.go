package create

import (
	"maps"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// review is the overlay that shows what a request costs and what exactly is
// sent, and sends it when the person agrees. A paste agrees to nothing.
type review struct {
	env     *env.Env
	backend Backend
	queue   sender
	number  int // among the reviews of the screen
	draft   int // the draft that it shows
	listing api.Model
	confirm string // made once for this review
	agreement
	asking   bool // prices are being asked again
	priceErr string
	sending  bool
	typed    string // while it is sent
	again    bool   // agreed to send a body equal to one that is running
	refusal  string // why nothing was sent
	stopped  bool   // trying again here would be refused again
	today    state.Spent
	shown    reviewText
	table    []action.Action

	w, h int
	body widget.Memo[bodyKey, []string]
	text widget.Scroll // body in the box
	box  widget.Memo[reviewKey, string]
}

// confirmMadeMsg brings the confirm id of a review that was begun.
type confirmMadeMsg struct {
	review  int
	confirm string
}

// reviewOpenedMsg says that the review is in view.
type reviewOpenedMsg struct{ review int }

// reviewPricedMsg is a fresh price for a review, and what today cost.
type reviewPricedMsg struct {
	confirm string
	prices  map[string]api.Estimate // by estimate key
	err     error
	today   state.Spent
}

// beginReview takes a snapshot of the draft and makes its confirm id.
func (c *Screen) beginReview() tea.Cmd {
	c.reviews++
	c.opening = newReview(c)
	number := c.reviews
	return func() tea.Msg { return confirmMadeMsg{number, state.NewConfirmID()} }
}

func newReview(c *Screen) *review {
	d := c.draft()
	r := &review{
		env: c.env, backend: c.backend, queue: c.queue, number: c.reviews, draft: c.at, listing: d.listing,
		agreement: newAgreement(d), today: c.env.Today, asking: true, w: c.w, h: c.h,
	}
	r.prices = maps.Clone(d.sums)
	if r.prices == nil {
		r.prices = map[string]api.Estimate{}
	}
	r.prices[c.prices[c.at].key] = c.prices[c.at].estimate
	r.table = r.actions()
	r.label()
	if r.many() {
		r.shown = textList
	}
	return r
}

func (r *review) actions() []action.Action {
	return r.arranged([]action.Action{
		{Name: "send", Keys: []string{"enter"}, Label: "send", Handler: r.send, Disabled: r.whyNotNow, Confirms: true},
		{Name: "more", Keys: []string{"+", "="}, Display: "+/-", Label: "how many", Handler: r.more(1), Disabled: r.whyNoMore},
		{Name: "fewer", Keys: []string{"-", "_"}, Label: "one less", Hidden: true, Handler: r.more(-1), Disabled: r.whyNoMore},
		{Name: "json_or_curl", Keys: []string{"c"}, Label: "JSON or curl", Handler: r.switchText},
		{Name: "copy", Keys: []string{"y"}, Label: "copy", Handler: r.copy},
		{Name: "back", Keys: []string{"esc"}, Label: "back", Handler: r.back},
		{Name: "scroll_down", Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Hidden: true, Handler: r.scroll(1)},
		{Name: "scroll_up", Keys: []string{"up", "k"}, Label: "scroll up", Hidden: true, Handler: r.scroll(-1)},
		{Name: "next_page", Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: r.scroll(10)},
		{Name: "previous_page", Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: r.scroll(-10)},
	})
}

// arranged makes each handler bring the box's text up to date when it has run.
func (r *review) arranged(table []action.Action) []action.Action {
	for i := range table {
		handler := table[i].Handler
		table[i].Handler = func() tea.Cmd {
			cmd := handler()
			r.arrange()
			return cmd
		}
	}
	return table
}

// openReview opens the review that was begun and asks for its price.
func (c *Screen) openReview(m confirmMadeMsg) tea.Cmd {
	r := c.opening
	if r == nil || r.number != m.review || r.confirm != "" {
		return nil
	}
	r.confirm = m.confirm
	r.arrange()
	return msg.Sequence(msg.Open(r), func() tea.Msg { return reviewOpenedMsg{m.review} }, r.askPrice())
}

func (c *Screen) reviewOpened(m reviewOpenedMsg) {
	if c.opening != nil && c.opening.number == m.review {
		c.opening = nil
	}
}

// askPrice asks for each price, unless the one that is known is new enough, and
// for what today cost.
func (r *review) askPrice() tea.Cmd {
	ctx, b, now, confirm, prices, listing := r.env.Context, r.backend, r.env.Clock, r.confirm, maps.Clone(r.prices), r.listing
	var requests []api.Request
	for _, v := range r.made {
		requests = append(requests, v.Request)
	}
	return func() tea.Msg {
		m := reviewPricedMsg{confirm: confirm, prices: map[string]api.Estimate{}}
		for _, q := range requests {
			key := q.EstimateKey(listing)
			if _, asked := m.prices[key]; asked || fresh(prices[key], now()) {
				continue
			}
			e, err := b.Estimate(ctx, q)
			if m.prices[key] = e; err != nil {
				m.err = err
			}
		}
		m.today, _ = b.Today(ctx)
		return m
	}
}

func (r *review) Actions() []action.Action { return r.table }

// Amount is what agreeing spends.
func (r *review) Amount() int64       { return int64(r.total().Credits) }
func (r *review) Cursor() *tea.Cursor { return nil }
func (r *review) Restyle()            { r.arrange() }

// Typing is true while the requests are sent: what is typed then belongs to the
// prompt.
func (r *review) Typing() bool { return r.sending }

// Edit keeps what is typed while the requests are sent.
func (r *review) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	if !r.sending || !action.Printable(key) {
		return nil, false
	}
	r.typed += key.Text
	return nil, true
}

func (r *review) Update(message tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		r.w, r.h = body.W, body.H
	case reviewPricedMsg:
		r.priced(m)
	case submittedMsg:
		cmd = r.submitted(m)
	case msg.WheelMsg:
		r.text.By(m.By * 3)
	}
	r.arrange()
	return cmd
}

func (r *review) priced(m reviewPricedMsg) {
	if m.confirm != r.confirm {
		return
	}
	r.asking, r.today = false, m.today
	for key, e := range m.prices {
		if e.Known() {
			r.prices[key] = e
		}
	}
	if m.err != nil {
		r.priceErr = env.Shortly(r.env, m.err)
	}
}

// estimate is the price of one request.
func (r *review) estimate(q *api.Request) api.Estimate {
	if e := r.prices[q.EstimateKey(r.listing)]; e.Known() {
		return e
	}
	return api.TableEstimate(*q)
}

// total is what all of them cost: of the oldest of their figures, and not known
// when one is missing.
func (r *review) total() api.Estimate {
	sum := r.estimate(&r.made[0].Request)
	all := r.requests()
	if len(all) > 1 {
		sum.Credits, sum.Differs = 0, false
	}
	for i := range all {
		if len(all) == 1 {
			break
		}
		e := r.estimate(&all[i].Request)
		if !e.Known() {
			return api.Estimate{Source: api.SourceNone}
		}
		sum.Credits = sum.Credits.Plus(e.Credits)
		if e.Source == api.SourceTable || e.Source == sum.Source && e.At.Before(sum.At) {
			sum.Source, sum.At = e.Source, e.At
		}
	}
	return sum
}

// over is how far above today's budget all of them are.
func (r *review) over() api.Credits {
	total := r.total()
	if r.today.Budget == 0 || !total.Known() {
		return 0
	}
	return r.today.Credits + r.today.Possibly + total.Credits - r.today.Budget
}

// refreshing reports whether a new figure is awaited.
func (r *review) refreshing(now time.Time) bool { return r.asking && !fresh(r.total(), now) }

func (r *review) back() tea.Cmd {
	if r.sending {
		return msg.Notify(msg.ToneHint, r.env.Say("Already sending."))
	}
	return msg.CloseTop
}

func (r *review) switchText() tea.Cmd {
	r.shown = r.shown.next(r.many())
	r.text.ToTop()
	return nil
}

func (r *review) copy() tea.Cmd {
	return tea.Batch(tea.SetClipboard(strings.Join(r.texts(), "\n")), msg.Notify(msg.ToneGood, r.env.Say("Copied.")))
}

func (r *review) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		r.text.By(by)
		return nil
	}
}
