package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/screen/create"
	"darkroom/ui/screen/jobs"
	"darkroom/ui/screen/login"
	"darkroom/ui/screen/prices"
	"darkroom/ui/screen/tools"
)

func newScreens(k *env.Env, b Session, r prices.Records) [msg.PlaceKey + 1]screen {
	return [...]screen{
		msg.PlaceCreate: create.New(k, b),
		msg.PlaceJobs:   jobs.New(k, b),
		msg.PlacePrices: prices.New(k, b, r),
		msg.PlaceTools:  tools.New(k, b),
		msg.PlaceKey:    login.New(k, b),
	}
}

func (a *App) show(p msg.Place) tea.Cmd {
	a.overlays = nil
	a.try("")
	if p == msg.PlaceJobs {
		a.status.failed = 0
	}
	if p == a.at {
		return a.screens[p].Focus()
	}
	leave := a.screens[a.at].Blur()
	a.at = p
	if a.size.W > 0 { // else it is resized when that is known
		a.screens[p].Resize(a.plan.Body.W, a.plan.Body.H)
	}
	return tea.Batch(leave, a.screens[p].Focus())
}

func (a *App) openSpending() tea.Cmd {
	if _, open := a.top().(*prices.Spending); open {
		return nil
	}
	return prices.OpenSpending(a.env, a.opts.Pricing)
}

// showUnasked brings a screen into view without a key asking for it now.
func (a *App) showUnasked(p msg.Place) tea.Cmd {
	a.intent.moved()
	return a.show(p)
}

func (a *App) top() msg.Overlay {
	if len(a.overlays) == 0 {
		return nil
	}
	return a.overlays[len(a.overlays)-1]
}

func (a *App) closeTop() {
	if n := len(a.overlays); n > 0 {
		a.overlays = slices.Delete(a.overlays, n-1, n)
	}
}

// screen is one page of the program. App alone is a tea.Model: a screen is a
// plain struct with a pointer receiver that App asks and tells. None of its
// methods does I/O, reads a clock or waits; that is what commands are for.
//
// A key goes through one fixed order: quit → top overlay → the field being
// edited (Edit) → keys that work everywhere → the screen's actions → Update.
type screen interface {
	msg.Surface
	// Resize gives the body's size, of which both are at least 1, to the screen in
	// view: whenever it changes, and when the screen comes into view.
	Resize(w, h int)
	// View is exactly h lines of exactly w cells. Lines that did not change are
	// the same strings as before: App looks at the others alone.
	View() []string
	// Focus is called when the screen comes into view, Blur when it leaves; an
	// overlay over it changes nothing.
	Focus() tea.Cmd
	Blur() tea.Cmd
}

// surface is what keys go to: the top overlay, else the screen.
func (a *App) surface() msg.Surface {
	if top := a.top(); top != nil {
		return top
	}
	return a.screens[a.at]
}

// clock is implemented by screens that show times passing.
type clock interface {
	Ticking() bool
}

// appBackend is called from commands only, but for Health and Settings.
type appBackend interface {
	result.JobReader
	Health() state.Health
	Settings() state.Settings
	Wait(ctx context.Context) ([]string, error)
	ChooseStore(ctx context.Context) error
	Today(ctx context.Context) (state.Spent, error)
	Attend(ctx context.Context) (state.Absence, error)
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Results() state.Results
}

func (a *App) ordered(m msg.SequencedMsg) tea.Cmd {
	var first tea.Cmd
	switch inner := m.Message.(type) {
	case nil:
	case tea.BatchMsg:
		first = tea.Batch(inner...)
	default:
		_, first = a.Update(inner)
	}
	return tea.Batch(first, msg.Sequence(m.Rest...))
}
