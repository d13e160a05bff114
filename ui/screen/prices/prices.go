// Package prices is the screen of what everything costs: the models of the
// service, every price of the selected one, plans, and what was spent.
package prices

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// pane is a part of the screen.
type pane int

// Panes, in the order in which tab goes through the first three: the others
// never have the keys for themselves.
const (
	paneGrid pane = iota // every price of the selected model
	panePlan
	paneModels
	paneAfford // what an amount pays for
	paneSpend  // what was spent: a page of its own
	paneCount
)

// Screen shows the models, every price of the selected one, a plan, and what an
// amount pays for; on another page what was spent. The listing, the answered
// prices and the plan are what it holds; all that is drawn is made of them.
type Screen struct {
	k       *env.Env
	backend Backend
	records Records
	w, h    int
	actions []action.Action
	ledger  bool // what was spent is shown, not the prices
	pane    pane // that has the keys

	models   modelList
	figures  map[string]figure // answered prices, by the key of their choice
	grid     grid
	seconds  int // the duration that videos are priced for
	duration durationEntry
	plan     planned
	amount   api.Credits // that the person asked about; 0: what the day's budget leaves
	spend    spending

	shown  bool
	asking *asking   // for the prices in view; nil when all were answered
	now    time.Time // for the age of prices: when the screen came into view, then each minute
	visit  int       // grows when the screen comes into view and when it goes

	scroll widget.Scroll // the pane of prices
	beside widget.Beside
	frames [paneCount]widget.Frame
}

// New makes the screen; it asks for nothing until it gets the focus. Until there
// is a listing it shows seedance2, whose rates are published.
func New(k *env.Env, b Backend, r Records) *Screen {
	s := &Screen{
		k: k, backend: b, records: r, seconds: 5, figures: map[string]figure{},
		duration: durationEntry{line: widget.Line{Limit: 4, Allow: func(r rune) bool { return r >= '0' && r <= '9' }}},
		models:   modelList{listing: state.Listing{Models: []api.Model{seedance2}}, filter: widget.NewFilter("prices")},
		spend:    spending{days: spendDays[1]},
	}
	s.search()
	s.actions = action.Then(s.table(), s.arrange)
	return s
}

// Actions is the screen's table.
func (s *Screen) Actions() []action.Action { return s.actions }

// Typing reports whether the filter or the duration has the keys.
func (s *Screen) Typing() bool { return s.models.filter.Editing() || s.duration.editing }

// Resize gives the body's size.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

// Restyle says that the theme or the words are other ones.
func (s *Screen) Restyle() { s.arrange() }

// Focus asks for the models when the screen is seen first, and for the prices
// that are missing.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.visit++
	s.now = s.k.At
	defer s.arrange()
	switch {
	case s.ledger:
		return tea.Batch(s.watchAge(), s.readSpend())
	case s.models.listing.Err == nil && (s.models.loading || s.models.known()):
		return tea.Batch(s.watchAge(), s.fill())
	}
	return tea.Batch(s.watchAge(), s.readModels(true), s.readModels(false), s.readPlans())
}

// Blur stops the questions: prices that nobody looks at are not asked for.
func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	s.models.filter.Stop()
	s.duration.editing = false
	s.endAsking()
	s.visit++
	s.arrange()
	return nil
}

// Update takes answers, pastes and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	defer s.arrange()
	switch m := message.(type) {
	case modelsReadMsg:
		return s.listed(m)
	case pricedMsg:
		return s.priced(m)
	case recalledMsg:
		s.recalled(m)
	case priceDueMsg:
		return s.ask(m.of)
	case ageDueMsg:
		if m.visit == s.visit {
			s.now = m.at
			return s.watchAge()
		}
	case widget.FilterDueMsg:
		if s.models.filter.Due(m) {
			s.scroll.ToTop()
			return s.search()
		}
	case plansReadMsg:
		return s.plansRead(m)
	case spendReadMsg:
		return s.spendRead(m)
	case msg.ChangedMsg:
		if s.shown && s.ledger && m.Err == nil && s.spend.latest.Changed() {
			return s.readSpend()
		}
	case tea.PasteMsg:
		return s.pasted(m.Content)
	case msg.ClickMsg:
		return s.clicked(m.X, m.Y)
	case msg.WheelMsg:
		return s.wheeled(m)
	}
	return nil
}

// Edit gives a key to the filter or to the duration.
func (s *Screen) Edit(m tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	defer s.arrange()
	if s.duration.editing {
		return s.editDuration(m)
	}
	return s.models.filter.Edit(s.k.Context, m)
}

func (s *Screen) pasted(text string) tea.Cmd {
	switch {
	case s.duration.editing:
		s.duration.line.Insert(text)
		return s.typedDuration()
	case s.models.filter.Editing():
		return s.models.filter.Paste(s.k.Context, text)
	}
	return nil
}

// ageDueMsg says that a minute has passed: prices show how old they are.
type ageDueMsg struct {
	visit int
	at    time.Time
}

// watchAge brings the time once a minute while the screen is seen.
func (s *Screen) watchAge() tea.Cmd {
	visit, ctx, clock := s.visit, s.k.Context, s.k.Clock
	return func() tea.Msg {
		env.Pause(ctx, time.Minute)
		return ageDueMsg{visit, clock()}
	}
}

// Backend is what Prices needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}

// Records gives prices, plans and spending; *state.Pricing is the
// real one. It is called from commands only.
type Records interface {
	Quote(ctx context.Context, r api.Request) (api.Estimate, error)
	Plans(ctx context.Context) ([]pricing.Plan, error)
	SavePlan(ctx context.Context, plan pricing.Plan) error
	Spend(ctx context.Context, since time.Time) (state.Spend, error)
}
