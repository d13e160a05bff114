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

// pane is a part of the screen that can have the keys.
type pane int

const (
	paneGrid pane = iota // every price of the selected model
	panePlan
	paneModels
	paneCount
)

// Screen shows the models, every price of the selected one, a plan, and what an
// amount pays for; on another page what was spent.
type Screen struct {
	k       *env.Env
	backend Backend
	records Records
	w, h    int
	actions []action.Action
	ledger  bool // what was spent is shown, not the prices
	pane    pane // that has the keys

	models   modelList
	figures  figureTable
	grid     grid
	seconds  int // the duration that videos are priced for
	duration durationEntry
	plan     planned
	amount   api.Credits // that the person asked about; 0: what the day's budget leaves
	spend    spending

	shown  bool
	asked  bool // the service was asked for its models since the program began
	asking asking
	now    time.Time // for the age of prices: when the screen came into view, then each minute
	visit  int       // grows when the screen comes into view and when it goes

	scroll widget.Scroll // the pane of prices
	drawn  struct {
		beside                widget.Beside
		models, figures, plan widget.Frame
	}
}

// New makes the screen; it asks for nothing until it gets the focus.
func New(k *env.Env, b Backend, r Records) *Screen {
	s := &Screen{
		k: k, backend: b, records: r, seconds: 5,
		duration: durationEntry{line: widget.Line{Limit: 4, Allow: func(r rune) bool { return r >= '0' && r <= '9' }}},
		figures:  figureTable{known: map[string]figure{}},
	}
	s.models.filter = widget.NewFilter("prices")
	s.spend.days = spendDays[1]
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
	if s.ledger {
		return tea.Batch(s.watchAge(), s.readSpend())
	}
	if s.asked && s.models.listing.Err == nil {
		return tea.Batch(s.watchAge(), s.fill())
	}
	s.asked = true
	s.assumeRates()
	return tea.Batch(s.watchAge(), s.readKnown(), s.readService(), s.readPlans())
}

// Blur stops the questions: prices that nobody looks at are not asked for.
func (s *Screen) Blur() tea.Cmd {
	s.shown, s.models.loading = false, false
	s.models.filter.Stop()
	s.duration.editing = false
	s.asking.end()
	s.visit++
	s.arrange()
	return nil
}

// Update takes answers, pastes and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	cmd := s.handle(message)
	s.arrange()
	return cmd
}

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case modelsReadMsg:
		return s.listed(m)
	case pricedMsg:
		return s.priced(m)
	case recalledMsg:
		s.figures.recall(m)
	case priceDueMsg:
		if m.series == s.asking.series && s.shown {
			return s.ask()
		}
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
		return s.clicked(m)
	case msg.WheelMsg:
		return s.wheeled(m)
	}
	return nil
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

// arrange fits to the size and the data what is scrolled. Every way into the
// screen that changes something ends with it, so that drawing changes nothing.
func (s *Screen) arrange() {
	a := s.areas()
	s.plan.rows.KeepRows(len(s.plan.plan.Items))
	s.models.rows.SetWindow(1, a.models.H-2)
	s.plan.rows.SetWindow(1+planHead, a.plan.H-2-planHead)
	if s.ledger {
		s.arrangeSpend()
		return
	}
	w, h := s.inner()
	s.scroll.SetSize(w, h)
	s.scroll.SetLines(s.content(w, h))
}

// Backend is what Prices needs of what lies behind the screens; it is
// called from commands only.
type Backend interface {
	KnownModels(ctx context.Context) state.Listing
	Models(ctx context.Context) state.Listing
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
}

// Records is what is known of prices, plans and spending; *state.Pricing is the
// real one. It is called from commands only.
type Records interface {
	Quote(ctx context.Context, r api.Request) (api.Estimate, error)
	Plans(ctx context.Context) ([]pricing.Plan, error)
	SavePlan(ctx context.Context, plan pricing.Plan) error
	Spend(ctx context.Context, since time.Time) (state.Spend, error)
}
